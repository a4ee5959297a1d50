// Prints the budget table: what is measured, the budget, what was measured.
//
// A measurement is a number under a name in any file $BENCH_RESULTS/*.json ({ "name": number }), or the mean of a criterion
// benchmark. A row without a result says "not measured"; none of them fails the command.

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

const milliseconds = (value) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
const bytes = (value) => `${value.toFixed(1)} bytes`;
const kilobytes = (value) => `${(value / 1000).toFixed(1)} kB`;
const megabytes = (value) => `${(value / 1e6).toFixed(1)} MB`;
const millions = (value) => `${(value / 1e6).toFixed(2)} million/s`;
const times = (value) => `${value.toFixed(2)} times`;

/** Broker calls a second in a run with its trace on: `run/<backlog>` is the time of three calls. */
const calls = (backlog) => 3e9 / criterion(`run/${backlog}`);

/** A row: what it is, its budget in words, the values it needs, how they are shown, and whether they are within it. */
const rows = [];
const row = (what, budget, values, show, holds) => {
  const there = values.every((value) => Number.isFinite(value));
  rows.push([what, budget, there ? show(...values) : 'not measured', there && holds ? (holds(...values) ? 'ok' : 'over') : '']);
};
const result = (...names) => names.map((name) => results[name]);
const { total, player } = sizes();

row('page to first moving message, local, cold', '1 s of script and wasm work', result('first_message_ms', 'mounted_ms'),
  (moving, mounted) => `${milliseconds(moving)}, mounted after ${milliseconds(mounted)}`, (moving) => moving <= 1000);
row('wasm + glue + styles, gzip -9', kilobytes(BUDGET), [total], kilobytes, (size) => size <= BUDGET);
row('player, gzip -9', kilobytes(BUDGET), [player], kilobytes, (size) => size <= BUDGET);
for (const [count, budget] of [[300, 4], [5000, 8]]) {
  row(`script of a frame, ${count.toLocaleString('en')} messages on the stage`, milliseconds(budget),
    result(`frame_${count}_ms`, `frame_${count}_tokens`, `frame_${count}_rate`),
    (script, tokens, rate) => `${milliseconds(script)}, ${tokens} tokens drawn, ${Math.round(rate)} frames/s`, (script) => script <= budget);
}
row('engine, native, trace on, backlog 1,000', '2 million calls/s', [calls(1000)], millions, (rate) => rate >= 2e6);
row('engine, native, a call at 1,000,000 against 1,000', '1.5 times', [calls(1000) / calls(1000000)], times, (ratio) => ratio <= 1.5);
row('engine, wasm against native', '0.65', result('wasm_speed', 'wasm_speed_least', 'wasm_speed_most'),
  (ratio, least, most) => `${ratio.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`, (ratio) => ratio >= 0.65);
const CASES = {
  standard_1000: 'standard, backlog 1,000', standard_100000: 'standard, backlog 100,000', standard_1000000: 'standard, backlog 1,000,000',
  fifo_groups_1: 'FIFO, 1 group', fifo_groups_100: 'FIFO, 100 groups', fifo_groups_100000: 'FIFO, 100,000 groups',
  prefetch_1: 'prefetch 1', prefetch_1000: 'prefetch 1,000', priorities_10: 'ten priorities', time_to_live: 'time to live',
  returns_queue: 'returns queue, every second message returned once', round_robin_100: '100 tenants in turn',
};
for (const [name, what] of Object.entries(CASES)) {
  row(`broker calls a second, ${what}`, '', result(`call_${name}`, `call_wasm_${name}`),
    (native, wasm) => `native ${millions(1e9 / native)}, wasm ${millions(1e9 / wasm)}, ${(native / wasm).toFixed(2)}`);
}
row('copy of a run of 1,000,000 events', '', result('clone', 'clone_wasm', 'clone_waiting'),
  (native, wasm, waiting) => `native ${native.toFixed(0)} µs, wasm ${wasm.toFixed(0)} µs, ${waiting} messages waiting`);
row('memory a waiting message, standard', '64 bytes', result('broker_bytes_per_message'), bytes, (each) => each <= 64);
row('memory a waiting message, FIFO', '64 bytes', result('broker_fifo_bytes_per_message'), bytes, (each) => each <= 64);
row('memory a waiting message, ten priorities', '64 bytes', result('broker_priority_bytes_per_message'), bytes, (each) => each <= 64);
row('memory a waiting message, time to live', '64 bytes', result('broker_ttl_bytes_per_message'), bytes, (each) => each <= 64);
row('the same in a whole run, what is known of each included', '', result('run_bytes_per_message'), bytes);
row('seek in wasm, backlog to 10,000, 1,000,000 events', '50 ms', result('seek_ms', 'seek_slowest_ms'),
  (median, slowest) => `${milliseconds(median)}, slowest ${milliseconds(slowest)}`, (_, slowest) => slowest <= 50);
// Checkpoints fill the room they may take (64 MiB) in the first hours; after that nothing may grow.
const flat = (_, early, late) => late <= 1.1 * early;
const hours = (...values) => values.map(megabytes).join(', ');
row('ten hours of simulated time, wasm memory at 1, 5, 10 h', 'flat', result('wasm_1_h', 'wasm_5_h', 'wasm_10_h'), hours, flat);
row('the same in the page at the highest speed, heap and wasm memory', 'flat', result('page_1_h', 'page_5_h', 'page_10_h'), hours, flat);
row('the same natively, bytes held', 'flat', result('held_1_h', 'held_5_h', 'held_10_h'), hours, flat);
row('ten minutes in real time with the charts open, heap at 2, 5, 10 min (--long)', 'flat', result('real_2_min', 'real_5_min', 'real_10_min'), hours, flat);
// In ten minutes the history is still far from the events and checkpoints that it may keep.
row('the same, wasm memory, which fills with history', '', result('real_wasm_2_min', 'real_wasm_5_min', 'real_wasm_10_min'), hours);

const table = [['what', 'budget', 'measured', ''], ['---', '---', '---', '---'], ...rows];
const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((cells) => cells[column].length)));
for (const cells of table) console.log(`| ${cells.map((cell, column) => cell.padEnd(widths[column], cell === '---' ? '-' : ' ')).join(' | ')} |`);
