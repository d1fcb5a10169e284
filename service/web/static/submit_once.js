// A form is sent once, however often its button is pressed; coming back to the page makes it ready again.

document.addEventListener("submit", (event) => {
  const { dataset, method } = /** @type {HTMLFormElement} */ (event.target);
  if (event.defaultPrevented || method !== "post") return;
  if (dataset.sent !== undefined) event.preventDefault();
  dataset.sent = "";
});

window.addEventListener("pageshow", () => {
  for (const form of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("form[data-sent]"))) delete form.dataset.sent;
});
