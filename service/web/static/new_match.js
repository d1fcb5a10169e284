// The form of a new match: typing an address selects "invite by email".

for (const group of document.querySelectorAll("[data-other]")) {
  const address = /** @type {HTMLInputElement} */ (group.querySelector("input[type=email]"));
  const invited = /** @type {HTMLInputElement} */ (group.querySelector("input[value=email]"));
  const settle = () => { address.required = invited.checked; };
  address.addEventListener("input", () => { invited.checked = true; settle(); });
  group.addEventListener("change", settle);
  settle();
}

// With the keyboard, a number is chosen step by step, so the form waits for its button.
const seats = /** @type {HTMLSelectElement | null} */ (document.querySelector("#seats"));
let stepping = false;
seats?.addEventListener("keydown", () => { stepping = true; });
seats?.addEventListener("pointerdown", () => { stepping = false; });
seats?.addEventListener("change", () => { if (!stepping) seats.form?.submit(); });
