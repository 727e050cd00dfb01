// @ts-check
// Questions to the server, and what it says of changes.

/**
 * @typedef {object} Choice
 * @property {string} action
 * @property {string} words
 * @property {string[]} marks where it is on the picture
 */

/**
 * @typedef {object} Seat
 * @property {number} player
 * @property {"person" | "agent" | "recorded"} who
 * @property {string} name
 * @property {string | null} trouble
 * @property {string | null} link
 * @property {string} ownName of a person; empty: none
 */

/**
 * @typedef {object} Question
 * @property {number | null} player
 * @property {string} title
 * @property {string} text
 * @property {string[]} facts
 */

/** @typedef {{title: string, effect: string, price: number, points: number}} Gene */

/**
 * @typedef {object} View
 * @property {string} id
 * @property {number} version
 * @property {number} frame
 * @property {string} heading
 * @property {boolean} isOwner
 * @property {number[]} own
 * @property {number[]} you the same, unless several people share this page
 * @property {number[][] | null} teams
 * @property {boolean} isPreparing
 * @property {Seat[]} seats
 * @property {string | null} trouble
 * @property {number | null} pace
 * @property {Question} question
 * @property {number | null} waitsFor
 * @property {boolean} isOver
 * @property {{player: number, place: number}[]} ranks
 * @property {Choice[]} choices
 * @property {boolean} canUndo
 * @property {boolean} canRedo
 * @property {{frame: number, words: string}[]} news
 * @property {string} picture
 * @property {Record<string, Gene>} genes
 */

/** @typedef {{frame: number, heading: string, words: string, picture: string}} Frame */

/** What the server has refused, in its words. */
export class Refusal extends Error {
  /** @param {number} status @param {string} sentence */
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

/**
 * Ask the server.
 * @param {string} path
 * @param {{method?: string, json?: unknown, file?: Blob}} [request] a body makes it a POST
 * @returns {Promise<any>}
 */
export async function ask(path, { method, json, file } = {}) {
  /** @type {RequestInit} */
  const options = { method: method ?? (json === undefined && file === undefined ? "GET" : "POST") };
  if (json !== undefined) {
    options.body = JSON.stringify(json);
    options.headers = { "content-type": "application/json" };
  } else if (file !== undefined) {
    options.body = file;
    options.headers = { "content-type": "application/octet-stream" };
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Refusal(0, "The server does not answer. Is it still running?");
  }
  const told = await answer.json().catch(() => ({ error: `The server has answered ${answer.status}.` }));
  if (!answer.ok) {
    throw new Refusal(answer.status, told.error);
  }
  return told;
}

/** A game as this page may see it: everything, or with ?as=2 the seat of one person. */
export class Game {
  /** @param {string} id @param {string} search of the page's address */
  constructor(id, search) {
    this.id = id;
    const seat = new URLSearchParams(search).get("as");
    this._query = seat === null ? "" : `?as=${encodeURIComponent(seat)}`;
  }

  /** @param {string} [part] @returns {string} */
  path(part = "") {
    return `/api/games/${encodeURIComponent(this.id)}${part}${this._query}`;
  }

  /** @returns {Promise<View>} */
  view() {
    return ask(this.path());
  }

  /** @param {number} number @returns {Promise<Frame>} */
  frame(number) {
    return ask(this.path(`/frames/${number}`));
  }

  /** @param {string} part @param {unknown} json @returns {Promise<{version: number}>} */
  change(part, json) {
    return ask(this.path(part), { json });
  }

  /**
   * Be told of changes, as long as the page can be seen.
   * @param {() => void} changed
   * @param {(isThere: boolean) => void} connected
   */
  listen(changed, connected) {
    /** @type {EventSource | undefined} */
    let source;
    const open = () => {
      source?.close();
      source = new EventSource(this.path("/events"));
      source.onopen = () => connected(true);
      source.onmessage = changed;
      source.onerror = () => connected(source?.readyState === EventSource.CLOSED); // refused: there is no such game
    };
    document.addEventListener("visibilitychange", () => (document.hidden ? source?.close() : open()));
    window.addEventListener("pagehide", () => source?.close());
    window.addEventListener("pageshow", (event) => event.persisted && open());
    open();
  }
}
