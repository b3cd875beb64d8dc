/**
 * Single-key shortcuts of a page, silent while somebody types, composes, or a sheet is open.
 * @param {Record<string, () => void>} keys by `event.key` in lower case
 * @param {AbortSignal} signal
 */
export function shortcuts(keys, signal) {
  document.addEventListener(
    'keydown',
    event => {
      if (event.defaultPrevented || event.isComposing || event.repeat) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const target = /** @type {HTMLElement | null} */ (event.target);
      const typing = target?.closest('input:not([type=checkbox]):not([type=range]), textarea, select');
      const action = keys[event.key.toLowerCase()];
      if (!action || document.querySelector('dialog[open]')) return;
      if (typing && event.key !== 'Escape') return;
      event.preventDefault();
      action();
    },
    { signal },
  );
}

/**
 * Whether this key press sends a line: Enter, but not Shift+Enter, and not the Enter that ends composing Korean or Chinese
 * (Safari reports that one with key code 229 after the composition ended).
 * @param {KeyboardEvent} event
 */
export function sendsLine(event) {
  return event.key === 'Enter' && !event.shiftKey && !event.isComposing && event.keyCode !== 229;
}
