// What holds over time: hidden tabs, windows that change, less motion, memory.

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

/** Tells the page that its tab is hidden, or shown again, as a browser does; no frame is painted meanwhile. */
const hide = (page, hidden) => page.evaluate((hidden) => {
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => (hidden ? 'hidden' : 'visible') });
  document.dispatchEvent(new Event('visibilitychange'));
}, hidden);

test('a run in a hidden tab stands still and goes on without a jump when the tab is back', async () => {
  const { ui, page, problems, close } = await openPage(browser, site, '?scenario=four-switches&view=full', { motion: true });
  await ui.reaches(0.5);
  await hide(page, true);
  await page.waitForTimeout(300);
  const left = [await ui.time(), await ui.ordinal()];
  await page.waitForTimeout(3_000);
  assert.deepEqual([await ui.time(), await ui.ordinal()], left);
  // The first time shown after the return is that of the first update, a few frames later.
  const returned = page.evaluate((left) => new Promise((resolve) => {
    const main = document.querySelector('main');
    new MutationObserver((_, observer) => {
      if (Number(main.dataset.time) === left) return;
      observer.disconnect();
      resolve(Number(main.dataset.time));
    }).observe(main, { attributes: true, attributeFilter: ['data-time'] });
  }), left[0]);
  await hide(page, false);
  const jump = await returned - left[0];
  assert.ok(jump > 0 && jump < 1.5, `${jump} s`);
  assert.equal(await ui.isPlaying(), true);
  assert.deepEqual(problems, []);
  await close();
});

test('a run goes on while its window changes, and every card stays on the stage', async () => {
  const { ui, page, problems, close } = await openPage(browser, site, '?scenario=four-switches&view=full', { motion: true });
  let ordinal = 0;
  for (const [width, height] of [[1440, 900], [700, 900], [390, 844], [1920, 1080], [1024, 500], [1280, 720]]) {
    await page.setViewportSize({ width, height });
    const from = await ui.time();
    await ui.reaches(from + 0.5);
    const now = await ui.ordinal();
    assert.ok(now >= ordinal, `${now} events after ${ordinal}`);
    ordinal = now;
    const outside = await page.evaluate(() => {
      const stage = document.querySelector('.card').parentElement.getBoundingClientRect();
      const cards = [...document.querySelectorAll('.card')].map((card) => [card.getAttribute('aria-label'), card.getBoundingClientRect()]);
      return cards.filter(([, card]) => card.left < stage.left - 1 || card.right > stage.right + 1 || card.width < 20 || card.height < 20).map(([name]) => name);
    });
    assert.deepEqual(outside, [], `${width} by ${height}`);
  }
  assert.equal(await ui.isPlaying(), true);
  assert.deepEqual(problems, []);
  await close();
});

/** Plays for some seconds; how often the page showed another number of events, and other places of the messages. */
async function places(motion) {
  const { ui, page, close } = await openPage(browser, site, '?scenario=four-switches&view=full', { motion, viewport: { width: 1440, height: 900 } });
  if (!motion) await ui.press('Play');
  await page.evaluate(() => {
    window.seen = [];
    const look = () => {
      const tokens = [...document.querySelectorAll('.token')].map((token) => `${token.dataset.about} ${token.style.cssText}`);
      window.seen.push([document.querySelector('main').dataset.ordinal, tokens.join(';')]);
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await ui.reaches(7);
  const seen = await page.evaluate(() => window.seen);
  await close();
  const changes = (of) => seen.filter((look, index) => index > 0 && look[of] !== seen[index - 1][of]).length;
  return { events: changes(0), places: changes(1) };
}

test('with less motion messages change their places only when something happens', async () => {
  const still = await places(false);
  assert.ok(still.events > 5, `${still.events} changes`);
  assert.ok(still.places <= still.events, `places changed ${still.places} times, events ${still.events} times`);
  const moving = await places(true);
  assert.ok(moving.places > moving.events, `with motion they move in between: ${moving.places}, ${moving.events}`);
});

test('memory stays bounded while hours of simulated time go by', async () => {
  const { page, problems, close } = await openPage(browser, site, '?view=full', {
    motion: true,
    prepare: (page) => page.addInitScript(() => {
      for (const name of ['instantiate', 'instantiateStreaming']) {
        const start = WebAssembly[name];
        WebAssembly[name] = async (...given) => {
          const made = await start(...given);
          window.programMemory = (made.instance ?? made).exports.memory;
          return made;
        };
      }
    }),
  });
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  await page.locator('input[type=file]').setInputFiles({
    name: 'day.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify({
      version: 1,
      title: 'A day',
      queues: [{ name: 'orders', kind: 'fifo', visibility_timeout: '4s', max_deliveries: 3, dead_letter_queue: 'orders-dlq' }, { name: 'orders-dlq', kind: 'fifo', retention: '1min' }],
      producers: [{ name: 'shop', to: 'orders', every: '500ms', groups: ['A', 'B', 'C'], poison_every: 20 }],
      consumers: [{ name: 'worker-1', from: 'orders', processing: '400ms' }, { name: 'worker-2', from: 'orders', processing: '600ms' }],
      view: { speed: 1000 },
    })),
  });
  await page.getByRole('tab', { name: 'Charts' }).click();
  const at = async (minutes) => {
    await page.waitForFunction((seconds) => Number(document.querySelector('main').dataset.time) >= seconds, 60 * minutes, { timeout: 200_000 });
    await session.send('HeapProfiler.collectGarbage');
    const { metrics } = await session.send('Performance.getMetrics');
    const [heap, nodes] = ['JSHeapUsedSize', 'Nodes'].map((name) => metrics.find((metric) => metric.name === name).value);
    const events = Number(await page.locator('main').getAttribute('data-ordinal'));
    return { heap, nodes, events, program: await page.evaluate(() => window.programMemory.buffer.byteLength) };
  };
  const early = await at(15);
  const late = await at(60);
  const grown = (name) => late[name] - early[name];
  const each = (grown('heap') + grown('program')) / grown('events');
  assert.ok(grown('events') > 10_000, `${grown('events')} events`);
  // An event that is kept, in the log, the ledger and the checkpoints, takes a few hundred bytes; the page itself keeps none.
  assert.ok(each < 1_000, `${each} bytes an event: ${JSON.stringify({ early, late })}`);
  assert.ok(grown('heap') < 3e6, `${grown('heap')} bytes of heap`);
  assert.ok(grown('nodes') < 500, `${grown('nodes')} nodes`);
  assert.deepEqual(problems, []);
  await close();
});
