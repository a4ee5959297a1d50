// Ways through time: the timeline as a scrubber, jumps, break points, forks, undo and redo.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, press, violations } from './browser.mjs';
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

const charged = (at, options) => openPage(browser, site, `?scenario=charged-twice&t=${at}&view=full`, options);

const strip = (page) => page.getByRole('slider', { name: 'Timeline' });

/** Seconds at both ends of what the timeline shows. */
async function shown(page) {
  const { from, until } = await strip(page).evaluate((svg) => ({ ...svg.dataset }));
  return { from: Number(from), until: Number(until) };
}

/** Waits until the timeline has found its place on the page. */
async function isStill(page) {
  const box = async () => JSON.stringify(await strip(page).boundingBox());
  for (let before = '', now = await box(); before !== now; now = await box()) {
    before = now;
    await page.waitForTimeout(150);
  }
}

/** The place of a time on the timeline, in a row by its number; the last one is of the dead-letter queue. */
async function place(page, at, row = -1) {
  await isStill(page);
  const { from, until } = await shown(page);
  const rails = await page.locator('.timeline__rail').evaluateAll((lines) => lines.map((line) => {
    const { left, right, top } = line.getBoundingClientRect();
    return { left, right, y: top };
  }));
  const rail = rails.at(row);
  return { x: rail.left + (rail.right - rail.left) * (at - from) / (until - from), y: rail.y };
}

const near = (actual, expected, within = 0.06) =>
  assert.ok(Math.abs(actual - expected) <= within, `${actual} is not about ${expected}`);

test('the timeline is scrubbed by mouse and by keyboard, and shows all of a short story', async () => {
  const { page, ui, problems, close } = await charged(0);
  const { from, until } = await shown(page);
  assert.ok(from === 0 && until >= 6 && until < 7);
  let at = await place(page, 2);
  await page.mouse.click(at.x, at.y);
  near(await ui.time(), 2);
  await page.mouse.down();
  at = await place(page, 4.6);
  await page.mouse.move(at.x, at.y, { steps: 5 });
  await page.mouse.up();
  near(await ui.time(), 4.6);
  assert.match(await ui.station('worker-1'), /Ben/);

  await strip(page).focus();
  await press(page, 'Home');
  assert.equal(await ui.time(), 0);
  await press(page, 'ArrowRight', 'ArrowRight');
  assert.equal(await ui.time(), 0.5);
  const events = await ui.ordinal();
  await press(page, 'ArrowLeft');
  assert.ok(await ui.ordinal() < events);
  assert.deepEqual(problems, []);
  await close();
});

test('zooming keeps the time under the pointer, panning moves it, and Fit shows all', async () => {
  const { page, ui, close } = await charged(4.6);
  const at = await place(page, 4);
  await page.mouse.move(at.x, at.y);
  await page.keyboard.down('Control');
  for (let turn = 0; turn < 4; turn += 1) await page.mouse.wheel(0, -100);
  await page.keyboard.up('Control');
  await page.waitForFunction(() => Number(document.querySelector('.timeline__strip').dataset.from) > 1);
  const zoomed = await shown(page);
  assert.ok(zoomed.until - zoomed.from < 2);
  near((await place(page, 4)).x, at.x, 6); // the pointer stands on whole pixels

  await strip(page).focus();
  await press(page, 'Shift+ArrowRight');
  const moved = await shown(page);
  assert.ok(moved.from > zoomed.from);
  near(moved.until - moved.from, zoomed.until - zoomed.from, 0.02);
  await press(page, '-');
  assert.ok((await shown(page)).until - (await shown(page)).from > moved.until - moved.from);
  assert.equal(await ui.time(), 4.6, 'the playhead stays where it is');
  await ui.press('Fit');
  assert.deepEqual(await shown(page), { from: 0, until: 20 });
  assert.ok(await page.getByRole('button', { name: 'Zoom out' }).isDisabled());
  await close();
});

test('a wheel over the timeline scrolls the page and not the timeline', async () => {
  const { page, close } = await charged(4.6, { viewport: { width: 900, height: 500 } });
  await strip(page).scrollIntoViewIfNeeded();
  const before = [await page.evaluate(() => scrollY), await shown(page)];
  const box = await strip(page).boundingBox();
  await page.mouse.move(box.x + 300, box.y + 60);
  await page.mouse.wheel(0, -200);
  await page.waitForFunction((y) => scrollY < y, before[0]);
  assert.deepEqual(await shown(page), before[1]);
  await close();
});

test('a bar is clicked to look at its message', async () => {
  const { page, ui, close } = await charged(6);
  const at = await place(page, 4.5, 0);
  await page.mouse.click(at.x, at.y);
  await page.locator('.timeline__bar--selected').first().waitFor();
  assert.equal(await page.locator('.timeline__bar--selected').count(), 2, 'both deliveries of Ben');
  assert.equal(await ui.time(), 6);
  await close();
});

test('jumps lead to the duplicate in what nobody has played yet, back, and say when there is none', async () => {
  const { page, ui, problems, close } = await charged(0);
  // The menu closes when a jump has arrived.
  const jump = async (name) => {
    await ui.press('Jump and stop');
    await ui.press(name);
  };
  const arrives = async (seconds) => {
    await page.locator('#travel').waitFor({ state: 'hidden' });
    assert.equal(await ui.time(), seconds);
  };
  await jump('Next duplicate');
  await arrives(4);
  await jump('Next duplicate');
  await arrives(5.5);
  await jump('Previous duplicate');
  await arrives(4);
  await jump('Next crash');
  await page.getByText('No crash follows, as far as was looked ahead.').first().waitFor();
  assert.equal(await ui.time(), 4);
  assert.equal(await page.getByRole('button', { name: 'Why?', exact: true }).count(), 0, 'a notice has no cause');
  assert.deepEqual(await violations(page), []);
  await press(page, 'Escape');
  await page.locator('main').focus();
  await press(page, '1');
  assert.equal(await ui.time(), 5.5, 'a key does the same');
  await press(page, 'Shift+1');
  assert.equal(await ui.time(), 4);
  assert.deepEqual(problems, []);
  await close();
});

test('a break point stops a playing run where the trace says, and says why', async () => {
  const { page, ui, close } = await charged(0);
  await ui.press('Jump and stop');
  await page.getByLabel('a message is delivered twice').check();
  await page.getByLabel('Stop at, in seconds').fill('2.5');
  await page.getByLabel('Stop at, in seconds').press('Enter');
  await press(page, 'Escape');
  await page.getByRole('combobox', { name: 'Speed' }).selectOption('10000');
  await ui.press('Play');
  await ui.isPaused();
  assert.equal(await ui.time(), 2.5);
  assert.match(await ui.caption(), /Stopped at 2\.5 s, as asked\./);
  await ui.press('Play');
  await ui.reaches(4);
  await ui.isPaused();
  assert.equal(await ui.time(), 4);
  assert.match(await ui.caption(), /Ben handed to worker-1 for the second time.*Stopped, as asked: a message is delivered twice\./);
  await ui.press('Play');
  await ui.reaches(6);
  assert.equal(await ui.time(), 6, 'it goes on to the end of the story');
  await close();
});

test('acting in the past leaves the old future as a ghost; undo and redo restore', async () => {
  const { page, ui, problems, close } = await charged(6);
  await ui.seek(3);
  const ghosts = page.locator('.timeline__ghost');
  assert.equal(await ghosts.count(), 0);
  await ui.crash('worker-2');
  assert.equal(await ghosts.count(), 2, 'what worker-2 held, and the second delivery of Ben');
  assert.equal(await page.locator('.timeline__own').count(), 1);
  await ui.seek(6);
  const crashed = await ui.everything();
  await ui.press('Undo');
  assert.equal(await ghosts.count(), 0);
  assert.equal((await ui.number('Duplicate effects')).now, '1');
  const original = await ui.everything();
  await ui.press('Redo');
  assert.deepEqual(await ui.everything(), crashed);
  assert.equal(await ghosts.count(), 2);
  await ui.press('Dismiss the old future');
  assert.equal(await ghosts.count(), 0);
  await page.locator('main').focus();
  await press(page, 'Control+z');
  assert.deepEqual(await ui.everything(), original);
  assert.deepEqual(problems, []);
  await close();
});

test('the quiet is skipped while what happens plays at its pace', async () => {
  const { page, ui, close } = await openPage(browser, site, '?scenario=charged-twice&t=6&view=simple');
  await ui.press('Jump and stop');
  await page.getByLabel('Skip the quiet').check();
  await press(page, 'Escape');
  await ui.seek(6.5);
  await ui.press('Play');
  await ui.reaches(20);
  assert.equal(await page.getByRole('combobox', { name: 'Speed' }).inputValue(), '1000');
  await close();
});

test('a lit bar is framed alone, without the line of its timeout', async () => {
  const { page, close } = await charged(3);
  // Ben's first bar: its timeout is past what is known of its work.
  const bar = page.locator('.timeline__bar').first();
  const [x, y] = await bar.locator('.timeline__box').evaluate((box) => {
    const place = box.getBoundingClientRect();
    return [place.x + place.width / 2, place.y + place.height / 2];
  });
  await page.mouse.move(x, y);
  const outlines = () => bar.evaluate((group) => [group, group.querySelector('.timeline__box')].map((it) => getComputedStyle(it).outlineStyle));
  await page.waitForFunction(() => getComputedStyle(document.querySelector('.timeline__bar .timeline__box')).outlineStyle === 'solid');
  assert.deepEqual(await outlines(), ['none', 'solid']);
  await close();
});

test('what acting at the end added to the run goes with its undo', async () => {
  const { page, ui, close } = await openPage(browser, site, '?scenario=charged-twice&view=full');
  const slider = page.getByRole('slider', { name: 'Position in the run' });
  const end = Number(await slider.getAttribute('max'));
  await ui.seek(end / 1000);
  await ui.crash('worker-1');
  assert.ok(Number(await slider.getAttribute('max')) > end);
  await ui.seek(end / 1000 + 1.2);
  await ui.press('Undo');
  assert.equal(Number(await slider.getAttribute('max')), end);
  assert.equal(await ui.time(), end / 1000);
  await close();
});

test('the focus stays where a person can go on when what was pressed goes away', async () => {
  const { page, ui, close } = await charged(6);
  // The focus moves when the page has been drawn anew.
  const focusIs = (name) => page.waitForFunction((text) => document.activeElement.textContent.trim() === text, name, { timeout: 2_000 });
  await ui.seek(3);
  await ui.crash('worker-2');
  await ui.press('Dismiss the old future');
  await focusIs('Undo');
  await press(page, 'Enter');
  await focusIs('Redo');
  await press(page, 'Enter');
  await focusIs('Undo');
  assert.equal(await page.getByRole('button', { name: 'Pause', exact: true }).count(), 0, 'nothing was started');
  await close();
});

test('break points are seen on the button, a wrong time is refused, and another scenario begins without them', async () => {
  const { page, ui, close } = await charged(0);
  await ui.press('Jump and stop');
  await page.getByLabel('a message is delivered twice').check();
  const field = page.getByLabel('Stop at, in seconds');
  await field.fill('2.5');
  await field.press('Enter');
  for (const wrong of ['1e99', '-3']) {
    await field.fill(wrong);
    await field.press('Enter');
    await page.getByText(/There is no such time to stop at/).first().waitFor({ state: 'attached' });
    assert.equal(await field.inputValue(), '2.500', wrong);
  }
  await press(page, 'Escape');
  await ui.press('Jump and stop · 2 stops');
  await press(page, 'Escape');
  await ui.situation('What do FIFO, prefetch, visibility timeout and retry budget really do?');
  await ui.press('Jump and stop');
  assert.equal(await page.getByLabel('a message is delivered twice').isChecked(), false);
  assert.equal(await field.inputValue(), '');
  await close();
});
