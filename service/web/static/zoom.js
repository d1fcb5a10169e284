// If cells are smaller than a thumb, a button enlarges the board so that they fit one, and the board scrolls in its frame.
// If they are smaller than a fingertip, the first touch enlarges it around the point that was touched.

const THUMB = 44;
const SMALL = 34;
const TINY = 24;

/** @type {"" | "chosen" | "touched"} Kept while the page renews itself, if it was chosen. */
let large = "";

/** Shows `button`, which enlarges the board in `figure`, if the cells are small.
 * @param {HTMLElement} figure
 * @param {HTMLElement} button */
export function offerZoom(figure, button) {
  const svg = /** @type {SVGSVGElement} */ (figure.querySelector("svg"));
  const unit = /** @type {SVGGraphicsElement} */ (figure.querySelector("[data-cell]")).getBBox().width;
  if (large === "touched") large = "";
  const size = (svg.getBoundingClientRect().width / svg.viewBox.baseVal.width) * unit;
  button.hidden = size >= SMALL && !large;
  figure.style.setProperty("--wide", `${svg.viewBox.baseVal.width * (THUMB / unit)}px`);
  button.addEventListener("click", () => { large = large ? "" : "chosen"; show(figure, button); });
  if (size < TINY) magnify(figure, button);
  show(figure, button);
}

/** Makes the first touch enlarge the board around it; only a touch on the enlarged board presses a cell.
 * @param {HTMLElement} figure
 * @param {HTMLElement} button */
function magnify(figure, button) {
  let type = ""; // Safari's clicks don't say it.
  figure.addEventListener("pointerdown", ({ pointerType }) => { type = pointerType; });
  figure.addEventListener("click", (event) => {
    if (large || type !== "touch") return;
    event.stopImmediatePropagation();
    const before = /** @type {Element} */ (figure.querySelector("svg")).getBoundingClientRect();
    const [x, y] = [(event.clientX - before.x) / before.width, (event.clientY - before.y) / before.height];
    large = "touched";
    show(figure, button);
    const place = /** @type {Element} */ (figure.querySelector("svg")).getBoundingClientRect();
    bring(figure, place.x + x * place.width, place.y + y * place.height);
  }, { capture: true });
}

/** @type {(figure: HTMLElement, button: HTMLElement) => void} */
function show(figure, button) {
  figure.classList.toggle("zoomed", large !== "");
  button.setAttribute("aria-pressed", String(large !== ""));
  if (large === "chosen") center(figure);
}

/** Scrolls to the selected cell, or the last move, or else the middle.
 * @param {HTMLElement} figure */
function center(figure) {
  const marked = figure.querySelector('[data-cell][tabindex="0"]') ?? figure.querySelector('[data-says*="last move"] [data-cell]');
  const cell = /** @type {Element} */ (marked ?? figure.querySelector("svg")).getBoundingClientRect();
  bring(figure, cell.x + cell.width / 2, cell.y + cell.height / 2);
}

/** Scrolls a point on the screen into the middle of `figure`.
 * @type {(figure: HTMLElement, x: number, y: number) => void} */
function bring(figure, x, y) {
  const { left, top, width, height } = figure.getBoundingClientRect();
  figure.scrollLeft += x - left - width / 2;
  figure.scrollTop += y - top - height / 2;
}
