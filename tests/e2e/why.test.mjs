// Why: the story of a message, the causes of an event, and the log as it is read.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { launch, violations } from './browser.mjs';
import { openPage } from './playground.mjs';
import { serve } from './site.mjs';

const ROOT = path.resolve(import.meta.dirname, '../..');
const QUEUE_SIM = path.join(process.env.CARGO_TARGET_DIR ?? path.join(ROOT, 'target'), 'debug/queue-sim');
const plain = (text) => text.replaceAll('\u00a0', ' ').replaceAll('\n', ' ');

let browser;
let site;
before(async () => { [browser, site] = await Promise.all([launch(), serve()]); });
after(async () => { await browser?.close(); await site?.close(); });

/** What the engine itself says happened. */
function trace(scenario, until) {
  const file = path.join(ROOT, 'static/scenarios', `${scenario}.json`);
  const text = execFileSync(QUEUE_SIM, ['run', file, '--until', `${until}s`, '--trace'], { encoding: 'utf8', maxBuffer: 1 << 26 });
  return text.trim().split('\n').map((line) => JSON.parse(line)).filter((event) => event.kind);
}

/** The lines of the story: time and text, and whether each is still to come. */
const story = (page) => page.locator('.story__lines li').evaluateAll((lines) => lines.map((line) => ({
  time: line.querySelector('time').textContent.replaceAll('\u00a0', ' '),
  text: line.querySelector('span').textContent.replaceAll('\u00a0', ' '),
  ahead: line.classList.contains('story--ahead'),
})));

async function find(page, what) {
  await page.getByRole('searchbox', { name: 'Find a message by number or name' }).fill(what);
  await page.keyboard.press('Enter');
}

test('a duplicate is explained in words that the trace supports', async () => {
  const { page, ui, close } = await openPage(browser, site, '?scenario=charged-twice&t=5.8');
  await ui.press('Why?');
  const events = page.getByRole('region', { name: 'Events' });
  await events.waitFor();
  const root = plain(await page.locator('.why__root').first().innerText());
  assert.match(root, /^Setting: The visibility timeout of orders is 3 s, and worker-2 needs 4.5 s for Ben\./);

  const happened = trace('charged-twice', 5.8);
  const ben = happened.filter((event) => event.message === 2);
  const [first, second] = ben.filter((event) => event.kind === 'delivered');
  const started = ben.find((event) => event.kind === 'started' && event.consumer === 'worker-2');
  assert.equal(first.consumer, 'worker-2');
  assert.equal(first.hidden_until - first.at, 3, 'the visibility timeout that the words name');
  assert.equal(started.work, 4.5, 'the work that the words name');

  const links = (await page.locator('.why__links li').allInnerTexts()).map(plain);
  assert.ok(links.some((line) => line.startsWith(`${second.at.toFixed(1)} s`) && line.includes('handed to worker-1 for the second time')), links.join('\n'));
  assert.ok(links.some((line) => line.includes('No ack within 3 s')), links.join('\n'));

  // The story has every delivery and effect at the time of the trace.
  const lines = await story(page);
  assert.deepEqual(lines.filter(({ text }) => text.startsWith('delivered')).map(({ time }) => Number.parseFloat(time)), [first.at, second.at]);
  const effects = ben.filter((event) => event.kind === 'effect').map((event) => event.at);
  assert.deepEqual(lines.filter(({ text }) => / finished: /.test(text)).map(({ time }) => Number.parseFloat(time)), effects);
  await close();
});

test('a setting at the root leads to its control, also one that the simple view has not', async () => {
  const { page, ui, close } = await openPage(browser, site, '?scenario=charged-twice&t=5.8');
  await ui.press('Why?');
  await page.locator('.why').getByRole('button', { name: 'Visibility timeout' }).click();
  await page.waitForFunction(() => document.activeElement.id === 'visibility-timeout');
  assert.equal(await page.locator('[data-marked]').count(), 1);
  await page.locator('.why').getByRole('button', { name: 'Idempotent' }).click();
  await page.waitForFunction(() => document.activeElement.id === 'idempotent');
  assert.ok(await page.locator('main.app--full').count(), 'it stands in the full view');
  await close();
});

test('a line of the story goes to its moment, and what was still to come is then told as it was foreseen', async () => {
  const { page, ui, close } = await openPage(browser, site, '?scenario=charged-twice&t=4.6&view=full');
  await find(page, 'ben');
  await page.getByRole('article', { name: 'Ben · message 2' }).waitFor();
  const foreseen = (await story(page)).filter(({ ahead }) => ahead);
  assert.deepEqual(foreseen.map(({ time, text }) => `${time}: ${text}`), [
    '5.0 s: worker-1 will finish: charged, acknowledged and removed',
    '5.5 s: worker-2 will finish: a duplicate effect, ack too late, nothing removed',
  ]);
  await page.locator('.story__line', { hasText: 'worker-2 will finish' }).click();
  await page.waitForFunction(() => Number(document.querySelector('main').dataset.time) === 5.5);
  const told = await story(page);
  assert.deepEqual(told.slice(-2).map(({ time, text }) => `${time}: ${text}`), foreseen.map(({ time, text }) => `${time}: ${text.replace('will finish', 'finished')}`));
  await page.locator('.story__line', { hasText: 'timeout ended' }).click();
  await page.waitForFunction(() => Number(document.querySelector('main').dataset.time) === 4);
  // Exactly to it: what follows from it at the same instant has not happened yet.
  const ended = trace('charged-twice', 4).find((event) => event.kind === 'timeout_ended');
  assert.equal(await ui.ordinal(), ended.ordinal + 1);
  await close();
});

test('messages are found by number or name, gone through, and missed in words', async () => {
  const { page, close } = await openPage(browser, site, '?scenario=charged-twice&t=5.8&view=full');
  await find(page, '1');
  await page.getByRole('article', { name: 'Ada · message 1' }).waitFor();
  assert.ok(await page.getByRole('button', { name: 'Previous message' }).isDisabled());
  await page.getByRole('button', { name: 'Next message' }).click();
  await page.getByRole('article', { name: 'Ben · message 2' }).waitFor();
  await page.getByText('Fields', { exact: true }).click();
  const fields = plain(await page.locator('.story__facts dl').innerText());
  assert.match(fields, /Attempt 1 worker-2 at 1.0 s, timeout ended 4.0 s, finished 5.5 s/);
  await find(page, 'Zoe');
  assert.match(plain(await page.locator('.finder__missed').innerText()), /There is no “Zoe” among messages 1 to 3/);
  await page.getByRole('button', { name: "Close the message's story" }).click();
  assert.equal(await page.locator('.story').count(), 0);
  await close();
});

test('the log is filtered by harm, consumer, topic and message', async () => {
  const { page, ui, close } = await openPage(browser, site, '?scenario=charged-twice&t=5.8&view=full');
  const all = (await ui.log()).length;
  await page.getByRole('button', { name: 'Harm' }).click();
  const harm = await ui.log();
  assert.ok(harm.length > 0 && harm.length < all);
  assert.ok(harm.every((line) => /Ben/.test(line)), harm.join('\n'));
  await page.getByRole('combobox', { name: 'Whose events' }).selectOption('worker-1');
  assert.ok((await ui.log()).every((line) => /worker-1/.test(line)));
  await page.getByRole('combobox', { name: 'Whose events' }).selectOption('everybody');
  await page.getByRole('button', { name: 'Harm' }).click();
  await page.getByRole('combobox', { name: 'Events about' }).selectOption('timeouts and delays');
  assert.equal((await ui.log()).length, trace('charged-twice', 5.8).filter((event) => event.kind === 'timeout_ended').length);
  await page.getByRole('combobox', { name: 'Events about' }).selectOption('everything');
  await find(page, 'Ada');
  await page.getByRole('button', { name: 'This one' }).click();
  const ada = await ui.log();
  assert.equal(ada.length, trace('charged-twice', 5.8).filter((event) => event.message === 1).length);
  await close();
});

test('the log stands still while it is read, and follows again', async () => {
  const { page, close } = await openPage(browser, site, '?scenario=four-switches&t=8&view=full', { motion: true });
  await page.getByRole('button', { name: /Play|Pause/ }).first().waitFor();
  const playing = async () => (await page.locator('main').getAttribute('data-playing')) === 'true';
  if (!(await playing())) await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.locator('.log').focus();
  const first = () => page.locator('.log .log__line').first().innerText();
  await page.waitForTimeout(300);
  const held = await first();
  await page.waitForFunction(() => /\d newer/.test(document.querySelector('.log__newer').textContent));
  assert.equal(await first(), held);
  await page.locator('.log__newer').click();
  await page.locator('.finder__field').focus();
  await page.waitForFunction((old) => document.querySelector('.log .log__line').innerText !== old, held);
  await close();
});

test('all of it works by keyboard', async () => {
  const { page, close } = await openPage(browser, site, '?scenario=charged-twice&t=5.8&view=full');
  const reach = async (name) => {
    for (let steps = 0; steps < 200; steps += 1) {
      await page.keyboard.press('Tab');
      const here = await page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent);
      if (here.startsWith(name)) return;
    }
    assert.fail(`${name} is not in the tab order`);
  };
  await reach('Find a message');
  await page.keyboard.type('Ben');
  await page.keyboard.press('Enter');
  await page.getByRole('article', { name: 'Ben · message 2' }).waitFor();
  await reach('Why? Ben charged by worker-2 too');
  await page.keyboard.press('Enter');
  await page.locator('.why').waitFor();
  await reach('Visibility timeout');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement.id === 'visibility-timeout');
  await close();
});

test('axe finds nothing in an open story and its causes, which fit 320 pixels', async () => {
  for (const [colorScheme, width] of [['light', 1440], ['dark', 320]]) {
    const { page, ui, close } = await openPage(browser, site, '?scenario=charged-twice&t=5.8', { colorScheme, viewport: { width, height: 900 } });
    await ui.press('Why?');
    await page.locator('.why').waitFor();
    await page.getByText('Fields', { exact: true }).click();
    assert.deepEqual(await violations(page), [], `${colorScheme} ${width}`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `no sideways scrolling at ${width}`);
    const tight = await page.locator('.events').evaluate((events) => [...events.querySelectorAll('button, select, input, summary')]
      .filter((target) => { const box = target.getBoundingClientRect(); return box.width && (box.width < 24 || box.height < 24); }).map((target) => target.outerHTML.slice(0, 80)));
    assert.deepEqual(tight, []);
    await close();
  }
});
