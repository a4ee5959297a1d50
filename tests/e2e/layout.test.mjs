// The layout: what fits, what scrolls, and what stands still while a run plays.

import test, { after, before } from 'node:test';
import assert from 'node:assert/strict';
import { launch } from './browser.mjs';
import { openPage } from './playground.mjs';
import { serve } from './site.mjs';

let browser;
let site;

before(async () => {
  [browser, site] = await Promise.all([launch(), serve()]);
});

after(async () => {
  await browser?.close();
  await site?.close();
});

const SIZES = [[1920, 1080], [1440, 900], [1280, 720], [1120, 720], [768, 1024], [844, 390], [390, 844], [320, 640]];

test('the transport fits its column with a slider long enough to aim at, in both views', async () => {
  for (const view of ['simple', 'full']) {
    for (const [width, height] of SIZES) {
      const { page, close } = await openPage(browser, site, `?scenario=charged-twice&t=12&view=${view}`, { viewport: { width, height } });
      const found = await page.evaluate(() => {
        const [mid, transport, track] = ['.mid', '.transport', '.transport__track'].map((part) => document.querySelector(part));
        return { sideways: mid.scrollWidth - mid.clientWidth, over: transport.scrollWidth - transport.clientWidth, track: track.offsetWidth, rows: transport.offsetHeight };
      });
      assert.deepEqual([found.sideways, found.over], [0, 0], `${view} ${width}`);
      assert.ok(found.track >= 150, `${view} ${width}: ${found.track}`);
      assert.ok(found.rows < 90, `${view} ${width}: at most two rows`);
      await close();
    }
  }
});

test('the caption is as high whatever it says, with what can be done beside it or not', async () => {
  for (const view of ['simple', 'full']) {
    for (const [width, height] of SIZES) {
      const { page, ui, close } = await openPage(browser, site, `?scenario=charged-twice&view=${view}`, { viewport: { width, height } });
      const heights = new Set();
      for (const time of [0.4, 1.5, 4.1, 7.5, 12]) {
        await ui.seek(time);
        heights.add(await page.locator('.caption').evaluate((caption) => caption.offsetHeight));
      }
      assert.equal(heights.size, 1, `${view} ${width}: ${[...heights]}`);
      await close();
    }
  }
});

test('a wide full view is no taller than its window whatever is open', async () => {
  for (const [width, height] of SIZES.slice(0, 4)) {
    const { page, close } = await openPage(browser, site, '?scenario=charged-twice&t=5&view=full', { viewport: { width, height } });
    await page.evaluate(() => document.querySelectorAll('details').forEach((group) => group.setAttribute('open', '')));
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click();
      const over = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
      assert.ok(over <= 0, `${width} ${await tab.innerText()}: ${over}`);
    }
    await close();
  }
});
