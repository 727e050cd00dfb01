// @ts-check
// Who plays a seat: a person, or an agent with its parameters.
import { element, playerSign } from "/viewer/dom.js";
import { ask } from "./api.js";

/** @typedef {{kind: string, default: any, low?: number, high?: number, choices?: string[]}} Offer */

export const USUAL_AGENT = "hunter";

export class SeatForm {
  /**
   * @param {number} player
   * @param {string[]} agents their names
   * @param {object} options
   * @param {string} options.who an agent's name; "": a person
   * @param {boolean} [options.withLink] may it be a person with a link?
   * @param {boolean} [options.agentsAlone] must it be an agent, as it usually plays?
   */
  constructor(player, agents, { who, withLink = false, agentsAlone = false }) {
    this.player = player;
    this._agentsAlone = agentsAlone;
    this._who = element(
      "select",
      { "aria-label": `Who plays seat ${player}` },
      ...(agentsAlone ? [] : [element("option", { value: "" }, "a person here")]),
      ...(withLink ? [element("option", { value: "link" }, "a person with a link")] : []),
      ...agents.map((name) => element("option", { value: name }, name[0].toUpperCase() + name.slice(1))),
    );
    this._who.value = who;
    this._name = element("input", { "aria-label": `Name of player ${player}`, placeholder: "name", maxlength: 40, size: 12 });
    this._parameters = element("span", { class: "parameters" });
    this.element = element("div", { class: "seat-form" }, playerSign(player), this._who, this._name, this._parameters);
    /** @type {Map<string, HTMLInputElement | HTMLSelectElement>} */
    this._inputs = new Map();
    this._who.addEventListener("change", () => this._changed());
    this._changed();
  }

  /** What the server is asked for. */
  get value() {
    const who = this._who.value;
    if (who === "" || who === "link") {
      return { who: "person", name: this._name.value, link: who === "link" };
    }
    /** @type {Record<string, unknown>} */
    const parameters = {};
    for (const [name, input] of this._inputs) {
      const value = valueOf(input);
      if (value !== null) {
        parameters[name] = value;
      }
    }
    return { who: "agent", agent: who, parameters };
  }

  async _changed() {
    const who = this._who.value;
    this._name.hidden = who !== "" && who !== "link";
    this._inputs.clear();
    this._parameters.replaceChildren();
    if (!this._name.hidden || this._agentsAlone) {
      return;
    }
    try {
      /** @type {Record<string, Offer>} */
      const offered = await ask(`/api/agents/${encodeURIComponent(who)}`);
      if (this._who.value === who) {
        this._parameters.replaceChildren(...Object.entries(offered).map(([name, offer]) => this._field(name, offer)));
      }
    } catch (error) {
      this._parameters.replaceChildren(element("span", { class: "trouble" }, /** @type {Error} */ (error).message));
    }
  }

  /** @param {string} name @param {Offer} offer @returns {HTMLElement} */
  _field(name, offer) {
    let input;
    if (offer.kind === "choice") {
      const none = offer.default === null ? [element("option", { value: "" }, "none")] : [];
      input = element("select", {}, ...none, ...(offer.choices ?? []).map((one) => element("option", {}, one)));
      input.value = offer.default ?? "";
    } else if (offer.kind === "truth") {
      input = element("input", { type: "checkbox", checked: offer.default });
    } else {
      const step = offer.kind === "integer" ? 1 : "any";
      const placeholder = offer.default ?? "none";
      input = element("input", { type: "number", min: offer.low, max: offer.high, step, placeholder });
    }
    this._inputs.set(name, input);
    return element("label", {}, `${name.replaceAll("_", " ")} `, input);
  }
}

/** @param {HTMLInputElement | HTMLSelectElement} input @returns {string | number | boolean | null} null: as it usually is */
function valueOf(input) {
  if (input instanceof HTMLInputElement && input.type === "checkbox") {
    return input.checked;
  }
  if (input.value === "") {
    return null;
  }
  return input instanceof HTMLInputElement ? Number(input.value) : input.value;
}
