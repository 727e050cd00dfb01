// @ts-check
// Editions, presets and changes of a ruleset, in a form made from its declaration.
import { element } from "/viewer/dom.js";

/** @typedef {{name: string, kind: string, meaning: string, low?: number, high?: number}} Field */
/** @typedef {{fields: Field[], genes: Record<string, string>, printed: Record<string, Record<string, any>>, presets: Record<string, {edition: string, ruleset: Record<string, any>}>}} Declaration */

const USUAL = "1998";

export class RulesForm {
  /**
   * @param {HTMLElement} root
   * @param {HTMLSelectElement} presets
   * @param {HTMLElement} summary tells how much is changed
   * @param {Declaration} declaration
   */
  constructor(root, presets, summary, declaration) {
    this._root = root;
    this._presets = presets;
    this._summary = summary;
    this._declaration = declaration;
    this._players = 0;
    /** @type {Record<string, any>} what differs from the edition */
    this._changes = {};
    presets.replaceChildren(...Object.keys(declaration.presets).map((name) => element("option", {}, name)));
    presets.value = USUAL; // objects have keys that are numbers in their order
    presets.addEventListener("change", () => this._begin());
  }

  /** @param {number} players */
  show(players) {
    if (players !== this._players) {
      this._players = players;
      this._draw();
    }
  }

  /** What the server is asked for. */
  get value() {
    return { edition: this._edition, ruleset: this._changes };
  }

  get _edition() {
    return this._declaration.presets[this._presets.value].edition;
  }

  get _printed() {
    return this._declaration.printed[`${this._edition}-${this._players}`];
  }

  _begin() {
    this._changes = structuredClone(this._declaration.presets[this._presets.value].ruleset);
    this._draw();
  }

  _draw() {
    this._root.replaceChildren(...this._declaration.fields.map((field) => this._line(field)));
    this._tell();
  }

  /** @param {string} name @param {any} value @param {Element} line */
  _change(name, value, line) {
    const isPrinted = JSON.stringify(value) === JSON.stringify(this._printed[name]);
    if (isPrinted || (isObject(value) && Object.keys(value).length === 0)) {
      delete this._changes[name];
    } else {
      this._changes[name] = value;
    }
    line.classList.toggle("changed", name in this._changes);
    this._tell();
  }

  _tell() {
    const count = Object.keys(this._changes).length;
    this._summary.textContent = count ? `(${count} changed)` : "";
  }

  /** @param {Field} field @returns {HTMLElement} */
  _line(field) {
    const value = this._changes[field.name] ?? this._printed[field.name];
    if (field.kind === "genes") {
      return this._genes(field);
    }
    const words = element("span", {}, element("code", {}, field.name), ` ${field.meaning.replaceAll("`", "")}`);
    const line = element("label", { class: field.name in this._changes && "changed" }, words);
    const input = inputFor(field, value);
    input.addEventListener("change", () => {
      const read = readFrom(input, field);
      input.setCustomValidity(read === undefined ? "this is no value of this rule" : "");
      if (read !== undefined) {
        this._change(field.name, read, line);
      }
    });
    line.append(input);
    return line;
  }

  /** @param {Field} field a number for each gene @returns {HTMLElement} */
  _genes(field) {
    const names = Object.entries(this._declaration.genes);
    const box = element("div", { class: "genes" });
    const line = element("details", {}, element("summary", {}, element("code", {}, field.name), ` ${field.meaning}, by gene`), box);
    names.forEach(([gene, title], number) => {
      const printed = this._printed[field.name][number];
      const input = element("input", { type: "number", min: field.low, max: field.high });
      input.value = String(this._changes[field.name]?.[gene] ?? printed);
      input.addEventListener("change", () => {
        const changed = { ...this._changes[field.name] };
        delete changed[gene];
        if (input.value !== "" && Number(input.value) !== printed) {
          changed[gene] = Number(input.value);
        }
        this._change(field.name, changed, line);
      });
      box.append(element("label", {}, title, input));
    });
    return line;
  }
}

/** @param {any} value */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {Field} field @param {any} value @returns {HTMLInputElement} */
function inputFor(field, value) {
  if (field.kind === "switch") {
    return element("input", { type: "checkbox", checked: value });
  }
  if (field.kind === "number") {
    return element("input", { type: "number", min: field.low, max: field.high, value });
  }
  return element("input", { class: "wide", value: JSON.stringify(value) });
}

/** @param {HTMLInputElement} input @param {Field} field @returns {any} undefined: it cannot be read */
function readFrom(input, field) {
  if (field.kind === "switch") {
    return input.checked;
  }
  try {
    return JSON.parse(input.value);
  } catch {
    return undefined;
  }
}
