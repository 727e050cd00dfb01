// @ts-check
// Shows a film: the picture, what the game waits for, what has happened, and the controls.
import { button, element, playerSign } from "./dom.js";
import { Film } from "./film.js";

const SPEEDS = [0.5, 1, 2, 5, 10]; // moments a second
const USUAL_SPEED = 2;

export class Player {
  /**
   * @param {HTMLElement} root what it is built into
   * @param {Film} film
   */
  constructor(root, film) {
    this.film = film;
    this.number = 0;
    /** @type {((number: number) => void)[]} */
    this._listeners = [];
    /** @type {number | undefined} */
    this._timer = undefined;
    this._board = element("div", { class: "board", role: "region", "aria-label": "The board", tabindex: "0" });
    this._now = element("p", { class: "now", "aria-live": "polite" });
    this._where = element("output", { class: "where" });
    this._slider = this._newSlider();
    this._speed = this._newSpeeds();
    this._playing = button("▶", "Play", () => this.toggle(), { class: "play" });
    this._lines = this._newLines();
    this._root = root;
    /** Beside the board: room for what is said of the moment. */
    this.aside = element("div", { class: "aside" });
    this._build();
    this._keyboard = new AbortController();
    document.addEventListener("keydown", (event) => this._press(event), { signal: this._keyboard.signal });
    this.show(0);
  }

  /**
   * Be told of each moment that is shown, and of the present one.
   * @param {(number: number) => void} listener
   */
  onShow(listener) {
    this._listeners.push(listener);
    listener(this.number);
  }

  /**
   * Show a moment.
   * @param {number} number the first or the last one in place of those that there are not
   */
  show(number) {
    this.number = Math.min(Math.max(number, 0), this.film.length - 1);
    const moment = this.film.moments[this.number];
    this._board.replaceChildren(this.film.picture(this.number));
    this._now.textContent = moment.now;
    this._where.textContent = this._place();
    this._slider.value = String(this.number);
    this._slider.setAttribute("aria-valuetext", this._place());
    this._mark();
    if (this.number === this.film.length - 1) {
      this.pause();
    }
    for (const listener of this._listeners) {
      listener(this.number);
    }
  }

  /** Go to the beginning of this round or, from there, of the one before. */
  showRoundBefore() {
    const { round } = this.film.moments[this.number];
    const beginning = this.film.beginning(round);
    this.show(beginning < this.number ? beginning : this.film.beginning(this.film.moments[Math.max(beginning - 1, 0)].round));
  }

  /** Go to the beginning of the next round, or to the end. */
  showNextRound() {
    const { round } = this.film.moments[this.number];
    const next = this.film.moments.findIndex((moment, number) => number > this.number && moment.round > round);
    this.show(next < 0 ? this.film.length - 1 : next);
  }

  /** Go on by itself, from the beginning if this is the end. */
  play() {
    if (this.number === this.film.length - 1) {
      this.show(0);
    }
    this._showPlaying(true);
    this._tick();
  }

  /** Stay here. */
  pause() {
    clearTimeout(this._timer);
    this._timer = undefined;
    this._showPlaying(false);
  }

  toggle() {
    if (this._timer === undefined) {
      this.play();
    } else {
      this.pause();
    }
  }

  /** Take it away. */
  close() {
    this.pause();
    this._keyboard.abort();
    this._root.replaceChildren();
  }

  _tick() {
    this._timer = window.setTimeout(() => {
      this.show(this.number + 1);
      if (this._timer !== undefined) {
        this._tick();
      }
    }, 1000 / Number(this._speed.value));
  }

  /** @param {boolean} isPlaying */
  _showPlaying(isPlaying) {
    const name = isPlaying ? "Pause" : "Play";
    this._playing.textContent = isPlaying ? "❚❚" : "▶";
    this._playing.setAttribute("aria-label", name);
    this._playing.title = name;
    this._now.setAttribute("aria-live", isPlaying ? "off" : "polite");
  }

  _place() {
    const { round, phase } = this.film.moments[this.number];
    const last = this.film.length - 1;
    const where = this.number < last ? `decision ${this.number + 1} of ${last}` : "the end of the record";
    return [where, ...(round ? [`round ${round}`] : []), phase].join(" · ");
  }

  _newSlider() {
    const last = this.film.length - 1;
    const slider = element("input", { type: "range", min: 0, max: last, step: 1, value: 0, "aria-label": "Moment" });
    slider.addEventListener("input", () => {
      this.pause();
      this.show(Number(slider.value));
    });
    return slider;
  }

  _newSpeeds() {
    const options = SPEEDS.map((speed) =>
      element("option", { value: speed, selected: speed === USUAL_SPEED }, `${speed} a second`),
    );
    return element("select", { "aria-label": "Speed" }, ...options);
  }

  /** All that has happened, a button a moment. */
  _newLines() {
    return this.film.moments.map((moment, number) => {
      const told = moment.told.length > 0 ? moment.told : [moment.phase];
      const line = element("button", { type: "button" }, ...told.map((text) => element("span", {}, text)));
      line.addEventListener("click", () => {
        this.pause();
        this.show(number);
      });
      return line;
    });
  }

  _mark() {
    for (const line of this._lines) {
      line.removeAttribute("aria-current");
    }
    const line = this._lines[this.number];
    line.setAttribute("aria-current", "step");
    const list = line.closest("ol");
    if (list !== null) {
      // Only the list moves, not the page; smoothness would lag behind.
      list.scrollTop = line.offsetTop - (list.clientHeight - line.offsetHeight) / 2;
    }
  }

  _build() {
    const step = (/** @type {() => void} */ go) => () => {
      this.pause();
      go();
    };
    const enlarge = button("⤢", "Enlarge the board", () => {
      const isLarge = this._board.classList.toggle("large");
      enlarge.setAttribute("aria-pressed", String(isLarge));
    }, { "aria-pressed": "false", class: "enlarge" });
    const controls = element(
      "div",
      { class: "controls", role: "group", "aria-label": "Replay" },
      this._slider,
      element(
        "div",
        { class: "buttons" },
        button("|‹", "To the beginning (Home)", step(() => this.show(0))),
        button("«", "Back a round (Page Up)", step(() => this.showRoundBefore())),
        button("‹", "Back a decision (left arrow)", step(() => this.show(this.number - 1))),
        this._playing,
        button("›", "On a decision (right arrow)", step(() => this.show(this.number + 1))),
        button("»", "On a round (Page Down)", step(() => this.showNextRound())),
        button("›|", "To the end (End)", step(() => this.show(this.film.length - 1))),
        this._speed,
        enlarge,
      ),
      this._where,
    );
    const story = element(
      "section",
      { class: "story", "aria-label": "What has happened" },
      element("h2", {}, "What has happened"),
      element("ol", {}, ...this._lines.map((line) => element("li", {}, line))),
    );
    this.aside.append(story);
    const stage = element("div", { class: "stage" }, this._board, this._now, controls);
    this._root.classList.add("replay");
    this._root.append(this._newLegend(), stage, this.aside);
  }

  /** Who plays. */
  _newLegend() {
    const players = this.film.players.map((name, player) =>
      element("li", {}, playerSign(player), name === null ? `player ${player}` : name),
    );
    return element("ul", { class: "legend", "aria-label": "Players" }, ...players);
  }

  /** @param {KeyboardEvent} event */
  _press(event) {
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    const hasKeys = target.closest("input, select, textarea, [contenteditable]") !== null;
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || hasKeys) {
      return;
    }
    if (event.key === " " && target.closest("button, a, summary") !== null) {
      return; // it presses that
    }
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => this.show(this.number - 1),
      ArrowRight: () => this.show(this.number + 1),
      PageUp: () => this.showRoundBefore(),
      PageDown: () => this.showNextRound(),
      Home: () => this.show(0),
      End: () => this.show(this.film.length - 1),
    };
    if (event.key === " ") {
      event.preventDefault();
      this.toggle();
    } else if (event.key in keys) {
      event.preventDefault();
      this.pause();
      keys[event.key]();
    }
  }
}
