// Dates are written by the server in UTC; here they become the reader's own zone, with the weekday.

/** @type {Intl.DateTimeFormatOptions} */
const parts = { weekday: "long", day: "numeric", month: "long", hour: "2-digit", minute: "2-digit", timeZoneName: "short" };
const words = new Intl.DateTimeFormat("en-GB", parts);
const wordsOfAnotherYear = new Intl.DateTimeFormat("en-GB", { ...parts, year: "numeric" });

/** @type {(instant: Date) => string} */
function told(instant) {
  const format = instant.getFullYear() === new Date().getFullYear() ? words : wordsOfAnotherYear;
  return format.format(instant).replace(" at ", ", ");
}

/** Shows all times within `root` in the reader's time zone.
 * @param {ParentNode} root */
export function tellLocally(root) {
  for (const element of /** @type {NodeListOf<HTMLTimeElement>} */ (root.querySelectorAll("time[datetime]"))) {
    const instant = new Date(element.dateTime);
    if (element.dataset.short === undefined) element.textContent = told(instant);
    else element.title = told(instant);
  }
}

tellLocally(document);

for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("input[data-zone]"))) field.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
