import '../../elements/lyrics.js';
import { html } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { seatButton } from '../salon/seats.js';
import { openApart, waySign } from './apart.js';
import { openPicker } from './picker.js';
import { songBar } from './song-bar.js';

/** @typedef {import('../salon/context.js').SalonContext} SalonContext */
/** @typedef {import('../../models/duet.js').DuetModel} DuetModel */

/** Two sing; further seats of a room that another client made stand behind them. */
const front = 2;

/**
 * Two singers, the words between them, and the song below.
 * @param {SalonContext} context
 * @param {DuetModel} duet
 */
export function duetStage(context, duet) {
  const { seats } = context.state;
  return html`<section class="duet" data-testid="duet">
    <div class="duet-pair seats" data-count="2" data-size="few" aria-label=${t('salon.seats')} role="group">
      ${seats
        .slice(0, front)
        .map((seat, i) =>
          i === 0
            ? html`<div class="duet-seat a">${seatButton(context, seat)}${foot(duet, seat)}</div>${link(context, duet)}`
            : html`<div class="duet-seat b">${seatButton(context, seat)}${foot(duet, seat)}</div>`,
        )}
    </div>
    ${words(context, duet)}
    ${songBar(context, duet)}
    ${
      seats.length > front &&
      html`<div class="duet-others seats" data-size="many"><div class="seat-row">${seats.slice(front).map(seat => seatButton(context, seat))}</div></div>`
    }
  </section>`;
}

/**
 * How loud a singer is, and how their way to the room does.
 * @param {DuetModel} duet @param {import('../../models/salon-state.js').SeatView} seat
 */
function foot(duet, { index, user }) {
  const way = duet.state.get().ways.find(({ id }) => id === user?.id);
  const word =
    way && way.quality > 0 ? t('duet.way', { name: way.name, word: t(`duet.quality.${way.quality}`) }) : '';
  return html`<span class="duet-foot">
    ${word && html`<span class="duet-signal" role="img" data-testid=${`signal-${index}`} data-quality=${way?.quality} aria-label=${word} title=${word}>${icon(waySign(way?.quality ?? 0))}</span>`}
    <span class="duet-level" data-level-of=${user?.id ?? null} aria-hidden="true"><i></i></span>
  </span>`;
}

/**
 * The line between the two, and what stands between them in time.
 * @param {SalonContext} context @param {DuetModel} duet
 */
function link(context, duet) {
  const { apart, leading } = duet.state.get();
  const word = !apart ? '' : apart.far ? 'far' : 'near';
  return html`<div class="duet-link" data-word=${word || null}>
    ${
      apart
        ? html`<button class="head-chip numbers" type="button" data-testid="apart" data-word=${word} data-leading=${leading}
            aria-label=${t('duet.apartLabel', { ms: apart.ms })} @click=${() => openApart(context, duet)}>
            ${icon(apart.far ? 'signal-low' : 'signal-high')}${t('duet.apart', { ms: apart.ms })}</button>`
        : html`<span class="duet-heart">${icon('music')}</span>`
    }
  </div>`;
}

/** @param {SalonContext} context @param {DuetModel} duet */
function words(context, duet) {
  const { play, words: phase, lyrics, sound, controls } = duet.state.get();
  if (!play)
    return html`<div class="duet-words empty-song" data-testid="no-song">
      <p class="soft">${t(controls ? 'duet.nothingYet' : 'duet.nothingYetListener')}</p>
      ${
        controls &&
        html`<button class="button primary" type="button" data-testid="choose-song" @click=${() => openPicker(context, duet)}>${icon('file-music')}${t('duet.choose')}</button>`
      }
    </div>`;
  return html`<div class="duet-words" data-testid="lyrics" data-phase=${phase}>
    ${
      (sound.phase === 'failed' || sound.phase === 'unheard') &&
      html`<p class="problem" role="alert" data-testid="song-problem">${icon('triangle-alert')}<span>${t(sound.phase === 'failed' ? 'duet.songFailed' : 'duet.songUnheard')}</span></p>`
    }
    ${
      sound.phase === 'blocked' &&
      html`<button class="button" type="button" data-testid="unlock-song" @click=${() => void context.salon.unlockSound()}>${icon('volume-2')}${t('duet.unlock')}</button>`
    }
    ${
      phase === 'ready'
        ? html`<ov-lyrics .lyrics=${lyrics} .position=${() => duet.position()}></ov-lyrics>`
        : html`<p class="soft" data-testid="no-lyrics">${t(`duet.words.${phase}`)}</p>`
    }
  </div>`;
}
