// @ts-check
// Elements without markup: what is given as text stays text, wherever it comes from.

/** @typedef {Record<string, string | number | boolean | null | undefined>} Attributes */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element of HTML. An attribute that is true has no value; one that is false, null or undefined is left out.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/**
 * An element of SVG, likewise.
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElement}
 */
export function svgElement(tag, attributes = {}, ...children) {
  return filled(/** @type {SVGElement} */ (document.createElementNS(SVG, tag)), attributes, children);
}

/**
 * A button that calls a function.
 * @param {string} sign what is on it
 * @param {string} name for those who cannot see it, and shown when the mouse rests on it
 * @param {() => void} act
 * @param {Attributes} [attributes]
 * @returns {HTMLButtonElement}
 */
export function button(sign, name, act, attributes = {}) {
  const made = element("button", { type: "button", "aria-label": name, title: name, ...attributes }, sign);
  made.addEventListener("click", act);
  return made;
}

/**
 * The sign of a player: the number in the player's colours.
 * @param {number} player
 * @returns {HTMLElement}
 */
export function playerSign(player) {
  return element("span", { class: `player-sign player-${player}` }, String(player));
}

/**
 * @template {Element} E
 * @param {E} made
 * @param {Attributes} attributes
 * @param {(Node | string)[]} children
 * @returns {E}
 */
function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false && value !== null && value !== undefined) {
      made.setAttribute(name, value === true ? "" : String(value));
    }
  }
  made.append(...children);
  return made;
}
