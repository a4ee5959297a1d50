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

test('number cards keep their height under a diagram of many workers', async () => {
  for (const scenario of ['three-workers', 'crowd']) {
    for (const [width, height] of SIZES.slice(0, 4)) {
      const { page, close } = await openPage(browser, site, '?view=full', { viewport: { width, height } });
      await page.locator('input[type=file]').setInputFiles(new URL(`scenarios/${scenario}.json`, import.meta.url).pathname);
      await page.waitForFunction(() => document.querySelectorAll('.card').length > 5);
      const cut = await page.evaluate(() => {
        const bottom = (part) => document.querySelector(part).getBoundingClientRect().bottom;
        return bottom('.cards') - bottom('.lower');
      });
      assert.ok(cut <= 0, `${scenario} ${width}: ${cut}`);
      await close();
    }
  }
});

test('on a phone the answer to "Why?" comes into sight under the transport, and so does the story of a message', async () => {
  for (const view of ['simple', 'full']) {
    const { page, close } = await openPage(browser, site, `?scenario=charged-twice&t=4.6&view=${view}`, { viewport: { width: 390, height: 844 } });
    const inSight = (part) => page.waitForFunction((part) => {
      const dock = document.querySelector('.dock').getBoundingClientRect();
      const found = document.querySelector(part)?.getBoundingClientRect();
      return found && found.top < innerHeight - 40 && found.top >= dock.bottom;
    }, part);
    const token = await page.locator('.token').first().boundingBox();
    await page.mouse.click(token.x + token.width / 2, token.y + token.height / 2);
    await inSight('.story');
    await page.evaluate(() => scrollTo(0, 0));
    await page.locator('.caption__why').click();
    await inSight('.why');
    assert.equal(await page.evaluate(() => document.activeElement.className), 'log__why');
    await close();
  }
});
