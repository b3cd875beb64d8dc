import { html } from '../../lib/html.js';
import { sentences, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';

/** @typedef {import('../salon/context.js').SalonContext} SalonContext */
/** @typedef {import('../../models/live.js').LiveModel} LiveModel */

/**
 * The shared screen: whole, larger than any person. Its sharer sees stills of it, or a screen that shows this page would show itself
 * without end.
 * @param {SalonContext} context
 * @param {LiveModel} live
 * @param {{id: string, name: string}} sharer
 */
export function screenTile(context, live, sharer) {
  const { tracks } = live.state.get();
  const { state } = context;
  const isMine = sharer.id === state.me.id;
  const name = t(isMine ? 'sharing.mine' : 'sharing.of', { name: sharer.name });
  return html`<div class="tile screen-tile" data-testid="tile-screen" data-user=${sharer.id}>
    <div class="tile-face">${icon('monitor')}<p class="tile-says">${t(isMine ? 'sharing.mine' : 'sharing.connecting', { name: sharer.name })}</p></div>
    <ov-video data-testid="picture-screen" data-seat="screen" ?data-still=${isMine} .track=${tracks[state.seats.length] ?? null}></ov-video>
    <span class="tile-plate">${icon('monitor')}<span class="clip" dir="auto">${name}</span></span>
    ${
      mayStop(context) &&
      html`<button class="screen-stop" type="button" data-testid="screen-stop" aria-label=${stopWords(context)} title=${stopWords(context)}
        @click=${() => void stop(context, live)}>${icon('x')}<span>${t('sharing.stop')}</span></button>`
    }
  </div>`;
}

/**
 * In the bar of a wide screen: shares mine, or ends it.
 * @param {SalonContext} context
 * @param {LiveModel} live
 */
export function screenButton(context, live) {
  const { track, asking } = live.screen.state.get();
  const words = track ? t('sharing.stop') : sentences(t('sharing.share'), t('sharing.about'));
  return html`<button class="dock-button screen-button" type="button" data-testid="screen" aria-pressed=${String(Boolean(track))} aria-busy=${asking}
    aria-label=${words} title=${words} @click=${() => void pressScreen(context, live)}>
    <span class="dock-sign">${icon(asking ? 'loader-circle' : 'monitor', asking ? 'spin' : '')}</span>
    <span class="dock-word">${t('sharing.short')}</span></button>`;
}

/** @param {SalonContext} context @param {LiveModel} live */
export function canShare(context, live) {
  return context.state.me.seat !== null && live.screen.isPossible;
}

/** @param {SalonContext} context @param {LiveModel} live */
export async function pressScreen(context, live) {
  await (live.screen.state.get().track ? stop(context, live) : context.act(() => live.screen.share()));
}

/**
 * One's own, and for hosts everybody's but a higher one's.
 * @param {SalonContext} context
 */
function mayStop({ state }) {
  const { screen, me, room } = state;
  return screen?.id === me.id || me.isOwner || (me.canManage && screen?.id !== room?.owner.id);
}

/** @param {SalonContext} context */
function stopWords({ state }) {
  const { screen, me } = state;
  return screen?.id === me.id ? t('sharing.stop') : t('sharing.stopOf', { name: screen?.name ?? '' });
}

/** @param {SalonContext} context @param {LiveModel} live */
async function stop(context, live) {
  if (live.screen.state.get().track) live.screen.stop();
  else await context.act(() => context.salon.moderation.stopScreen());
}
