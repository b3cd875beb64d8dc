import { Tones } from '../lib/tones.js';
import { childScope, focusHeading } from '../lib/view.js';
import { SalonModel } from '../models/salon.js';
import { OvationError } from '../protocol/errors.js';
import { roomFromSlug, roomSlug } from '../protocol/ids.js';
import { greenRoom } from './green-room.js';
import { releasePrepared } from './live/prepare.js';
import { expectAnotherTry } from './lobby/create.js';
import { wasJustCreated } from './lobby/id-sheet.js';
import { messagePage, waitingPage } from './message.js';

/** @typedef {import('./app.js').App} App */

/** The room itself, which is more than all that comes before it: it is loaded while somebody looks at the green room. */
const loadSalon = () => import('./salon/salon.js');

/**
 * A room by its address: the green room first, then the salon, and what there is to say when neither is possible.
 * @param {App} app
 * @param {import('../protocol/session.js').Session} session
 * @param {string} slug
 * @returns {import('./app.js').Page}
 */
export function roomPage(app, session, slug) {
  return (root, signal) => {
    const salon = openSalon(app, session, slug);
    const tones = new Tones(
      () => app.preferences.get().sounds,
      () => Object.values(salon.levels.get()).some(level => level > 8),
    );
    app.speaker.state.subscribe(({ chosen }) => tones.setOutput(chosen), { signal });
    signal.addEventListener('abort', () => {
      void salon.leave();
      // Also what was tried on in the green room.
      void app.effects.reset();
      releasePrepared(app);
      tones.close();
    });
    let scope = childScope(signal);
    let created = false;
    /** @param {import('./app.js').Page} page */
    const show = page => {
      if (signal.aborted) return;
      scope.abort();
      scope = childScope(signal);
      const place = document.createElement('div');
      place.className = 'stage-page';
      root.replaceChildren(place);
      page(place, scope.signal);
      focusHeading(place);
    };
    /** @param {unknown} thrown @param {() => void} retry */
    const fail = (thrown, retry) => {
      const error = OvationError.of(thrown);
      releasePrepared(app);
      show(messagePage(app, { kind: 'failed', error, retry: isFinal(error) ? undefined : retry }));
    };

    const preview = async () => {
      const isNew = wasJustCreated(slug);
      // Who has loaded the page anew is in the room still, and may have a seat there.
      const isBack = session.rooms.some(id => roomSlug(id) === slug);
      const straight = isNew || isBack || app.preferences.get().hasSpoken;
      created ||= isNew;
      show(straight ? waitingPage() : greenRoom(app, null, enter));
      try {
        if (straight) return await enter();
        const room = await salon.preview();
        // A viewer has nothing to try out.
        if (room.kind === 'live' && room.owner.id !== session.user.get()?.id) return await enter();
        show(greenRoom(app, room, enter));
        void loadSalon().catch(() => {});
      } catch (thrown) {
        fail(thrown, preview);
      }
    };
    const enter = async () => {
      tones.unlock();
      /** @type {typeof import('./salon/salon.js').salonPage} */ let salonPage;
      try {
        ({ salonPage } = await loadSalon());
      } catch {
        return fail(new OvationError('server_unreachable'), () => location.reload());
      }
      if (signal.aborted) return;
      try {
        await salon.enter();
      } catch (thrown) {
        const error = OvationError.of(thrown);
        if (isFinal(error)) return fail(error, preview);
        throw error;
      }
      if (salon.state.get().phase !== 'in') return;
      show(salonPage(app, salon, tones));
      if (created) void start(salon);
      created = false;
    };
    /**
     * The host of a new room is there at once. A refusal leaves the seat to be taken by hand.
     * @param {SalonModel} entered
     */
    const start = async entered => {
      if (entered.live) return goLive(entered);
      try {
        await (entered.duet ? entered.duet.takeOwnSeat() : entered.seats.sit(0));
      } catch {
        // What is wrong with a microphone stands in the room.
      }
    };
    /** @param {SalonModel} entered */
    const goLive = async entered => {
      try {
        await entered.seats.sit(0);
        // Who has left it off in the preview goes live with sound alone.
        if (app.camera.state.get().open) await entered.live?.setCamera(true);
      } catch {
        // The page shows an empty place and the buttons for it: without a camera one is heard, or tries again.
      } finally {
        releasePrepared(app);
      }
      if (!entered.live?.state.get().showing || (await entered.live.going.start()) || signal.aborted) return;
      // Nobody would see anything: back to where it can be found out why.
      const { name } = entered.state.get().room ?? { name: '' };
      await entered.destroy().catch(() => {});
      if (signal.aborted) return;
      expectAnotherTry({ name });
      app.router.move('/');
    };
    app.microphone.state.subscribe(
      ({ open }) => {
        if (open && !app.preferences.get().hasSpoken) app.preferences.change({ hasSpoken: true });
      },
      { signal },
    );
    // What ends a visit from outside; the salon page itself shows the end card.
    salon.state.subscribe(
      state => {
        if (state?.phase === 'failed' && state.error && root.querySelector('.salon'))
          fail(state.error, preview);
      },
      { signal, now: false },
    );
    void preview();
  };
}

/** @param {App} app @param {import('../protocol/session.js').Session} session @param {string} slug */
function openSalon(app, session, slug) {
  const room = roomFromSlug(slug);
  if (room === null) throw new RangeError(`no room id: ${slug}`);
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
 * Trying again will not help.
 * @param {OvationError} error
 */
function isFinal(error) {
  return ['room_not_found', 'room_closed', 'room_id_invalid', 'banned', 'banned_for_good'].includes(
    error.name,
  );
}
