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

// What the server tells, as types (Documentation/protocol.md §5–§7).

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
 */
/** @typedef {User & {role: Role, seat?: number, micMuted: boolean, presence: Presence}} Member */
/**
 * @typedef {object} Seat
 * @property {number} index
 * @property {'empty' | 'used' | 'closed'} state
 * @property {string} [user]
 * @property {boolean} muted the host's mute of the seat
 * @property {boolean} [micMuted] the user's own mute
 * @property {Presence} [presence]
 * @property {string} [by]
 */
/**
 * @typedef {object} Invitation
 * @property {string} id
 * @property {string} from
 * @property {string} to
 * @property {string} command
 * @property {string} content
 * @property {'waiting' | 'accepted' | 'rejected' | 'cancelled' | 'expired'} state
 * @property {number} createdAt
 * @property {number} [expiresAt]
 * @property {string} [reason]
 */
/** @typedef {{chat: number, id?: string, from: User, text?: string, command?: string, message?: string, time: number}} Message */
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
 * @property {number} [ownerAbsentUntil]
 * @property {Invitation[]} invitations
 * @property {Message[]} messages
 * @property {number} likes
 * @property {number} mediaEpoch
 */
/** @typedef {{seconds: number, peak: number, likes: number}} RoomSummary */

/** The command words with which this client asks for a seat and invites to one; the content is the seat's index. */
export const seatCommands = Object.freeze({ ask: 'seat.ask', invite: 'seat.invite' });
/** The custom message that the reference documents use for on-screen comments. */
export const danmuCommand = 'CMD_DANMU';

/**
 * What a room's watcher hears, after the room's state has taken it up.
 * @typedef {object} RoomEventMap
 * @property {{snapshot: Snapshot}} snapshot the whole state was read anew
 * @property {{}} resumed the gap of a lost connection is filled
 * @property {{info: RoomInfo, time: number}} room.updated
 * @property {{reason: string, summary: RoomSummary, time: number}} room.destroyed
 * @property {{seat: Seat, user: User, by?: string, time: number}} seat.taken
 * @property {{seat: Seat, user: User, reason: string, by?: string, time: number}} seat.left
 * @property {{seat: Seat, by?: string, time: number}} seat.muted
 * @property {{seat: Seat, by?: string, time: number}} seat.closed
 * @property {{user: string, muted: boolean, seat?: number, time: number}} microphone.muted
 * @property {{user: string, role: Role, by?: string, time: number}} role.changed
 * @property {{user: string, reason: string, time: number}} owner.changed
 * @property {Message} message
 * @property {{from: number, to: number}} dropped
 * @property {{member: Member}} audience.entered
 * @property {{user: string, reason: string}} audience.left
 * @property {{user: string, presence: Presence, until?: number}} presence
 * @property {{until: number}} owner.absent
 * @property {{}} owner.back
 * @property {{levels: Record<string, number>}} levels
 * @property {{total: number, added: number, users: string[]}} likes
 * @property {{memberCount: number}} count
 * @property {{invitation: Invitation, by?: string}} invitation.received
 * @property {{invitation: Invitation, by?: string}} invitation.accepted
 * @property {{invitation: Invitation, by?: string}} invitation.rejected
 * @property {{invitation: Invitation, by?: string}} invitation.cancelled
 * @property {{invitation: Invitation, by?: string}} invitation.expired
 */
