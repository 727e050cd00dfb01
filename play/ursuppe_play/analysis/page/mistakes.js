// @ts-check
// The largest mistakes of each player.
import { element, playerSign } from "./dom.js";
import { withNoise } from "./figures.js";

const MOST = 8; // of a player

/**
 * A list of them.
 * @param {(import("./figures.js").JudgedDecision | null)[]} decisions of the game; null where it was not judged
 * @param {number} players
 * @param {(number: number) => void} pick is called with the place of a decision that is clicked
 * @param {(player: number) => string} nameOf
 * @returns {HTMLElement}
 */
export function mistakesOf(decisions, players, pick, nameOf) {
  const found = decisions.flatMap((decision, place) => (decision?.is_mistake ? [{ ...decision, place }] : []));
  found.sort((a, b) => (b.judgement.gave_away ?? 0) - (a.judgement.gave_away ?? 0));
  const parts = Array.from({ length: players }, (_, player) => {
    const own = found.filter((decision) => decision.judgement.player === player);
    const items = own.slice(0, MOST).map((decision) => element("li", {}, mistake(decision, () => pick(decision.place))));
    const more = own.length - items.length;
    const isJudged = decisions.some((decision) => decision?.judgement.player === player);
    const words = isJudged ? "none that noise does not explain" : "not judged";
    const none = own.length === 0 ? [element("p", { class: "faint" }, words)] : [];
    const rest = more > 0 ? [element("p", { class: "faint" }, `and ${more} smaller ones`)] : [];
    return element("div", {}, element("h3", {}, playerSign(player), nameOf(player)), element("ol", {}, ...items), ...none, ...rest);
  });
  return element("section", { class: "mistakes" }, element("h2", {}, "Largest mistakes"), element("div", { class: "lists" }, ...parts));
}

/**
 * @param {import("./figures.js").JudgedDecision} decision
 * @param {() => void} pick
 */
function mistake(decision, pick) {
  const { actions, taken, best, gave_away: lost, gave_away_noise: noise } = decision.judgement;
  const points = element("strong", {}, `${withNoise(lost ?? 0, noise)} points`);
  const where = decision.round ? `round ${decision.round}, decision ${decision.number}` : `decision ${decision.number}`;
  const what = `${actions[taken ?? 0].words}, in place of: ${actions[best].words}`;
  const made = element("button", { type: "button" }, points, ` ${where}`, element("span", {}, what));
  made.addEventListener("click", pick);
  return made;
}
