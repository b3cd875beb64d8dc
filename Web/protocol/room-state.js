/** @typedef {import('./events.js').RoomInfo} RoomInfo */
/** @typedef {import('./events.js').Seat} Seat */
/** @typedef {import('./events.js').Member} Member */
/** @typedef {import('./events.js').User} User */
/** @typedef {import('./events.js').Invitation} Invitation */
/** @typedef {import('./events.js').Message} Message */
/** @typedef {import('./events.js').Snapshot} Snapshot */
/** @typedef {import('./events.js').RoomSummary} RoomSummary */

/** @type {Readonly<import('./events.js').StageLayout>} */
const inGrid = { form: 'grid' };
/** @type {Readonly<import('./events.js').DuetMode>} */
const together = Object.freeze({ mode: 'together' });
/** @type {Readonly<import('./events.js').PKState>} */
const alone = Object.freeze({ links: Object.freeze([]) });

/** Messages kept in memory; older ones fall off. */
export const messagesKept = 300;

/** Nothing has been given. */
const noGifts = Object.freeze({ coins: 0, supporters: [] });
/** Names and faces kept in memory; those that were heard of first fall off. More than a full list of people and messages has. */
export const profilesKept = 1_000;

/**
 * A room as one of its people sees it. Never changed in place.
 * @typedef {object} RoomState
 * @property {import('./ids.js').RoomID} room
 * @property {number} epoch
 * @property {number} seq of the last durable event taken up
 * @property {number} chat of the last message taken up
 * @property {RoomInfo} info
 * @property {readonly Seat[]} seats by index
 * @property {Member} me
 * @property {ReadonlyMap<string, Member>} members those known by id, in the order known; in big rooms not everyone
 * @property {ReadonlyMap<string, User>} profiles whoever was named of late, also those who left
 * @property {number} memberCount everyone
 * @property {number | null} ownerAbsentUntil milliseconds since 1970
 * @property {string | null} heir
 * @property {Readonly<Record<string, number>>} presenceUntil when the seat of somebody who is reconnecting will be freed
 * @property {readonly Invitation[]} invitations waiting ones that concern me, oldest first
 * @property {readonly Message[]} messages oldest first
 * @property {number} likes
 * @property {import('./events.js').GiftStanding} gifts what the room has been given
 * @property {import('./events.js').SongPlay | null} play what is sung
 * @property {string | null} screen who shares a screen in a live room
 * @property {Readonly<Record<string, string>>} attributes what the app keeps with the room, by name
 * @property {import('./events.js').StageLayout} stage how everybody sees the people on the stage of a live room
 * @property {import('./events.js').PKState} pk links to other live rooms, and the PK with them
 * @property {import('./events.js').PKChallenge | null} challenge that waits; for the owner alone
 * @property {import('./events.js').Restriction | null} chatMute keeps me from writing; its time may be over
 * @property {import('./events.js').DuetMode} duet how those who sit sing
 * @property {import('./events.js').NetworkReport | null} network how their ways do; null before it was told
 * @property {number} mediaEpoch
 * @property {{reason: string, summary: RoomSummary | null} | null} ended
 */

/**
 * @param {Snapshot} snapshot
 * @returns {RoomState}
 */
export function stateOf(snapshot) {
  const members = new Map(snapshot.members.map(member => [member.id, member]));
  members.set(snapshot.me.id, snapshot.me);
  /** @type {RoomState} */
  const state = {
    room: snapshot.room,
    epoch: snapshot.epoch,
    seq: snapshot.seq,
    chat: snapshot.chat,
    info: snapshot.info,
    seats: snapshot.seats,
    me: snapshot.me,
    members,
    profiles: new Map(),
    memberCount: snapshot.memberCount,
    ownerAbsentUntil: snapshot.ownerAbsentUntil ?? null,
    heir: snapshot.heir ?? null,
    presenceUntil: {},
    invitations: snapshot.invitations.filter(invitation => invitation.state === 'waiting'),
    messages: snapshot.messages.slice(-messagesKept),
    likes: snapshot.likes,
    gifts: snapshot.gifts ?? noGifts,
    play: snapshot.play ?? null,
    duet: snapshot.duet ?? together,
    screen: snapshot.screen ?? null,
    stage: snapshot.stage ?? inGrid,
    attributes: snapshot.attributes ?? {},
    pk: snapshot.pk ?? alone,
    challenge: snapshot.challenge ?? null,
    chatMute: snapshot.chatMute ?? null,
    network: null,
    mediaEpoch: snapshot.mediaEpoch,
    ended: null,
  };
  return named(state, [
    snapshot.info.owner,
    ...snapshot.members,
    ...snapshot.messages.map(message => message.from),
  ]);
}

/** @typedef {import('./wire.js').RoomEventMap} Events */
/**
 * An event as it comes.
 * @typedef {{[Type in keyof Events]: {type: Type} & Events[Type]}[keyof Events]} RoomEvent
 */

/**
 * The state after a single event. Numbers (`seq`, `chat`) are the caller's business.
 * @param {RoomState} state
 * @param {RoomEvent | {type: string}} event an unknown type changes nothing
 * @returns {RoomState}
 */
export function apply(state, event) {
  /** @type {((state: RoomState, event: any) => RoomState) | undefined} */
  const change = changes[/** @type {keyof Events} */ (event.type)];
  return change ? change(state, event) : state;
}

/** @type {{[Type in keyof Events]?: (state: RoomState, event: Events[Type]) => RoomState}} */
const changes = {
  // What is not said of the chat holds no more.
  'room.updated': (state, { info }) => ({ ...state, info: { ...state.info, chat: undefined, ...info } }),
  'attributes.changed': (state, { set, removed }) => {
    const gone = new Set(removed);
    const kept = Object.entries(state.attributes).filter(([name]) => !gone.has(name));
    return { ...state, attributes: Object.fromEntries([...kept, ...Object.entries(set)]) };
  },
  'room.destroyed': (state, { reason, summary }) => ({ ...state, ended: { reason, summary } }),

  'seat.taken': (state, { seat, user }) => {
    const next = setSeat(named(state, [user]), seat);
    const known = next.members.get(user.id);
    const micMuted = seat.micMuted ?? known?.micMuted ?? false;
    const presence = seat.presence ?? known?.presence ?? 'online';
    /** @type {Member} */
    const member = { role: 'member', ...known, ...user, micMuted, presence, seat: seat.index };
    return setMember(next, member);
  },
  'seat.left': (state, { seat, user }) => unseat(setSeat(named(state, [user]), seat), user.id, seat.index),
  'seat.muted': (state, { seat }) => setSeat(state, seat),
  'seat.closed': (state, { seat }) => {
    const sat = state.seats[seat.index]?.user;
    const next = setSeat(state, seat);
    return sat && seat.user !== sat ? unseat(next, sat, seat.index) : next;
  },
  'microphone.muted': (state, { user, muted }) => setPerson(state, user, { micMuted: muted }),
  'camera.changed': (state, { user, camera }) => ({
    ...state,
    seats: state.seats.map(seat => (seat.user === user ? { ...seat, camera } : seat)),
  }),
  'stage.arranged': (state, { stage }) => ({ ...state, stage }),
  'screen.changed': (state, { user }) => ({ ...state, screen: user ?? null }),
  'message.deleted': (state, { chat }) => ({
    ...state,
    messages: state.messages.map(message => (message.chat === chat ? withoutText(message) : message)),
  }),
  'restriction.set': (state, { restriction }) => setChatMute(state, restriction, restriction),
  'restriction.lifted': (state, { restriction }) => setChatMute(state, restriction, null),
  'gifts.sent': (state, { standing }) => ({ ...state, gifts: standing }),
  'pk.changed': (state, { pk }) => ({ ...state, pk }),
  'pk.challenge': (state, { challenge, state: now }) => ({
    ...state,
    challenge: now === 'waiting' ? challenge : null,
  }),
  'pk.points': setPoints,
  'role.changed': (state, { user, role }) => changeMember(state, user, { role }),
  'owner.changed': (state, { user }) => {
    const { id } = user;
    // That who loses the room stays its admin is told by an event of its own.
    let next = changeMember(named(state, [user]), state.info.owner.id, { role: 'member' });
    next = changeMember(next, id, { role: 'owner' });
    // Whoever asked the former owner has asked the heir; the heir needs nobody's answer any more.
    const former = state.info.owner.id;
    const invitations = next.invitations
      .map(invitation => (invitation.to === former ? { ...invitation, to: id } : invitation))
      .filter(({ from, to }) => from !== to);
    return { ...next, invitations, info: { ...next.info, owner: user }, ownerAbsentUntil: null, heir: null };
  },

  'song.changed': (state, { play }) => ({ ...state, play: play ?? null }),
  'duet.changed': (state, { duet }) => ({ ...state, duet }),
  network: (state, { users, apartMs, tight }) => ({
    ...state,
    network: { users, apartMs, tight },
  }),

  message: (state, message) =>
    named({ ...state, messages: [...state.messages, withoutType(message)].slice(-messagesKept) }, [
      message.from,
    ]),

  'audience.entered': (state, { member }) => {
    const isNew = !state.members.has(member.id);
    const next = setMember(named(state, [member]), member);
    return isNew ? { ...next, memberCount: next.memberCount + 1 } : next;
  },
  'audience.left': (state, { user }) => {
    if (user === state.me.id) return state;
    const members = new Map(state.members);
    members.delete(user);
    return { ...state, members, memberCount: Math.max(1, state.memberCount - 1) };
  },
  presence: (state, { user, presence, until }) => {
    const { [user]: _, ...others } = state.presenceUntil;
    const presenceUntil = presence === 'reconnecting' && until ? { ...others, [user]: until } : others;
    return setPerson({ ...state, presenceUntil }, user, { presence });
  },
  'owner.absent': (state, { until, heir }) => ({ ...state, ownerAbsentUntil: until, heir: heir ?? null }),
  'owner.back': state => ({ ...state, ownerAbsentUntil: null, heir: null }),
  likes: (state, { total }) => ({ ...state, likes: Math.max(total, 0) }),
  count: (state, { memberCount }) => ({ ...state, memberCount }),

  'invitation.received': (state, { invitation }) => ({
    ...state,
    invitations: [...state.invitations.filter(other => other.id !== invitation.id), invitation],
  }),
  'invitation.accepted': settleInvitation,
  'invitation.rejected': settleInvitation,
  'invitation.cancelled': settleInvitation,
  'invitation.expired': settleInvitation,
};

/**
 * Takes up what a resumed connection tells beside the events of the gap.
 * @param {RoomState} state
 * @param {{memberCount: number, presence: {user: string, presence: import('./events.js').Presence}[], invitations: Invitation[], moreInvitations?: string, likes: number, ownerAbsentUntil?: number, heir?: string, points?: {ours: number, theirs: number}, challenge?: import('./events.js').PKChallenge, chatMute?: import('./events.js').Restriction}} passing
 * @returns {RoomState}
 */
export function applyPassing(state, passing) {
  const presences = new Map((passing.presence ?? []).map(({ user, presence }) => [user, presence]));
  /** @type {RoomState} */
  let next = {
    ...state,
    memberCount: passing.memberCount ?? state.memberCount,
    likes: passing.likes ?? state.likes,
    invitations: mergeInvitations(
      state.invitations,
      passing.invitations ?? [],
      null,
      passing.moreInvitations === undefined,
    ),
    ownerAbsentUntil: passing.ownerAbsentUntil ?? null,
    heir: passing.heir ?? null,
    challenge: passing.challenge ?? null,
    chatMute: passing.chatMute ?? null,
    presenceUntil: {},
  };
  if (passing.points) next = setPoints(next, passing.points);
  for (const seat of state.seats) {
    if (seat.user) next = setPerson(next, seat.user, { presence: presences.get(seat.user) ?? 'online' });
  }
  return next;
}

/**
 * Takes up one page of the waiting invitations, oldest first. Those of its range that are not on it have been settled; what is known
 * beyond it stays until the last page has come.
 * @param {readonly Invitation[]} known
 * @param {readonly Invitation[]} page
 * @param {Invitation | null} former the last one of the page before; null for the first page
 * @param {boolean} last there are no more pages
 * @returns {Invitation[]}
 */
export function mergeInvitations(known, page, former, last) {
  const end = page.at(-1);
  const rest = known.filter(
    other => (former && !isBefore(former, other)) || (!last && (end === undefined || isBefore(end, other))),
  );
  const waiting = page.filter(({ state }) => state === 'waiting');
  const ids = new Set(waiting.map(({ id }) => id));
  return [...rest.filter(({ id }) => !ids.has(id)), ...waiting].sort((a, b) =>
    isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0,
  );
}

/**
 * In the order of the list: by time, then by id.
 * @param {Invitation} a
 * @param {Invitation} b
 */
function isBefore(a, b) {
  return a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.id < b.id);
}

/**
 * The state without an invitation that is settled.
 * @param {RoomState} state
 * @param {string} id
 * @returns {RoomState}
 */
export function forgetInvitation(state, id) {
  return { ...state, invitations: state.invitations.filter(invitation => invitation.id !== id) };
}

/**
 * News of invitations that waited for us when the connection was lost and were settled meanwhile.
 * @param {RoomState} state as it was then
 * @param {{invitations?: Invitation[], settled?: {invitation: Invitation, by?: string}[]}} passing
 * @returns {(RoomEvent & {invitation: Invitation})[]}
 */
export function settledMeanwhile(state, passing) {
  const waiting = new Set((passing.invitations ?? []).map(({ id }) => id));
  const known = new Set(state.invitations.map(({ id }) => id));
  return (passing.settled ?? [])
    .filter(({ invitation: { id } }) => known.has(id) && !waiting.has(id))
    .map(news => /** @type {any} */ ({ type: `invitation.${news.invitation.state}`, ...news }));
}

/**
 * Replaces what is known of the people by a fresh page of them.
 * @param {RoomState} state @param {Member[]} page @param {number} count @param {boolean} whole nobody but these is here
 * @returns {RoomState}
 */
export function applyMembers(state, page, count, whole) {
  const members = whole ? new Map() : new Map(state.members);
  for (const member of page) members.set(member.id, member);
  const me = members.get(state.me.id) ?? state.me;
  members.set(me.id, me);
  return named({ ...state, members, me, memberCount: count }, page);
}

/**
 * Name and face of somebody, as far as known; else the id stands for the name.
 * @param {RoomState} state @param {string} id
 * @returns {User}
 */
export function profileOf(state, id) {
  // A program's id has a sign before its name.
  const { name, avatar } = state.members.get(id) ??
    state.profiles.get(id) ?? { name: id.replace(/^@/, ''), avatar: '' };
  return { id, name, avatar };
}

/**
 * @param {RoomState} state
 * @param {import('./events.js').Restriction} restriction
 * @param {import('./events.js').Restriction | null} chatMute
 * @returns {RoomState}
 */
function setChatMute(state, { kind, user }, chatMute) {
  return kind === 'chat_mute' && user === state.me.id ? { ...state, chatMute } : state;
}

/** @param {Message} message @returns {Message} */
function withoutText({ chat, id, from, time }) {
  return { chat, ...(id && { id }), from, text: '', time, deleted: true };
}

/** @param {Message & {type?: string}} event @returns {Message} */
function withoutType({ type: _, ...message }) {
  return message;
}

/** @param {RoomState} state @param {{ours: number, theirs: number}} points @returns {RoomState} */
function setPoints(state, { ours, theirs }) {
  const { match } = state.pk;
  return match ? { ...state, pk: { ...state.pk, match: { ...match, ours, theirs } } } : state;
}

/** @param {RoomState} state @param {{invitation: Invitation}} event @returns {RoomState} */
function settleInvitation(state, { invitation }) {
  return forgetInvitation(state, invitation.id);
}

/** @param {RoomState} state @param {User[]} users @returns {RoomState} */
function named(state, users) {
  const news = users.filter(user => {
    const known = state.profiles.get(user.id);
    return known?.name !== user.name || known?.avatar !== user.avatar;
  });
  if (news.length === 0) return state;
  const profiles = new Map(state.profiles);
  for (const { id, name, avatar } of news) profiles.set(id, { id, name, avatar });
  for (const id of profiles.keys()) {
    if (profiles.size <= profilesKept) break;
    profiles.delete(id);
  }
  return { ...state, profiles };
}

/** @param {RoomState} state @param {Seat} seat @returns {RoomState} */
function setSeat(state, seat) {
  if (!(seat.index in state.seats)) return state;
  return { ...state, seats: state.seats.map(old => (old.index === seat.index ? seat : old)) };
}

/** @param {RoomState} state @param {Member} member @returns {RoomState} */
function setMember(state, member) {
  const members = new Map(state.members).set(member.id, member);
  return { ...state, members, me: member.id === state.me.id ? member : state.me };
}

/** @param {RoomState} state @param {string} id @param {Partial<Member>} some @returns {RoomState} */
function changeMember(state, id, some) {
  const member = state.members.get(id);
  return member ? setMember(state, { ...member, ...some }) : state;
}

/**
 * A person's microphone or presence, in the list of people and on the seat.
 * @param {RoomState} state @param {string} id
 * @param {{micMuted?: boolean, presence?: import('./events.js').Presence}} some
 * @returns {RoomState}
 */
function setPerson(state, id, some) {
  const next = changeMember(state, id, some);
  return { ...next, seats: next.seats.map(seat => (seat.user === id ? { ...seat, ...some } : seat)) };
}

/** @param {RoomState} state @param {string} id @param {number} index @returns {RoomState} */
function unseat(state, id, index) {
  const member = state.members.get(id);
  if (!member || member.seat !== index) return state;
  const { seat: _, ...rest } = member;
  return setMember(state, rest);
}
