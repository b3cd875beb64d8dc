// A complete voice client over Web/protocol alone: sign in, enter or create a room, sit, talk, mute, chat, come back after a loss.
import { roomFromText } from '../protocol/ids.js';
import { OvationPeer } from '../protocol/peer.js';
import { OvationRoom } from '../protocol/room.js';
import { profileOf } from '../protocol/room-state.js';
import { Session } from '../protocol/session.js';

/** @returns {any} */
const element = (/** @type {string} */ id) => document.getElementById(id);
const show = (/** @type {any} */ error) => {
  element('error').textContent = error ? `${error.name}: ${error.message}` : '';
};
/** @param {() => Promise<any>} work what a person does; why it failed is shown */
const act = work => async (/** @type {Event} */ event) => {
  event.preventDefault();
  show(null);
  await work().catch(show);
};

element('enter').onsubmit = act(async () => {
  // 1. A ticket: here from the server's own endpoint, elsewhere from yours.
  const response = await fetch('/v1/tickets', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: element('name').value }),
  });
  const ticket = await response.json();
  if (!response.ok) throw new Error(ticket.error?.message ?? response.statusText);

  // 2. A session, which reconnects by itself.
  const url = new URL('/v1/connect', location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  const session = new Session({ url: url.href, credentials: ticket });
  await session.open();

  // 3. A room: entered, or created.
  const id = roomFromText(element('room').value);
  const room =
    id === null
      ? await OvationRoom.create(session, { name: `${ticket.name}'s room`, seats: 4 })
      : new OvationRoom(session, id);
  if (id !== null) await room.enter();

  // 4. The media path: one track a seat comes in, the microphone goes out.
  const peer = new OvationPeer(room);
  /** @type {HTMLAudioElement[]} */ const players = [];
  peer.tracks.subscribe(tracks => {
    for (const [seat, track] of tracks.entries()) {
      players[seat] ??= new Audio();
      players[seat].srcObject = track ? new MediaStream([track]) : null;
      if (track) players[seat].play().catch(show);
    }
  });
  peer.state.subscribe(state => {
    element('path').textContent = `media ${state}`;
  });
  peer.start();

  element('enter').hidden = true;
  element('salon').hidden = false;
  talk(room, peer);
  chat(room);
});

/** @param {OvationRoom} room @param {OvationPeer} peer */
function talk(room, peer) {
  /** @type {MediaStream | null} */ let stream = null;
  // 5. The seats as they are; an empty one is a button.
  room.state.subscribe(() => {
    const state = room.now;
    const { me } = state;
    element('title').textContent = `${state.info.name} (${state.room})`;
    element('people').textContent = state.memberCount;
    element('seats').replaceChildren(
      ...state.seats.map(seat => {
        const item = document.createElement('li');
        const button = document.createElement('button');
        const words = seat.user ? profileOf(state, seat.user).name : seat.state;
        button.textContent = seat.muted || seat.micMuted ? `${words} (muted)` : words;
        button.disabled = seat.state !== 'empty' || me.seat !== undefined;
        button.onclick = act(() => room.takeSeat(seat.index));
        item.append(button);
        return item;
      }),
    );
    element('microphone').textContent = me.micMuted ? 'Unmute' : 'Mute';
    element('microphone').disabled = element('stand').disabled = me.seat === undefined;
    if (me.seat === undefined && stream) {
      // 7. Off the seat, for whatever reason: let the microphone go.
      for (const track of stream.getTracks()) track.stop();
      stream = null;
      peer.setMicrophone(null);
    }
  });
  // 6. On a seat: open the microphone. The server forwards it while the seat is mine and not muted.
  room.events.on('seat.taken', ({ user }) => {
    if (user.id !== room.now.me.id || stream) return;
    navigator.mediaDevices
      .getUserMedia({ audio: true })
      .then(opened => {
        stream = opened;
        return peer.setMicrophone(opened.getAudioTracks()[0]);
      })
      .catch(show);
  });
  room.events.on('room.destroyed', () => show({ name: 'room.destroyed', message: 'the room has ended' }));
  element('microphone').onclick = act(() => room.setMicrophone(!room.now.me.micMuted));
  element('stand').onclick = act(() => room.leaveSeat());
}

/** @param {OvationRoom} room */
function chat(room) {
  const add = (/** @type {import('../protocol/events.js').Message} */ { from, text }) => {
    const item = document.createElement('li');
    item.textContent = `${from.name}: ${text}`;
    if (text) element('chat').append(item);
  };
  room.now.messages.forEach(add);
  room.events.on('message', add);
  element('say').onsubmit = act(async () => {
    await room.sendText(element('text').value);
    element('text').value = '';
  });
}
