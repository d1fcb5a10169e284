// The pointer over a board: shows its coordinate, a ghost of the stone that could be placed there, and the piece that is
// dragged.

import { copy, drawings } from "./drawings.js";

/** @import { Board, Point } from "./board.js" */
/** @typedef {{ name: string, x: number, y: number, markup: string, moving: boolean }} Held The piece on a cell, and where on the screen it was pressed. */

const SVG = "http://www.w3.org/2000/svg";
const NEAR = 6; // Pixels that a press may move before it's a drag.

export class Hand {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    /** Whether a drag has just ended, so that the click after it is ignored. */
    this.dropped = false;
    /** @type {Held | null} */
    this.held = null;
    this.layer = document.createElementNS(SVG, "g");
    const { figure } = board;
    figure.addEventListener("pointerdown", (event) => this.down(event));
    figure.addEventListener("pointermove", (event) => this.move(event));
    figure.addEventListener("pointerup", (event) => this.up(event));
    figure.addEventListener("pointerleave", () => this.rest());
    this.adopt();
  }

  /** Adapts to a new picture. */
  adopt() {
    this.layer = document.createElementNS(SVG, "g");
    this.layer.setAttribute("class", "rings");
    this.board.svg.append(this.layer);
  }

  rest() {
    this.held = null;
    this.layer.replaceChildren();
  }

  /** Fingers scroll and tap; a mouse and a pen also drag.
   * @param {PointerEvent} event */
  down(event) {
    this.dropped = false;
    const name = this.board.under(event);
    if (event.pointerType === "touch" || event.button !== 0 || name === null || this.board.empty(name)) return;
    const { x, y } = this.board.cell(name);
    const markup = [...(drawings(this.board.svg).get(`${x},${y}`) ?? [])].join("");
    this.held = { name, x: event.clientX, y: event.clientY, markup, moving: false };
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (event.pointerType === "touch") return;
    const name = this.board.under(event);
    if (this.held && this.dragging(this.held, event)) return this.drag(this.held, event, name);
    this.layer.replaceChildren();
    if (name === null) return;
    if (this.board.stone && this.board.free().has(name) && this.board.empty(name)) this.ghost(this.board.cell(name));
    this.tip(name);
  }

  /** Whether a piece is being dragged. It's picked up once the pointer has moved far enough.
   * @param {Held} held
   * @param {PointerEvent} event */
  dragging(held, event) {
    if (held.moving || Math.hypot(event.clientX - held.x, event.clientY - held.y) < NEAR) return held.moving;
    const picked = this.board.picked.includes(held.name);
    held.moving = picked || this.board.free().has(held.name);
    if (held.moving && !picked) this.board.pressed(held.name);
    return held.moving;
  }

  /** @param {Held} held
   * @param {PointerEvent} event
   * @param {string | null} name */
  drag(held, event, name) {
    const { x, y } = this.board.at(event);
    const { place } = copy(held.markup, x, y);
    this.layer.replaceChildren(place);
    if (name) this.tip(name);
  }

  /** @param {PointerEvent} event */
  up(event) {
    const { held } = this;
    const name = this.board.under(event);
    this.rest();
    if (!held?.moving || name === null || name === held.name) return;
    this.dropped = true;
    this.board.stop(name, true);
    this.board.pressed(name);
  }

  /** @param {Point} cell */
  ghost({ x, y }) {
    const { place } = copy(`<g class="${this.board.stone} ghost"><circle r="9"/></g>`, x, y);
    this.layer.append(place);
  }

  /** Shows the coordinate above its cell, or below it at the upper edge.
   * @param {string} name */
  tip(name) {
    const { x, y } = this.board.cell(name);
    const { pitch, svg } = this.board;
    const text = document.createElementNS(SVG, "text");
    const size = svg.viewBox.baseVal.width / 32;
    const above = y - pitch * 0.65 - size > svg.viewBox.baseVal.y;
    const down = above ? -pitch * 0.65 : pitch * 0.65 + size * 0.8;
    for (const [key, value] of Object.entries({ x, y: y + down, class: "tip", "font-size": size })) text.setAttribute(key, String(value));
    text.textContent = name;
    this.layer.append(text);
  }
}
