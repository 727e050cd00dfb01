// @ts-check
// What all pages need.

/**
 * The element with this id.
 * @template {HTMLElement} E
 * @param {string} id
 * @param {{new (): E}} [kind]
 * @returns {E}
 */
export function byId(id, kind) {
  const found = document.getElementById(id);
  if (!found || (kind && !(found instanceof kind))) {
    throw new Error(`there is no ${kind?.name ?? "element"} #${id}`);
  }
  return /** @type {E} */ (found);
}

/** @param {HTMLElement} place @param {unknown} error what has gone wrong; null: nothing */
export function tell(place, error) {
  place.textContent = error instanceof Error ? error.message : String(error ?? "");
  place.hidden = error === null;
}

/** A setting that this browser remembers. */
export class Remembered {
  /** @param {string} name @param {string} usual */
  constructor(name, usual) {
    this._name = `ursuppe-${name}`;
    this._usual = usual;
  }

  get value() {
    try {
      return localStorage.getItem(this._name) ?? this._usual;
    } catch {
      return this._usual; // the browser keeps nothing
    }
  }

  set value(value) {
    try {
      localStorage.setItem(this._name, value);
    } catch {
      // as above
    }
  }
}

/** @param {string} text JSON @returns {any} the position; the key of its random streams is text, since large numbers would be rounded */
export function parsedPosition(text) {
  return JSON.parse(text.replace(/("(?:seed|index|episode)"\s*:\s*)(-?\d+)/g, '$1"$2"'));
}
