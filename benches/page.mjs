// Measures the built page in Chromium and writes the numbers to $BENCH_RESULTS/page.json for the budget table.

import fs from 'node:fs';
import path from 'node:path';
import { launch, open } from '../tests/e2e/browser.mjs';
import { serve } from '../tests/e2e/site.mjs';

const RUNS = 5;
const folder = process.env.BENCH_RESULTS ?? 'target/bench';
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

/** Milliseconds of script, wasm compilation included, that a cold page takes until it is mounted. */
async function mounted(browser, url) {
  let session;
  const { close } = await open(browser, url, {
    prepare: async (page) => {
      session = await page.context().newCDPSession(page);
      await session.send('Performance.enable');
    },
  });
  const { metrics } = await session.send('Performance.getMetrics');
  await close();
  const seconds = (name) => metrics.find((metric) => metric.name === name).value;
  return 1000 * (seconds('ScriptDuration') + seconds('V8CompileDuration'));
}

const browser = await launch();
const site = await serve();
const times = [];
for (let run = 0; run < RUNS; run += 1) times.push(await mounted(browser, site.url));
await site.close();
await browser.close();

fs.mkdirSync(folder, { recursive: true });
fs.writeFileSync(path.join(folder, 'page.json'), JSON.stringify({ mounted_ms: median(times) }));
