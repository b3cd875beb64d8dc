/**
 * Whether this browser is new enough for the page: Safari 17.2, Firefox 132, Chrome 120. Features tell, not names, so that browsers
 * that are built on these engines are let in as well. A browser without WebRTC may read and write, and is no question of age.
 * @param {Record<string, any>} browser
 */
export function isNewEnough(browser = globalThis) {
  return (
    'WebSocket' in browser &&
    'HTMLDialogElement' in browser &&
    nestsTypeSelectors(browser) &&
    // The youngest thing that Firefox needs: 132.
    'requestVideoFrameCallback' in (browser.HTMLVideoElement?.prototype ?? {})
  );
}

/**
 * Whether a rule may stand in another one without `&` before the name of an element. Safari can since 17.2 and Chrome since 120, and
 * `CSS.supports` does not tell: both answered yes to nesting before.
 * @param {Record<string, any>} browser
 */
function nestsTypeSelectors({ CSSStyleSheet: Sheet }) {
  try {
    const sheet = new Sheet();
    sheet.replaceSync('a { b {} }');
    return sheet.cssRules[0].cssRules.length === 1;
  } catch {
    return false;
  }
}
