import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { MOUNTED, launch, open } from './browser.mjs';
import { DIST, serve, serveHost } from './site.mjs';

const PLAYER = path.join(DIST, 'player.html');

let browser;
let folder;
before(async () => {
  browser = await launch();
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'player-'));
});
after(async () => {
  await browser?.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

test('the player runs in a sandboxed frame from another port and asks for nothing after it has loaded', async () => {
  const site = await serve();
  const player = `${site.url}player.html`;
  const host = await serveHost(`<!doctype html><title>host</title><iframe sandbox="allow-scripts" src="${player}" width="800" height="600"></iframe>`);
  const { page, problems, requests, close } = await open(browser, host.url, { ready: null, allow: [site.url] });
  await page.frameLocator('iframe').locator(MOUNTED).waitFor();
  await page.waitForTimeout(500);
  assert.equal(await page.frames()[1].evaluate(() => origin), 'null');
  assert.deepEqual(problems, []);
  assert.deepEqual(requests.filter((address) => !address.endsWith('/favicon.ico')), [host.url, player]);
  await close();
  await host.close();
  await site.close();
});

test('the player runs from a disk and asks for nothing but itself', async () => {
  const url = pathToFileURL(PLAYER).href;
  const { page, problems, requests, close } = await open(browser, url);
  await page.waitForTimeout(500);
  assert.equal(await page.locator('body[data-player]').count(), 1);
  assert.deepEqual(problems, []);
  assert.deepEqual(requests, [url]);
  await close();
});

test('a scenario put into the player cannot end the element it stands in', async () => {
  const scenario = { title: '</script><script>document.title = "taken over"</script><!-- $& é' };
  const [file, out] = ['scenario.json', 'player.html'].map((name) => path.join(folder, name));
  fs.writeFileSync(file, JSON.stringify(scenario));
  execFileSync(process.execPath, [path.resolve(import.meta.dirname, '../../scripts/player.mjs'), '--scenario', file, '--out', out]);
  const { page, close } = await open(browser, pathToFileURL(out).href, { ready: 'body' });
  assert.deepEqual(JSON.parse(await page.locator('#scenario').textContent()), scenario);
  assert.notEqual(await page.title(), 'taken over');
  await close();
});

test('the player says so when its engine is damaged', async () => {
  const out = path.join(folder, 'damaged.html');
  fs.writeFileSync(out, fs.readFileSync(PLAYER, 'utf8').replace(/(id="program">)[^<]{2000}/, '$1'));
  const { page, close } = await open(browser, pathToFileURL(out).href, { ready: '[role=alert]' });
  assert.match(await page.locator('[role=alert]').innerText(), /could not start: the engine/);
  await close();
});
