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
  const { width } = /** @type {SVGSVGElement} */ (figure.querySelector("svg")).viewBox.baseVal;
  const unit = /** @type {SVGGraphicsElement} */ (figure.querySelector("[data-cell]")).getBBox().width;
  const size = () => /** @type {Element} */ (figure.querySelector("svg")).getBoundingClientRect().width / width * unit;
  if (large === "touched") large = "";
  figure.style.setProperty("--wide", `${width * (THUMB / unit)}px`);
  button.addEventListener("click", () => { large = large ? "" : "chosen"; show(figure, button); });
  magnify(figure, button, size);
  show(figure, button);
  new ResizeObserver(() => { button.hidden = size() >= SMALL && !large; }).observe(figure);
}

/** Makes the first touch enlarge the board around it; the next one presses a cell.
 * @type {(figure: HTMLElement, button: HTMLElement, size: () => number) => void} */
function magnify(figure, button, size) {
  let type = ""; // Safari's clicks don't say it.
  figure.addEventListener("pointerdown", ({ pointerType }) => { type = pointerType; });
  figure.addEventListener("click", (event) => {
    const by = type;
    type = ""; // A screen reader presses without a pointer.
    if (large || by !== "touch" || size() >= TINY) return;
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
