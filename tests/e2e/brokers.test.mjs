// Behaving like a broker, being a consumer or a producer, and finding a situation with its fix.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, press, tabTo, violations } from './browser.mjs';
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

const broker = (page) => page.getByLabel('Behaves like', { exact: true });
const hand = (page, name) => page.getByRole('group', { name: `You are ${name}` });

/** Makes a person the consumer, by the menu of its card. */
async function be(page, name, entry = 'Be this consumer') {
  await page.getByRole('button', { name: `More for ${name}`, exact: true }).click();
  await page.getByRole('menuitem', { name: entry }).click();
}

test('a scenario behaves like every broker, which names, bounds and locks the settings and says why', async () => {
  const { page, problems, close } = await openPage(browser, site, '?view=full');
  const brokers = await page.locator('#behaves-like option').allInnerTexts();
  assert.equal(brokers.length, 14);
  for (const name of brokers.slice(1)) {
    await broker(page).selectOption({ label: name });
    const notice = page.locator('.notice');
    await notice.getByText(`Behaves like ${name} now`).waitFor();
    // Each closed list of what there is no choice in can be opened; every entry of it gives a reason.
    await page.locator('.settings__more').evaluateAll((lists) => lists.forEach((list) => list.setAttribute('open', '')));
    const locked = page.locator('.control--locked');
    assert.ok(await locked.count() > 5, name);
    for (const why of await locked.locator('p').allTextContents()) assert.match(why, /^Fixed by .+\.$|has no such setting\./, name);
  }
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(problems, []);
  await close();
});

test('the simple view offers what a situation is about, and shows what its broker delivers no more', async () => {
  const { page, problems, close } = await openPage(browser, site, '?scenario=maxdeliver-leaves-message&view=simple&t=13');
  const settings = page.getByRole('region', { name: 'Settings and numbers' });
  await settings.getByRole('slider', { name: 'max_ack_pending', exact: true }).waitFor();
  assert.equal(await settings.locator('.control--locked').count(), 0);
  const queue = await page.locator('.card > p').filter({ hasText: 'delivered no more' }).count();
  assert.equal(queue, 1);
  assert.deepEqual(problems, []);
  await close();
});

test('a broker calls settings by its own names, and undo brings the scenario back as it was', async () => {
  const { page, ui, close } = await openPage(browser, site, '?view=full&t=4.6');
  await broker(page).selectOption({ label: 'NATS JetStream' });
  await page.getByRole('slider', { name: 'ack_wait', exact: true }).waitFor();
  assert.equal(await page.getByRole('slider', { name: 'Visibility timeout', exact: true }).count(), 0);
  await ui.press('Undo');
  await page.getByRole('slider', { name: 'Visibility timeout', exact: true }).waitFor();
  assert.equal(await broker(page).inputValue(), await page.locator('#behaves-like option').first().innerText());
  await close();
});

test('undo from within the list goes back broker by broker, and the list says which one it is', async () => {
  const { page, close } = await openPage(browser, site, '?view=full&t=4.6');
  const chosen = () => broker(page).evaluate((list) => list.selectedOptions[0].innerText);
  const named = (name) => page.waitForFunction((wanted) => document.querySelector('#behaves-like').selectedOptions[0].innerText === wanted, name);
  const names = ['RabbitMQ classic queue', 'Redis Streams', 'Amazon SQS standard queue'];
  const all = await page.locator('#behaves-like option').allInnerTexts();
  const labels = names.map((name) => all.find((label) => label.startsWith(name.split(' ').slice(0, 2).join(' '))));
  for (const label of labels) await broker(page).selectOption({ label });
  await broker(page).focus();
  for (const label of [labels[1], labels[0], all[0]]) {
    await page.keyboard.press('Control+z');
    await named(label);
  }
  await page.keyboard.press('Control+Shift+z');
  await named(labels[0]);
  assert.equal(await chosen(), labels[0]);
  assert.equal(await page.getByRole('button', { name: 'Pause', exact: true }).count(), 0, 'a run that stands goes on standing');
  await close();
});

test('the default view offers what the broker leaves open, and a locked setting of the full view shows a lock and its reason', async () => {
  const { page, ui, close } = await openPage(browser, site, '?view=simple');
  await broker(page).selectOption({ label: 'Amazon SQS FIFO' });
  await page.getByRole('slider', { name: 'VisibilityTimeout', exact: true }).waitFor();
  assert.equal(await page.getByRole('group', { name: /locked/ }).count(), 0);
  await ui.press('More');
  await page.locator('.settings__more').evaluateAll((lists) => lists.forEach((list) => list.setAttribute('open', '')));
  const order = page.getByRole('group', { name: /locked/ }).first();
  assert.match(await order.getAttribute('title'), /^Fixed by Amazon SQS: .*cannot be converted/);
  assert.equal(await order.locator('svg').count(), 1);
  await close();
});

test('who is the consumer receives and settles by mouse, and undo takes a call back', async () => {
  const { page, ui, close } = await openPage(browser, site, '?view=simple&scenario=charged-twice&t=0.2');
  await be(page, 'worker-1');
  assert.equal(await page.getByRole('button', { name: /^Replay from/ }).count(), 0, 'who does the work is nothing to replay');
  await be(page, 'worker-2');
  const one = hand(page, 'worker-1');
  await one.getByRole('button', { name: 'Receive: worker-1', exact: true }).click();
  await ui.seek(0.4);
  await one.getByText(/Asked, and waiting|came back empty at/).waitFor();
  await ui.press('Undo');
  await ui.seek(1.2);
  await one.getByRole('button', { name: 'Receive: worker-1', exact: true }).click();
  await one.getByText(/hidden for/).waitFor();
  await one.getByRole('button', { name: 'Let it expire: Ada' }).click();
  await page.locator('.notice').getByText(/Nothing is called\. Ada is visible to others from/).waitFor();
  await one.getByRole('button', { name: 'Ack: Ada', exact: true }).click();
  await one.getByText('You hold nothing').waitFor();
  assert.match(await ui.station('orders'), /1 ready/);
  await ui.press('Undo');
  await one.getByRole('button', { name: 'Ack: Ada', exact: true }).waitFor();
  await close();
});

test('who is the consumer acts by keyboard alone, and crashes by hand with what is held', async () => {
  const { page, ui, close } = await openPage(browser, site, '?view=simple&scenario=charged-twice&t=0.2');
  await be(page, 'worker-2');
  await page.locator('[data-station^="Consumer"] .card__more').first().focus();
  await page.keyboard.press('h');
  await page.waitForFunction(() => document.activeElement.getAttribute('aria-label') === 'Receive: worker-1');
  await ui.seek(1.2);
  await press(page, 'Enter');
  const one = hand(page, 'worker-1');
  await one.getByRole('button', { name: 'Extend: Ada', exact: true }).waitFor();
  await tabTo(page, 'button[aria-label="Return: Ada"]');
  await press(page, 'Enter');
  await one.getByText('You hold nothing').waitFor();
  await one.getByRole('button', { name: /^Receive: / }).press('Enter');
  await one.getByRole('button', { name: 'Crash: worker-1', exact: true }).press('Enter');
  await one.getByText(/^Crashed\./).waitFor();
  assert.match(await ui.station('worker-1'), /crashed/);
  assert.deepEqual(await violations(page), []);
  await close();
});

test('the calls of who is the consumer go by the names of the broker, and those that it lacks are not there', async () => {
  const { page, ui, close } = await openPage(browser, site, '?view=simple&scenario=charged-twice');
  await broker(page).selectOption({ label: 'Amazon SQS standard' });
  await be(page, 'worker-1');
  await be(page, 'worker-2');
  await ui.seek(1.2);
  const one = hand(page, 'worker-1');
  await one.getByRole('button', { name: 'ReceiveMessage: worker-1', exact: true }).click();
  const calls = await one.locator('.hand__calls button').allInnerTexts();
  assert.deepEqual(calls, ['DeleteMessage', 'ChangeMessageVisibility 0', 'ChangeMessageVisibility', 'Let it expire']);
  await close();
});

test('a consumer taken over while it works goes on with what it took, and its panel says so', async () => {
  const { page, close } = await openPage(browser, site, '?view=simple&scenario=charged-twice&t=1.2');
  await be(page, 'worker-1');
  await hand(page, 'worker-1').getByText(/Ada: taken before, still at work until .+ It ends by itself/).waitFor();
  await close();
});

test('who is the producer sends what the form says, and learns what cannot be understood', async () => {
  const { page, ui, close } = await openPage(browser, site, '?view=simple&scenario=charged-twice&t=6');
  await be(page, 'shop', 'Be this producer');
  const form = page.getByRole('form', { name: 'You are shop' });
  await form.getByLabel('How many').fill('two');
  await form.getByRole('button', { name: 'Send', exact: true }).click();
  await form.getByRole('alert').getByText(/How many: .two. is not a whole number/).waitFor();
  assert.equal(await form.getByLabel('Priority').count(), 0, 'the queue knows no priorities');
  await form.getByText('shop goes on sending by itself').waitFor();
  await form.getByLabel('How many').fill('2');
  await form.getByLabel('Delay').fill('5');
  await form.getByLabel('Poison').check();
  await form.getByRole('button', { name: 'Send', exact: true }).press('Enter');
  assert.match(await ui.caption(), /2 poison messages are sent to orders by hand/);
  assert.match(await ui.station('orders'), /2 delayed/);
  assert.equal(await form.getByRole('alert').count(), 0);
  await close();
});

test('situations are found by words and run with the fix beside them', async () => {
  const { page, problems, close } = await openPage(browser, site);
  await page.locator('.top__situation').click();
  const list = page.getByRole('dialog', { name: 'Situations' });
  const all = await list.locator('.situation').count();
  const narrowed = list.getByLabel('Broker');
  assert.equal(await narrowed.evaluate((select) => select.selectedOptions[0].innerText), 'All brokers');
  await narrowed.selectOption('SQS');
  for (const told of await list.locator('.situation__saw b').allInnerTexts()) assert.match(told, /SQS/);
  await narrowed.selectOption('');
  await list.getByLabel('Search situations').fill('no such words at all');
  await list.getByText('Nothing fits').waitFor();
  await list.getByLabel('Search situations').fill('tickets handler');
  assert.ok(await list.locator('.situation').count() < all);
  assert.deepEqual(await violations(page), []);
  await list.getByRole('button', { name: /^Run the fix beside it: Why did one message open two tickets/ }).click();
  await page.getByText('The other:').first().waitFor();
  await page.getByRole('region', { name: 'The other stage' }).waitFor();
  await page.getByRole('button', { name: 'Go on with the other' }).click();
  await page.getByRole('region', { name: 'The other stage' }).waitFor({ state: 'detached' });
  assert.deepEqual(problems, []);
  await close();
});

test('the page on how faithful this is begins with its contents and unfolds the broker that is chosen', async () => {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  await page.goto(`${site.url}model.html`);
  const contents = page.getByRole('navigation', { name: 'Contents' });
  assert.ok((await contents.boundingBox()).y < 1688, 'within two screens of a phone');
  const rule = page.getByRole('heading', { name: 'Rules of RabbitMQ' });
  assert.equal(await rule.isVisible(), false);
  await contents.getByRole('link', { name: 'RabbitMQ' }).click();
  await rule.waitFor();
  const { wide, narrow } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, narrow: innerWidth }));
  assert.ok(wide <= narrow, `${wide} > ${narrow}`);
  await page.close();
});
