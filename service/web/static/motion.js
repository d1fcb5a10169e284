// Animates changes on a board: stones land, captured ones lift off, reversed ones turn over. Nothing moves for people who
// prefer that, and there are no sounds unless they're switched on.

import { piece } from "./board.js";
import { copy, drawings } from "./drawings.js";

/** @import { Shown } from "./board.js" */

const LAND = 150; // Milliseconds.
const MANY = 60; // More changes aren't a move but another position.

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Animates the changes since then.
 * @type {(board: Shown, before: Shown) => void} */
export function happen(board, before) {
  const pieces = new Map([...before.cells].map(([name, { element }]) => [name, piece(element)]));
  const changed = [...board.cells].filter(([name, { element }]) => pieces.get(name) !== piece(element));
  if (!changed.length || changed.length > MANY) return;
  const [drawnBefore, drawn] = [before, board].map(({ svg }) => drawings(svg));
  let landed = false;
  for (const [name, { x, y, element }] of changed) {
    const place = `${x},${y}`;
    const [was, is] = [pieces.get(name), piece(element)];
    const [old, now] = [drawnBefore, drawn].map((pictures) => [...(pictures.get(place) ?? [])].join(""));
    landed ||= was === "empty";
    if (still.matches) continue;
    if (was === "empty") play(board, now, x, y, LANDING);
    else if (is === "empty") play(board, old, x, y, LIFTING);
    else play(board, old, x, y, TURNING);
  }
  if ("sound" in document.body.dataset && navigator.userActivation?.hasBeenActive) sound(landed ? "stone" : "lift");
}

const LANDING = [{ transform: "scale(1.4)", opacity: 0.3 }, { transform: "none", opacity: 1 }];
const LIFTING = [{ transform: "none", opacity: 1 }, { transform: "scale(1.4)", opacity: 0 }];
const TURNING = [{ transform: "none" }, { transform: "scaleX(0)" }];

/** @type {(board: Shown, markup: string, x: number, y: number, steps: Keyframe[]) => void} */
function play(board, markup, x, y, steps) {
  const { place, piece } = copy(markup, x, y);
  place.setAttribute("class", "rings");
  board.svg.append(place);
  piece.animate(steps, { duration: LAND, easing: "ease-out" }).finished.finally(() => place.remove());
}

/** @param {"stone" | "lift"} kind */
async function sound(kind) {
  (await import("./sound.js")).sound(kind);
}
