import { profileOf } from '../protocol/room-state.js';
import { invitationView, myRequestView, requestViews } from './salon-invitations.js';
import { audienceView, meView, roomView, seatViews } from './salon-view.js';

/** @typedef {import('../protocol/room-state.js').RoomState} RoomState */
/** @typedef {import('./salon-state.js').SalonState} SalonState */
/** @typedef {import('./salon-state.js').Banner} Banner */
/** @typedef {import('../protocol/events.js').User} User */

/**
 * What the model itself knows, beside the room.
 * @typedef {object} Local
 * @property {SalonState['phase']} phase
 * @property {import('../protocol/errors.js').OvationError | null} error
 * @property {ReadonlySet<string>} pending
 * @property {ReadonlySet<string>} later
 * @property {ReadonlyMap<string, number>} positions
 * @property {ReadonlyMap<string, string>} requestStills addresses of what came with requests, by the request
 * @property {string | null} spokeLast
 * @property {number | null} writesAt slow mode: when my next message is taken
 * @property {string | null} mutedBy
 * @property {{by: string} | null} broughtBy somebody put me on a seat
 * @property {import('./salon-state.js').EndCard | null} end
 * @property {number} peak the most people seen at once
 * @property {boolean} echoAllowed
 */
/**
 * What the parts of a visit say.
 * @typedef {object} Parts
 * @property {User} user
 * @property {import('./chat.js').ChatState | null} chat null keeps what was shown
 * @property {import('./salon-state.js').UndoView | null} undo
 * @property {import('./salon-state.js').ConnectionView} connection
 * @property {boolean} soundBlocked
 * @property {boolean} deafened
 * @property {boolean} echoPair
 * @property {import('./salon-state.js').MicState} mic
 */

/** @param {User} user @returns {SalonState} */
export function emptyState({ id, name, avatar }) {
  return {
    phase: 'idle',
    error: null,
    room: null,
    seats: [],
    screen: null,
    stage: { form: 'grid', large: null },
    me: {
      id,
      name,
      avatar,
      role: 'member',
      isOwner: false,
      canManage: false,
      seat: null,
      mic: 'listener',
      mutedBy: null,
      microphoneProblem: null,
      speakingWhileMuted: false,
      chatMute: null,
      writesAt: null,
    },
    audience: [],
    memberCount: 0,
    audienceCount: 0,
    gifts: { coins: 0, supporters: [] },
    requests: [],
    myRequest: null,
    invitation: null,
    chat: [],
    unread: 0,
    unreadKey: null,
    banners: [],
    undo: null,
    pending: new Set(),
    end: null,
  };
}

/**
 * Everything that a page shows, but loudness, likes and the connection chip, which change more often.
 * @param {RoomState | null} state
 * @param {Local} local
 * @param {import('./salon-view.js').Around} around
 * @param {Parts} parts
 * @returns {SalonState}
 */
export function composeState(state, local, around, parts) {
  const { phase, error, pending, end } = local;
  if (!state) return { ...emptyState(parts.user), phase, error, pending };
  return {
    phase,
    error,
    room: roomView(state, around.origin),
    seats: seatViews(state, around),
    screen: state.screen ? profileOf(state, state.screen) : null,
    stage: { form: state.stage.form, large: state.stage.large ?? null },
    me: meView(state, around),
    audience: audienceView(state, around),
    memberCount: state.memberCount,
    audienceCount: Math.max(0, state.memberCount - Number(state.ownerAbsentUntil === null)),
    gifts: state.gifts,
    requests: requestViews(state, around),
    myRequest: myRequestView(state, around),
    invitation: invitationView(state, around),
    chat: /** @type {import('./salon-state.js').ChatLine[]} */ (parts.chat?.lines ?? []),
    unread: parts.chat?.unread ?? 0,
    unreadKey: parts.chat?.unreadKey ?? null,
    banners: bannersOf(state, local, around, parts),
    undo: parts.undo,
    pending,
    end,
  };
}

/**
 * @param {RoomState} state @param {Local} local @param {import('./salon-view.js').Around} around @param {Parts} parts
 * @returns {Banner[]} the most urgent first
 */
function bannersOf(state, local, around, parts) {
  /** @type {Banner[]} */ const banners = [];
  if (local.error?.name === 'session_replaced') banners.push({ kind: 'signedInElsewhere' });
  if (local.phase !== 'in') return banners;
  const { word } = parts.connection;
  if (word === 'reconnecting')
    banners.push({ kind: 'reconnecting', until: null, seated: state.me.seat !== undefined });
  if (word === 'noMedia') banners.push({ kind: 'noMediaPath', error: parts.connection.error ?? undefined });
  // A tap lets me hear again in either case.
  if (parts.deafened) banners.push({ kind: 'deafened' });
  else if (parts.soundBlocked) banners.push({ kind: 'soundBlocked' });
  if (parts.mic === 'noDevice')
    banners.push({ kind: 'microphoneProblem', error: around.voice.problem ?? undefined });
  if (parts.echoPair) banners.push({ kind: 'echoPair' });
  // A seat that the host has muted cannot be unmuted there.
  if (local.broughtBy && state.me.seat !== undefined && parts.mic !== 'mutedByHost') {
    const { by } = local.broughtBy;
    banners.push({ kind: 'broughtOnStage', by: profileOf(state, by) });
  }
  if (state.ownerAbsentUntil !== null) {
    const heir = state.heir ? profileOf(state, state.heir) : null;
    banners.push({ kind: 'ownerAbsent', until: state.ownerAbsentUntil, heir });
  }
  return banners;
}
