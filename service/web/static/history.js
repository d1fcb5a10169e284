// The moves list shows the position one is at; arrow keys leaf through the positions, unless somebody is writing or
// has the board in hand.

const pages = { ArrowLeft: "before", ArrowRight: "after", Home: "start", End: "now" };

export function showPlace() {
  const here = document.querySelector(".moves .here");
  if (here) here.parentElement.scrollTop = here.offsetTop - here.parentElement.offsetTop - 40;
}

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea, select, svg") || event.altKey || event.ctrlKey || event.metaKey) return;
  document.querySelector(`.steps a[rel=${pages[event.key]}]`)?.click();
});

showPlace();
