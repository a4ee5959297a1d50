// The caption: what it says while a story is told, after somebody acted, and at the end.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch } from './browser.mjs';
import { openPage } from './playground.mjs';
import { serve } from './site.mjs';

let browser;
let site;
before(async () => {
  browser = await launch();
  site = await serve();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

/** What the caption says from `from` to `to`, in steps of a fifth of a second: the times and the texts. */
async function saidFrom(ui, from, to) {
  const said = [];
  for (let tenths = from * 10; tenths <= to * 10; tenths += 2) {
    await ui.seek(tenths / 10);
    said.push([tenths / 10, await ui.caption()]);
  }
  return said;
}

/** The time that a caption begins with. */
const told = (text) => Number(/^(\d+(?:\.\d+)?) s/.exec(text)?.[1] ?? 0);

test('nobody is invited to mend a harm that did not come: the end is told instead', async () => {
  const { ui, close } = await openPage(browser, site, '?scenario=charged-twice&t=2.5');
  await ui.press('Crash worker-2');
  await ui.seek(6);
  const caption = await ui.caption();
  assert.doesNotMatch(caption, /try 6 s/);
  assert.match(caption, /cards charged €60 of €60, nothing twice, nothing lost/);
  await ui.press('Undo');
  await ui.seek(6);
  assert.match(await ui.caption(), /charged €80.*try 6 s/s);
  await close();
});

test('what comes of an action is told when it comes, however long after it', async () => {
  const { ui, close } = await openPage(browser, site, '?scenario=four-switches&t=20');
  await ui.seek(9);
  await ui.press('Crash worker-2');
  const said = await saidFrom(ui, 9.2, 16);
  for (const [at, text] of said) assert.ok(told(text) <= at, `at ${at}: ${text}`);
  for (const [at, text] of said.filter(([time]) => time >= 13.4 && time <= 15.8)) assert.match(text, /^13\.[1-9]/, `at ${at}: ${text}`);
  assert.ok(said.some(([, text]) => /handed to worker-1 for the second time/.test(text)), said.join('\n'));
  await close();
});

test('a scripted sentence makes room for harm once it has been read', async () => {
  const { ui, close } = await openPage(browser, site, '?scenario=four-switches');
  await ui.seek(2.9);
  assert.match(await ui.caption(), /Five orders every 4 s/);
  const said = await saidFrom(ui, 3.2, 8);
  assert.ok(said.some(([, text]) => /5 returned by worker-1/.test(text)), said.join('\n'));
  assert.ok(said.every(([at, text]) => at < 6 || !/Five orders/.test(text)), said.join('\n'));
  await close();
});
