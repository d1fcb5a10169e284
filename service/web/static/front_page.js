// The board on the front page follows its match, with few requests.

const PAUSE = 15_000;
const live = /** @type {HTMLElement} */ (document.querySelector("#live"));

async function look() {
  if (document.hidden) return;
  try {
    const { at } = await (await fetch(/** @type {string} */ (live.dataset.news))).json();
    if (at !== live.dataset.at) await renew();
  } catch {
    // There's no connection at the moment; the next request may succeed.
  }
}

const links = () => [...live.querySelectorAll("a")];

/** Shows the board as it is now, which may be another match's. The focus stays on the link at the same place. */
async function renew() {
  const page = new DOMParser().parseFromString(await (await fetch("/")).text(), "text/html");
  const now = /** @type {HTMLElement} */ (page.querySelector("#live"));
  const place = links().findIndex((link) => link === document.activeElement);
  live.innerHTML = now.innerHTML;
  if (place >= 0) (links()[place] ?? links()[0]).focus({ preventScroll: true });
  Object.assign(live.dataset, now.dataset);
}

if (live) setInterval(look, PAUSE);
