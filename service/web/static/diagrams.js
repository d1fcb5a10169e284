// The figures of rules pages: the reader presses the board and sees what happens under the rules. The server judges each
// step, given all moves so far; it stores nothing.

import { Board } from "./board.js";
import { Draft } from "./draft.js";

/** @import { Answer, Choice } from "./draft.js" */
/** @typedef {Answer & { moves: string, board: string, told: string, message?: undefined }} Shown */
/** @typedef {{ message: string }} Refused */
/** @typedef {{ text?: string, play?: "yes" }} Try What is tried next; without any, it asks for the legal moves. */

/** @type {(selector: string, within: Element) => HTMLElement} */
const part = (selector, within) => /** @type {HTMLElement} */ (within.querySelector(selector));

/** Shows what is useful only with this script.
 * @param {Element} figure */
function appear(figure) {
  part("figcaption", figure).hidden = false;
  part(".row", figure).hidden = false;
}

const PATIENCE = 20_000; // Some answers never come.

export class Figure {
  /** @param {HTMLElement} figure */
  constructor(figure) {
    this.figure = figure;
    this.words = part("[role=status]", figure);
    this.row = part(".row", figure);
    this.first = { told: this.words.innerHTML, board: part("svg", figure).outerHTML };
    /** @type {string[]} */
    this.trail = []; // The moves before each step, to go back to.
    this.played = figure.dataset.moves ?? "";
    this.moves = this.played;
    /** @type {Draft | null} */
    this.draft = null;
    this.board = new Board(figure, (cell) => this.next(() => this.press(cell), cell), () => this.next(() => this.back()));
    appear(figure);
    this.button("play").addEventListener("click", () => this.next(() => this.play(), "play"));
    this.button("back").addEventListener("click", () => this.next(() => this.back()));
    this.button("again").addEventListener("click", () => this.next(() => this.again()));
    this.asked = ""; // The move that was asked for last, until it's answered.
    /** @type {Promise<unknown>} */
    this.done = this.ready();
  }

  /** Does what the reader asks for once everything before has been answered, so that quick presses count in their order.
   * The second press of a double click doesn't ask for the same move again.
   * @type {(act: () => unknown, move?: string) => void} */
  next(act, move = "") {
    if (move && move === this.asked) return;
    this.asked = move;
    this.done = this.done.then(act, act).finally(() => { if (this.asked === move) this.asked = ""; });
  }

  /** If the example is a button, the buttons are shown from the beginning. */
  async ready() {
    if ("buttons" in this.figure.dataset && (await this.begin())) this.lay();
  }

  /** @param {string} act */
  button(act) { return /** @type {HTMLButtonElement} */ (this.row.querySelector(`[data-act=${act}]`)); }

  /** @param {string} cell */
  async press(cell) {
    const draft = this.draft ?? (await this.begin());
    if (!draft) return;
    const { preview, choose, ask } = draft.click(cell);
    const text = preview ?? ask;
    await (text === undefined ? this.lay(choose) : this.go({ text }));
  }

  /** The legal moves, requested when the figure is first used; null if the server can't be reached. */
  async begin() {
    const answer = await this.ask({});
    if (answer.message !== undefined) this.refuse(answer.message);
    else this.draft = new Draft(answer.text, answer.complete, answer.choices);
    return this.draft;
  }

  play() { return this.draft ? this.go({ text: this.draft.here.text, play: "yes" }) : undefined; }

  /** @returns {Promise<unknown>} */
  async back() {
    if (this.draft?.begun) return this.go({ text: this.draft.back() });
    const before = this.trail.pop();
    if (before === undefined) return undefined;
    this.moves = before;
    if (before === this.played) return this.again();
    this.draft = null;
    return this.go({});
  }

  again() {
    Object.assign(this, { trail: [], moves: this.played, draft: null });
    this.words.innerHTML = this.first.told;
    this.board.show(this.first.board);
    this.lay();
    return this.ready();
  }

  /** @param {Try} step */
  async go(step) {
    const answer = await this.ask(step);
    if (answer.message !== undefined) return this.refuse(answer.message);
    const { text, complete, choices } = answer;
    if (answer.moves !== this.moves) this.trail.push(this.moves);
    if (!this.draft || answer.moves !== this.moves) this.draft = new Draft(text, complete, choices);
    else this.draft.arrive(text, complete, choices);
    this.moves = answer.moves;
    this.words.innerHTML = answer.told;
    this.board.show(answer.board);
    return this.lay();
  }

  /** @type {(step: Try) => Promise<Shown | Refused>} */
  async ask(step) {
    const address = this.figure.dataset.try ?? "";
    const query = new URLSearchParams({ moves: this.moves, ...step });
    try {
      return await (await fetch(`${address}${address.includes("?") ? "&" : "?"}${query}`, { signal: AbortSignal.timeout?.(PATIENCE) })).json();
    } catch {
      return { message: this.words.dataset.offline ?? "" };
    }
  }

  /** @param {string} message */
  refuse(message) {
    if (this.draft) this.draft.clicks = [];
    this.lay();
    this.words.textContent = message;
  }

  /** Shows the menu of a choice, or else the buttons for moves that aren't on the board.
   * @param {Choice[]} [menu] */
  lay(menu) {
    const held = /** @type {HTMLButtonElement | null} */ (this.row.querySelector(":focus"));
    for (const button of this.row.querySelectorAll(".choice")) button.remove();
    for (const [text, , label] of menu ?? this.draft?.buttons ?? []) this.offer(text, label || text);
    const here = this.draft?.here;
    this.button("play").hidden = !(here?.text && here.complete);
    this.button("back").disabled = !this.draft?.begun && !this.trail.length;
    this.button("again").disabled = this.button("back").disabled;
    if (held && (!held.isConnected || held.hidden || held.disabled)) this.board.stop(this.board.current, true);
    this.board.mark(this.draft?.clicks ?? [], (this.draft?.begun && this.draft.open) || new Set());
    this.board.offer("", () => this.draft?.free ?? new Set());
  }

  /** @type {(text: string, label: string) => void} */
  offer(text, label) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "choice", textContent: label });
    button.addEventListener("click", () => this.next(() => this.go({ text }), text));
    this.row.prepend(button);
  }
}

/** The figures that aren't interactive yet. Each becomes so when it comes near the screen, and all do at the first key
 * press, because the keyboard can go anywhere.
 * @type {Set<Element>} */
const resting = new Set(document.querySelectorAll("figure.try:not(.lesson)"));

/** @param {Element} figure */
function begin(figure) {
  if (resting.delete(figure)) new Figure(/** @type {HTMLElement} */ (figure));
}

const near = new IntersectionObserver((seen) => {
  for (const { isIntersecting, target } of seen) if (isIntersecting) begin(target);
}, { rootMargin: "50%" });

for (const figure of resting) {
  appear(figure);
  near.observe(figure);
}
document.addEventListener("keydown", () => resting.forEach(begin), { once: true });
