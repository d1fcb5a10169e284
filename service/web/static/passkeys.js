// Passkeys: the browser asks its owner's device, and the form brings the server what the device said.

const keys = /** @type {Partial<typeof PublicKeyCredential> | undefined} */ (window.PublicKeyCredential);
const known = keys?.parseCreationOptionsFromJSON && keys.parseRequestOptionsFromJSON;

/** @type {(address: string, form: HTMLFormElement, answer?: unknown) => Promise<any>} */
async function post(address, form, answer) {
  const body = new FormData(form);
  if (answer) body.set("answer", JSON.stringify(answer));
  const told = await fetch(address, { method: "POST", body, headers: { Accept: "application/json" } });
  return told.json();
}

/** Resolves to the server's answer: `to` (where to go) or `message` (what went wrong).
 * @type {(form: HTMLFormElement) => Promise<{ to?: string, message?: string }>} */
async function ask(form) {
  const options = await post(/** @type {string} */ (form.dataset.options), form);
  if (options.message !== undefined) return options;
  const credential = form.dataset.passkey === "create"
    ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
    : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  return post(form.action, form, /** @type {PublicKeyCredential} */ (credential).toJSON());
}

/** @param {SubmitEvent} event */
async function send(event) {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.currentTarget);
  const note = /** @type {HTMLElement} */ (form.querySelector("[role=alert]"));
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("button"));
  [note.hidden, button.disabled] = [true, true];
  try {
    const { to, message } = await ask(form);
    if (to !== undefined) return location.assign(to);
    note.textContent = message ?? null;
  } catch {
    // The owner changed their mind, or the device has no passkey for us.
    note.textContent = form.dataset.failed ?? null;
  }
  [note.hidden, button.disabled] = [false, false];
}

for (const form of known ? /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form[data-passkey]")) : []) {
  form.hidden = false;
  form.addEventListener("submit", send);
  document.querySelector("[data-no-passkeys]")?.remove();
}
