import '../../elements/danmu.js';
import '../../elements/gifts.js';
import '../../elements/hearts.js';
import '../../elements/log.js';
import '../../elements/countdown.js';
import '../../elements/count.js';
import { ask } from '../../elements/sheet.js';
import { html } from '../../lib/html.js';
import { language, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { pageShape } from '../../lib/page-shape.js';
import { shortcuts } from '../../lib/shortcuts.js';
import { view } from '../../lib/view.js';
import { SalonModel } from '../../models/salon.js';
import { farOffer } from '../duet/apart.js';
import { watchHeadphones } from '../duet/headphones.js';
import { watchSong } from '../duet/song-bar.js';
import { duetStage } from '../duet/stage.js';
import { giftTray, toggleGifts } from '../gifts/tray.js';
import { watchGifts } from '../gifts/watch.js';
import { called } from '../live/ask.js';
import { pressCamera } from '../live/controls.js';
import { watchGestures } from '../live/gestures.js';
import { pkInvitation } from '../live/pk-invite.js';
import { watchPK } from '../live/pk-news.js';
import { arrangement, liveStage, watchPlaces } from '../live/stage.js';
import { openStatistics } from '../live/statistics.js';
import { audienceStrip } from './audience.js';
import { watchBackground } from './background.js';
import { banners } from './banners.js';
import { Chat } from './chat.js';
import { SalonContext } from './context.js';
import { dock, dockNow } from './dock.js';
import { dockNotices } from './dock-notices.js';
import { endCard } from './end.js';
import { salonHeader } from './header.js';
import { watchLevels } from './levels.js';
import { pressMicrophone } from './microphone.js';
import { watchNews } from './news.js';
import { Requests } from './requests.js';
import { seatGrid } from './seats.js';
import { tabSigns } from './tab-signs.js';

/** @typedef {import('../app.js').App} App */

/**
 * A room that somebody is about to enter.
 * @param {App} app
 * @param {import('../../protocol/session.js').Session} session
 * @param {import('../../protocol/ids.js').RoomID} room
 */
export function openSalon(app, session, room) {
  const { microphone, speaker, camera, beauty, preferences, effects } = app;
  return new SalonModel({
    session,
    room,
    microphone,
    speaker,
    camera,
    picture: beauty.track,
    preferences,
    effects,
  });
}

/**
 * The salon: people in the light, chat beside them, controls below.
 * @param {App} app
 * @param {import('../../models/salon.js').SalonModel} salon
 * @param {import('../../lib/tones.js').Tones} tones
 * @returns {import('../app.js').Page}
 */
export function salonPage(app, salon, tones) {
  return (root, signal) => {
    const context = new SalonContext(app, salon, tones, signal);
    const chat = new Chat(context);
    const requests = new Requests(context);
    const leave = () => void app.router.go('/');
    const toControls = () =>
      /** @type {HTMLElement | null} */ (
        root.querySelector('.dock .mic-button, .dock [data-main] button')
      )?.focus();
    const { duet, live } = salon;

    app.router.guard = async () => {
      const { phase } = salon.state.get();
      if (phase !== 'in' || !salon.asksBeforeLeaving) return true;
      return ask({
        title: t('leave.title'),
        text: t('leave.text'),
        yes: t('leave.yes'),
        signal,
        testid: 'leave-sheet',
      });
    };
    signal.addEventListener('abort', () => {
      app.router.guard = null;
    });
    window.addEventListener(
      'beforeunload',
      event => {
        if (salon.asksBeforeLeaving) event.preventDefault();
      },
      { signal },
    );

    view(
      root,
      [
        language,
        salon.state,
        app.preferences,
        app.effects.active,
        context.opened,
        pageShape,
        chat.unfolded,
        ...(salon.gifts ? [salon.gifts.state] : []),
        ...(duet ? [duet.state, duet.library.state] : []),
        ...(live
          ? [
              live.state,
              live.screen.state,
              live.pk.state,
              live.going.state,
              live.asking.state,
              live.pk.listening,
              app.camera.state,
              app.beauty.state,
            ]
          : []),
      ],
      () => {
        const state = salon.state.get();
        // Over a picture everything is of the night, whatever the theme.
        const over = live !== null && arrangement(context, live).chat === 'over';
        const alone = over && context.opened.get().pictureAlone;
        return html`<div class=${over ? 'salon night' : 'salon'} data-testid="salon" ?data-over=${over} ?data-turned=${over && pageShape.get() === 'turned'} ?data-alone=${alone} data-seats=${state.seats.length} data-kind=${duet ? 'chorus' : live ? 'live' : 'voice'}>
          ${salonHeader(context, leave)}
          <main class="stage" data-testid="stage" tabindex="-1">
            <button class="button compact skip" type="button" data-testid="skip" @click=${toControls}>${t('salon.skip')}</button>
            <h2 class="only-read">${t('salon.stage')}</h2>
            ${banners(context)}
            ${app.preferences.get().danmu ? html`<ov-danmu></ov-danmu>` : html`<div class="no-danmu"></div>`}
            ${duet ? duetStage(context, duet) : live ? liveStage(context, live) : seatGrid(context)}
            ${!live && audienceStrip(context)}
            <ov-gifts></ov-gifts>
          </main>
          ${chat.panel()}
          <div class="salon-foot">
            ${chat.peek()}
            <div class="dock-place">
              <div class="dock-stack">${giftTray(context)}${requests.tray()}${requests.invitation()}${live && called(context, live)}${live && pkInvitation(context, live)}${duet && farOffer(context, duet)}${dockNotices(context)}</div>
              ${dock(context, { requests, chat, leave })}
            </div>
          </div>
          ${
            alone &&
            html`<button class="icon-button over bring-back" type="button" data-testid="bring-back" aria-label=${t('live.bringBack')} title=${t('live.bringBack')}
              @click=${() => context.open({ pictureAlone: false })}>${icon('message-circle')}</button>`
          }
          <p class="only-read" role="status" aria-live="polite" data-testid="announcer"></p>
          ${state.end && endCard(context, state.end)}
        </div>`;
      },
      signal,
    );
    root.addEventListener('heldback', () => salon.hearing.noteHeldBack(), { signal });
    // What toasts keep clear may have come or moved, once the page has been drawn anew.
    const settle = () => queueMicrotask(() => queueMicrotask(() => app.toasts.place()));
    for (const store of [salon.state, ...(live ? [live.pk.state] : [])])
      store.subscribe(settle, { signal, now: false });
    chat.start(root);
    watchLevels(context);
    watchNews(root, context, requests);
    tabSigns(context);
    watchBackground(context, leave);
    watchGifts(root, context);
    if (live) {
      watchPlaces(root, context, live);
      watchGestures(root, context, live);
      watchPK(root, context);
    }
    if (duet) {
      void duet.library.load();
      watchSong(root, context, duet);
      watchHeadphones(context, duet);
    }
    shortcuts(
      {
        m: () => {
          if (dockNow(context).main === 'microphone') void pressMicrophone(context);
        },
        c: () => chat.focus(),
        g: () => toggleGifts(context),
        ...(live && { s: () => openStatistics(context, live) }),
        ...(live && { v: () => salon.state.get().me.seat !== null && void pressCamera(context, live) }),
        escape: () => {
          if (context.opened.get().gifts) return context.open({ gifts: false });
          if (requests.close()) return;
          if (context.opened.get().pictureAlone) context.open({ pictureAlone: false });
          else if (live?.state.get().pinned) live.pin(null);
          else chat.close();
        },
      },
      signal,
    );
    /** @type {HTMLElement | null} */ (root.querySelector('.stage'))?.focus({ preventScroll: true });
  };
}
