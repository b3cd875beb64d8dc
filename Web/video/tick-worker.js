// Ticks while a page is hidden: the page's own timers come once a second then.

/** @type {any} */ let timer = null;
addEventListener('message', ({ data: everyMs }) => {
  clearInterval(timer);
  if (everyMs) timer = setInterval(() => /** @type {any} */ (globalThis).postMessage(null), everyMs);
});
