// @ts-check
// A game: the board, what may be done, what has happened, and who plays.
import { button, element, playerSign } from "/viewer/dom.js";
import { Analysis } from "./analysis.js";
import { Game, Refusal, ask } from "./api.js";
import { Board } from "./board.js";
import { Digits } from "./digits.js";
import { Remembered, byId, tell } from "./page.js";
import { SeatForm, USUAL_AGENT } from "./seatform.js";
import { Showing } from "./showing.js";

/** @typedef {import("./api.js").View} View */
/** @typedef {import("./api.js").Choice} Choice */
/** @typedef {import("./api.js").Seat} Seat */
/** @typedef {import("./api.js").Frame} Frame */

const game = new Game(location.pathname.split("/")[2], location.search);
const board = new Board(byId("board"), byId("tables"), choose, chooseAmong, explain);
const showing = new Showing(game, showFrame, showGame);
const digits = new Digits((number) => buttons()[number - 1]?.click(), () => buttons().length);
const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
const speed = new Remembered("speed", calm ? "0" : "0.2");
/** @type {View | undefined} */
let view;
/** @type {Promise<unknown>} */
let lastQuestion = Promise.resolve();
let willLook = false;
let isByKeyboard = false; // the last decision: then the focus comes to the next one

byId("replay", HTMLAnchorElement).href = `/games/${game.id}/replay${location.search}`;
byId("record", HTMLAnchorElement).href = game.path("/record");
byId("edit", HTMLAnchorElement).href = `/editor?game=${game.id}`;
byId("edit").hidden = location.search !== ""; // of a person with a link

// ---------------------------------------------------------------------- what the server tells

/**
 * Ask the server one thing after the other.
 * @template T
 * @param {() => Promise<T>} question
 * @returns {Promise<T | undefined>} undefined: it has refused, and the page says why
 */
function inTurn(question) {
  const answer = lastQuestion.then(question).catch((error) => {
    showGame();
    if (error instanceof Refusal && error.status === 0) {
      byId("lost").hidden = false;
    } else {
      tell(byId("error"), error);
    }
    return undefined;
  });
  lastQuestion = answer;
  return answer;
}

/** See what has changed; several changes at once are one look. */
function look() {
  if (!willLook) {
    willLook = true;
    inTurn(async () => {
      willLook = false;
      accept(await game.view());
    });
  }
}

/** @param {View} found */
function accept(found) {
  const before = view;
  view = found;
  byId("lost").hidden = true;
  if (found.trouble !== before?.trouble) {
    tell(byId("trouble"), found.trouble);
  }
  if (JSON.stringify(aboutSeats(found)) !== JSON.stringify(before && aboutSeats(before))) {
    showSeats(); // else what has the focus, or is selected there, stays
    if (document.body.dataset.state === "waiting") {
      byId("now").replaceChildren(...now(found)); // agents have been stopped, or go on
    }
  }
  if (before && before.version === found.version && before.frame === found.frame) {
    return; // what is shown, looked at or pointed at stays as it is
  }
  showNews();
  const steps = before ? found.frame - before.frame : 0;
  const seconds = Number(byId("speed", HTMLSelectElement).value);
  if (steps > 0 && seconds > 0 && found.own.length && !document.hidden) {
    showChoices([]);
    byId("facts").textContent = "";
    setState("showing");
    showing.show(before?.frame ?? 0, found.frame, seconds);
  } else {
    showing.stop();
    showGame();
  }
}

/**
 * Ask for a change, and show what comes of it.
 * @param {string} part
 * @param {Record<string, unknown>} json
 * @returns {Promise<boolean>} has it been made?
 */
async function change(part, json) {
  tell(byId("error"), null);
  const done = await inTurn(() => game.change(part, json));
  look(); // at what has come of it, or at how the game has gone on
  return done !== undefined;
}

/**
 * The same of a decision: until the answer comes, no other one can be taken.
 * @param {string} part
 * @param {Record<string, unknown>} json
 */
function decide(part, json) {
  setState("waiting");
  change(part, { ...json, version: view?.version });
}

// ---------------------------------------------------------------------- what a person does

/** @param {Choice} choice */
function choose(choice) {
  if (view && document.body.dataset.state === "asked") {
    decide("/choose", { action: choice.action });
  }
}

/** @param {Choice[]} choices */
function chooseAmong(choices) {
  const meant = buttons().filter((one) => choices.some((choice) => choice.action === one.dataset.action));
  for (const one of buttons()) {
    one.classList.toggle("meant", meant.includes(one));
  }
  meant[0]?.focus();
  byId("tip").textContent = `${meant.length} actions are chosen there: take one from the list`;
}

/** @returns {HTMLButtonElement[]} */
function buttons() {
  return [...byId("choices").querySelectorAll("button")];
}

/** @param {Choice[]} choices @param {string | null} gene */
function explain(choices, gene) {
  const lines = choices.map((choice) => choice.words);
  const told = gene && view?.genes[gene];
  if (told) {
    lines.push(`${told.title}: ${told.effect} (${told.price} BP, ${told.points} MP)`);
  }
  byId("tip").textContent = lines.join(" · ");
}

async function hint() {
  byId("hinted").textContent = "The trained policy thinks …";
  const told = await inTurn(() => ask(game.path("/hint")));
  if (told) {
    byId("hinted").textContent = `Hint: ${told.words}`;
    for (const one of buttons()) {
      one.classList.toggle("meant", one.dataset.action === told.action);
    }
  }
}

byId("undo").addEventListener("click", () => decide("/undo", {}));
byId("redo").addEventListener("click", () => decide("/redo", {}));
byId("hint").addEventListener("click", hint);
byId("skip").addEventListener("click", () => showing.skip());
byId("back").addEventListener("click", showGame);
const speeds = byId("speed", HTMLSelectElement);
speeds.value = speed.value;
speeds.addEventListener("change", () => {
  speed.value = speeds.value;
  showing.pace(Number(speeds.value));
});
byId("pace").addEventListener("change", (event) => {
  const { value } = /** @type {HTMLSelectElement} */ (event.target);
  change("/pace", { seconds: value === "stop" ? null : Number(value) });
});
document.addEventListener("keydown", (event) => {
  const isTyped = event.target instanceof Element && event.target.closest("input, select, textarea, dialog");
  if (isTyped || event.repeat || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  const id = { u: "undo", r: "redo", h: "hint", s: "skip" }[event.key];
  if (id) {
    byId(id).click();
  } else if (document.body.dataset.state === "asked" && digits.press(event.key)) {
    event.preventDefault();
  }
});

// ---------------------------------------------------------------------- what is shown

/** @param {"waiting" | "asked" | "showing" | "over" | "past"} state */
function setState(state) {
  document.body.dataset.state = state;
  const isNow = state !== "showing" && state !== "past";
  byId("undo", HTMLButtonElement).disabled = !view?.canUndo || !isNow;
  byId("redo", HTMLButtonElement).disabled = !view?.canRedo || !isNow;
  byId("hint", HTMLButtonElement).disabled = state !== "asked";
  byId("skip", HTMLButtonElement).disabled = state !== "showing";
  byId("back", HTMLButtonElement).hidden = state !== "past";
  for (const one of buttons()) {
    one.disabled = state !== "asked";
  }
}

/** The game as it stands. */
function showGame() {
  if (!view) {
    return;
  }
  const state = view.isOver ? "over" : view.choices.length ? "asked" : "waiting";
  byId("heading").textContent = view.heading;
  board.show(view.picture, view.choices);
  showChoices(view.choices);
  byId("now").replaceChildren(...now(view));
  byId("facts").textContent = view.question.facts.join("; ");
  byId("tip").textContent = "";
  markNews(view.frame);
  setState(state);
  document.body.dataset.version = String(view.version);
  if (state === "asked" && isByKeyboard) {
    buttons()[0].focus();
    isByKeyboard = false;
  }
  tellFrame(view.frame);
}

/** @param {Frame} frame of the past */
function showFrame(frame) {
  byId("heading").textContent = frame.heading;
  board.show(frame.picture);
  byId("tip").textContent = "";
  byId("now").textContent = frame.words;
  markNews(frame.frame);
  tellFrame(frame.frame);
}

/** @param {number} frame for the analysis of what is looked at */
function tellFrame(frame) {
  document.dispatchEvent(new CustomEvent("ursuppe:frame", { detail: { frame } }));
}

/** @param {View} found @returns {(Node | string)[]} */
function now(found) {
  const { player, title, text } = found.question;
  if (player === null) {
    return [`${title}: ${text}`];
  }
  const seat = found.seats[player];
  if (found.isOver) {
    return [playerSign(player), ` ${seat.name} ${text}`];
  }
  if (found.choices.length) {
    return [playerSign(player), found.you.length ? ` You decide ${text}` : ` ${seat.name} decides ${text}`];
  }
  if (found.isPreparing && found.pace !== null) {
    return [playerSign(player), ` ${seat.name} gets ready: the first decision after a start can take half a minute`];
  }
  const wait = found.waitsFor === null || found.pace === null ? "is to decide" : "thinks about";
  return [playerSign(player), ` ${seat.name} ${wait} ${text}`];
}

/** @param {Choice[]} choices */
function showChoices(choices) {
  digits.clear();
  byId("choices").replaceChildren(
    ...choices.map((choice, number) => {
      const gene = /^(?:buy|discard) (\w+)/.exec(choice.action)?.[1];
      const effect = gene && view?.genes[gene]?.effect;
      const made = element(
        "button",
        { type: "button", "data-action": choice.action },
        element("kbd", {}, String(number + 1)),
        element("span", {}, choice.words, ...(effect ? [element("small", {}, effect)] : [])),
      );
      made.addEventListener("click", (event) => {
        isByKeyboard = event.detail === 0;
        choose(choice);
      });
      for (const [event, pointed] of /** @type {[string, Choice | null][]} */ ([
        ["pointerenter", choice],
        ["focus", choice],
        ["pointerleave", null],
        ["blur", null],
      ])) {
        made.addEventListener(event, () => board.pointAt(pointed));
      }
      return element("li", {}, made);
    }),
  );
  byId("choices-title").textContent = choices.length ? "What you may do" : "Nothing to decide now";
  byId("hinted").textContent = "";
}

function showNews() {
  byId("news").replaceChildren(
    ...(view?.news ?? []).map(({ frame, words }) => {
      const line = element("button", { type: "button", "data-frame": frame }, words);
      line.addEventListener("click", () => lookBack(frame));
      return element("li", {}, line);
    }),
  );
}

/** @param {number} frame that is shown */
function markNews(frame) {
  for (const line of byId("news").querySelectorAll("button")) {
    const isShown = Number(line.dataset.frame) === frame;
    line.setAttribute("aria-current", String(isShown));
    if (isShown) {
      const list = byId("news"); // which alone moves, not the page
      list.scrollTop = line.offsetTop - (list.clientHeight - line.offsetHeight) / 2;
    }
  }
}

/** @param {number} number of a frame of the past */
async function lookBack(number) {
  showing.stop();
  const frame = await inTurn(() => game.frame(number));
  if (frame) {
    setState("past");
    showFrame(frame);
  }
}

// ---------------------------------------------------------------------- who plays

/** @param {View} found */
function aboutSeats({ seats, ranks, own, you, teams, pace, isOver, isOwner }) {
  return [seats, ranks, own, you, teams, pace, isOver, isOwner];
}

function showSeats() {
  if (!view) {
    return;
  }
  const found = view;
  byId("watch").hidden = !found.isOwner || found.own.length > 0 || found.isOver || !found.seats.some((seat) => seat.who === "agent");
  byId("pace", HTMLSelectElement).value = found.pace === null ? "stop" : String(found.pace);
  byId("seats").replaceChildren(
    ...found.ranks.map(({ player, place }) => {
      const seat = found.seats[player];
      const parts = [playerSign(player), element("span", { class: "name" }, found.you.includes(player) ? `${seat.name} (you)` : seat.name)];
      const others = found.teams?.find((seats) => seats.includes(player))?.filter((other) => other !== player) ?? [];
      if (others.length) {
        parts.push(element("span", { class: "faint" }, "plays with ", ...others.map(playerSign)));
      }
      parts.push(element("span", { class: "faint" }, place ? `place ${place}` : "not on the track yet"));
      if (!found.isOver && mayChange(found, seat)) {
        const words = seat.who === "agent" ? "Another agent …" : seat.who === "person" ? "Let it finish …" : "Play on …";
        parts.push(button(words, `${words.replace(" …", "")}: ${seat.name}`, () => askWho(seat)));
      }
      if (seat.link) {
        parts.push(...linkOf(seat, seat.link));
      }
      if (seat.trouble) {
        parts.push(element("p", { class: "trouble", role: "alert" }, `${seat.name} ${seat.trouble}`));
      }
      return element("li", {}, ...parts);
    }),
  );
}

/** @param {View} found @param {Seat} seat */
function mayChange(found, seat) {
  return found.isOwner || found.own.includes(seat.player) || (found.own.length > 0 && seat.trouble !== null);
}

/** @param {Seat} seat @param {string} path */
function linkOf(seat, path) {
  const link = new URL(path, location.href).href;
  const field = element("input", { readonly: true, value: link, "aria-label": "The link of this person" });
  field.addEventListener("focus", () => field.select());
  const copy = button("Copy", `Copy the link of ${seat.name}`, async () => {
    field.select();
    await navigator.clipboard?.writeText(link).catch(() => {});
    document.execCommand("copy"); // where the browser has no clipboard for pages without encryption
    copy.textContent = "Copied";
  });
  const anew = { who: "person", name: seat.ownName, link: true };
  const renew = button("New link", `Withdraw the link of ${seat.name} and make a new one`, () => change(`/seats/${seat.player}`, anew));
  const parts = [element("div", { class: "link" }, field, copy, renew)];
  if (["127.0.0.1", "localhost", "[::1]"].includes(location.hostname)) {
    parts.push(element("p", { class: "faint link" }, "No other machine can open this link: for that, start the server with --host 0.0.0.0"));
  }
  return parts;
}

/** @param {Seat} seat */
async function askWho(seat) {
  const dialog = byId("change", HTMLDialogElement);
  /** @type {{agents: string[]}} */
  const offers = view?.isOwner ? await inTurn(() => ask("/api/offers")) : { agents: [USUAL_AGENT, "greedy", "random"] };
  if (!offers) {
    return; // it has been told why
  }
  const form = new SeatForm(seat.player, offers.agents, { who: USUAL_AGENT, agentsAlone: !view?.isOwner });
  byId("change-seat").replaceChildren(form.element);
  tell(byId("change-error"), null);
  byId("change-form").onsubmit = async (event) => {
    event.preventDefault();
    if (await change(`/seats/${seat.player}`, form.value)) {
      dialog.close();
    } else {
      tell(byId("change-error"), byId("error").textContent);
    }
  };
  dialog.showModal();
}

byId("change-no").addEventListener("click", () => byId("change", HTMLDialogElement).close());

// ---------------------------------------------------------------------- the beginning

new Analysis(game, byId("analysis"), lookBack, () => view);
game.listen(look, (isThere) => (byId("lost").hidden = isThere));
look();
