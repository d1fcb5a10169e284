// Dates are written by the server in UTC; here they become the reader's own zone, with the weekday.

const words = new Intl.DateTimeFormat("en-GB", {
  weekday: "long", day: "numeric", month: "long", hour: "2-digit", minute: "2-digit", timeZoneName: "short",
});

export function tellLocally(root) {
  for (const element of root.querySelectorAll("time[datetime]")) {
    const instant = new Date(element.dateTime);
    if (element.dataset.short === undefined) element.textContent = words.format(instant).replace(" at ", ", ");
    else element.title = words.format(instant);
  }
}

tellLocally(document);

for (const field of document.querySelectorAll("input[data-zone]")) field.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
