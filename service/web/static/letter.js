// The frame of a letter grows to the height of the letter.

const frame = document.querySelector("iframe.sheet");
const fit = () => { frame.style.height = `${frame.contentDocument.documentElement.scrollHeight + 4}px`; };

if (frame) {
  frame.addEventListener("load", fit);
  window.addEventListener("resize", fit);
  if (frame.contentDocument?.readyState === "complete") fit();
}
