"""One person on several pages: a copied tab, another browser, and the way back."""

from steps import create_salon, enter_salon, go_in, open_salon, reads, say, shows, sign_in, sit
from story import story

KEPT = "return sessionStorage.getItem('ovation.identity')"


@story("A04-W a duplicated tab is nobody, and the first one does not notice")
def test_duplicated_tab(people):
    anna = people("Anna")
    sign_in(anna)
    anna.sees("lobby")
    first = anna.driver.current_window_handle
    # Without `noopener` a browser gives the new tab a copy of this one's sessionStorage, as "duplicate tab" does.
    anna.run("window.open(location.href); return true")
    anna.driver.switch_to.window(next(handle for handle in anna.driver.window_handles if handle != first))
    anna.sees("sign-in-name")
    assert anna.run(KEPT) is None, "the copy kept what it must not use"
    anna.type("sign-in-name", "Berta")
    anna.click("sign-in-submit")
    anna.sees("lobby")
    anna.driver.switch_to.window(first)
    anna.sees("lobby")
    assert '"name":"Anna"' in anna.run(KEPT)


@story("A04-W V17-W opened in another browser the older page says so, and takes the session and its seat back")
def test_opened_elsewhere(people):
    phone = people("Anna")
    room = create_salon(phone, "Wanderer")
    sit(phone, 1)
    laptop = people("Laptop")
    laptop.open()
    laptop.sees("sign-in-name")
    laptop.run("sessionStorage.setItem('ovation.identity', arguments[0])", phone.run(KEPT))
    laptop.open(f"/r/{room}")
    phone.sees('[data-kind="session_replaced"]', "signed in somewhere else")
    go_in(laptop)
    shows(laptop, 1, "Anna")

    phone.click("continue-here")
    go_in(phone)
    shows(phone, 1, "Anna")
    laptop.sees('[data-kind="session_replaced"]')
    say(phone, "here again")
    reads(phone, "here again")
    phone.sees_no('[data-kind="session_replaced"]')


@story("A04-W a new name is what others see, a name in use is refused, and signing out frees one's own")
def test_profile(people):
    anna, ben = people("Anna"), people("Ben")
    for person in (anna, ben):
        sign_in(person)
        person.sees("lobby")
    anna.click("open-profile")
    anna.type("profile-name", "Ben")
    anna.click("profile-save")
    anna.sees('[data-testid="profile-sheet"] .problem')
    anna.type("profile-name", "Anna Karenina")
    anna.click("profile-save")
    anna.sees_no("profile-save")
    anna.click('[data-testid="profile-sheet"] [data-testid="sheet-close"]')
    room = open_salon(anna, "Renamed")
    sit(anna, 0)
    chris = people("Chris")
    enter_salon(chris, room)
    shows(chris, 0, "Anna Karenina")

    ben.click("open-profile")
    ben.click("sign-out")
    ben.sees("sign-in-name")
    assert ben.run(KEPT) is None
    dora = people("Ben")
    sign_in(dora)
    dora.sees("lobby")
