// Measures the built page in Chromium and writes the numbers to $BENCH_RESULTS/page.json for the budget table.

import fs from 'node:fs';
import path from 'node:path';
import { launch, open } from '../tests/e2e/browser.mjs';
import { serve } from '../tests/e2e/site.mjs';

const RUNS = 5;
const folder = process.env.BENCH_RESULTS ?? 'target/bench';
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

/** Milliseconds of script, wasm compilation included, that a cold page takes until it is mounted, and until a message moves. */
async function opening(browser, url) {
  let session;
  const script = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const seconds = (name) => metrics.find((metric) => metric.name === name).value;
    return 1000 * (seconds('ScriptDuration') + seconds('V8CompileDuration'));
  };
  const { page, close } = await open(browser, url, {
    reducedMotion: 'no-preference',
    prepare: async (page) => {
      session = await page.context().newCDPSession(page);
      await session.send('Performance.enable');
    },
  });
  const mounted = await script();
  // The opening story sends its first message at 0.5 s.
  await page.waitForFunction(() => document.querySelector('.transport__track input')?.valueAsNumber >= 500);
  const moving = await script();
  await close();
  return { mounted, moving };
}

const browser = await launch();
const site = await serve();
const openings = [];
for (let run = 0; run < RUNS; run += 1) openings.push(await opening(browser, site.url));
await site.close();
await browser.close();

fs.mkdirSync(folder, { recursive: true });
fs.writeFileSync(path.join(folder, 'page.json'), JSON.stringify({
  mounted_ms: median(openings.map(({ mounted }) => mounted)),
  first_message_ms: median(openings.map(({ moving }) => moving)),
}));
