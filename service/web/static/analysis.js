// A private board to try moves on: a move built by pressing the board is tried immediately, and has its own URL.

import { Board } from "./board.js";
import { Desk } from "./order_box.js";
import "./history.js";
import { offerZoom } from "./zoom.js";

const figure = /** @type {HTMLElement} */ (document.querySelector("#board"));
const form = /** @type {import("./order_box.js").OrderForm | null} */ (document.querySelector("#order"));

if (form) new Desk(form, figure, (tried) => { location.search = `?at=${tried}`; });
else new Board(figure);
offerZoom(figure, /** @type {HTMLElement} */ (document.querySelector("#zoom")));
