// The order box and the board: clicks and words become an order, the server previews it, the player sends it.

import { Board } from "./board.js";
import { Draft } from "./draft.js";

/** @import { Answer, Choice } from "./draft.js" */
/** @typedef {{ text: HTMLInputElement, shown?: HTMLInputElement, remark?: HTMLTextAreaElement }} Fields */
/** @typedef {HTMLFormElement & { elements: Fields }} OrderForm */
/** @typedef {Answer & { board: string, told: string, facts: string, confirm: boolean, message?: undefined }} Seen A preview. */
/** @typedef {{ order: string | number, message?: undefined }} Taken The number of an order that was accepted. */
/** @typedef {{ message: string }} Refused */

const PATIENCE = 20_000; // Some answers never come.

/** An element that every such page has.
 * @type {(selector: string, within?: ParentNode) => HTMLElement} */
export const part = (selector, within = document) => /** @type {HTMLElement} */ (within.querySelector(selector));

export class Desk {
  /** `sent(number)` gets the number of an order that was accepted.
   * @param {OrderForm} form
   * @param {HTMLElement} figure
   * @param {(number: string | number) => unknown} sent */
  constructor(form, figure, sent) {
    this.form = form;
    this.sent = sent;
    this.text = form.elements.text;
    this.choices = part("#choices", form);
    this.undo = part("#undo", form);
    this.clear = part("#clear", form);
    this.verdict = part("#verdict");
    /** Whether the last part of the order came from the board, not from the box. */
    this.byBoard = false;
    /** @type {Promise<unknown>} */
    this.previewed = Promise.resolve();
    /** How many previews were asked for. */
    this.asked = 0;
    /** @type {Answer & { stone: string }} */
    const { text, complete, choices, stone } = JSON.parse(part("#draft", form).textContent ?? "");
    this.stone = stone;
    this.draft = new Draft(text, complete, choices);
    this.board = new Board(figure, (cell) => this.press(cell), () => this.back());
    form.addEventListener("submit", (event) => this.submit(event));
    this.undo.addEventListener("click", () => this.back());
    this.heed();
    this.lay();
  }

  back() {
    return this.draft.begun ? this.preview(this.draft.back()) : undefined;
  }

  /** @param {string} cell */
  press(cell) {
    this.byBoard = true;
    const { preview, choose, ask } = this.draft.click(cell);
    if (preview !== undefined) return this.take(preview);
    return ask === undefined ? this.lay(choose) : this.ask(ask);
  }

  /** A move finished on the board: previews it and, for players who chose that, sends it unless it can be continued.
   * @param {string} text */
  async take(text) {
    await this.preview(text);
    const { complete, choices, text: built } = this.draft.here;
    if ("atOnce" in this.form.dataset && complete && built === text && choices.length === 0) await this.send();
  }

  /** Shows the possible next steps: the menu of a choice, or else the buttons for orders that aren't on the board.
   * @param {Choice[]} [menu] */
  lay(menu) {
    const held = /** @type {HTMLElement | null} */ (this.choices.querySelector(":focus-visible"));
    for (const button of this.choices.querySelectorAll(".choice")) button.remove();
    const shown = menu ?? this.draft.buttons;
    this.undo.before(...shown.map(([text, , label]) => this.button(text, label)));
    this.undo.hidden = !this.draft.begun;
    this.clear.hidden = this.draft.trail.length < 3;
    const { text: begun, complete } = this.draft.here;
    const picked = this.draft.clicks.length === 0 && !complete && this.board.cells.has(begun) ? [begun] : this.draft.clicks;
    this.board.mark(picked, this.draft.begun ? this.draft.open : new Set());
    this.board.offer(this.stone, () => this.draft.free);
    if (menu) part(".choice", this.choices).focus();
    else if (held && (held.hidden || !held.isConnected)) this.home();
  }

  /** Moves the focus when its button has gone: to Undo or else to where the order came from. */
  home() {
    if (!this.undo.hidden) this.undo.focus();
    else if (this.byBoard) this.board.stop(this.board.current, true);
    else this.text.focus();
  }

  /** @type {(text: string, label: string) => HTMLButtonElement} */
  button(text, label) {
    const button = document.createElement("button");
    Object.assign(button, { className: "choice", type: "button", textContent: label || text });
    button.addEventListener("click", () => this.preview(text));
    return button;
  }

  /** Enter in the box presses the first button, Preview; pressed again on a previewed order it sends.
   * @param {SubmitEvent} event */
  async submit(event) {
    event.preventDefault();
    const { name, value } = /** @type {HTMLButtonElement | null} */ (event.submitter) ?? { name: "look", value: "" };
    if (name === "look") this.byBoard = false;
    const entered = name === "look" && document.activeElement === this.text;
    await this.previewed;
    const text = this.text.value.trim();
    const settled = this.draft.here.complete && text === this.draft.here.text;
    if (text && (name === "" || (entered && settled))) return this.send();
    return this.preview(name === "choice" ? value : text);
  }

  /** A click that doesn't fit: the server says why, and the order built so far stays.
   * @param {string} text */
  async ask(text) {
    const kept = this.text.value;
    await this.preview(text, true);
    if (this.draft.here.text !== this.text.value) this.text.value = kept;
  }

  /** @param {string} text */
  preview(text, keeping = false) {
    this.previewed = this.fetchPreview(text, keeping);
    return this.previewed;
  }

  /** If an order is refused, the board is reset, unless an order is still being built (`keeping`). Answers may overtake
   * each other; only the one to the latest order counts.
   * @param {string} text
   * @param {boolean} keeping */
  async fetchPreview(text, keeping) {
    this.text.value = text;
    this.asked += 1;
    const number = this.asked;
    const answer = await this.foresee(text);
    if (!this.form.isConnected) return; // The page has another board by now.
    if (number !== this.asked) return this.previewed;
    if (answer.message === undefined) return this.show(answer);
    const present = keeping || !this.draft.here.text ? null : await this.foresee("");
    if (number !== this.asked) return this.previewed;
    if (present && present.message === undefined) this.show(present);
    this.text.value = text;
    return this.refuse(answer.message);
  }

  /** @type {(text: string) => Promise<Seen | Refused>} */
  foresee(text) {
    const { formAction } = /** @type {HTMLButtonElement} */ (this.form.querySelector("[name=look]"));
    return this.post(formAction, { text });
  }

  /** Shows the order as the server understood it: on the board, in words, and in numbers.
   * @param {Seen} answer */
  show(answer) {
    this.say("");
    this.draft.arrive(answer.text, answer.complete, answer.choices);
    this.text.value = answer.text;
    if (this.form.elements.shown) this.form.elements.shown.value = answer.text;
    part("#preview").innerHTML = answer.told;
    part("#facts").innerHTML = answer.facts;
    this.board.show(answer.board);
    this.lay();
  }

  async send() {
    const send = /** @type {HTMLButtonElement} */ (this.form.querySelector("#send"));
    const held = document.activeElement === send;
    send.disabled = true;
    /** @type {Seen | Taken | Refused} */
    const answer = await this.post(this.form.action);
    send.disabled = false;
    if (held) send.focus();
    if (answer.message !== undefined) return this.refuse(answer.message);
    if ("order" in answer) return this.sent(answer.order);
    this.show(answer);
    return send.focus();
  }

  /** @type {(address: string, changes?: Record<string, string>) => Promise<any>} */
  async post(address, changes = {}) {
    const body = new FormData(this.form);
    for (const [name, value] of Object.entries(changes)) body.set(name, value);
    try {
      const answer = await fetch(address, { method: "POST", body, headers: { Accept: "application/json" }, signal: AbortSignal.timeout?.(PATIENCE) });
      return await answer.json();
    } catch {
      return { message: this.form.dataset.offline };
    }
  }

  /** @param {string} message */
  refuse(message) {
    this.draft.clicks = [];
    this.lay();
    this.say(message);
  }

  /** @param {string} message Why the order is refused; "" if it isn't. */
  say(message) {
    const note = document.createElement("p");
    Object.assign(note, { className: "note refused", id: "text-error", textContent: message });
    this.verdict.replaceChildren(...(message ? [note] : []));
    this.heed();
  }

  /** While a refusal is shown, it describes the box, which is invalid. */
  heed() {
    const described = ["text-error", "order-help"].filter((id) => document.getElementById(id));
    this.text.ariaInvalid = String(described[0] === "text-error");
    this.text.setAttribute("aria-describedby", described.join(" "));
  }
}
