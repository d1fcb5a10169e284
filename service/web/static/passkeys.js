// Passkeys: the browser asks its owner's device, and the form brings the server what the device said.

const known = window.PublicKeyCredential?.parseCreationOptionsFromJSON && window.PublicKeyCredential?.parseRequestOptionsFromJSON;

async function post(address, form, answer) {
  const body = new FormData(form);
  if (answer) body.set("answer", JSON.stringify(answer));
  const told = await fetch(address, { method: "POST", body, headers: { Accept: "application/json" } });
  return told.json();
}

async function ask(form) {
  const options = await post(form.dataset.options, form);
  if (options.message !== undefined) return options;
  const credential = form.dataset.passkey === "create"
    ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
    : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  return post(form.action, form, credential.toJSON());
}

async function send(event) {
  event.preventDefault();
  const form = event.currentTarget;
  const note = form.querySelector("[role=alert]");
  const button = form.querySelector("button");
  [note.hidden, button.disabled] = [true, true];
  try {
    const { to, message } = await ask(form);
    if (to !== undefined) return location.assign(to);
    note.textContent = message;
  } catch {
    // The owner changed their mind, or the device has no passkey for us.
    note.textContent = form.dataset.failed;
  }
  [note.hidden, button.disabled] = [false, false];
}

for (const form of known ? document.querySelectorAll("form[data-passkey]") : []) {
  form.hidden = false;
  form.addEventListener("submit", send);
  document.querySelector("[data-no-passkeys]")?.remove();
}
