// The page as its tests see it: what it shows, read from the document, and what a person can do to it.

import { open } from './browser.mjs';

/** Opens the page, paused under reduced motion unless `motion` is asked for. */
export async function openPage(browser, site, query = '', { motion = false, ...options } = {}) {
  const opened = await open(browser, site.url + query, { reducedMotion: motion ? 'no-preference' : 'reduce', ...options });
  return { ...opened, ui: new Playground(opened.page) };
}

/** Text with ordinary spaces: numbers and their units are joined by spaces that do not break. */
const plain = (text) => text.replaceAll('\u00a0', ' ');

export class Playground {
  constructor(page) {
    this.page = page;
    this.main = page.locator('main#playground');
  }

  /** Seconds of the playhead. */
  async time() {
    return Number(await this.main.getAttribute('data-time'));
  }

  async ordinal() {
    return Number(await this.main.getAttribute('data-ordinal'));
  }

  async isPlaying() {
    return (await this.main.getAttribute('data-playing')) === 'true';
  }

  /** Waits until the playhead is at or behind `seconds`. */
  async reaches(seconds) {
    await this.page.waitForFunction((at) => Number(document.querySelector('main').dataset.time) >= at, seconds);
  }

  async isPaused() {
    await this.page.waitForFunction(() => document.querySelector('main').dataset.playing === 'false');
  }

  /** Moves the slider over the run. */
  async seek(seconds) {
    await this.page.getByRole('slider', { name: 'Position in the run' }).evaluate((slider, at) => {
      slider.value = String(Math.round(at * 1000));
      slider.dispatchEvent(new InputEvent('input', { bubbles: true }));
    }, seconds);
    await this.page.waitForFunction((at) => Math.abs(Number(document.querySelector('main').dataset.time) - at) < 0.0005, seconds);
  }

  async caption() {
    return plain(await this.page.locator('.caption__text').innerText());
  }

  /** A number of the headline or of a number card: what it is now, and before if that is shown. */
  async number(label) {
    const box = this.page.locator('dl > div', { has: this.page.locator('dt', { hasText: new RegExp(`^${label}$`) }) });
    const text = await box.locator('dd').innerText();
    const [now, before] = text.split(/\s*before\s*/);
    return { now: now.trim(), before: before?.trim() };
  }

  /** All that a station says to assistive technology. */
  async station(name) {
    return plain(await this.page.getByRole('article', { name, exact: true }).locator('p').first().innerText());
  }

  press(name) {
    return this.page.getByRole('button', { name, exact: true }).click();
  }

  /** Crashes a consumer by the menu of its card, which stands where there is no room for buttons as well. */
  async crash(name, stage = this.page) {
    await stage.getByRole('button', { name: `More for ${name}`, exact: true }).click();
    await this.page.getByRole('menuitem', { name: 'Crash', exact: true }).click();
  }

  /** Opens a shipped scenario from the list of situations. */
  async situation(question) {
    await this.page.locator('.top__situation').click();
    await this.page.getByRole('button', { name: question, exact: true }).click();
  }

  /** Opens the settings of the page itself, which stand in the full view. */
  async preferences() {
    const more = this.page.getByRole('button', { name: 'More', exact: true });
    if (await more.count()) await more.click();
    await this.page.getByText('Seed and colours').click();
  }

  /** Chooses an entry of the Share menu. */
  async share(entry) {
    await this.press('Share');
    await this.press(entry);
  }

  /** Sets a slider to the stop that reads `text`. */
  async set(label, text) {
    const slider = this.page.getByRole('slider', { name: label, exact: true });
    const found = await slider.evaluate(async (range, wanted) => {
      for (let position = 0; position <= Number(range.max); position += 1) {
        range.value = String(position);
        range.dispatchEvent(new InputEvent('input', { bubbles: true }));
        await new Promise((done) => setTimeout(done));
        if (range.getAttribute('aria-valuetext').replaceAll('\u00a0', ' ') !== wanted) continue;
        range.dispatchEvent(new Event('change', { bubbles: true }));
        return true;
      }
      return false;
    }, text);
    if (!found) throw new Error(`${label} has no stop that reads ${text}`);
  }

  /** Chooses one of a few. */
  async choose(label, option) {
    // The input lies over its word.
    await this.page.getByRole('group', { name: label }).getByRole('radio', { name: option, exact: true }).check({ force: true });
  }

  /** The newest lines of the log, newest first. */
  async log() {
    return (await this.page.locator('.log .log__line').allInnerTexts()).map((line) => plain(line).replaceAll('\n', ' ').replace(' Why?', ''));
  }

  /** All that the page says of the run, for comparing two ways to one place. */
  everything() {
    return this.page.evaluate(() => ({
      ordinal: document.querySelector('main').dataset.ordinal,
      stations: [...document.querySelectorAll('.card > p')].map((text) => text.textContent),
      numbers: [...document.querySelectorAll('dl > div')].map((box) => box.textContent),
      tokens: [...document.querySelectorAll('.token')].map((token) => token.getAttribute('aria-label')),
    }));
  }
}
