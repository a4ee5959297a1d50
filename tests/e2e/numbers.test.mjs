// Every number on the page against the same run without a browser: `queue-sim run --until`.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { launch } from './browser.mjs';
import { openPage } from './playground.mjs';
import { serve } from './site.mjs';

const ROOT = path.resolve(import.meta.dirname, '../..');
const QUEUE_SIM = path.join(process.env.CARGO_TARGET_DIR ?? path.join(ROOT, 'target'), 'debug/queue-sim');
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];

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

const fileOf = (scenario) => path.join(ROOT, 'static/scenarios', `${scenario}.json`);
const simulate = (scenario, at, ...options) => execFileSync(QUEUE_SIM, ['run', fileOf(scenario), '--until', `${at}s`, ...options], { maxBuffer: 1 << 26 }).toString();

/** Ten times of a run, the same at every test (mulberry32), at which the slider over the run can stand: `step` milliseconds apart. */
function times(seed, seconds, step = 1) {
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return Array.from({ length: 10 }, () => (step * Math.round(random() * seconds * 1000 / step)) / 1000);
}

// Numbers as the page writes them: spans and instants are cut, never rounded up.
const micros = (seconds) => Math.round(seconds * 1e6);
const cut = (seconds, digits) => {
  const step = 10 ** (6 - digits);
  return (Math.floor(micros(seconds) / step) / 10 ** digits).toFixed(digits);
};
const plain = (seconds) => String(micros(seconds) / 1e6);
const instant = (seconds) => cut(seconds, Math.floor(micros(seconds) / 10_000) % 10 === 0 ? 1 : 2);
const elapsed = (seconds) => (seconds < 10 ? cut(seconds, 1) : cut(seconds, 0));
/** A span that was set can be written in either way. */
const spans = (seconds) => [plain(seconds), elapsed(seconds), cut(seconds, 1), plain(seconds * 1000)];

/** The numbers of a text, without those that belong to `names`. */
function numbersOf(text, names) {
  let rest = text.replaceAll('\u00a0', ' ');
  for (const name of names) rest = rest.replaceAll(new RegExp(`(?<![\\w-])${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-])`, 'g'), ' ');
  return [...rest.matchAll(/\d+(?:,\d{3})*(?:\.\d+)?/g)].map(([number]) => number.replaceAll(',', ''));
}

/** Every number of a text is one of these. */
function assertNumbers(text, allowed, names, where) {
  const known = new Set(allowed.flat(Infinity).filter((value) => value !== null && value !== undefined).map(String));
  const wrong = numbersOf(text, names).filter((number) => !known.has(number));
  assert.deepEqual(wrong, [], `${where}: "${text}" has numbers that the run has not; it has ${[...known].join(' ')}`);
}

/** What stands on the page. */
const shown = (page) => page.evaluate(() => ({
  stations: [...document.querySelectorAll('.card')].map((card) => [card.getAttribute('aria-label'), card.querySelector('p').textContent, card.innerText]),
  tokens: [...document.querySelectorAll('.token')].map((token) => token.getAttribute('aria-label')),
  numbers: Object.fromEntries([...document.querySelectorAll('main dl > div')].map((box) => [box.querySelector('dt').textContent, box.querySelector('dd').textContent.replaceAll('\u00a0', ' ')])),
  log: [...document.querySelectorAll('li.log__line')].map((line) => [line.querySelector('time').textContent.replaceAll('\u00a0', ' '), [...line.querySelectorAll(':scope > :not(time, button, .why)')].map((part) => part.textContent).join(' ')]),
  ordinal: Number(document.querySelector('main').dataset.ordinal),
}));

/** Compares everything on the page with the run up to `at`. */
async function compare(page, scenario, at) {
  const file = JSON.parse(fs.readFileSync(fileOf(scenario), 'utf8'));
  const run = JSON.parse(simulate(scenario, at));
  const trace = simulate(scenario, at, '--trace').trim().split('\n').filter(Boolean).map((line) => JSON.parse(line));
  const deadLetterQueues = new Set(file.queues.map((queue) => queue.dead_letter_queue).filter(Boolean));
  const working = run.queues.filter((queue) => !deadLetterQueues.has(queue.name));
  const names = [...run.queues, ...run.consumers, ...run.producers].map(({ name }) => name)
    .concat(run.messages.map(({ body }) => body).filter(Boolean));
  // Durations and limits that the file sets are not the run's; they are written beside its numbers.
  const set = [...JSON.stringify(file).matchAll(/"(\d+(?:\.\d+)?)(ms|s|min)"|:(\d+)/g)]
    .flatMap(([, number, unit, whole]) => (whole ? [whole] : spans(Number(number) * { ms: 0.001, s: 1, min: 60 }[unit])));
  const budgets = file.queues.flatMap(({ max_deliveries: most }) => (most ? [most, most - 1] : []));
  const work = (job) => [job.message, instant(job.hidden_until), spans(job.ends_at - job.started_at), cut(at - job.started_at, 1), elapsed(at - job.started_at), elapsed(Math.max(0, at - job.hidden_until))];
  const where = (what) => `${scenario} at ${at} s, ${what}`;
  const { stations, tokens, numbers, log, ordinal } = await shown(page);

  assert.equal(ordinal, run.events, where('events'));

  const oldest = Math.max(...working.map((queue) => queue.oldest_age ?? -1));
  assert.equal(numbers.Ready, String(working.reduce((sum, { ready }) => sum + ready, 0)), where('Ready'));
  assert.equal(numbers['Duplicate effects'], String(run.totals.duplicate_effects), where('Duplicate effects'));
  assert.equal(numbers['Dead-lettered'], String(run.totals.dead_lettered), where('Dead-lettered'));
  if ('Oldest waiting' in numbers) assert.equal(numbers['Oldest waiting'], oldest < 0 ? 'none' : `${elapsed(oldest)} s`, where('Oldest waiting'));

  assert.equal(stations.length, run.queues.length + run.consumers.length + run.producers.length + 1, where('stations'));
  for (const [name, said, seen] of stations) {
    const text = said.replaceAll('\u00a0', ' ');
    const check = (allowed) => {
      assertNumbers(text, [allowed, set, budgets], names, where(name));
      assertNumbers(seen, [allowed, set, budgets], names, where(`${name}, as it is seen`));
    };
    const queue = run.queues.find((queue) => queue.name === name);
    const consumer = run.consumers.find((consumer) => consumer.name === name);
    const producer = run.producers.find((producer) => producer.name === name);
    if (queue && deadLetterQueues.has(name)) {
      const count = queue.ready + queue.in_flight + queue.delayed;
      assert.match(text, count ? new RegExp(`^${count} messages?\\b`) : /^empty/, where(name));
      check([count, queue.dead_letters.map((letter) => [letter.message, letter.deliveries, instant(letter.moved_at)])]);
    } else if (queue) {
      assert.match(text, new RegExp(`\\b${queue.ready} ready`), where(name));
      assert.match(text, new RegExp(`\\b${queue.in_flight} in flight · ${queue.delayed} delayed`), where(name));
      if (queue.oldest_age !== null && /oldest/.test(text)) assert.match(text, new RegExp(`oldest waiting ${elapsed(queue.oldest_age)} s`), where(name));
      for (const group of queue.groups.filter((group) => group.oldest_age !== null)) {
        assert.match(text, new RegExp(`group ${group.group}: waited ${elapsed(group.oldest_age)} s`), where(name));
      }
      const waits = [queue, ...queue.groups].filter((lane) => lane.oldest_age !== null).map((lane) => elapsed(lane.oldest_age));
      // A lane that is too narrow for all its tokens says how many more there are.
      const more = queue.groups.concat([queue]).flatMap(({ ready }) => Array.from({ length: ready }, (_, n) => n));
      check([queue.ready, queue.in_flight, queue.delayed, waits, more, queue.groups.map((group) => group.locked_by), run.messages.flatMap(({ message }) => heldUntil(trace, message))]);
    } else if (consumer) {
      for (const job of consumer.work) {
        if (job.delivery > 1) assert.ok(text.includes(`${ORDINALS[job.delivery - 1]} delivery`), where(`${name}: ${text}`));
        if (at < job.hidden_until) assert.ok(text.includes(`hidden until ${instant(job.hidden_until)} s`), where(`${name}: ${text}`));
      }
      const others = run.consumers.map(({ buffered }) => buffered);
      check([consumer.work.map(work), consumer.buffered, others, consumer.idle_for === null ? [] : elapsed(consumer.idle_for), heldBy(run, name)]);
    } else if (producer) {
      assert.match(text, new RegExp(`sent ${producer.sent}\\b`), where(name));
      check([producer.sent, producer.planned, producer.resent]);
    } else {
      const { totals } = run;
      if (totals.amount_due > 0) {
        assert.match(text, new RegExp(`so far \\D?${totals.amount}, should (be|end at) \\D?${totals.amount_due}\\b`), where(name));
      } else {
        assert.match(text, new RegExp(`\\b${totals.effects - totals.duplicate_effects}\\. messages done\\. ${totals.duplicate_effects}\\..*\\b${totals.lost}\\. lost`, 's'), where(name));
      }
      check([totals.amount, totals.amount_due, totals.effects, totals.effects - totals.duplicate_effects, totals.duplicate_effects, totals.lost, totals.out_of_order,
        totals.expired, totals.dropped, totals.refused, totals.sends_lost, totals.purged, totals.discarded,
        // Of a long list the last line says how many effects are earlier.
        Array.from({ length: 12 }, (_, listed) => totals.effects - listed),
        run.newest_effects.map((effect) => [effect.message, effect.amount, instant(effect.at)])]);
    }
  }

  const everywhere = [
    run.consumers.flatMap((consumer) => consumer.work.map(work)),
    run.messages.map(({ message }) => message),
    run.messages.flatMap(({ message }) => heldUntil(trace, message)),
    run.queues.flatMap((queue) => queue.dead_letters.map((letter) => instant(letter.moved_at))),
    run.newest_effects.map((effect) => [effect.amount, instant(effect.at)]),
    set, budgets,
  ];
  for (const label of tokens) assertNumbers(label, everywhere, names, where('a token'));

  // The log has a line an event, newest first; polls that come back empty one after the other have one.
  const told = trace.toReversed().filter((event, index, all) => event.kind !== 'empty_receive' || all[index - 1]?.kind !== 'empty_receive');
  assert.equal(log.length, Math.min(told.length, 60), where('lines of the log'));
  for (const [index, [time, text]] of log.entries()) {
    const event = told[index];
    assert.equal(time, `${instant(event.at)} s`, where(`line ${index} of the log: ${text}`));
    const numbers = Object.entries(event).filter(([field, value]) => typeof value === 'number' && !['ordinal', 'cause'].includes(field)).map(([, value]) => [value, spans(value), instant(value)]);
    const cause = event.cause === null ? [] : Object.values(trace[event.cause]).filter((value) => typeof value === 'number').map((value) => spans(value));
    const waited = trace.filter(({ message }) => message === event.message).map((other) => [spans(event.at - other.at), instant(other.at)]);
    assertNumbers(text, [numbers, cause, waited, set, budgets], names, where(`line ${index} of the log`));
  }
  return run;
}

/** Messages that a consumer has received and not settled. */
const heldBy = (run, consumer) => run.messages.filter(({ deliveries }) => deliveries.some(({ to, ended_at: ended }) => to === consumer && ended === null)).map(({ message }) => message);
/** Until when deliveries and nacks of a message hide it. */
const heldUntil = (trace, message) => trace.filter((event) => event.message === message)
  .flatMap((event) => [event.hidden_until, event.visible_at]).filter((at) => at !== undefined).map(instant);

/** What the charts say of now. */
async function compareCharts(page, run) {
  await page.getByRole('tab', { name: 'Charts' }).click();
  const said = async (id) => Object.fromEntries((await page.locator(`#chart-${id} .chart__now > span`).allTextContents())
    .map((text) => text.replaceAll('\u00a0', ' ').match(/^(.*?) (\d.*|none)$/).slice(1)));
  const sum = (field, queues) => String(queues.reduce((sum, queue) => sum + queue[field], 0));
  const dead = run.queues.filter(({ name }) => name.endsWith('-dlq'));
  const working = run.queues.filter((queue) => !dead.includes(queue));
  const { latency } = run.totals;
  // A latency does not grow with the clock: it is rounded to tenths first.
  const span = (seconds) => (seconds === null ? 'none' : `${elapsed(seconds < 0.1 ? seconds : Math.round(seconds * 10) / 10)} s`);
  assert.deepEqual(await said('messages'), { ready: sum('ready', working), 'in flight': sum('in_flight', working), delayed: sum('delayed', working) });
  assert.equal((await said('dead-letters'))['moved in all'], String(run.totals.dead_lettered));
  assert.deepEqual(await said('harm'), { duplicates: String(run.totals.duplicate_effects), 'out of order': String(run.totals.out_of_order), lost: String(run.totals.lost) });
  assert.deepEqual(await said('latency'), { p50: span(latency.p50), p95: span(latency.p95), p99: span(latency.p99) });
  await page.getByRole('tab', { name: 'Timeline' }).click();
}

for (const [scenario, seed, seconds] of [['charged-twice', 1, 20], ['four-switches', 2, 60], ['redrive-loop', 3, 120]]) {
  test(`${scenario}: at ten random times every number on the page is that of the run without a browser`, async () => {
    const { ui, page, problems, close } = await openPage(browser, site, `?scenario=${scenario}&view=full`, { viewport: { width: 1440, height: 900 } });
    const step = Number(await page.getByRole('slider', { name: 'Position in the run' }).getAttribute('step'));
    for (const at of times(seed, seconds, step)) {
      await ui.seek(at);
      await page.waitForTimeout(150);
      const run = await compare(page, scenario, at);
      await compareCharts(page, run);
    }
    assert.deepEqual(problems, []);
    await close();
  });
}

test('the simple view shows the same numbers, opened at a time by its address', async () => {
  for (const at of times(4, 60).slice(0, 3)) {
    const { page, problems, close } = await openPage(browser, site, `?scenario=four-switches&t=${at}&view=simple`);
    await page.waitForFunction((at) => Math.abs(Number(document.querySelector('main').dataset.time) - at) < 0.0005, at);
    const run = JSON.parse(simulate('four-switches', at));
    const { numbers } = await shown(page);
    const working = run.queues.filter(({ name }) => !name.endsWith('-dlq'));
    assert.deepEqual(numbers, {
      Ready: String(working.reduce((sum, { ready }) => sum + ready, 0)),
      'Duplicate effects': String(run.totals.duplicate_effects),
      'Dead-lettered': String(run.totals.dead_lettered),
    });
    assert.deepEqual(problems, []);
    await close();
  }
});
