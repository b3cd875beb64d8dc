"""Pictures of a live room through the media server, in real browsers, with the web SDK alone."""

import pytest

from story import story

# A test chart that moves: red, green, blue and white quarters, a bar that tells turned and mirrored pictures apart, and a count.
BEGIN = """
const { Session } = await import('/protocol/session.js');
const { OvationRoom } = await import('/protocol/room.js');
const { OvationPeer } = await import('/protocol/peer.js');
const signIn = async name => {
  const answer = await fetch('/v1/tickets', {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ name }),
  });
  const session = new Session({ url: location.origin.replace('http', 'ws') + '/v1/connect', credentials: await answer.json() });
  await session.open();
  return session;
};
const until = async (what, check, seconds = 20) => {
  const end = performance.now() + 1000 * seconds;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (performance.now() > end) throw new Error(`waited ${seconds} s for ${what}`);
    await new Promise(resolve => setTimeout(resolve, 100));
  }
};
const connected = async peer => {
  peer.start();
  await until('a path', () => peer.state.get() === 'connected');
  return peer;
};
// A page that nobody sees has no animation frames: the chart is drawn by a timer.
const chart = (width = 1280, height = 720, colours = ['#f00', '#0f0', '#00f', '#fff']) => {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const pen = canvas.getContext('2d');
  let count = 0;
  const draw = () => {
    colours.forEach((colour, quarter) => {
      pen.fillStyle = colour;
      pen.fillRect((quarter % 2) * width / 2, Math.floor(quarter / 2) * height / 2, width / 2, height / 2);
    });
    pen.fillStyle = '#000';
    pen.fillRect(0, 0, width / 8, height / 8);
    pen.fillRect((count++ * 7) % width, height * 0.45, width / 20, height / 10);
  };
  draw();
  setInterval(draw, 33);
  return canvas.captureStream(30).getVideoTracks()[0];
};
const show = track => {
  const video = Object.assign(document.createElement('video'), { autoplay: true, muted: true, playsInline: true });
  video.srcObject = new MediaStream([track]);
  document.body.append(video);
  void video.play();
  return video;
};
// The colours of the middle of each quarter, and of the black corner, as the viewer sees them.
const seen = video => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 160, height: 90 });
  const pen = canvas.getContext('2d');
  pen.drawImage(video, 0, 0, 160, 90);
  const name = ([r, g, b]) => [r, g, b].map(value => (value > 160 ? 1 : value < 90 ? 0 : '?')).join('');
  return [[40, 22], [120, 22], [40, 68], [120, 68], [8, 5]].map(([x, y]) => name(pen.getImageData(x, y, 1, 1).data));
};
const inbound = async (peer, track) => {
  const report = await peer.statistics();
  return [...report.values()].find(entry => entry.type === 'inbound-rtp' && entry.kind === 'video' && entry.trackIdentifier === track.id);
};
const outbound = async peer =>
  [...(await peer.statistics()).values()].filter(entry => entry.type === 'outbound-rtp' && entry.kind === 'video');
"""


def running(person, program):
    """Runs a program in a page of the server and gives what it returns."""
    answer = person.run_async(
        "const done = arguments[arguments.length - 1];"
        f"(async () => {{ {BEGIN} {program} }})().then(value => done({{ value }}), error => done({{ error: String(error?.stack ?? error) }}));")
    assert "error" not in answer, f"{person.name}: {answer['error']}"
    return answer["value"]


@pytest.fixture
def page(people):
    person = people("Developer")
    person.open("/")
    return lambda program: running(person, program)


@story("L02-W who enters a live room sees its anchor, in the right colours, upright and unmirrored; who comes later too")
def test_anchor_is_seen(page):
    colours, size, later, stopped = page("""
        const [anna, ben, carl] = [await signIn('Anna'), await signIn('Ben'), await signIn('Carl')];
        const room = await OvationRoom.create(anna, { name: 'Live', kind: 'live', seats: [{}, {}, {}] });
        await until('the anchor on her seat', () => room.now.seats[0].user || room.takeSeat(0).then(() => true, () => true));
        await room.setCamera(true);
        const anchor = await connected(new OvationPeer(room));
        await anchor.setCamera(chart());
        const enter = async session => {
          const entered = new OvationRoom(session, room.id);
          await entered.enter();
          return connected(new OvationPeer(entered));
        };
        const watch = async peer => {
          const track = await until('a line', () => peer.pictures.get()[0]);
          const video = show(track);
          await until('frames', async () => (await inbound(peer, track))?.framesDecoded > 15);
          return { track, video };
        };
        const viewer = await enter(ben);
        const first = await watch(viewer);
        // A machine that is busy with three people's pictures may get less again later.
        const size = await until('the whole size', () => first.video.videoWidth === 1280 && [first.video.videoWidth, first.video.videoHeight]);
        const colours = await until('colours', () => {
          const all = seen(first.video);
          return all.some(name => name.includes('?')) ? null : all;
        });
        const second = await watch(await enter(carl));
        const later = seen(second.video);
        await anchor.setCamera(null);
        // What the encoder has begun still comes, on a busy machine for more than half a second; then nothing does.
        const frames = async () => (await inbound(viewer, first.track)).framesDecoded;
        const stopped = await until('the end of frames', async () => {
          const before = await frames();
          await new Promise(resolve => setTimeout(resolve, 1000));
          return (await frames()) === before;
        });
        return [colours, size, later, stopped];""")
    chart = ["100", "010", "001", "111", "000"]
    assert colours == chart and later == chart
    assert size == [1280, 720]
    assert stopped


@story("L07-W L03-W somebody without a seat is not seen whatever they send; with one they are, and without it no more")
def test_seat_decides(page):
    before, frames, after = page("""
        const [anna, ben] = [await signIn('Anna'), await signIn('Ben')];
        const room = await OvationRoom.create(anna, { name: 'Live', kind: 'live', seats: [{}, {}, {}] });
        const anchor = await connected(new OvationPeer(room));
        const his = new OvationRoom(ben, room.id);
        await his.enter();
        const guest = await connected(new OvationPeer(his));
        await guest.setCamera(chart(640, 360));
        await until('sent', async () => (await outbound(guest)).some(entry => entry.framesEncoded > 10));
        const track = await until('a line', () => anchor.pictures.get()[1]);
        show(track);
        const before = (await inbound(anchor, track))?.framesDecoded ?? 0;
        await his.takeSeat(1);
        await his.setCamera(true);
        await until('frames', async () => (await inbound(anchor, track))?.framesDecoded > 15);
        const frames = (await inbound(anchor, track)).framesDecoded;
        await his.leaveSeat();
        await new Promise(resolve => setTimeout(resolve, 300));
        const left = (await inbound(anchor, track)).packetsReceived;
        await new Promise(resolve => setTimeout(resolve, 1000));
        const after = (await inbound(anchor, track)).packetsReceived - left;
        return [before, frames, after];""")
    assert before == 0 and frames > 15 and after == 0


@story("L11-W a camera is sent in layers, and what is lost on the way is asked for again")
def test_layers(page):
    layers, rate, width = page("""
        const [anna, ben] = [await signIn('Anna'), await signIn('Ben')];
        const room = await OvationRoom.create(anna, { name: 'Live', kind: 'live', seats: [{}, {}] });
        await until('the anchor on her seat', () => room.now.seats[0].user || room.takeSeat(0).then(() => true, () => true));
        await room.setCamera(true);
        const anchor = await connected(new OvationPeer(room));
        await anchor.setCamera(chart());
        const his = new OvationRoom(ben, room.id);
        await his.enter();
        const viewer = await connected(new OvationPeer(his));
        const track = await until('a line', () => viewer.pictures.get()[0]);
        const video = show(track);
        const layers = await until('three layers', async () => {
          const all = (await outbound(anchor)).filter(entry => entry.framesEncoded > 10);
          return all.length === 3 && all.map(entry => [entry.rid, entry.frameWidth]).sort();
        }, 30);
        const width = await until('the whole size', () => video.videoWidth === 1280 && video.videoWidth);
        const bytes = async () => (await outbound(anchor)).reduce((sum, entry) => sum + entry.bytesSent, 0);
        const [from, start] = [await bytes(), performance.now()];
        await new Promise(resolve => setTimeout(resolve, 3000));
        return [layers, (8 * ((await bytes()) - from)) / (performance.now() - start), width];""")
    assert layers == [["f", 1280], ["h", 640], ["q", 320]]
    # Without feedback on what arrives a browser stays at the 300 kbit/s that it begins with.
    assert rate > 350, f"{rate} kbit/s"
    assert width == 1280


@story("L11-W L08-W a viewer chooses how much of a picture is sent, down to nothing, and the picture never freezes on the way")
def test_sizes(page):
    widths, gaps, off, back = page("""
        const [anna, ben] = [await signIn('Anna'), await signIn('Ben')];
        const room = await OvationRoom.create(anna, { name: 'Live', kind: 'live', seats: [{}, {}] });
        await until('the anchor on her seat', () => room.now.seats[0].user || room.takeSeat(0).then(() => true, () => true));
        await room.setCamera(true);
        const anchor = await connected(new OvationPeer(room));
        await anchor.setCamera(chart());
        const his = new OvationRoom(ben, room.id);
        await his.enter();
        const viewer = new OvationPeer(his);
        viewer.view(0, 'low');
        await connected(viewer);
        const track = await until('a line', () => viewer.pictures.get()[0]);
        const video = show(track);
        await until('the small size', () => video.videoWidth === 320, 30);
        await until('three layers', async () => (await outbound(anchor)).filter(entry => entry.framesEncoded > 30).length === 3, 30);
        const widths = [];
        const gaps = [];
        let last = performance.now();
        const frame = () => {
          gaps.push(performance.now() - last);
          last = performance.now();
          video.requestVideoFrameCallback(frame);
        };
        for (const [size, width] of [['high', 1280], ['middle', 640], ['low', 320], ['high', 1280]]) {
          viewer.view(0, size);
          last = performance.now();
          if (widths.length === 0) video.requestVideoFrameCallback(frame);
          await until(`${width} wide`, () => video.videoWidth === width);
          widths.push(video.videoWidth);
        }
        const worst = Math.max(...gaps);
        viewer.view(0, 'off');
        await new Promise(resolve => setTimeout(resolve, 500));
        const before = (await inbound(viewer, track)).packetsReceived;
        await new Promise(resolve => setTimeout(resolve, 1000));
        const off = (await inbound(viewer, track)).packetsReceived - before;
        viewer.view(0, 'high');
        const frames = (await inbound(viewer, track)).framesDecoded;
        await until('the picture back', async () => (await inbound(viewer, track)).framesDecoded > frames + 10);
        return [widths, worst, off, video.videoWidth];""")
    assert widths == [1280, 640, 320, 1280]
    assert off == 0 and back == 1280
    # The old layer goes on until the new one's key frame. A busy machine is slow to decode, not a second slow.
    assert gaps < 1000


@story("L11-W layers of a camera that nobody watches are not sent, and are there at once when somebody does; who stops sending is told apart")
def test_wishes(page):
    layers, back, lack = page("""
        const [anna, ben] = [await signIn('Anna'), await signIn('Ben')];
        const room = await OvationRoom.create(anna, { name: 'Live', kind: 'live', seats: [{}, {}] });
        await until('the anchor on her seat', () => room.now.seats[0].user || room.takeSeat(0).then(() => true, () => true));
        await room.setCamera(true);
        const anchor = await connected(new OvationPeer(room));
        await anchor.setCamera(chart());
        const his = new OvationRoom(ben, room.id);
        await his.enter();
        const viewer = await connected(new OvationPeer(his));
        const track = await until('a line', () => viewer.pictures.get()[0]);
        const video = show(track);
        await until('the whole size', () => video.videoWidth === 1280, 30);
        viewer.view(0, 'low');
        const sent = async () => Object.fromEntries((await outbound(anchor)).map(entry => [entry.rid, entry.framesEncoded]));
        const growing = async () => {
          const before = await sent();
          await new Promise(resolve => setTimeout(resolve, 1000));
          const after = await sent();
          return Object.keys(after).filter(rid => after[rid] > (before[rid] ?? 0)).sort().join('');
        };
        const layers = await until('one layer', async () => (await growing()) === 'q' && 'q', 30);
        const begun = performance.now();
        viewer.view(0, 'high');
        await until('the whole size', () => video.videoWidth === 1280);
        const back = performance.now() - begun;
        // The camera ends without a word, as that of a machine that sleeps does.
        await anchor.setCamera(null);
        const lack = await until('word of it', () => viewer.received.get().find(picture => picture.lack === 'sender'));
        return [layers, back, lack];""")
    assert layers == "q" and lack == {"seat": 0, "size": "off", "lack": "sender"}
    assert back < 5000


@story("L02-W L03-W Firefox sees Chromium's camera, and shows its own in layers once it sits")
def test_firefox(people):
    anna, fox = people("Anna"), people("Fox", browser="firefox")
    anna.open("/")
    fox.open("/")
    room = running(anna, """
        window.anna = await signIn('Anna');
        window.room = await OvationRoom.create(window.anna, { name: 'Live', kind: 'live', seats: [{}, {}] });
        await until('the anchor on her seat', () => window.room.now.seats[0].user || window.room.takeSeat(0).then(() => true, () => true));
        await window.room.setCamera(true);
        window.peer = await connected(new OvationPeer(window.room));
        await window.peer.setCamera(chart());
        return window.room.id;""")
    colours = running(fox, f"""
        window.fox = await signIn('Fox');
        window.room = new OvationRoom(window.fox, {room});
        await window.room.enter();
        window.peer = await connected(new OvationPeer(window.room));
        const track = await until('a line', () => window.peer.pictures.get()[0]);
        const video = show(track);
        await until('a picture', () => video.videoWidth > 0);
        const colours = await until('colours', () => {{
          const all = seen(video);
          return all.some(name => name.includes('?')) || all[4] !== '000' ? null : all;
        }});
        await window.room.takeSeat(1);
        await window.room.setCamera(true);
        await window.peer.setCamera(chart(1280, 720, ['#ff0', '#0ff', '#f0f', '#00f']));
        return colours;""")
    assert colours == ["100", "010", "001", "111", "000"]
    back = running(anna, """
        const track = await until('a line', () => window.peer.pictures.get()[1]);
        const video = show(track);
        await until('a picture', () => video.videoWidth > 0);
        return until('colours', () => {
          const all = seen(video);
          return all.some(name => name.includes('?')) || all[4] !== '000' ? null : all;
        });""")
    assert back == ["110", "011", "101", "001", "000"]


@story("L02-W an anchor's sound and picture are played together, by the browser's own reckoning")
def test_lip_sync(page):
    apart = page("""
        const [anna, ben] = [await signIn('Anna'), await signIn('Ben')];
        const room = await OvationRoom.create(anna, { name: 'Live', kind: 'live', seats: [{}, {}] });
        await until('the anchor on her seat', () => room.now.seats[0].user || room.takeSeat(0).then(() => true, () => true));
        await room.setCamera(true);
        const anchor = await connected(new OvationPeer(room));
        const context = new AudioContext();
        const [tone, out] = [new OscillatorNode(context), context.createMediaStreamDestination()];
        tone.connect(out);
        tone.start();
        await anchor.setMicrophone(out.stream.getAudioTracks()[0]);
        await anchor.setCamera(chart(640, 360));
        const his = new OvationRoom(ben, room.id);
        await his.enter();
        const viewer = await connected(new OvationPeer(his));
        const picture = await until('a picture', () => viewer.pictures.get()[0]);
        const sound = viewer.tracks.get()[0];
        const video = Object.assign(document.createElement('video'), { autoplay: true, playsInline: true });
        video.srcObject = new MediaStream([sound, picture]);
        document.body.append(video);
        await video.play();
        // When what is played now left the anchor, by the reports that came with it.
        const apart = async () => {
          const all = [...(await viewer.statistics()).values()].filter(entry => entry.type === 'inbound-rtp' && entry.estimatedPlayoutTimestamp);
          const of = track => all.find(entry => entry.trackIdentifier === track.id)?.estimatedPlayoutTimestamp;
          return of(sound) && of(picture) ? of(picture) - of(sound) : null;
        };
        await until('reports', async () => (await apart()) !== null);
        // A browser moves sound and picture towards each other in steps of a second and more. The middle of four seconds counts: its own
        // estimate wavers with each frame.
        const readings = [];
        const middle = () => readings.length < 20 ? undefined : readings.slice(-20).sort((a, b) => a - b)[10];
        for (let reading = 0; reading < 200 && !(Math.abs(middle()) < 40); reading++) {
          const value = await apart();
          if (value !== null) readings.push(value);
          await new Promise(resolve => setTimeout(resolve, 200));
        }
        return [middle() ?? null, readings];""")
    middle, readings = apart
    assert middle is not None and abs(middle) < 40, readings
