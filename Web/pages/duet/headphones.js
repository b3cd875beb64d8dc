import { openSheet } from '../../elements/sheet.js';
import { html } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { songHint } from '../devices.js';

/** @typedef {import('../salon/context.js').SalonContext} SalonContext */
/** @typedef {import('../../models/duet.js').DuetModel} DuetModel */

/**
 * Asks a singer who sits down, unless they have said it in this tab: a loudspeaker would send the other voice and the song back. Asks
 * again when sound goes to another device. Only the answer itself asks the room for turns: a kept one says nothing new, and the singers
 * may have agreed on something else since.
 * @param {SalonContext} context
 * @param {DuetModel} duet
 */
export function watchHeadphones(context, duet) {
  const { signal, app } = context;
  const { speaker } = app;
  duet.state.subscribe(
    state => {
      if (!duet.question.asks(state, speaker.state.get().output)) return;
      // After what else opens at the same time, such as the sheet with the room's number.
      setTimeout(() => askAboutHeadphones(context, duet));
    },
    { signal },
  );
}

/**
 * Without headphones one had better hear nobody while singing.
 * @param {SalonContext} context @param {DuetModel} duet
 */
function takeTurns(context, duet) {
  void context.act(() => duet.leadAlone());
  context.say(t('headphones.without'), 'volume-2');
}

/**
 * Both answers. The one that holds is marked, if there is one.
 * @param {import('../../models/duet.js').DuetState['headphones']} holds
 * @param {(answer: 'yes' | 'no') => void} say
 */
export function answers(holds, say) {
  /** @param {'yes' | 'no'} answer */
  const pressed = answer => (holds === 'unknown' ? null : String(holds === answer));
  return html`<button class="button primary wide" type="button" autofocus aria-pressed=${pressed('yes')} data-testid="headphones-yes" @click=${() => say('yes')}>${icon(holds === 'yes' ? 'check' : 'headphones')}${t('headphones.yes')}</button>
    <button class="button wide" type="button" aria-pressed=${pressed('no')} data-testid="headphones-no" @click=${() => say('no')}>${icon(holds === 'no' ? 'check' : 'volume-2')}${t('headphones.no')}</button>`;
}

/**
 * The sheet shows which answer holds as long as it is open: sound may go to another device meanwhile.
 * @param {SalonContext} context
 * @param {DuetModel} duet
 */
export function askAboutHeadphones(context, duet) {
  duet.question.opened();
  openSheet({
    title: () => t('headphones.title'),
    testid: 'headphones-sheet',
    className: 'small-sheet',
    signal: context.signal,
    stores: [duet.state],
    onClose: () => duet.question.closed(duet.state.get(), context.app.speaker.state.get().output),
    body: sheet => {
      /** @param {'yes' | 'no'} answer */
      const say = answer => {
        sheet.close();
        void context.act(() => duet.setHeadphones(answer));
        if (answer === 'no') takeTurns(context, duet);
      };
      return html`<div class="announce-sign">${icon('headphones')}</div>
        <p class="soft centered">${t('headphones.text')}</p>
        ${songHint(context.app.speaker.state.get().chosen)}
        <div class="stack headphones-answers">
          ${answers(duet.state.get().headphones, say)}
          <button class="button wide" type="button" data-testid="headphones-listen" @click=${() => {
            sheet.close();
            void context.act(() => context.salon.seats.stand());
          }}>${icon('ear')}${t('headphones.listen')}</button>
        </div>`;
    },
  });
}
