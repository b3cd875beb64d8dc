"""Voice effects, music and sound quality between real browsers: measured in what the other side decodes."""

import time

from selenium.webdriver.common.keys import Keys

from browsers import Chromium
from elsewhere import Site
from server import Server
from sound import LOUD, SILENT, music, tone
from steps import create_salon, enter_salon, live, microphone_is, person_sheet, sign_in, sit
from story import story

VOICE = 220
SONG, LATER = 500, 800


def pair(people, **options):
    """Anna speaks on a seat, Ben listens."""
    anna = people("Anna", tone_hertz=VOICE, **options)
    room = create_salon(anna, "Effects")
    sit(anna, 0)
    live(anna)
    ben = people("Ben")
    enter_salon(ben, room)
    ben.hears_tone(VOICE)
    return anna, ben


def effects(person, part):
    person.click("effects")
    person.click(f"effects-{part}")


def put(person, where, value):
    """Moves a slider there, as a key press or a finger does."""
    person.run(
        "const e = document.querySelector(arguments[0]); e.value = arguments[1];"
        "for (const type of ['input', 'change']) e.dispatchEvent(new Event(type, {bubbles: true}));",
        person.selector(where), str(value))


def press(person, where):
    """Presses what lies over or under an edge of the sheet, or is a radio button within its label."""
    person.sees(where)
    person.run("document.querySelector(arguments[0]).click()", person.selector(where))


def add_song(person, path):
    person.driver.find_element("css selector", person.selector("music-file")).send_keys(str(path))
    person.sees('[data-testid="music-piece"][data-status="playing"]')


def until(what, check, seconds=20):
    """Looks again until it is so; each look lasts about as long as a sound needs."""
    deadline = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < deadline, f"waited {seconds} s for {what}"


def plays_tone(person, hertz, rms=LOUD):
    """What the person hears of the own sound desk."""
    def right():
        here = person.plays()
        return abs(here["hertz"] - hertz) < 8 and here["rms"] > rms
    until(f"{hertz} Hz in my ear", right)


def song(tmp_path):
    return music(tmp_path / "two parts.wav", (SONG, SONG, 60), (LATER, LATER, 60))


def gaps(person):
    """How loud the quiet moments are, as a share of the loud ones: near nothing for a voice in bursts, more with a tail."""
    levels = sorted(person.hears_closely()["levels"])
    return levels[len(levels) // 12] / levels[-len(levels) // 4]


@story("V15-W published music arrives at its pitch and level; for me alone it does not; it pauses, seeks, changes speed and pitch")
def test_music(people, tmp_path):
    anna, ben = pair(people)
    anna.click("microphone")
    microphone_is(anna, "mutedByMe")
    ben.hears_silence()

    effects(anna, "music")
    add_song(anna, song(tmp_path))
    assert anna.text("music-name") == "two parts"
    plays_tone(anna, SONG, 0.1)
    ben.hears_silence()

    # Muted: the music goes out, the voice does not.
    press(anna, "music-publish")
    ben.hears_tone(SONG)
    until("music at its level", lambda: abs(ben.hears_closely()["rms"] - 0.5 * 0.6 / 2**0.5) < 0.05)
    assert not any(abs(h["hertz"] - VOICE) < 20 for h in ben.hears()), "the muted voice is heard"
    put(anna, "music-publish-volume", 20)
    until("music at a third", lambda: abs(ben.hears_closely()["rms"] - 0.5 * 0.2 / 2**0.5) < 0.025)
    put(anna, "music-publish-volume", 60)

    put(anna, "music-position", 65_000)
    ben.hears_tone(LATER)
    put(anna, "music-speed", 1.5)
    ben.hears_tone(LATER)
    ratio = anna.run_async("""
        const [position, done] = arguments;
        const at = () => [performance.now(), Number(document.querySelector(position).value)];
        const before = at();
        setTimeout(() => { const after = at(); done((after[1] - before[1]) / (after[0] - before[0])); }, 4000);
        """, anna.selector("music-position"))
    assert 1.25 < ratio < 1.75, f"{ratio} times as fast"
    put(anna, "music-pitch", 7)
    ben.hears_tone(LATER * 2 ** (7 / 12))
    put(anna, "music-pitch", 0)
    put(anna, "music-to", 20_000)
    anna.sees('[data-testid="music-piece"][data-status="ended"]')
    put(anna, "music-to", 120_000)
    press(anna, "music-play")
    put(anna, "music-speed", 1)

    put(anna, "music-position", 1_000)
    ben.hears_tone(SONG)
    press(anna, "music-play")
    anna.sees('[data-testid="music-piece"][data-status="paused"]')
    ben.hears_silence()
    press(anna, "music-play")
    ben.hears_tone(SONG)

    # Near the end: it ends by itself, and the voice is as muted as it was.
    put(anna, "music-position", 119_500)
    anna.sees('[data-testid="music-piece"][data-status="ended"]')
    ben.hears_silence()
    anna.click("sheet-close")
    microphone_is(anna, "mutedByMe")
    anna.click("microphone")
    live(anna)
    ben.hears_tone(VOICE)


@story("V15-W two pieces of music and the voice are heard at once; a seat that the host mutes is silent altogether")
def test_several(people, tmp_path):
    host = people("Host")
    room = create_salon(host, "Effects")
    anna = people("Anna", tone_hertz=VOICE)
    enter_salon(anna, room)
    sit(anna, 1)
    host.hears_tone(VOICE)
    effects(anna, "music")
    for name, hertz in (("low", 1000), ("high", 1500)):
        add_song(anna, music(tmp_path / f"{name}.wav", (hertz, hertz, 90)))
        anna.sees("music-name", name)
    anna.run("document.querySelectorAll('[data-testid=music-publish]').forEach((e) => e.click())")
    wanted = {VOICE, 1000, 1500}
    found = set()
    for _ in range(12):
        found |= {hertz for hertz in wanted for h in spectrum(host) if abs(h - hertz) < 6}
        if found == wanted:
            break
    assert found == wanted, found
    person_sheet(host, 1)
    host.click("mute-seat")
    host.hears_silence()


# The frequencies of the loudest track that stand out: local peaks within 30 dB of the strongest.
SPECTRUM = """
const done = arguments[arguments.length - 1];
(async () => {
  const peer = window.__peers.filter((p) => p.connectionState === 'connected').pop();
  window.__ears = window.__ears || new AudioContext({sampleRate: 48000});
  await window.__ears.resume();
  const all = [];
  for (const {track} of peer.getReceivers()) {
    const source = window.__ears.createMediaStreamSource(new MediaStream([track]));
    const analyser = window.__ears.createAnalyser();
    analyser.fftSize = 16384;
    source.connect(analyser);
    all.push({source, analyser});
  }
  await new Promise((resolve) => setTimeout(resolve, 700));
  const peaks = [];
  for (const {source, analyser} of all) {
    const bins = new Float32Array(analyser.frequencyBinCount);
    analyser.getFloatFrequencyData(bins);
    const most = Math.max(...bins);
    for (let i = 2; i < bins.length - 1; i++)
      if (most > -70 && bins[i] > most - 30 && bins[i] >= bins[i - 1] && bins[i] > bins[i + 1]) peaks.push(i * 48000 / 16384);
    source.disconnect();
  }
  done(peaks);
})().catch((e) => done([]));
"""


def spectrum(person):
    return person.run_async(SPECTRUM)


@story("V15-W voice pitch and a voice change what the others hear, a room leaves a tail, and off is the plain voice again")
def test_voice(people):
    anna, ben = pair(people)
    plain = gaps(ben)
    assert plain < 0.1, f"the bursts of the fake microphone have no gaps: {plain}"
    effects(anna, "voice")
    put(anna, "effects-pitch", 12)
    ben.hears_tone(2 * VOICE)
    put(anna, "effects-pitch", -5)
    ben.hears_tone(VOICE * 2 ** (-5 / 12))
    put(anna, "effects-pitch", 0)
    press(anna, "changer-uncle")
    ben.hears_tone(VOICE * 0.75)
    press(anna, "changer-off")
    ben.hears_tone(VOICE)
    press(anna, "reverb-greatHall")
    until("a tail in the gaps", lambda: gaps(ben) > 3 * max(plain, 0.03))
    assert any(abs(h["hertz"] - VOICE) < 8 and h["rms"] > LOUD for h in ben.hears())
    press(anna, "effects-reset")
    assert anna.run("return document.querySelector('[data-testid=reverb-off]').checked")
    until("no tail", lambda: gaps(ben) < 0.1)
    ben.hears_tone(VOICE)


@story("V15-W the voices are chosen with the arrow keys, and each has its name")
def test_keyboard(people):
    anna = people("Anna")
    create_salon(anna, "Effects")
    effects(anna, "voice")
    chosen = "return document.activeElement.dataset.testid + ' ' + document.activeElement.checked"
    anna.run("document.querySelector('[data-testid=changer-off]').focus()")
    anna.keys(Keys.ARROW_RIGHT)
    assert anna.run(chosen) == "changer-naughtyKid true"
    anna.keys(Keys.TAB)
    assert anna.run(chosen) == "reverb-off true"
    anna.keys(Keys.ARROW_LEFT)
    assert anna.run(chosen) == "reverb-melodious true"
    names = anna.run("return [...document.querySelectorAll('fieldset')].map((e) => [e.querySelector('legend').textContent,"
                     "...[...e.querySelectorAll('input')].map((i) => i.labels[0].textContent.trim())])")
    assert [len(names[0]), len(names[1])] == [1 + 12, 1 + 11] and all(all(n) for n in names), names
    anna.keys(Keys.ESCAPE)
    anna.sees_no("effects-sheet")


@story("V15-W V13-W I hear myself only when I want to, in the green room too, where nobody else hears it; it leaves with the room")
def test_ear_monitor(people):
    anna, ben = pair(people)
    assert anna.plays()["rms"] < SILENT
    effects(anna, "voice")
    press(anna, "effects-ear")
    anna.sees("effects-ear-volume")
    put(anna, "effects-pitch", 12)
    plays_tone(anna, 2 * VOICE)
    assert ben.plays()["rms"] < SILENT
    put(anna, "effects-ear-volume", 0)
    until("silence in my ear", lambda: anna.plays()["rms"] < SILENT)
    ben.hears_tone(2 * VOICE)
    anna.click("sheet-close")

    cara = people("Cara", tone_hertz=VOICE)
    sign_in(cara)
    cara.click("room-card")
    cara.click("green-effects")
    press(cara, "changer-uncle")
    press(cara, "effects-ear")
    cara.sees("effects-ear-volume")
    plays_tone(cara, VOICE * 0.75)
    cara.click("sheet-close")
    cara.run("history.back()")
    cara.sees("lobby")
    until("silence in my ear", lambda: cara.plays()["rms"] < SILENT)


def two_sides(person):
    """Whether left and right carry different tones."""
    left, right = person.hears_closely()["hertz"]
    return abs(left - right) > 300


def sent(person):
    """What the sender's statistics say of the microphone's line, over two seconds."""
    return person.run_async("""
        const done = arguments[arguments.length - 1];
        (async () => {
          const peer = window.__peers.filter((p) => p.connectionState === 'connected').pop();
          const [sender] = peer.getSenders();
          const look = async () => {
            const report = await sender.getStats();
            const entry = [...report.values()].find((e) => e.type === 'outbound-rtp');
            return {...entry, fmtp: report.get(entry.codecId).sdpFmtpLine};
          };
          const before = await look();
          await new Promise((resolve) => setTimeout(resolve, 2000));
          const after = await look();
          const seconds = (after.timestamp - before.timestamp) / 1000;
          done({fmtp: after.fmtp, cap: sender.getParameters().encodings[0].maxBitrate,
            bitrate: 8 * (after.bytesSent - before.bytesSent) / seconds,
            packets: (after.packetsSent - before.packetsSent) / seconds});
        })().catch((e) => done({error: String(e && e.stack || e)}));
        """)


@story("V12-W speech, standard and music are capped, mono or stereo, with or without packets in silence, as the statistics of the sender say")
def test_quality(people, tmp_path):
    anna, ben = pair(people)
    effects(anna, "voice")
    put(anna, "effects-volume", 0)
    press(anna, "effects-music")
    # Two sides that differ, and restless enough to need the bits that there are.
    add_song(anna, music(tmp_path / "two sides.wav", *[(300 + 70 * (n % 7), 1500 + 110 * (n % 5), 0.2) for n in range(900)]))
    press(anna, "music-publish")
    found = {}
    for quality in ("speech", "default", "music"):
        press(anna, "effects-voice")
        press(anna, f"quality-{quality}")
        bitrate = {"speech": 16_000, "default": 50_000, "music": 128_000}[quality]
        anna.wait(f"the sender at {bitrate}", """
            const peer = window.__peers.filter((p) => p.connectionState === 'connected').pop();
            return peer && peer.getSenders()[0].getParameters().encodings[0].maxBitrate === arguments[0];
            """, bitrate)
        stereo = quality == "music"
        until(f"{quality} on both sides" if stereo else f"{quality} in the middle", lambda: two_sides(ben) == stereo)
        found[quality] = sent(anna)
    for quality, stereo, dtx in (("speech", 0, 1), ("default", 0, 1), ("music", 1, 0)):
        assert f"stereo={stereo}" in found[quality]["fmtp"] and f"usedtx={dtx}" in found[quality]["fmtp"], found
    # Opus varies its rate: two seconds may lie a quarter above the cap.
    rates = [found[quality]["bitrate"] for quality in ("speech", "default", "music")]
    assert rates[0] < 16_000 * 1.4 < rates[1] < 50_000 * 1.25 < rates[2] < 128_000 * 1.25, rates
    press(anna, "effects-music")
    press(anna, "music-remove")
    anna.click("sheet-close")
    # Silence: a few packets a second with DTX, all of them without.
    anna.click("microphone")
    microphone_is(anna, "mutedByMe")
    assert sent(anna)["packets"] > 40
    effects(anna, "voice")
    press(anna, "quality-speech")
    until("few packets", lambda: sent(anna)["packets"] < 20)


@story("V13-W my own volume and that of everybody are gains, and the chosen loudspeaker is the one that plays")
def test_volumes(people):
    anna, ben = pair(people)
    before = ben.hears_closely()["rms"]
    effects(anna, "voice")
    put(anna, "effects-volume", 50)
    until("half as loud", lambda: 0.35 < ben.hears_closely()["rms"] / before < 0.65)
    put(anna, "effects-volume", 0)
    ben.hears_silence()
    put(anna, "effects-volume", 100)
    ben.hears_tone(VOICE)

    ben.click("more")
    ben.click("more-settings")
    ben.sees("settings-sheet")
    put(ben, "setting-playout", 40)
    sounding = "return [...document.querySelectorAll('[data-testid=playout] audio')].filter((e) => e.srcObject)"
    ben.wait("everybody at 40 %", f"{sounding}.every((e) => Math.abs(e.volume - 0.4) < 0.01)")
    devices = ben.run("return [...document.querySelectorAll('[data-testid=speaker-select] option')].map((e) => e.value).filter(Boolean)")
    assert devices, "the browser has no choice of loudspeakers"
    ben.run("const e = document.querySelector('[data-testid=speaker-select]'); e.value = arguments[0];"
            "e.dispatchEvent(new Event('change', {bubbles: true}))", devices[-1])
    ben.wait("the chosen loudspeaker", f"{sounding}.every((e) => e.sinkId === arguments[0])", devices[-1])


@story("V15-W a song is played by its address, for the others to hear")
def test_address(people):
    anna, ben = pair(people)
    effects(anna, "voice")
    put(anna, "effects-volume", 0)
    ben.hears_silence()
    press(anna, "effects-music")
    anna.type("music-address", "/songs/harbour-lights/accompaniment.mp3")
    anna.click("music-add")
    anna.sees('[data-testid="music-piece"][data-status="playing"]')
    assert anna.text("music-name") == "accompaniment"
    press(anna, "music-publish")
    until("the song", lambda: ben.hears_closely()["rms"] > LOUD)


@story("V15-W music of a site that the operator named is heard by the others; of any other site the page says so and asks nothing")
def test_named_site(tmp_path):
    sound = tone(tmp_path / "song.wav", 550).read_bytes()
    with Site(sound) as named, Site(sound) as stranger, Site(b"", elsewhere=stranger.url + "/song.wav") as sends:
        with Server(tmp_path / "data", "--origins-music", named.url, "--origins-music", sends.url) as server:
            anna = Chromium("Anna", server, tmp_path / "anna")
            ben = Chromium("Ben", server, tmp_path / "ben")
            try:
                room = create_salon(anna, "Effects")
                sit(anna, 0)
                enter_salon(ben, room)
                effects(anna, "voice")
                put(anna, "effects-volume", 0)
                press(anna, "effects-music")
                anna.type("music-address", stranger.url + "/song.wav")
                anna.click("music-add")
                anna.sees(".problem", "plays no music from that site")
                anna.type("music-address", sends.url + "/song.wav")
                anna.click("music-add")
                anna.sees(".problem", "could not be read")
                assert (stranger.asked, sends.asked) == (0, 1), "the policy holds for where one is sent, too"
                anna.type("music-address", named.url + "/song.wav")
                anna.click("music-add")
                anna.sees('[data-testid="music-piece"][data-status="playing"]')
                press(anna, "music-publish")
                ben.hears_tone(550)
                assert not ben.complaints()
            finally:
                anna.close()
                ben.close()


@story("V15-W Firefox too: a voice an octave lower and music arrive at a Chromium")
def test_firefox(people, tmp_path):
    fox = people("Fox", browser="firefox")
    room = create_salon(fox, "Effects")
    sit(fox, 0)
    live(fox)
    ben = people("Ben")
    enter_salon(ben, room)
    ben.hears_tone(fox.TONE)
    effects(fox, "voice")
    put(fox, "effects-pitch", -12)
    ben.hears_tone(fox.TONE / 2)
    put(fox, "effects-volume", 0)
    ben.hears_silence()
    press(fox, "effects-music")
    fox.type("music-address", "/songs/harbour-lights/accompaniment.mp3")
    fox.click("music-add")
    fox.sees('[data-testid="music-piece"][data-status="playing"]')
    press(fox, "music-publish")
    until("the song", lambda: ben.hears_closely()["rms"] > LOUD)


@story("V15-W a file that is no sound, an address without a file and words that are no address are told in sentences")
def test_refusals(people, tmp_path):
    anna = people("Anna")
    create_salon(anna, "Effects")
    effects(anna, "music")
    text = tmp_path / "notes.mp3"
    text.write_text("no music")
    anna.driver.find_element("css selector", anna.selector("music-file")).send_keys(str(text))
    anna.sees(".problem", "cannot play this file")
    anna.type("music-address", f"{anna.server.url}/assets/none/song.mp3")
    anna.click("music-add")
    anna.sees(".problem", "no file at this address")
    anna.type("music-address", "javascript:alert(1)")
    anna.click("music-add")
    anna.sees(".problem", "not an address")
    anna.sees_no("music-piece")
