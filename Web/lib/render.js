import { AttributePart } from './attributes.js';
import { compile, Template } from './html.js';

/**
 * Puts `value` (see html.js) into `container`, changing only what differs from the last time.
 * @param {unknown} value
 * @param {Element | DocumentFragment} container
 */
export function render(value, container) {
  let part = roots.get(container);
  if (!part) {
    const anchor = document.createComment('');
    container.replaceChildren(anchor);
    part = new ChildPart(anchor);
    roots.set(container, part);
  }
  part.set(value);
}

/** @type {WeakMap<Node, ChildPart>} */
const roots = new WeakMap();

/** The place of one child value: everything between the previous part and its anchor comment. */
class ChildPart {
  /** @type {unknown} */ #value;
  /** @type {Text | null} */ #text = null;
  /** @type {Instance | null} */ #instance = null;
  /** @type {Map<unknown, ChildPart> | null} */ #items = null;
  /** @type {Node | null} */ #node = null;

  /** @param {Comment} anchor stays behind the content */
  constructor(anchor) {
    this.anchor = anchor;
  }

  /** @param {unknown} value */
  set(value) {
    if (value instanceof Template) this.#setTemplate(value);
    else if (Array.isArray(value)) this.#setList(value);
    else if (value instanceof Node) this.#setNode(value);
    else this.#setText(value === null || value === undefined || value === false ? '' : String(value));
  }

  /** Removes the content; the anchor stays. */
  clear() {
    this.#text?.remove();
    this.#instance?.remove();
    if (this.#node?.parentNode === this.anchor.parentNode) this.#node?.parentNode?.removeChild(this.#node);
    for (const part of this.#items?.values() ?? []) part.remove();
    this.#text = this.#instance = this.#items = this.#node = null;
    this.#value = undefined;
  }

  /** Removes content and anchor. */
  remove() {
    this.clear();
    this.anchor.remove();
  }

  /** @returns {Node} the first node of this part */
  get first() {
    if (this.#items) for (const part of this.#items.values()) return part.first;
    return this.#text ?? this.#node ?? this.#instance?.nodes[0] ?? this.anchor;
  }

  /**
   * Moves everything before `reference`.
   * @param {Node} parent
   * @param {Node} reference
   */
  moveBefore(parent, reference) {
    const range = document.createRange();
    range.setStartBefore(this.first);
    range.setEndAfter(this.anchor);
    parent.insertBefore(range.extractContents(), reference);
  }

  /** @param {string} text */
  #setText(text) {
    if (this.#text) {
      if (this.#text.data !== text) this.#text.data = text;
      return;
    }
    if (this.#value === text) return;
    this.clear();
    this.#value = text;
    if (text === '') return;
    this.#text = document.createTextNode(text);
    this.anchor.before(this.#text);
  }

  /** @param {Node} node */
  #setNode(node) {
    if (this.#node === node) return;
    this.clear();
    this.#node = node;
    this.anchor.before(node);
  }

  /** @param {Template} template */
  #setTemplate(template) {
    if (this.#instance?.fits(template)) {
      this.#instance.update(template.values);
      return;
    }
    this.clear();
    const instance = new Instance(template);
    // The values first, so that nothing is seen half made.
    instance.update(template.values);
    this.#instance = instance;
    this.anchor.before(instance.fragment);
    instance.announce();
  }

  /** @param {unknown[]} values */
  #setList(values) {
    if (!this.#items) {
      this.clear();
      this.#items = new Map();
    }
    const old = this.#items;
    const parent = /** @type {Node} */ (this.anchor.parentNode);
    /** @type {Map<unknown, ChildPart>} */ const next = new Map();
    values.forEach((value, i) => {
      const key = value instanceof Template && value.key !== undefined ? value.key : i;
      const part = old.get(key) ?? new ChildPart(document.createComment(''));
      next.set(next.has(key) ? Symbol('twice') : key, part);
    });
    for (const [key, part] of old) if (next.get(key) !== part) part.remove();
    // From the back, so that each part's place is known; those in place already are left alone (focus stays).
    let reference = /** @type {Node} */ (this.anchor);
    const parts = [...next.values()];
    for (let i = parts.length - 1; i >= 0; i--) {
      const part = parts[i];
      if (!part.anchor.parentNode) parent.insertBefore(part.anchor, reference);
      else if (part.anchor.nextSibling !== reference) part.moveBefore(parent, reference);
      part.set(values[i]);
      reference = part.first;
    }
    this.#items = next;
  }
}

/** One use of a template: its nodes and the places of its values. */
class Instance {
  /** @type {(ChildPart | AttributePart)[]} */ #parts = [];
  /** @type {(() => void)[]} */ #refs = [];

  /** @param {Template} template */
  constructor(template) {
    this.strings = template.strings;
    this.key = template.key;
    const { content, slots } = compile(template.strings);
    this.fragment = document.importNode(content, true);
    const walker = document.createTreeWalker(
      this.fragment,
      NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_COMMENT,
    );
    let index = -1;
    for (const slot of slots) {
      while (index < slot.index) {
        walker.nextNode();
        index++;
      }
      const node = walker.currentNode;
      this.#parts.push(
        slot.kind === 'child'
          ? new ChildPart(/** @type {Comment} */ (node))
          : new AttributePart(/** @type {HTMLElement} */ (node), slot.name, slot.strings, this.#refs),
      );
    }
    // Dynamic content at either end moves; fixed bounds make removing simple.
    this.#start = document.createComment('');
    this.#end = document.createComment('');
    this.fragment.prepend(this.#start);
    this.fragment.append(this.#end);
  }

  /** @type {Comment} */ #start;
  /** @type {Comment} */ #end;

  get nodes() {
    return [this.#start];
  }

  /** @param {Template} template */
  fits(template) {
    return template.strings === this.strings && template.key === this.key;
  }

  /** @param {unknown[]} values */
  update(values) {
    let i = 0;
    for (const part of this.#parts) {
      if (part instanceof ChildPart) part.set(values[i++]);
      else {
        part.set(values.slice(i, i + part.count));
        i += part.count;
      }
    }
  }

  /** Calls the `ref` functions once the elements stand in the page: an outer template may not have been placed yet. */
  announce() {
    for (const call of this.#refs.splice(0)) queueMicrotask(call);
  }

  remove() {
    const range = document.createRange();
    range.setStartBefore(this.#start);
    range.setEndAfter(this.#end);
    range.deleteContents();
  }
}
