/**
 * Templates that escape. `html` marks where values go; `render` (render.js) puts them there as text nodes, attributes,
 * properties or listeners, never as markup. Only the literal parts of a template, which are source code, are parsed as HTML.
 *
 * - `<p>${value}</p>`: text, a template, a node, a list of these, or nothing (`null`, `false`, `''`)
 * - `title=${text}` attribute (absent when `null`, `undefined` or `false`), `?disabled=${flag}` boolean attribute
 * - `.value=${value}` property; `.vars=${{'--level': 0.5}}` CSS variables (inline styles are refused by the content policy)
 * - `@click=${listener}` listener; `ref=${fn}` is called once with the element
 */

/**
 * @typedef {{index: number, kind: 'child'} | {index: number, kind: 'attribute', name: string, strings: string[]}} Slot
 * @typedef {{content: DocumentFragment, slots: Slot[]}} Compiled
 */

export class Template {
  /** @param {TemplateStringsArray} strings @param {unknown[]} values */
  constructor(strings, values) {
    this.strings = strings;
    this.values = values;
    /** @type {unknown} which item of a list this is, see `keyed` */
    this.key = undefined;
  }
}

/** @param {TemplateStringsArray} strings @param {unknown[]} values */
export function html(strings, ...values) {
  return new Template(strings, values);
}

/**
 * Gives an item of a list an identity, so that its elements move with it instead of being rewritten.
 * @param {unknown} key
 * @param {Template} template
 */
export function keyed(key, template) {
  template.key = key;
  return template;
}

/** @type {WeakMap<TemplateStringsArray, Compiled>} */
const cache = new WeakMap();
const attributeBefore = /([@.?]?[\w:-]+)=(?:"[^"]*|'[^']*|)$/;
const marker = /\u00ab(\d+)\u00bb/;

/**
 * Parses a template's literal parts once.
 * @param {TemplateStringsArray} strings
 * @returns {Compiled}
 */
export function compile(strings) {
  const known = cache.get(strings);
  if (known) return known;
  const { markup, names } = withMarkers(strings);
  const element = document.createElement('template');
  element.innerHTML = markup;
  const compiled = { content: element.content, slots: findSlots(element.content, names) };
  cache.set(strings, compiled);
  return compiled;
}

/** @param {readonly string[]} strings */
function withMarkers(strings) {
  let markup = '';
  /** @type {string[]} attribute name by value, '' for a child */
  const names = [];
  strings.forEach((string, i) => {
    markup += string;
    if (i === strings.length - 1) return;
    const inTag = markup.lastIndexOf('<') > markup.lastIndexOf('>');
    const name = inTag ? (attributeBefore.exec(markup)?.[1] ?? names.at(-1) ?? '') : '';
    names.push(name);
    markup += inTag ? `\u00ab${i}\u00bb` : `<!--\u00ab${i}\u00bb-->`;
  });
  return { markup, names };
}

/** @param {DocumentFragment} content @param {string[]} names @returns {Slot[]} */
function findSlots(content, names) {
  /** @type {Slot[]} */ const slots = [];
  const walker = document.createTreeWalker(content, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_COMMENT);
  for (let index = 0; walker.nextNode(); index++) {
    const node = walker.currentNode;
    if (node instanceof Comment) {
      if (!marker.test(node.data)) continue;
      node.data = '';
      slots.push({ index, kind: 'child' });
      continue;
    }
    const element = /** @type {Element} */ (node);
    for (const attribute of [...element.attributes]) {
      const found = marker.exec(attribute.value);
      if (!found) continue;
      const strings = attribute.value.split(/\u00ab\d+\u00bb/);
      slots.push({ index, kind: 'attribute', name: names[Number(found[1])], strings });
      element.removeAttribute(attribute.name);
    }
  }
  return slots;
}
