import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
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

test('the opening story is told number by number and stops by itself with an invitation', async () => {
  const { ui, problems, close } = await openPage(browser, site, '', { motion: true });
  assert.equal(await ui.isPlaying(), true);
  await ui.isPaused();
  assert.equal(await ui.time(), 6);
  assert.match(await ui.caption(), /should be €60, charged €80.*try 6 s/s);
  for (const [at, said] of [
    [1, /^1\.0 s\s+worker-2 starts to charge Ben/],
    [4, /^4\.0 s\s+No ack in 3 s\. The queue cannot see that worker-2 is still working, so it hands Ben out again/],
    [5, /^5\.0 s\s+worker-1 charges Ben/],
    [5.5, /^5\.5 s\s+worker-2 finishes and charges Ben too: should be €60, charged €80/],
  ]) {
    await ui.seek(at);
    assert.match(await ui.caption(), said);
  }
  await ui.seek(6);
  assert.match(await ui.station('Outside world'), /€80.*€60/s);
  assert.equal((await ui.number('Duplicate effects')).now, '1');
  assert.equal((await ui.number('Dead-lettered')).now, '0');
  assert.deepEqual(problems, []);
  await close();
});

test('the invitation replays the story with the longer timeout: three deliveries, €60', async () => {
  const { ui, page, problems, close } = await openPage(browser, site, '?t=6');
  await ui.press('Replay from 0 s with 6 s');
  assert.equal(await ui.time(), 0);
  await ui.seek(6);
  assert.match(await ui.station('Outside world'), /€60/);
  assert.doesNotMatch(await ui.station('Outside world'), /€80/);
  assert.deepEqual(await ui.number('Duplicate effects'), { now: '0', before: '1' });
  assert.equal(await page.locator('main').getAttribute('data-deliveries'), '3');
  assert.match(await ui.caption(), /What the change did: deliveries 4 → 3, duplicate effects 1 → 0, cards charged €80 → €60\. Each ack came before its timeout\./);
  assert.deepEqual(problems, []);
  await close();
});

test('play, pause, steps, seeks and a restart lead to equal numbers', async () => {
  const { ui, close } = await openPage(browser, site, '?scenario=four-switches');
  await ui.press('Step forward');
  await ui.press('Step forward');
  await ui.press('Play');
  await ui.reaches(1);
  await ui.press('Pause');
  await ui.seek(7.5);
  const there = await ui.everything();
  assert.ok(Number(there.ordinal) > 20);
  await ui.seek(3);
  assert.notDeepEqual(await ui.everything(), there);
  await ui.seek(7.5);
  assert.deepEqual(await ui.everything(), there);
  await ui.press('Step forward');
  const stepped = await ui.ordinal();
  assert.ok(stepped > Number(there.ordinal));
  await ui.press('Step back');
  await ui.seek(7.5);
  assert.deepEqual(await ui.everything(), there);
  await ui.press('Restart');
  assert.equal(await ui.time(), 0);
  await ui.seek(7.5);
  assert.deepEqual(await ui.everything(), there);
  await close();
});

test('someone who asks for less motion finds the page paused at its beginning', async () => {
  const { ui, page, close } = await openPage(browser, site);
  await page.waitForTimeout(400);
  assert.equal(await ui.isPlaying(), false);
  assert.equal(await ui.time(), 0);
  await close();
});

test('a file is opened, and a broken one leaves the run alone and lists all that is wrong with it', async () => {
  const { ui, page, problems, close } = await openPage(browser, site);
  const scenario = { version: 1, title: 'Mine', seed: 3, queues: [{ name: 'jobs' }], producers: [{ name: 'p', to: 'jobs', every: '1s' }], consumers: [{ name: 'c', from: 'jobs', processing: '1s' }] };
  const file = (name, value) => ({ name, mimeType: 'application/json', buffer: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)) });
  await page.locator('input[type=file]').setInputFiles(file('mine.json', scenario));
  await page.getByRole('article', { name: 'jobs' }).waitFor();
  await ui.preferences();
  assert.equal(await page.getByRole('textbox', { name: 'Seed' }).inputValue(), '3');
  await ui.seek(2);
  const there = await ui.everything();

  const broken = structuredClone(scenario);
  broken.consumers[0].prefetch = 0;
  broken.producers[0].to = 'job';
  broken.colour = 'red';
  await page.locator('input[type=file]').setInputFiles(file('broken.json', broken));
  const notice = page.getByRole('status').filter({ hasText: 'broken.json was not opened' });
  const list = await notice.getByRole('listitem').allInnerTexts();
  assert.equal(list.length, 3);
  for (const path of ['consumers[0].prefetch', 'producers[0].to', 'colour']) assert.ok(list.some((line) => line.startsWith(path)), path);
  assert.deepEqual(await ui.everything(), there);

  await page.locator('input[type=file]').setInputFiles(file('nonsense.json', '{"version":'));
  await page.getByRole('status').filter({ hasText: 'nonsense.json was not opened' }).waitFor();
  assert.deepEqual(await ui.everything(), there);
  await ui.press('Close');
  assert.equal(await page.locator('.notice').count(), 0);
  assert.deepEqual(problems, []);
  await close();
});

test('a file that is dropped on the page is opened', async () => {
  const { page, close } = await openPage(browser, site);
  const dropped = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(['{"version":1,"queues":[{"name":"dropped"}]}'], 'dropped.json'));
    return data;
  });
  await page.locator('main').dispatchEvent('drop', { dataTransfer: dropped });
  await page.getByRole('article', { name: 'dropped' }).waitFor();
  await close();
});

test('the view is remembered, and an address decides over it', async () => {
  const { ui, page, close } = await openPage(browser, site);
  assert.equal(await page.getByRole('region', { name: 'Events' }).count(), 0);
  await ui.press('More');
  await page.getByRole('region', { name: 'Events' }).waitFor();
  await page.goto(site.url);
  await page.getByRole('region', { name: 'Events' }).waitFor();
  await page.goto(`${site.url}?view=simple`);
  await page.getByRole('button', { name: 'More', exact: true }).waitFor();
  await ui.press('More');
  await ui.press('Less');
  await page.goto(`${site.url}?view=full`);
  await page.getByRole('region', { name: 'Events' }).waitFor();
  await close();
});

test('light or dark is remembered', async () => {
  const { ui, page, close } = await openPage(browser, site, '', { colorScheme: 'light' });
  await ui.preferences();
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.getByRole('combobox', { name: 'Colours' }).selectOption('Dark');
  assert.notEqual(await background(), light);
  const dark = await background();
  await page.reload();
  await page.locator('main').waitFor();
  assert.equal(await background(), dark);
  await close();
});

test('a copied link opens the same run at the same moment', async () => {
  const permissions = ['clipboard-read', 'clipboard-write'];
  const { ui, page, problems, close } = await openPage(browser, site, '?scenario=four-switches', { permissions });
  const copied = async () => {
    await ui.share('Copy link');
    await page.getByRole('button', { name: 'Link copied' }).waitFor();
    await page.keyboard.press('Escape');
    return page.evaluate(() => navigator.clipboard.readText());
  };
  await ui.seek(7.5);
  const there = await ui.everything();
  const short = await copied();
  assert.equal(short, `${site.url}?scenario=four-switches&t=7.5`);
  await page.goto('about:blank');
  await page.goto(short);
  await page.locator('main h1').waitFor();
  assert.deepEqual(await ui.everything(), there);

  await ui.preferences();
  await ui.press('New seed');
  const seed = await page.getByRole('textbox', { name: 'Seed' }).inputValue();
  assert.ok(Number(seed) < 2 ** 48);
  await ui.seek(3);
  assert.equal(await copied(), `${site.url}?scenario=four-switches&seed=${seed}&t=3`);

  await ui.crash('worker-1');
  await ui.seek(6);
  const changed = await ui.everything();
  const long = await copied();
  assert.match(long, /#s=1\./);
  assert.ok(long.length < 2000);
  await page.goto('about:blank');
  await page.goto(long);
  await page.locator('main h1').waitFor();
  assert.deepEqual((await ui.everything()).stations, changed.stations);
  await ui.preferences();
  assert.equal(await page.getByRole('textbox', { name: 'Seed' }).inputValue(), seed);
  assert.deepEqual(problems, []);
  await close();
});

test('an address that names nothing known says so and opens the first scenario', async () => {
  const { page, close } = await openPage(browser, site, '?scenario=no-such&seed=x#s=9.AAAA');
  const told = await page.getByRole('status').getByRole('listitem').allInnerTexts();
  assert.equal(told.length, 3);
  assert.equal(await page.getByRole('article', { name: 'orders', exact: true }).count(), 1);
  await close();
});

test('nothing moves while the page is hidden, and nothing catches up afterwards', async () => {
  const { ui, page, close } = await openPage(browser, site, '', { motion: true });
  await ui.reaches(0.5);
  const hide = (hidden) => page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);
  await hide(true);
  await page.waitForTimeout(200);
  const there = await ui.time();
  await page.waitForTimeout(800);
  assert.equal(await ui.time(), there);
  await hide(false);
  const first = await page.waitForFunction((at) => {
    const time = Number(document.querySelector('main').dataset.time);
    return time > at && time;
  }, there);
  assert.ok(await first.jsonValue() < there + 0.7);
  await close();
});

test('lists show what is in force, whatever was chosen in them before', async () => {
  const { ui, page, close } = await openPage(browser, site);
  const speed = page.getByRole('combobox', { name: 'Speed' });
  await speed.selectOption('5000');
  await page.locator('.caption').click();
  await page.keyboard.press('+');
  assert.equal(await speed.inputValue(), '10000');
  await ui.situation('What do FIFO, prefetch, visibility timeout and retry budget really do?');
  assert.equal(await speed.inputValue(), '1000');
  const file = { name: 'mine.json', mimeType: 'application/json', buffer: Buffer.from('{"version":1,"title":"Mine","queues":[{"name":"jobs"}]}') };
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByRole('article', { name: 'jobs' }).waitFor();
  await page.getByRole('button', { name: 'Situation: Mine' }).waitFor();
  assert.equal(await ui.isPlaying(), false);
  await close();
});

test('a replay and an undo leave the focus in the player', async () => {
  const { page, ui, close } = await openPage(browser, site, '?t=6');
  await page.getByRole('button', { name: 'Replay from 0 s with 6 s' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('main').dataset.time === '0');
  assert.match(await page.evaluate(() => document.activeElement.textContent), /Play/);
  await page.keyboard.press('ArrowRight');
  assert.ok(await ui.ordinal() > 0);
  await close();
});

test('what is done between two moves of a slider is not taken back by the second', async () => {
  const { ui, page, close } = await openPage(browser, site, '?view=full&scenario=four-switches&t=9');
  const slider = page.getByRole('slider', { name: 'Visibility timeout', exact: true });
  await slider.press('ArrowLeft');
  await ui.crash('worker-1');
  await slider.press('ArrowLeft');
  assert.match(await ui.station('worker-1'), /crashed/);
  await close();
});

test('a link that is pasted into the open page opens its run', async () => {
  const { ui, page, close } = await openPage(browser, site, '?scenario=four-switches&t=7');
  assert.equal(await ui.time(), 7);
  const loaded = page.waitForEvent('load');
  await page.evaluate(() => { location.hash = '#s=1.cut'; });
  await loaded;
  await page.getByText('Not all of this address was understood').waitFor();
  await close();
});

test('the document of a long run stays small in the full view', async () => {
  const consumers = [{ name: 'c', from: 'q', processing: '300ms', count: 4 }];
  const producers = [{ name: 'p', to: 'q', every: '100ms', poison_every: 4 }];
  const queues = [{ name: 'q', visibility_timeout: '2s', max_deliveries: 2, dead_letter_queue: 'd' }, { name: 'd' }];
  const text = JSON.stringify({ version: 1, queues, producers, consumers });
  const { ui, page, close } = await openPage(browser, site, '?view=full');
  await page.locator('input[type=file]').setInputFiles({ name: 'long.json', mimeType: 'application/json', buffer: Buffer.from(text) });
  await page.getByRole('article', { name: 'q', exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'Speed' }).selectOption({ label: '1000×' });
  await ui.press('Play');
  await ui.reaches(2_000);
  assert.ok((await page.evaluate(() => document.querySelectorAll('*').length)) < 4_000);
  await close();
});

test('a player opens the scenario that was put into it, without the picker', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'page-'));
  const out = path.join(folder, 'player.html');
  const [script, scenario] = ['scripts/player.mjs', 'static/scenarios/four-switches.json'].map((name) => path.resolve(import.meta.dirname, '../..', name));
  execFileSync(process.execPath, [script, '--scenario', scenario, '--out', out]);
  const { page, problems, close } = await openPage(browser, { url: pathToFileURL(out).href });
  const card = page.getByRole('article', { name: 'orders', exact: true });
  await card.waitFor();
  assert.match(await card.locator('p').first().innerText(), /FIFO/);
  assert.equal(await page.locator('.top__situation').count(), 0);
  assert.deepEqual(problems, []);
  await close();
  fs.rmSync(folder, { recursive: true });
});
