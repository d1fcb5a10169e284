// A step of a lesson. Pressing the board builds an order as in the rules' figures; the server says whether it solves
// the task.

import { Figure } from "./diagrams.js";

/** @import { Choice } from "./draft.js" */
/** @import { Try } from "./diagrams.js" */

class Lesson extends Figure {
  judged = location.search.includes("move=");

  /** A press after an answer starts over, on the original board.
   * @param {string} cell */
  async press(cell) {
    const draft = this.draft ?? (await this.begin());
    if (draft && this.judged) this.restore();
    return super.press(cell);
  }

  restore() {
    this.judged = false;
    this.board.show(this.first.board);
  }

  /** @param {Try} step */
  async ask(step) {
    const answer = await super.ask(step);
    if (answer.message === undefined && step.text === undefined) this.first.board = answer.board;
    if (step.text !== undefined) this.judged = "judged" in answer;
    return answer;
  }

  /** @param {Choice[]} [menu] */
  lay(menu) {
    super.lay(menu);
    if (!this.judged) return;
    this.button("again").disabled = false;
    this.words.scrollIntoView({ block: "nearest" });
  }
}

for (const figure of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("figure.lesson"))) new Lesson(figure);
