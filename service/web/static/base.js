// For every page: shows dates in the reader's time zone, and sends a form once, however often its button is pressed,
// until the reader comes back to the page or five seconds have passed, because they can stop the sending.

const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
const MONTHS = "January February March April May June July August September October November December".split(" ");

/** @type {(number: number) => string} */
const two = (number) => String(number).padStart(2, "0");

/** A date as the server writes it. By hand, because a page's first Intl.DateTimeFormat takes a phone a tenth of a second.
 * @type {(instant: Date) => string} */
function told(instant) {
  const year = instant.getFullYear() === new Date().getFullYear() ? "" : ` ${instant.getFullYear()}`;
  const day = `${DAYS[instant.getDay()]} ${instant.getDate()} ${MONTHS[instant.getMonth()]}${year}`;
  return `${day}, ${two(instant.getHours())}:${two(instant.getMinutes())} (${zone(-instant.getTimezoneOffset())})`;
}

/** @param {number} minutes East of Greenwich. */
function zone(minutes) {
  if (!minutes) return "UTC";
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? "-" : "+"}${hours}${rest ? `:${two(rest)}` : ""}`;
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

/** @type {EventTarget | null} */
let sent; // The form that is being sent.
const again = () => { sent = null; };

document.addEventListener("submit", (event) => {
  const { target } = event;
  if (event.defaultPrevented || /** @type {HTMLFormElement} */ (target).method !== "post") return;
  if (target === sent) return event.preventDefault();
  sent = target;
  setTimeout(again, 5_000);
});

window.addEventListener("pageshow", again);
