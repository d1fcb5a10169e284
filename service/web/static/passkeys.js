// Passkeys: the browser asks the user's device, and the form sends the device's answer to the server.

import { post, sendBy } from "./asking_form.js";

const keys = /** @type {Partial<typeof PublicKeyCredential> | undefined} */ (window.PublicKeyCredential);
const known = keys?.parseCreationOptionsFromJSON && keys.parseRequestOptionsFromJSON;

/** @type {(form: HTMLFormElement) => Promise<import("./asking_form.js").Answer>} */
async function ask(form) {
  const options = await post(/** @type {string} */ (form.dataset.options), form);
  if (options.message !== undefined) return options;
  const credential = form.dataset.passkey === "create"
    ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
    : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  return post(form.action, form, "answer", /** @type {PublicKeyCredential} */ (credential).toJSON());
}

if (known) sendBy("form[data-passkey]", "[data-no-passkeys]", ask);
