import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeMediaDevices } from './support/media.js';
import { emptySeat, member, snapshot, usedSeat } from './support/rooms.js';
import { obedient, Script, salonTab } from './support/salon.js';
import { Refusal } from './support/server.js';
import { settle } from './support/time.js';

async function done(promise) {
  await settle();
  return promise;
}

test('V04-W one arrives as a listener; sitting down opens the microphone and sends it, leaving lets it go', async t => {
  const tab = await salonTab(t);
  obedient(tab.server);
  assert.equal(tab.mic, 'listener');
  assert.equal(tab.devices.asked.length, 0, 'nobody asks for a microphone before a seat');
  await done(tab.salon.seats.sit(2));
  assert.equal(tab.mic, 'live');
  assert.equal(tab.state.me.seat, 2);
  assert.equal(tab.state.seats[2].isMe, true);
  assert.equal(tab.sending.enabled, true);
  assert.equal(tab.salon.asksBeforeLeaving, true);
  assert.deepEqual(
    tab.heard('seatTaken').map(news => [news.seat, news.mine]),
    [[2, true]],
  );
  await done(tab.salon.seats.stand());
  assert.equal(tab.mic, 'listener');
  assert.equal(tab.sending, null);
  assert.equal(tab.devices.tracks[0].readyState, 'ended');
  assert.equal(tab.salon.asksBeforeLeaving, false);
});

test('V11-W muting oneself is silent at once, and unmuting waits for the server', async t => {
  const tab = await salonTab(t);
  const script = obedient(tab.server);
  await done(tab.salon.seats.sit(0));
  const muting = tab.salon.seats.toggleMicrophone();
  assert.equal(tab.sending.enabled, false, 'before the server has heard of it');
  assert.equal(tab.mic, 'mutedByMe');
  await done(muting);
  assert.equal(tab.server.of('microphone.set')[0].muted, true);
  await done(tab.salon.seats.toggleMicrophone());
  assert.equal(tab.mic, 'live');
  assert.equal(tab.sending.enabled, true);
  void script;
});

test('V11-W muting oneself without a connection still mutes, and the server learns of it on the way back', async t => {
  const tab = await salonTab(t);
  obedient(tab.server);
  await done(tab.salon.seats.sit(0));
  tab.server.down = true;
  tab.server.drop();
  await settle();
  const muting = assert.rejects(tab.salon.seats.setMuted(true), { name: 'offline' });
  await tab.time.advance(10_000);
  await muting;
  assert.equal(tab.mic, 'mutedByMe');
  assert.equal(tab.sending.enabled, false);
  tab.server.on('room.enter', () => ({
    resumed: true,
    epoch: 1,
    seq: 2,
    chat: 0,
    events: [],
    mediaEpoch: 1,
    state: { memberCount: 2, presence: [], invitations: [], likes: 0 },
  }));
  tab.server.on('room.members', () => ({ members: [member('bob', { seat: 0 })], count: 2 }));
  tab.server.down = false;
  await tab.time.advance(20_000);
  assert.equal(tab.server.of('microphone.set').at(-1).muted, true);
  assert.equal(tab.mic, 'mutedByMe');
});

test('V11-W who mutes themselves while an unmute is under way stays muted, here and at the server', async t => {
  const tab = await salonTab(t);
  obedient(tab.server);
  await done(tab.salon.seats.sit(0));
  await done(tab.salon.seats.setMuted(true));
  const unmuted = tab.salon.seats.setMuted(false);
  const muted = tab.salon.seats.setMuted(true);
  await settle();
  await Promise.all([unmuted, muted]);
  assert.equal(tab.mic, 'mutedByMe');
  assert.equal(tab.sending.enabled, false);
  assert.equal(tab.server.of('microphone.set').at(-1).muted, true);
});

test('V06-W a seat that the host muted is silent, says who did it, and one cannot unmute oneself', async t => {
  const tab = await salonTab(t);
  const script = obedient(tab.server);
  await done(tab.salon.seats.sit(1));
  await script.tell(script.muted(1, 'bob', true));
  assert.equal(tab.mic, 'mutedByHost');
  assert.equal(tab.state.me.mutedBy.name, 'Alice');
  assert.equal(tab.sending.enabled, false);
  assert.deepEqual(
    tab.heard('mutedByHost').map(news => news.muted),
    [true],
  );
  await assert.rejects(tab.salon.seats.toggleMicrophone(), { name: 'seat_muted' });
  await done(assert.rejects(tab.salon.seats.setMuted(false), { name: 'seat_muted' }));
  assert.equal(tab.sending.enabled, false);
  await script.tell(script.muted(1, 'bob', false));
  assert.equal(tab.mic, 'live');
});

test('V06-W a host who mutes or unmutes the own seat is not told of it', async t => {
  const tab = await salonTab(t);
  const script = obedient(tab.server);
  await done(tab.salon.seats.sit(1));
  await script.tell(script.muted(1, 'bob', true, 'bob'));
  assert.equal(tab.mic, 'mutedByHost');
  await script.tell(script.muted(1, 'bob', false, 'bob'));
  assert.equal(tab.mic, 'live');
  assert.deepEqual(tab.heard('mutedByHost'), []);
});

test("V06-W the host's unmute does not open a microphone that its user muted", async t => {
  const tab = await salonTab(t);
  const script = obedient(tab.server);
  await done(tab.salon.seats.sit(1));
  await done(tab.salon.seats.setMuted(true));
  await script.tell(script.muted(1, 'bob', true, 'alice', { micMuted: true }));
  await script.tell(script.muted(1, 'bob', false, 'alice', { micMuted: true }));
  assert.equal(tab.mic, 'mutedByMe');
  assert.equal(tab.sending.enabled, false);
});

test('V06-W a mute that waited on the empty seat applies to whoever sits down', async t => {
  const tab = await salonTab(t, {
    first: { seats: [emptySeat(0, { muted: true, by: 'alice' }), emptySeat(1), emptySeat(2), emptySeat(3)] },
  });
  const script = new Script(tab.server);
  tab.server.on('seat.take', ({ seat }, call) => {
    call.after = () => tab.server.news(48213, [script.taken(seat, 'bob', 'bob', { muted: true })]);
    return {};
  });
  await done(tab.salon.seats.sit(0));
  assert.equal(tab.mic, 'mutedByHost');
  assert.equal(tab.sending.enabled, false);
});

test('V06-W a seat that closes under one is left, with the microphone', async t => {
  const tab = await salonTab(t);
  const script = obedient(tab.server);
  await done(tab.salon.seats.sit(1));
  await script.tell(script.left(1, 'bob', 'closed', 'alice'), script.closed(1, true));
  assert.equal(tab.state.seats[1].state, 'closed');
  assert.equal(tab.mic, 'listener');
  assert.equal(tab.sending, null);
});

test('V05-W kicked off the seat one is a listener again and is told by whom', async t => {
  const tab = await salonTab(t);
  const script = obedient(tab.server);
  await done(tab.salon.seats.sit(1));
  await script.tell(script.left(1, 'bob', 'kicked', 'alice'));
  assert.equal(tab.mic, 'listener');
  assert.equal(tab.devices.tracks[0].readyState, 'ended');
  assert.deepEqual(
    tab.heard('kicked').map(news => news.by.name),
    ['Alice'],
  );
});

test('V05-W put on a seat by the host the microphone stays off until one unmutes it', async t => {
  const tab = await salonTab(t);
  const script = obedient(tab.server);
  await script.tell(script.taken(3, 'bob', 'alice'));
  assert.equal(tab.mic, 'mutedByMe');
  assert.equal(tab.devices.asked.length, 0, 'the browser does not ask out of the blue');
  assert.equal(tab.server.of('microphone.set')[0].muted, true, 'others see that one is muted');
  const [banner] = tab.state.banners;
  assert.deepEqual([banner.kind, banner.by.name], ['broughtOnStage', 'Alice']);
  await script.tell(script.muted(3, 'bob', true));
  assert.deepEqual(tab.state.banners, [], 'no button that would be refused while the host mutes the seat');
  await script.tell(script.muted(3, 'bob', false));
  assert.deepEqual(
    tab.state.banners.map(({ kind }) => kind),
    ['broughtOnStage'],
  );
  await done(tab.salon.seats.toggleMicrophone());
  assert.equal(tab.mic, 'live');
  assert.equal(tab.sending.enabled, true);
  assert.deepEqual(tab.state.banners, []);
});

test('V09-W moving keeps the microphone open', async t => {
  const tab = await salonTab(t);
  const script = obedient(tab.server);
  await done(tab.salon.seats.sit(0));
  tab.server.on('seat.move', ({ seat }, call) => {
    call.after = () => tab.server.news(48213, [script.left(0, 'bob', 'moved'), script.taken(seat, 'bob')]);
    return {};
  });
  const before = tab.sending;
  await done(tab.salon.seats.move(3));
  assert.equal(tab.state.me.seat, 3);
  assert.equal(tab.mic, 'live');
  assert.equal(tab.sending, before);
  assert.equal(tab.devices.asked.length, 1);
});

test('V09-W moving does not mute again who joined muted and has unmuted since', async t => {
  const tab = await salonTab(t, { preferences: { joinMuted: true } });
  const script = obedient(tab.server);
  await done(tab.salon.seats.sit(0));
  await done(tab.salon.seats.toggleMicrophone());
  assert.equal(tab.mic, 'live');
  await script.tell(script.left(0, 'bob', 'moved'), script.taken(3, 'bob'));
  assert.equal(tab.mic, 'live');
  assert.deepEqual(
    tab.server.of('microphone.set').map(({ muted }) => muted),
    [true, false],
  );
});

test('V09-W moving too often is refused with the documented code', async t => {
  const tab = await salonTab(t);
  tab.server.on('seat.move', () => {
    throw new Refusal('too_frequent', 10001, { retryAfterMs: 700 });
  });
  await done(assert.rejects(tab.salon.seats.move(1), { name: 'too_frequent', code: 10001 }));
  assert.equal(tab.state.pending.size, 0);
});

test('joining muted is muted from the first moment', async t => {
  const tab = await salonTab(t, { preferences: { joinMuted: true } });
  obedient(tab.server);
  await done(tab.salon.seats.sit(0));
  assert.equal(tab.mic, 'mutedByMe');
  assert.equal(tab.sending.enabled, false);
  assert.equal(tab.server.of('microphone.set')[0].muted, true);
});

test('without a microphone one sits and is told why nobody hears one; trying again helps', async t => {
  for (const [refusal, name] of [
    ['NotAllowedError', 'microphone_denied'],
    ['NotReadableError', 'microphone_busy'],
    ['NotFoundError', 'microphone_missing'],
  ]) {
    await t.test(name, async inner => {
      const devices = new FakeMediaDevices();
      devices.refusal = refusal;
      const tab = await salonTab(inner, { devices });
      obedient(tab.server);
      await done(assert.rejects(tab.salon.seats.sit(0), { name }));
      assert.equal(tab.state.me.seat, 0);
      assert.equal(tab.mic, 'noDevice');
      assert.equal(tab.state.me.microphoneProblem, name);
      assert.deepEqual(tab.state.banners, [{ kind: 'microphoneProblem', error: name }]);
      devices.refusal = null;
      await done(tab.salon.seats.toggleMicrophone());
      assert.equal(tab.mic, 'live');
    });
  }
});

test('a microphone that is unplugged while live is replaced by another one', async t => {
  const devices = new FakeMediaDevices([
    { kind: 'audioinput', deviceId: 'usb', label: 'USB' },
    { kind: 'audioinput', deviceId: 'built-in', label: 'Built-in' },
  ]);
  const tab = await salonTab(t, { devices });
  obedient(tab.server);
  await done(tab.salon.seats.sit(0));
  devices.devices = devices.devices.slice(1);
  devices.tracks[0].unplug();
  await settle();
  assert.equal(tab.mic, 'live');
  assert.equal(tab.sending.label, 'Built-in');
  devices.devices = [];
  devices.tracks[1].unplug();
  devices.dispatchEvent(new Event('devicechange'));
  await settle();
  assert.equal(tab.mic, 'noDevice');
  assert.equal(tab.state.me.microphoneProblem, 'microphone_missing');
  assert.equal(tab.sending, null);
  devices.devices = [{ kind: 'audioinput', deviceId: 'usb', label: 'USB again' }];
  devices.dispatchEvent(new Event('devicechange'));
  await settle();
  assert.equal(tab.mic, 'live', 'plugged in again, it is taken up by itself');
  assert.equal(tab.sending.label, 'USB again');
});

test('"you seem to be speaking while muted" comes after a while of speech and goes again, and is for one’s own mute alone', async t => {
  const tab = await salonTab(t);
  const script = obedient(tab.server);
  await done(tab.salon.seats.sit(0));
  const speak = async (level, times) => {
    for (let reading = 0; reading < times; reading++) {
      tab.microphone.level.set(level + (reading % 2));
      await tab.time.advance(50);
    }
  };
  await speak(60, 20);
  assert.equal(tab.state.me.speakingWhileMuted, false, 'not while live');
  await done(tab.salon.seats.setMuted(true));
  await speak(10, 20);
  assert.equal(tab.state.me.speakingWhileMuted, false, 'not for a fan');
  await speak(60, 12);
  assert.equal(tab.state.me.speakingWhileMuted, true);
  await script.tell(script.muted(0, 'bob', true, 'alice', { micMuted: true }));
  assert.equal(
    tab.state.me.speakingWhileMuted,
    false,
    'not while the host mutes the seat: nobody there could unmute it',
  );
  await script.tell(script.muted(0, 'bob', false, 'alice', { micMuted: true }));
  assert.equal(tab.state.me.speakingWhileMuted, true);
  await tab.time.advance(5000);
  assert.equal(tab.state.me.speakingWhileMuted, false);
});

test('one listens to one’s own loudness once, however often the voice changes', async t => {
  const tab = await salonTab(t);
  obedient(tab.server);
  const level = tab.microphone.level;
  let listeners = 0;
  const subscribe = level.subscribe.bind(level);
  t.mock.method(level, 'subscribe', (listener, options) => {
    listeners++;
    const stop = subscribe(listener, options);
    return () => {
      listeners--;
      stop();
    };
  });
  await done(tab.salon.seats.sit(0));
  const first = listeners;
  for (let time = 0; time < 5; time++) {
    await done(tab.salon.seats.setMuted(true));
    for (let reading = 0; reading < 20; reading++) {
      level.set(60 + (reading % 2));
      await tab.time.advance(50);
    }
    assert.equal(tab.state.me.speakingWhileMuted, true);
    await done(tab.salon.seats.setMuted(false));
  }
  assert.equal(listeners, first);
});

test('V19-W back after the seat was lost one is a listener, and the device is let go', async t => {
  const tab = await salonTab(t);
  const script = obedient(tab.server);
  await done(tab.salon.seats.sit(0));
  tab.server.on('room.enter', () => ({
    resumed: true,
    epoch: 1,
    seq: script.seq + 1,
    chat: 0,
    mediaEpoch: 1,
    events: [script.left(0, 'bob', 'lost')],
    state: { memberCount: 2, presence: [], invitations: [], likes: 0 },
  }));
  tab.server.drop();
  await tab.time.advance(1000);
  assert.equal(tab.mic, 'listener');
  assert.equal(tab.devices.tracks[0].readyState, 'ended');
  assert.deepEqual(
    tab.heard('seatLeft').map(news => [news.reason, news.mine]),
    [['lost', true]],
  );
  assert.equal(tab.heard('reconnected').length, 1);
});

test("V19-W a whole new state without one's seat lets the device go too", async t => {
  const tab = await salonTab(t);
  obedient(tab.server);
  await done(tab.salon.seats.sit(0));
  tab.server.on('room.enter', () => ({ resumed: false, snapshot: snapshot({ epoch: 2 }) }));
  tab.server.drop();
  await tab.time.advance(1000);
  assert.equal(tab.mic, 'listener');
  assert.equal(tab.devices.tracks[0].readyState, 'ended');
});

test('reloading the page on a seat takes the microphone up again', async t => {
  const tab = await salonTab(t, {
    first: {
      me: member('bob', { seat: 1 }),
      seats: [emptySeat(0), usedSeat(1, 'bob'), emptySeat(2), emptySeat(3)],
    },
  });
  await settle();
  assert.equal(tab.mic, 'live');
  assert.equal(tab.sending.enabled, true);
});

test('V19-W V14-W seats tell who reconnects, until when, and who spoke last', async t => {
  const tab = await salonTab(t);
  const script = new Script(tab.server);
  await script.tell(script.taken(0, 'alice'), script.taken(1, 'carol'));
  await script.tell({ type: 'presence', user: 'alice', presence: 'reconnecting', until: 99 });
  assert.deepEqual([tab.state.seats[0].presence, tab.state.seats[0].presenceUntil], ['reconnecting', 99]);
  await script.tell({ type: 'levels', levels: { alice: 20, carol: 70 } });
  assert.deepEqual(tab.salon.levels.get(), { alice: 20, carol: 70 });
  await script.tell({ type: 'levels', levels: {} });
  assert.deepEqual(
    tab.state.seats.map(seat => seat.spokeLast),
    [false, true, false, false],
  );
  assert.deepEqual([tab.state.seats[0].isOwner, tab.state.seats[1].isOwner], [true, false]);
});

test('a refused seat is told where it was asked for, and nothing else changes', async t => {
  const tab = await salonTab(t);
  for (const [name, code] of [
    ['seat_taken', 10056],
    ['seat_closed', 20421],
    ['consent_required', 20427],
  ]) {
    tab.server.on('seat.take', () => {
      throw new Refusal(name, code);
    });
    const sitting = assert.rejects(tab.salon.seats.sit(1), { name, code });
    assert.ok(tab.state.pending.has('seat:1'));
    assert.equal(tab.state.seats[1].pending, true);
    await done(sitting);
    assert.equal(tab.state.pending.size, 0);
    assert.equal(tab.mic, 'listener');
  }
  assert.equal(tab.devices.asked.length, 0);
});
