// Single keys: heard on a page of its own from the start, and their list.

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

const inBody = (page) => page.evaluate(() => document.activeElement === document.body);

test('keys work as soon as the page is there, with nothing clicked', async () => {
  const { page, ui, problems, close } = await openPage(browser, site);
  assert.equal(await inBody(page), true);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  const stepped = await ui.ordinal();
  assert.ok(stepped > 0);
  await page.keyboard.press('ArrowLeft');
  assert.ok(await ui.ordinal() < stepped);
  await page.keyboard.press(' ');
  assert.equal(await ui.isPlaying(), true);
  await page.keyboard.press(' ');
  assert.equal(await ui.isPlaying(), false);
  assert.equal(await inBody(page), true);
  // Inside the player a key acts once, not once for the page as well.
  await page.keyboard.press('Home');
  await page.locator('main').focus();
  const before = await ui.ordinal();
  await page.keyboard.press(' ');
  assert.equal(await ui.isPlaying(), true);
  await page.keyboard.press(' ');
  assert.equal(await ui.isPlaying(), false);
  assert.ok(await ui.ordinal() >= before);
  assert.deepEqual(problems, []);
  await close();
});

test('a question mark opens the list of keys in both views, and Escape leads back', async () => {
  for (const view of ['simple', 'full']) {
    const { page, problems, close } = await openPage(browser, site, `?view=${view}`);
    const list = page.getByRole('dialog', { name: 'Keys' });
    assert.equal(await list.isVisible(), false);
    const play = page.getByRole('button', { name: 'Play', exact: true });
    await play.focus();
    await page.keyboard.press('?');
    await list.waitFor();
    assert.match(await list.innerText(), /Space\s+play or pause/);
    assert.equal(await list.evaluate((element) => element.contains(document.activeElement)), true);
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
    assert.equal(await play.evaluate((button) => button === document.activeElement), true);
    await page.getByRole('button', { name: 'Keys', exact: true }).click();
    await list.waitFor();
    await page.getByRole('button', { name: 'Close the list of keys' }).click();
    await list.waitFor({ state: 'hidden' });
    assert.deepEqual(problems, []);
    await close();
  }
});

test('B opens the menu of the station that has the focus, and that of everything elsewhere', async () => {
  const { page, close } = await openPage(browser, site, '?scenario=charged-twice&t=1.2');
  await page.keyboard.press('b');
  await page.getByRole('menu', { name: 'Break something' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Crash worker-2', exact: true }).focus();
  await page.keyboard.press('b');
  await page.getByRole('menu', { name: 'worker-2' }).waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.tagName), 'Crash worker-2');
  await close();
});

test('a jump closes its menu when it arrives, and says in its row when there is nothing', async () => {
  const { page, ui, close } = await openPage(browser, site, '?scenario=charged-twice', { width: 1440, height: 900 });
  const opens = page.getByRole('button', { name: 'Jump and stop' });
  assert.equal((await opens.innerText()).trim(), 'Jump');
  await opens.click();
  const menu = page.locator('#travel');
  await page.getByRole('button', { name: 'Next crash' }).click();
  await menu.getByText('none found').waitFor();
  assert.match(await menu.locator('.menu__row', { hasText: 'Crash' }).innerText(), /none found/);
  await page.getByRole('button', { name: 'Previous crash' }).click();
  await menu.getByText('none before').waitFor();
  await page.getByRole('button', { name: 'Next duplicate' }).click();
  await menu.waitFor({ state: 'hidden' });
  assert.equal(await ui.time(), 4);
  assert.equal(await opens.evaluate((button) => button === document.activeElement), true);
  await close();
});
