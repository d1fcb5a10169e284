// @ts-nocheck
// The order box and the board together: clicks and words become an order, the server previews it, the player sends it.

import { Board } from "./board.js";
import { Draft } from "./draft.js";

export class Desk {
  /** `sent(number)` gets the number of an order that was accepted. */
  constructor(form, figure, sent) {
    this.form = form;
    this.sent = sent;
    this.text = form.elements.text;
    this.choices = form.querySelector("#choices");
    this.undo = form.querySelector("#undo");
    this.clear = form.querySelector("#clear");
    this.verdict = document.querySelector("#verdict");
    const { text, complete, choices } = JSON.parse(form.querySelector("#draft").textContent);
    this.draft = new Draft(text, complete, choices);
    this.board = new Board(figure, (cell) => this.press(cell), () => this.back());
    form.addEventListener("submit", (event) => this.submit(event));
    this.undo.addEventListener("click", () => this.back());
    this.lay();
  }

  back() {
    return this.draft.begun ? this.preview(this.draft.back()) : undefined;
  }

  press(cell) {
    const { preview, choose, ask } = this.draft.click(cell);
    if (preview !== undefined) return this.take(preview);
    return ask === undefined ? this.lay(choose) : this.ask(ask);
  }

  /** A move finished on the board: shown, and for players who like it so, sent at once unless it could go on. */
  async take(text) {
    await this.preview(text);
    const { complete, choices, text: built } = this.draft.here;
    if ("atOnce" in this.form.dataset && complete && built === text && choices.length === 0) await this.send();
  }

  /** Shows what may be done now: the menu of a choice, else the buttons that need no board. */
  lay(menu) {
    for (const button of this.choices.querySelectorAll(".choice")) button.remove();
    const shown = menu ?? this.draft.buttons;
    this.undo.before(...shown.map(([text, , label]) => this.button(text, label)));
    this.undo.hidden = !this.draft.begun;
    this.clear.hidden = this.draft.trail.length < 3;
    const { text: begun, complete } = this.draft.here;
    const picked = this.draft.clicks.length === 0 && !complete && this.board.cells.has(begun) ? [begun] : this.draft.clicks;
    this.board.mark(picked, this.draft.open);
    if (menu) this.choices.querySelector(".choice").focus();
  }

  button(text, label) {
    const button = document.createElement("button");
    Object.assign(button, { className: "choice", type: "button", textContent: label || text });
    button.addEventListener("click", () => this.preview(text));
    return button;
  }

  /** Enter in the box presses the first button, Preview; pressed again on a previewed order it sends. */
  async submit(event) {
    event.preventDefault();
    const { name, value } = event.submitter ?? { name: "look" };
    const entered = name === "look" && document.activeElement === this.text;
    await this.previewed;
    const text = this.text.value.trim();
    const settled = this.draft.here.complete && text === this.draft.here.text;
    if (text && (name === "" || (entered && settled))) return this.send();
    return this.preview(name === "choice" ? value : text);
  }

  /** A click that fits nothing: the server says why, and the order built so far stays as it is. */
  async ask(text) {
    const kept = this.text.value;
    await this.preview(text, true);
    if (this.draft.here.text !== this.text.value) this.text.value = kept;
  }

  preview(text, keeping = false) {
    this.previewed = this.fetchPreview(text, keeping);
    return this.previewed;
  }

  /** Where an order is refused, no other stays on the board, unless it is being built on (`keeping`). */
  async fetchPreview(text, keeping) {
    this.text.value = text;
    const answer = await this.foresee(text);
    if (answer.message === undefined) return this.show(answer);
    const present = keeping || !this.draft.here.text ? null : await this.foresee("");
    if (present && present.message === undefined) this.show(present);
    this.text.value = text;
    return this.refuse(answer.message);
  }

  foresee(text) { return this.post(this.form.querySelector("[name=look]").formAction, { text }); }

  /** The order as the server has understood it: on the board, in words, and in numbers. */
  show(answer) {
    this.say("");
    this.draft.arrive(answer.text, answer.complete, answer.choices);
    this.text.value = answer.text;
    if (this.form.elements.shown) this.form.elements.shown.value = answer.text;
    document.querySelector("#preview").innerHTML = answer.told;
    document.querySelector("#facts").innerHTML = answer.facts;
    this.board.show(answer.board);
    this.lay();
  }

  async send() {
    const send = this.form.querySelector("#send");
    const held = document.activeElement === send;
    send.disabled = true;
    const answer = await this.post(this.form.action);
    send.disabled = false;
    if (held) send.focus();
    if (answer.message !== undefined) return this.refuse(answer.message);
    if (!answer.confirm) return this.sent(answer.order);
    this.show(answer);
    return send.focus();
  }

  async post(address, changes = {}) {
    const body = new FormData(this.form);
    for (const [name, value] of Object.entries(changes)) body.set(name, value);
    try {
      const answer = await fetch(address, { method: "POST", body, headers: { Accept: "application/json" } });
      return await answer.json();
    } catch {
      return { message: this.form.dataset.offline };
    }
  }

  refuse(message) {
    this.draft.clicks = [];
    this.lay();
    this.say(message, "refused");
  }

  say(message, kind = "") {
    const note = document.createElement("p");
    Object.assign(note, { className: `note ${kind}`, textContent: message });
    this.verdict.replaceChildren(...(message ? [note] : []));
  }
}
