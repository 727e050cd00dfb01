// @ts-check
// The page of `ursuppe replay --html`.
import { element } from "./dom.js";
import { Film, inlineData } from "./film.js";
import { Player } from "./player.js";

const { reel } = await inlineData();
const replay = element("div");
/** @type {HTMLElement} */ (document.getElementById("page")).append(replay);
new Player(replay, new Film(reel));
