// Writes model.html beside the page: docs/model.md as a page that is read without any program.
// Trunk runs it after every build, with the folder it builds in as TRUNK_STAGING_DIR.
//
// It knows what that file uses: headings, paragraphs, lists, tables, code and links.

import fs from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const out = process.env.TRUNK_STAGING_DIR ?? path.join(root, 'dist');
const source = path.join(root, 'docs/model.md');
if (!fs.existsSync(source)) process.exit(0);

const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const inline = (text) => text.split(/(`[^`]+`)/).map((part) => {
  if (/^`[^`]+`$/.test(part)) return `<code>${escape(part.slice(1, -1))}</code>`;
  return escape(part)
    .replace(/\[([^\]]+)\]\((https?:\/\/[^)\s]+|#[^)\s]+)\)/g, '<a href="$2">$1</a>')
    .replace(/\[([^\]]+)\]\([^)\s]+\)/g, '$1')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/\*([^*]+)\*/g, '<em>$1</em>');
}).join('');
const slug = (text) => text.toLowerCase().replace(/[^\w\s-]/g, '').trim().replace(/\s+/g, '-');
const cells = (line) => line.trim().replace(/^\||\|$/g, '').split(/(?<!\\)\|/).map((cell) => inline(cell.trim().replaceAll('\\|', '|')));

function block(lines) {
  const [first] = lines;
  const heading = first.match(/^(#{1,6})\s+(.*)/);
  if (heading) {
    const level = heading[1].length;
    const rest = lines.slice(1);
    // A part may be called as its chapter is, which has the name in the address.
    const id = level > 2 && chapters.includes(heading[2]) ? '' : ` id="${slug(heading[2])}"`;
    return `<h${level}${id}>${inline(heading[2])}</h${level}>${rest.length ? block(rest) : ''}`;
  }
  if (first.startsWith('|')) {
    const [head, , ...rows] = lines;
    const row = (line, tag) => `<tr>${cells(line).map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
    return `<div class="wide" tabindex="0"><table><thead>${row(head, 'th')}</thead><tbody>${rows.map((line) => row(line, 'td')).join('')}</tbody></table></div>`;
  }
  const bullet = /^\s*(?:[-*]|\d+\.)\s+/;
  if (bullet.test(first)) {
    const items = [];
    for (const line of lines) bullet.test(line) ? items.push(line.replace(bullet, '')) : (items[items.length - 1] += ` ${line.trim()}`);
    return `<ul>${items.map((item) => `<li>${inline(item)}</li>`).join('')}</ul>`;
  }
  return `<p>${inline(lines.join(' '))}</p>`;
}

const text = fs.readFileSync(source, 'utf8').replace(/<!--[\s\S]*?-->/g, '');
const chapters = [...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
const body = text.split(/^(```[\s\S]*?^```)$/m).map((part) => part.startsWith('```')
  ? `<pre tabindex="0"><code>${escape(part.replace(/^```.*\n/, '').replace(/```$/, ''))}</code></pre>`
  : part.split(/\n\s*\n/).map((lines) => lines.split('\n').filter((line) => line.trim())).filter((lines) => lines.length).map(block).join('\n'));
// Each broker is folded; the list of them opens what it leads to, since its target is inside.
const folded = (html) => {
  const [start, ...parts] = html.split(/(?=<h2 id=)/);
  const rest = parts.map((part, index) => {
    if (index === 0) return part;
    const [, id, title, content] = part.match(/^<h2 id="([^"]*)">(.*?)<\/h2>([\s\S]*)$/);
    return `<details><summary><h2>${title}</h2></summary><div id="${id}">${content}</div></details>`;
  });
  const list = chapters.map((title) => `<li><a href="#${slug(title)}">${inline(title)}</a></li>`).join('');
  const contents = `<nav aria-label="Contents"><ul class="contents">${list}</ul></nav>`;
  return start.replace('</p>', `</p>${contents}`) + rest.join('\n');
};
const style = `body{margin:0 auto;padding:16px;max-width:72rem;font:16px/1.5 system-ui,sans-serif}.wide{overflow:auto;max-width:100%}
table{border-collapse:collapse}th,td{padding:4px 10px;border:1px solid #8888;text-align:left;vertical-align:top}code{font-size:.95em;overflow-wrap:anywhere}
summary{cursor:pointer;margin:8px 0}summary h2{display:inline;font-size:1.25rem}.contents{display:flex;flex-wrap:wrap;gap:4px 16px;padding:0;list-style:none}
.wide code{overflow-wrap:normal}h1{margin:.5em 0}`;
fs.writeFileSync(path.join(out, 'model.html'), `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>How faithful is this? Queue Playground</title><style>${style}</style></head>
<body><main><p><a href="./">Back to the playground</a></p>
${folded(body.join('\n'))}
</main></body>
</html>
`);
