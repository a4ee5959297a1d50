// Breaking something: the menu of the transport, the menus of stations and messages, single keys, and the dead letters.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, violations } from './browser.mjs';
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

const menu = (page) => page.getByRole('menu');
const entry = (page, name) => page.getByRole('menuitem', { name, exact: true });
const focused = (page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '');

/** Fails when the keyboard would have to begin at the top of the document again. */
async function focusIsKept(page) {
  await page.waitForTimeout(150);
  assert.notEqual(await page.evaluate(() => document.activeElement.tagName), 'BODY');
}

/** The middle of a message's token, in the window. */
async function tokenAt(page, name) {
  const box = await page.locator(`.token[aria-label*="${name}"]`).first().boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

test('the menu of the transport breaks a worker by mouse, and mends it by keyboard', async () => {
  const { ui, page, problems, close } = await openPage(browser, site, '?scenario=charged-twice&t=1.2');
  await ui.press('Break something');
  await entry(page, 'worker-2').click();
  await entry(page, 'Crash').click();
  assert.match(await ui.station('worker-2'), /crashed/);
  assert.equal(await menu(page).count(), 0);
  await focusIsKept(page);
  assert.equal(await focused(page), 'Break something');

  await page.keyboard.press('Enter');
  await menu(page).waitFor();
  await page.keyboard.press('End');
  await page.keyboard.press('Home');
  while (await focused(page).then((name) => !name.startsWith('worker-2'))) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await page.getByRole('menu', { name: 'worker-2' }).waitFor();
  assert.match(await focused(page), /^Restart/);
  await page.keyboard.press('ArrowLeft');
  await page.getByRole('menu', { name: 'Break something' }).waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await menu(page).count(), 0);
  assert.equal(await focused(page), 'Break something');
  await page.keyboard.press('b');
  await entry(page, 'worker-2').click();
  await page.keyboard.press('c');
  assert.doesNotMatch(await ui.station('worker-2'), /crashed/);
  assert.deepEqual(problems, []);
  await close();
});

test('every action of a worker is in its menu, is done by a key on its card, and has its way back', async () => {
  const { ui, page, problems, close } = await openPage(browser, site, '?scenario=charged-twice&t=1.2&view=full');
  const card = page.getByRole('article', { name: 'worker-2', exact: true });
  const ways = [['Pause', 'Resume', 'p'], ['Slow down', 'Normal speed', 's'], ['Cut off', 'Reconnect', 'n'], ['Crash', 'Restart', 'c']];
  for (const [there, back, key] of ways) {
    await card.click({ button: 'right', position: { x: 20, y: 12 } });
    await entry(page, there).click();
    await card.getByRole('button', { name: 'More for worker-2' }).focus();
    await page.keyboard.press('Shift+F10');
    await entry(page, back).waitFor();
    assert.equal(await entry(page, there).count(), 0);
    await page.keyboard.press('Escape');
    assert.equal(await focused(page), 'More for worker-2');
    await page.keyboard.press(key);
    await page.keyboard.press('ContextMenu');
    await entry(page, there).waitFor();
    await page.keyboard.press('Escape');
  }
  const told = await ui.log();
  assert.ok(told.some((line) => /You worker-2 is cut off from the broker/.test(line)), told.join('\n'));
  assert.deepEqual(problems, []);
  await close();
});

test('a message whose timeout is ended from its menu is handed out again, on a paused run and on a running one', async () => {
  for (const playing of [false, true]) {
    const { ui, page, problems, close } = await openPage(browser, site, '?scenario=charged-twice&t=1.2&view=full');
    if (playing) {
      await page.getByRole('combobox', { name: 'Speed' }).selectOption('250');
      await ui.press('Play');
    }
    await page.mouse.click(...await tokenAt(page, 'Ben'), { button: 'right' });
    await page.getByRole('menu', { name: 'Message Ben' }).waitFor();
    await entry(page, 'End its timeout now').click();
    await focusIsKept(page);
    assert.equal(await ui.isPlaying(), playing);
    // Its timeout would end at 4 s.
    await ui.seek(3.9);
    const told = await ui.log();
    assert.ok(told.some((line) => /The timeout of Ben is ended/.test(line)), told.join('\n'));
    assert.ok(told.some((line) => /Ben handed to worker-\d for the second time/.test(line)), told.join('\n'));
    assert.deepEqual(problems, []);
    await close();
  }
});

test('by keyboard, a message is poisoned on the stage, and fixed', async () => {
  const { ui, page, close } = await openPage(browser, site, '?scenario=charged-twice&t=1.2');
  await page.locator('.token[tabindex="0"]').focus();
  await page.keyboard.press('x');
  assert.match(await ui.caption(), /is made a poison message/);
  await page.keyboard.press('Shift+F10');
  await entry(page, 'Fix it').waitFor();
  await page.keyboard.press('x');
  assert.match(await ui.caption(), /is mended/);
  await focusIsKept(page);
  await close();
});

test('a consumer of a FIFO queue that is cut off holds its group until its timeout ends', async () => {
  const { ui, page, close } = await openPage(browser, site, '?scenario=four-switches&t=10.9&view=full');
  await ui.press('More for worker-2');
  await entry(page, 'Cut off').click();
  assert.match(await ui.caption(), /worker-2 is cut off from the broker/);
  await ui.seek(15.5);
  assert.ok((await ui.log()).some((line) => /worker-2's ack of 11 got lost/.test(line)), (await ui.log()).join('\n'));
  await ui.seek(16.5);
  assert.ok((await ui.log()).some((line) => /11 handed to worker-1 for the second time/.test(line)), (await ui.log()).join('\n'));
  await close();
});

test('one is sent to the group whose lane is asked', async () => {
  const { ui, page, close } = await openPage(browser, site, '?scenario=four-switches&t=10.9&view=full');
  const lane = await page.locator('.lane').nth(2).boundingBox();
  await page.mouse.click(lane.x + lane.width / 2, lane.y + lane.height - 4, { button: 'right' });
  await page.getByRole('menu', { name: 'Group C' }).waitFor();
  await entry(page, 'Send one').click();
  await ui.press('Step forward');
  assert.ok((await ui.log()).some((line) => /by hand/.test(line)));
  await close();
});

test('menus stay within small windows and are closed by a click beside them', async () => {
  const { ui, page, close } = await openPage(browser, site, '?scenario=four-switches&t=10.9', { viewport: { width: 320, height: 480 } });
  await ui.press('Break something');
  await entry(page, 'worker-1').click();
  const box = await menu(page).boundingBox();
  assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= 320 && box.y + box.height <= 480, JSON.stringify(box));
  await page.mouse.click(4, 4);
  assert.equal(await menu(page).count(), 0);
  await close();
});

async function deadLetters(query) {
  const opened = await openPage(browser, site, query);
  await opened.page.getByRole('tab', { name: 'Dead letters' }).click();
  const { page } = opened;
  const verdict = async () => (await page.locator('.dead__verdict').innerText()).replaceAll('\u00a0', ' ');
  return { ...opened, verdict };
}

test('before a redrive it is said that the cause is still there; once the message is fixed, it succeeds', async () => {
  const { ui, page, verdict, problems, close } = await deadLetters('?scenario=redrive-loop&t=50&view=full');
  assert.equal(await verdict(), 'The cause is still there, it would come back. It is still a poison message: its handlers fail every time.');
  assert.equal(await page.locator('.dead__story ol li').count(), 3);
  await ui.press('Redrive m1');
  await focusIsKept(page);
  await page.getByText(/^Empty\. A message comes here/).waitFor();
  await ui.seek(95);
  await ui.press('Fix and redrive m1');
  await focusIsKept(page);
  await ui.seek(99);
  await page.getByText(/^Empty\. A message comes here/).waitFor();
  assert.match(await ui.station('Outside'), /1 .*done/);
  assert.deepEqual(problems, []);
  await close();
});

test('a dead letter is discarded with a reason, which the log repeats', async () => {
  const { ui, page, close } = await deadLetters('?scenario=redrive-loop&t=50&view=full');
  await page.getByRole('combobox', { name: 'Why m1 is discarded' }).selectOption('its work was done by hand');
  await ui.press('Discard m1');
  await focusIsKept(page);
  await page.getByText(/^Empty\. A message comes here/).waitFor();
  assert.ok((await ui.log()).some((line) => /m1 discarded: its work was done by hand/.test(line)), (await ui.log()).join('\n'));
  assert.match(await ui.station('Outside'), /1 discarded/);
  assert.doesNotMatch(await ui.station('Outside'), /purged|\b[1-9]\d*\.? lost/);
  await close();
});

test('a redrive at a rate is seen on its way and can be stopped', async () => {
  const { ui, page, close } = await deadLetters('?scenario=four-switches&t=40&view=full');
  const rate = page.getByRole('combobox', { name: /^Rate of the redrive/ });
  await rate.selectOption('1 a second');
  await ui.press('Redrive all');
  await page.locator('.dead__progress').waitFor();
  await focusIsKept(page);
  assert.match(await page.locator('.dead__progress').innerText(), /^Redriving 1 a second: 1 moved, \d+ to go\.$/);
  await ui.press('Stop');
  await focusIsKept(page);
  await rate.waitFor();
  await close();
});

test('an action at the end of a run makes the copied run as long as it has become', async () => {
  const { ui, page, close } = await openPage(browser, site, '?scenario=four-switches&view=full&t=10000');
  const end = await ui.time();
  await ui.press('Send one: orders');
  const [download] = await Promise.all([page.waitForEvent('download'), ui.share('Save as a file')]);
  const stream = await download.createReadStream();
  let text = '';
  for await (const piece of stream) text += piece;
  const file = JSON.parse(text);
  assert.ok(Number.parseFloat(file.duration) > end, `${file.duration} after ${end}`);
  await close();
});

test('a finger that rests on a card opens its menu; one that moves does not', async () => {
  const { page, close } = await openPage(browser, site, '?scenario=charged-twice&t=1.2', { hasTouch: true });
  const card = page.getByRole('article', { name: 'worker-2', exact: true });
  const box = await card.boundingBox();
  const touch = (type, dx = 0) => card.dispatchEvent(type, { pointerType: 'touch', isPrimary: true, clientX: box.x + 20 + dx, clientY: box.y + 12 });
  await touch('pointerdown');
  await touch('pointermove', 40);
  await page.waitForTimeout(700);
  assert.equal(await menu(page).count(), 0);
  await touch('pointerdown');
  await page.getByRole('menu', { name: 'worker-2' }).waitFor();
  await close();
});

test('axe finds nothing in an open menu and among the dead letters, in light and dark', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const { ui, page, close } = await openPage(browser, site, '?scenario=redrive-loop&t=50&view=full', { colorScheme });
    await page.getByRole('tab', { name: 'Dead letters' }).click();
    await page.locator('.dead__row').waitFor();
    assert.deepEqual(await violations(page), []);
    await ui.press('Break something');
    assert.deepEqual(await violations(page), []);
    await entry(page, 'c1').click();
    assert.deepEqual(await violations(page), []);
    await close();
  }
});
