// @ts-check
// The picture of a game, whole or in parts where the screen is narrow, and what can be chosen on it.
import { svgElement } from "/viewer/dom.js";

/** @typedef {import("./api.js").Choice} Choice */

const NARROW = matchMedia("(max-width: 44rem)");
const PARTS = [
  ["soup", "space", "island", "legend", "heading", "cards-left", "displacement"],
  ["players", "genes"],
  ["track"],
];
const ROOM = 4; // around a part
const SMALLEST_MARK = 24; // of what is clicked, in the picture's own units

export class Board {
  /**
   * @param {HTMLElement} root what the picture is put into
   * @param {HTMLElement} rest where the tables and the track come on a narrow screen
   * @param {(choice: Choice) => void} choose
   * @param {(choices: Choice[]) => void} several a place has been clicked that stands for several actions
   * @param {(choices: Choice[], gene: string | null) => void} point the mouse rests on a place, or on none
   */
  constructor(root, rest, choose, several, point) {
    this._root = root;
    this._rest = rest;
    this._choose = choose;
    this._several = several;
    this._point = point;
    this._markup = "";
    /** @type {Choice[]} */
    this._choices = [];
    /** @type {Map<Element, Choice[]>} */
    this._marked = new Map();
    NARROW.addEventListener("change", () => this.show(this._markup, this._choices));
    for (const place of [root, rest]) {
      place.addEventListener("pointerover", (event) => {
        const at = /** @type {Element} */ (event.target);
        const gene = at.closest(".gene");
        point(this._at(at)?.[1] ?? [], gene && gene.getAttribute("data-gene"));
      });
      place.addEventListener("pointerleave", () => point([], null));
      place.addEventListener("click", (event) => this._click(/** @type {Element} */ (event.target)));
    }
  }

  /**
   * Show a picture, with what can be chosen on it.
   * @param {string} markup
   * @param {Choice[]} [choices]
   */
  show(markup, choices = []) {
    this._markup = markup;
    this._choices = choices;
    if (!markup) {
      return;
    }
    const drawing = drawn(markup);
    const [soup, ...tables] = NARROW.matches ? parts(drawing) : [drawing];
    this._root.replaceChildren(soup);
    this._rest.replaceChildren(...tables);
    if (NARROW.matches) {
      [soup, ...tables].forEach(fit);
    }
    for (const gene of /** @type {NodeListOf<SVGGElement>} */ (document.querySelectorAll(".board .gene"))) {
      const table = /** @type {SVGGElement} */ (gene.parentElement).getBBox();
      const { y, height } = gene.getBBox();
      gene.prepend(svgElement("rect", { class: "row", x: table.x, width: table.width, y, height })); // all of it tells
    }
    this._mark();
  }

  /**
   * Emphasise where an action is chosen.
   * @param {Choice | null} choice
   */
  pointAt(choice) {
    for (const [place, choices] of this._marked) {
      place.classList.toggle("pointed", choice !== null && choices.includes(choice));
    }
  }

  _mark() {
    this._marked = new Map();
    for (const choice of this._choices) {
      for (const selector of choice.marks) {
        const place = this._root.querySelector(selector) ?? this._rest.querySelector(selector);
        if (place) {
          this._marked.set(place, [...(this._marked.get(place) ?? []), choice]);
        }
      }
    }
    for (const [place, choices] of this._marked) {
      place.classList.add("mark");
      place.setAttribute("role", "button");
      place.setAttribute("tabindex", "-1"); // Tab goes through the same actions as buttons
      place.setAttribute("aria-label", choices.map((choice) => choice.words).join("; "));
      place.setAttribute("data-actions", choices.map((choice) => choice.action).join("|"));
      place.prepend(area(/** @type {SVGGElement} */ (place)));
    }
  }

  /** @param {Element} at @returns {[Element, Choice[]] | undefined} the innermost mark around it */
  _at(at) {
    const mark = at.closest(".mark");
    const choices = mark && this._marked.get(mark);
    return mark && choices ? [mark, choices] : undefined;
  }

  /** @param {Element} at */
  _click(at) {
    const found = this._at(at);
    const gene = at.closest(".gene");
    if (!found && gene) {
      this._point([], gene.getAttribute("data-gene")); // a finger does not rest on it
    } else if (found && found[1].length === 1) {
      this._choose(found[1][0]);
    } else if (found) {
      this._several(found[1]);
    }
  }
}

/** @param {string} markup @returns {SVGSVGElement} */
export function drawn(markup) {
  const parsed = new DOMParser().parseFromString(markup, "image/svg+xml").documentElement;
  const drawing = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (document.importNode(parsed, true)));
  drawing.setAttribute("role", "group"); // there are buttons in it
  return drawing;
}

/** @param {SVGSVGElement} drawing @returns {SVGSVGElement[]} a picture for each part, one below the other */
function parts(drawing) {
  return PARTS.map((classes, number) => {
    const part = /** @type {SVGSVGElement} */ (drawing.cloneNode(false));
    part.classList.add("part");
    part.setAttribute("aria-label", ["The soup", "Players and genes", "The score track"][number]);
    part.append(...[...drawing.children].filter((child) => classes.some((name) => child.classList.contains(name))));
    return part;
  });
}

/** @param {SVGSVGElement} part */
function fit(part) {
  const box = part.getBBox();
  const [width, height] = [box.width + 2 * ROOM, box.height + 2 * ROOM];
  part.setAttribute("viewBox", `${box.x - ROOM} ${box.y - ROOM} ${width} ${height}`);
  part.removeAttribute("width");
  part.removeAttribute("height");
}

/** @param {SVGGElement} target @returns {SVGElement} what is hit in it */
function area(target) {
  const box = target.getBBox();
  const [width, height] = [box.width + 4, box.height + 4].map((length) => Math.max(length, SMALLEST_MARK));
  const [x, y] = [box.x + box.width / 2 - width / 2, box.y + box.height / 2 - height / 2];
  return svgElement("rect", { class: "area", x, y, width, height, rx: 6 });
}
