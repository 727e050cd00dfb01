// @ts-check
// What has happened, shown one step after the other.

/** @typedef {import("./api.js").Frame} Frame */

export class Showing {
  /**
   * @param {import("./api.js").Game} game
   * @param {(frame: Frame) => void} showFrame
   * @param {() => void} end
   */
  constructor(game, showFrame, end) {
    this._game = game;
    this._showFrame = showFrame;
    this._end = end;
    this._seconds = 0;
    this._last = 0;
    this._run = 0; // the number of the showing under way; another one ends it
    this._isRunning = false;
    this._wake = () => {};
  }

  /**
   * Show the frames after one up to another, and then the game; one that is under way goes on to the new end.
   * @param {number} from
   * @param {number} to
   * @param {number} seconds for each
   */
  show(from, to, seconds) {
    this._last = to;
    this._seconds = seconds;
    if (!this._isRunning) {
      this._steps(from + 1, ++this._run);
    }
  }

  /** @param {number} seconds */
  pace(seconds) {
    this._seconds = seconds;
    this._wake();
  }

  /** Show the end at once. */
  skip() {
    if (this._isRunning) {
      this.stop();
      this._end();
    }
  }

  stop() {
    this._run += 1;
    this._isRunning = false;
    this._wake();
  }

  /** @param {number} first @param {number} run */
  async _steps(first, run) {
    this._isRunning = true;
    for (let number = first; number < this._last && this._seconds > 0; number++) {
      let frame;
      try {
        frame = await this._game.frame(number);
      } catch {
        break; // the game has gone back
      }
      if (run !== this._run) {
        return;
      }
      this._showFrame(frame);
      await this._pause();
      if (run !== this._run) {
        return;
      }
    }
    this._isRunning = false;
    this._end();
  }

  _pause() {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(undefined), this._seconds * 1000);
      this._wake = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
    });
  }
}
