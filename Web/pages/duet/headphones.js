import { openSheet } from '../../elements/sheet.js';
import { html } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { songHint } from '../devices.js';

/**
 * Asks a singer once a visit, upon sitting down: a loudspeaker would send the other voice and the song back.
 * @param {import('../salon/context.js').SalonContext} context
 * @param {import('../../models/duet.js').DuetModel} duet
 */
export function watchHeadphones(context, duet) {
  const { signal } = context;
  let asked = false;
  duet.state.subscribe(
    ({ seated, headphones }) => {
      if (!seated || headphones !== 'unknown' || asked) return;
      asked = true;
      // After what else opens at the same time, such as the sheet with the room's number.
      setTimeout(() => ask(context, duet));
    },
    { signal },
  );
}

/** @param {import('../salon/context.js').SalonContext} context @param {import('../../models/duet.js').DuetModel} duet */
function ask(context, duet) {
  openSheet({
    title: () => t('headphones.title'),
    testid: 'headphones-sheet',
    className: 'small-sheet',
    signal: context.signal,
    body: sheet => {
      /** @param {'yes' | 'no'} answer */
      const say = answer => {
        sheet.close();
        void context.act(() => duet.setHeadphones(answer));
        if (answer === 'yes') return;
        void context.act(() => duet.leadAlone());
        context.say(t('headphones.without'), 'volume-2');
      };
      return html`<div class="announce-sign">${icon('headphones')}</div>
        <p class="soft centered">${t('headphones.text')}</p>
        ${songHint(context.app.speaker.state.get().chosen)}
        <div class="stack headphones-answers">
          <button class="button primary wide" type="button" autofocus data-testid="headphones-yes" @click=${() => say('yes')}>${icon('headphones')}${t('headphones.yes')}</button>
          <button class="button wide" type="button" data-testid="headphones-no" @click=${() => say('no')}>${icon('volume-2')}${t('headphones.no')}</button>
          <button class="button wide" type="button" data-testid="headphones-listen" @click=${() => {
            sheet.close();
            void context.act(() => context.salon.seats.stand());
          }}>${icon('ear')}${t('headphones.listen')}</button>
        </div>`;
    },
  });
}
