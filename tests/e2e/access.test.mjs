// The page for everybody: keyboard, assistive technology, narrow and enlarged windows.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, press, tabTo, violations } from './browser.mjs';
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

test('axe finds nothing, in light and dark, in both views, at several moments', async () => {
  for (const colorScheme of ['light', 'dark']) {
    for (const view of ['simple', 'full']) {
      for (const moment of ['scenario=charged-twice&t=0', 'scenario=charged-twice&t=4.6', 'scenario=four-switches&t=10.9']) {
        const { page, ui, close } = await openPage(browser, site, `?${moment}&view=${view}`, { colorScheme });
        if (moment.endsWith('10.9')) await ui.crash('worker-2');
        assert.deepEqual(await violations(page), [], `${colorScheme} ${view} ${moment}`);
        await close();
      }
    }
  }
});

test('everything is done with the keyboard alone', async () => {
  const { page, ui, problems, close } = await openPage(browser, site);
  await tabTo(page, '.top__situation');
  await press(page, 'Enter');
  await page.keyboard.type('switches');
  await tabTo(page, '.situation__run');
  await press(page, 'Enter');
  await page.waitForFunction(() => location.search.includes('four-switches'));
  await tabTo(page, '.top button:last-of-type');
  await press(page, 'Enter');
  await page.getByRole('region', { name: 'Events' }).waitFor();
  await press(page, 'Enter');

  await tabTo(page, 'button[aria-label="Crash worker-1"]');
  await press(page, 'Enter');
  assert.match(await ui.station('worker-1'), /crashed/);
  await tabTo(page, '.transport button[aria-label="Step forward"]');
  await press(page, 'Enter', 'Enter', 'Enter');
  assert.ok(await ui.ordinal() > 3);
  await tabTo(page, '.transport input[type=range]');
  const before = await ui.time();
  await press(page, 'ArrowRight', 'ArrowRight');
  assert.ok(await ui.time() > before);
  await tabTo(page, '.transport select');
  await press(page, 'ArrowDown');
  assert.equal(await page.getByRole('combobox', { name: 'Speed' }).inputValue(), '2000');
  await tabTo(page, 'input[name=order]');
  await press(page, 'ArrowLeft');
  assert.match(await ui.caption(), /Order FIFO → Standard/);
  await tabTo(page, '#visibility-timeout');
  await press(page, 'ArrowRight', 'ArrowRight');
  assert.match(await ui.caption(), /^Visibility timeout 6 s → 9 s/);
  assert.deepEqual(problems, []);
  await close();
});

test('messages on the stage are one stop for Tab, with arrows between them', async () => {
  const { page, close } = await openPage(browser, site, '?scenario=four-switches&t=5');
  await tabTo(page, '.token');
  const name = () => page.evaluate(() => document.activeElement.getAttribute('aria-label'));
  const first = await name();
  await press(page, 'ArrowRight');
  const second = await name();
  assert.notEqual(second, first);
  await press(page, 'ArrowLeft');
  assert.equal(await name(), first);
  await press(page, 'ArrowRight', 'Tab');
  assert.equal(await page.evaluate(() => document.activeElement.matches('.token')), false);
  await press(page, 'Shift+Tab');
  assert.equal(await name(), second);
  await close();
});

test('single keys work inside the player, and not in its fields', async () => {
  const { page, ui, close } = await openPage(browser, site);
  await page.locator('.caption').click();
  await press(page, 'ArrowRight', 'ArrowRight');
  const stepped = await ui.ordinal();
  assert.ok(stepped > 0);
  await press(page, 'ArrowLeft');
  assert.ok(await ui.ordinal() < stepped);
  await press(page, ' ');
  assert.equal(await ui.isPlaying(), true);
  await press(page, ' ', '+');
  assert.equal(await ui.isPlaying(), false);
  assert.equal(await page.getByRole('combobox', { name: 'Speed' }).inputValue(), '2000');
  await press(page, '-', 'Home');
  assert.equal(await ui.time(), 0);
  await ui.preferences();
  await page.getByRole('textbox', { name: 'Seed' }).focus();
  await press(page, 'Home', ' ', 'ArrowRight');
  assert.equal(await ui.isPlaying(), false);
  assert.equal(await ui.time(), 0);
  await close();
});

test('nothing overflows sideways at 390 and 320 pixels, and the transport stays in reach', async () => {
  for (const width of [390, 320]) {
    for (const view of ['simple', 'full']) {
      for (const scenario of ['charged-twice', 'four-switches', 'hot-group-serialization']) {
        const { page, close } = await openPage(browser, site, `?scenario=${scenario}&view=${view}&t=6`, { viewport: { width, height: 640 } });
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${scenario} ${view} ${width}`);
        for (const place of [0, 400, 1e6]) {
          await page.evaluate((top) => scrollTo(0, top), place);
          const inSight = await page.getByRole('button', { name: 'Play', exact: true }).evaluate((button) => {
            const { top, bottom } = button.getBoundingClientRect();
            return top >= 0 && bottom <= innerHeight;
          });
          assert.ok(inSight, `${scenario} ${view} ${width} at ${place}`);
        }
        await close();
      }
    }
  }
});

test('no text is smaller than 13 pixels and no target than 24', async () => {
  const { page, close } = await openPage(browser, site, '?scenario=four-switches&t=10.9&view=full');
  const small = await page.evaluate(() => [...document.querySelectorAll('main *')].filter((element) => {
    const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    return text && parseFloat(getComputedStyle(element).fontSize) < 13;
  }).map((element) => element.className));
  assert.deepEqual(small, []);
  const tight = await page.evaluate(() => [...document.querySelectorAll('button, select, input, summary')].filter((element) => {
    const box = element.getBoundingClientRect();
    return box.width && (box.width < 24 || box.height < 24);
  }).map((element) => element.outerHTML.slice(0, 80)));
  assert.deepEqual(tight, []);
  await close();
});

for (const [zoom, options] of [['100 %', {}], ['200 %', { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }]]) {
  test(`cards stand where the scene says, with the text inside them, at ${zoom}`, async () => {
    const { page, close } = await openPage(browser, site, '?scenario=four-switches&t=10.9', options);
    const boxes = await page.evaluate(() => [...document.querySelectorAll('.card')].map((card) => {
      const [box, stage] = [card.getBoundingClientRect(), card.parentElement.getBoundingClientRect()];
      const wanted = ['left', 'top', 'width', 'height'].map((side) => parseFloat(card.style[side]));
      return { wanted, found: [box.left - stage.left, box.top - stage.top, box.width, box.height] };
    }));
    assert.ok(boxes.length >= 6);
    for (const { wanted, found } of boxes) {
      wanted.forEach((length, side) => assert.ok(Math.abs(length - found[side]) < 0.6, `${wanted} ${found}`));
    }
    const canvas = await page.evaluate(() => {
      const canvas = document.querySelector('canvas');
      return [canvas.width, canvas.clientWidth * devicePixelRatio];
    });
    assert.ok(Math.abs(canvas[0] - canvas[1]) <= 1);
    await close();
  });
}

test('a screen reader hears all of the stage after a step', async () => {
  const { page, ui, close } = await openPage(browser, site, '?scenario=charged-twice&t=3.9');
  await ui.press('Step forward');
  const said = await page.locator('[aria-live=polite]').innerText();
  assert.match(said, /4\.0 s/);
  assert.match(said, /worker-2: works on Ben/);
  assert.match(said, /Outside world: 2 cards charged/);
  await close();
});
