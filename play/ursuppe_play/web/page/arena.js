// @ts-check
// The table of an arena run, as it grows.
import { element } from "/viewer/dom.js";
import { ask } from "./api.js";
import { byId, tell } from "./page.js";

/** @typedef {{estimate: number, low: number | null, high: number | null}} Interval */

const EVERY = 2000; // ms
const number = location.pathname.split("/")[2];

/** @param {number} part */
const percent = (part) => `${(100 * part).toFixed(1)} %`;

async function look() {
  let isOver = false;
  try {
    const told = await ask(`/api/arena/${encodeURIComponent(number)}`);
    isOver = told.games >= told.total;
    tell(byId("error"), null);
    byId("name").textContent = `Arena: ${told.name}`;
    byId("far").textContent = `${told.games} of ${told.total} games, ${told.seeds} seeds${isOver ? "" : " so far"}`;
    byId("progress", HTMLProgressElement).value = told.games / told.total;
    byId("rows").replaceChildren(...told.agents.map(line));
    const isShort = told.agents.some((/** @type {{wins: Interval}} */ one) => one.wins.low === null);
    byId("about").textContent = isShort ? `Too few seeds for intervals${isOver ? "" : " yet"}.` : "Intervals resample the seeds.";
  } catch (error) {
    tell(byId("error"), error);
  }
  if (!isOver) {
    setTimeout(() => (document.hidden ? document.addEventListener("visibilitychange", look, { once: true }) : look()), EVERY);
  }
}

/** @param {{agent: string, seats: number, wins: Interval, rank: number}} figures */
function line({ agent, seats, wins, rank }) {
  const interval = wins.low === null || wins.high === null ? "–" : `${percent(wins.low)} to ${percent(wins.high)}`;
  const cells = [percent(wins.estimate), interval, rank.toFixed(2), String(seats)];
  return element("tr", {}, element("th", { scope: "row" }, agent), ...cells.map((text) => element("td", {}, text)));
}

await look();
