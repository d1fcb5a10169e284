// The cells of an inline SVG board as things to press, with a thumb, a mouse or the keyboard.

const AHEAD = 0.6; // An arrow key reaches cells within about 53 degrees of its direction.
const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
const SVG = "http://www.w3.org/2000/svg";

export class Board {
  /** `figure` holds the svg; `pressed(name)` is told which cell was chosen, `escaped()` that Escape was pressed. A
   * board without them is there to be looked at, with the keyboard too. */
  constructor(figure, pressed = null, escaped = () => {}) {
    this.figure = figure;
    this.role = pressed ? "button" : "img";
    this.pressed = pressed ?? (() => {});
    this.escaped = escaped;
    figure.classList.toggle("live", pressed !== null);
    figure.addEventListener("click", (event) => this.point(event));
    figure.addEventListener("keydown", (event) => this.key(event));
    figure.addEventListener("focusin", () => this.ring());
    figure.addEventListener("focusout", () => this.ring());
    this.adopt();
  }

  /** Puts another picture in the place of the one there; the keyboard stays on its cell. */
  show(svg) {
    const held = this.figure.contains(document.activeElement);
    this.figure.querySelector("svg").outerHTML = svg;
    this.adopt();
    if (held) this.stop(this.current, true);
  }

  adopt() {
    this.svg = this.figure.querySelector("svg");
    this.cells = new Map();
    const places = this.places(this.svg.querySelector("[data-places]").dataset);
    for (const group of this.svg.querySelectorAll("[data-cells]")) {
      for (const name of group.dataset.cells.split(" ")) this.prepare(group, name, places.get(name));
    }
    this.rings = document.createElementNS(SVG, "g");
    this.rings.setAttribute("class", "rings");
    this.svg.append(this.rings);
    this.pitch = this.measure();
    this.stop(this.cells.has(this.current) ? this.current : this.landed() ?? this.middle(), false);
  }

  /** The middle of every cell. A cell that leaves out how far it is, is one step to the right, or as far down. */
  places({ from, steps, places }) {
    const [[left, top], [across, down]] = [from, steps].map((pair) => pair.split(",").map(Number));
    const found = new Map();
    let column = -1;
    let row = 0;
    for (const [name, x, y] of places.split(" ").map((cell) => cell.split(","))) {
      [column, row] = [Number(x || column + 1), Number(y || row)];
      found.set(name, { x: left + column * across, y: top + row * down });
    }
    return found;
  }

  /** The target of a cell. The stylesheet gives it its size, and moves its middle to the place. */
  prepare(group, name, { x, y }) {
    const element = document.createElementNS(SVG, "rect");
    const label = `${name}, ${group.dataset.says}`;
    for (const [key, value] of Object.entries({ "data-cell": name, x, y, role: this.role, tabindex: "-1", "aria-label": label })) {
      element.setAttribute(key, value);
    }
    group.append(element);
    this.cells.set(name, { element, x, y });
  }

  /** Rings the cells pressed so far and, once there are some, dots the cells that may follow. */
  mark(picked, next) {
    this.picked = picked;
    this.next = picked.length ? next : new Set();
    this.ring();
  }

  ring() {
    this.rings.replaceChildren();
    for (const name of this.next ?? []) this.circle(name, "next", 0.16);
    for (const name of this.picked ?? []) this.circle(name, "ring picked", 0.5);
    if (this.cells.get(this.current).element.matches(":focus-visible")) this.circle(this.current, "ring cursor", 0.58);
  }

  circle(name, kind, size) {
    const circle = document.createElementNS(SVG, "circle");
    const { x, y } = this.cells.get(name);
    for (const [key, value] of Object.entries({ cx: x, cy: y, r: this.pitch * size, class: kind })) circle.setAttribute(key, value);
    this.rings.append(circle);
  }

  /** Where the last move is, if the picture marks it. */
  landed() { return this.svg.querySelector('[data-says*="last move"] [data-cell]')?.dataset.cell; }

  middle() {
    const { x, y, width, height } = this.svg.viewBox.baseVal;
    return this.nearest(x + width / 2, y + height / 2, Infinity);
  }

  nearest(x, y, within) {
    let best = null;
    let reach = within;
    for (const [name, cell] of this.cells) {
      const distance = Math.hypot(cell.x - x, cell.y - y);
      if (distance < reach) [best, reach] = [name, distance];
    }
    return best;
  }

  /** The distance of neighbouring cells. */
  measure() {
    const [first, ...others] = this.cells.values();
    return Math.min(...others.map((cell) => Math.hypot(cell.x - first.x, cell.y - first.y)));
  }

  /** A press counts for the nearest cell, so that a thumb need not hit a dense board exactly. */
  point(event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    const name = this.nearest(at.x, at.y, this.pitch * 0.75);
    if (name === null) return;
    this.stop(name, true);
    this.pressed(name);
  }

  key(event) {
    const arrow = ARROWS[event.key];
    if (arrow) this.stop(this.beyond(arrow), true);
    else if (event.key === "Enter" || event.key === " ") this.pressed(this.current);
    else if (event.key === "Escape") this.escaped();
    else return;
    event.preventDefault();
  }

  /** The nearest cell in a direction, those straight ahead preferred. */
  beyond([dx, dy]) {
    const from = this.cells.get(this.current);
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

  /** Exactly one cell is a tab stop at a time. */
  stop(name, focus) {
    this.cells.get(this.current)?.element.setAttribute("tabindex", "-1");
    this.current = name;
    const { element } = this.cells.get(name);
    element.setAttribute("tabindex", "0");
    if (focus) element.focus({ preventScroll: true });
    this.ring();
  }
}
