// The frame of a letter grows to the height of the letter.

const frame = /** @type {HTMLIFrameElement} */ (document.querySelector("iframe.sheet"));
const fit = () => {
  // What is longer than its content counts as its height: the frame is made short to be measured.
  frame.style.height = "0";
  frame.style.height = `${/** @type {Document} */ (frame.contentDocument).documentElement.scrollHeight + 4}px`;
};

if (frame) {
  frame.addEventListener("load", fit);
  window.addEventListener("resize", fit);
  if (frame.contentDocument?.readyState === "complete") fit();
}
