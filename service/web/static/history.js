// Scrolls the moves list to the position shown; arrow keys step through the positions, unless they type, select text, or
// move on the board or in a text.

/** @type {Record<string, string>} */
const pages = { ArrowLeft: "previous", ArrowRight: "next", Home: "start", End: "now" };

export function showPlace() {
  const here = /** @type {HTMLElement | null} */ (document.querySelector(".moves .here"));
  const list = /** @type {HTMLElement | null | undefined} */ (here?.closest(".scroll"));
  if (!here || !list) return;
  const [row, seen] = [here, list].map((one) => one.getBoundingClientRect());
  list.scrollTop += row.y + row.height / 2 - seen.y - seen.height / 2;
}

document.addEventListener("keydown", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (target.closest("input, textarea, select, svg, pre, [role=log]") || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  /** @type {HTMLElement | null} */ (document.querySelector(`.steps a[rel=${pages[event.key]}]`))?.click();
});
