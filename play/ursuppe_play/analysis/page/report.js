// @ts-check
// The page of `ursuppe analyse`: the replay with the analysis beside it.
import { ChancesPicture } from "./chances.js";
import { DecisionTable } from "./decision.js";
import { element } from "./dom.js";
import { Film, inlineData } from "./film.js";
import { mistakesOf } from "./mistakes.js";
import { Player } from "./player.js";

const { reel, analysis } = await inlineData();
const film = new Film(reel);

/** @type {(import("./figures.js").JudgedDecision | null)[]} one a moment; null where it was not judged */
const decisions = analysis.decisions;
const chances = decisions.map((decision) => decision?.judgement.chances ?? null);
const atTheEnd = analysis.winners.length === 0 ? null : film.players.map((_, player) => Number(analysis.winners.includes(player)));
const course = {
  teams: film.teams,
  chances: [...chances, atTheEnd],
  rounds: film.moments.map((moment) => moment.round),
  mistakes: decisions.flatMap((decision, number) =>
    decision?.is_mistake ? [{ number, player: decision.judgement.player }] : [],
  ),
};

const replay = element("div");
const intro = element("p", { class: "faint" }, analysis.about);
const picture = element("section", { "aria-label": "Chances along the game" });
const table = element("section", { "aria-label": "The decision" });
const notes = element(
  "details",
  { class: "notes" },
  element("summary", {}, "What the figures mean"),
  ...analysis.notes.map((/** @type {string} */ note) => element("p", {}, note)),
);
/** @type {HTMLElement} */ (document.getElementById("page")).append(intro, replay);

const player = new Player(replay, film);
const nameOf = (/** @type {number} */ seat) => film.players[seat] ?? `player ${seat}`;
const go = (/** @type {number} */ number) => {
  player.pause();
  player.show(number);
};
player.aside.prepend(picture, table, mistakesOf(decisions, film.players.length, go, nameOf));
player.aside.append(notes);
const drawn = new ChancesPicture(picture, course, go);
const shown = new DecisionTable(table, nameOf);
player.onShow((number) => {
  drawn.show(number);
  shown.show(decisions[number]?.judgement ?? null);
});
