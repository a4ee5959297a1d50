// Chromium for a test, and pages in it that remember everything that went wrong.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const axeSource = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What is there once the page has mounted. */
export const MOUNTED = 'main h1';

/** The machine's Chromium (CHROMIUM names another one). */
export const launch = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

/**
 * Opens `url` in a context of its own and waits for `ready` (null: for nothing).
 *
 * `problems` collects page errors, console errors, failed requests, answers of 400 and more, and requests to any origin but the
 * page's own and those in `allow`; `requests` collects every address asked for. `prepare(page)` runs before the page is opened;
 * the other options are the context's (viewport, reducedMotion, colorScheme, …).
 */
export async function open(browser, url, { ready = MOUNTED, allow = [], prepare, ...options } = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems = [];
  const requests = [];
  const ours = [new URL(url).origin, ...allow.map((address) => new URL(address).origin)];
  page.on('pageerror', (error) => problems.push(`page error: ${error}`));
  page.on('console', (message) => message.type() === 'error' && problems.push(`console: ${message.text()}`));
  page.on('requestfailed', (request) => problems.push(`failed: ${request.url()}`));
  page.on('response', (response) => response.status() >= 400 && problems.push(`${response.status()}: ${response.url()}`));
  page.on('request', (request) => {
    const address = request.url();
    if (/^(data|blob):/.test(address)) return;
    requests.push(address);
    if (address !== url && !ours.includes(new URL(address).origin)) problems.push(`off-site: ${address}`);
  });
  await prepare?.(page);
  await page.goto(url);
  if (ready) await page.locator(ready).first().waitFor();
  return { page, problems, requests, close: () => context.close() };
}

/** What axe finds wrong, one line for each rule broken. */
export async function violations(page) {
  await page.evaluate(axeSource);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return found.violations.map(({ id, help, nodes }) => `${id} (${help}): ${nodes.map(({ target }) => target).join(', ')}`);
}

/** Presses keys one after the other: `press(page, 'Tab', 'Tab', 'Enter')`. */
export async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key);
}

/** Presses Tab until the focused element matches `selector`; fails after `limit` presses. */
export async function tabTo(page, selector, limit = 100) {
  for (let presses = 0; presses < limit; presses += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
  }
  throw new Error(`${selector} is not reached within ${limit} presses of Tab`);
}
