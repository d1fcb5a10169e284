// Notifications: the browser subscribes at its push service, and the form sends the subscription to the server.

import { post, sendBy } from "./asking_form.js";

const offered = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

/** @type {(form: HTMLFormElement) => Promise<import("./asking_form.js").Answer>} */
async function subscribe(form) {
  if (await Notification.requestPermission() !== "granted") return { message: form.dataset.denied };
  const worker = await navigator.serviceWorker.register(/** @type {string} */ (form.dataset.worker));
  await navigator.serviceWorker.ready;
  // One for another key, such as that of an earlier server at this address, would be refused.
  await (await worker.pushManager.getSubscription())?.unsubscribe();
  const subscription = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: form.dataset.push });
  return post(form.action, form, "subscription", subscription);
}

if (offered) sendBy("form[data-push]", "[data-no-push]", subscribe);
