// Addresses are there to be selected; where there is a script, a button copies them.

/** Shows the buttons that copy an address, within `root`.
 * @param {ParentNode} root */
export function offerCopies(root) {
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-copy]"))) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
}

/** @param {HTMLElement} button */
async function copy(button) {
  const field = /** @type {HTMLInputElement} */ (document.getElementById(/** @type {string} */ (button.dataset.copy)));
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    if (!document.execCommand("copy")) return; // It stays selected, for the keyboard to copy.
  }
  button.textContent = button.dataset.done ?? null;
}
