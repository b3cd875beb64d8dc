/**
 * Single happenings, by type. The map `M` gives the value of each type.
 *
 * @template {Record<string, any>} M
 */
export class Emitter {
  /** @type {Map<keyof M | '*', Set<(value: any, type: any) => void>>} */ #listeners = new Map();

  /**
   * Calls `listener` at every event of this type (`'*'`: of any type) until the returned function is called or `signal` aborts.
   * @template {keyof M | '*'} K
   * @param {K} type
   * @param {(value: K extends keyof M ? M[K] : M[keyof M], type: keyof M) => void} listener
   * @param {{signal?: AbortSignal}} options
   * @returns {() => void}
   */
  on(type, listener, { signal } = {}) {
    if (signal?.aborted) return () => {};
    const entry = (/** @type {any} */ value, /** @type {any} */ name) => listener(value, name);
    const set = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, set);
    set.add(entry);
    const stop = () => {
      set.delete(entry);
      signal?.removeEventListener('abort', stop);
    };
    signal?.addEventListener('abort', stop, { once: true });
    return stop;
  }

  /**
   * @template {keyof M} K
   * @param {K} type
   * @param {M[K]} value
   */
  emit(type, value) {
    for (const key of [type, /** @type {const} */ ('*')]) {
      for (const listener of [...(this.#listeners.get(key) ?? [])]) listener(value, type);
    }
  }
}

// What the server tells, as types (Documentation/build/protocol.md §5–§7).

export const reportCauses = /** @type {const} */ ([
  'spam',
  'abuse',
  'nudity',
  'violence',
  'fraud',
  'minor',
  'other',
]);

/** @typedef {import('./ids.js').RoomID} RoomID */
/** @typedef {{id: string, name: string, avatar: string}} User */
/** @typedef {'owner' | 'admin' | 'member'} Role */
/** @typedef {'online' | 'reconnecting'} Presence */
/**
 * @typedef {object} RoomInfo
 * @property {RoomID} room
 * @property {string} kind
 * @property {string} name
 * @property {string} cover
 * @property {string[]} tags
 * @property {User} owner
 * @property {number} seats
 * @property {number} seated
 * @property {number} memberCount
 * @property {boolean} needsRequest
 * @property {number} createdAt milliseconds since 1970
 * @property {boolean} speaking somebody speaks now
 * @property {'free' | 'away' | 'people_on_stage' | 'challenged' | 'linked' | 'in_pk' | 'paused'} [pk] of a live room: whether its host can be challenged, and why not
 * @property {string[]} [linkedHosts] of a live room: the names of the hosts of rooms that are linked with it
 * @property {string} [pictureFormat] of a live room: what all its pictures come in; a newer server may name one that is not known here
 * @property {ChatRules} [chat] what the chat takes from those who do not run the room; absent: everything
 * @property {number} [still] of a live room whose host is seen: the number of the newest still, for `stillPath`
 */
/** @typedef {User & {role: Role, seat?: number, micMuted: boolean, presence: Presence, marks?: number[]}} Member */
/**
 * @typedef {object} Seat
 * @property {number} index
 * @property {'empty' | 'used' | 'closed'} state
 * @property {string} [user]
 * @property {boolean} muted the host's mute of the seat
 * @property {boolean} [micMuted] the user's own mute
 * @property {'off' | 'on' | 'blocked'} [camera] in a live room; `blocked` by the host
 * @property {Presence} [presence]
 * @property {string} [by]
 */
/**
 * @typedef {object} Invitation
 * @property {string} id
 * @property {RoomID} room
 * @property {string} from
 * @property {string} to
 * @property {string} command
 * @property {string} content
 * @property {string} [words] for whoever answers
 * @property {boolean} [hasStill] who may answer it gets a still by `OvationRoom.requestStill`
 * @property {'waiting' | 'accepted' | 'rejected' | 'cancelled' | 'expired'} state
 * @property {number} createdAt
 * @property {number} [expiresAt]
 * @property {string} [reason]
 */
/**
 * One that was deleted has `deleted` and an empty `text`.
 * @typedef {{chat: number, id?: string, from: User, text?: string, command?: string, message?: string, time: number, deleted?: boolean}} Message
 */
/**
 * `slowSeconds`: how long one person waits between two messages · `hostsOnly`: only owner and admins write · `noLinks`: no links.
 * @typedef {{slowSeconds: number, hostsOnly: boolean, noLinks: boolean}} ChatRules
 */
/**
 * Why somebody is reported to the operator.
 * @typedef {(typeof reportCauses)[number]} ReportCause
 */
/**
 * Somebody may not write (`chat_mute`) or be in the room (`ban`).
 * @typedef {object} Restriction
 * @property {'chat_mute' | 'ban'} kind
 * @property {string} user
 * @property {string} name at that time
 * @property {number} [until] milliseconds since 1970; absent: without an end
 * @property {boolean} [everywhere] a ban from all rooms of the host
 * @property {string} by who decided it
 * @property {string} [reason]
 */
/**
 * @typedef {object} Snapshot
 * @property {RoomID} room
 * @property {number} epoch
 * @property {number} seq
 * @property {number} chat
 * @property {RoomInfo} info
 * @property {Seat[]} seats
 * @property {Member} me
 * @property {Member[]} members the first 50
 * @property {number} memberCount
 * @property {number} [ownerAbsentUntil] milliseconds since 1970
 * @property {string} [heir] who would inherit the room from the absent owner
 * @property {Invitation[]} invitations as many as fit
 * @property {string} [moreInvitations] where the page after those begins
 * @property {Message[]} messages
 * @property {number} likes
 * @property {GiftStanding} [gifts]
 * @property {SongPlay} [play] what a chorus room sings
 * @property {DuetMode} [duet] how those who sit sing; absent: together
 * @property {string} [screen] who shares a screen in a live room
 * @property {Record<string, string>} [attributes] what the app keeps with the room, by name
 * @property {StageLayout} [stage] how everybody sees the people on stage; absent: in a grid, the host first
 * @property {PKState} [pk] a live room's links to other rooms
 * @property {PKChallenge} [challenge] that waits; for the owner alone
 * @property {Restriction} [chatMute] keeps me from writing
 * @property {number} mediaEpoch
 */
/**
 * A song as its singers chose it; files are URLs, relative to the server.
 * @typedef {{id: string, title: string, artist?: string, durationMs: number, accompaniment: string, original?: string, lyrics?: string}} Song
 */
/** @typedef {'accompaniment' | 'original'} SongTrack */
/**
 * A song placed on the room time: at `startAt` (milliseconds; absent while paused) `positionMs` is heard.
 * @typedef {{song: Song, by: string, track: SongTrack, startAt?: number, positionMs: number}} SongPlay
 */
/** @typedef {'started' | 'paused' | 'resumed' | 'sought' | 'track' | 'stopped' | 'ended'} SongChange */
/**
 * How everybody in a live room sees the people on its stage; `large` stands in the first place, the host where it is absent.
 * @typedef {{form: 'grid' | 'spotlight', large?: string}} StageLayout
 */
/**
 * How those who sit in a chorus room sing: all at once, or one after the other.
 * @typedef {{mode: 'together' | 'leadFollow', leader?: string}} DuetMode
 */
/**
 * How one singer's way to the server does; `quality` 1 (excellent) to 6 (down), 0 while nothing is known.
 * @typedef {{quality: number, roundTripMs?: number, jitterMs?: number, lossPercent: number}} SingerNetwork
 */
/**
 * How the singers' ways do; `apartMs` is one's sound to another's ear, `tight` whether that is near enough for singing at once.
 * @typedef {{users: Readonly<Record<string, SingerNetwork>>, apartMs?: number, tight?: boolean}} NetworkReport
 */
/**
 * Another live room whose host is seen and heard here, on the place `place`, and the other way round.
 * @typedef {{id: string, place: number, room: RoomID, host: User, isOurs: boolean, muted: boolean, isEnding: boolean, since: number}} HostLink
 */
/**
 * What two hosts agree on before a PK.
 * @typedef {{seconds: number, forfeitSeconds: number, forfeit: string}} PKTerms
 */
/** @typedef {{outcome: 'won' | 'lost' | 'draw', cause: 'time' | 'quit' | 'gone'}} PKResult as this room sees it */
/**
 * Times are room times, in milliseconds; `until` is when the phase ends at the latest.
 * @typedef {{link: string, terms: PKTerms, phase: 'linking' | 'running' | 'counting' | 'over', ours: number, theirs: number, startAt?: number, endAt?: number, until?: number, isReady: boolean, isOtherReady: boolean, result?: PKResult}} PKMatch
 */
/** @typedef {{links: readonly HostLink[], match?: PKMatch}} PKState */
/** @typedef {'accepted' | 'ready' | 'began' | 'counting' | 'over' | 'cleared' | 'muted' | 'quit' | 'gone' | 'unseen'} PKCause */
/** @typedef {{id: string, isOurs: boolean, room: RoomID, host: User, terms?: PKTerms, expiresAt: number}} PKChallenge */
/** @typedef {'waiting' | 'accepted' | 'declined' | 'cancelled' | 'unanswered' | 'busy' | 'crossed' | 'gone'} ChallengeState */
/** @typedef {{seconds: number, peak: number, likes: number}} RoomSummary */
/** @typedef {{id: string, name: string, names?: Record<string, string>, price: number, picture?: string, large?: boolean}} Gift `price` in coins, `names` by language */
/**
 * A gift that was paid for. `combo`: how many of it went from one to the other in a row, these included.
 * @typedef {{number: number, gift: Gift, count: number, combo: number, from: User, to: User, time: number}} SentGift
 */
/** @typedef {{user: User, coins: number}} Supporter */
/** @typedef {{coins: number, supporters: Supporter[]}} GiftStanding all that was given, and the three who gave most */
/**
 * Up to twenty who gave most; what I gave, my place among all (from 1 on), and the coins to the next one.
 * @typedef {{coins: number, supporters: Supporter[], own: number, place?: number, toNext?: number}} GiftRanking
 */
/** @typedef {{coins: number, earnings: number, topUpURL?: string, faucet: boolean}} Wallet */
/**
 * A line of an account; `coins` is below nought for what went away.
 * @typedef {{number: number, time: number, kind: 'gift' | 'topUp' | 'refund', coins: number, balance: number, user?: User, gift?: Gift, count?: number}} StatementEntry
 */

/** The kinds of rooms that can be entered from here; a newer server may list others. */
export const roomKinds = Object.freeze(['voice', 'chorus', 'live']);

/** The command words with which this client asks for a seat and invites to one; the content is the seat's index. */
export const seatCommands = Object.freeze({ ask: 'seat.ask', invite: 'seat.invite' });
/** The published custom message for on-screen comments. */
export const danmuCommand = 'CMD_DANMU';

/**
 * What a room's watcher hears, after the room's state has taken it up. `snapshot`: the whole state was read anew ·
 * `resumed`: the gap of a lost connection is filled · `gone`: the room ended, or was lost to us, while the connection was ·
 * `removed`: I was put out, and hear no more of it.
 * @typedef {import('./wire.js').RoomEventMap & {
 *   'snapshot': {snapshot: Snapshot},
 *   'gone': {reason: string, summary: RoomSummary | null},
 *   'resumed': {},
 *   'removed': {restriction: Restriction},
 * }} RoomEventMap
 */
