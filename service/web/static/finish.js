// What the match page does once, when its match ends.

import { tellLocally } from "./base.js";

/** The match is over, so others can read what is said from now on: the rest of the page says so too. Words being
 * written stay, in their own fields.
 * @param {Document} next */
export function finish(next) {
  const [known, now] = [document, next].map((one) => /** @type {HTMLElement} */ (one.querySelector("#conversation")));
  for (const id of ["saying", "own-note"]) {
    const written = document.getElementById(id);
    if (written) next.getElementById(id)?.replaceWith(written);
  }
  const readers = known.querySelector("fieldset");
  if (readers) now.querySelector("fieldset")?.replaceWith(readers);
  const [before, after] = [known, now].map((one) => /** @type {HTMLDetailsElement | null} */ (one.querySelector("#note")));
  if (before && after) after.open = before.open;
  known.replaceWith(document.adoptNode(now));
  const said = now.querySelector("#said");
  if (said) said.scrollTop = said.scrollHeight;
  const comments = next.querySelector("#comments");
  if (comments && !document.querySelector("#comments")) now.after(document.adoptNode(comments));
  for (const one of document.querySelectorAll("#conversation, #comments")) tellLocally(one);
}
