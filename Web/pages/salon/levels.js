/** Below this nobody is taken to speak: breath, a fan, a street. */
const speaks = 8;

/**
 * Lets the light follow the voices: sets `--level` (0…1) and `data-speaking` on everything with `data-level-of`.
 * Straight on the elements, past the templates, since it happens five times a second.
 * Sheets lie outside the page's own element, so the whole document is searched.
 * @param {import('./context.js').SalonContext} context
 */
export function watchLevels({ salon, signal }) {
  let shown = '';
  const show = () => {
    const levels = salon.levels.get();
    for (const element of document.querySelectorAll('[data-level-of], [data-speaking]')) {
      const target = /** @type {HTMLElement} */ (element);
      // Somebody who got up leaves no light behind: an empty seat has no `data-level-of`.
      const level = levels[target.dataset.levelOf ?? ''] ?? 0;
      // Quiet speech is far below 100: the curve keeps it visible.
      target.style.setProperty('--level', String((Math.min(100, level) / 100) ** 0.6));
      target.toggleAttribute('data-speaking', level >= speaks);
    }
  };
  salon.levels.subscribe(show, { signal });
  salon.state.subscribe(
    ({ seats }) => {
      const seated = seats.map(seat => seat.user?.id).join();
      if (seated === shown) return;
      shown = seated;
      // After the page has drawn the new seats.
      setTimeout(show);
    },
    { signal },
  );
}
