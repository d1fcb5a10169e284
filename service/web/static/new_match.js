// The form of a new match: typing an address selects "invite by email".

for (const group of document.querySelectorAll("[data-other]")) {
  const address = /** @type {HTMLInputElement} */ (group.querySelector("input[type=email]"));
  const invited = /** @type {HTMLInputElement} */ (group.querySelector("input[value=email]"));
  const settle = () => { address.required = invited.checked; };
  address.addEventListener("input", () => { invited.checked = true; settle(); });
  group.addEventListener("change", settle);
  settle();
}

document.querySelector("#seats")?.addEventListener("change", (event) => /** @type {HTMLInputElement} */ (event.target).form?.submit());
