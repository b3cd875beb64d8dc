/** Below this nobody is taken to speak: breath, a fan, a street. */
const speaks = 8;

/**
 * Lets the light follow the voices: sets `--level` (0…1) and `data-speaking` on everything with `data-level-of`.
 * Straight on the elements, past the templates, since it happens five times a second.
 * @param {HTMLElement} root
 * @param {import('./context.js').SalonContext} context
 */
export function watchLevels(root, { salon, signal }) {
  /** @type {Set<string>} */ let lit = new Set();
  const show = () => {
    const levels = salon.levels.get();
    const next = new Set(Object.keys(levels).filter(user => levels[user] > 0));
    for (const user of new Set([...lit, ...next])) {
      const level = levels[user] ?? 0;
      for (const element of root.querySelectorAll(`[data-level-of="${CSS.escape(user)}"]`)) {
        const target = /** @type {HTMLElement} */ (element);
        // Quiet speech is far below 100: the curve keeps it visible.
        target.style.setProperty('--level', (Math.min(100, level) / 100) ** 0.6 + '');
        target.toggleAttribute('data-speaking', level >= speaks);
      }
    }
    lit = next;
  };
  salon.levels.subscribe(show, { signal });
}
