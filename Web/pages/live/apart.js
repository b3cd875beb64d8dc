import '../../elements/video.js';
import { avatar } from '../../elements/avatar.js';
import { html, keyed } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { childScope, view } from '../../lib/view.js';
import { areaOf } from '../../models/layout.js';
import { pressMicrophone } from '../salon/microphone.js';
import { placesOf } from './stage.js';

/** @typedef {import('../salon/context.js').SalonContext} SalonContext */
/** @typedef {import('../../models/live.js').LiveModel} LiveModel */

/** Chat lines in the window: what has just been said. */
const lines = 3;

/** Document Picture-in-Picture (WICG), where the browser has it. */
const windows = () => /** @type {any} */ (globalThis).documentPictureInPicture ?? null;

/** Whether the browser can show pictures in a window of their own. */
export const canBeApart = () => Boolean(windows() ?? globalThis.document?.pictureInPictureEnabled);

/**
 * The stage in a window of its own, over other programs; where the browser has no such windows the host's picture, or the first there is.
 * Back again if it is there.
 * @param {SalonContext} context
 * @param {LiveModel} live
 */
export async function pressApart(context, live) {
  if (document.pictureInPictureElement) return void (await document.exitPictureInPicture());
  if (windows()?.window) return windows().window.close();
  try {
    if (windows()) await openWindow(context, live);
    else await onePicture(context, live);
  } catch {
    context.say(t('live.notApart'), 'triangle-alert');
  }
}

/** @param {SalonContext} context @param {LiveModel} live */
async function onePicture(context, live) {
  const pictures = /** @type {import('../../elements/video.js').Video[]} */ ([
    ...document.querySelectorAll('.tile:not([data-me]) ov-video[data-playing]'),
    ...document.querySelectorAll('.tile ov-video[data-playing]'),
  ]);
  if (pictures.length === 0) return context.say(t('live.noneApart'), 'video-off');
  const picture = await pictures[0].apart();
  live.setApart(true);
  picture.addEventListener('leavepictureinpicture', () => live.setApart(false), { once: true });
}

/** @param {SalonContext} context @param {LiveModel} live */
async function openWindow(context, live) {
  /** @type {Window} */
  const other = await windows().requestWindow({ width: 384, height: 336 });
  const scope = childScope(context.signal);
  scope.signal.addEventListener('abort', () => other.close());
  live.setApart(true);
  other.addEventListener('pagehide', () => {
    scope.abort();
    live.setApart(false);
  });

  const page = other.document;
  page.documentElement.lang = document.documentElement.lang;
  Object.assign(page.documentElement.dataset, document.documentElement.dataset);
  page.title = context.state.room?.name ?? '';
  for (const sheet of /** @type {NodeListOf<HTMLLinkElement>} */ (
    document.querySelectorAll('link[rel=stylesheet]')
  )) {
    const copy = page.createElement('link');
    copy.rel = 'stylesheet';
    copy.href = sheet.href;
    page.head.append(copy);
  }
  const root = page.createElement('div');
  root.className = 'apart night';
  page.body.append(root);
  const { salon } = context;
  view(
    root,
    [salon.state, live.state, live.pk.state],
    () => content(context, live, () => other.close()),
    scope.signal,
  );
}

/** @param {SalonContext} context @param {LiveModel} live @param {() => void} close */
function content(context, live, close) {
  const { me, screen, seats, chat } = context.state;
  const { tracks, choice } = live.state.get();
  const listening = choice === 'off';
  const isOpen = me.mic === 'live' || me.mic === 'cutOff';
  const { links, guests } = live.pk.state.get();
  const { people, areaOfSeat, count, layout } = placesOf(context, live, 'wide');
  const said = chat
    .flatMap(line => (line.kind === 'text' || line.kind === 'danmu' ? [line] : []))
    .slice(-lines);
  return html`<div class="apart-stage" data-testid="apart-stage" data-count=${count} .vars=${{ '--areas': screen ? '"a"' : layout.areas, '--rows': screen ? 'none' : layout.rows }}>
      ${
        screen
          ? tile('a', screen, tracks[seats.length] ?? null, { listening })
          : people.flatMap(({ index, user, camera, isMe }) => {
              // Nobody is seen here who is not seen on the page.
              const dark = !isMe && camera !== null && camera !== 'on';
              const look = { dark, listening: listening && !isMe };
              return user ? [keyed(index, tile(areaOfSeat(index), user, tracks[index] ?? null, look))] : [];
            })
      }
      ${
        !screen &&
        links.map((link, at) =>
          keyed(
            link.id,
            tile(areaOf(people.length + at), link.host, guests[link.place]?.picture ?? null, { listening }),
          ),
        )
      }
    </div>
    <ul class="apart-lines" data-testid="apart-lines">${said.map(line => keyed(line.key, html`<li><b dir="auto">${line.from.name}</b> <span dir="auto">${line.text}</span></li>`))}</ul>
    <div class="apart-bar">
      ${
        me.seat !== null &&
        html`<button class="icon-button" type="button" data-testid="apart-microphone" aria-pressed=${String(isOpen)} aria-label=${t(isOpen ? 'micHint.live' : 'micHint.mutedByMe')}
          @click=${() => void pressMicrophone(context)}>${icon(isOpen ? 'mic' : 'mic-off')}</button>`
      }
      <button class="button compact" type="button" data-testid="apart-back" @click=${close}>${t('live.notApartAnyMore')}</button>
    </div>`;
}

/**
 * @param {string} area @param {import('../../models/salon-state.js').User} user @param {MediaStreamTrack | null} track
 * @param {{dark?: boolean, listening?: boolean}} look as on the page: a camera that is off, or sound alone by my choice
 */
function tile(area, user, track, { dark = false, listening = false }) {
  return html`<div class="tile" .vars=${{ '--area': area }} ?data-dark=${dark} ?data-listening=${listening}>
    <div class="tile-face">${avatar(user)}</div>
    <ov-video .track=${track}></ov-video>
    <span class="tile-plate"><span class="clip" dir="auto">${user.name}</span></span>
  </div>`;
}
