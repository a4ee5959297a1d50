// Prints the budget table: what is measured, the budget, what was measured.
//
// A measurement is a number under a name in any file $BENCH_RESULTS/*.json ({ "name": number }), or the mean of a criterion
// benchmark. A new row is a line in `rows`; one without a result says "not measured".

import fs from 'node:fs';
import path from 'node:path';
import { BUDGET, sizes } from './size.mjs';

const folder = process.env.BENCH_RESULTS ?? 'target/bench';
const files = fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
const results = Object.assign({}, ...files.map((name) => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'))));

/** The mean of a criterion benchmark in nanoseconds for one iteration, or undefined. */
function criterion(name) {
  const file = path.join(process.env.CRITERION_RESULTS ?? 'target/criterion', name, 'new/estimates.json');
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')).mean.point_estimate : undefined;
}

/** `show(...values)` when every value is there. */
const measured = (values, show) => values.some((value) => value === undefined) ? 'not measured' : show(...values);
const one = (name, show) => measured([results[name]], show);

const milliseconds = (value) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
const bytes = (value) => `${value.toFixed(1)} bytes`;
const kilobytes = (value) => `${(value / 1000).toFixed(1)} kB`;
const millions = (value) => `${(value / 1e6).toFixed(2)} million/s`;
const { total, player } = sizes();

/** Native broker calls a second at a backlog: `broker/<backlog>` is the time of one call. */
const calls = (backlog) => {
  const each = criterion(`broker/${backlog}`);
  return each && 1e9 / each;
};

const rows = [
  ['page to first moving message, local, cold', '1 s of script and wasm work', () => one('first_message_ms', milliseconds)],
  ['the same, until the page is mounted', '', () => one('mounted_ms', milliseconds)],
  ['wasm + glue + styles, gzip -9', kilobytes(BUDGET), () => kilobytes(total)],
  ['player, gzip -9', kilobytes(BUDGET), () => kilobytes(player)],
  ['script time of a frame, 300 tokens', '4 ms', () => one('frame_300_ms', milliseconds)],
  ['script time of a frame, 5,000 tokens', '8 ms', () => one('frame_5000_ms', milliseconds)],
  ['engine, native, backlog 1,000', '2 million calls/s', () => measured([calls(1000)], millions)],
  ['engine, native, a call at 1,000,000 against 1,000', '1.5 times', () => measured([calls(1000), calls(1000000)], (few, many) => `${(few / many).toFixed(2)} times`)],
  ['engine, wasm against native', '0.65', () => measured([results.wasm_calls_per_second, calls(1000)], (wasm, native) => (wasm / native).toFixed(2))],
  ['memory a waiting message, standard', '64 bytes', () => one('broker_bytes_per_message', bytes)],
  ['memory a waiting message, FIFO', '64 bytes', () => one('broker_fifo_bytes_per_message', bytes)],
  ['seek in wasm, backlog 10,000, 1,000,000 events', '50 ms', () => one('seek_ms', milliseconds)],
  ['ten hours of simulated time, growth after the first minutes', 'flat', () => one('long_run_growth_bytes', kilobytes)],
];

const table = [['what', 'budget', 'measured'], ['---', '---', '---'], ...rows.map(([what, budget, measure]) => [what, budget, measure()])];
const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column].length)));
for (const row of table) console.log(`| ${row.map((cell, column) => cell.padEnd(widths[column], cell === '---' ? '-' : ' ')).join(' | ')} |`);
