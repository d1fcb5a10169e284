// The moves list shows the position one is at; arrow keys leaf through the positions, unless somebody is writing or
// has the board in hand.

/** @type {Record<string, string>} */
const pages = { ArrowLeft: "before", ArrowRight: "after", Home: "start", End: "now" };

export function showPlace() {
  const here = /** @type {HTMLElement | null} */ (document.querySelector(".moves .here"));
  const list = here?.parentElement;
  if (here && list) list.scrollTop = here.offsetTop - list.offsetTop - 40;
}

document.addEventListener("keydown", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (target.closest("input, textarea, select, svg") || event.altKey || event.ctrlKey || event.metaKey) return;
  /** @type {HTMLElement | null} */ (document.querySelector(`.steps a[rel=${pages[event.key]}]`))?.click();
});

showPlace();
