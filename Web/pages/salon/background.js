import { coverURL } from '../../lib/assets.js';
import { t } from '../../lib/i18n.js';
import { WakeLock } from '../../lib/wake-lock.js';

/** @typedef {import('./context.js').SalonContext} SalonContext */

/** What a headset's keys, a phone's lock screen and a browser's window controls may do. */
const actions = /** @type {const} */ (['hangup', 'togglemicrophone', 'togglecamera', 'play', 'pause']);

/**
 * What goes on while one looks elsewhere: the screen stays awake on a seat, and the system shows the room with its controls.
 * @param {SalonContext} context
 * @param {() => void} leave
 */
export function watchBackground(context, leave) {
  const { salon, signal } = context;
  const lock = new WakeLock(signal);
  salon.state.subscribe(({ me, phase }) => lock.set(phase === 'in' && me.seat !== null), { signal });
  const session = /** @type {any} */ (globalThis.navigator?.mediaSession);
  if (!session || !('MediaMetadata' in globalThis)) return;

  /** @param {typeof actions[number]} action @param {(() => void) | null} handler */
  const handle = (action, handler) => {
    try {
      session.setActionHandler(action, handler);
    } catch {
      // Not every browser knows all of them.
    }
  };
  handle('hangup', leave);
  handle('togglemicrophone', () => void context.act(() => salon.seats.toggleMicrophone()));
  handle(
    'togglecamera',
    () => void context.act(async () => salon.live?.setCamera(!salon.live.state.get().showing)),
  );
  // A room goes on: to pause it is not to hear it for a while.
  handle('pause', () => salon.hearing.setDeafened(true));
  // The key is a gesture, with which the browser may let sound through that it held back.
  handle('play', () => void salon.unlockSound());

  let shown = '';
  const show = () => {
    const { room, me } = salon.state.get();
    if (!room) return;
    const showing = salon.live?.state.get().showing ?? false;
    session.setMicrophoneActive?.(me.mic === 'live');
    session.setCameraActive?.(showing);
    const known = [room.name, room.owner.name, room.cover].join('\n');
    if (known === shown) return;
    shown = known;
    const cover = coverURL(room.cover);
    session.metadata = new MediaMetadata({
      title: room.name,
      artist: room.owner.name || t('salon.theHost'),
      artwork: cover ? [{ src: cover }] : [],
    });
  };
  salon.state.subscribe(show, { signal });
  salon.hearing.deafened.subscribe(
    deafened => {
      session.playbackState = deafened ? 'paused' : 'playing';
    },
    { signal },
  );
  salon.live?.state.subscribe(show, { signal, now: false });
  signal.addEventListener('abort', () => {
    session.metadata = null;
    session.playbackState = 'none';
    for (const action of actions) handle(action, null);
  });
}
