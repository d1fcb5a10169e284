// Dates are written by the server in UTC; here they become the reader's own zone, with the weekday.

const parts = { weekday: "long", day: "numeric", month: "long", hour: "2-digit", minute: "2-digit", timeZoneName: "short" };
const words = new Intl.DateTimeFormat("en-GB", parts);
const wordsOfAnotherYear = new Intl.DateTimeFormat("en-GB", { ...parts, year: "numeric" });

function told(instant) {
  const format = instant.getFullYear() === new Date().getFullYear() ? words : wordsOfAnotherYear;
  return format.format(instant).replace(" at ", ", ");
}

export function tellLocally(root) {
  for (const element of root.querySelectorAll("time[datetime]")) {
    const instant = new Date(element.dateTime);
    if (element.dataset.short === undefined) element.textContent = told(instant);
    else element.title = told(instant);
  }
}

tellLocally(document);

for (const field of document.querySelectorAll("input[data-zone]")) field.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
