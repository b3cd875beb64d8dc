import { preferOpus } from './codecs.js';
import { platform } from './connection.js';
import { OvationError } from './errors.js';
import { GuestLines } from './guests.js';
import { PictureLines } from './pictures.js';
import { carries, QualityWatch } from './quality.js';
import { editAnswer, editOffer, soundQualities } from './sdp.js';
import { PictureStatisticsReader } from './statistics.js';
import { Store } from './store.js';

/** @typedef {import('./room.js').OvationRoom} OvationRoom */
/** @typedef {'new' | 'connecting' | 'connected' | 'disconnected' | 'failed' | 'closed'} PeerState */

/** The most receive lines of one peer: one a seat. */
const slotsMost = 16;
/** ICE often finds its way back by itself within this time. */
const disconnectedMs = 3_000;
/** From an answer to a connection; after it the path is `failed` and tried anew. */
const connectingMs = 6_000;
/** Waits between tries: the first, doubled up to the last. */
const firstWaitMs = 500;
const lastWaitMs = 15_000;
/** Failures of an offer that end trying until the room is entered anew. */
const finalErrors = new Set([
  'not_in_room',
  'room_not_found',
  'room_closed',
  'signed_out',
  'session_replaced',
  'banned_here',
  'banned_here_for_good',
  'aborted',
  'webrtc_missing',
]);

/** Whether this browser has WebRTC, and has it switched on. */
export function hasWebRTC() {
  return typeof globalThis.RTCPeerConnection === 'function';
}

/**
 * What was thrown on the way to a media path. What the server refused is an OvationError already.
 * @param {unknown} thrown
 */
function ofBrowser(thrown) {
  if (thrown instanceof OvationError) return thrown;
  return new OvationError('media_browser', String(thrown), { cause: thrown });
}

/** @param {RTCConfiguration} configuration */
function createInBrowser(configuration) {
  if (!hasWebRTC()) throw new OvationError('webrtc_missing');
  return new RTCPeerConnection(configuration);
}

/**
 * The media path of one person in a room: one RTCPeerConnection, whose first line carries the microphone and whose further
 * lines carry one seat each (Documentation/build/protocol.md §8). Restarts ICE when the path is lost, begins anew when that does
 * not help or the server's media plane is another one than before.
 */
export class OvationPeer {
  /** @type {Store<PeerState>} */
  state = new Store(/** @type {PeerState} */ ('new'));
  /**
   * The sound of each seat, by index; null before the first answer.
   * @type {Store<readonly (MediaStreamTrack | null)[]>}
   */
  tracks = new Store(/** @type {readonly (MediaStreamTrack | null)[]} */ ([]));
  /**
   * The mix of all voices and the song that a chorus' audience hears, where the server makes one; its line exists for
   * singers too, silent.
   * @type {Store<MediaStreamTrack | null>}
   */
  mix = new Store(/** @type {MediaStreamTrack | null} */ (null));
  /**
   * What is seen of each seat in a live room, by index, and last the room's screen; empty in other rooms.
   * @type {Store<readonly (MediaStreamTrack | null)[]>}
   */
  pictures = new Store(/** @type {readonly (MediaStreamTrack | null)[]} */ ([]));
  /**
   * The hosts of linked rooms, by their places; empty before the first answer and in other rooms.
   * @type {Store<readonly import('./guests.js').GuestTracks[]>}
   */
  guests = new Store(/** @type {readonly import('./guests.js').GuestTracks[]} */ ([]));
  /**
   * What comes of the pictures that I watch, of those that come or came, as the server told it last: at most every two seconds.
   * @type {Store<readonly import('./pictures.js').PictureNews[]>}
   */
  received = new Store(/** @type {readonly import('./pictures.js').PictureNews[]} */ ([]));
  /** @type {Store<import('./quality.js').MediaQuality | null>} */
  quality = new Store(/** @type {import('./quality.js').MediaQuality | null} */ (null));
  /**
   * Why the last offer failed, null after one that went through.
   * @type {Store<OvationError | null>}
   */
  error = new Store(/** @type {OvationError | null} */ (null));

  #room;
  #create;
  #host;
  #life = new AbortController();
  /** @type {RTCPeerConnection | null} */ #pc = null;
  /** @type {RTCRtpTransceiver | null} */ #microphone = null;
  /** @type {MediaStreamTrack | null} */ #track = null;
  /** @type {PictureLines | null} */ #lines = null;
  /** @type {GuestLines | null} */ #guests = null;
  /** @type {MediaStreamTrack | null} */ #camera = null;
  /** @type {readonly number[] | null} */ #rates = null;
  /** @type {MediaStreamTrack | null} */ #screen = null;
  /** @type {Map<import('./pictures.js').PictureName, import('./pictures.js').PictureSize>} */ #sizes =
    new Map();
  /** @type {number | null} The media epoch that the present connection belongs to. */ #epoch = null;
  /** Grows with each negotiation; an answer to an older one is dropped. */ #turn = 0;
  #attempts = 0;
  #edits = true;
  /** @type {import('./sdp.js').SoundQuality} */ #quality = 'default';
  #tight = false;
  /** @type {any} */ #timer = null;
  #watch;
  #statistics = new PictureStatisticsReader();

  /**
   * @param {OvationRoom} room entered
   * @param {{createPeerConnection?: (configuration: RTCConfiguration) => RTCPeerConnection, host?: Partial<import('./connection.js').Host>}} parts
   */
  constructor(room, { createPeerConnection, host } = {}) {
    this.#room = room;
    this.#create = createPeerConnection ?? createInBrowser;
    this.#host = { ...platform, ...host };
    this.#watch = new QualityWatch(this.#host, quality => this.quality.set(quality));
  }

  /** Opens the path. Failures are retried until `close`; `webrtc_missing` is for good, see `error`. */
  start() {
    const { signal } = this.#life;
    this.#begin();
    this.#room.events.on('resumed', () => this.#returned(), { signal });
    this.#room.events.on('room.destroyed', () => this.close(), { signal });
    this.#room.events.on('media.pictures', ({ pictures }) => this.received.set(pictures ?? []), { signal });
    this.#room.events.on(
      'media.wanted',
      ({ camera, spare }) => void this.#lines?.setWanted(camera, spare ?? false),
      { signal },
    );
    this.#room.state.subscribe(state => state && this.#invite(state.pk.links), { signal });
    this.#room.events.on('gone', () => this.close(), { signal });
  }

  /**
   * What the microphone line carries; null for nothing. Needs no round trip.
   * @param {MediaStreamTrack | null} track
   */
  async setMicrophone(track) {
    this.#track = track;
    await this.#microphone?.sender.replaceTrack(track);
  }

  /**
   * What my camera shows in a live room; null for nothing. The others see it while I sit and have said so: `OvationRoom.setCamera`.
   * @param {MediaStreamTrack | null} track
   */
  async setCamera(track) {
    this.#camera = track;
    await this.#show(this.#lines?.setCamera(track));
  }

  /**
   * How much my camera may take, by layer, the lowest first, three at most; before this is called, what 1280 × 720 needs.
   * @param {readonly number[]} rates bits a second
   */
  async setCameraRates(rates) {
    this.#rates = rates;
    await this.#lines?.setRates(rates);
  }

  /**
   * The screen that I share; null for none. The others see it from `OvationRoom.startScreen` on.
   * @param {MediaStreamTrack | null} track
   */
  async setScreen(track) {
    this.#screen = track;
    await this.#show(this.#lines?.setScreen(track));
  }

  /**
   * How much of a picture is to be sent to me from now on, over lost connections too; before this is called, all there is.
   * @param {import('./pictures.js').PictureName} picture
   * @param {import('./pictures.js').PictureSize} size
   */
  view(picture, size) {
    if (this.#sizes.get(picture) === size) return;
    this.#sizes.set(picture, size);
    if (this.#epoch !== null) this.#tellSize(picture, size);
  }

  /** @param {import('./pictures.js').PictureName} picture @param {import('./pictures.js').PictureSize} size */
  #tellSize(picture, size) {
    this.#room.viewPicture(picture, size).catch(() => {
      // It is told again with the next connection.
    });
  }

  /** @param {Promise<boolean> | undefined} change */
  async #show(change) {
    const pc = this.#pc;
    // A negotiation that is under way looks for it when it is through.
    if ((await change) && pc && pc === this.#pc && this.#epoch !== null && pc.signalingState === 'stable')
      void this.#negotiate(pc, false);
  }

  /** @param {readonly {place: number}[]} links rooms whose hosts are to be seen and heard */
  #invite(links) {
    void this.#show(Promise.resolve(this.#guests?.need(links) ?? false));
  }

  /**
   * How my sound is encoded from now on; negotiated at once if there is a connection.
   * @param {import('./sdp.js').SoundQuality} quality
   */
  setQuality(quality) {
    // A word of another version, out of a browser's storage, changes nothing.
    if (quality === this.#quality || !(quality in soundQualities)) return;
    this.#quality = quality;
    const pc = this.#pc;
    if (pc && this.#epoch !== null && pc.signalingState === 'stable') void this.#negotiate(pc, false);
  }

  get #hasNewLines() {
    return this.#lines?.hasNew || this.#guests?.hasNew;
  }

  /** @returns {import('./sdp.js').SoundQuality} */
  get #wished() {
    return this.#tight ? 'duet' : this.#quality;
  }

  /** Begins anew with a fresh connection, now. */
  restart() {
    if (this.#life.signal.aborted) return;
    this.#attempts = 0;
    this.#begin();
  }

  /** The browser's own statistics of the present connection. */
  async statistics() {
    return (await this.#pc?.getStats()) ?? null;
  }

  /** Ends it for good and tells the server. */
  close() {
    if (this.#life.signal.aborted) return;
    this.#life.abort();
    this.#drop();
    this.state.set('closed');
    this.#room.closeMedia().catch(() => {
      // The server forgets the path with the room or the session.
    });
  }

  /** The room is back after a lost connection: is this still the media plane that we know? */
  #returned() {
    if (this.#epoch !== this.#room.now.mediaEpoch) this.restart();
    else if (this.state.get() !== 'connected') this.#tryAgain();
    else if (this.#pc) {
      // Word of somebody who wants more may have been lost with the connection.
      void this.#lines?.setWanted('high');
      void this.#probe(this.#pc);
    }
  }

  /**
   * What broke the connection to the room may have broken this path too, as a change of network does.
   * @param {RTCPeerConnection} pc
   */
  async #probe(pc) {
    const turn = this.#turn;
    try {
      if (await carries(pc, this.#host)) return;
    } catch {
      return;
    }
    if (turn === this.#turn && pc === this.#pc && this.state.get() === 'connected') this.#recover();
  }

  #begin() {
    this.#drop();
    /** @type {RTCPeerConnection} */ let pc;
    try {
      const { iceServers = [] } = this.#room.session;
      pc = this.#create({ bundlePolicy: 'max-bundle', ...(iceServers.length > 0 ? { iceServers } : {}) });
    } catch (thrown) {
      return this.#failed(ofBrowser(thrown));
    }
    this.#pc = pc;
    pc.onconnectionstatechange = () => {
      if (pc === this.#pc) this.#follow(pc.connectionState);
    };
    this.#microphone = pc.addTransceiver('audio', { direction: 'sendonly' });
    const lines = [this.#microphone];
    const slots = Math.min(this.#room.now.info.seats, slotsMost);
    // The last line of a chorus carries the mix.
    const mixes = this.#room.now.info.kind === 'chorus' ? 1 : 0;
    for (let slot = 0; slot < slots + mixes; slot++)
      lines.push(pc.addTransceiver('audio', { direction: 'recvonly' }));
    for (const line of lines) preferOpus(line);
    if (this.#room.now.info.kind === 'live') {
      const format = this.#room.now.info.pictureFormat ?? 'vp8';
      this.#lines = new PictureLines(pc, slots, format);
      if (this.#rates) void this.#lines.setRates(this.#rates);
      void this.#lines.setCamera(this.#camera);
      void this.#lines.setScreen(this.#screen);
      this.#guests = new GuestLines(pc, lines, format);
      this.#guests.need(this.#room.now.pk.links);
    }
    if (this.#track) this.#microphone.sender.replaceTrack(this.#track).catch(() => {});
    void this.#negotiate(pc, false);
  }

  /** @param {RTCPeerConnection} pc @param {boolean} iceRestart */
  async #negotiate(pc, iceRestart) {
    const turn = ++this.#turn;
    const stale = () => turn !== this.#turn || pc !== this.#pc;
    this.#host.clearTimer(this.#timer);
    this.state.set('connecting');
    try {
      const offer = await pc.createOffer({ iceRestart });
      if (stale()) return;
      const sdp = await this.#setLocal(pc, offer.sdp ?? '');
      const lines = this.#lines && { ...this.#lines.names, ...this.#guests?.names };
      const answer = await this.#room.offer(sdp, { signal: this.#life.signal, ...(lines && { lines }) });
      if (stale() || answer.number === undefined) return;
      const [wished, tight] = [this.#wished, this.#tight];
      const sdpWished = editAnswer(answer.sdp, this.#microphone?.mid ?? null, wished, tight);
      await pc.setRemoteDescription({ type: 'answer', sdp: sdpWished });
      if (stale()) return;
      this.#epoch = answer.mediaEpoch;
      this.#useServers(pc, answer.iceServers ?? []);
      this.#takeTracks(pc, answer.slots);
      this.pictures.set(this.#lines?.tracks(answer.pictures ?? []) ?? []);
      this.guests.set(this.#guests?.tracks(answer.slots, answer.pictures ?? []) ?? []);
      for (const [picture, size] of this.#sizes) this.#tellSize(picture, size);
      await this.#cap();
      await this.#lines?.limit();
      if (stale()) return;
      this.error.set(null);
      // Said while the server answered, or the browser took the answer.
      if (wished !== this.#wished || tight !== this.#tight || this.#hasNewLines) {
        void this.#negotiate(pc, false);
        return;
      }
      if (pc.connectionState === 'connected') this.#follow('connected');
      else
        this.#later(connectingMs, () =>
          this.#failed(new OvationError('media_failed', 'no path to the media server')),
        );
    } catch (thrown) {
      if (!stale()) this.#failed(ofBrowser(thrown));
    }
  }

  /**
   * Sets our offer, edited if the browser takes it so.
   * @param {RTCPeerConnection} pc @param {string} sdp
   */
  async #setLocal(pc, sdp) {
    if (this.#edits) {
      try {
        await pc.setLocalDescription({ type: 'offer', sdp: editOffer(sdp) });
        return pc.localDescription?.sdp ?? sdp;
      } catch {
        this.#edits = false;
      }
    }
    await pc.setLocalDescription({ type: 'offer', sdp });
    return pc.localDescription?.sdp ?? sdp;
  }

  /** The bit rate once more as the sender's own limit, which also holds in browsers that leave the answer's unread. */
  async #cap() {
    try {
      const sender = this.#microphone?.sender;
      const parameters = sender?.getParameters();
      if (!sender || !parameters?.encodings?.length) return;
      parameters.encodings[0].maxBitrate = soundQualities[this.#wished].bitrate;
      await sender.setParameters(parameters);
    } catch {
      // Then the answer's word alone counts.
    }
  }

  /** @param {RTCPeerConnection} pc @param {RTCIceServer[]} iceServers */
  #useServers(pc, iceServers) {
    if (iceServers.length === 0) return;
    try {
      pc.setConfiguration({ ...pc.getConfiguration(), iceServers });
    } catch {
      // They would only help the next ICE restart; without them it uses the direct path.
    }
  }

  /** @param {RTCPeerConnection} pc @param {{seat?: number, guest?: number, mix?: boolean, mid: string}[]} slots */
  #takeTracks(pc, slots) {
    /** @type {(MediaStreamTrack | null)[]} */
    const tracks = Array.from({ length: this.#room.now.info.seats }, () => null);
    /** @type {MediaStreamTrack | null} */ let mixed = null;
    for (const { seat, mix, mid } of slots) {
      const line = pc.getTransceivers().find(transceiver => transceiver.mid === mid);
      if (!line) continue;
      if (mix) mixed = line.receiver.track;
      else if (seat !== undefined) tracks[seat] = line.receiver.track;
      this.#hurry(line);
    }
    this.tracks.set(tracks);
    this.mix.set(mixed);
  }

  /**
   * Singers hear each other as early as packets come; a late one is worth less than the time waited for it.
   * @param {boolean} tight
   */
  setTight(tight) {
    if (this.#tight === tight) return;
    this.#tight = tight;
    for (const line of this.#pc?.getTransceivers() ?? []) this.#hurry(line);
    const pc = this.#pc;
    if (pc && this.#epoch !== null && pc.signalingState === 'stable') void this.#negotiate(pc, false);
  }

  /** @param {RTCRtpTransceiver} line */
  #hurry(line) {
    const receiver = /** @type {{jitterBufferTarget?: number | null}} */ (
      /** @type {unknown} */ (line.receiver)
    );
    // Null is the browser's own choice.
    if ('jitterBufferTarget' in receiver) receiver.jitterBufferTarget = this.#tight ? 0 : null;
  }

  /** Whether the server says that it gets my camera; false while it does not, and without one. */
  async cameraArrives() {
    try {
      return this.state.get() === 'connected' && ((await this.#lines?.cameraArrives()) ?? false);
    } catch {
      // A connection that is closing.
      return false;
    }
  }

  /**
   * How the pictures do that come and go, since this was asked last.
   * @returns {Promise<import('./statistics.js').PictureStatistics[]>}
   */
  async pictureStatistics() {
    const [pc, lines] = [this.#pc, this.#lines];
    if (!pc || !lines) return [];
    try {
      return this.#statistics.read(
        await pc.getStats(),
        { ...lines.names, ...this.#guests?.names },
        this.#room.now.info.seats,
      );
    } catch {
      // A connection that is closing has none.
      return [];
    }
  }

  /** @param {RTCPeerConnectionState} state */
  #follow(state) {
    if (state === 'connected') {
      this.#host.clearTimer(this.#timer);
      this.#attempts = 0;
      this.state.set('connected');
      if (this.#pc) this.#watch.start(this.#pc);
    } else if (state === 'disconnected') {
      this.#watch.stop();
      this.state.set('disconnected');
      this.#later(disconnectedMs, () => this.#recover());
    } else if (state === 'failed') {
      this.#failed(new OvationError('media_failed', 'the path to the media server was lost'));
    }
  }

  /** @param {OvationError} error */
  #failed(error) {
    this.error.set(error);
    this.#watch.stop();
    this.quality.set(null);
    this.state.set('failed');
    if (finalErrors.has(error.name)) return;
    // A server that cannot read our offer may read it as the browser made it.
    if (error.name === 'media_refused' && error.data.reason !== 'overloaded') this.#edits = false;
    const wait = Math.min(firstWaitMs * 2 ** this.#attempts, lastWaitMs);
    this.#later(Math.max(wait, error.retryAfterMs ?? 0), () => this.#recover());
  }

  /** The first try after a loss restarts ICE and keeps keys and streams; further ones begin anew. */
  #recover() {
    if (this.#life.signal.aborted) return;
    // Without signalling no offer arrives: `#returned` continues.
    if (this.#room.session.state.get().phase === 'ready') this.#tryAgain();
  }

  #tryAgain() {
    const pc = this.#pc;
    const first = this.#attempts === 0;
    this.#attempts++;
    if (first && pc && this.#epoch !== null && pc.signalingState === 'stable') void this.#negotiate(pc, true);
    else this.#begin();
  }

  /** @param {number} ms @param {() => void} run */
  #later(ms, run) {
    this.#host.clearTimer(this.#timer);
    this.#timer = this.#host.setTimer(run, ms);
  }

  #drop() {
    this.#turn++;
    this.#host.clearTimer(this.#timer);
    this.#watch.stop();
    const pc = this.#pc;
    this.#pc = null;
    this.#microphone = null;
    this.#epoch = null;
    this.quality.set(null);
    this.#lines = null;
    this.#guests = null;
    this.tracks.set([]);
    this.mix.set(null);
    this.pictures.set([]);
    this.guests.set([]);
    this.received.set([]);
    if (pc) {
      pc.onconnectionstatechange = null;
      pc.close();
    }
  }
}
