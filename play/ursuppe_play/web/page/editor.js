// @ts-check
// A position, put together by hand.
import { element } from "/viewer/dom.js";
import { ask } from "./api.js";
import { Board } from "./board.js";
import { byId, parsedPosition, tell } from "./page.js";

/** @typedef {Record<string, any>} Position */

const SPACES = 19;
const DECISIONS = ["move", "feed", "buy", "divide", "defect", "aggress", "start_place", "place"];
const MOST_DAMAGE = 3;
// What follows from the rest, and what is under way at one decision alone.
const DERIVED = ["supply", "reserve", "format"];
const OF_A_ROUND = ["earlier_cards"];
const OF_A_DECISION = [
  ...["phase", "player", "chance", "paused", "finished", "decision", "acting", "movement", "attack", "attempts"],
  ...["lost_fight", "answers_used", "tapped", "place", "owed", "start_order"],
];

const board = new Board(byId("board"), byId("tables"), () => {}, () => {}, () => {});
const { ruleset } = await ask("/api/offers").catch((wrong) => {
  tell(place("other"), wrong);
  throw wrong;
});
/** @type {Position} */
let position = {};
/** @type {Position[]} */
const past = [];
let isShown = 0; // the number of the last question whose answer counts

// ---------------------------------------------------------------------- the position

/** @returns {Position} */
function beginning(players = 4, edition = "1998") {
  const each = (/** @type {number} */ number) => Array.from({ length: players }, () => number);
  const food = Object.fromEntries(Array.from({ length: SPACES }, (_, space) => [String(space + 1), each(2)]));
  const amoebas = Array.from({ length: players }, (_, player) => [[1, 2 + player, 0], [2, 12 + player, 0]]);
  return { players, edition, decision: "buy", player: players - 1, bp: each(8), amoebas, food };
}

/** @param {(draft: Position) => void} edit */
function change(edit) {
  past.push(structuredClone(position));
  const draft = structuredClone(position);
  edit(draft);
  use(draft);
}

/** @param {Position} draft */
async function use(draft) {
  position = draft;
  try {
    showForm();
  } catch {
    // What the form cannot show is impossible: the server says why.
  }
  const number = ++isShown;
  try {
    const view = await ask("/api/positions", { json: position });
    if (number === isShown) {
      showView(view);
    }
  } catch (error) {
    tell(place("other"), error);
  }
}

/** @param {Position} draft @param {string[]} keys */
function drop(draft, keys) {
  for (const key of keys) {
    delete draft[key];
  }
}

const count = () => Number(position.players ?? 4);
const printed = () => ruleset.printed[`${position.edition ?? "1998"}-${count()}`];
/** @param {string} key */
const numbers = (key) => position[key] ?? Array.from({ length: count() }, (_, player) => (key === "bp" ? printed().start_bp : player + 1));
/** @returns {number[][][]} */
const amoebas = () => position.amoebas ?? Array.from({ length: count() }, () => []);

// ---------------------------------------------------------------------- what is shown

/** @param {string} name @returns {HTMLElement} where is said what is wrong */
function place(name) {
  return /** @type {HTMLElement} */ (document.querySelector(`p[data-place="${name}"]`));
}

/** @param {any} view */
function showView(view) {
  for (const one of document.querySelectorAll("p[data-place]")) {
    tell(/** @type {HTMLElement} */ (one), null);
  }
  if (view.picture) {
    board.show(view.picture);
  }
  byId("play", HTMLButtonElement).disabled = Boolean(view.error) || Boolean(position.finished);
  if (view.error) {
    tell(place(view.place) ?? place("other"), view.error);
    byId("tip").textContent = "";
  } else {
    const { player, title, text } = view.question;
    const actions = view.choices.map((/** @type {{words: string}} */ choice) => choice.words).join(" · ");
    byId("tip").textContent = `${title}: ${player === null ? "" : `${ruleset.colours[player]}, `}${text}${actions && ` – ${actions}`}`;
  }
}

function showForm() {
  byId("players", HTMLSelectElement).value = String(count());
  byId("edition", HTMLSelectElement).value = position.edition ?? "1998";
  byId("acting", HTMLInputElement).value = position.acting ?? "";
  byId("round", HTMLInputElement).value = position.round ?? "";
  byId("json", HTMLTextAreaElement).value = JSON.stringify(position, null, 1);
  byId("undo", HTMLButtonElement).disabled = past.length === 0;
  const players = Array.from({ length: count() }, (_, player) => [String(player), `${player}: ${ruleset.colours[player]}`]);
  for (const id of ["decider", "owner", "gene-owner"]) {
    options(byId(id, HTMLSelectElement), players);
  }
  byId("decider", HTMLSelectElement).value = String(position.player ?? 0);
  const others = ["chance", "paused", "finished"].filter((key) => key in position);
  const named = [...new Set([...(position.decision ? [position.decision] : others), ...DECISIONS])];
  options(byId("decision", HTMLSelectElement), named.map((name) => [name, name.replaceAll("_", " ")]));
  byId("decision", HTMLSelectElement).value = named[0];
  showNumbers("bp");
  showNumbers("markers");
  showGenes();
  showCards();
}

/** @param {HTMLSelectElement} select @param {string[][]} pairs of values and words */
function options(select, pairs) {
  const chosen = select.value;
  select.replaceChildren(...pairs.map(([value, words]) => element("option", { value }, words)));
  if (pairs.some(([value]) => value === chosen)) {
    select.value = chosen;
  }
}

/** @param {"bp" | "markers"} key */
function showNumbers(key) {
  const inputs = numbers(key).map((/** @type {number} */ value, /** @type {number} */ player) => {
    const input = element("input", { type: "number", min: 0, max: 999, value });
    input.addEventListener("change", () =>
      change((draft) => {
        draft[key] = [...numbers(key)];
        draft[key][player] = Number(input.value);
      }),
    );
    return element("label", {}, element("span", { class: `player-sign player-${player}` }, String(player)), input);
  });
  byId(key).replaceChildren(...inputs);
}

function showGenes() {
  const player = Number(byId("gene-owner", HTMLSelectElement).value || 0);
  const owned = position.genes?.[player] ?? {};
  const boxes = Object.entries(ruleset.genes).map(([gene, title]) => {
    const box = element("input", { type: "checkbox", checked: gene in owned });
    box.addEventListener("change", () =>
      change((draft) => {
        draft.genes ??= Array.from({ length: count() }, () => ({}));
        delete draft.genes[player][gene];
        if (box.checked) {
          draft.genes[player][gene] = Number(byId("bought", HTMLInputElement).value);
        }
      }),
    );
    const round = gene in owned ? ` (round ${owned[gene]})` : "";
    return element("label", {}, box, ` ${title}${round}`);
  });
  byId("genes").replaceChildren(...boxes);
}

function showCards() {
  /** @type {any[][]} */
  const cards = position.ruleset?.environment ?? printed().environment;
  const texts = [...new Set(cards.map((card) => JSON.stringify(card)))];
  const words = texts.map((text) => [text, JSON.parse(text).join(" ")]);
  const select = byId("card", HTMLSelectElement);
  options(select, [["", "the last one"], ...words]);
  select.value = position.card ? JSON.stringify(position.card) : "";
}

// ---------------------------------------------------------------------- tools on the board

/** @param {number} space @param {string | null} name of an amoeba that was clicked, such as 2.3 */
function useTool(space, name) {
  const tool = /** @type {HTMLInputElement} */ (document.querySelector("[name=tool]:checked")).value;
  const owner = Number(byId("owner", HTMLSelectElement).value);
  const there = amoebas().flatMap((own, player) => own.filter((one) => one[1] === space).map((one) => ({ player, number: one[0] })));
  const [named, number] = (name ?? "").split(".").map(Number);
  const meant = name && !name.includes("?") ? { player: named, number } : there.find((one) => one.player === owner) ?? there[0];
  change((draft) => {
    draft.amoebas = structuredClone(amoebas());
    draft.food ??= {};
    const cubes = (draft.food[space] ??= Array.from({ length: count() }, () => 0));
    if (tool === "add") {
      const used = draft.amoebas[owner].map((/** @type {number[]} */ one) => one[0]);
      const free = Array.from({ length: printed().amoebas }, (_, index) => index + 1).find((one) => !used.includes(one));
      draft.amoebas[owner].push([free ?? printed().amoebas + 1, space, 0]);
      draft.amoebas[owner].sort((/** @type {number[]} */ one, /** @type {number[]} */ other) => one[0] - other[0]);
    } else if (tool === "cube" || tool === "no-cube") {
      cubes[owner] = Math.max(0, cubes[owner] + (tool === "cube" ? 1 : -1));
    } else if (meant) {
      const own = draft.amoebas[meant.player];
      const index = own.findIndex((/** @type {number[]} */ one) => one[0] === meant.number);
      if (tool === "remove") {
        own.splice(index, 1);
      } else {
        own[index][2] = (own[index][2] + 1) % MOST_DAMAGE;
      }
    }
  });
}

byId("board").addEventListener("click", (event) => {
  const at = /** @type {Element} */ (event.target);
  const space = at.closest(".space")?.getAttribute("data-space");
  if (space) {
    useTool(Number(space), at.closest(".amoeba")?.getAttribute("data-amoeba") ?? null);
  }
});
byId("apply").addEventListener("click", () => useTool(Number(byId("space", HTMLSelectElement).value), null));

// ---------------------------------------------------------------------- the rest of the form

/** @param {string} id @param {(value: string) => void} act */
function on(id, act) {
  byId(id).addEventListener("change", (event) => act(/** @type {HTMLInputElement} */ (event.target).value));
}

on("players", (value) => change((draft) => Object.assign(draft, emptied(draft), beginning(Number(value), draft.edition))));
on("edition", (value) => change((draft) => Object.assign(draft, { edition: value })));
on("decision", (value) =>
  change((draft) => {
    drop(draft, OF_A_DECISION);
    Object.assign(draft, { decision: value, player: Number(byId("decider", HTMLSelectElement).value) });
  }),
);
on("decider", (value) =>
  change((draft) => {
    drop(draft, OF_A_DECISION.filter((key) => key !== "decision"));
    draft.player = Number(value);
  }),
);
on("acting", (value) => change((draft) => (value ? (draft.acting = value) : delete draft.acting)));
on("round", (value) =>
  change((draft) => {
    drop(draft, OF_A_ROUND);
    value === "" ? delete draft.round : (draft.round = Number(value));
  }),
);
on("card", (value) =>
  change((draft) => {
    drop(draft, OF_A_ROUND);
    value ? (draft.card = JSON.parse(value)) : delete draft.card;
  }),
);
byId("gene-owner").addEventListener("change", showGenes);

/** @param {Position} draft @returns {Position} nothing: all keys go */
function emptied(draft) {
  drop(draft, Object.keys(draft).filter((key) => key !== "edition"));
  return draft;
}

byId("undo").addEventListener("click", () => use(past.pop() ?? position));
byId("play").addEventListener("click", () => {
  sessionStorage.setItem("ursuppe-position", JSON.stringify(position));
  location.href = "/";
});
byId("save").addEventListener("click", () => {
  const link = element("a", { href: `data:application/json,${encodeURIComponent(JSON.stringify(position, null, 1))}`, download: "position.json" });
  link.click();
});
byId("use").addEventListener("click", () => useText(byId("json", HTMLTextAreaElement).value));
byId("open").addEventListener("change", async (event) => {
  const [file] = /** @type {HTMLInputElement} */ (event.target).files ?? [];
  if (file) {
    useText(await file.text());
  }
});

/** @param {string} text */
function useText(text) {
  try {
    const found = parsedPosition(text);
    if (typeof found !== "object" || found === null || Array.isArray(found)) {
      throw new Error("a position must be an object, as docs/positions.md says");
    }
    drop(found, DERIVED);
    change((draft) => Object.assign(emptied(draft), { edition: "1998" }, found));
  } catch (error) {
    tell(place("other"), error);
  }
}

// ---------------------------------------------------------------------- the beginning

options(byId("space", HTMLSelectElement), Array.from({ length: SPACES }, (_, space) => [String(space + 1), String(space + 1)]));
const game = new URLSearchParams(location.search).get("game");
const found = game ? await ask(`/api/games/${encodeURIComponent(game)}/position`).catch((error) => error) : beginning();
if (found instanceof Error) {
  await use(beginning());
  tell(place("other"), found);
} else {
  drop(found, DERIVED);
  await use(found);
}
