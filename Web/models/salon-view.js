import { seatCommands } from '../protocol/events.js';
import { roomSlug } from '../protocol/ids.js';
import { profileOf } from '../protocol/room-state.js';
import { myRequestOf, seatOf } from './salon-invitations.js';

// From a room's state to what a page shows. Pure: every function is of its arguments alone.

/** @typedef {import('../protocol/room-state.js').RoomState} RoomState */
/** @typedef {import('../protocol/events.js').Member} Member */
/** @typedef {import('./voice.js').VoiceState} VoiceState */
/** @typedef {import('./audio.js').Listening} Listening */
/** @typedef {import('./salon-state.js').SalonState} SalonState */
/** @typedef {import('./salon-state.js').Me} Me */

/**
 * What the view needs beside the room.
 * @typedef {object} Around
 * @property {string} origin of links
 * @property {VoiceState} voice
 * @property {boolean} reaches what I send gets to the server
 * @property {ReadonlySet<string>} pending
 * @property {ReadonlySet<string>} later requests put off
 * @property {ReadonlyMap<string, number>} positions of my requests in the queue
 * @property {ReadonlyMap<string, string>} requestStills addresses of what came with requests
 * @property {(user: string) => Listening} listening
 * @property {string | null} spokeLast
 * @property {number | null} writesAt slow mode: when my next message is taken
 * @property {string | null} mutedBy who muted my seat, as far as told
 */

/** Everybody writes what they like. */
const openChat = Object.freeze({ slowSeconds: 0, hostsOnly: false, noLinks: false });

const roleOrder = { owner: 0, admin: 1, member: 2 };

/** From this step on a way is poor (Documentation/build/protocol.md §7). */
const poorQuality = 3;

/** @param {RoomState} state @param {string} origin @returns {import('./salon-state.js').RoomView} */
export function roomView({ room, info }, origin) {
  const slug = roomSlug(room);
  const { name, cover, tags, owner, needsRequest, createdAt, chat = openChat } = info;
  const label = String(room);
  return {
    id: room,
    slug,
    label,
    link: `${origin}/r/${slug}`,
    name,
    cover,
    tags,
    owner,
    needsRequest,
    chat,
    createdAt,
  };
}

/** @param {RoomState} state @param {Around} around @returns {import('./salon-state.js').SeatView[]} */
export function seatViews(state, around) {
  const reserved = reservations(state);
  return state.seats.map(seat => {
    const user = seat.state === 'used' && seat.user ? profileOf(state, seat.user) : null;
    const member = user && state.members.get(user.id);
    const isMe = user?.id === state.me.id;
    return {
      index: seat.index,
      state: seat.state,
      user,
      muted: seat.muted,
      micMuted: seat.micMuted ?? member?.micMuted ?? false,
      camera: seat.camera ?? null,
      presence: seat.presence ?? 'online',
      presenceUntil: user ? (state.presenceUntil[user.id] ?? null) : null,
      isMe,
      isOwner: user?.id === state.info.owner.id,
      isAdmin: member?.role === 'admin',
      poorLine: user !== null && state.info.kind === 'live' && isPoor(state.network?.users[user.id]),
      spokeLast: user !== null && user.id === around.spokeLast,
      reserved: seat.state === 'empty' ? (reserved.get(seat.index) ?? null) : null,
      listening: user && !isMe ? around.listening(user.id) : null,
      pending: around.pending.has(`seat:${seat.index}`),
    };
  });
}

/** @param {import('../protocol/events.js').SingerNetwork | undefined} way */
function isPoor(way) {
  return (way?.quality ?? 0) >= poorQuality;
}

/** @param {RoomState} state */
function reservations(state) {
  /** @type {Map<number, NonNullable<import('./salon-state.js').SeatView['reserved']>>} */ const found =
    new Map();
  for (const invitation of state.invitations) {
    const seat = seatOf(invitation);
    if (invitation.command !== seatCommands.invite || seat === null) continue;
    found.set(seat, {
      user: profileOf(state, invitation.to),
      invitation: invitation.id,
      until: invitation.expiresAt ?? null,
    });
  }
  return found;
}

/** @param {RoomState} state @param {Around} around @returns {Me} */
export function meView(state, around) {
  const { id, name, avatar, role, seat = null } = state.me;
  const mic = micState(state, around);
  const by =
    mic === 'mutedByHost' && seat !== null ? (around.mutedBy ?? state.seats[seat]?.by ?? null) : null;
  return {
    id,
    name,
    avatar,
    role,
    isOwner: role === 'owner',
    canManage: role !== 'member',
    seat,
    mic,
    mutedBy: by ? profileOf(state, by) : null,
    microphoneProblem: mic === 'noDevice' ? around.voice.problem : null,
    chatMute: chatMuteView(state),
    writesAt: role === 'member' ? around.writesAt : null,
    speakingWhileMuted: around.voice.speakingWhileMuted && mic === 'mutedByMe',
  };
}

/** @param {RoomState} state @returns {Me['chatMute']} */
function chatMuteView(state) {
  const { chatMute } = state;
  // An owner is never muted: whoever inherits the room while muted writes again.
  if (!chatMute || state.me.role === 'owner') return null;
  return {
    until: chatMute.until ?? null,
    by: profileOf(state, chatMute.by),
    reason: chatMute.reason ?? '',
  };
}

/** @param {RoomState} state @param {Pick<Around, 'voice' | 'reaches'>} around @returns {import('./salon-state.js').MicState} */
export function micState(state, { voice, reaches }) {
  const seat = state.me.seat === undefined ? undefined : state.seats[state.me.seat];
  if (!seat) return myRequestOf(state) ? 'pending' : 'listener';
  if (seat.muted) return 'mutedByHost';
  if (voice.problem) return 'noDevice';
  if (state.me.micMuted || !voice.open) return 'mutedByMe';
  return reaches ? 'live' : 'cutOff';
}

/** @param {RoomState} state @param {Around} around @returns {import('./salon-state.js').PersonView[]} */
export function audienceView(state, around) {
  return [...state.members.values()]
    .filter(member => member.seat === undefined)
    .sort((a, b) => roleOrder[a.role] - roleOrder[b.role])
    .map(member => personView(state, member, around));
}

/**
 * @param {RoomState} state
 * @param {Member} member
 * @param {Around} around
 * @returns {import('./salon-state.js').PersonView}
 */
export function personView(state, member, around) {
  const { id, name, avatar, role, presence } = member;
  const seat = member.seat ?? null;
  const isMe = id === state.me.id;
  return { id, name, avatar, role, seat, isMe, presence, listening: isMe ? null : around.listening(id) };
}
