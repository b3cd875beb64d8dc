import { profileOf } from '../protocol/room-state.js';
import { plainListening } from './audio.js';
import { invitationView, myRequestView, requestViews } from './salon-invitations.js';
import { audienceView, meView, micState, roomView, seatViews } from './salon-view.js';
import { shared } from './shared-parts.js';

// What a salon's page shows, and what is heard and sent, as it follows from the room and this visit. Pure: every function is of its
// arguments alone. `salon-drive.js` acts on it.

/** @typedef {import('../protocol/room-state.js').RoomState} RoomState */
/** @typedef {import('./salon-state.js').SalonState} SalonState */
/** @typedef {import('./salon-state.js').Banner} Banner */
/** @typedef {import('./salon-view.js').Around} Around */
/** @typedef {import('./audio.js').Listening} Listening */
/** @typedef {import('../protocol/events.js').User} User */

/**
 * What this tab itself knows, beside the room.
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
 * All that a salon follows from.
 * @typedef {object} SalonNow
 * @property {RoomState | null} room
 * @property {Local} local
 * @property {User} user who I am
 * @property {import('./voice.js').VoiceState} voice
 * @property {boolean} silent I muted myself here, and the server may not know yet
 * @property {boolean} leads I sing first: whoever sings after me would only confuse me
 * @property {ReadonlyMap<string, Listening>} listening how loud I hear whom
 * @property {import('./chat.js').ChatState | null} chat
 * @property {import('./salon-state.js').UndoView | null} undo
 * @property {import('./salon-state.js').ConnectionView} connection
 * @property {boolean} soundBlocked the browser wants a tap
 * @property {boolean} deafened I have muted all that I hear
 * @property {boolean} echoes an older tab of this browser is in the room, and one of the two has its microphone open
 * @property {string} origin of links
 */
/**
 * What devices and loudspeakers are to do.
 * @typedef {object} SalonSound
 * @property {boolean} audible my voice goes out
 * @property {boolean} live my microphone is open, and goes out
 * @property {readonly Listening[]} voices by seat; after these, the hosts of linked rooms by their places
 * @property {Readonly<Record<'deafened' | 'echo', boolean>>} silenced why nothing is played
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
 * What the views of people and seats need beside the room.
 * @param {SalonNow} now
 * @returns {Around}
 */
export function aroundOf({ local, voice, connection, listening, origin }) {
  const { pending, later, positions, requestStills, spokeLast, writesAt, mutedBy } = local;
  return {
    pending,
    later,
    positions,
    requestStills,
    spokeLast,
    writesAt,
    mutedBy,
    voice,
    origin,
    reaches: connection.signalling === 'open' && connection.media === 'connected',
    listening: user => listening.get(user) ?? plainListening,
  };
}

/**
 * Everything that a page shows, but loudness, likes and the connection chip, which change more often. What has not changed is the very
 * object from before, so that a page redraws no more than there is news of.
 * @param {SalonNow} now
 * @param {SalonState | null} [before]
 * @returns {SalonState}
 */
export function projectSalon(now, before = null) {
  const next = viewOf(now);
  return before ? shared(before, next) : next;
}

/** @param {SalonNow} now @returns {SalonState} */
function viewOf(now) {
  const { local, chat, user } = now;
  const { phase, error, pending, end } = local;
  if (!now.room) return { ...emptyState(user), phase, error, pending };
  const around = aroundOf(now);
  const state = now.silent ? { ...now.room, me: { ...now.room.me, micMuted: true } } : now.room;
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
    chat: /** @type {import('./salon-state.js').ChatLine[]} */ (chat?.lines ?? []),
    unread: chat?.unread ?? 0,
    unreadKey: chat?.unreadKey ?? null,
    banners: bannersOf(state, now, around),
    undo: now.undo,
    pending,
    end,
  };
}

/**
 * What is heard and sent. Nothing without a room.
 * @param {SalonNow} now
 * @returns {SalonSound | null}
 */
export function projectSound({ room, local, voice, silent, leads, listening, deafened, echoes }) {
  if (!room) return null;
  const seat = room.me.seat === undefined ? undefined : room.seats[room.me.seat];
  const audible = seat !== undefined && !seat.muted && !room.me.micMuted && !silent;
  const of = (/** @type {string} */ user) => listening.get(user) ?? plainListening;
  const seated = room.seats.map(({ user }) =>
    !user ? plainListening : leads ? { ...of(user), muted: true } : of(user),
  );
  const linked = [0, 1, 2].map(place => {
    const link = room.pk.links.find(one => one.place === place);
    return link ? of(link.host.id) : plainListening;
  });
  return {
    audible,
    live: audible && voice.open,
    voices: [...seated, ...linked],
    silenced: { deafened, echo: echoes && !local.echoAllowed },
  };
}

/**
 * @param {RoomState} state @param {SalonNow} now @param {Around} around
 * @returns {Banner[]} the most urgent first
 */
function bannersOf(state, now, around) {
  const { local } = now;
  /** @type {Banner[]} */ const banners = [];
  if (local.error?.name === 'session_replaced') banners.push({ kind: 'signedInElsewhere' });
  if (local.phase !== 'in') return banners;
  const { word } = now.connection;
  if (word === 'reconnecting')
    banners.push({ kind: 'reconnecting', until: null, seated: state.me.seat !== undefined });
  if (word === 'noMedia') banners.push({ kind: 'noMediaPath', error: now.connection.error ?? undefined });
  // A tap lets me hear again in either case.
  if (now.deafened) banners.push({ kind: 'deafened' });
  else if (now.soundBlocked) banners.push({ kind: 'soundBlocked' });
  if (micState(state, around) === 'noDevice')
    banners.push({ kind: 'microphoneProblem', error: around.voice.problem ?? undefined });
  if (now.echoes && !local.echoAllowed) banners.push({ kind: 'echoPair' });
  // A seat that the host has muted cannot be unmuted there.
  if (local.broughtBy && state.me.seat !== undefined && micState(state, around) !== 'mutedByHost') {
    const { by } = local.broughtBy;
    banners.push({ kind: 'broughtOnStage', by: profileOf(state, by) });
  }
  if (state.ownerAbsentUntil !== null) {
    const heir = state.heir ? profileOf(state, state.heir) : null;
    banners.push({ kind: 'ownerAbsent', until: state.ownerAbsentUntil, heir });
  }
  return banners;
}
