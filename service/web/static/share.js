// Addresses are there to be selected; where there is a script, a button copies them.

/** Shows the buttons that copy an address, within `root`. */
export function offerCopies(root) {
  for (const button of root.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
}

async function copy(button) {
  const field = document.getElementById(button.dataset.copy);
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    if (!document.execCommand("copy")) return; // It stays selected, for the keyboard to copy.
  }
  button.textContent = button.dataset.done;
}
