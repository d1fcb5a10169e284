// Keeps the match page current: asks for the latest number, and loads what has changed without a reload.

import { tellLocally } from "./base.js";
import { Board } from "./board.js";
import { Desk, part } from "./order_box.js";
import { showPlace } from "./history.js";
import { offerZoom } from "./zoom.js";

/** @import { OrderForm } from "./order_box.js" */

const SOON = 100;
const SEEN = 4_000;
const HIDDEN = 30_000;
const PATIENCE = 10_000;
const TELL = 20_000; // How often the server is informed that the page is visible.

let asked = 0;
let timer = 0;
let looking = false;
let told = 0;
/** @type {Desk | null} */
let desk; // The order box, if the visitor may order something.
/** @type {Board} */
let board;

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

/** Schedules the next request: soon while an order is judged or computers think, later the longer that takes, and rarely once the match is over. */
function wait() {
  clearTimeout(timer);
  const { live, verdict } = page().dataset;
  if (live === undefined && verdict !== "waiting" && !thinking()) return;
  const slow = document.hidden || (live === "slowly" && !thinking());
  const soon = verdict === "waiting" ? SOON : live === "soon" ? 5 * SOON : SEEN;
  const pause = verdict !== "waiting" && slow ? HIDDEN : Math.min(soon * 1.5 ** asked, SEEN);
  timer = window.setTimeout(look, pause);
}

/** One request at a time: a second page would discard a move that is being built on the first. */
async function look() {
  if (looking || !page().dataset.news) return; // A past position has none.
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
    const answer = await (await ask(`${news}?${query}`)).json();
    const judged = answer.verdict && !["waiting", verdict].includes(answer.verdict.state);
    if (judged || answer.at !== at) await renew(adopt);
    else {
      if (answer.said !== part("#conversation").dataset.said) await renew(converse);
      if (thinking()) await renew(lookBack);
    }
  } catch {
    // There's no connection at the moment; the next request may succeed.
  }
}

/** Gives up on a response that never comes, as after the network changed.
 * @param {string | URL} address */
function ask(address, headers = {}) {
  return fetch(address, { headers, signal: AbortSignal.timeout?.(PATIENCE) });
}

/** Loads the current page, and updates this one with `take`.
 * @param {(next: Document) => unknown} take */
async function renew(take) {
  const { news, order, verdict } = page().dataset;
  const address = new URL(location.href);
  // A page that shows why a form was refused has the form's address.
  address.pathname = /** @type {string} */ (news).replace(/\/news$/, "");
  // The opponent may have moved before our order was judged, so its verdict is still missing.
  if (isOpen(verdict)) address.searchParams.set("order", /** @type {string} */ (order));
  else address.searchParams.delete("order");
  const answer = await ask(address, { Accept: "text/html" });
  const text = await answer.text();
  // The loaded page doesn't include an order that was sent meanwhile; the next request finds both.
  if (answer.ok && page().dataset.order === order) await take(parsed(text));
}

/** @param {string} html */
function parsed(html) {
  return new DOMParser().parseFromString(html, "text/html");
}

/** Replaces the parts that change. Unsent text stays, unless the order that it belongs to was played; what was opened
 * stays open. By hand: a library that merges pages, such as idiomorph, would need to know all that is kept.
 * @param {Document} next */
async function adopt(next) {
  const ended = state(next) === "over" && state(document) !== "over" && await import("./finish.js").catch(() => null);
  const kept = keep();
  const before = board.shown();
  const { scrollLeft } = part(".players");
  const sent = page().dataset.verdict === "waiting"; // Text written after that belongs to another order.
  const played = sent && ["accepted", "held"].includes(part("#match", next).dataset.verdict ?? "");
  carry(next);
  for (const name of ["#match", "#about", ".brand"]) part(name).replaceWith(document.adoptNode(part(name, next)));
  part(".players").scrollLeft = scrollLeft;
  for (const details of folded()) details.open = kept.opened.get(details.id) ?? details.open;
  tellLocally(page());
  ended ? ended.finish(next) : converse(next);
  document.title = next.title;
  if (!played) restore(kept);
  begin();
  board.follow(before);
  hold(kept.focus);
  tell();
}

/** Adds new messages, or the whole conversation if there was none; text being written stays.
 * @param {Document} next */
function converse(next) {
  const conversation = /** @type {HTMLElement | null} */ (document.querySelector("#conversation"));
  if (!conversation) return;
  for (const name of ["#note", "#talk"]) {
    const [known, now] = [document, next].map((one) => one.querySelector(name));
    if (!known && now) conversation.prepend(document.adoptNode(now));
  }
  const [said, heard] = [next, document].map((one) => one.querySelector("#said"));
  // A screen reader reads only what is added.
  if (said) tellLocally(said);
  const fresh = said && heard ? [...said.children] : [];
  const last = fresh.findLastIndex((one) => one.isEqualNode(/** @type {Element} */ (heard).lastElementChild));
  if (fresh.length && last < 0) heard?.replaceChildren();
  fresh.splice(0, last + 1);
  heard?.append(...fresh.map((one) => document.adoptNode(one)));
  conversation.dataset.said = part("#conversation", next).dataset.said;
  if (fresh.length) showNewest();
  tellLocally(conversation);
}

/** Scrolls to the latest message. Somebody who reads earlier ones isn't interrupted unless there is a new one. */
function showNewest() {
  const said = document.querySelector("#said");
  if (said) said.scrollTop = said.scrollHeight;
}

/** Shows what the computer's review has found since the page was loaded, if anything.
 * @param {Document} next */
function lookBack(next) {
  const [known, now] = [document, next].map((one) => part("#second-look", one));
  if (known.textContent === now.textContent) return;
  const { id } = /** @type {HTMLElement} */ (document.activeElement ?? document.body);
  known.replaceWith(document.adoptNode(now));
  if (id) document.getElementById(id)?.focus({ preventScroll: true });
}

/** Restores the focus: to its cell, to the same field or button, or near it if that's gone.
 * @param {{ id?: string, cell?: string }} focus */
function hold({ cell, id }) {
  if (!cell && !id) return;
  const same = id ? document.getElementById(id) : null;
  same?.focus({ preventScroll: true });
  if (cell || document.activeElement !== same) board.stop(cell && board.cells.has(cell) ? cell : board.current, true);
}

/** Announces what is new to screen readers, because the page was changed silently. */
function tell() {
  const news = [...page().querySelectorAll(".turn-line, .report .last, .held, #verdict .note")].map((line) => line.textContent?.trim());
  part("#news").textContent = news.join(" ");
}

/** Turns the board, or shows or hides its coordinates, and keeps an order that is being built.
 * @param {SubmitEvent} event */
async function turn(event) {
  event.preventDefault();
  const { name, value } = /** @type {HTMLButtonElement} */ (event.submitter);
  const form = /** @type {HTMLFormElement} */ (event.target);
  const body = new FormData(form);
  body.set(name, value);
  const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "text/html" } });
  if (!answer.ok) return; // Another press tries again.
  history.replaceState(null, "", answer.url);
  const next = parsed(await answer.text()), { order, verdict } = page().dataset;
  if (isOpen(verdict)) Object.assign(part("#match", next).dataset, { order, verdict });
  await adopt(next);
  part(`[data-sight] [name=${name}]`).focus();
  if (desk?.text.value) desk.preview(desk.text.value);
}

/** The collapsible elements in the parts that are replaced. */
function folded() {
  return /** @type {HTMLDetailsElement[]} */ ([...document.querySelectorAll("#match details[id], #about details[id]")]);
}

/** Takes along the fields of the menu that the visitor has changed.
 * @param {Document} next */
function carry(next) {
  const [known, now] = [document, next].map((one) => /** @type {HTMLInputElement[]} */ ([...one.querySelectorAll("#menu :is(input, textarea)")]));
  for (const one of known) {
    if (one.value === one.defaultValue && one.checked === one.defaultChecked) continue;
    now.find(({ name, defaultValue }) => name === one.name && defaultValue === one.defaultValue)?.replaceWith(one);
  }
}

/** What the visitor was doing and had written, and why it was refused. */
function keep() {
  const elements = orderForm()?.elements;
  const { id, dataset } = /** @type {HTMLElement} */ (document.activeElement ?? document.body);
  return {
    focus: { id, cell: dataset.cell },
    opened: new Map(folded().map((details) => [details.id, details.open])),
    phase: phase(),
    text: elements?.text.value,
    remark: elements?.remark?.value,
    refusal: document.querySelector("#verdict .refused"),
  };
}

/** Whether a page's match is open, running, or over.
 * @param {Document} one */
const state = (one) => part("#match", one).dataset.at?.split(" ")[1];

/** The round and state of the match. After a change, an order that was refused may be legal. */
const phase = () => page().dataset.at?.split(" ").slice(0, 2).join(" ") ?? "";

/** @param {ReturnType<typeof keep>} kept */
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
showNewest();
part(".players").scrollLeft = part(".player.turn")?.offsetLeft ?? 0;
