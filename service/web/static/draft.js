// An order being built click by click. A choice is [text, cells, label]: what the whole order is once it is chosen,
// the cells to click for it in order, and the text of its button or menu entry. The server knows the rules; this
// module knows which choice the clicks so far can become.

/** @typedef {[text: string, cells: string[], label: string]} Choice */
/** @typedef {{ text: string, complete: boolean, choices: Choice[] }} Step An order so far, and how it can continue. */
/** @typedef {Choice | string} Sent A choice as the server sends it. A string is a single cell that is the whole order. */
/** @typedef {{ text: string, complete: boolean, choices: Sent[] }} Answer A step as the server sends it. */
/** @typedef {{ preview?: string, choose?: Choice[], wait?: string[], ask?: string }} Next Exactly one of these is set. */

/** @type {(sent: Sent) => Choice} */
const whole = (sent) => (typeof sent === "string" ? [sent, [sent], sent] : sent);

/** @type {(cells: string[], clicks: string[]) => boolean} */
const begins = (cells, clicks) => clicks.length <= cells.length && clicks.every((cell, i) => cell === cells[i]);

export class Draft {
  /**
   * @param {string} text
   * @param {boolean} complete
   * @param {Sent[]} choices
   */
  constructor(text, complete, choices) {
    /** @type {Step[]} */
    this.trail = [{ text, complete, choices: choices.map(whole) }];
    /** @type {string[]} */
    this.clicks = [];
  }

  get here() { return this.trail[this.trail.length - 1]; }

  /** Whether there is a step to take back. */
  get begun() { return this.trail.length > 1 || this.clicks.length > 0; }

  /** The choices without cells, which become buttons. */
  get buttons() { return this.here.choices.filter(([, cells]) => cells.length === 0); }

  /** The cells worth clicking next. */
  get open() {
    const at = this.clicks.length;
    return new Set(this.fitting(this.clicks).filter(([, cells]) => cells.length > at).map(([, cells]) => cells[at]));
  }

  /** The cells worth pressing: the next ones or, if there are none, the first ones of another order. */
  get free() {
    const first = this.trail[0].choices.filter(([, cells]) => cells.length > 0).map(([, cells]) => cells[0]);
    return this.open.size ? this.open : new Set(first);
  }

  /** The choices that these clicks can become.
   * @param {string[]} clicks */
  fitting(clicks) {
    return this.here.choices.filter(([, cells]) => cells.length > 0 && begins(cells, clicks));
  }

  /** Handles a click (a second one on the same cell drops the piece) and returns what follows: `choose` one of several, `preview` a text, `wait` for more clicks, or `ask` the server why not.
   * @param {string} cell
   * @returns {Next} */
  click(cell) {
    if (this.clicks.at(-1) === cell && !this.fitting([...this.clicks, cell]).length) {
      this.clicks.pop();
      return { wait: this.clicks };
    }
    const attempts = [[...this.clicks, cell], [cell]];
    for (const clicks of attempts) {
      const found = this.fitting(clicks);
      if (found.length) return this.take(clicks, found);
    }
    return this.elsewhere(cell);
  }

  /** @type {(clicks: string[], found: Choice[]) => Next} */
  take(clicks, found) {
    this.clicks = clicks;
    const whole = found.filter(([, cells]) => cells.length === clicks.length);
    if (found.length === 1 && whole.length === 1) return { preview: whole[0][0] };
    return whole.length ? { choose: whole } : { wait: clicks };
  }

  /** A click that doesn't continue the order: it may begin another one; otherwise the server explains.
   * @param {string} cell
   * @returns {Next} */
  elsewhere(cell) {
    const { text, complete, choices } = this.here;
    const waited = this.open.size > 0 ? this.clicks : [];
    this.clicks = [];
    const root = this.trail[0];
    if (this.trail.length > 1 && root.choices.some(([, cells]) => cells[0] === cell)) {
      this.trail = [root];
      return this.click(cell);
    }
    return { ask: complete && choices.length === 0 ? cell : [text, ...waited, cell].join(" ").trim() };
  }

  /** Takes the server's answer to a preview.
   * @type {(text: string, complete: boolean, choices: Sent[]) => void} */
  arrive(text, complete, choices) {
    this.clicks = [];
    if (text === this.trail[0].text) this.trail.length = 1;
    else if (text !== this.here.text) this.trail.push({ text, complete, choices: choices.map(whole) });
  }

  /** The text one step back. */
  back() {
    if (this.clicks.length) { this.clicks = []; return this.here.text; }
    if (this.trail.length > 1) this.trail.pop();
    return this.here.text;
  }
}
