// @ts-check
// A recorded game as a row of pictures with what is said of each (ursuppe_env/records/reel.py).

/**
 * @typedef {object} Moment
 * @property {number} round 0 in the set-up
 * @property {string} phase
 * @property {string} now what the game waits for
 * @property {number | null} player who decides
 * @property {string[]} told what has happened since the moment before
 */

/**
 * @typedef {object} Reel
 * @property {(string | null)[]} players their names
 * @property {number[][] | null} teams
 * @property {string[]} elements of which pictures are made
 * @property {number[][]} pictures each as the numbers of its elements
 * @property {Moment[]} moments
 */

/** The data of this page. */
export async function inlineData() {
  const packed = /** @type {HTMLElement} */ (document.getElementById("data")).textContent ?? "";
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

export class Film {
  /** @param {Reel} reel */
  constructor(reel) {
    this.players = reel.players;
    this.teams = reel.teams;
    this.moments = reel.moments;
    this._elements = reel.elements;
    this._pictures = reel.pictures;
  }

  /** How many moments there are: one before each decision, and the last one. */
  get length() {
    return this.moments.length;
  }

  /**
   * The picture of a moment, as an element of this document.
   * @param {number} number
   * @returns {Element}
   */
  picture(number) {
    const markup = this._pictures[number].map((part) => this._elements[part]).join("");
    const drawing = new DOMParser().parseFromString(markup, "image/svg+xml").documentElement;
    return document.importNode(drawing, true);
  }

  /**
   * The first moment of a round.
   * @param {number} round
   * @returns {number} -1 if there is no such round
   */
  beginning(round) {
    return this.moments.findIndex((moment) => moment.round === round);
  }

  /**
   * A player as people read it.
   * @param {number} player
   * @returns {string}
   */
  name(player) {
    const name = this.players[player];
    return name === null ? `player ${player}` : `player ${player}, ${name}`;
  }
}
