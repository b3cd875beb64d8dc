/**
 * Copies a text; also where the clipboard is refused (plain HTTP), through a selection. In a click.
 * @param {string} text
 * @returns {Promise<boolean>} whether it worked
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const before = document.activeElement;
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'only-read';
    (document.querySelector('dialog[open]') ?? document.body).append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    return done;
  }
}

/**
 * Offers the system's share sheet where there is one.
 * @param {{title: string, url: string}} what
 * @returns {Promise<'shared' | 'cancelled' | 'unsupported'>}
 */
export async function share(what) {
  if (!navigator.share) return 'unsupported';
  try {
    await navigator.share(what);
    return 'shared';
  } catch {
    return 'cancelled';
  }
}
