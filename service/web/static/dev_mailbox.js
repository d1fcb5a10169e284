// Adds new letters to the list as they arrive, without a reload.

const PAUSE = 2_000;
/** @type {(page: Document) => string | null | undefined} */
const newest = (page) => page.querySelector("#letters a")?.getAttribute("href");

async function look() {
  if (document.hidden) return;
  try {
    const page = new DOMParser().parseFromString(await (await fetch(location.pathname)).text(), "text/html");
    if (newest(page) !== newest(document)) take(/** @type {Element} */ (page.querySelector("#letters")));
  } catch {
    // There's no connection at the moment; the next request may succeed.
  }
}

/** Replaces the list; the focus stays on its letter.
 * @param {Element} letters */
function take(letters) {
  const held = document.activeElement?.closest("#letters a")?.getAttribute("href");
  document.querySelector("#letters")?.replaceChildren(...document.adoptNode(letters).childNodes);
  if (held) /** @type {HTMLElement | null} */ (document.querySelector(`#letters a[href="${held}"]`))?.focus({ preventScroll: true });
}

setInterval(look, PAUSE);
