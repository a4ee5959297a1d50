// The stage: what is pointed at, what is clicked, and that nothing jumps.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fs from 'node:fs';
import { launch, press, tabTo } from './browser.mjs';
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

const crowd = JSON.parse(fs.readFileSync(new URL('scenarios/crowd.json', import.meta.url)));

/** Opens a scenario file in the page. */
async function load(page, name, scenario) {
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(scenario)) });
  await page.waitForFunction((title) => document.body.textContent.includes(title), scenario.title);
}

/** Where a message stands, as its first place on the stage. */
const place = (page, message) => page.locator(`.token[data-about=m${message}]`).first().boundingBox();
const middle = ({ x, y, width, height }) => [x + width / 2, y + height / 2];

/** The elements that are lit, by what they stand for. */
const lit = (page) => page.evaluate(() => [...document.querySelectorAll('[data-about]')]
  .filter((element) => getComputedStyle(element).getPropertyValue('--lit') === '1' && !element.matches('.token'))
  .map((element) => element.dataset.about));

test('what is pointed at is lit everywhere, and no longer when the pointer leaves', async () => {
  const { page, problems, close } = await openPage(browser, site, '?scenario=four-switches&t=10.9&view=full', { viewport: { width: 1440, height: 900 } });
  await page.mouse.move(...middle(await place(page, 11)));
  const bars = await lit(page);
  assert.ok(bars.length >= 1);
  assert.ok(bars.every((about) => about.split(' ').includes('m11')), bars);
  assert.equal(await page.locator('.stage__inner').evaluate((stage) => stage.style.cursor), 'pointer');
  await page.locator('.timeline__bar[data-about="m1 c0"] .timeline__box').first().hover({ force: true });
  assert.ok((await lit(page)).every((about) => about.split(' ').includes('m1')));
  await page.locator('.caption').hover();
  assert.deepEqual(await lit(page), []);
  await page.getByRole('article', { name: 'worker-2' }).hover({ position: { x: 20, y: 20 } });
  assert.ok((await lit(page)).length > 2, 'a consumer and its bars');
  assert.deepEqual(problems, []);
  await close();
});

test('a message lights its picture when the keyboard is on it', async () => {
  const { page, close } = await openPage(browser, site, '?scenario=four-switches&t=10.9&view=full', { viewport: { width: 1440, height: 900 } });
  const pixels = () => page.locator('canvas').first().evaluate((canvas) => canvas.toDataURL());
  const before = await pixels();
  await tabTo(page, '.token');
  assert.notEqual(await pixels(), before);
  const about = await page.evaluate(() => document.activeElement.dataset.about);
  assert.ok((await lit(page)).every((words) => words.split(' ').includes(about)));
  await close();
});

test('a message is chosen by a click or by Enter, and left by a click beside it', async () => {
  const { page, close } = await openPage(browser, site, '?scenario=four-switches&t=10.9&view=full', { viewport: { width: 1440, height: 900 } });
  const chosen = () => page.locator('.token[aria-pressed=true]').evaluateAll((tokens) => tokens.map((token) => token.dataset.about));
  await page.mouse.click(...middle(await place(page, 11)));
  await page.locator('.token[aria-pressed=true]').first().waitFor({ state: 'attached' });
  assert.deepEqual(await chosen(), ['m11']);
  const stage = await page.locator('.stage__inner').boundingBox();
  await page.mouse.click(stage.x + 4, stage.y + 4);
  await page.waitForFunction(() => !document.querySelector('.token[aria-pressed=true]'));
  await tabTo(page, '.token');
  await press(page, 'ArrowRight', 'Enter');
  await page.locator('.token[aria-pressed=true]').first().waitFor({ state: 'attached' });
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-pressed')), 'true');
  await close();
});

test('no card moves while a run plays', async () => {
  const { page, ui, close } = await openPage(browser, site, '?scenario=four-switches&view=full', { viewport: { width: 1440, height: 900 } });
  await load(page, 'crowd.json', crowd);
  const boxes = () => page.evaluate(() => JSON.stringify([...document.querySelectorAll('.card, .lane, .dock, .lower, .timeline')].map((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return [element.className, Math.round(x), Math.round(y), Math.round(width), Math.round(height)];
  })).replaceAll(/ card--\w+/g, ''));
  if (!await ui.isPlaying()) await ui.press('Play');
  const first = await boxes();
  const from = await ui.time();
  for (let sample = 0; sample < 10; sample += 1) {
    await page.waitForTimeout(500);
    assert.equal(await boxes(), first);
  }
  assert.ok(await ui.time() > from);
  await close();
});

test('a crowd fits the stage at every size, also while the window is resized', async () => {
  const { page, ui, problems, close } = await openPage(browser, site, '?view=full', { viewport: { width: 1440, height: 900 } });
  await load(page, 'crowd.json', crowd);
  if (!await ui.isPlaying()) await ui.press('Play');
  for (const [width, height] of [[1440, 900], [1280, 720], [1920, 1080], [768, 1024], [640, 400], [390, 844]]) {
    await page.setViewportSize({ width, height });
    await page.waitForTimeout(400);
    const { outside, over, wide, small } = await page.evaluate(() => {
      const stage = document.querySelector('.stage').getBoundingClientRect();
      const cards = [...document.querySelectorAll('.card')].map((card) => [card.getAttribute('aria-label'), card.getBoundingClientRect()]);
      const outside = cards.filter(([, box]) => box.left < stage.left || box.right > stage.right || box.bottom > stage.bottom + 1);
      const apart = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
      const over = cards.flatMap(([name, box], i) => cards.slice(i + 1).filter(([, other]) => !apart(box, other)).map(([other]) => `${name} ${other}`));
      const small = [...document.querySelectorAll('.stage .words, .stage button')].filter((words) => parseFloat(getComputedStyle(words).fontSize) < 13).length;
      return { small, outside: outside.map(([name]) => name), over, wide: document.documentElement.scrollWidth > innerWidth };
    });
    assert.deepEqual({ outside, over, wide, small }, { outside: [], over: [], wide: false, small: 0 }, `${width} × ${height}`);
  }
  assert.deepEqual(problems, []);
  await close();
});
