// @ts-check
// Figures as people read them. Chances are of 1 here, and per cent on the page.

/**
 * What an agent says of a decision (ursuppe_play/analysis/judgement.py).
 * @typedef {object} RatedAction
 * @property {string} action
 * @property {string} words
 * @property {number[]} chances
 * @property {number | null} noise
 * @property {number} prior
 * @property {number} vote
 * @property {number} visits
 */

/**
 * @typedef {object} Judgement
 * @property {number} player who decides
 * @property {number[]} chances of all players before the decision
 * @property {number | null} noise
 * @property {RatedAction[]} actions
 * @property {number} best a place among the actions
 * @property {number | null} taken likewise
 * @property {number | null} gave_away
 * @property {number | null} gave_away_noise
 */

/**
 * A decision of a record.
 * @typedef {{ number: number, round: number, is_mistake: boolean, judgement: Judgement }} JudgedDecision
 */

/**
 * Per cent, or percentage points.
 * @param {number} share
 * @returns {string}
 */
export function percent(share) {
  return (100 * share).toFixed(1).replace("-", "−");
}

/**
 * The same with its noise, if it is known: `31.2 ± 1.1`.
 * @param {number} share
 * @param {number | null} noise
 * @returns {string}
 */
export function withNoise(share, noise) {
  return noise === null ? percent(share) : `${percent(share)} ± ${percent(noise)}`;
}

/**
 * What a decision gave away, in words.
 * @param {Judgement} judgement
 * @returns {string}
 */
export function loss(judgement) {
  const { taken, best, gave_away: lost, gave_away_noise: noise } = judgement;
  if (taken === null || lost === null) {
    return "";
  }
  if (taken === best) {
    return "No action did better than the one taken.";
  }
  const points = `The action taken gave away ${withNoise(lost, noise)} percentage points`;
  if (noise === null) {
    return `${points}; how noisy that is cannot be told yet.`;
  }
  return lost > noise ? `${points}.` : `${points}: less than the noise, so it means nothing.`;
}
