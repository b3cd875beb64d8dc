import { seatCommands } from '../protocol/events.js';
import { profileOf } from '../protocol/room-state.js';
import { seatOf } from './salon-invitations.js';

/** @typedef {import('../protocol/room.js').OvationRoom} OvationRoom */
/** @typedef {import('../protocol/events.js').User} User */
/** @typedef {import('../protocol/events.js').Invitation} Invitation */
/** @typedef {import('./salon-state.js').SalonNewsMap} SalonNewsMap */

/**
 * How a seat that became empty is told.
 * @type {Record<string, import('./salon-state.js').SystemLine['what'] | null>}
 */
const leftLines = {
  left: 'seatLeft',
  kicked: 'kicked',
  lost: 'lost',
  closed: 'seatLeft',
  exited: null,
  moved: null,
};

/**
 * What the model does about events, beside telling them.
 * @typedef {object} Reactions
 * @property {(by: string | undefined) => void} seated I have a seat now
 * @property {() => void} unseated I have none any more
 * @property {(by: string | null) => void} seatMuted
 * @property {(seat: number | null) => void} consented my request was accepted
 * @property {() => import('./salon-state.js').RequestView[]} requests
 * @property {() => import('./salon-state.js').InvitationView | null} invitation
 */

/**
 * Tells the room's events in the chat and as news, and has the model react to those that concern me.
 * @param {object} parts
 * @param {OvationRoom} parts.room
 * @param {import('./chat.js').ChatModel} parts.chat
 * @param {import('./likes.js').LikesModel} parts.likes
 * @param {import('../protocol/events.js').Emitter<SalonNewsMap>} parts.news
 * @param {Reactions} parts.react
 * @param {AbortSignal} signal
 */
export function tellNews({ room, chat, likes, news, react }, signal) {
  /** @type {<K extends keyof import('../protocol/events.js').RoomEventMap>(type: K, listener: (event: import('../protocol/events.js').RoomEventMap[K]) => void) => void} */
  const on = (type, listener) => void room.events.on(type, /** @type {any} */ (listener), { signal });
  const isMe = (/** @type {string} */ id) => id === room.now.me.id;
  const person = (/** @type {string} */ id) => profileOf(room.now, id);
  const maybe = (/** @type {string | undefined} */ id) => (id ? person(id) : null);
  const whose = (/** @type {Invitation} */ { from, command }) =>
    !isMe(from) ? 'others' : command === seatCommands.invite ? 'myInvitation' : 'myRequest';
  let { name } = room.now.info;

  on('seat.taken', ({ seat, user, by, time }) => {
    chat.tell('seatTaken', user, { seat: seat.index, time });
    if (isMe(user.id)) react.seated(by);
    news.emit('seatTaken', { seat: seat.index, user, mine: isMe(user.id) });
  });
  on('seat.left', ({ seat, user, reason, by, time }) => {
    const what = leftLines[reason] === undefined ? 'seatLeft' : leftLines[reason];
    if (what) chat.tell(what, user, { seat: seat.index, time });
    if (isMe(user.id) && reason !== 'moved') react.unseated();
    if (isMe(user.id) && reason === 'kicked') news.emit('kicked', { by: maybe(by) });
    if (reason !== 'moved') news.emit('seatLeft', { seat: seat.index, user, mine: isMe(user.id), reason });
  });
  on('seat.muted', ({ seat, by, time }) => {
    if (!seat.user) return;
    chat.tell(seat.muted ? 'seatMuted' : 'seatUnmuted', person(seat.user), { seat: seat.index, time });
    if (!isMe(seat.user)) return;
    react.seatMuted(seat.muted ? (by ?? null) : null);
    if (!by || !isMe(by)) news.emit('mutedByHost', { by: maybe(by), muted: seat.muted });
  });
  on('gifts.sent', ({ gifts }) => {
    for (const sent of gifts) chat.addGift(sent);
  });
  on('camera.changed', ({ user, camera, by }) => {
    if (!isMe(user) || !by || isMe(by)) return;
    news.emit('cameraByHost', { by: person(by), allowed: camera !== 'blocked' });
  });
  let sharer = room.now.screen;
  on('screen.changed', ({ user }) => {
    news.emit('screen', {
      user: user ? person(user) : null,
      mine: user !== undefined && isMe(user),
      wasMine: sharer !== null && isMe(sharer),
    });
    sharer = user ?? null;
  });
  on('seat.closed', ({ seat, by, time }) => {
    const what = seat.state === 'closed' ? 'seatClosed' : 'seatOpened';
    chat.tell(what, person(by ?? room.now.info.owner.id), { seat: seat.index, time });
    // A server may tell the closing alone, without a word on who sat there.
    if (room.now.me.seat === undefined) react.unseated();
  });
  on('role.changed', ({ user, role, time }) => {
    chat.tell(role === 'admin' ? 'becameAdmin' : 'becameMember', person(user), { time });
    if (isMe(user)) news.emit('myRole', { role });
  });
  on('owner.changed', ({ time }) => {
    const { owner } = room.now.info;
    chat.tell('becameOwner', owner, { time });
    if (isMe(owner.id)) news.emit('myRole', { role: 'owner' });
    else news.emit('ownerChanged', { user: owner });
  });
  on('room.updated', ({ info, time }) => {
    if (info.name !== name) chat.tell('renamed', info.owner, { time });
    name = info.name;
  });
  on('message', message => {
    const line = chat.add(message);
    if (line) news.emit('chat', { line });
  });
  on('message.deleted', ({ chat: number }) => chat.delete(number));
  /** @param {import('../protocol/events.js').Restriction} restriction @param {boolean} lifted */
  const restricted = (restriction, lifted) => {
    const [mine, by] = [isMe(restriction.user), person(restriction.by)];
    news.emit('restriction', { restriction, lifted, mine, by });
  };
  on('restriction.set', ({ restriction }) => restricted(restriction, false));
  on('restriction.lifted', ({ restriction }) => restricted(restriction, true));
  on('dropped', ({ from, to }) => chat.gap(from, to));
  on('audience.entered', ({ member }) => {
    if (!isMe(member.id)) chat.tell('entered', { id: member.id, name: member.name, avatar: member.avatar });
  });
  on('audience.left', ({ user }) => {
    if (!isMe(user)) chat.tell('left', person(user));
  });
  on('likes', event => {
    const added = likes.hear(event);
    if (added > 0)
      news.emit('likes', { added, total: event.total, users: event.users.filter(id => !isMe(id)) });
  });

  on('invitation.received', ({ invitation }) => {
    const request = react.requests().find(({ id }) => id === invitation.id);
    const invited = react.invitation();
    if (request) news.emit('requestReceived', { request });
    else if (invited?.id === invitation.id) news.emit('invited', { invitation: invited });
  });
  on('invitation.accepted', ({ invitation, by }) => {
    const mine = whose(invitation);
    if (mine === 'myInvitation') {
      news.emit('invitationAnswered', { user: person(invitation.to), accepted: true, reason: '' });
    } else if (mine === 'myRequest') {
      const seat = seatOf(invitation);
      news.emit('requestAccepted', { by: maybe(by), seat });
      react.consented(seat);
    }
  });
  on('invitation.rejected', ({ invitation, by }) => {
    const mine = whose(invitation);
    const reason = invitation.reason ?? '';
    if (mine === 'myInvitation') {
      news.emit('invitationAnswered', { user: person(invitation.to), accepted: false, reason });
    } else if (mine === 'myRequest') {
      news.emit('requestRejected', { by: maybe(by), reason });
    }
  });
  on('invitation.expired', ({ invitation }) => {
    if (whose(invitation) === 'myRequest') news.emit('requestExpired', {});
  });
}
