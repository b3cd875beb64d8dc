"""A live room's viewer behind a line that carries less than the picture, in a network namespace of its own."""

from story import nightly, story
from test_pictures import running

pytestmark = nightly

# A picture that needs all the bits its layers may have: the chart with a moving piece of noise in it.
ANCHOR = """
const busy = () => {
  const plain = document.createElement('video');
  plain.muted = true;
  plain.srcObject = new MediaStream([chart()]);
  void plain.play();
  const noise = Object.assign(document.createElement('canvas'), { width: 640, height: 360 });
  const grain = noise.getContext('2d').createImageData(640, 360);
  for (let at = 0; at < grain.data.length; at++) grain.data[at] = at % 4 === 3 ? 255 : 256 * Math.random();
  noise.getContext('2d').putImageData(grain, 0, 0);
  const canvas = Object.assign(document.createElement('canvas'), { width: 1280, height: 720 });
  const pen = canvas.getContext('2d');
  setInterval(() => {
    pen.drawImage(plain, 0, 0);
    pen.drawImage(noise, -320 * Math.random(), -180 * Math.random(), 640, 360, 480, 270, 320, 180);
  }, 33);
  return canvas.captureStream(30).getVideoTracks()[0];
};
window.anna = await signIn('Anna');
window.room = await OvationRoom.create(window.anna, { name: 'Live', kind: 'live', seats: [{}, {}] });
await until('the anchor on her seat', () => window.room.now.seats[0].user || window.room.takeSeat(0).then(() => true, () => true));
await window.room.setCamera(true);
window.peer = await connected(new OvationPeer(window.room));
const context = new AudioContext();
const [tone, out] = [new OscillatorNode(context), context.createMediaStreamDestination()];
tone.connect(out);
tone.start();
await window.peer.setMicrophone(out.stream.getAudioTracks()[0]);
await window.peer.setCamera(busy());
await until('three layers', async () => (await outbound(window.peer)).filter(entry => entry.framesEncoded > 30).length === 3, 40);
return window.room.id;"""

VIEWER = """
window.ben = await signIn('Ben');
window.room = new OvationRoom(window.ben, ROOM);
await window.room.enter();
window.peer = await connected(new OvationPeer(window.room));
const picture = await until('a line', () => window.peer.pictures.get()[0]);
window.video = show(picture);
window.sound = new Audio();
window.sound.srcObject = new MediaStream([window.peer.tracks.get()[0]]);
void window.sound.play();
window.gaps = [];
let last = performance.now();
const frame = now => {
  window.gaps.push([now, now - last]);
  last = now;
  window.video.requestVideoFrameCallback(frame);
};
window.video.requestVideoFrameCallback(frame);
await until('a picture', () => window.video.videoWidth > 0);
"""

# What the browser says of its sound since it began, and of the picture.
STATE = """
const all = [...(await window.peer.statistics()).values()];
const sound = all.find(entry => entry.type === 'inbound-rtp' && entry.kind === 'audio' && entry.totalSamplesReceived > 0);
const picture = all.find(entry => entry.type === 'inbound-rtp' && entry.kind === 'video' && entry.framesDecoded > 0);
return {
  samples: sound?.totalSamplesReceived ?? 0, concealed: sound?.concealedSamples ?? 0,
  silent: sound?.silentConcealedSamples ?? 0, frames: picture?.framesDecoded ?? 0, width: window.video.videoWidth,
  bytes: picture?.bytesReceived ?? 0, gaps: window.gaps.splice(0), at: performance.now(),
};"""


def watch(person, seconds):
    """What the person saw and heard from now on, for so long."""
    before = running(person, STATE)
    running(person, f"await new Promise(resolve => setTimeout(resolve, {1000 * seconds}));")
    after = running(person, STATE)
    for name in ("samples", "concealed", "silent", "frames", "bytes"):
        after[name] -= before[name]
    return after


def behind(way, people):
    """An anchor on this machine and her viewer at the end of the line."""
    anna = people("Anna")
    anna.open("/")
    room = running(anna, ANCHOR)
    way.reach(anna.server.port)
    ben = people("Ben", driver=way.driver())
    ben.open("/")
    running(ben, VIEWER.replace("ROOM", str(room)))
    return ben


def longest(seen):
    return max(gap for _, gap in seen["gaps"])


@story("L11-W L02-W a viewer behind 400 kbit/s sees a moving picture and hears without a break; on a wider line the picture gets larger")
def test_narrow_viewer(people, narrow):
    way = narrow(400_000)
    ben = behind(way, people)
    watch(ben, 4)
    seen = watch(ben, 12)
    # It keeps moving, small; and the sound does not stop.
    assert seen["width"] == 320 and seen["frames"] > 12 * 20 and longest(seen) < 500
    assert seen["samples"] > 12 * 40_000 and seen["concealed"] < 0.005 * seen["samples"]
    assert running(ben, "return window.peer.received.get()") == [{"seat": 0, "size": "low", "lack": "line"}]
    way.down.rate = 4_000_000
    running(ben, "await until('the whole size', () => window.video.videoWidth === 1280, 20);")
    running(ben, "await until('word of it', () => window.peer.received.get().some(({ size, lack }) => size === 'high' && !lack));")
    # A line that falls to a tenth loses what is under way, sound too; then everything goes on, smaller.
    way.down.rate = 400_000
    fall = watch(ben, 6)
    assert longest(fall) < 2000
    after = watch(ben, 10)
    assert after["width"] == 320 and after["frames"] > 10 * 20 and longest(after) < 500
    assert after["concealed"] < 0.005 * after["samples"]


@story("L02-W a viewer whose network changes sees and hears on, without doing anything")
def test_other_network(people, narrow):
    way = narrow(4_000_000)
    ben = behind(way, people)
    watch(ben, 2)
    way.move()
    # The browser itself calls such a path lost after some five seconds.
    running(ben, """
        const frames = async () =>
          [...(await window.peer.statistics()).values()].find(entry => entry.type === 'inbound-rtp' && entry.kind === 'video')?.framesDecoded ?? 0;
        const before = await frames();
        await until('the picture back', async () => (await frames()) > before + 30, 10);""")
    seen = watch(ben, 3)
    assert seen["frames"] > 3 * 20 and seen["concealed"] < 0.01 * seen["samples"]
