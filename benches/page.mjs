// Measures the built page in Chromium and writes the numbers to $BENCH_RESULTS/page.json for the budget table.
// Script time is the browser's own (ScriptDuration, and V8CompileDuration for an opening, by the DevTools protocol), in
// processor time of the main thread, which other work on the machine disturbs least.
//
//   node benches/page.mjs           all but the next
//   node benches/page.mjs --long    ten minutes in real time as well

import fs from 'node:fs';
import path from 'node:path';
import { launch, open } from '../tests/e2e/browser.mjs';
import { serve } from '../tests/e2e/site.mjs';

const OPENINGS = 5;
const WARM_UP = 1_000;
const MEASURED = 4_000;
const HOURS = [1, 5, 10];
const MINUTES = [2, 5, 10];
const LONG = process.argv.includes('--long');
// The stage draws as many tokens as it has room for; a wider window only enlarges it.
const WINDOW = { width: 1920, height: 2400 };
const folder = process.env.BENCH_RESULTS ?? 'target/bench';
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const range = (count, make) => Array.from({ length: count }, (_, index) => make(index));

const browser = await launch();
const site = await serve();

/** A cold page that moves, and the browser's own numbers about it: seconds, bytes and counts by name. */
async function openMoving(options = {}) {
  let session;
  const opened = await open(browser, site.url + (options.query ?? ''), {
    reducedMotion: 'no-preference',
    prepare: async (page) => {
      session = await page.context().newCDPSession(page);
      await session.send('Performance.enable', { timeDomain: 'threadTicks' });
      // To read the size of the program's memory later.
      await page.addInitScript(() => {
        for (const name of ['instantiate', 'instantiateStreaming']) {
          const start = WebAssembly[name];
          WebAssembly[name] = async (...given) => {
            const made = await start(...given);
            window.programMemory = (made.instance ?? made).exports.memory;
            return made;
          };
        }
      });
    },
    ...options,
  });
  const metrics = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  };
  return { ...opened, session, metrics };
}

/** Milliseconds of script, wasm compilation included, that a cold page takes until it is mounted, and until a message moves. */
async function opening() {
  const { page, metrics, close } = await openMoving();
  const script = async () => {
    const { ScriptDuration, V8CompileDuration } = await metrics();
    return 1000 * (ScriptDuration + V8CompileDuration);
  };
  const mounted = await script();
  // The opening story sends its first message at 0.5 s.
  await page.waitForFunction(() => document.querySelector('.transport__track input')?.valueAsNumber >= 500);
  const moving = await script();
  await close();
  return { mounted, moving };
}

const load = (page, scenario) => page.locator('input[type=file]').setInputFiles(
  { name: 'bench.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(scenario)) });

/** Three queues with so many messages waiting and about as many coming as going, and eight consumers that hold many. */
function crowd(messages) {
  const queues = range(3, (index) => `queue-${index}`);
  return {
    version: 1,
    title: 'A crowd',
    queues: queues.map((name) => ({ name, visibility_timeout: '10min' })),
    producers: [
      ...queues.map((to) => ({ name: `${to}-first`, to, burst: { size: Math.ceil(messages / queues.length), every: '1h' } })),
      ...queues.map((to) => ({ name: `${to}-later`, to, every: '30ms' })),
    ],
    consumers: range(8, (index) => ({ name: `worker-${index}`, from: queues[index % 3], workers: 3, prefetch: 20, processing: '900ms' })),
  };
}

/** Milliseconds of script a frame, the panels' ten updates a second included, and how many tokens are drawn meanwhile. */
async function frames(messages) {
  const { page, metrics, problems, close } = await openMoving({ viewport: WINDOW, query: '?view=simple' });
  await load(page, crowd(messages));
  await page.waitForTimeout(WARM_UP);
  const tokens = () => page.locator('.token').count();
  const first = await tokens();
  await page.evaluate(() => {
    window.framesSeen = 0;
    const seen = () => { window.framesSeen += 1; requestAnimationFrame(seen); };
    requestAnimationFrame(seen);
  });
  const before = await metrics();
  await page.waitForTimeout(MEASURED);
  const after = await metrics();
  const count = await page.evaluate(() => window.framesSeen);
  const drawn = Math.min(first, await tokens());
  await close();
  if (problems.length) throw new Error(problems.join('\n'));
  const each = (name) => 1000 * (after[name] - before[name]) / count;
  console.log(`${messages} messages: ${drawn} tokens, ${count} frames in ${MEASURED} ms, script ${each('ScriptDuration').toFixed(2)} ms a frame, all of the main thread ${each('TaskDuration').toFixed(2)} ms`);
  return { [`frame_${messages}_ms`]: each('ScriptDuration'), [`frame_${messages}_tokens`]: drawn, [`frame_${messages}_rate`]: 1000 * count / MEASURED };
}

/** A day of a shop: a steady load with groups, failures and dead letters. */
const day = (speed) => ({
  version: 1,
  title: 'A day',
  queues: [{ name: 'orders', kind: 'fifo', visibility_timeout: '2s', max_deliveries: 3, dead_letter_queue: 'orders-dlq' }, { name: 'orders-dlq', kind: 'fifo', retention: '10min' }],
  producers: [{ name: 'shop', to: 'orders', every: '200ms', groups: ['A', 'B', 'C'], poison_every: 50 }],
  consumers: [{ name: 'worker-1', from: 'orders', processing: '150ms' }, { name: 'worker-2', from: 'orders', processing: '250ms' }],
  view: { speed },
});

/** Bytes of the page's heap and of the program's memory after hours of simulated time at the highest speed. */
async function hours() {
  const { page, session, metrics, close } = await openMoving({ query: '?view=full' });
  await load(page, day(1000));
  const bytes = {};
  for (const hour of HOURS) {
    await page.waitForFunction((seconds) => Number(document.querySelector('main').dataset.time) >= seconds, 3600 * hour, { timeout: 300_000 });
    await session.send('HeapProfiler.collectGarbage');
    const { JSHeapUsedSize, Nodes } = await metrics();
    bytes[`page_${hour}_h`] = JSHeapUsedSize + await page.evaluate(() => window.programMemory.buffer.byteLength);
    console.log(`${hour} h: ${JSHeapUsedSize} bytes of heap, ${bytes[`page_${hour}_h`]} with wasm memory, ${Nodes} nodes`);
  }
  await close();
  return bytes;
}

/** The same apart after minutes in real time, the page playing at 1x with its charts open. */
async function minutes() {
  const { page, session, metrics, problems, close } = await openMoving({ query: '?view=full' });
  await load(page, day(1));
  await page.getByRole('tab', { name: 'Charts' }).click();
  const results = {};
  for (const minute of MINUTES) {
    await page.waitForFunction((seconds) => Number(document.querySelector('main').dataset.time) >= seconds, 60 * minute, { timeout: 1_200_000 });
    await session.send('HeapProfiler.collectGarbage');
    const { JSHeapUsedSize, Nodes } = await metrics();
    results[`real_${minute}_min`] = JSHeapUsedSize;
    results[`real_wasm_${minute}_min`] = await page.evaluate(() => window.programMemory.buffer.byteLength);
    console.log(`${minute} min in real time: ${JSHeapUsedSize} bytes of heap, ${results[`real_wasm_${minute}_min`]} of wasm memory, ${Nodes} nodes`);
  }
  await close();
  if (problems.length) throw new Error(problems.join('\n'));
  return results;
}

const openings = [];
for (let run = 0; run < OPENINGS; run += 1) openings.push(await opening());
const results = {
  mounted_ms: median(openings.map(({ mounted }) => mounted)),
  first_message_ms: median(openings.map(({ moving }) => moving)),
  ...await frames(300),
  ...await frames(5000),
  ...await hours(),
  ...LONG ? await minutes() : {},
};
await site.close();
await browser.close();
console.log(JSON.stringify(results));
fs.mkdirSync(folder, { recursive: true });
fs.writeFileSync(path.join(folder, 'page.json'), JSON.stringify(results));
