// @ts-nocheck
// The figures of rules pages: the reader presses the board and sees what the rules make of it. The server judges each
// step from what was played so far; it keeps nothing.

import { Board } from "./board.js";
import { Draft } from "./draft.js";

class Figure {
  constructor(figure) {
    this.figure = figure;
    this.words = figure.querySelector("[role=status]");
    this.row = figure.querySelector(".row");
    this.first = { told: this.words.innerHTML, board: figure.querySelector("svg").outerHTML };
    this.trail = []; // What was played before each step, to go back to.
    this.moves = figure.dataset.moves;
    this.board = new Board(figure, (cell) => this.press(cell), () => this.back());
    figure.querySelector("figcaption").hidden = false;
    for (const [act, done] of Object.entries({ play: () => this.play(), back: () => this.back(), again: () => this.again() })) {
      this.button(act).addEventListener("click", done);
    }
    this.ready();
  }

  /** Where the example is a button, the buttons are there from the beginning. */
  async ready() {
    if ("buttons" in this.figure.dataset && (await this.begin())) this.lay();
  }

  button(act) { return this.row.querySelector(`[data-act=${act}]`); }

  async press(cell) {
    if (!this.draft && !(await this.begin())) return;
    const { preview, choose, ask } = this.draft.click(cell);
    const text = preview ?? ask;
    await (text === undefined ? this.lay(choose) : this.go({ text }));
  }

  /** What may be done is asked when the figure is first touched; says whether that is known then. */
  async begin() {
    const { message, text, complete, choices } = await this.ask({});
    if (message !== undefined) this.refuse(message);
    else this.draft = new Draft(text, complete, choices);
    return message === undefined;
  }

  play() { return this.go({ text: this.draft.here.text, play: "yes" }); }

  async back() {
    if (this.draft?.begun) return this.go({ text: this.draft.back() });
    if (!this.trail.length) return undefined;
    this.moves = this.trail.pop();
    if (this.moves === this.figure.dataset.moves) return this.again();
    this.draft = null;
    return this.go({});
  }

  again() {
    Object.assign(this, { trail: [], moves: this.figure.dataset.moves, draft: null });
    this.words.innerHTML = this.first.told;
    this.board.show(this.first.board);
    this.lay();
    return this.ready();
  }

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

  async ask(step) {
    const address = this.figure.dataset.try;
    const query = new URLSearchParams({ moves: this.moves, ...step });
    try {
      return await (await fetch(`${address}${address.includes("?") ? "&" : "?"}${query}`)).json();
    } catch {
      return { message: this.words.dataset.offline };
    }
  }

  refuse(message) {
    if (this.draft) this.draft.clicks = [];
    this.lay();
    this.words.textContent = message;
  }

  /** The menu of a choice, else the buttons that need no board. */
  lay(menu) {
    for (const button of this.row.querySelectorAll(".choice")) button.remove();
    for (const [text, , label] of menu ?? this.draft?.buttons ?? []) this.offer(text, label || text);
    const here = this.draft?.here;
    this.button("play").hidden = !(here?.text && here.complete);
    this.button("back").disabled = !this.draft?.begun && !this.trail.length;
    this.button("again").disabled = this.button("back").disabled;
    this.board.mark(this.draft?.clicks ?? [], this.draft?.open ?? new Set());
  }

  offer(text, label) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "choice", textContent: label });
    button.addEventListener("click", () => this.go({ text }));
    this.row.prepend(button);
  }
}

for (const figure of document.querySelectorAll("figure.try")) new Figure(figure);
