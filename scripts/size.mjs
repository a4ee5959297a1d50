// Prints what the page weighs, compressed as a server would send it, and fails when it is over the budget.
//
//   node scripts/size.mjs

import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { fileURLToPath } from 'node:url';

export const BUDGET = 250_000;

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
  if (total > BUDGET) console.error(`The page is ${total - BUDGET} bytes over its budget.`);
  if (player > BUDGET) console.error(`player.html is ${player - BUDGET} bytes over its budget.`);
  process.exitCode = paths.length || total > BUDGET || player > BUDGET ? 1 : 0;
}
