// Runs one program natively and, compiled as the page is, in Chromium. Writes to $BENCH_RESULTS/program.json how they
// compare, how long a seek takes in wasm, and the wasm memory after hours of simulated time. Times are processor times,
// which other work on the machine disturbs least.
//
//   node benches/program.mjs NATIVE WASM

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { launch } from '../tests/e2e/browser.mjs';

const MESSAGES = 1_000_000;
const PAIRS = 7;
const PLACES = 60;
const TRIES = 3;
const HOURS = [1, 5, 10];
const ROUNDS = 100_000;

const [native, wasm] = process.argv.slice(2);
const sorted = (values) => [...values].sort((a, b) => a - b);
const median = (values) => sorted(values)[values.length >> 1];

const browser = await launch();
const page = await browser.newPage();
const devtools = await page.context().newCDPSession(page);
await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
await page.evaluate(async (text) => {
  const module = await WebAssembly.compile(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
  // What the library would ask of a page; the program asks nothing.
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => { throw new Error(`${name} was called`); };
  window.begin = async () => { window.program = (await WebAssembly.instantiate(module, imports)).exports; };
}, fs.readFileSync(wasm).toString('base64'));

/** Starts the program with a memory of its own. */
const begin = () => page.evaluate(() => window.begin());

/** Milliseconds that the page's main thread has worked so far. */
async function worked() {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return 1000 * metrics.find(({ name }) => name === 'TaskDuration').value;
}

/** What one call in the browser returned, its milliseconds, and the bytes of wasm memory after it. */
async function call(name, ...values) {
  const before = await worked();
  const there = await page.evaluate(([called, given]) =>
    ({ result: window.program[called](...given), bytes: window.program.memory.buffer.byteLength }), [name, values]);
  return { ...there, milliseconds: await worked() - before };
}

/** What the native program printed, and its milliseconds by the shell's `times`. */
function callNative(...values) {
  const [result, , times] = execFileSync('sh', ['-c', '"$@"; times', 'sh', native, ...values]).toString().split('\n');
  const parts = times.split(' ').map((part) => part.match(/(\d+)m([\d.]+)s/));
  return { result: Number(result), milliseconds: parts.reduce((sum, [, minutes, seconds]) => sum + 60_000 * minutes + 1_000 * seconds, 0) };
}

/** The speed in wasm as a share of the native one, by turns. */
async function speed() {
  await begin();
  await call('work_through', MESSAGES / 10); // until the browser has compiled it for speed
  const ratios = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const here = callNative(MESSAGES);
    const there = await call('work_through', MESSAGES);
    if (here.result !== there.result) throw new Error(`${here.result} events natively, ${there.result} in wasm`);
    ratios.push(here.milliseconds / there.milliseconds);
    console.log(`${here.result} events: native ${here.milliseconds.toFixed(0)} ms, wasm ${there.milliseconds.toFixed(0)} ms`);
  }
  return { wasm_speed: median(ratios), wasm_speed_least: Math.min(...ratios), wasm_speed_most: Math.max(...ratios) };
}

/** Seeks to places all over a run of a million events, each from another place; of a few tries the best counts. */
async function seeks() {
  await begin();
  const end = (await call('play_a_million_events')).result;
  const place = (number) => Math.floor(end * ((number * 0.618034) % 1));
  const best = [];
  for (let number = 1; number <= PLACES; number += 1) {
    const tries = [];
    for (let again = 0; again < TRIES; again += 1) {
      await call('seek', place(number + 7));
      tries.push((await call('seek', place(number))).milliseconds);
    }
    best.push(Math.min(...tries));
  }
  return { seek_ms: median(best), seek_slowest_ms: Math.max(...best) };
}

/** Bytes of wasm memory after hours of simulated time. */
async function hours() {
  await begin();
  await call('begin_the_day');
  const bytes = {};
  for (const hour of HOURS) {
    const there = await call('play_to', hour);
    console.log(`${hour} h: ${there.result} events, ${there.bytes} bytes of wasm memory`);
    bytes[`wasm_${hour}_h`] = there.bytes;
  }
  return bytes;
}

/** Nanoseconds of a broker call, case by case, natively and in wasm: of a few passes the best counts. */
async function calls() {
  const results = {};
  const lines = execFileSync(native, ['calls']).toString().trim().split('\n').map((line) => line.split(' '));
  for (const [index, [name, each]] of lines.entries()) {
    await begin();
    await call('prepare_calls', index);
    await call('make_calls', ROUNDS);
    const passes = [];
    for (let pass = 0; pass < TRIES; pass += 1) passes.push((await call('make_calls', ROUNDS)).milliseconds);
    results[`call_${name}`] = Number(each);
    results[`call_wasm_${name}`] = Math.min(...passes) * 1e6 / (3 * ROUNDS);
    console.log(`${name}: native ${each} ns a call, wasm ${results[`call_wasm_${name}`].toFixed(1)} ns`);
  }
  return results;
}

/** Microseconds of a copy of a run of a million events, natively and in wasm. */
async function clones() {
  const [each, waiting] = execFileSync(native, ['clone']).toString().split(' ').map(Number);
  await begin();
  await call('play_a_million_events');
  await call('clone_run', 10);
  const passes = [];
  for (let pass = 0; pass < TRIES; pass += 1) passes.push((await call('clone_run', 10)).milliseconds);
  return { clone: each, clone_wasm: Math.min(...passes) * 100, clone_waiting: waiting };
}

const results = { ...await speed(), ...await calls(), ...await clones(), ...await seeks(), ...await hours() };
await browser.close();
console.log(JSON.stringify(results));
const folder = process.env.BENCH_RESULTS ?? 'target/bench';
fs.mkdirSync(folder, { recursive: true });
fs.writeFileSync(path.join(folder, 'program.json'), JSON.stringify(results));
