// Makes the frame as high as the letter in it.

const frame = /** @type {HTMLIFrameElement} */ (document.querySelector("iframe.sheet"));
const fit = () => {
  // scrollHeight is at least the frame's height, so the frame is made short before measuring.
  frame.style.height = "0";
  frame.style.height = `${/** @type {Document} */ (frame.contentDocument).documentElement.scrollHeight + 4}px`;
};

if (frame) {
  frame.addEventListener("load", fit);
  window.addEventListener("resize", fit);
  if (frame.contentDocument?.readyState === "complete") fit();
}
