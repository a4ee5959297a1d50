import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { MOUNTED, launch, open, violations } from './browser.mjs';
import { DIST, serve } from './site.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

test('the page mounts under a sub-folder with no errors and no files but its own', async () => {
  const site = await serve({ mount: '/some/sub/folder/' });
  const { page, problems, requests, close } = await open(browser, site.url);
  await page.waitForLoadState('networkidle');
  assert.deepEqual(problems, []);
  assert.ok(requests.length > 1);
  assert.deepEqual(requests.filter((address) => !address.startsWith(site.url)), []);
  await close();
  await site.close();
});

test('the page runs under a security policy that allows no inline script and nothing from elsewhere', async () => {
  const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";
  const site = await serve({ headers: { 'content-security-policy': policy } });
  const { problems, close } = await open(browser, site.url);
  assert.deepEqual(problems, []);
  await close();
  await site.close();
});

test('axe finds nothing wrong with the page as it opens', async () => {
  const site = await serve();
  for (const colorScheme of ['light', 'dark']) {
    const { page, close } = await open(browser, site.url, { colorScheme });
    assert.deepEqual(await violations(page), [], colorScheme);
    await close();
  }
  await site.close();
});

/** Opens the page with something broken and returns what it says about it. */
async function complaint(url, prepare) {
  const { page, close } = await open(browser, url, { ready: '[role=alert]', prepare });
  const text = await page.locator('[role=alert]').innerText();
  assert.equal(await page.locator(MOUNTED).count(), 0);
  await close();
  return text;
}

test('a page whose engine cannot be fetched says so', async () => {
  const site = await serve();
  assert.match(await complaint(site.url, (page) => page.route('**/*.wasm', (route) => route.abort())), /could not start: the engine .* did not load/);
  assert.match(await complaint(site.url, (page) => page.route('**/*.wasm', (route) => route.fulfill({ status: 404 }))), /could not start: the engine .* did not load/);
  await site.close();
});

test('a page whose script cannot be fetched says so', async () => {
  const site = await serve();
  assert.match(await complaint(site.url, (page) => page.route(/queue-playground.*\.js$/, (route) => route.abort())), /could not start: a script of the page did not load/);
  await site.close();
});

test('a page whose host forbids WebAssembly says so', async () => {
  const site = await serve({ headers: { 'content-security-policy': "script-src 'self'" } });
  assert.match(await complaint(site.url), /not allowed to run.*security policy/s);
  await site.close();
});

test('a browser without WebAssembly is told what the playground needs', async () => {
  const site = await serve();
  assert.match(await complaint(site.url, (page) => page.addInitScript(() => { delete globalThis.WebAssembly; })), /no WebAssembly/);
  await site.close();
});

test('the page opened from a disk points to player.html', async () => {
  assert.match(await complaint(pathToFileURL(path.join(DIST, 'index.html')).href), /open player\.html/);
});

test('a trap in the running page is reported on the page', async () => {
  const site = await serve();
  const { page, close } = await open(browser, site.url);
  await page.evaluate(() => { setTimeout(() => { throw new WebAssembly.RuntimeError('unreachable'); }); });
  await page.locator('[role=alert]', { hasText: 'has stopped because of a mistake' }).waitFor();
  await close();
  await site.close();
});
