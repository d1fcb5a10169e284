// The form of a new match: an address typed means somebody is invited by mail; a form is sent once.

for (const group of document.querySelectorAll("[data-other]")) {
  const address = group.querySelector("input[type=email]");
  const invited = group.querySelector("input[value=email]");
  const settle = () => { address.required = invited.checked; };
  address.addEventListener("input", () => { invited.checked = true; settle(); });
  group.addEventListener("change", settle);
  settle();
}

for (const form of document.querySelectorAll("form[data-once]")) {
  form.addEventListener("submit", () => { form.querySelector("button.primary").disabled = true; });
  window.addEventListener("pageshow", () => { form.querySelector("button.primary").disabled = false; });
}

document.querySelector("#seats")?.addEventListener("change", (event) => event.target.form.submit());
