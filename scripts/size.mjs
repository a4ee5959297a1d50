// Prints what the page weighs, compressed as a server would send it, beside the budget. It fails when the page is over
// the limit: the weight that was reached last, which may fall and must not creep up. ARCHITECTURE.md says why the budget
// is not met and what weighs most.
//
//   node scripts/size.mjs

import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { fileURLToPath } from 'node:url';

export const BUDGET = 250_000;
const LIMIT = 762_000;

const dist = path.resolve(import.meta.dirname, '../dist');
const gzip = (bytes) => zlib.gzipSync(bytes, { level: 9 }).length;

/** Bytes after gzip -9: each file the page loads, their total, and the player. */
export function sizes() {
  const files = fs.readdirSync(dist).filter((name) => /\.(wasm|js|css)$/.test(name));
  const rows = files.map((name) => [name, gzip(fs.readFileSync(path.join(dist, name)))]);
  return {
    rows,
    total: rows.reduce((sum, [, bytes]) => sum + bytes, 0),
    player: gzip(fs.readFileSync(path.join(dist, 'player.html'))),
  };
}

/** Paths of the machine that built the wasm, which would make the same sources give another file elsewhere. */
function machinePaths() {
  const wasm = fs.readdirSync(dist).filter((name) => name.endsWith('.wasm'));
  return wasm.flatMap((name) => fs.readFileSync(path.join(dist, name)).toString('latin1').match(/\/(?:home|root|Users|tmp)\/[\w./-]+/g) ?? []);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { rows, total, player } = sizes();
  const line = (name, bytes) => console.log(`${name.padEnd(52)} ${String(bytes).padStart(8)}`);
  console.log('bytes after gzip -9');
  for (const [name, bytes] of rows) line(name, bytes);
  line(`total (budget ${BUDGET})`, total);
  line(`player.html (budget ${BUDGET})`, player);
  const paths = machinePaths();
  if (paths.length) console.error(`The wasm names paths of this machine: ${paths.slice(0, 3).join(', ')}`);
  for (const [name, bytes] of [['The page', total], ['player.html', player]]) {
    if (bytes > BUDGET) console.log(`${name} is ${bytes - BUDGET} bytes over the budget.`);
    if (bytes > LIMIT) console.error(`${name} is ${bytes - LIMIT} bytes over the limit of ${LIMIT}.`);
  }
  process.exitCode = paths.length || total > LIMIT || player > LIMIT ? 1 : 0;
}
