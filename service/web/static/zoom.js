// Where cells are smaller than a thumb, the board can be made as large as thumbs are and moved about in its place.

const THUMB = 44;
const SMALL = 34;

let large = false; // Kept while the page renews itself.

/** Offers to enlarge the board in `figure`, if its cells are small. `button` is hidden until then.
 * @param {HTMLElement} figure
 * @param {HTMLElement} button */
export function offerZoom(figure, button) {
  const svg = /** @type {SVGSVGElement} */ (figure.querySelector("svg"));
  const unit = /** @type {SVGGraphicsElement} */ (figure.querySelector("[data-cell]")).getBBox().width;
  const wide = svg.viewBox.baseVal.width * (THUMB / unit);
  button.hidden = (svg.getBoundingClientRect().width / svg.viewBox.baseVal.width) * unit >= SMALL && !large;
  figure.style.setProperty("--wide", `${wide}px`);
  button.addEventListener("click", () => { large = !large; show(figure, button); });
  show(figure, button);
}

/** @type {(figure: HTMLElement, button: HTMLElement) => void} */
function show(figure, button) {
  figure.classList.toggle("zoomed", large);
  button.setAttribute("aria-pressed", String(large));
  if (large) center(figure);
}

/** Brings the cell in hand, or the last move, or else the middle into view.
 * @param {HTMLElement} figure */
function center(figure) {
  const place = figure.getBoundingClientRect();
  const marked = figure.querySelector('[data-cell][tabindex="0"]') ?? figure.querySelector('[data-says*="last move"] [data-cell]');
  const cell = /** @type {Element} */ (marked ?? figure.querySelector("svg")).getBoundingClientRect();
  figure.scrollLeft += cell.x + cell.width / 2 - place.x - place.width / 2;
  figure.scrollTop += cell.y + cell.height / 2 - place.y - place.height / 2;
}
