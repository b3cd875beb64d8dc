import { Tones } from '../lib/tones.js';
import { childScope, focusHeading } from '../lib/view.js';
import { RemovalsModel } from '../models/removals.js';
import { previewRoom } from '../models/room-preview.js';
import { OvationError } from '../protocol/errors.js';
import { roomFromSlug, roomSlug } from '../protocol/ids.js';
import { greenRoom } from './green-room.js';
import { releasePrepared } from './live/prepared.js';
import { expectAnotherTry, wasJustCreated } from './lobby/started.js';
import { messagePage, waitingPage } from './message.js';

/** @typedef {import('./app.js').App} App */

/** The room itself, its state and its page, which is more than all that comes before it: it is loaded while somebody looks at the green room. */
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
    const room = roomFromSlug(slug);
    if (room === null) throw new RangeError(`no room id: ${slug}`);
    /** @type {import('../models/salon.js').SalonModel | null} */ let salon = null;
    const tones = new Tones(
      () => app.preferences.get().sounds,
      () => Object.values(salon?.levels.get() ?? {}).some(level => level > 8),
    );
    app.speaker.state.subscribe(({ chosen }) => tones.setOutput(chosen), { signal });
    signal.addEventListener('abort', () => {
      void salon?.leave();
      // Also what was tried on in the green room.
      void app.effects.reset();
      releasePrepared(app);
      tones.close();
    });
    const removals = new RemovalsModel(session, slug);
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
      const error = removals.note(OvationError.of(thrown));
      releasePrepared(app);
      show(messagePage(app, { kind: 'failed', error, retry: isFinal(error) ? undefined : retry }));
    };

    const preview = async () => {
      const isNew = wasJustCreated(slug);
      // Who has loaded the page anew is in the room still, and may have a seat there.
      const isBack = session.rooms.some(id => roomSlug(id) === slug);
      const straight = isNew || isBack || app.preferences.get().hasSpoken || removals.holds();
      created ||= isNew;
      show(straight ? waitingPage() : greenRoom(app, null, enter));
      try {
        if (straight) return await enter();
        const card = await previewRoom(session, room);
        // A viewer has nothing to try out, nor has who is kept out of all rooms of this host.
        const isViewer = card.kind === 'live' && card.owner.id !== session.user.get()?.id;
        if (isViewer || removals.holds(card.owner.id)) return await enter();
        show(greenRoom(app, card, enter));
        void loadSalon().catch(() => {});
      } catch (thrown) {
        fail(thrown, preview);
      }
    };
    const enter = async () => {
      tones.unlock();
      /** @type {typeof import('./salon/salon.js')} */ let code;
      try {
        code = await loadSalon();
      } catch {
        return fail(new OvationError('server_unreachable'), () => location.reload());
      }
      if (signal.aborted) return;
      const entering = salon ?? begin(code.openSalon(app, session, room));
      try {
        await entering.enter();
      } catch (thrown) {
        const error = OvationError.of(thrown);
        if (isFinal(error)) return fail(error, preview);
        throw error;
      }
      if (entering.state.get().phase !== 'in') return;
      removals.forget(entering.state.get().room?.owner.id);
      show(code.salonPage(app, entering, tones));
      if (created) void start(entering);
      created = false;
    };
    /** @param {import('../models/salon.js').SalonModel} opened */
    const begin = opened => {
      salon = opened;
      // What ends a visit from outside; the salon page itself shows the end card.
      opened.state.subscribe(
        state => {
          if (state?.phase === 'failed' && state.error && root.querySelector('.salon'))
            fail(state.error, preview);
        },
        { signal, now: false },
      );
      return opened;
    };
    /**
     * The host of a new room is there at once. A refusal leaves the seat to be taken by hand.
     * @param {import('../models/salon.js').SalonModel} entered
     */
    const start = async entered => {
      if (entered.live) return goLive(entered);
      try {
        await (entered.duet ? entered.duet.takeOwnSeat() : entered.seats.sit(0));
      } catch {
        // What is wrong with a microphone stands in the room.
      }
    };
    /** @param {import('../models/salon.js').SalonModel} entered */
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
    void preview();
  };
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
