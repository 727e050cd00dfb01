// @ts-check
// The replay of a game as far as it has come.
import { Film } from "/viewer/film.js";
import { Player } from "/viewer/player.js";
import { Game, ask } from "./api.js";
import { byId } from "./page.js";

const game = new Game(location.pathname.split("/")[2], location.search);
byId("game", HTMLAnchorElement).href = `/games/${game.id}${location.search}`;
byId("save", HTMLAnchorElement).href = game.path("/replay.html");
try {
  const reel = await ask(game.path("/reel"));
  const root = document.createElement("div");
  byId("page").replaceChildren(root);
  new Player(root, new Film(reel));
} catch (error) {
  byId("wait").textContent = /** @type {Error} */ (error).message;
}
