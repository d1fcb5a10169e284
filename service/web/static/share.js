// URLs can be selected; with this script, a button also copies them.

/** Shows the buttons within `root` that copy a URL.
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
    if (!document.execCommand("copy")) return; // It stays selected, to be copied with the keyboard.
  }
  button.textContent = button.dataset.done ?? null;
}
