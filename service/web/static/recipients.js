// A message at a table of several: whoever ticks a reader means those ticked, and nobody else.

document.addEventListener("change", (event) => {
  const target = /** @type {HTMLInputElement} */ (event.target);
  if (target.name !== "reader" || !target.checked) return;
  const some = target.closest("fieldset")?.querySelector("[name=audience][value=some]");
  /** @type {HTMLInputElement} */ (some).checked = true;
});
