"""Duets between people at real browsers: a song that begins everywhere at once, words in step, and a song that outlives what happens."""

import time

from browsers import PATIENCE
from client import Client, ticket
from far_way import FarWay
from sound import SILENT, music, tones
from steps import create_salon, enter_salon, go_in, shows, shows_empty, sit
from story import story

ALTO, BASS = 660, 220
SONG = "harbour-lights"
# Of one machine's two audio clocks against each other and the room; a corrected player stays far within it.
TOGETHER_MS = 25

# Writes down where each source of the page's audio clock stands, with the changes of its speed.
WATCH_SOURCES = """
(() => {
  window.__sources = [];
  const start = AudioBufferSourceNode.prototype.start;
  AudioBufferSourceNode.prototype.start = function (when = 0, offset = 0, ...rest) {
    const entry = { context: this.context, steps: [{ at: when, position: offset, rate: 1 }], ended: Infinity };
    window.__sources.push(entry);
    const rate = this.playbackRate, set = rate.setValueAtTime;
    rate.setValueAtTime = function (value, at) {
      const last = entry.steps.at(-1);
      entry.steps.push({ at, position: last.position + (at - last.at) * last.rate, rate: value });
      return set.call(rate, value, at);
    };
    const stop = this.stop;
    this.stop = function (at) { entry.ended = at ?? this.context.currentTime; return stop.call(this, at); };
    return start.call(this, when, offset, ...rest);
  };
})()
"""

# What is heard now: position of the song in ms, and the moment on the machine's wall clock.
HEARD = """
const now = performance.now();
for (const { context, steps, ended } of [...window.__sources].reverse()) {
  if (context.state !== 'running') continue;
  const told = context.getOutputTimestamp();
  const at = told.contextTime + (now - told.performanceTime) / 1000;
  if (ended < at) continue;
  const step = [...steps].reverse().find(step => step.at <= at);
  if (!step) continue;
  return { position: 1000 * (step.position + (at - step.at) * step.rate), time: performance.timeOrigin + now };
}
return null;
"""


def create_duet(person, name="Two voices"):
    """As `create_salon` does, of the other kind; the owner's page sits down by itself and asks for headphones."""
    watch(person)
    room = create_salon(person, name, kind="chorus")
    person.sees("duet")
    person.sees('[data-testid="seat-0"][data-me][data-state="used"]')
    person.click("headphones-yes")
    person.sees_no("headphones-sheet")
    return room


def watch(person):
    person.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH_SOURCES})


def join(person, room, seat=None):
    watch(person)
    enter_salon(person, room)
    person.sees("duet")
    if seat is not None:
        sit(person, seat)
        person.click("headphones-yes")
        person.sees_no("headphones-sheet")


def choose(person, song=SONG):
    person.click("choose-song")
    person.click(f'[data-testid="song"][data-song="{song}"]')
    person.sees("song-bar")


def playing(person):
    return person.wait("the song to sound", HEARD)


def gap(heard, play):
    """How far what is heard is from where the room has the song, in ms; positive: ahead."""
    return heard["position"] - (play["positionMs"] + heard["time"] - play["startAt"])


def settled(person, watcher, room):
    """The least distance from the room time within a few seconds: what the machine's load disturbs is made good."""
    deadline = time.monotonic() + 12
    while True:
        heard = playing(person)
        distance = gap(heard, watcher.call("room.enter", room=int(room))["snapshot"]["play"])
        if abs(distance) < TOGETHER_MS or time.monotonic() > deadline:
            return distance
        time.sleep(0.2)


@story("D01-W D02-W D08-W the owner is seated by itself, a song begins on both pages at the room's time, and goes on when one leaves")
def test_song(server, people):
    anna = people("Anna", tone_hertz=ALTO)
    room = create_duet(anna)
    ben = people("Ben", tone_hertz=BASS)
    join(ben, room, seat=1)
    shows(anna, 1, "Ben")
    watcher = Client(server, ticket(server, "Watcher"))
    watcher.call("room.enter", room=int(room))
    anna.hears_tone(BASS)
    ben.hears_tone(ALTO)

    choose(anna)
    ben.sees("song-title", "Harbour Lights")
    for person in (anna, ben):
        assert abs(settled(person, watcher, room)) < TOGETHER_MS
    # Both at one moment, however long the driver took between the two.
    first, second = playing(anna), playing(ben)
    apart = (second["position"] - first["position"]) - (second["time"] - first["time"])
    assert abs(apart) < TOGETHER_MS, f"the two are {apart:.1f} ms apart"

    ben.click("song-pause")
    anna.sees('[data-testid="song-bar"][data-paused="true"]')
    anna.wait("silence", f"return (() => {{ {HEARD} }})() === null")
    ben.click("song-pause")
    assert abs(settled(anna, watcher, room)) < TOGETHER_MS
    anna.click("track-original")
    ben.sees('[data-testid="song-bar"][data-track="original"]')
    assert abs(settled(ben, watcher, room)) < TOGETHER_MS

    ben.click("stand-button")
    shows_empty(anna, 1)
    assert abs(settled(anna, watcher, room)) < TOGETHER_MS
    ben.sees("song-progress")
    ben.sees_no("song-pause")
    anna.click("song-stop")
    ben.sees("no-song")


# How many packets the page was asked to send again.
ASKED = """
const done = arguments[arguments.length - 1];
(async () => {
  const peer = window.__peers.filter((p) => p.connectionState === 'connected').pop();
  done([...(await peer.getStats()).values()].filter((e) => e.type === 'outbound-rtp').reduce((sum, e) => sum + e.nackCount, 0));
})().catch((e) => done(String(e && e.stack || e)));
"""
# As browsers number it (RFC 2198).
RED = 63


@story("D01-W singers near each other send each sound with a copy of the one before: what a line loses comes with the next packet, and nothing is asked for again")
def test_copies(server, people):
    anna, ben = people("Anna", tone_hertz=ALTO), people("Ben", tone_hertz=BASS)
    way = FarWay(server.media_port, 0, lose_every=9)
    way.reroute(anna)
    room = create_duet(anna)
    join(ben, room, seat=1)
    shows(anna, 1, "Ben")
    eve = people("Eve")
    join(eve, room)
    anna.hears_tone(BASS)
    ben.hears_tone(ALTO)
    eve.hears_together(ALTO, BASS)
    # From here on all packets carry copies: whatever was asked for before, nothing more is.
    sent, came, lost = way.types["out"].copy(), way.types["in"].copy(), way.lost["out"]
    asked = anna.run_async(ASKED)
    while way.lost["out"] < lost + 30:
        time.sleep(0.2)
    assert set(way.types["out"] - sent) == {RED}, way.types["out"] - sent
    assert set(way.types["in"] - came) == {RED}, way.types["in"] - came
    assert anna.run_async(ASKED) == asked
    ben.hears_tone(ALTO)
    way.close()


@story("D05-W the word that is sung is lit at its time, for a singer and a listener")
def test_words(server, people):
    anna = people("Anna")
    room = create_duet(anna)
    eve = people("Eve")
    join(eve, room)
    choose(anna)
    anna.sees("song-bar")
    for person, word in ((anna, "evening"), (eve, "leaves")):
        # The word's own time stands in the lyrics; what is heard is asked in the same breath as what is lit.
        lit = person.wait(f"“{word}” to be lit", """
            const now = document.querySelector('[data-testid=word][data-state=now]');
            if (!now || now.textContent.trim() !== arguments[0]) return null;
            return document.querySelector('[data-testid=song-position]').textContent;""", word)
        assert lit in ("0:06", "0:07", "0:08"), lit
    play = Client(server, ticket(server, "Watcher")).call("room.enter", room=int(room))["snapshot"]["play"]
    # A later word, against the clock: <00:15.00>wall.
    lit = anna.wait("“wall” to be lit", """
        const now = document.querySelector('[data-testid=word][data-state=now]');
        return now && now.textContent.trim() === 'wall' && performance.timeOrigin + performance.now();""")
    at = play["positionMs"] + lit - play["startAt"]
    assert 14_950 < at < 15_700, f"“wall” is sung at 15,000 ms and was lit at {at:.0f}"


@story("D04-W a listener hears one mix of both voices and the song and plays nothing of their own; a singer hears the other alone and plays the song")
def test_mix(people):
    anna, ben = people("Anna", tone_hertz=ALTO), people("Ben", tone_hertz=BASS)
    room = create_duet(anna)
    join(ben, room, seat=1)
    eve = people("Eve")
    join(eve, room)
    # Their bursts may fall on one another, and then one of them is never the loudest.
    eve.hears_together(ALTO, BASS)
    assert sum(heard["rms"] > SILENT for heard in eve.hears()) == 1, "more than one line sounds"
    choose(anna)
    eve.sees('[data-testid="word"][data-state="now"]', "evening")
    assert eve.run(HEARD) is None, "the song is heard twice"
    anna.click("microphone")
    ben.click("microphone")
    # Both are silent: what is still heard is the song.
    deadline = time.monotonic() + PATIENCE
    while any(abs(tone - voice) < 8 for tone in tones(eve.hears()) for voice in (ALTO, BASS)):
        assert time.monotonic() < deadline, "a muted voice is in the mix"
    assert any(heard["rms"] > SILENT for heard in eve.hears()), "the song is not in the mix"
    assert ben.run(HEARD), "a singer plays the song"
    ben.click("stand-button")
    ben.wait("the mix instead of the own player", f"return (() => {{ {HEARD} }})() === null")


def sees_way(person, seat, qualities):
    """The room says so of a singer's way, 1…6, and this person's page shows it. What is known of it grows with each report."""
    person.wait(f"the way of seat {seat} to be one of {qualities}", f"""
        return {qualities}.includes(Number(document.querySelector('[data-testid=signal-{seat}]')?.dataset.quality));""")


@story("D07-W singers who are far apart are told by the room, see each other's quality, and agree that one leads: the leader hears nobody, the follower hears the song later")
def test_far_apart(server, people):
    anna, ben = people("Anna", tone_hertz=ALTO), people("Ben", tone_hertz=BASS)
    way = FarWay(server.media_port, 0.09)
    way.reroute(anna)
    room = create_duet(anna)
    join(ben, room, seat=1)
    choose(anna)
    watcher = Client(server, ticket(server, "Watcher"))
    watcher.call("room.enter", room=int(room))
    for person in (anna, ben):
        person.sees('[data-testid="apart"][data-word="far"]', "ms apart")
        person.sees("too-far", "too far")
        sees_way(person, 0, [3, 4, 5])  # 180 ms there and back
        sees_way(person, 1, [1, 2])  # beside the server
    anna.click("lead-offer")
    anna.sees('[data-testid="apart-sheet"] [data-testid="way"]', "Ben")
    anna.click("lead-follow")
    anna.click('[data-testid="apart-sheet"] [data-testid="sheet-close"]')
    # One has asked, both do it.
    anna.sees("leading", "You lead")
    ben.sees("leading", "You follow")
    muted = "return document.querySelector('[data-testid=playout] audio[data-seat=\"{}\"]').muted"
    anna.wait("the follower to be silent", muted.format(1))
    assert not ben.run(muted.format(0)), "the follower hears the leader"
    assert abs(settled(anna, watcher, room)) < TOGETHER_MS
    play = watcher.call("room.enter", room=int(room))["snapshot"]["play"]
    deadline = time.monotonic() + PATIENCE
    while gap(playing(ben), play) > -90 and time.monotonic() < deadline:
        time.sleep(0.2)
    assert gap(playing(ben), play) < -90, "the follower does not hear the song later"
    # Who comes later finds it agreed; the other one may end it.
    assert watcher.call("room.enter", room=int(room))["snapshot"]["duet"]["mode"] == "leadFollow"
    ben.click("lead-end")
    anna.sees_no("leading")
    assert abs(settled(ben, watcher, room)) < TOGETHER_MS
    anna.wait("the other voice to be back", "return !" + muted.format(1).removeprefix("return "))
    way.close()


@story("D05-W a song that a singer brings is listed, sung and removed again; a file that is no song is refused with a reason")
def test_bringing(people, tmp_path):
    anna = people("Anna")
    create_duet(anna)
    wrong = tmp_path / "notes.wav"
    wrong.write_text("no sound")
    tune = music(tmp_path / "A tune.wav", (440, 550, 6))
    words = tmp_path / "words.lrc"
    words.write_text("[00:00.20]<00:00.20>one <00:02.00>two <00:04.00>three<00:05.50>", encoding="utf-8")
    anna.click("choose-song")
    anna.click("upload-song")
    give(anna, "upload-audio", wrong)
    anna.click("upload-send")
    anna.sees("problem", "Use MP3")
    give(anna, "upload-audio", tune)
    give(anna, "upload-lyrics", words)
    anna.type("upload-title", "A tune")
    anna.click("upload-send")
    anna.sees_no("upload-sheet")
    anna.sees('[data-testid="song"]', "A tune")
    anna.wait("the choice of the tune", """
        const row = [...document.querySelectorAll('[data-testid=song]')].find(e => e.textContent.includes('A tune'));
        row?.click(); return !!row;""")
    anna.sees("song-title", "A tune")
    anna.sees('[data-testid="word"][data-state="now"]', "two")
    assert playing(anna)["position"] > 1_500
    # Sung to its end, the room is ready for the next.
    anna.sees("no-song")
    anna.click("choose-song")
    anna.click("remove-song")
    anna.sees_no("remove-song")


def give(person, field, path):
    person.driver.find_element("css selector", person.selector(field)).send_keys(str(path))


@story("D02-W D07-W a page loaded anew in the middle of a song asks nothing that its singer has answered, and is right again, as is one whose server was killed")
def test_comes_back(server, people):
    anna = people("Anna")
    room = create_duet(anna)
    choose(anna)
    watcher = Client(server, ticket(server, "Watcher"))
    watcher.call("room.enter", room=int(room))
    assert abs(settled(anna, watcher, room)) < TOGETHER_MS
    anna.driver.refresh()
    go_in(anna)
    anna.sees("song-bar")
    assert abs(settled(anna, watcher, room)) < TOGETHER_MS
    anna.sees_no("headphones-sheet")
    # Another answer is a press away.
    anna.click("more")
    anna.click("more-headphones")
    anna.click("headphones-yes")
    anna.sees_no("headphones-sheet")

    server.kill()
    server.start()
    again = Client(server, ticket(server, "Second watcher"))
    again.call("room.enter", room=int(room))
    anna.wait("the song after the server's death", HEARD)
    assert abs(settled(anna, again, room)) < TOGETHER_MS
    anna.sees("song-bar")
