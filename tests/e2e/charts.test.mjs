// The charts: opened, read as lines and as tables, copied, and used to move about.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, tabTo, violations } from './browser.mjs';
import { openPage } from './playground.mjs';
import { serve } from './site.mjs';

const FULL = '?scenario=four-switches&view=full&t=30';
const ALERTED = {
  version: 1,
  title: 'A growing backlog',
  duration: '20s',
  queues: [{ name: 'orders' }],
  producers: [{ name: 'shop', to: 'orders', every: '500ms' }],
  consumers: [{ name: 'worker', from: 'orders', processing: '1s' }],
  alerts: [{ metric: 'ready', at_least: 12 }],
};

let browser;
let site;
before(async () => {
  browser = await launch();
  site = await serve();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

const openCharts = async (query, options) => {
  const opened = await openPage(browser, site, query, options);
  await opened.page.getByRole('tab', { name: 'Charts' }).click();
  await opened.page.locator('.chart').first().waitFor();
  return opened;
};

test('a number card opens its chart, by mouse and by keyboard', async () => {
  const { page, problems, close } = await openPage(browser, site, FULL);
  const focused = () => page.waitForFunction(() => document.activeElement?.classList.contains('chart') && document.activeElement.id);
  await page.getByRole('button', { name: 'Dead-lettered: open its chart' }).click();
  assert.equal(await (await focused()).jsonValue(), 'chart-dead-letters');
  await page.getByRole('tab', { name: 'Timeline' }).click();
  await tabTo(page, '.metric__open');
  await page.keyboard.press('Enter');
  assert.equal(await (await focused()).jsonValue(), 'chart-messages');
  assert.deepEqual(problems, []);
  await close();
});

test('a chart has a table with the same values, one table at a time', async () => {
  const { page, problems, close } = await openCharts(FULL);
  await page.getByRole('button', { name: 'Table: Messages in queues' }).click();
  const table = page.getByRole('region', { name: 'Messages in queues, as a table' });
  assert.deepEqual(await table.getByRole('columnheader').allTextContents(), ['Time', 'ready', 'in flight', 'delayed']);
  const rows = await table.locator('tbody tr').count();
  assert.ok(rows > 20 && rows <= 60, `${rows} rows`);
  await page.getByRole('button', { name: 'Table: Latency' }).click();
  await page.getByRole('region', { name: 'Latency, as a table' }).waitFor();
  assert.equal(await page.locator('.chart__table').count(), 1);
  await page.getByRole('button', { name: 'Table: Latency' }).click();
  assert.equal(await page.locator('.chart__table').count(), 0);
  assert.deepEqual(problems, []);
  await close();
});

test('all values are copied as CSV, and that is said', async () => {
  const { page, problems, close } = await openCharts(FULL);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy all as CSV' }).click();
  await page.locator('.charts [role=status]', { hasText: 'Copied' }).waitFor();
  const lines = (await page.evaluate(() => navigator.clipboard.readText())).trim().split('\n');
  const head = lines[0].split(',');
  assert.equal(head[0], 'time_s');
  for (const column of ['ready', 'dead_letters', 'latency_p99_s', 'lag_s', 'arrivals_per_s', 'wait_A_s']) assert.ok(head.includes(column), column);
  assert.ok(lines.length > 100 && lines.length <= 514);
  assert.ok(lines.every((line) => line.split(',').length === head.length));
  const last = lines.at(-1).split(',');
  assert.equal(last[head.indexOf('dead_lettered')], (await page.locator('#chart-dead-letters .chart__now > span').last().textContent()).match(/\d+$/)[0]);
  assert.deepEqual(problems, []);
  await close();
});

test('a click in a chart moves the playhead; what is known of the future stays drawn, paler', async () => {
  const { ui, page, problems, close } = await openCharts(FULL);
  const drawing = page.locator('#chart-messages .chart__drawing');
  const future = drawing.locator('.chart__line--future').first();
  assert.equal(await future.getAttribute('d'), '');
  const playhead = () => drawing.locator('.timeline__playhead').getAttribute('x1').then(Number);
  const at = await playhead();
  const box = await drawing.boundingBox();
  await drawing.click({ position: { x: 58 + (at - 58) / 2, y: box.height / 2 } });
  await page.waitForFunction(() => Number(document.querySelector('main').dataset.time) < 20);
  assert.ok(Math.abs(await ui.time() - 15) < 0.5, `${await ui.time()}`);
  await page.waitForFunction(() => document.querySelector('#chart-messages .chart__line--future').getAttribute('d').length > 20);
  assert.ok(Math.abs(await playhead() - (58 + (at - 58) / 2)) < 2);
  assert.deepEqual(problems, []);
  await close();
});

test('an alert is drawn at its height, in words, and stops the run there', async () => {
  const { ui, page, problems, close } = await openCharts(FULL, { motion: true });
  await page.locator('input[type=file]').setInputFiles({ name: 'alerted.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(ALERTED)) });
  await page.locator('#chart-messages .chart__alert-words', { hasText: 'alert: ready at least 12' }).waitFor();
  await ui.isPaused();
  await page.waitForFunction(() => document.querySelector('#chart-messages .chart__now').textContent.replaceAll('\u00a0', ' ').includes('ready 12'));
  assert.deepEqual(problems, []);
  await close();
});

test('axe finds nothing in the charts, and they need no sideways scrolling at 320 pixels or at twice the font size', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const { page, close } = await openCharts(FULL, { colorScheme });
    await page.getByRole('button', { name: 'Table: Rates' }).click();
    assert.deepEqual(await violations(page), [], colorScheme);
    await close();
  }
  for (const [width, enlarged] of [[320, false], [1280, true]]) {
    const { page, close } = await openCharts(FULL, { viewport: { width, height: 800 } });
    if (enlarged) {
      await page.addStyleTag({ content: 'html{font-size:200%}' });
      await page.setViewportSize({ width: width - 1, height: 800 });
      await page.waitForTimeout(300);
    }
    const wide = await page.evaluate(() => [document.documentElement.scrollWidth - innerWidth,
      ...[...document.querySelectorAll('.chart')].map((chart) => chart.scrollWidth - chart.clientWidth)]);
    assert.ok(wide.every((pixels) => pixels <= 0), `${width}: ${wide}`);
    await close();
  }
});
