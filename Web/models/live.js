import { Store } from '../lib/store.js';
import { canShow, formatName } from '../protocol/codecs.js';
import { OvationError } from '../protocol/errors.js';
import { stillPath } from '../protocol/ids.js';
import { guestPicture } from '../protocol/pictures.js';
import { AskingModel } from './asking.js';
import { CameraWord } from './camera-word.js';
import { GoingLive } from './going-live.js';
import { PKModel } from './pk.js';
import { RequestStills } from './request-stills.js';
import { ScreenModel } from './screen.js';
import { layerRates } from './sending.js';
import { StillSender } from './still.js';

/** @typedef {import('../protocol/pictures.js').PictureSize} PictureSize */
/** @typedef {import('../protocol/pictures.js').PictureNews} PictureNews */
/** @typedef {import('../protocol/pictures.js').PictureName} PictureName */
/**
 * How large I want to see people: as their place on the page is, or never more than that; `off`: I only listen.
 * @typedef {'auto' | PictureSize} PictureChoice
 */
/**
 * @typedef {object} LiveState
 * @property {readonly (MediaStreamTrack | null)[]} tracks the picture of each seat, mine from the camera itself, and last the screen
 * @property {readonly PictureNews[]} received what comes of each, and why it is less than is wanted
 * @property {boolean} showing my camera is on, for whoever sees my seat
 * @property {boolean} opening the browser asks for the camera, or it starts
 * @property {string | null} problem why it cannot be, `camera_*`
 * @property {PictureChoice} choice
 * @property {number | null} firstFrameMs from my coming in to the first picture of somebody else
 * @property {string | null} pinned who is large, for me alone
 * @property {boolean} upright the host's picture, as it was seen last, is higher than wide
 * @property {ReadonlyMap<number, 'connecting' | 'soundFirst'>} awaited seats whose picture may still be on its way: somebody has just sat down, or I have just come; `soundFirst` once the sound should be there
 */

/** A tab that is hidden for so long gets no pictures; sound goes on. */
const hiddenMs = 3_000;
/** Sound is there by then, where anything is. */
const soundFirstMs = 2_000;
/** A picture that has not come after this is not on its way. */
const awaitedMs = 8_000;
/** Under this name the camera is held for the room. */
const holder = 'live';
/** @type {readonly PictureSize[]} */
const order = ['off', 'low', 'middle', 'high'];

/** The pictures of a live room, for one of its people: shows their camera while they sit, and watches the others. */
export class LiveModel {
  state = new Store(
    /** @type {LiveState} */ ({
      tracks: [],
      received: [],
      showing: false,
      opening: false,
      problem: null,
      choice: 'auto',
      firstFrameMs: null,
      pinned: null,
      upright: false,
      awaited: new Map(),
    }),
  );

  /** The screen that I share. */ screen;
  /** Other rooms. */ pk;
  /** The seconds before I am live. */ going;
  /** My way onto the stage. */ asking;
  /** What the room looked like when I came, until its picture is there: the address of a still, or ''. */ before;

  #room;
  #visit;
  #camera;
  /** @type {Store<MediaStreamTrack | null>} What is shown of the camera. */ #picture;
  #word;
  #still;
  /** @type {Map<PictureName, PictureSize>} How large each picture's place on the page is. */ #places =
    new Map();
  #hidden = false;
  /** The picture is seen in a window of its own. */ #isApart = false;
  #sits = false;
  /** @type {Map<number, any>} Who sat on each seat when it was looked at last, and the end of the wait for their picture. */ #known =
    new Map();
  /** @type {any} */ #timer = null;
  #began = performance.now();
  /** Counts what I said of the camera: only the last word counts. */ #wish = 0;

  /**
   * @param {object} parts
   * @param {import('../protocol/room.js').OvationRoom} parts.room
   * @param {import('../protocol/session.js').Session} parts.session
   * @param {import('./salon-parts.js').Run} parts.run
   * @param {import('./salon-parts.js').Change} parts.change
   * @param {import('./salon-voice.js').OwnVoice} parts.voice
   * @param {import('../protocol/events.js').Emitter<import('./salon-state.js').SalonNewsMap>} parts.news
   * @param {import('./preferences.js').PreferencesModel} parts.preferences
   * @param {import('./listening.js').ListeningModel} parts.listening
   * @param {Store<MediaStreamTrack | null> | null} parts.picture what is shown of the camera
   * @param {import('./salon-requests.js').RequestActions} parts.requests
   * @param {ConstructorParameters<typeof AskingModel>[0]['comeBy']} parts.comeBy
   * @param {import('./salon-parts.js').Visit} visit of a live room, begun
   * @param {import('./camera.js').CameraModel} camera
   * @param {Document | null} [page] whose being hidden counts
   */
  constructor(parts, visit, camera, page = globalThis.document ?? null) {
    const { room, preferences } = parts;
    this.#room = room;
    this.#visit = visit;
    this.#camera = camera;
    this.#picture = parts.picture ?? camera.track;
    this.screen = new ScreenModel(room, visit);
    this.pk = new PKModel(parts, visit);
    this.#word = new CameraWord(room, () => this.#isToBeSeen, visit.life.signal);
    this.before = stillPath(room.now.info);
    const { signal } = visit.life;
    this.going = new GoingLive(
      () => visit.peer.cameraArrives(),
      () => this.#isToBeSeen,
      signal,
    );
    this.asking = new AskingModel(
      parts,
      () => this.setCamera(true),
      () => smallStill(this.#picture.get()),
      signal,
    );
    new RequestStills(parts, signal);
    this.#still = new StillSender(
      parts,
      () => (this.state.get().showing ? this.#picture.get() : null),
      signal,
    );
    visit.peer.pictures.subscribe(() => this.#show(), { signal });
    visit.peer.received.subscribe(received => this.#change({ received }), { signal });
    const changed = () => {
      this.#send();
      this.#word.settle();
      this.#still.settle();
    };
    this.#picture.subscribe(changed, { signal, now: false });
    preferences.subscribe(
      chosen => {
        void visit.peer.setCameraRates(layerRates(chosen));
        this.#still.settle();
      },
      { signal },
    );
    camera.state.subscribe(
      ({ opening, problem }) => {
        if (this.state.get().showing || this.state.get().opening) this.#change({ opening, problem });
        this.#word.settle();
        this.#show();
      },
      { signal, now: false },
    );
    this.screen.state.subscribe(() => this.#show(), { signal, now: false });
    this.pk.state.subscribe(() => this.#ask(), { signal, now: false });
    room.state.subscribe(() => this.#follow(), { signal });
    visit.peer.state.subscribe(state => state === 'connected' && this.#await(), { signal });
    page?.addEventListener('visibilitychange', () => this.#look(page.hidden), { signal });
    if (page?.hidden) this.#look(true);
    signal.addEventListener('abort', () => {
      clearTimeout(this.#timer);
      for (const { timer } of this.#known.values()) clearTimeout(timer);
      this.#camera.close(holder);
    });
  }

  /** What the room's pictures come in, as people know it. */
  get formatName() {
    return formatName(this.#room.now.info.pictureFormat ?? 'vp8');
  }

  /** This browser knows nothing of the format in which the room's pictures come: neither are they seen, nor is mine. */
  get lacksFormat() {
    return !canShow(this.#room.now.info.pictureFormat ?? 'vp8');
  }

  /**
   * A camera without a picture is not to be seen: a call has taken it away, beauty cannot change it, and Firefox goes on sending the last picture of a line whose
   * track has been taken away. Between two cameras the word stays.
   */
  get #isToBeSeen() {
    const { open, away } = this.#camera.state.get();
    return this.state.get().showing && !away && (this.#picture.get() !== null || !open);
  }

  get #seat() {
    return this.#room.state.get()?.me.seat;
  }

  /**
   * Shows my camera to whoever sees my seat, from the moment in which I have one, or no longer. Throws OvationError `camera_*` (also in
   * `state.problem`), `camera_blocked` where the host has switched it off, and `aborted`.
   * @param {boolean} on
   */
  async setCamera(on) {
    const wish = ++this.#wish;
    if (!on) {
      this.#change({ showing: false, opening: false, problem: null });
      this.#camera.close(holder);
      this.#send();
      this.#word.settle();
      return;
    }
    if (this.#word.present === 'blocked') throw new OvationError('camera_blocked');
    if (this.lacksFormat) throw new OvationError('camera_format');
    this.#change({ opening: true, problem: null });
    try {
      await this.#camera.open(holder);
    } catch (thrown) {
      if (wish === this.#wish) {
        const error = OvationError.of(thrown);
        this.#change({ opening: false, problem: error.name === 'aborted' ? null : error.name });
      }
      throw thrown;
    }
    // Switched off, or no longer seated, while the browser was asking.
    if (wish !== this.#wish || this.#visit.life.signal.aborted) throw new OvationError('aborted');
    this.#change({ showing: true, opening: false });
    this.#send();
    this.#word.settle();
  }

  /** A picture of somebody else has come to be seen. */
  noteFrame() {
    if (this.state.get().firstFrameMs !== null) return;
    this.#change({ firstFrameMs: performance.now() - this.#began });
  }

  /**
   * The size of the host's picture is known, or has changed.
   * @param {boolean} upright
   */
  noteHostShape(upright) {
    if (upright !== this.state.get().upright) this.#change({ upright });
  }

  /** How the pictures do that come and go, since this was asked last. */
  pictureStatistics() {
    return this.#visit.peer.pictureStatistics();
  }

  /**
   * Makes somebody on stage large on this page, or nobody.
   * @param {string | null} user
   */
  pin(user) {
    this.#change({ pinned: user });
  }

  /** @param {PictureChoice} choice */
  choose(choice) {
    this.#change({ choice });
    this.#ask();
  }

  /**
   * How large the places are in which people and the screen are seen; what is not named is not seen.
   * @param {ReadonlyMap<PictureName, PictureSize>} places
   */
  place(places) {
    this.#places = new Map(places);
    this.#ask();
  }

  /** Who loses the seat is not seen any more: the device is let go. */
  #follow() {
    const sat = this.#sits;
    this.#sits = this.#seat !== undefined;
    if (sat && !this.#sits) {
      void this.setCamera(false);
      this.screen.stop();
    }
    // The host has switched it off: the device is let go.
    if (this.#word.present === 'blocked' && this.state.get().showing) void this.setCamera(false);
    this.#word.settle();
    this.#still.settle();
    for (const { index, user } of this.#room.state.get()?.seats ?? []) {
      if (this.#known.get(index)?.user !== user) this.#awaitSeat(index, user);
    }
    this.#show();
  }

  /** A path has opened: pictures of all seats may be on their way. */
  #await() {
    for (const [seat, { user }] of this.#known) this.#awaitSeat(seat, user);
  }

  /** @param {number} seat @param {string | undefined} user */
  #awaitSeat(seat, user) {
    clearTimeout(this.#known.get(seat)?.timer);
    const known = {
      user,
      timer: setTimeout(() => wait('soundFirst', awaitedMs - soundFirstMs), soundFirstMs),
    };
    /** @param {'connecting' | 'soundFirst' | null} phase @param {number} [ms] until the next one */
    const wait = (phase, ms) => {
      const awaited = new Map(this.state.get().awaited);
      if (phase) awaited.set(seat, phase);
      else awaited.delete(seat);
      this.#change({ awaited });
      if (ms) known.timer = setTimeout(() => wait(null), ms);
    };
    this.#known.set(seat, known);
    wait('connecting');
  }

  /** Begins the path anew: no picture has come by the present one. */
  tryAgain() {
    this.#visit.peer.restart();
    this.#await();
  }

  /**
   * A picture is seen in a window of its own: it goes on while the page is hidden.
   * @param {boolean} apart
   */
  setApart(apart) {
    this.#isApart = apart;
    this.#ask();
  }

  /** @param {boolean} hidden */
  #look(hidden) {
    clearTimeout(this.#timer);
    if (!hidden) {
      this.#hidden = false;
      this.#ask();
      return;
    }
    this.#timer = setTimeout(() => {
      this.#hidden = true;
      this.#ask();
    }, hiddenMs);
  }

  #ask() {
    const { choice } = this.state.get();
    const most = this.#hidden && !this.#isApart ? 'off' : choice === 'auto' ? 'high' : choice;
    const seats = this.#room.state.get()?.seats.length ?? 0;
    const { links, match } = this.pk.state.get();
    const guests = links.map(({ place }) => guestPicture(place));
    // Both hosts must see each other before a PK, whatever lies over the page.
    const least = match?.phase === 'linking' ? 'low' : 'off';
    const pictures = /** @type {PictureName[]} */ ([...Array(seats).keys(), 'screen', ...guests]);
    for (const picture of pictures) {
      const wanted = this.#places.get(picture) ?? 'off';
      const size = order[Math.min(order.indexOf(wanted), order.indexOf(most))];
      this.#visit.peer.view(picture, guests.includes(picture) && size === 'off' ? least : size);
    }
  }

  #send() {
    const track = this.state.get().showing ? this.#picture.get() : null;
    void this.#visit.peer.setCamera(track).catch(() => {
      // The peer is being replaced; it takes the track along.
    });
    this.#show();
  }

  #show() {
    const mine = this.#seat;
    const own = this.state.get().showing && !this.#camera.state.get().away ? this.#picture.get() : null;
    const { track: screen } = this.screen.state.get();
    const seats = this.#room.state.get()?.seats.length ?? 0;
    const tracks = this.#visit.peer.pictures
      .get()
      .map((track, picture) => (picture === mine ? own : picture === seats ? (screen ?? track) : track));
    // Before the path is there I see myself already.
    if (mine !== undefined && tracks.length <= mine) tracks[mine] = own;
    const before = this.state.get().tracks;
    const same = tracks.length === before.length && tracks.every((track, seat) => track === before[seat]);
    if (!same) this.#change({ tracks });
  }

  /** @param {Partial<LiveState>} some */
  #change(some) {
    this.state.set({ ...this.state.get(), ...some });
  }
}

/**
 * What goes along with a request: nobody waits for a camera that gives no picture.
 * @param {MediaStreamTrack | null} track
 * @returns {Promise<Uint8Array | null>}
 */
async function smallStill(track) {
  if (!track) return null;
  const { requestBytes, takeStill } = await import('../video/still.js');
  return takeStill(track, requestBytes).catch(() => null);
}
