// A message at a table of several: whoever ticks a reader means those ticked, and nobody else.

document.addEventListener("change", ({ target }) => {
  if (target.name !== "reader" || !target.checked) return;
  target.closest("fieldset").querySelector("[name=audience][value=some]").checked = true;
});
