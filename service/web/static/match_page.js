// The match page keeps itself current: it asks cheaply what is new, and takes in the changed page without a reload.

import { tellLocally } from "./base.js";
import { Board } from "./board.js";
import { Desk } from "./order_box.js";
import { showPlace } from "./history.js";
import { offerZoom } from "./zoom.js";

/** @import { OrderForm } from "./order_box.js" */
/** @typedef {{ id?: string, cell?: string }} Focus What has the keyboard. */
/** @typedef {{ focus: Focus, opened: Map<string, boolean>, text?: string, remark?: string, refusal?: Element | null, phase: string }} Kept What the visitor was doing, and had written, and why it was refused in this phase of the match. */

const SOON = 100;
const SEEN = 4_000;
const HIDDEN = 30_000;
const PATIENCE = 10_000;
const TELL = 20_000; // How often the server hears that the page is on a screen.

let asked = 0;
let timer = 0;
let looking = false;
let told = 0;
/** @type {Desk | null} */
let desk; // Where the visitor may order something.
/** @type {Board} */
let board;

/** A part that every match page has.
 * @type {(selector: string, within?: ParentNode) => HTMLElement} */
const part = (selector, within = document) => /** @type {HTMLElement} */ (within.querySelector(selector));
const page = () => part("#match");
const thinking = () => document.querySelector("#second-look [data-thinking]");
const orderForm = () => /** @type {OrderForm | null} */ (document.querySelector("#order"));

function begin() {
  const form = orderForm();
  const figure = part("#board");
  desk = form ? new Desk(form, figure, sent) : null;
  board = desk?.board ?? new Board(figure);
  showPlace();
  offerZoom(figure, part("#zoom"));
  if (document.querySelector("#share")) share();
  document.querySelector("#sharing")?.addEventListener("toggle", share, { once: true });
  part("[data-sight]").addEventListener("submit", turn);
  asked = 0;
  wait();
}

/** What copies addresses is loaded once there are some to be seen. */
async function share() {
  (await import("./share.js")).offerCopies(page());
}

/** @param {string | number} number */
function sent(number) {
  page().dataset.order = String(number);
  page().dataset.verdict = "waiting";
  asked = 0;
  wait();
}

/** Whether the verdict on our order is still wanted: a held one may yet be refused.
 * @param {string | undefined} verdict */
function isOpen(verdict) {
  return verdict === "waiting" || verdict === "held";
}

/** Very soon while an order is being judged, soon while computers think, and later the longer that takes; every few seconds otherwise, and seldom once the match is over. */
function wait() {
  clearTimeout(timer);
  const { live, verdict } = page().dataset;
  if (live === undefined && verdict !== "waiting" && !thinking()) return;
  const slow = document.hidden || (live === "slowly" && !thinking());
  const soon = verdict === "waiting" ? SOON : live === "soon" ? 5 * SOON : SEEN;
  const pause = verdict !== "waiting" && slow ? HIDDEN : Math.min(soon * 1.5 ** asked, SEEN);
  timer = window.setTimeout(look, pause);
}

/** One look at a time: the page that a second look brings late would undo a move being built on the first one. */
async function look() {
  if (looking) return;
  looking = true;
  await lookOnce();
  looking = false;
  wait();
}

async function lookOnce() {
  asked += 1;
  const { news, order, verdict, at } = page().dataset;
  const query = new URLSearchParams(isOpen(verdict) ? { order: /** @type {string} */ (order) } : {});
  if (!document.hidden && Date.now() - told > TELL) {
    query.set("open", "");
    told = Date.now();
  }
  try {
    const answer = JSON.parse((await ask(`${news}?${query}`)).text);
    const judged = answer.verdict && !["waiting", verdict].includes(answer.verdict.state);
    if (judged || answer.at !== at) await renew(adopt);
    else {
      if (answer.said !== part("#conversation").dataset.said) await renew(converse);
      if (thinking()) await renew(lookBack);
    }
  } catch {
    // The connection is gone for a moment; the next look may find it again.
  }
}

/** An answer that never comes, such as from a network that was left, isn't waited for. The next look asks again.
 * @param {string | URL | undefined} address */
async function ask(address, headers = {}) {
  const abort = new AbortController();
  const patience = window.setTimeout(() => abort.abort(), PATIENCE);
  try {
    const answer = await fetch(/** @type {string} */ (address), { headers, signal: abort.signal });
    return { ok: answer.ok, text: await answer.text() };
  } finally {
    clearTimeout(patience);
  }
}

/** Takes in the page as it is now, or as much of it as `take` takes.
 * @param {(next: Document) => unknown} take */
async function renew(take) {
  const { order, verdict } = page().dataset;
  const address = new URL(location.href);
  // The other side may have moved before our order was judged: its verdict is still wanted.
  if (isOpen(verdict)) address.searchParams.set("order", /** @type {string} */ (order));
  else address.searchParams.delete("order");
  const { ok, text } = await ask(address, { Accept: "text/html" });
  // This page doesn't know of an order that was sent meanwhile; the next look finds both.
  if (ok && page().dataset.order === order) take(parsed(text));
}

/** @param {string} html */
function parsed(html) {
  return new DOMParser().parseFromString(html, "text/html");
}

/** Words not sent yet stay where they were, unless the order they belong to was played; what was opened stays open.
 * Ours, because three parts are replaced whole: what takes lines is what is kept (words, focus, what was opened, the
 * board's own moves), and a library that merges pages, such as idiomorph, would need to know all of that too.
 * @param {Document} next */
function adopt(next) {
  const kept = keep();
  const before = board.shown();
  const ended = state(next) === "over" && state(document) !== "over";
  const sent = page().dataset.verdict === "waiting"; // What is written after that belongs to another order.
  const played = sent && ["accepted", "held"].includes(part("#match", next).dataset.verdict ?? "");
  for (const name of ["#match", "#about", ".brand"]) part(name).replaceWith(document.adoptNode(part(name, next)));
  for (const details of folded()) details.open = kept.opened.get(details.id) ?? details.open;
  tellLocally(page());
  if (ended) finish(next);
  else converse(next);
  document.title = next.title;
  if (!played) restore(kept);
  begin();
  board.follow(before);
  hold(kept.focus);
  tell();
}

/** What was said is taken in, and the conversation where there was none; words being written stay.
 * @param {Document} next */
function converse(next) {
  const conversation = /** @type {HTMLElement | null} */ (document.querySelector("#conversation"));
  if (!conversation) return;
  for (const name of ["#note", "#talk"]) {
    const [known, now] = [document, next].map((one) => one.querySelector(name));
    if (!known && now) conversation.prepend(document.adoptNode(now));
  }
  const [said, heard] = [next, document].map((one) => one.querySelector("#said"));
  // Only what is new is added, so that a screen reader reads that alone.
  if (said && heard) heard.append(...[...said.children].slice(heard.children.length).map((one) => document.adoptNode(one)));
  conversation.dataset.said = part("#conversation", next).dataset.said;
  if (heard) heard.scrollTop = heard.scrollHeight;
  tellLocally(conversation);
}

/** The match is over, so others can read what is said from now on: the rest of the page says so too. Words being
 * written stay, in their own fields.
 * @param {Document} next */
function finish(next) {
  const [known, now] = [document, next].map((one) => part("#conversation", one));
  for (const id of ["saying", "own-note"]) {
    const written = document.getElementById(id);
    if (written) next.getElementById(id)?.replaceWith(written);
  }
  const readers = known.querySelector("fieldset");
  if (readers) now.querySelector("fieldset")?.replaceWith(readers);
  const [before, after] = [known, now].map((one) => /** @type {HTMLDetailsElement | null} */ (one.querySelector("#note")));
  if (before && after) after.open = before.open;
  known.replaceWith(document.adoptNode(now));
  const comments = next.querySelector("#comments");
  if (comments && !document.querySelector("#comments")) now.after(document.adoptNode(comments));
  for (const one of document.querySelectorAll("#conversation, #comments")) tellLocally(one);
}

/** Takes in what the computer has found since the page was loaded, if anything.
 * @param {Document} next */
function lookBack(next) {
  const [known, now] = [document, next].map((one) => part("#second-look", one));
  if (known.textContent === now.textContent) return;
  const { id } = /** @type {HTMLElement} */ (document.activeElement ?? document.body);
  known.replaceWith(document.adoptNode(now));
  if (id) document.getElementById(id)?.focus({ preventScroll: true });
}

/** The keyboard stays where it was: on its cell, or on the same field or button, or if that is gone, near by.
 * @param {Focus} focus */
function hold({ cell, id }) {
  if (!cell && !id) return;
  const same = id ? document.getElementById(id) : null;
  same?.focus({ preventScroll: true });
  if (cell || document.activeElement !== same) board.stop(cell && board.cells.has(cell) ? cell : board.current, true);
}

/** Says what is new to those who do not see it: the page was changed around them. */
function tell() {
  const news = [...page().querySelectorAll(".turn-line, .report .last, .held, #verdict .note")].map((line) => line.textContent?.trim());
  part("#news").textContent = news.join(" ");
}

/** Turns the board, or shows its coordinates or hides them, and keeps an order that is being built.
 * @param {SubmitEvent} event */
async function turn(event) {
  event.preventDefault();
  const { name, value } = /** @type {HTMLButtonElement} */ (event.submitter);
  const form = /** @type {HTMLFormElement} */ (event.target);
  const body = new FormData(form);
  body.set(name, value);
  const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "text/html" } });
  if (!answer.ok) return; // The board stays as it is, to be turned by another press.
  history.replaceState(null, "", answer.url);
  adopt(parsed(await answer.text()));
  part(`[data-sight] [name=${name}]`).focus();
  if (desk?.text.value) desk.preview(desk.text.value);
}

/** What can be folded among the parts that are renewed. */
function folded() {
  return /** @type {HTMLDetailsElement[]} */ ([...document.querySelectorAll("#match details[id], #about details[id]")]);
}

/** @returns {Kept} */
function keep() {
  const elements = orderForm()?.elements;
  const { id, dataset } = /** @type {HTMLElement} */ (document.activeElement ?? document.body);
  const focus = { id, cell: dataset.cell };
  const opened = new Map(folded().map((details) => [details.id, details.open]));
  const kept = { focus, opened, phase: phase() };
  const refusal = part("#verdict").querySelector(".refused");
  return elements ? { ...kept, text: elements.text.value, remark: elements.remark?.value, refusal } : kept;
}

/** Whether a page's match is open, running, or over.
 * @param {Document} one */
const state = (one) => part("#match", one).dataset.at?.split(" ")[1];

/** The round and the state of the match: in another, an order that was refused may be right. */
const phase = () => page().dataset.at?.split(" ").slice(0, 2).join(" ") ?? "";

/** @param {Kept} kept */
function restore({ text, remark, refusal, phase: before }) {
  const form = orderForm();
  if (!form || text === undefined) return;
  form.elements.text.value ||= text;
  const verdict = part("#verdict");
  if (refusal && before === phase() && !verdict.textContent?.trim()) verdict.replaceChildren(refusal);
  if (!remark || !form.elements.remark) return;
  form.elements.remark.value ||= remark;
  /** @type {HTMLDetailsElement} */ (form.elements.remark.closest("details")).open = true;
}

document.addEventListener("visibilitychange", () => { if (!document.hidden) look(); });
begin();
