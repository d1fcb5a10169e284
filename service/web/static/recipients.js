// A message to several players: ticking one selects "only the players ticked".

document.addEventListener("change", (event) => {
  const target = /** @type {HTMLInputElement} */ (event.target);
  if (target.name !== "reader" || !target.checked) return;
  const some = target.closest("fieldset")?.querySelector("[name=audience][value=some]");
  /** @type {HTMLInputElement} */ (some).checked = true;
});
