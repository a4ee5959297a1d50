// The second scenario: each headline control, flipped at 10 s, shows its consequence within 5 s of the run.

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

/** Opens the full view at 10 s, before what happens at that instant: a command given after it acts a microsecond later. */
const atTen = () => openPage(browser, site, '?scenario=four-switches&t=9.99&view=full');

/** What `look` finds at a fifth of a second after another, from 10 to `until`. */
async function watched(ui, look, until = 15) {
  const seen = [];
  for (let at = 10.2; at <= until; at = Math.round(at * 10 + 2) / 10) {
    await ui.seek(at);
    seen.push(await look());
  }
  return seen;
}

test('FIFO to standard: the lanes merge and something takes effect out of order', async () => {
  const { ui, page, problems, close } = await atTen();
  const lanes = () => page.locator('[data-station^=Queue] .lane').count();
  assert.equal(await lanes(), 3);
  await ui.choose('Order', 'Standard');
  assert.match(await ui.caption(), /^Order FIFO → Standard from 9\.99 s;.*a real queue cannot be converted/);
  assert.equal(await lanes(), 1);
  await ui.seek(15);
  assert.ok((await ui.log()).some((line) => /took effect after \d+, a later message of group/.test(line)));
  assert.deepEqual(problems, []);
  await close();
});

test('standard to FIFO: lanes and locks, and an idle worker says why', async () => {
  const { ui, page, close } = await openPage(browser, site, '?scenario=four-switches&view=full');
  await ui.choose('Order', 'Standard');
  await ui.press('Replay from 0 s with Standard');
  await ui.seek(10);
  await ui.choose('Order', 'FIFO');
  assert.equal(await page.locator('[data-station^=Queue] .lane').count(), 3);
  const said = await watched(ui, async () => `${await ui.station('worker-1')} ${await ui.station('worker-2')}`);
  assert.ok(said.some((text) => /may take nothing, group \w is locked/.test(text)));
  assert.match(await ui.station('orders'), /locked/);
  await close();
});

test('prefetch 1 to 8: one worker takes what is there while the other idles, and leases run out in its buffer', async () => {
  const { ui, close } = await atTen();
  await ui.set('Prefetch', '8');
  const said = await watched(ui, async () => `${await ui.station('worker-1')} ${await ui.station('worker-2')}`);
  assert.ok(said.some((text) => /worker-\d buffers all \d/.test(text)));
  await ui.seek(30);
  assert.ok((await ui.log()).some((line) => /although its timeout ended in the buffer/.test(line)));
  await close();
});

test('visibility timeout 6 to 1.5 s: the flag is passed while a worker works, and an effect is applied twice', async () => {
  const { ui, close } = await atTen();
  await ui.set('Visibility timeout', '1.5 s');
  assert.match(await ui.caption(), /Visibility timeout 6 s → 1\.5 s from 9\.99 s; 2 messages in flight keep theirs/);
  const said = await watched(ui, () => ui.station('worker-2'));
  assert.ok(said.some((text) => /timeout ended/.test(text)));
  const { now, before } = await ui.number('Duplicate effects');
  assert.equal(before, '0');
  assert.ok(Number(now) > 0);
  await close();
});

test('retry budget 2 to 0: the next failure goes to the dead-letter queue', async () => {
  const { ui, close } = await atTen();
  await ui.set('Retry budget', 'none (1 delivery)');
  await ui.seek(15);
  const { now, before } = await ui.number('Dead-lettered');
  assert.ok(Number(now) > Number(before));
  assert.ok((await ui.log()).some((line) => /orders-dlq/.test(line) || /dead-letter/.test(line)));
  await close();
});

test('the change of a setting is taken back whole by one undo, and its replay as well', async () => {
  const { ui, page, close } = await atTen();
  await ui.seek(12);
  const straight = await ui.everything();
  await ui.seek(10);
  await ui.set('Visibility timeout', '2 s');
  await ui.seek(12);
  assert.notDeepEqual(await ui.everything(), straight);
  await ui.press('Undo');
  assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0);
  await ui.seek(12);
  assert.deepEqual(await ui.everything(), straight);
  await ui.set('Visibility timeout', '2 s');
  await ui.press('Replay from 0 s with visibility timeout 2 s');
  assert.equal(await ui.time(), 0);
  await ui.press('Undo');
  await ui.press('Undo');
  await ui.seek(12);
  assert.deepEqual(await ui.everything(), straight);
  await close();
});

test('acting before what is known says that it replaces it, and undo brings it back', async () => {
  const { ui, page, problems, close } = await openPage(browser, site, '?scenario=four-switches&t=20');
  await ui.set('Visibility timeout', '2 s');
  await ui.seek(8);
  await ui.press('Crash worker-1');
  const said = /Acting at 8\.0 s replaces what came after; Undo brings it back\. worker-1 is made to crash\./;
  assert.match(await ui.caption(), said);
  assert.match((await page.locator('main > [aria-live=polite]').textContent()).replaceAll('\u00a0', ' '), said);
  await ui.press('Undo');
  assert.doesNotMatch(await ui.caption(), /replaces what came after/);
  await page.getByRole('button', { name: 'Replay from 0 s with visibility timeout 2 s' }).waitFor({ state: 'detached' });
  await ui.seek(21);
  await page.getByRole('button', { name: 'Replay from 0 s with visibility timeout 2 s' }).waitFor();
  assert.deepEqual(problems, []);
  await close();
});

test('an action after the newest known event replaces nothing and is told', async () => {
  const { ui, close } = await openPage(browser, site, '?scenario=four-switches&t=9.99');
  await ui.press('Crash worker-1');
  assert.match(await ui.caption(), /^worker-1 is made to crash\.$/);
  await close();
});

test('an action while the run is paused is told in place of what happened before', async () => {
  const { ui, page, close } = await openPage(browser, site, '?scenario=redrive-loop&view=full&t=40');
  await page.getByRole('button', { name: /^Redrive/ }).click();
  assert.match(await ui.caption(), /^All messages of jobs-dlq move back to where they came from\./);
  await close();
});

test('the harm that a change does is told instead of the change, two seconds after it', async () => {
  const { ui, close } = await atTen();
  await ui.set('Visibility timeout', '1.5 s');
  const said = await watched(ui, () => ui.caption());
  assert.match(said[0], /^Visibility timeout 6 s → 1\.5 s/);
  assert.ok(said.some((text) => /duplicate effect|timeout ended|No ack/i.test(text)), said.join('\n'));
  await close();
});

test('a worker is broken in three ways, and mended', async () => {
  const { ui, page, problems, close } = await openPage(browser, site, '?scenario=charged-twice&t=1.2');
  await ui.press('Crash worker-2');
  assert.match(await ui.station('worker-2'), /crashed/);
  assert.match(await ui.station('worker-2'), /hidden until 4\.0 s/);
  await ui.press('Restart worker-2');
  assert.doesNotMatch(await ui.station('worker-2'), /crashed/);
  await ui.press('Slow down worker-1');
  await ui.press('Normal speed of worker-1');
  await page.getByRole('button', { name: 'Slow down worker-1' }).waitFor();
  const lose = page.getByRole('button', { name: 'Lose the next ack of worker-1' });
  await lose.click();
  assert.equal(await lose.isDisabled(), true);
  await ui.seek(3);
  assert.deepEqual(problems, []);
  await close();
});

test('what can be done to a queue, a consumer or a producer is offered with its settings', async () => {
  const { ui, page, problems, close } = await openPage(browser, site, '?scenario=charged-twice&view=full&t=3.2');
  await ui.press('Send one: orders');
  assert.match(await ui.caption(), /.+/);
  assert.match(await ui.station('shop'), /sent 3 of 3/);
  assert.ok((await ui.log()).some((line) => /by hand.* sent to orders/.test(line)));
  await page.getByRole('combobox', { name: 'Consumers: which' }).selectOption('worker-2');
  await ui.press('Pause: worker-2');
  await page.getByRole('button', { name: 'Resume: worker-2' }).waitFor();
  await ui.press('Purge: orders');
  assert.equal((await ui.number('Ready')).now, '0');
  assert.deepEqual(problems, []);
  await close();
});
