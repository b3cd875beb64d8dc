"""The core of the salon in a second engine."""

from browsers import Firefox
from songs import PLAY, TAKEN, library
from steps import create_salon, enter_salon, live, microphone_is, person_sheet, reads, say, shows, sit
from story import story

ALTO = 660


@story("V04-W V06-W V16-W D05-W Firefox and Chromium sit, hear each other and chat; a mute holds; both play every song that the server takes")
def test_firefox(people, server, tmp_path):
    anna = people("Anna", tone_hertz=ALTO)
    room = create_salon(anna)
    sit(anna, 0)
    fox = people("Fox", browser="firefox")
    enter_salon(fox, room)
    shows(fox, 0, "Anna")
    fox.hears_tone(ALTO)
    sit(fox, 1)
    live(fox)
    anna.hears_tone(Firefox.TONE)
    say(fox, "from Firefox")
    reads(anna, "from Firefox")
    person_sheet(anna, 1)
    anna.click("mute-seat")
    microphone_is(fox, "mutedByHost")
    anna.hears_silence()
    addresses, refusals = library(server, tmp_path)
    assert set(addresses) == TAKEN, (sorted(addresses), refusals)
    for name, refusal in refusals.items():
        assert refusal["name"] == "song_format" and "M4A with AAC" in refusal["message"], (name, refusal)
    for person in (anna, fox):
        for name, address in addresses.items():
            played = person.run_async(PLAY, address)
            assert isinstance(played, list), (person.name, name, played)
            seconds, loudest = played
            assert abs(seconds - 1) < 0.1 and abs(loudest - 0.5) < 0.1, (person.name, name, played)
