// @ts-check
// The first page: a new game, the games that there are, and records to look at.
import { button, element, playerSign } from "/viewer/dom.js";
import { ask } from "./api.js";
import { byId, parsedPosition, tell } from "./page.js";
import { RulesForm } from "./rulesform.js";
import { SeatForm, USUAL_AGENT } from "./seatform.js";

/** @typedef {{id: string, heading: string, made: number, players: string[], isRecord: boolean, winners: number[], ranks: {player: number, place: number}[], asked: number | null, trouble: boolean, damaged?: string}} Summary */

const WATCHED = 0.3; // seconds of a decision, if nobody but agents plays
const players = byId("players", HTMLSelectElement);
const error = byId("error");
const begin = byId("begin", HTMLButtonElement);
/** @type {SeatForm[]} */
let seats = [];
/** @type {Record<string, unknown> | null} */
let position = null;

/** @param {unknown} wrong */
function fail(wrong) {
  tell(error, wrong);
  error.scrollIntoView({ block: "nearest" });
}

// ---------------------------------------------------------------------- a new game

const offers = await ask("/api/offers").catch(fail);
const rules = offers && new RulesForm(byId("fields"), byId("edition", HTMLSelectElement), byId("changed"), offers.ruleset);

function showSeats() {
  const seatsInAll = position ? Number(position.players ?? 4) : Number(players.value);
  byId("duel-label").hidden = seatsInAll !== 4;
  const count = isDuel(seatsInAll) ? 2 : seatsInAll;
  const kept = seats.slice(0, count);
  for (let player = kept.length; player < count; player++) {
    kept.push(new SeatForm(player, offers.agents, { who: player ? USUAL_AGENT : "", withLink: true }));
  }
  seats = kept;
  byId("seats").replaceChildren(...seats.map((seat) => element("li", {}, seat.element)));
  rules?.show(seatsInAll);
  const isUsual = seats.every((seat, player) => (seat.value.who === "agent") === player > 0);
  begin.textContent = byId("more", HTMLDetailsElement).open || !isUsual
    ? "Begin this game"
    : `Play against ${["an agent", "two agents", "three agents", "four agents", "five agents"][seats.length - 2]}`;
}

/** Do two players have two colours each? @param {number} count of colours */
function isDuel(count) {
  return count === 4 && byId("duel", HTMLSelectElement).value !== "";
}

/** What the server is asked for. */
function form() {
  const chosen = seats.length === 2
    ? { seats: [...seats, ...seats].map((seat) => seat.value), teams: [[0, 2], [1, 3]] }
    : { seats: seats.map((seat) => seat.value) };
  if (position) {
    return { ...chosen, position };
  }
  const seed = byId("seed", HTMLInputElement).value;
  return { ...chosen, players: Number(players.value), ...rules?.value, seed: seed === "" ? null : Number(seed) };
}

/** @param {Record<string, unknown> | null} found */
function usePosition(found) {
  position = found;
  for (const id of ["players", "edition", "seed"]) {
    byId(id).parentElement?.toggleAttribute("hidden", found !== null); // with its label
  }
  byId("rules").hidden = found !== null;
  showSeats();
}

byId("new").addEventListener("submit", async (event) => {
  event.preventDefault();
  begin.disabled = true; // a second click would begin a second game
  try {
    const { id } = await ask("/api/games", { json: form() });
    if (seats.every((seat) => seat.value.who === "agent")) {
      await ask(`/api/games/${id}/pace`, { json: { seconds: WATCHED } });
    }
    location.href = `/games/${id}`;
  } catch (wrong) {
    begin.disabled = false;
    fail(wrong);
  }
});
byId("new").addEventListener("invalid", ({ target }) => {
  // Folded away a field could not say what is wrong with it.
  for (let fold = /** @type {Element} */ (target).closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null) {
    fold.open = true;
  }
}, true);
players.addEventListener("change", showSeats);
byId("duel").addEventListener("change", showSeats);
byId("more").addEventListener("toggle", showSeats);
byId("position").addEventListener("change", async (event) => {
  const [file] = /** @type {HTMLInputElement} */ (event.target).files ?? [];
  const told = byId("position-told");
  if (!file) {
    usePosition(null);
    told.textContent = "";
    return;
  }
  try {
    const found = parsedPosition(await file.text());
    const view = await ask("/api/positions", { json: found });
    usePosition(view.error ? null : view.position);
    told.textContent = view.error ? `${file.name}: ${view.error}` : `${view.question.title}: ${view.question.text}`;
  } catch (wrong) {
    usePosition(null);
    told.textContent = `${file.name}: ${/** @type {Error} */ (wrong).message}`;
  }
});

// ---------------------------------------------------------------------- the games that there are

async function showGames() {
  try {
    /** @type {Summary[]} */
    const found = await ask("/api/games");
    const lines = found.map(lineOf);
    byId("games").replaceChildren(...(lines.length ? lines : [element("li", { class: "faint" }, "None yet.")]));
  } catch (wrong) {
    fail(wrong);
  }
}

/** @param {Summary} game */
function lineOf(game) {
  const remove = button("Remove", `Remove the game ${game.id}`, async () => {
    if (confirm("Remove this game for good?")) {
      await ask(`/api/games/${game.id}`, { method: "DELETE" }).catch(fail);
      await showGames();
    }
  });
  if (game.damaged) {
    return element("li", {}, element("span", { class: "trouble" }, game.damaged), remove);
  }
  const parts = game.players.map((name, player) => element("span", {}, playerSign(player), ` ${name} `));
  const places = game.players.map((_, player) => game.ranks.find((one) => one.player === player)?.place).join(" – ");
  const won = `${game.winners.map((player) => game.players[player]).join(" and ")} won, places ${places}`;
  const asked = game.asked === null ? "" : `${game.players[game.asked]} is asked`;
  const state = game.winners.length ? won : asked;
  const date = new Date(game.made * 1000).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  return element(
    "li",
    {},
    element("a", { href: `/games/${game.id}` }, `${game.heading.replace("Ursuppe · ", "")}${game.isRecord ? " · record" : ""}`),
    element("span", { class: "faint" }, `${date} · `, ...parts, "· ", game.trouble ? "an agent is in trouble" : state),
    remove,
  );
}

async function showArenas() {
  /** @type {string[]} */
  const names = await ask("/api/arena").catch(() => []);
  byId("arenas").hidden = names.length === 0;
  const links = names.map((name, number) => element("li", {}, element("a", { href: `/arena/${number}` }, name)));
  byId("runs").replaceChildren(...links);
}

// ---------------------------------------------------------------------- a record to look at

byId("look").addEventListener("submit", async (event) => {
  event.preventDefault();
  const [file] = byId("record", HTMLInputElement).files ?? [];
  try {
    const number = encodeURIComponent(byId("number", HTMLInputElement).value);
    const { id } = await ask(`/api/records?game=${number}`, { file });
    location.href = `/games/${id}/replay`;
  } catch (wrong) {
    fail(wrong);
  }
});

// Before this nobody would hear a click on them.
document.querySelectorAll("button").forEach((one) => one.toggleAttribute("disabled", false));
if (offers) {
  const kept = sessionStorage.getItem("ursuppe-position"); // from the editor
  sessionStorage.removeItem("ursuppe-position");
  if (kept) {
    byId("more", HTMLDetailsElement).open = true;
    byId("from", HTMLDetailsElement).open = true;
    byId("position-told").textContent = "the position of the editor";
    usePosition(JSON.parse(kept));
  } else {
    showSeats();
  }
  await Promise.all([showGames(), showArenas()]);
} else {
  document.querySelectorAll("section").forEach((one) => (one.hidden = true));
}
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) {
    begin.disabled = false; // as it was left
    showGames();
  }
});
