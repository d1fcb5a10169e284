// Makes the cells of an inline SVG board respond to touch, mouse and keyboard.

/** @import { Hand } from "./hand.js" */

const AHEAD = 0.6; // An arrow key reaches cells within about 53 degrees of its direction.
/** @type {Record<string, [dx: number, dy: number]>} */
const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
const SVG = "http://www.w3.org/2000/svg";

/** @typedef {{ x: number, y: number }} Point In units of the SVG. */
/** @typedef {Point & { element: SVGRectElement }} Cell */
/** @typedef {{ svg: SVGSVGElement, cells: Map<string, Cell> }} Shown A picture and its cells. */

/** What is on a cell according to its label, without marks.
 * @param {Element} element */
export function piece(element) {
  return /** @type {string} */ (element.getAttribute("aria-label")).split(", ")[1];
}

export class Board {
  /** `figure` contains the svg; `pressed(name)` gets the chosen cell, and `escaped()` runs when Escape is pressed. A
   * board without `pressed` can only be explored, also with the keyboard.
   * @param {HTMLElement} figure
   * @param {((name: string) => unknown) | null} pressed
   * @param {() => unknown} escaped */
  constructor(figure, pressed = null, escaped = () => {}) {
    this.figure = figure;
    this.role = pressed ? "button" : "img";
    this.pressed = pressed ?? (() => {});
    this.escaped = escaped;
    this.current = "";
    this.svg = /** @type {SVGSVGElement} */ (figure.querySelector("svg"));
    this.rings = document.createElementNS(SVG, "g");
    /** @type {string[]} */
    this.picked = [];
    /** @type {Set<string>} */
    this.next = new Set();
    this.pitch = 0;
    /** The colour of the stones that the pointer places; "" for none. */
    this.stone = "";
    /** @type {() => Set<string>} */
    this.free = () => new Set();
    /** @type {Hand | null} */
    this.hand = null;
    figure.classList.toggle("live", pressed !== null);
    figure.addEventListener("click", (event) => this.point(event));
    figure.addEventListener("pointerover", (event) => this.reach(event));
    figure.addEventListener("keydown", (event) => this.key(event));
    figure.addEventListener("focusin", () => this.ring());
    figure.addEventListener("focusout", () => this.ring());
    this.adopt();
  }

  /** Replaces the picture; the focus stays on its cell.
   * @param {string} svg */
  show(svg) {
    const held = this.svg.contains(document.activeElement);
    const before = this.shown();
    /** @type {Element} */ (this.figure.querySelector("svg")).outerHTML = svg;
    this.adopt();
    if (held) this.stop(this.current, true);
    this.follow(before);
  }

  /** What is on the board now, to find later what has changed.
   * @returns {Shown} */
  shown() { return { svg: this.svg, cells: this.cells }; }

  /** Animates what has changed. The module is loaded when something has.
   * @param {Shown} before */
  async follow(before) {
    const now = this.shown();
    const { happen } = await import("./motion.js");
    if (this.svg === now.svg) happen(now, before);
  }

  /** Loads the animation before a press can need it, and `Hand` when a mouse or pen comes: a finger doesn't hover or drag.
   * @param {PointerEvent} event */
  async reach(event) {
    if (this.hand) return;
    const motion = import("./motion.js");
    if (event.pointerType === "touch") return;
    const { Hand } = await import("./hand.js");
    await motion;
    if (this.hand) return;
    this.hand = new Hand(this);
    this.hand.move(event);
  }

  adopt() {
    this.svg = /** @type {SVGSVGElement} */ (this.figure.querySelector("svg"));
    /** @type {Map<string, Cell>} */
    this.cells = new Map();
    const target = document.createElementNS(SVG, "rect");
    target.setAttribute("role", this.role);
    target.setAttribute("tabindex", "-1");
    const places = this.places(/** @type {SVGElement} */ (this.svg.querySelector("[data-places]")).dataset);
    for (const group of /** @type {NodeListOf<SVGElement>} */ (this.svg.querySelectorAll("[data-on]"))) {
      const names = /** @type {string} */ (group.dataset.on).split(" ");
      group.append(...names.map((name) => this.prepare(target, name, group.dataset.says, /** @type {Point} */ (places.get(name)))));
    }
    this.rings = document.createElementNS(SVG, "g");
    this.rings.setAttribute("class", "rings");
    this.svg.append(this.rings);
    this.hand?.adopt();
    this.pitch = this.measure();
    this.stop(this.cells.has(this.current) ? this.current : this.landed() ?? this.middle(), false);
  }

  /** The centre of each cell. Without x, a cell is one step to the right of the last; without y, it's at the same height.
   * @param {DOMStringMap} data */
  places(data) {
    const { from, steps, places } = /** @type {Record<string, string>} */ (data);
    const [[left, top], [across, down]] = [from, steps].map((pair) => pair.split(",").map(Number));
    /** @type {Map<string, Point>} */
    const found = new Map();
    let column = -1;
    let row = 0;
    for (const [name, x, y] of places.split(" ").map((cell) => cell.split(","))) {
      [column, row] = [Number(x || column + 1), Number(y || row)];
      found.set(name, { x: left + column * across, y: top + row * down });
    }
    return found;
  }

  /** The target of a cell. The stylesheet sets its size and centres it on the place.
   * @type {(target: SVGRectElement, name: string, says: string | undefined, place: Point) => SVGRectElement} */
  prepare(target, name, says, { x, y }) {
    const element = /** @type {SVGRectElement} */ (target.cloneNode());
    element.setAttribute("data-cell", name);
    element.setAttribute("x", String(x));
    element.setAttribute("y", String(y));
    element.setAttribute("aria-label", `${name}, ${says}`);
    this.cells.set(name, { element, x, y });
    return element;
  }

  /** Puts rings on the cells pressed so far, and dots on those that may follow.
   * @param {string[]} picked
   * @param {Set<string>} next */
  mark(picked, next) {
    this.picked = picked;
    this.next = next;
    this.ring();
  }

  /** Sets what the pointer can do: the colour of the stones that it places, "" for none, and the cells it can press.
   * @type {(stone: string, free: () => Set<string>) => void} */
  offer(stone, free) {
    Object.assign(this, { stone, free });
  }

  /** Whether a cell is empty.
   * @param {string} name */
  empty(name) { return piece(this.cell(name).element) === "empty"; }

  /** @param {string} name */
  cell(name) { return /** @type {Cell} */ (this.cells.get(name)); }

  ring() {
    this.rings.replaceChildren();
    for (const name of this.next) this.circle(name, "next", 0.16);
    for (const name of this.picked) this.circle(name, "ring picked", 0.5);
    if (this.cell(this.current).element.matches(":focus-visible")) this.circle(this.current, "ring cursor", 0.58);
  }

  /** @type {(name: string, kind: string, size: number) => void} */
  circle(name, kind, size) {
    const circle = document.createElementNS(SVG, "circle");
    const { x, y } = this.cell(name);
    for (const [key, value] of Object.entries({ cx: x, cy: y, r: this.pitch * size, class: kind })) circle.setAttribute(key, String(value));
    this.rings.append(circle);
  }

  /** Where the last move is, if the picture marks it. */
  landed() {
    const cell = /** @type {SVGElement | null} */ (this.svg.querySelector('[data-says*="last move"] [data-cell]'));
    return cell?.dataset.cell;
  }

  middle() {
    const [x, y] = ["x", "y"].map((axis) => {
      const all = [...this.cells.values()].map((cell) => cell[/** @type {"x" | "y"} */ (axis)]);
      return (Math.min(...all) + Math.max(...all)) / 2;
    });
    return /** @type {string} */ (this.nearest(x, y, Infinity));
  }

  /** The cell nearest to a point; null if none is within that distance.
   * @type {(x: number, y: number, within: number) => string | null} */
  nearest(x, y, within) {
    let best = null;
    let reach = within;
    for (const [name, cell] of this.cells) {
      const distance = Math.hypot(cell.x - x, cell.y - y);
      if (distance < reach) [best, reach] = [name, distance];
    }
    return best;
  }

  /** The distance between neighbouring cells. */
  measure() {
    const [first, ...others] = this.cells.values();
    return Math.min(...others.map((cell) => Math.hypot(cell.x - first.x, cell.y - first.y)));
  }

  /** A press counts for the nearest cell: a thumb need not hit it exactly. A screen reader gives no position.
   * @param {MouseEvent} event */
  point(event) {
    const { cell } = /** @type {SVGElement} */ (event.target).dataset;
    const name = (event.detail ? null : cell) ?? this.under(event);
    if (name === null || this.hand?.dropped) return;
    this.stop(name, true);
    this.pressed(name);
  }

  /** The position of an event, in units of the SVG.
   * @param {MouseEvent} event */
  at(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(/** @type {DOMMatrix} */ (this.svg.getScreenCTM()).inverse());
  }

  /** The cell under the pointer, if any.
   * @param {MouseEvent} event */
  under(event) {
    const { x, y } = this.at(event);
    return this.nearest(x, y, this.pitch * 0.75);
  }

  /** A figure may also contain buttons.
   * @param {KeyboardEvent} event */
  key(event) {
    if (!this.svg.contains(/** @type {Node} */ (event.target)) || event.altKey || event.ctrlKey || event.metaKey) return;
    const arrow = ARROWS[event.key];
    if (arrow) {
      this.stop(this.beyond(arrow), true);
      this.cell(this.current).element.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else if (event.key === "Enter" || event.key === " ") this.pressed(this.current);
    else if (event.key === "Escape") this.escaped();
    else return;
    event.preventDefault();
  }

  /** The nearest cell in a direction, preferring those straight ahead.
   * @param {[dx: number, dy: number]} direction */
  beyond([dx, dy]) {
    const from = this.cell(this.current);
    let best = this.current;
    let cost = Infinity;
    for (const [name, cell] of this.cells) {
      const [x, y] = [cell.x - from.x, cell.y - from.y];
      const distance = Math.hypot(x, y);
      const ahead = distance ? (x * dx + y * dy) / distance : 0;
      if (ahead > AHEAD && distance * (2 - ahead) < cost) [best, cost] = [name, distance * (2 - ahead)];
    }
    return best;
  }

  /** Exactly one cell is a tab stop at a time.
   * @param {string} name
   * @param {boolean} focus */
  stop(name, focus) {
    this.cells.get(this.current)?.element.setAttribute("tabindex", "-1");
    this.current = name;
    const { element } = this.cell(name);
    element.setAttribute("tabindex", "0");
    if (focus) element.focus({ preventScroll: true });
    this.ring();
  }
}
