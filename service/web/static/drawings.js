// What a board's picture shows at each place. It draws each symbol once, as a marker on a path through its places.

const STEP = /([hvl])(-?\d+)(?: ?(-?\d+))?/g;
const SVG = "http://www.w3.org/2000/svg";
const SCALE = 1.5; // Cells are drawn in a square of 20 units, and are 30 units apart.

/** What is drawn at each place, by "x,y": markup around the centre of the place.
 * @param {SVGSVGElement} svg */
export function drawings(svg) {
  /** @type {Map<string, Set<string>>} */
  const found = new Map();
  /** @type {(place: string, markup: string) => unknown} */
  const add = (place, markup) => found.set(place, (found.get(place) ?? new Set()).add(markup));
  for (const path of svg.querySelectorAll("path[marker-mid]")) {
    const id = /** @type {string} */ (path.getAttribute("marker-mid")).slice(5, -1);
    const { innerHTML } = /** @type {Element} */ (svg.querySelector(`[id="${id}"]`));
    for (const place of places(/** @type {string} */ (path.getAttribute("d")))) add(place, innerHTML);
  }
  for (const one of svg.querySelectorAll(":scope > g[transform]:not(.rings)")) {
    const transform = /** @type {string} */ (one.getAttribute("transform"));
    const [, x, y] = /** @type {RegExpMatchArray} */ (transform.match(/\((-?\d+), (-?\d+)\)/));
    add(`${x},${y}`, one.innerHTML);
  }
  return found;
}

/** @param {string} path */
function* places(path) {
  let [x, y] = /** @type {RegExpMatchArray} */ (path.match(/^M(-?\d+) (-?\d+)/)).slice(1).map(Number);
  for (const [, kind, one, other] of path.matchAll(STEP)) {
    if (kind !== "v") x += Number(one);
    if (kind !== "h") y += Number(kind === "v" ? one : other);
    yield `${x},${y}`;
  }
}

/** A copy of a drawing, to be moved around. Returns the element to add to the picture and, inside it, the one to move.
 * @type {(markup: string, x: number, y: number) => { place: SVGGElement, piece: SVGGElement }} */
export function copy(markup, x, y) {
  const [place, piece] = [1, 2].map(() => document.createElementNS(SVG, "g"));
  place.setAttribute("transform", `translate(${x} ${y}) scale(${SCALE})`);
  piece.innerHTML = markup;
  place.append(piece);
  return { place, piece };
}
