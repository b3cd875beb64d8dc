"""One person on several pages: a copied tab, another browser, and the way back."""

from steps import create_salon, go_in, reads, say, shows, sign_in, sit
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
