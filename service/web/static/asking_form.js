// Forms that a script sends, because the browser has to ask the user or a service for something first.

/** The server's answer: `to` (where to go) or `message` (what went wrong).
 * @typedef {{ to?: string, message?: string }} Answer */

/** Posts a form with an additional field, and resolves to the response's JSON.
 * @type {(address: string, form: HTMLFormElement, name?: string, value?: unknown) => Promise<any>} */
export async function post(address, form, name, value) {
  const body = new FormData(form);
  if (name) body.set(name, JSON.stringify(value));
  const told = await fetch(address, { method: "POST", body, headers: { Accept: "application/json" } });
  return told.json();
}

/** Shows these forms instead of their placeholders, and sends them with `ask`.
 * @type {(forms: string, standIn: string, ask: (form: HTMLFormElement) => Promise<Answer>) => void} */
export function sendBy(forms, standIn, ask) {
  for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll(forms))) {
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      send(form, ask);
    });
    document.querySelector(standIn)?.remove();
  }
}

/** @type {(form: HTMLFormElement, ask: (form: HTMLFormElement) => Promise<Answer>) => Promise<void>} */
async function send(form, ask) {
  const note = /** @type {HTMLElement} */ (form.querySelector("[role=alert]"));
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("button"));
  [note.hidden, button.disabled] = [true, true];
  try {
    const { to, message } = await ask(form);
    if (to !== undefined) return location.assign(to);
    note.textContent = message ?? null;
  } catch {
    // The user cancelled, or the device or service can't do it.
    note.textContent = form.dataset.failed ?? null;
  }
  [note.hidden, button.disabled] = [false, false];
}
