"""The core of the salon in a second engine."""

from browsers import Firefox
from steps import create_salon, enter_salon, live, microphone_is, person_sheet, reads, say, shows, sit
from story import story

ALTO = 660


@story("V04-W V06-W V16-W Firefox and Chromium sit, hear each other and chat; a mute holds")
def test_firefox(people):
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
