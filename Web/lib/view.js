import { render } from './render.js';

/** @typedef {import('./store.js').Readable<any>} Readable */

/**
 * Keeps `container` showing what `template()` makes of the stores, until `signal` aborts.
 * Several changes in one turn are drawn once. Returns a function that asks for a redraw.
 * @param {Element | DocumentFragment} container
 * @param {readonly Readable[]} stores
 * @param {() => unknown} template
 * @param {AbortSignal} signal
 */
export function view(container, stores, template, signal) {
  let due = false;
  const draw = () => {
    due = false;
    if (!signal.aborted) render(template(), container);
  };
  const ask = () => {
    if (due || signal.aborted) return;
    due = true;
    // A microtask, not an animation frame: tabs in the background must tell their state (title, live regions) too.
    queueMicrotask(draw);
  };
  for (const store of stores) store.subscribe(ask, { signal, now: false });
  draw();
  return ask;
}

/**
 * Gives the focus to the heading of a page that has just been shown, unless something in it has taken it: whoever has no mouse goes on from
 * there, and a screen reader says where they are.
 * @param {Element} page
 */
export function focusHeading(page) {
  if (page.contains(document.activeElement)) return;
  const heading = /** @type {HTMLElement | null} */ (page.querySelector('h1') ?? page.querySelector('main'));
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/**
 * An AbortController that also aborts when `parent` does.
 * @param {AbortSignal} parent
 */
export function childScope(parent) {
  const scope = new AbortController();
  if (parent.aborted) scope.abort();
  else parent.addEventListener('abort', () => scope.abort(), { once: true, signal: scope.signal });
  return scope;
}
