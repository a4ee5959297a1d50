// Writes player.html: the page of dist/ as one self-contained file that fetches nothing after it has loaded.
// It runs in <iframe sandbox="allow-scripts">, from file:// and without a network.
//
//   node scripts/player.mjs [--scenario FILE] [--out FILE]
//
// Trunk runs it after every build, with the folder it builds in as TRUNK_STAGING_DIR.

import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { parseArgs } from 'node:util';

const { values: option } = parseArgs({ options: { scenario: { type: 'string' }, out: { type: 'string' } } });
const dist = process.env.TRUNK_STAGING_DIR ?? path.resolve(import.meta.dirname, '../dist');
const out = option.out ?? path.join(dist, 'player.html');

const read = (name) => fs.readFileSync(path.join(dist, name));
const attribute = (tag, name) => tag.match(new RegExp(`\\s${name}="?([^"\\s>]+)`))?.[1];

function stop(why) {
  console.error(`player.html: ${why}`);
  process.exit(1);
}

/** JavaScript that cannot end the script element it stands in. */
const script = (source) => source.replace(/<(?=\/script|!--)/gi, '\\x3C');

/** JSON that cannot end the script element it stands in, and reads the same. */
const json = (source) => JSON.stringify(JSON.parse(source)).replaceAll('<', '\\u003c');

function glue(name) {
  const source = read(name).toString();
  if (/^\s*import\s[^(]*from\s/m.test(source)) stop(`${name} imports another file, which one file cannot do`);
  const initialiser = source.match(/\b(\w+) as default\b/)?.[1];
  if (!initialiser) stop(`${name} has no default export to start with`);
  return `<script type="module">${script(source)}\nwindow.inlinedGlue = ${initialiser};</script>`;
}

function styles(name) {
  const source = read(name).toString();
  if (/url\((?!\s*["']?(data:|#))|@import/.test(source)) stop(`${name} refers to another file`);
  if (/<\/style/i.test(source)) stop(`${name} would end its own style element`);
  return `<style>${source}</style>`;
}

// Keeps a later change of the page from fetching anything here without anyone noticing.
const policy = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; media-src data: blob:";

let page = read('index.html').toString();
const program = page.match(/<template id="?program[^>]*><\/template>/)?.[0] ?? stop('index.html does not name the program');
const wasm = zlib.gzipSync(read(attribute(program, 'data-wasm')), { level: 9 }).toString('base64');
const scenario = option.scenario ? `<script type="application/json" id="scenario">${json(fs.readFileSync(option.scenario, 'utf8'))}</script>` : '';

// Replacements are functions: in a replacement string, the `$` of a program would have a meaning.
const replace = (pattern, by) => { page = page.replace(pattern, by); };
replace(program, () => `${scenario}<script type="text/plain" id="program">${wasm}</script>${glue(attribute(program, 'data-glue'))}`);
replace(/<link\b[^>]*rel="?(?:modulepreload|preload)\b[^>]*>/g, () => '');
replace(/<link\b[^>]*rel="?stylesheet\b[^>]*>/g, (tag) => styles(attribute(tag, 'href')));
replace(/<link\b[^>]*rel="?icon\b[^>]*>/g, (tag) => `<link rel="icon" href="data:image/svg+xml;base64,${read(attribute(tag, 'href')).toString('base64')}">`);
replace(/<script\b[^>]*\bsrc=[^>]*><\/script>/g, (tag) => `<script type="module">${script(read(attribute(tag, 'src')).toString())}</script>`);
replace(/<meta charset[^>]*>/, (tag) => `${tag}<meta http-equiv="Content-Security-Policy" content="${policy}">`);
replace('<body', () => '<body data-player');

const left = page.match(/<(?:link|script|img)\b[^>]*\s(?:src|href)=(?!"?data:)[^>]*>/);
if (left) stop(`it would fetch ${left[0]}`);
fs.writeFileSync(out, page);
