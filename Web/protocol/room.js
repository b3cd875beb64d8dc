import { OvationError } from './errors.js';
import { danmuCommand, roomKinds } from './events.js';
import { freshKey } from './ids.js';
import { whichPicture } from './pictures.js';
import { RoomFollower } from './room-follower.js';
import { apply, forgetInvitation } from './room-state.js';

/** @typedef {import('./ids.js').RoomID} RoomID */
/** @typedef {import('./session.js').Session} Session */
/** @typedef {'high' | 'normal' | 'low'} MessagePriority */
/** @typedef {import('./room-state.js').RoomState} RoomState */
/** @typedef {import('./events.js').RoomEventMap} RoomEventMap */
/** @typedef {import('./wire.js').CommandParameters} CommandParameters */
/** @typedef {import('./wire.js').CommandAnswers} CommandAnswers */
/** @template T @typedef {import('./store.js').Store<T>} Store */
/** @template {object} T @typedef {import('./events.js').Emitter<T>} Emitter */
/** @typedef {import('./events.js').Member} Member */

/**
 * One room, entered: `state` follows the server's news; `events` tells each single one after the state has taken it up
 * (answer, then the list, then the event). Every method that changes the room carries an idempotency key, so that a call
 * under way while the connection breaks is repeated without harm.
 */
export class OvationRoom {
  /**
   * Null until entered.
   * @type {Store<RoomState | null>}
   */
  state;
  /**
   * Loudness 0…100 of who speaks, by user id.
   * @type {Store<Readonly<Record<string, number>>>}
   */
  levels;
  /** @type {Emitter<RoomEventMap>} */
  events;
  /** @type {RoomID} */ id;
  /** @type {Session} */ session;

  /** @type {RoomFollower} */ #follower;
  #offers = 0;
  /** @type {AbortController | null} The entry that is under way. */ #entry = null;

  /**
   * @param {Session} session
   * @param {RoomID} id
   */
  constructor(session, id) {
    this.session = session;
    this.id = id;
    this.#follower = new RoomFollower(session, id);
    ({ state: this.state, levels: this.levels, events: this.events } = this.#follower);
  }

  /**
   * Creates a room and is in it.
   * @param {Session} session
   * @param {{room?: RoomID, kind?: string, name: string, cover?: string, tags?: string[], seats?: number | {muted?: boolean, closed?: boolean}[], needsRequest?: boolean, pictureFormat?: import('./codecs.js').PictureFormat, privateMapKey?: string}} options
   * @param {{signal?: AbortSignal}} [more]
   */
  static async create(session, options, more) {
    const answer = await session.call('room.create', { kind: 'voice', ...options, key: freshKey() }, more);
    const room = new OvationRoom(session, answer.room);
    room.#follower.privateMapKey = options.privateMapKey;
    room.#follower.attach();
    room.#follower.start(answer.snapshot);
    return room;
  }

  /**
   * Tells how loud who speaks is: now and after each interval, in silence too, until the room is left or over.
   * @param {number} everyMs at least 100; the server measures five times a second
   * @param {(levels: Readonly<Record<string, number>>) => void} listener
   * @param {{signal?: AbortSignal}} options
   */
  watchLevels(everyMs, listener, { signal } = {}) {
    const tell = () => {
      if (signal?.aborted || !this.#follower.isFollowing) return clearInterval(timer);
      listener(this.levels.get());
    };
    const timer = setInterval(tell, Math.max(everyMs, 100));
    tell();
  }

  /** The state; throws OvationError `not_in_room` before it was entered. */
  get now() {
    const state = this.state.get();
    if (!state) throw new OvationError('not_in_room');
    return state;
  }

  /**
   * Enters. The room comes back by itself when the connection was lost.
   * @param {{signal?: AbortSignal, kinds?: readonly string[], privateMapKey?: string}} options `kinds`: of rooms that the page can show ·
   * `privateMapKey`: where the application asks for one
   */
  async enter({ signal, kinds = roomKinds, privateMapKey } = {}) {
    const entry = new AbortController();
    const cancel = () => entry.abort();
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    this.#entry = entry;
    this.#follower.attach();
    try {
      const options = { signal: entry.signal, repeat: true };
      const key = privateMapKey === undefined ? {} : { privateMapKey };
      const answer = await this.session.call('room.enter', { room: this.id, ...key }, options);
      const { snapshot } = answer;
      // Only who says how far they have come is told less.
      if (!snapshot) throw new OvationError('invalid_answer');
      const kind = snapshot.info.kind;
      if (!kinds.includes(kind)) {
        this.#tellExit();
        throw new OvationError('room_kind_unknown', `rooms of the kind ${kind} need a newer page`);
      }
      this.#follower.privateMapKey = privateMapKey ?? this.#follower.privateMapKey;
      this.#follower.start(snapshot);
    } catch (thrown) {
      if (this.#entry === entry && !this.state.get()) {
        this.#follower.leave();
        // The server may have let us in all the same.
        if (['aborted', 'timeout'].includes(OvationError.of(thrown).name)) this.#tellExit();
      }
      throw thrown;
    } finally {
      signal?.removeEventListener('abort', cancel);
      if (this.#entry === entry) this.#entry = null;
    }
  }

  #tellExit() {
    this.session.exit(this.id).catch(() => {
      // Not in it, then.
    });
  }

  /** Leaves; a seat is freed first. An entry that is under way ends with `aborted`. */
  async exit() {
    const entry = this.#entry;
    this.#entry = null;
    entry?.abort();
    this.#follower.leave();
    await this.session.exit(this.id);
  }

  /**
   * Any command of the room, by its name in the protocol. The methods below say what the usual ones are for.
   * @template {keyof CommandParameters} M
   * @param {M} method
   * @param {CommandParameters[M]} params
   * @param {string} [key] repeats an attempt whose outcome is not known
   * @returns {Promise<CommandAnswers[M]>}
   */
  command(method, params, key = freshKey()) {
    return this.session.command(this.id, method, params, key);
  }

  /** Ends the room for everyone (owner). */
  destroy() {
    return this.command('room.destroy', {});
  }

  /**
   * Owner and admins. What is not given stays. The last three are what the chat takes from everybody else.
   * @param {{name?: string, cover?: string, tags?: string[], needsRequest?: boolean} & Partial<import('./events.js').ChatRules>} settings
   */
  update(settings) {
    return this.command('room.update', settings);
  }

  /** @param {string} user @param {'admin' | 'member'} role */
  setRole(user, role) {
    return this.command('role.set', { user, role });
  }

  /**
   * Hands the room over to somebody who is here; I stay admin. For the owner.
   * @param {string} user
   */
  setOwner(user) {
    return this.command('owner.set', { user });
  }

  // What owner and admins do about messages and people.

  /**
   * Removes the text of a message for everybody. Throws `message_not_found` when it is too old.
   * @param {number} chat its number
   */
  deleteMessage(chat) {
    return this.command('message.delete', { chat });
  }

  /**
   * Keeps somebody from writing, or puts them out of the room and keeps them out.
   * @param {'chat_mute' | 'ban'} kind
   * @param {string} user
   * @param {{seconds?: number, everywhere?: boolean, reason?: string}} [options] `seconds`: up to 31,536,000; absent: until the room ends, or
   * for good; 0: a ban that puts somebody out who may come back · `everywhere`: a ban from all rooms of this room's owner · `reason`: up to 200 characters, which they read too
   */
  restrict(kind, user, options = {}) {
    return this.command('restriction.set', { kind, user, ...options });
  }

  /**
   * Ends it before its time. Throws `not_restricted` when there is nothing to end.
   * @param {'chat_mute' | 'ban'} kind
   * @param {string} user
   */
  liftRestriction(kind, user) {
    return this.command('restriction.lift', { kind, user });
  }

  /**
   * Tells the operator of somebody. The server adds what it knows. Throws `rate_limited` after five, until a minute has passed.
   * @param {string} user
   * @param {import('./events.js').ReportCause} cause
   * @param {{words?: string, chat?: number}} [options] `words`: up to 200 characters · `chat`: the number of a message of theirs
   */
  report(user, cause, options = {}) {
    return this.session.call('report.send', { room: this.id, user, cause, ...options });
  }

  /**
   * Who may not write or enter, the newest first.
   * @returns {Promise<import('./events.js').Restriction[]>}
   */
  async restrictions() {
    const { restrictions } = await this.session.call('restriction.list', { room: this.id }, { repeat: true });
    return restrictions;
  }

  /** @param {number} seat */
  takeSeat(seat) {
    return this.command('seat.take', { seat });
  }

  leaveSeat() {
    return this.command('seat.leave', {});
  }

  /** @param {number} seat */
  moveSeat(seat) {
    return this.command('seat.move', { seat });
  }

  /** @param {number} seat @param {string} user */
  pickSeat(seat, user) {
    return this.command('seat.pick', { seat, user });
  }

  /** @param {number} seat */
  kickSeat(seat) {
    return this.command('seat.kick', { seat });
  }

  /** @param {number} seat @param {boolean} muted */
  muteSeat(seat, muted) {
    return this.command('seat.mute', { seat, muted });
  }

  /** @param {number} seat @param {boolean} closed */
  closeSeat(seat, closed) {
    return this.command('seat.close', { seat, closed });
  }

  /**
   * My own mute.
   * @param {boolean} muted
   */
  setMicrophone(muted) {
    return this.command('microphone.set', { muted });
  }

  /**
   * Whether my camera is to be seen in a live room. Throws `camera_blocked` when the host has switched it off.
   * @param {boolean} on
   */
  setCamera(on) {
    return this.command('camera.set', { on });
  }

  /**
   * Shows the list of rooms what my camera shows, for a minute at most; for the owner of a live room, while seen there. Throws
   * `rate_limited` for more than one in ten seconds.
   * @param {Uint8Array | null} picture a JPEG of at most 15 KiB and 360 pixels on each side, without metadata; null shows none any more
   * @returns {Promise<number | null>} its number, for `stillPath`
   */
  async setStill(picture) {
    const params = picture ? { picture: base64(picture) } : {};
    const { still } = await this.session.call('still.set', { room: this.id, ...params });
    return still ?? null;
  }

  /**
   * Switches somebody's camera off, or allows it again; for owner and admins.
   * @param {number} seat @param {boolean} allowed
   */
  allowCamera(seat, allowed) {
    return this.command('seat.camera', { seat, allowed });
  }

  /** The screen that I send is seen from now on. Throws `screen_taken` while another's is. */
  startScreen() {
    return this.command('screen.start', {});
  }

  /** Ends mine, or, for owner and admins, anybody's. */
  stopScreen() {
    return this.command('screen.stop', {});
  }

  // Other live rooms; but for `quitPK` and `muteLink` for the owner alone.

  /**
   * Asks another live room's host for a PK, or without terms for a link alone; the answer comes as `pk.challenge`.
   * @param {RoomID} other
   * @param {Partial<import('./events.js').PKTerms> & {seconds: number}} [terms]
   */
  challenge(other, terms) {
    return this.command('pk.challenge', terms ? { other, terms } : { other });
  }

  cancelChallenge() {
    return this.command('pk.cancel', {});
  }

  /**
   * @param {string} id
   * @param {boolean} agreed
   * @param {'host' | 'all'} [pause] no more challenges by that host for 3 minutes, or by anybody for 12 hours
   */
  answerChallenge(id, agreed, pause) {
    return this.command('pk.answer', pause ? { id, agreed, pause } : { id, agreed });
  }

  /** I see the other host. Points count from three seconds after both of us have said so. */
  readyForPK() {
    return this.command('pk.ready', {});
  }

  /**
   * Ends a link and the PK with it, which counts as lost while its clock runs.
   * @param {string} [link] the only one unless told
   */
  quitPK(link) {
    return this.command('pk.quit', link ? { link } : {});
  }

  /**
   * Whether a linked room's host is heard here, by everybody.
   * @param {string} link @param {boolean} muted
   */
  muteLink(link, muted) {
    return this.command('pk.mute', { link, muted });
  }

  /**
   * @param {{user: string, command: string, content?: string, words?: string, still?: Uint8Array | null, timeoutSeconds?: number}} invitation
   *   `words` has up to 60 characters; `still` is what I look like, for the host of a live room: a JPEG of at most 8 KiB
   * @returns {Promise<{id: string, position?: number}>}
   */
  async invite(invitation) {
    const { still, ...words } = invitation;
    const answer = await this.command('invitation.send', {
      ...words,
      ...(still ? { still: base64(still) } : {}),
      id: freshKey(),
    });
    const createdAt = this.session.serverNow();
    const { user: to, command, content = '', timeoutSeconds = 0 } = invitation;
    /** @type {import('./events.js').Invitation} */
    const sent = {
      id: answer.id,
      room: this.id,
      from: this.now.me.id,
      to,
      command,
      content,
      state: 'waiting',
      createdAt,
    };
    if (invitation.words) sent.words = invitation.words;
    if (still) sent.hasStill = true;
    if (timeoutSeconds > 0) sent.expiresAt = createdAt + timeoutSeconds * 1000;
    this.state.update(state => state && apply(state, { type: 'invitation.received', invitation: sent }));
    return answer;
  }

  /**
   * What came with a request that waits for my answer.
   * @param {string} id
   * @returns {Promise<string | null>} a JPEG in base64; null if nothing came, or it is gone
   */
  async requestStill(id) {
    const { picture } = await this.session.call('invitation.still', { room: this.id, id }, { repeat: true });
    return picture ?? null;
  }

  /**
   * Changes what the app keeps with the room for everybody in it; for owner and admins. Throws `attributes_full`.
   * @param {{set?: Record<string, string>, add?: Record<string, number>, remove?: string[], replace?: boolean}} change `set`: new texts by
   *   name · `add`: what is added to those that are whole numbers, which no change at the same time is lost by · `remove`: names that are to go · `replace`: all others go too
   */
  setAttributes(change) {
    return this.command('attributes.set', change);
  }

  /**
   * Takes a settled invitation off the list: whoever settled it gets an answer, the other side an event.
   * @param {string} id
   */
  forgetInvitation(id) {
    this.state.update(state => state && forgetInvitation(state, id));
  }

  /** @param {string} id */
  acceptInvitation(id) {
    return this.command('invitation.accept', { id });
  }

  /** @param {string} id @param {string} [reason] */
  rejectInvitation(id, reason) {
    return this.command('invitation.reject', reason ? { id, reason } : { id });
  }

  /** @param {string} id */
  cancelInvitation(id) {
    return this.command('invitation.cancel', { id });
  }

  /**
   * @param {string} text
   * @param {string} [id] the client's own id, which comes back in the message
   * @param {MessagePriority} [priority] beyond the room's budget of messages those of lower priority are refused first, with
   *   `rate_limited` and the time to wait
   * @returns {Promise<{chat: number, time: number}>}
   */
  sendText(text, id = freshKey(), priority) {
    return this.command('message.send', { text, id, ...(priority && { priority }) }, id);
  }

  /**
   * @param {string} command
   * @param {string} message
   * @param {string} [id]
   * @param {MessagePriority} [priority]
   * @returns {Promise<{chat: number, time: number}>}
   */
  sendCustom(command, message, id = freshKey(), priority) {
    return this.command('message.send', { command, message, id, ...(priority && { priority }) }, id);
  }

  /** @param {string} text @param {string} [id] */
  sendDanmu(text, id) {
    return this.sendCustom(danmuCommand, text, id);
  }

  /**
   * @param {number} count 1…100
   * @returns {Promise<{total: number}>}
   */
  like(count) {
    return this.session.command(this.id, 'like.send', { count });
  }

  /**
   * Sends a gift to the owner, or to somebody with a seat, and pays for it.
   * @param {string} gift its id in the catalogue
   * @param {{count?: number, to?: string, key?: string}} [options] `key` repeats an attempt whose outcome is not known: it is paid once
   * @returns {Promise<{gift: number, balance: number}>} the gift's number, and the coins that are left
   */
  sendGift(gift, options = {}) {
    const { count = 1, to, key = freshKey() } = options;
    return this.command('gift.send', { gift, count, ...(to && { to }) }, key);
  }

  /**
   * Who gave most, and where I stand.
   * @returns {Promise<import('./events.js').GiftRanking>}
   */
  giftRanking() {
    return this.session.call('gift.ranking', { room: this.id }, { repeat: true });
  }

  // Songs, in a chorus room.

  /**
   * Starts a song for everybody, `leadMs` from now; it takes the place of one that plays.
   * @param {import('./events.js').Song} song
   * @param {{track?: import('./events.js').SongTrack, positionMs?: number, leadMs?: number}} [options]
   * @returns {Promise<{startAt: number}>}
   */
  startSong(song, options = {}) {
    return this.command('song.start', { song, ...options });
  }

  pauseSong() {
    return this.command('song.pause', {});
  }

  resumeSong() {
    return this.command('song.resume', {});
  }

  /** @param {number} positionMs */
  seekSong(positionMs) {
    return this.command('song.seek', { positionMs: Math.max(0, Math.round(positionMs)) });
  }

  /** @param {import('./events.js').SongTrack} track */
  setSongTrack(track) {
    return this.command('song.track', { track });
  }

  /**
   * One leads and the others follow, or all sing at once.
   * @param {'together' | 'leadFollow'} mode
   * @param {string} [leader] who sits; whoever sits foremost unless told
   */
  setDuetMode(mode, leader) {
    return this.command('duet.mode', leader ? { mode, leader } : { mode });
  }

  /**
   * How long my equipment and my way take: the mix puts my voice in its place by it, and the room tells how far singers are
   * apart.
   * @param {{outputMs: number, inputMs: number, roundTripMs?: number, bufferMs?: number}} latency 0…500 each, the round trip to
   * 2000, what sound waits here to 1000
   */
  setLatency(latency) {
    return this.session.call('song.latency', { room: this.id, ...latency });
  }

  stopSong() {
    return this.command('song.stop', {});
  }

  /**
   * A page of the people, which `state.members` takes up.
   * @param {string} [cursor]
   * @returns {Promise<string | null>} the cursor of the next page
   */
  loadMembers(cursor) {
    return this.#follower.loadMembers(cursor);
  }

  /**
   * Hands an offer to the media plane.
   * @param {string} sdp
   * @param {{signal?: AbortSignal, lines?: Record<string, string>}} [options] `lines`: what they are for, by mid
   * @returns {Promise<{number: number, sdp: string, slots: {seat?: number, guest?: number, mix?: boolean, mid: string}[], pictures?: import('./pictures.js').PictureLine[], mediaEpoch: number, iceServers: RTCIceServer[]}>}
   */
  offer(sdp, options = {}) {
    const { lines, ...rest } = options;
    const params = { room: this.id, number: ++this.#offers, sdp, ...(lines && { lines }) };
    return this.session.call('media.offer', params, rest);
  }

  /**
   * How much of a picture is to be sent to me.
   * @param {import('./pictures.js').PictureName} picture
   * @param {import('./pictures.js').PictureSize} size
   */
  async viewPicture(picture, size) {
    await this.session.call('media.view', { room: this.id, ...whichPicture(picture), size });
  }

  /** Tells the media plane that the peer is gone. */
  async closeMedia() {
    await this.session.call('media.close', { room: this.id });
  }

  /** Hears no more of the room, but stays in it: another OvationRoom takes over. */
  letGo() {
    this.#follower.leave();
  }
}

/** @param {Uint8Array} bytes */
function base64(bytes) {
  return btoa(String.fromCharCode(...bytes));
}
