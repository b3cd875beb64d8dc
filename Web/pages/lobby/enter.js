import { html } from '../../lib/html.js';
import { errorText, language, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { view } from '../../lib/view.js';
import { OvationError } from '../../protocol/errors.js';
import { busy, problem } from '../parts.js';

/**
 * "Enter by id": an id or a pasted link, checked before leaving the lobby.
 * @param {import('../app.js').App} app
 * @param {import('../../models/lobby.js').LobbyModel} lobby
 * @param {AbortSignal} signal
 */
export function enterField(app, lobby, signal) {
  const place = document.createElement('div');
  place.className = 'enter-by-id';
  let text = '';
  let looking = false;
  /** @type {OvationError | null} */ let error = null;
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (looking || !text.trim()) return;
    looking = true;
    error = null;
    redraw();
    try {
      const room = await lobby.find(text);
      if (!signal.aborted) await app.router.go(`/r/${room.slug}`);
    } catch (thrown) {
      error = OvationError.of(thrown);
    }
    looking = false;
    redraw();
  };
  const redraw = view(
    place,
    [language],
    () => html`<form novalidate @submit=${submit}>
        <label class="id-field">
          ${icon('hash')}
          <span class="only-read">${t('lobby.enterLabel')}</span>
          <input placeholder=${t('lobby.enterPlaceholder')} data-testid="enter-id" autocomplete="off" autocapitalize="off"
            spellcheck="false" enterkeyhint="go" .value=${text} aria-invalid=${error ? 'true' : null}
            @input=${(/** @type {any} */ event) => {
              text = event.target.value;
              error = null;
              redraw();
            }} />
          <button class="button compact" type="submit" data-testid="enter-submit" ?disabled=${!text.trim()} aria-busy=${looking}>
            ${looking ? busy() : t('lobby.enter')}</button>
        </label>
      </form>
      ${problem(error && errorText(error))}`,
    signal,
  );
  return place;
}
