// @ts-check
// What a game is worth to its players: at the decision that is looked at, and along all of it.
import { ChancesPicture } from "/viewer/chances.js";
import { DecisionTable } from "/viewer/decision.js";
import { element } from "/viewer/dom.js";
import { mistakesOf } from "/viewer/mistakes.js";

const REST = 250; // milliseconds that a moment is shown before it is worth a look

/** @typedef {import("/viewer/figures.js").Judgement} Judgement */
/** @typedef {{number: number, frame: number, round: number, is_mistake: boolean, judgement: Judgement}} Decision */

export class Analysis {
  /**
   * @param {import("./api.js").Game} game
   * @param {HTMLElement} root what it is built into
   * @param {(frame: number) => void} lookBack shows a moment of the past
   * @param {() => import("./api.js").View | undefined} view what the page knows of the game
   */
  constructor(game, root, lookBack, view) {
    const nameOf = (/** @type {number} */ player) => view()?.seats[player].name ?? "";
    this._nameOf = nameOf;
    this._view = view;
    this._game = game;
    this._lookBack = lookBack;
    this._frame = 0;
    /** @type {Decision[]} */
    this._decisions = [];
    this._decision = new Listening(game);
    this._course = new Listening(game);
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this._timer = undefined;
    this._looks = element("button", { type: "button", "aria-pressed": "false", id: "look" }, "This decision");
    this._looks.addEventListener("click", () => this._toggle());
    this._all = element("button", { type: "button", id: "judge" }, "All decisions so far");
    this._all.addEventListener("click", () => this._judgeGame());
    this._told = element("p", { class: "faint", "aria-live": "polite" });
    const table = element("div");
    this._picture = element("div");
    this._list = element("div");
    root.append(
      element("h2", { id: "analysis-title" }, "Analysis"),
      element("div", { class: "buttons" }, this._looks, this._all),
      this._told,
      table,
      this._picture,
      this._list,
    );
    this._table = new DecisionTable(table, nameOf);
    this._area = table;
    this._area.hidden = true;
    document.addEventListener("ursuppe:frame", (event) => {
      const { frame } = /** @type {CustomEvent<{frame: number}>} */ (event).detail;
      if (frame !== this._frame) {
        this._frame = frame;
        this._show();
      }
    });
  }

  get _teams() {
    return this._view()?.teams ?? null;
  }

  get _isLooking() {
    return this._looks.getAttribute("aria-pressed") === "true";
  }

  /** Look at the decisions that are shown, or no more; what has been found stays. */
  _toggle() {
    const willLook = !this._isLooking;
    this._looks.setAttribute("aria-pressed", String(willLook));
    if (willLook) {
      this._show();
    } else {
      clearTimeout(this._timer);
      this._decision.stop();
    }
  }

  /** What is known of the moment that is shown; more, if this is looked at. */
  _show() {
    this._decision.stop();
    const present = this._view()?.frame ?? Infinity;
    if (this._decisions.some((decision) => decision.frame >= present)) {
      this._forget(); // decisions were taken back
    }
    this._drawn?.show(this._place());
    const known = this._decisions.find((decision) => decision.frame === this._frame);
    this._area.hidden = !known && !this._isLooking;
    this._table.show(known?.judgement ?? null);
    clearTimeout(this._timer);
    if (this._isLooking) {
      this._timer = setTimeout(() => this._look(), REST);
    }
  }

  _look() {
    this._tell("");
    this._decision.begin(
      `/frames/${this._frame}/analysis`,
      (found) => found.judgement && this._table.show(found.judgement),
      (words) => this._tell(words),
    );
  }

  _judgeGame() {
    this._forget();
    this._tell("The decisions are judged one after the other …");
    this._course.begin("/analysis", (found) => this._accept(found), (words) => this._tell(words));
  }

  /** @param {{decisions: Decision[], mistakes: number[], total: number, isOver: boolean}} found */
  _accept({ decisions, mistakes, total, isOver }) {
    this._decisions.push(...decisions);
    const are = new Set(mistakes);
    this._decisions.forEach((decision, number) => (decision.is_mistake = are.has(number)));
    const done = this._decisions.length;
    this._tell(done < total && !isOver ? `${done} of ${total} decisions are judged` : `${done} decision${done === 1 ? " is" : "s are"} judged`);
    if (done > 0) {
      this._drawCourse();
    }
    if (this._decisions.some((decision) => decision.frame === this._frame) && !this._isLooking) {
      this._show();
    }
  }

  _drawCourse() {
    const course = {
      teams: this._teams,
      chances: this._decisions.map((decision) => decision.judgement.chances),
      rounds: this._decisions.map((decision) => decision.round),
      mistakes: this._decisions.flatMap((decision, number) =>
        decision.is_mistake ? [{ number, player: decision.judgement.player }] : [],
      ),
    };
    const pick = (/** @type {number} */ number) => this._lookBack(this._decisions[number].frame);
    if (this._drawn) {
      this._drawn.change(course);
    } else {
      this._drawn = new ChancesPicture(this._picture, course, pick);
    }
    this._drawn.show(this._place());
    const players = this._decisions[0].judgement.chances.length;
    this._list.replaceChildren(mistakesOf(this._decisions, players, pick, this._nameOf));
  }

  /** Which of the judged decisions is shown, or was the last one before. */
  _place() {
    return Math.max(0, this._decisions.findLastIndex((decision) => decision.frame <= this._frame));
  }

  _forget() {
    this._course.stop();
    this._decisions = [];
    this._drawn = undefined;
    this._picture.replaceChildren();
    this._list.replaceChildren();
    this._tell("");
  }

  /** @param {string} words */
  _tell(words) {
    this._told.textContent = words;
  }
}

/** An analysis of the server, which runs as long as this page listens to it. */
class Listening {
  /** @param {import("./api.js").Game} game */
  constructor(game) {
    this._game = game;
    /** @type {EventSource | undefined} */
    this._source = undefined;
    window.addEventListener("pagehide", () => this.stop());
  }

  /**
   * @param {string} what part of the game's address
   * @param {(found: any) => void} accept
   * @param {(words: string) => void} tell what is wrong
   */
  begin(what, accept, tell) {
    this.stop();
    const source = new EventSource(this._game.path(what));
    this._source = source;
    source.onmessage = (event) => {
      const found = JSON.parse(event.data);
      if (!found.refused) {
        accept(found);
      }
      if (found.refused || found.error) {
        tell(found.refused ?? found.error);
      }
      if (found.refused || found.isOver) {
        source.close();
      }
    };
    source.onerror = () => source.close(); // the server is gone: the page says so elsewhere
  }

  stop() {
    this._source?.close();
  }
}
