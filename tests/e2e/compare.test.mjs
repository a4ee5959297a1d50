// Two runs beside each other, and one setting over a range.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, violations } from './browser.mjs';
import { openPage } from './playground.mjs';
import { serve } from './site.mjs';

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

const plain = (text) => text.replaceAll('\u00a0', ' ');

/** Charged-twice at 4.6 s beside the same run with a timeout of 6 s. */
async function compared(options) {
  const opened = await openPage(browser, site, '?scenario=charged-twice&t=4.6&view=full', options);
  const { page } = opened;
  await page.getByRole('tab', { name: 'Compare' }).click();
  await page.getByLabel('to', { exact: true }).selectOption('6\u00a0s');
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  const stage = (name) => page.locator(`section[aria-label="${name}"]`);
  const [own, other] = [stage('Stage'), stage('The other stage')];
  await other.waitFor({ state: 'attached' });
  const said = async (of, station) => plain(await of.getByRole('article', { name: station, exact: true }).locator('p').first().innerText());
  /** The cells of a measure, as they read. */
  const row = async (measure) => {
    const cells = page.getByRole('row', { name: new RegExp(`^${measure}`) }).getByRole('cell');
    return (await cells.allInnerTexts()).map((text) => plain(text).trim());
  };
  return { ...opened, own, other, said, row };
}

test('the same arrivals with a longer timeout: both stages at one time, and a table of what differs', async () => {
  const { page, ui, own, other, said, row, problems, close } = await compared();
  assert.equal(await ui.time(), 4.6);
  assert.match(await said(own, 'worker-1'), /Ben/);
  assert.doesNotMatch(await said(other, 'worker-1'), /Ben/);
  assert.match(await said(other, 'worker-2'), /Ben/);
  assert.deepEqual(await row('Duplicate deliveries'), ['1', '0 better', '1 fewer']);
  assert.deepEqual(await row('Duplicate effects'), ['0', '0', 'same']);

  // Ben's second charge is at 5.5 s.
  await ui.seek(6);
  assert.deepEqual(await row('Duplicate effects'), ['1', '0 better', '1 fewer']);
  assert.match(plain(await page.locator('.compare caption').innerText()), /^At 6\.0 s: duplicate effects 1 → 0/);
  assert.match(plain(await page.locator('.compare__verdict').innerText()), /^The other: 1 duplicate effect fewer, 1 duplicate delivery fewer/);
  assert.match(await ui.caption(), /^This run /);
  await page.getByRole('button', { name: 'Break both runs' }).waitFor();
  await ui.seek(3.5);
  assert.deepEqual(await row('Duplicate deliveries'), ['0', '0', 'same']);
  assert.equal(await said(own, 'worker-2'), (await said(other, 'worker-2')).replace('7.0 s', '4.0 s'));
  await ui.press('Restart');
  assert.match(await said(other, 'shop'), /0/);
  assert.deepEqual(problems, []);
  await close();
});

test('what one does happens in both runs, and undoing it too', async () => {
  const { ui, own, other, said, close } = await compared();
  await ui.crash('worker-2', other);
  assert.match(await said(own, 'worker-2'), /crashed/);
  assert.match(await said(other, 'worker-2'), /crashed/);
  await ui.press('Undo');
  assert.doesNotMatch(await said(own, 'worker-2'), /crashed/);
  assert.doesNotMatch(await said(other, 'worker-2'), /crashed/);
  await close();
});

test('the other run can be gone on with, and a comparison closed', async () => {
  const { ui, other, close } = await compared();
  await ui.press('Go on with the other');
  await other.waitFor({ state: 'detached' });
  assert.equal(await ui.time(), 4.6);
  assert.doesNotMatch(await ui.station('worker-1'), /Ben/);
  await ui.press('Compare');
  await other.waitFor({ state: 'attached' });
  await ui.press('Close');
  await other.waitFor({ state: 'detached' });
  await close();
});

test('leaving the tab keeps the comparison, says so, and closes it from there', async () => {
  const { page, ui, other, problems, close } = await compared();
  await page.getByRole('tab', { name: 'Events' }).click();
  await page.getByRole('region', { name: 'Events of this run' }).waitFor();
  await page.getByRole('tab', { name: 'Timeline' }).click();
  assert.equal(await other.count(), 1);
  await page.getByText('Comparing').waitFor();
  await ui.press('Close the comparison');
  await other.waitFor({ state: 'detached' });
  assert.equal(await page.getByText('Comparing').count(), 0);
  await page.getByRole('button', { name: 'Break something' }).waitFor();
  assert.doesNotMatch(await ui.caption(), /This run/);
  assert.deepEqual(problems, []);
  await close();
});

test('a sweep draws duplicates over the timeout, with a table and CSV, and a row opens its comparison', async () => {
  const permissions = ['clipboard-read', 'clipboard-write'];
  const { page, ui, problems, close } = await openPage(browser, site, '?scenario=charged-twice&view=full', { permissions });
  await page.getByRole('tab', { name: 'Sweep' }).click();
  assert.match(plain(await page.locator('.sweep').innerText()), /About [\d,]+ events, less than a second/);
  await page.getByLabel('from', { exact: true }).selectOption('2\u00a0s');
  await page.getByLabel('to', { exact: true }).selectOption('6\u00a0s');
  await page.getByLabel('values').selectOption('5');
  await page.getByLabel('seeds each').selectOption('4');
  await ui.press('Run the sweep');
  const rows = page.getByRole('region', { name: 'The sweep, as a table' }).getByRole('row');
  await page.waitForFunction(() => document.querySelectorAll('.sweep__table tbody tr').length === 5);
  const cells = async (row) => (await rows.nth(row).locator('th, td').allInnerTexts()).map((text) => plain(text).trim());
  const found = [];
  for (let row = 1; row <= 5; row += 1) found.push((await cells(row)).slice(0, 2));
  // The slow worker needs 4.5 s.
  assert.deepEqual(found, [['2 s', '1'], ['3 s', '1'], ['4 s', '1'], ['5 s', '0'], ['6 s', '0']]);
  assert.equal(await page.locator('.sweep .chart').count(), 3);
  assert.equal(await page.locator('.sweep .chart').first().locator('.sweep__dot').count(), 5);
  assert.equal(await page.locator('.sweep .chart').first().locator('.sweep__mark').count(), 1);
  assert.deepEqual(await violations(page), []);

  await ui.press('Copy as CSV');
  await page.getByText('Copied.').waitFor();
  const lines = (await page.evaluate(() => navigator.clipboard.readText())).trim().split('\n');
  assert.match(lines[0], /^Visibility timeout \(s\),runs,unfinished,duplicate_effects,/);
  assert.deepEqual(lines.slice(1).map((line) => line.split(',').slice(0, 4)),
    [['2', '4', '0', '1'], ['3', '4', '0', '1'], ['4', '4', '0', '1'], ['5', '4', '0', '0'], ['6', '4', '0', '0']]);

  await ui.press('Compare with 5 s');
  await page.getByRole('region', { name: 'The other stage' }).waitFor();
  assert.match(plain(await page.locator('.stages__head').nth(1).innerText()), /visibility timeout 5 s/);
  assert.deepEqual(problems, []);
  await close();
});

test('a long sweep tells what it takes, offers fewer seeds, and can be cancelled', async () => {
  const { page, ui, close } = await openPage(browser, site, '?scenario=four-switches&view=full');
  await page.getByRole('tab', { name: 'Sweep' }).click();
  await page.getByLabel('values').selectOption('80');
  await page.getByLabel('seeds each').selectOption('50');
  const lengths = page.getByLabel('length of a run');
  await lengths.selectOption({ index: (await lengths.locator('option').count()) - 1 });
  await ui.press('Run the sweep');
  await page.getByRole('progressbar', { name: 'Sweep' }).waitFor();
  await ui.press('Cancel');
  await page.getByRole('button', { name: 'Run the sweep' }).waitFor();
  const rows = await page.locator('.sweep__table tbody tr').count();
  await page.waitForTimeout(300);
  assert.equal(await page.locator('.sweep__table tbody tr').count(), rows);
  assert.ok(rows < 80);
  const fewer = page.getByRole('button', { name: /^Use \d+ seeds?$/ });
  if (await fewer.count()) {
    await fewer.click();
    await fewer.waitFor({ state: 'detached' });
  }
  await close();
});

test('two stages have nothing against them, and on a narrow screen stand one at a time', async () => {
  const wide = await compared();
  assert.deepEqual(await violations(wide.page), []);
  const [left, right] = [await wide.own.boundingBox(), await wide.other.boundingBox()];
  assert.ok(left.x + left.width <= right.x && Math.abs(left.width - right.width) < 2);
  await wide.close();

  const narrow = await compared({ viewport: { width: 390, height: 844 } });
  assert.equal(await narrow.other.isVisible(), false);
  await narrow.page.getByRole('switch', { name: 'Show the other run' }).check();
  await narrow.other.waitFor();
  assert.equal(await narrow.own.isVisible(), false);
  assert.deepEqual(await violations(narrow.page), []);
  await narrow.close();
});
