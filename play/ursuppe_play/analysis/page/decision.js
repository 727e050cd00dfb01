// @ts-check
// A decision with all its actions: what each is worth, and what the one that was taken gave away.
import { element, playerSign } from "./dom.js";
import { loss, percent, withNoise } from "./figures.js";

export class DecisionTable {
  /**
   * @param {HTMLElement} root what it is built into
   * @param {(player: number) => string} nameOf
   */
  constructor(root, nameOf) {
    this._nameOf = nameOf;
    this._heading = element("h2");
    this._verdict = element("p", { class: "verdict" });
    this._rows = element("tbody");
    const table = element(
      "table",
      {},
      element("caption", {}, "Chances of winning of the player who decides"),
      element("thead", {}, element("tr", {}, ...this._titles())),
      this._rows,
    );
    this._scroll = element("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "Actions" }, table);
    root.classList.add("decision");
    root.append(this._heading, this._verdict, this._scroll);
  }

  /**
   * Show a decision.
   * @param {import("./figures.js").Judgement | null} judgement null: nobody decides, or it is not known
   */
  show(judgement) {
    this._scroll.hidden = judgement === null;
    if (judgement === null) {
      this._heading.replaceChildren("No decision is judged here");
      this._verdict.textContent = "";
      this._rows.replaceChildren();
      return;
    }
    const { player, actions } = judgement;
    this._heading.replaceChildren(playerSign(player), `${this._nameOf(player)} decides`);
    this._verdict.textContent = loss(judgement);
    const places = actions.map((_, place) => place);
    places.sort((a, b) => actions[b].chances[player] - actions[a].chances[player]);
    this._rows.replaceChildren(...places.map((place) => this._row(judgement, place)));
  }

  _titles() {
    const titles = ["action", "wins, %", "prior, %", "choice, %", "play-outs"];
    return titles.map((title) => element("th", { scope: "col" }, title));
  }

  /**
   * @param {import("./figures.js").Judgement} judgement
   * @param {number} place
   */
  _row(judgement, place) {
    const { player, actions, best, taken } = judgement;
    const action = actions[place];
    const share = element("span", { class: "share" });
    share.style.width = `${100 * action.chances[player]}%`;
    const badges = [...(place === taken ? ["taken"] : []), ...(place === best ? ["best"] : [])];
    const name = element(
      "th",
      { scope: "row" },
      element("span", { class: "words" }, action.words),
      ...badges.map((badge) => element("span", { class: "badge" }, badge)),
      share,
    );
    const figures = [
      withNoise(action.chances[player], action.noise),
      percent(action.prior),
      percent(action.vote),
      action.visits.toLocaleString("en"),
    ];
    const cells = figures.map((figure) => element("td", {}, figure));
    return element("tr", { class: place === taken ? "taken" : null }, name, ...cells);
  }
}
