// @ts-check
// Numbers of one or two digits, typed: "1" waits for a second digit only where there are as many actions.

const PATIENCE = 700; // ms

export class Digits {
  /** @param {(number: number) => void} take @param {() => number} most */
  constructor(take, most) {
    this._take = take;
    this._most = most;
    this._typed = "";
    /** @type {number | undefined} */
    this._timer = undefined;
  }

  /** @param {string} key @returns {boolean} is it a part of a number? */
  press(key) {
    if (key === "Enter" && this._typed) {
      this._finish();
      return true;
    }
    if (!/^[0-9]$/.test(key)) {
      return false;
    }
    clearTimeout(this._timer);
    this._typed += key;
    if (Number(this._typed) * 10 > this._most()) {
      this._finish();
    } else {
      this._timer = setTimeout(() => this._finish(), PATIENCE);
    }
    return true;
  }

  /** What has been typed is for nothing: it was for other actions. */
  clear() {
    clearTimeout(this._timer);
    this._typed = "";
  }

  _finish() {
    const number = Number(this._typed);
    this.clear();
    this._take(number);
  }
}
