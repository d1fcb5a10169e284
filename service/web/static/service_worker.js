// Shows notifications and opens the page that each is about. Browsers that know declarative pushes don't need it.

const worker = /** @type {any} */ (self);

worker.addEventListener("push", (/** @type {any} */ event) => {
  const { title, navigate, ...options } = event.data.json().notification;
  event.waitUntil(worker.registration.showNotification(title, { ...options, data: navigate, icon: "/icon-192.png" }));
});

worker.addEventListener("notificationclick", (/** @type {any} */ event) => {
  event.notification.close();
  event.waitUntil(show(event.notification.data));
});

/** Shows the page in a window that has it open, even since before this worker was there, or in a new one.
 * @param {string} address */
async function show(address) {
  const open = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const here = open.find((/** @type {any} */ one) => one.url.split(/[?#]/)[0] === address);
  return here ? here.focus() : worker.clients.openWindow(address);
}
