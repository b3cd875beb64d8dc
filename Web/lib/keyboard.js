/** What a keyboard takes at least; less is a bar of the browser. */
const keyboardMost = 120;

/**
 * On an iPhone the keyboard covers the page and pushes it up, and no unit of length knows of it. While a field has the focus and the
 * keyboard is there, `--visible` is what is left of the page's height, and `--visible-top` where it begins.
 * @param {Window & typeof globalThis} window
 */
export function watchKeyboard(window) {
  const { visualViewport: seen, document } = window;
  if (!seen) return;
  const { style } = document.documentElement;
  const look = () => {
    const field = document.activeElement?.matches('input, textarea, [contenteditable]');
    // Whoever has magnified the page sees a part of it all the time.
    const covered = field && seen.scale === 1 && window.innerHeight - seen.height > keyboardMost;
    if (!covered) {
      style.removeProperty('--visible');
      style.removeProperty('--visible-top');
      return;
    }
    style.setProperty('--visible', `${Math.round(seen.height)}px`);
    style.setProperty('--visible-top', `${Math.round(seen.offsetTop)}px`);
  };
  for (const type of ['resize', 'scroll']) seen.addEventListener(type, look);
  for (const type of ['focusin', 'focusout']) document.addEventListener(type, look);
}
