import { Store } from '../../../Web/lib/store.js';
import { MicrophoneModel, SpeakerModel } from '../../../Web/models/devices.js';
import { EchoWatch } from '../../../Web/models/echo.js';
import { HeadphonesModel } from '../../../Web/models/headphones.js';
import { ListeningModel } from '../../../Web/models/listening.js';
import { PreferencesModel } from '../../../Web/models/preferences.js';
import { SalonModel } from '../../../Web/models/salon.js';
import { OvationPeer } from '../../../Web/protocol/peer.js';
import { FakeMediaDevices, FakePeerConnection, FakePlayout, FakeStorage } from './media.js';
import { emptySeat, openSession, people, salonServer, usedSeat } from './rooms.js';
import { settle, VirtualTime } from './time.js';

/** A tab in Alice's salon, entered as `user` unless told otherwise. */
export async function salonTab(
  t,
  {
    user = 'bob',
    first,
    devices = new FakeMediaDevices(),
    server = salonServer(first),
    enter = true,
    preferences: chosen,
    effects,
    camera,
    host = {},
  } = {},
) {
  const time = VirtualTime.install(t);
  const session = await openSession(server, user);
  const preferences = new PreferencesModel(new FakeStorage(), null);
  if (chosen) preferences.change(chosen);
  const microphone = new MicrophoneModel(preferences, devices);
  const speaker = new SpeakerModel(preferences, devices);
  const connections = [];
  const playout = new FakePlayout(new Store(false));
  const salon = new SalonModel({
    session,
    room: 48213,
    microphone,
    speaker,
    camera,
    preferences,
    effects,
    host: {
      origin: 'https://live.example',
      listening: new ListeningModel(new FakeStorage()),
      headphones: session => new HeadphonesModel(session, new FakeStorage()),
      playout: () => playout,
      echo: room => new EchoWatch(room, { channel: null }),
      peer: room =>
        new OvationPeer(room, {
          createPeerConnection: configuration => {
            const pc = new FakePeerConnection(configuration);
            connections.push(pc);
            return pc;
          },
        }),
      ...host,
    },
  });
  t.after(() => salon.leave());
  const news = [];
  salon.news.on('*', (value, type) => news.push({ type, ...value }));
  const tab = {
    time,
    server,
    session,
    salon,
    microphone,
    speaker,
    devices,
    preferences,
    playout,
    connections,
    news,
    get state() {
      return salon.state.get();
    },
    get mic() {
      return salon.state.get().me.mic;
    },
    /** The track on the microphone line. */
    get sending() {
      return connections.at(-1)?.transceivers[0].sender.track ?? null;
    },
    heard: type => news.filter(one => one.type === type),
  };
  if (enter) {
    const entered = salon.enter();
    await settle();
    await entered;
    connections.at(-1)?.become('connected');
  }
  return tab;
}

let seq = 1000;
/** Events as the server writes them; numbers follow on from the snapshot's. */
export class Script {
  constructor(server, from = server.snapshot.seq) {
    this.server = server;
    this.seq = from;
    this.chat = server.snapshot.chat;
  }

  async tell(...events) {
    this.server.news(48213, events);
    await settle();
  }

  taken(index, user, by = user, more = {}) {
    return {
      seq: ++this.seq,
      type: 'seat.taken',
      seat: usedSeat(index, user, more),
      user: people[user],
      by,
      time: Date.now(),
    };
  }

  left(index, user, reason, by = user) {
    return {
      seq: ++this.seq,
      type: 'seat.left',
      seat: emptySeat(index),
      user: people[user],
      reason,
      by,
      time: Date.now(),
    };
  }

  muted(index, user, muted, by = 'alice', more = {}) {
    const seat = user ? usedSeat(index, user, { muted, by, ...more }) : emptySeat(index, { muted, by });
    return { seq: ++this.seq, type: 'seat.muted', seat, by, time: Date.now() };
  }

  closed(index, closed, by = 'alice') {
    return {
      seq: ++this.seq,
      type: 'seat.closed',
      seat: { index, state: closed ? 'closed' : 'empty', muted: false, by },
      by,
      time: Date.now(),
    };
  }

  microphone(user, muted, seat) {
    return { seq: ++this.seq, type: 'microphone.muted', user, muted, seat, time: Date.now() };
  }

  role(user, role) {
    return { seq: ++this.seq, type: 'role.changed', user, role, by: 'alice', time: Date.now() };
  }

  said(from, text, more = {}) {
    return { type: 'message', chat: ++this.chat, from: people[from], text, time: Date.now(), ...more };
  }

  invitation(id, from, to, more = {}) {
    const { state = 'waiting', by = from, ...rest } = more;
    const type = state === 'waiting' ? 'invitation.received' : `invitation.${state}`;
    const command = rest.command ?? 'seat.ask';
    return {
      type,
      by,
      invitation: { id, room: 48213, from, to, command, content: '', state, createdAt: seq++, ...rest },
    };
  }
}

/** Has the server do what it is asked: seats are taken and left, microphones muted, and everybody hears of it. */
export function obedient(server) {
  const script = new Script(server);
  const sat = new Map();
  const tell = (call, ...events) => {
    call.after = () => server.news(48213, events);
    return {};
  };
  const me = () => server.of('session.open').at(-1).user;
  server.on('seat.take', ({ seat }, call) => {
    sat.set(me(), seat);
    return tell(call, script.taken(seat, me()));
  });
  server.on('seat.leave', (_params, call) => {
    const seat = sat.get(me());
    sat.delete(me());
    return tell(call, script.left(seat, me(), 'left'));
  });
  server.on('microphone.set', ({ muted }, call) =>
    tell(call, script.microphone(me(), muted, sat.get(me()) ?? 0)),
  );
  server.on('seat.mute', ({ seat, muted }, call) => tell(call, script.muted(seat, 'bob', muted)));
  server.on('seat.kick', ({ seat }, call) => tell(call, script.left(seat, 'bob', 'kicked', 'alice')));
  server.on('seat.pick', ({ seat, user }, call) => tell(call, script.taken(seat, user, 'alice')));
  server.on('seat.close', ({ seat, closed }, call) => {
    const events = [script.closed(seat, closed)];
    return tell(call, ...events);
  });
  return script;
}
