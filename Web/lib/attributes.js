/** An attribute, property, listener or reference of one element. */
export class AttributePart {
  /** @type {unknown[]} */ #values = [];
  /** @type {any} */ #listener = null;

  /** @param {HTMLElement} element @param {string} name @param {string[]} strings @param {(() => void)[]} refs */
  constructor(element, name, strings, refs) {
    this.element = element;
    this.name = name;
    this.strings = strings;
    this.refs = refs;
    this.count = strings.length - 1;
  }

  /** @param {unknown[]} values */
  set(values) {
    const { element, name } = this;
    const property = name.startsWith('.') && name !== '.vars';
    // A property may have been changed by the person meanwhile (`.value`), so it is compared with the element itself.
    const same = values.every((value, i) => Object.is(value, this.#values[i]));
    if (same && this.#values.length > 0 && !property) return;
    this.#values = values;
    const value = values[0];
    if (name === 'ref') this.#refer(value);
    else if (name.startsWith('@')) this.#listen(name.slice(1), value);
    else if (name.startsWith('?')) element.toggleAttribute(name.slice(1), Boolean(value));
    else if (name === '.vars') setVariables(element, /** @type {Record<string, unknown>} */ (value));
    else if (property) setProperty(element, name.slice(1), value);
    else if (this.count === 1 && (value === null || value === undefined || value === false))
      element.removeAttribute(name);
    else
      element.setAttribute(
        name,
        this.strings.reduce((all, string, i) => all + values[i - 1] + string),
      );
  }

  /** @param {unknown} value */
  #refer(value) {
    if (typeof value === 'function') this.refs.push(() => value(this.element));
  }

  /** @param {string} type @param {any} listener */
  #listen(type, listener) {
    if (!this.#listener) this.element.addEventListener(type, event => this.#listener?.(event));
    this.#listener = listener ?? (() => {});
  }
}

/** @param {any} element @param {string} name @param {unknown} value */
function setProperty(element, name, value) {
  if (element[name] !== value) element[name] = value;
}

/** @param {HTMLElement} element @param {Record<string, unknown>} variables */
function setVariables(element, variables) {
  for (const [name, value] of Object.entries(variables)) element.style.setProperty(name, String(value));
}
