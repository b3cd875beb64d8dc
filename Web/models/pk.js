import { Store } from '../lib/store.js';

/** @typedef {import('../protocol/events.js').HostLink} HostLink */
/** @typedef {import('../protocol/events.js').PKMatch} PKMatch */
/** @typedef {import('../protocol/events.js').PKTerms} PKTerms */
/** @typedef {import('../protocol/events.js').RoomInfo} RoomInfo */

/**
 * After the clock: the result is shown, then there is time for the forfeit, then both rooms are linked and nothing more.
 * @typedef {{phase: 'card' | 'forfeit' | 'after', until: number}} Ending
 */
/**
 * @typedef {object} PKView
 * @property {readonly HostLink[]} links rooms whose host is seen and heard here; those that are ending no more
 * @property {PKMatch | null} match
 * @property {import('../protocol/events.js').PKChallenge | null} challenge that waits; the owner's own, or another host's
 * @property {readonly import('../protocol/guests.js').GuestTracks[]} guests sound and picture of each place
 * @property {Ending | null} ending
 */
/**
 * A live room that can be challenged, or the reason why not; `refused`: its host wants none before `until`.
 * @typedef {{room: import('../protocol/ids.js').RoomID, name: string, host: import('../protocol/events.js').User, memberCount: number, state: NonNullable<RoomInfo['pk']> | 'refused' | 'other_format', until: number | null}} Rival
 */

/** While the list is open it is read again so often: the directory tells nothing by itself. */
const listMs = 3_000;
/** How long the result is shown alone. */
const cardMs = 4_000;
/** How long a room keeps a PK that is over, without a forfeit. */
const restMs = 20_000;

/**
 * Whether a host can be invited: points are between two, while a connection has room for more.
 * @param {Pick<Rival, 'state'>} rival
 * @param {boolean} toPK
 */
export const isInvitable = ({ state }, toPK) => state === 'free' || (state === 'linked' && !toPK);

/** What a live room has to do with others, for one of its people. */
export class PKModel {
  state = new Store(
    /** @type {PKView} */ ({ links: [], match: null, challenge: null, guests: [], ending: null }),
  );
  /**
   * Null before it was read; `failed` while it cannot be.
   * @type {Store<{rivals: readonly Rival[], failed: boolean} | null>}
   */
  list = new Store(/** @type {{rivals: readonly Rival[], failed: boolean} | null} */ (null));

  /** How loud this device plays each person. */ listening;

  #room;
  #session;
  #run;
  #news;
  /** @type {Set<string>} Links whose host's picture has come. */ #seen = new Set();
  /** @type {Map<string, number>} Until when a host wants nothing of me. */ #refusals = new Map();
  /** @type {PKTerms | null} Of the last PK. */ #terms = null;
  #isSaying = false;
  /** @type {any} */ #timer = null;

  /**
   * @param {object} parts
   * @param {import('../protocol/room.js').OvationRoom} parts.room
   * @param {import('../protocol/session.js').Session} parts.session
   * @param {import('./salon-parts.js').Run} parts.run
   * @param {import('../protocol/events.js').Emitter<import('./salon-state.js').SalonNewsMap>} parts.news
   * @param {import('./listening.js').ListeningModel} parts.listening
   * @param {import('./salon-parts.js').Visit} visit of a live room, begun
   */
  constructor({ room, session, run, news, listening }, visit) {
    this.#room = room;
    this.#session = session;
    this.#run = run;
    this.#news = news;
    this.listening = listening;
    const { signal } = visit.life;
    room.state.subscribe(() => this.#follow(), { signal });
    visit.peer.guests.subscribe(guests => this.#change({ guests }), { signal });
    // A hidden page draws no frames; the server says that they come.
    visit.peer.received.subscribe(
      received => {
        for (const { guest, size, lack } of received)
          if (guest !== undefined && size !== 'off' && !lack) this.noteFrame(guest);
      },
      { signal },
    );
    room.events.on('pk.challenge', challenge => this.#hear(challenge), { signal });
    let links = room.now.pk.links;
    room.events.on(
      'pk.changed',
      ({ pk, cause, by }) => {
        const left = links.find(link => !pk.links.some(({ id, isEnding }) => id === link.id && !isEnding));
        links = pk.links.filter(({ isEnding }) => !isEnding);
        const match = pk.match ?? null;
        const host = (left ?? pk.links.find(({ id }) => id === match?.link) ?? pk.links[0])?.host ?? null;
        news.emit('pk', { cause, match, host, mine: by === room.now.me.id });
      },
      { signal },
    );
    signal.addEventListener('abort', () => clearTimeout(this.#timer));
  }

  /** @returns {boolean} whether the PK is on, so that nobody can come on stage */
  get isOn() {
    const { match } = this.state.get();
    return match !== null && match.phase !== 'over';
  }

  /** What was agreed on last, for another one. */
  get lastTerms() {
    return this.#terms;
  }

  // Doing

  /**
   * Reads who can be challenged, and again every few seconds.
   * @param {AbortSignal} signal
   */
  async watchList(signal) {
    while (!signal.aborted) {
      try {
        const { rooms } = await this.#session.call('room.list', { kind: 'live', limit: 100 }, { signal });
        this.list.set({ rivals: this.#rivals(rooms), failed: false });
      } catch {
        if (!signal.aborted) this.list.set({ rivals: this.list.get()?.rivals ?? [], failed: true });
      }
      await passed(listMs, signal);
    }
  }

  /** @param {RoomInfo[]} rooms @returns {Rival[]} */
  #rivals(rooms) {
    const now = this.#session.serverNow();
    const format = this.#room.now.info.pictureFormat;
    return rooms
      .filter(({ room, pk }) => room !== this.#room.id && pk !== undefined)
      .map(({ room, name, owner, memberCount, pk, pictureFormat }) => {
        const until = this.#refusals.get(owner.id) ?? 0;
        const refused = until > now;
        /** @type {Rival} */
        const rival = {
          room,
          name,
          host: owner,
          memberCount,
          state: pictureFormat !== format ? 'other_format' : refused ? 'refused' : (pk ?? 'away'),
          until: refused ? until : null,
        };
        return rival;
      })
      .sort(
        (a, b) => Number(b.state === 'free') - Number(a.state === 'free') || b.memberCount - a.memberCount,
      );
  }

  /**
   * Invites another room's host; without terms to be linked only.
   * @param {import('../protocol/ids.js').RoomID} room
   * @param {PKTerms | null} terms
   */
  async challenge(room, terms) {
    if (terms) this.#terms = terms;
    await this.#run('pk', () => this.#room.challenge(room, terms ?? undefined));
  }

  async cancel() {
    await this.#run('pk', () => this.#room.cancelChallenge());
  }

  /** @param {boolean} agreed @param {'host' | 'all'} [pause] */
  async answer(agreed, pause) {
    const { challenge } = this.state.get();
    if (challenge) await this.#run('pk', () => this.#room.answerChallenge(challenge.id, agreed, pause));
  }

  /** @param {string} link */
  async quit(link) {
    await this.#run('pk', () => this.#room.quitPK(link));
  }

  /**
   * For everybody here.
   * @param {string} link @param {boolean} muted
   */
  async mute(link, muted) {
    await this.#run('pk', () => this.#room.muteLink(link, muted));
  }

  /**
   * The host on that place is seen here.
   * @param {number} place
   */
  noteFrame(place) {
    const link = this.state.get().links.find(link => link.place === place);
    if (!link || this.#seen.has(link.id)) return;
    this.#seen.add(link.id);
    void this.#sayReady();
  }

  // Following

  #follow() {
    const room = this.#room.state.get();
    if (!room) return;
    const before = this.state.get();
    const links = room.pk.links.filter(({ isEnding }) => !isEnding);
    const match = room.pk.match ?? null;
    if (match === before.match && room.challenge === before.challenge && same(links, before.links)) return;
    for (const id of this.#seen) if (!links.some(link => link.id === id)) this.#seen.delete(id);
    if (match) this.#terms = match.terms;
    this.#change({ links, match, challenge: room.challenge });
    this.#look();
    void this.#sayReady();
  }

  /** The host of the room says that the other one is seen. */
  async #sayReady() {
    const { match } = this.state.get();
    if (match?.phase !== 'linking' || match.isReady || this.#isSaying) return;
    if (this.#room.state.get()?.me.role !== 'owner' || !this.#seen.has(match.link)) return;
    this.#isSaying = true;
    try {
      await this.#room.readyForPK();
    } catch {
      // It is over, or is said again when the connection is back.
    }
    this.#isSaying = false;
  }

  /** Brings up to date what follows the result. */
  #look() {
    clearTimeout(this.#timer);
    const { match, ending } = this.state.get();
    const next =
      match?.phase === 'over' && match.until !== undefined ? this.#endingOf(match, match.until) : null;
    if (next?.phase !== ending?.phase || next?.until !== ending?.until) this.#change({ ending: next });
    if (next && next.phase !== 'after')
      this.#timer = setTimeout(() => this.#look(), Math.max(50, next.until - this.#session.serverNow()));
  }

  /** @param {PKMatch} match @param {number} until @returns {Ending} */
  #endingOf(match, until) {
    const forfeitMs = match.result?.outcome === 'draw' ? 0 : match.terms.forfeitSeconds * 1000;
    const cardUntil = until - Math.max(restMs, cardMs + forfeitMs) + cardMs;
    const now = this.#session.serverNow();
    if (now < cardUntil) return { phase: 'card', until: cardUntil };
    if (now < cardUntil + forfeitMs) return { phase: 'forfeit', until: cardUntil + forfeitMs };
    return { phase: 'after', until };
  }

  /** @param {import('../protocol/events.js').RoomEventMap['pk.challenge']} news */
  #hear({ challenge, state, until }) {
    if (challenge.isOurs && state === 'declined' && until !== undefined)
      this.#refusals.set(challenge.host.id, until);
    this.#news.emit('challenge', { challenge, state, until: until ?? null });
  }

  /** @param {Partial<PKView>} some */
  #change(some) {
    this.state.set({ ...this.state.get(), ...some });
  }
}

/** @param {readonly HostLink[]} a @param {readonly HostLink[]} b */
function same(a, b) {
  return a.length === b.length && a.every((link, at) => link === b[at]);
}

/**
 * Until that time is over, or nobody waits any more.
 * @param {number} ms @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function passed(ms, signal) {
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}

/**
 * Whether an invitation that is being written can be sent no more: this room is in company, with a rematch in another's than that room's.
 * @param {readonly Pick<HostLink, 'room'>[]} links
 * @param {import('../protocol/ids.js').RoomID} [rematch] the linked room that is to be invited once more
 */
export function isTooLate(links, rematch) {
  return links.some(({ room }) => room !== rematch);
}
