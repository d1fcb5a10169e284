// Notifications: the browser subscribes at its push service, and the form brings the server the subscription.

const offered = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

/** @type {(form: HTMLFormElement) => Promise<{ to?: string, message?: string }>} */
async function subscribe(form) {
  if (await Notification.requestPermission() !== "granted") return { message: form.dataset.denied };
  const worker = await navigator.serviceWorker.register(/** @type {string} */ (form.dataset.worker));
  await navigator.serviceWorker.ready;
  // One for another key, such as that of an earlier server at this address, would be refused.
  await (await worker.pushManager.getSubscription())?.unsubscribe();
  const subscription = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: form.dataset.push });
  const body = new FormData(form);
  body.set("subscription", JSON.stringify(subscription));
  const told = await fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" } });
  return told.json();
}

/** @param {SubmitEvent} event */
async function send(event) {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.currentTarget);
  const note = /** @type {HTMLElement} */ (form.querySelector("[role=alert]"));
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("button"));
  [note.hidden, button.disabled] = [true, true];
  try {
    const { to, message } = await subscribe(form);
    if (to !== undefined) return location.assign(to);
    note.textContent = message ?? null;
  } catch {
    note.textContent = form.dataset.failed ?? null;
  }
  [note.hidden, button.disabled] = [false, false];
}

for (const form of offered ? /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form[data-push]")) : []) {
  form.hidden = false;
  form.addEventListener("submit", send);
  document.querySelector("[data-no-push]")?.remove();
}
