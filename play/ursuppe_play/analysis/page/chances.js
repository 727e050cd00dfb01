// @ts-check
// The chances of winning of all players along a game, as a picture that one can click.
import { svgElement } from "./dom.js";

const HEIGHT = 240;
const MARGIN = { left: 44, right: 14, top: 20, bottom: 24 };
const SIGN = 8; // radius of a player's sign
const LEVELS = [0, 0.25, 0.5, 0.75, 1];
const ROUND_WIDTH = 18; // px that the number of a round needs

/**
 * @typedef {object} Course
 * @property {number[][] | null} teams who plays together, and so has the same chances
 * @property {(number[] | null)[]} chances of each player, a row a moment; null where they are not known
 * @property {number[]} rounds of each moment
 * @property {{ number: number, player: number }[]} mistakes at which moments, and whose
 */

export class ChancesPicture {
  /**
   * @param {HTMLElement} root what it is drawn into
   * @param {Course} course
   * @param {(number: number) => void} pick is called with the moment that is clicked
   */
  constructor(root, course, pick) {
    this._root = root;
    this._course = course;
    this._pick = pick;
    this._number = 0;
    this._cursor = svgElement("g", { class: "cursor" });
    this._picture = svgElement("svg", {
      height: HEIGHT,
      role: "img",
      "aria-label": "Chances of winning of all players along the game",
    });
    this._picture.addEventListener("pointerdown", (event) => this._follow(event));
    this._picture.addEventListener("pointermove", (event) => event.buttons === 1 && this._follow(event));
    root.classList.add("chances");
    root.append(this._picture);
    new ResizeObserver(() => this._draw()).observe(root);
    this._draw();
  }

  /**
   * Show another course, of the same players.
   * @param {Course} course
   */
  change(course) {
    this._course = course;
    this._draw();
  }

  /**
   * Mark a moment.
   * @param {number} number
   */
  show(number) {
    this._number = number;
    this._drawCursor();
  }

  get _last() {
    return Math.max(1, this._course.chances.length - 1);
  }

  get _width() {
    return Math.max(240, this._root.clientWidth);
  }

  /** @param {number} number */
  _x(number) {
    return MARGIN.left + (number / this._last) * (this._width - MARGIN.left - MARGIN.right);
  }

  /** @param {number} chance */
  _y(chance) {
    return MARGIN.top + (1 - chance) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  }

  /** @param {PointerEvent} event */
  _follow(event) {
    const left = this._picture.getBoundingClientRect().left;
    const share = (event.clientX - left - MARGIN.left) / (this._width - MARGIN.left - MARGIN.right);
    this._pick(Math.min(Math.max(Math.round(share * this._last), 0), this._course.chances.length - 1));
  }

  _draw() {
    this._picture.setAttribute("viewBox", `0 0 ${this._width} ${HEIGHT}`);
    this._picture.setAttribute("width", String(this._width));
    const parts = [this._levels(), this._rounds(), ...this._lines(), this._mistakes(), this._cursor];
    this._picture.replaceChildren(...parts);
    this._drawCursor();
  }

  _levels() {
    const levels = svgElement("g", { class: "levels" });
    for (const level of LEVELS) {
      const y = this._y(level);
      levels.append(
        svgElement("line", { x1: MARGIN.left, x2: this._width - MARGIN.right, y1: y, y2: y }),
        svgElement("text", { x: MARGIN.left - 6, y: y + 4, "text-anchor": "end" }, `${100 * level} %`),
      );
    }
    return levels;
  }

  _rounds() {
    const rounds = svgElement("g", { class: "rounds" });
    let free = 0;
    this._course.rounds.forEach((round, number) => {
      if (round === 0 || round === this._course.rounds[number - 1]) {
        return;
      }
      const x = this._x(number);
      rounds.append(svgElement("line", { x1: x, x2: x, y1: this._y(1), y2: this._y(0) }));
      if (x >= free) {
        rounds.append(svgElement("text", { x, y: HEIGHT - 8, "text-anchor": "middle" }, String(round)));
        free = x + ROUND_WIDTH;
      }
    });
    return rounds;
  }

  /** A line a player: the colour of the pieces within that of their edges; in a team the second one is dashed. */
  _lines() {
    const known = this._course.chances.flatMap((chances, number) => (chances === null ? [] : [{ chances, number }]));
    const players = known.length > 0 ? known[0].chances.length : 0;
    return Array.from({ length: players }, (_, player) => {
      const points = known.map(({ chances, number }) => `${this._x(number).toFixed(1)} ${this._y(chances[player]).toFixed(1)}`);
      const d = `M${points.join("L")}`;
      const isSecond = this._course.teams?.some((seats) => seats.indexOf(player) > 0);
      const dashes = isSecond ? { "stroke-dasharray": "8 8" } : {};
      return svgElement(
        "g",
        { class: "line", "data-player": player },
        svgElement("path", { d, fill: "none", stroke: `var(--player-${player}-edge)`, "stroke-width": 3.6, ...dashes }),
        svgElement("path", { d, fill: "none", stroke: `var(--player-${player})`, "stroke-width": 2, ...dashes }),
      );
    });
  }

  _mistakes() {
    const marks = this._course.mistakes.map(({ number, player }) =>
      svgElement("path", {
        d: "M-5 -8H5L0 0z",
        transform: `translate(${this._x(number).toFixed(1)} ${MARGIN.top - 3})`,
        fill: `var(--player-${player})`,
        stroke: `var(--player-${player}-edge)`,
      }),
    );
    return svgElement("g", { class: "marks" }, ...marks);
  }

  /** The moment, with the players' signs on their lines. */
  _drawCursor() {
    const x = this._x(this._number);
    const line = svgElement("line", { x1: x, x2: x, y1: this._y(1), y2: this._y(0) });
    const chances = this._course.chances[this._number] ?? null;
    const signs = chances === null ? [] : this._signs(chances, x);
    this._cursor.replaceChildren(line, ...signs);
  }

  /**
   * @param {number[]} chances
   * @param {number} x
   */
  _signs(chances, x) {
    const rows = chances.map((chance, player) => ({ player, y: this._y(chance) })).sort((a, b) => b.y - a.y);
    let free = HEIGHT - MARGIN.bottom + SIGN;
    for (const row of rows) {
      row.y = Math.min(row.y, free - SIGN);
      free = row.y - SIGN;
    }
    return rows.map(({ player, y }) =>
      svgElement(
        "g",
        { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` },
        svgElement("circle", { r: SIGN, fill: `var(--player-${player})`, stroke: `var(--player-${player}-edge)` }),
        svgElement("text", { y: 4, "text-anchor": "middle", fill: `var(--player-${player}-ink)` }, String(player)),
      ),
    );
  }
}
