"""The web SDK alone, as another page would use it, against a real server: what it asks for, is refused, and is told."""

import re

import pytest

from server import ROOT
from story import story

# What each story begins with: people who sign in by name, how a call ends, and what a room tells.
BEGIN = """
const { Session } = await import('/protocol/session.js');
const { OvationRoom } = await import('/protocol/room.js');
const signIn = async name => {
  const answer = await fetch('/v1/tickets', {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ name }),
  });
  const session = new Session({ url: location.origin.replace('http', 'ws') + '/v1/connect', credentials: await answer.json() });
  await session.open();
  return session;
};
const enter = async (session, id) => {
  const room = new OvationRoom(session, id);
  await room.enter();
  return room;
};
const refusal = call => call.then(() => 'accepted', error => `${error.name} ${error.code}`);
const told = (room, type, fits = () => true) => new Promise(resolve => room.events.on(type, event => fits(event) && resolve(event)));
"""


@pytest.fixture
def page(people):
    """Runs a program in a page of the server and gives what it returns."""
    person = people("Developer")
    person.open("/")

    def run(program):
        answer = person.run_async(
            "const done = arguments[arguments.length - 1];"
            f"(async () => {{ {BEGIN} {program} }})().then(value => done({{ value }}), error => done({{ error: String(error?.stack ?? error) }}));")
        assert "error" not in answer, answer["error"]
        return answer["value"]

    return run


def printed():
    """The JavaScript of the guide, for a function: its imports asked for while it runs, its server this one."""
    guide = (ROOT / "Documentation/build/guide.md").read_text()
    code = "\n".join(re.findall(r"^```js\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL))
    assert {"Session", "EffectsModel", "PreferencesModel"} <= set(re.findall(r"\w+", code))
    return re.sub(r"import (\{.*\}) from '\./", r"const \1 = await import('/", code).replace("js';", "js');").replace(
        "'wss://salon.example/", "location.origin.replace('http', 'ws') + '/")


@story("the guide's client takes a seat and sends a changed voice and music, by the lines as they are printed")
def test_the_guide(people):
    person = people("Developer")
    person.open("/")
    answer = person.run_async(
        "const done = arguments[arguments.length - 1];"
        f"(async () => {{ {BEGIN} await OvationRoom.create(await signIn('Anna'), {{ room: 48213, name: 'Guide' }}); }})()"
        f""".then(async () => {{
          const credentials = await (await fetch('/v1/tickets', {{ method: 'POST', headers: {{ 'Content-Type': 'application/json' }}, body: '{{"name":"Ben"}}' }})).json();
          const file = new File([await (await fetch('/songs/moon-boat/accompaniment.mp3')).arrayBuffer()], 'song.mp3');
          {printed()}
          const track = effects.outgoing.get();
          return [room.now.me.seat, track.readyState, track === microphone.track.get(), effects.state.get().changer, effects.state.get().music.map(one => one.status)];
        }}).then(value => done({{ value }}), error => done({{ error: String(error?.stack ?? error) }}));""")
    assert answer.get("value") == [1, "live", False, 3, ["playing"]], answer


@story("V01-W a list of seats is kept, one's own room is created again with its new settings, another's id is refused")
def test_created_again(page):
    states, again, refused = page("""
        const [anna, ben] = [await signIn('Anna'), await signIn('Ben')];
        const first = await OvationRoom.create(anna, { room: 48213, name: 'First', seats: [{ muted: true }, {}, { closed: true }] });
        const states = first.now.seats.map(seat => [seat.state, seat.muted]);
        first.letGo();
        const again = await OvationRoom.create(anna, { room: 48213, name: 'Second', cover: '/c.svg', needsRequest: true });
        const { name, cover, needsRequest, owner } = again.now.info;
        const refused = await refusal(OvationRoom.create(ben, { room: 48213, name: 'Mine' }));
        return [states, [again.id, name, cover, needsRequest, owner.name, again.now.me.role], refused];""")
    assert states == [["empty", True], ["empty", False], ["closed", False]]
    assert again == [48213, "Second", "/c.svg", True, "Anna", "owner"]
    assert refused == "room_id_taken 10021"


@story("V08-W the page sees the answer, then the list of seats, then the single event")
def test_order(page):
    assert page("""
        const room = await OvationRoom.create(await signIn('Anna'), { name: 'order', seats: 4 });
        const seen = [];
        let seats = room.state.get().seats;
        room.state.subscribe(state => {
          if (state.seats !== seats) { seats = state.seats; seen.push('seats'); }
        });
        const event = told(room, 'seat.taken').then(() => seen.push('seat.taken'));
        await room.takeSeat(1);
        seen.push('answer');
        await event;
        return seen;""") == ["answer", "seats", "seat.taken"]


@story("V09-W a second move within a second is refused with the documented code")
def test_moving(page):
    assert page("""
        const room = await OvationRoom.create(await signIn('Anna'), { name: 'moves', seats: 4 });
        await room.takeSeat(0);
        const taken = told(room, 'seat.taken', ({ seat }) => seat.index === 2);
        const moves = [await refusal(room.moveSeat(2)), await refusal(room.moveSeat(3))];
        await taken;
        return [moves, room.now.me.seat, room.now.seats.map(one => one.state)];""") == [
            ["accepted", "too_frequent 10001"], 2, ["empty", "empty", "used", "empty"]]


@story("V10-W V21-W invitations go both ways, are cancelled, run out, and let whoever was accepted sit once; whom the owner picks sits at once")
def test_invitations(page):
    settled, seats = page("""
        const [anna, ben] = [await signIn('Anna'), await signIn('Ben')];
        const owner = await OvationRoom.create(anna, { name: 'asking', seats: 4, needsRequest: true });
        const guest = await enter(ben, owner.id);
        const settled = [], seats = [];
        const sits = async seat => seats.push(await refusal(guest.takeSeat(seat)));
        const ask = async (from, to, more = {}) => {
          const received = told(to, 'invitation.received');
          const { id } = await from.invite({ user: to.now.me.id, command: 'any word', content: '1', ...more });
          const { invitation } = await received;
          if (invitation.id !== id || invitation.command !== 'any word') throw new Error('another invitation');
          return id;
        };
        const settle = async (who, how) => {
          const { invitation } = await told(who, `invitation.${how}`);
          settled.push(invitation.state);
        };
        await sits(1);
        let id = await ask(guest, owner);
        await Promise.all([settle(owner, 'cancelled'), guest.cancelInvitation(id)]);
        id = await ask(guest, owner, { timeoutSeconds: 1 });
        await Promise.all([settle(owner, 'expired'), told(guest, 'invitation.expired')]);
        id = await ask(guest, owner);
        await Promise.all([settle(guest, 'rejected'), owner.rejectInvitation(id, 'later')]);
        await sits(1);
        id = await ask(guest, owner);
        await Promise.all([settle(guest, 'accepted'), owner.acceptInvitation(id)]);
        await sits(1);
        await guest.leaveSeat();
        await sits(1);
        id = await ask(owner, guest);
        await Promise.all([settle(owner, 'accepted'), guest.acceptInvitation(id)]);
        await sits(2);
        await guest.leaveSeat();
        const picked = told(guest, 'seat.taken', ({ seat }) => seat.index === 3);
        await owner.pickSeat(3, guest.now.me.id);
        await picked;
        seats.push(guest.now.me.seat);
        return [settled, seats];""")
    assert settled == ["cancelled", "expired", "rejected", "accepted", "accepted"]
    assert seats == ["consent_required 20427", "consent_required 20427", "accepted", "consent_required 20427", "accepted", 3]


@story("V16-W texts and custom messages reach everybody once, in one order, one's own with one's own id")
def test_messages(page):
    heard, own = page("""
        const sessions = [await signIn('Anna'), await signIn('Ben'), await signIn('Chris')];
        const first = await OvationRoom.create(sessions[0], { name: 'talk' });
        const rooms = [first, await enter(sessions[1], first.id), await enter(sessions[2], first.id)];
        const heard = rooms.map(() => []);
        const own = [];
        const all = rooms.map((room, index) => new Promise(resolve => room.events.on('message', message => {
          heard[index].push([message.from.name, message.text ?? message.message, message.command ?? null]);
          if (message.from.id === room.now.me.id) own.push(message.id);
          if (heard[index].length === 30) resolve();
        })));
        await Promise.all(rooms.flatMap((room, index) => [...Array(10).keys()].map(number => number % 2
          ? room.sendText(`${index}-${number}`, `id-${index}-${number}`)
          : room.sendCustom('CMD_DANMU', `${index}-${number}`, `id-${index}-${number}`))));
        await Promise.all(all);
        // What came twice would be here by the answer to this.
        for (const room of rooms) await room.loadMembers();
        return [heard, own];""")
    assert heard[0] == heard[1] == heard[2] and len(heard[0]) == 30
    said = [[name, f"{index}-{number}", None if number % 2 else "CMD_DANMU"]
            for index, name in enumerate(["Anna", "Ben", "Chris"]) for number in range(10)]
    assert sorted(heard[0], key=str) == sorted(said, key=str)
    assert sorted(own) == sorted(f"id-{index}-{number}" for index in range(3) for number in range(10))


@story("A05-W profiles come in the order asked, rooms too, unknown ids are dropped, and everybody in a room is read page by page")
def test_people(page):
    profiles, rooms, everybody = page("""
        const [anna, ben] = [await signIn('Anna'), await signIn('Ben')];
        const hall = await OvationRoom.create(anna, { name: 'Hall' });
        const corner = await OvationRoom.create(ben, { name: 'Corner' });
        const [a, b] = [anna.user.get().id, ben.user.get().id];
        const profiles = (await anna.profiles([b, 'nobody', a])).map(user => user.name);
        const infos = (await anna.call('room.get', { rooms: [corner.id, 4000000000, hall.id] })).rooms;
        await corner.exit();
        await enter(ben, hall.id);
        const cursor = await hall.loadMembers();
        return [profiles, infos.map(info => info.name), [[...hall.now.members.values()].map(member => member.name).sort(), cursor]];""")
    assert profiles == ["Ben", "Anna"]
    assert rooms == ["Corner", "Hall"]
    assert everybody == [["Anna", "Ben"], None]


@story("a signal reaches its user in no room, with the sender's id for it; who is away is told")
def test_signals(page):
    heard, away = page("""
        const [anna, ben] = [await signIn('Anna'), await signIn('Ben')];
        const heard = [];
        const both = new Promise(done => ben.signals.on('signal', signal => heard.push(signal) === 2 && done()));
        await anna.sendSignal(ben.user.get().id, { text: 'hello' });
        await anna.sendSignal(ben.user.get().id, { command: 'LOOK', message: '{}' }, 'look-1');
        await both;
        return [heard.map(({ id, from, text, command, message }) => [id ?? null, from.name, text ?? null, command ?? null, message ?? null]),
          await refusal(anna.sendSignal('nobody', { text: 'hello' }))];""")
    assert heard == [[None, "Anna", "hello", None, None], ["look-1", "Anna", None, "LOOK", "{}"]]
    assert away == "user_away 20518"
