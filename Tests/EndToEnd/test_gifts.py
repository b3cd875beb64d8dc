"""Gifts in the browser: the tray, paying, banners, who gave most."""

from legibility import DOUBLE, NORMAL, Reader
from steps import create_salon, enter_salon, sit, shows
from story import story
from test_dock import speaks


def draws(person, coins, times=1):
    """Opens the tray, and takes coins to try gifts with."""
    person.click("gifts")
    for _ in range(times):
        person.click("gift-faucet")
    holds(person, coins)


def holds(person, coins):
    person.wait(f"{coins} coins", "return document.querySelector('[data-testid=gift-coins]')?.textContent.trim().endsWith(arguments[0])", coins)


# Banners stand for seconds, and a slow machine looks later than that.
NOTE_BANNERS = """
window.banners = [];
new MutationObserver(() => {
  for (const banner of document.querySelectorAll('[data-testid=gift-banner]')) window.banners.push(banner.textContent.replace(/\\s+/g, ' '));
}).observe(document.body, { childList: true, subtree: true, characterData: true });
"""


def saw(person, *words):
    person.wait(f"a banner with {words}", "return window.banners.some(text => arguments[0].every(word => text.includes(word)))", list(words))


def has_line(person, *words):
    script = "return [...document.querySelectorAll('[data-testid=coins-line]')].some(line => arguments[0].every(word => line.textContent.includes(word)))"
    person.wait(f"a line with {words}", script, list(words))


@story("G02-W a gift is chosen, paid with coins and seen by everybody, with who sent it, how many in a row, who gave most, and what came and went")
def test_gift(people):
    anna, ben = people("Anna"), people("Ben")
    room = create_salon(anna)
    # A host alone has nobody to give to, and is told so where the gifts are.
    anna.click("gifts")
    anna.sees("gift-nobody")
    anna.click("gift-close")
    enter_salon(ben, room)
    draws(ben, "1,000")
    for person in (anna, ben):
        person.run(NOTE_BANNERS)
    ben.click("gift-rose")
    ben.sees("gift-send", "Send")
    ben.sees("gift-sum", "1 coin")
    # Nothing has been sent by choosing.
    assert anna.run("return window.banners") == []
    for _ in range(3):
        ben.click("gift-rose")
    holds(ben, "997")
    for person in (anna, ben):
        saw(person, "Ben", "Rose to Anna", "×3")
    anna.sees("chat-gift", "Ben sent Anna Rose ×3")
    anna.sees('[data-testid="chat-gift"] img')
    ben.click("gift-ranking")
    ben.sees("ranking-total", "3 coins")
    ben.sees("ranking-place", "Ben")
    ben.sees("ranking-own", "Your place: 1, with 3 coins")
    ben.sees("ranking-own", "Nobody gave more.")
    ben.click("sheet-close")
    # The host finds it in the menu.
    anna.click("more")
    anna.click("more-ranking")
    anna.sees("ranking-place", "Ben")
    # Whom gifts are for is not told to give.
    anna.sees_no("ranking-own")
    anna.click("sheet-close")
    # Who comes later is told.
    carol = people("Carol")
    enter_salon(carol, room)
    carol.click("more")
    carol.click("more-ranking")
    carol.sees("ranking-total", "3 coins")
    carol.sees("ranking-own", "You have not sent a gift here yet.")
    carol.sees("ranking-own", "4 coins to the next place")
    # It follows while it is open.
    ben.click("gift-rose")
    carol.sees("ranking-own", "5 coins to the next place")
    # Each coin that came or went stands in the statement, on both sides.
    ben.click("gift-coins")
    has_line(ben, "Coins added", "+1,000", "1,000 coins after it")
    has_line(ben, "Rose", "to Anna", "−", "996 coins after it")
    ben.sees("coins-wallet", "996")
    ben.click("sheet-close")
    anna.click("more")
    anna.click("more-coins")
    anna.sees("coins-none", "No coins have come or gone yet.")
    anna.click("coins-earnings")
    has_line(anna, "Rose", "from Ben", "+", "4 coins after it")
    anna.sees("coins-earnings", "4")
    anna.click("sheet-close")
    # Each reads the name that the operator gave it in their language: in the chat, on the banner, in the statement, in the tray.
    speaks(anna, "ko")
    anna.sees("chat-gift", "장미")
    ben.click("gift-rose")
    saw(anna, "장미")
    anna.click("more")
    anna.click("more-coins")
    anna.click("coins-earnings")
    has_line(anna, "장미")
    anna.click("sheet-close")
    carol.click("sheet-close")
    speaks(carol, "zh-Hans")
    carol.click("gifts")
    carol.sees("gift-rose", "玫瑰")
    # The end tells everybody what came together.
    anna.click("more")
    anna.click("more-end")
    anna.click("ask-yes")
    for person, coins in ((anna, "5"), (ben, "5 coins")):
        person.sees("end-gifts", coins)
        person.sees("end-supporter", "Ben")


@story("G02-W who has too few coins is told so and pays nothing; much is asked about once; a gift goes to whom one chooses; banners can be switched off")
def test_much(people):
    anna, ben, carol = people("Anna"), people("Ben"), people("Carol")
    room = create_salon(anna)
    for person in (ben, carol):
        enter_salon(person, room)
    sit(carol, 1)
    shows(ben, 1, "Carol")
    # Who wants to see no banners sees none; the chat tells of gifts all the same.
    carol.click("more")
    carol.click("more-settings")
    for person in (anna, carol):
        person.run(NOTE_BANNERS)
    carol.click("gifts-off")
    carol.click("sheet-close")
    ben.click("gifts")
    ben.click("gift-cake")
    ben.click("gift-cake")
    ben.sees("error-toast", "You have 0 coins and this costs 50. Choose a smaller gift.")
    holds(ben, "0")
    ben.click("gift-faucet")
    holds(ben, "1,000")
    ben.click("gift-rose")
    ben.type("gift-count-own", "700")
    ben.sees("gift-sum", "700 coins")
    ben.click("gift-count-1")
    ben.sees("gift-sum", "1 coin")
    ben.run("document.querySelector('.gift-people button:last-of-type').click()")
    ben.click("gift-crown")
    ben.click("gift-crown")
    ben.sees("gift-ask", "1,000 coins")
    ben.click("ask-no")
    holds(ben, "1,000")
    ben.click("gift-crown")
    ben.click("ask-yes")
    saw(anna, "Crown to Carol")
    carol.sees("chat-gift", "Ben sent Carol Crown ×1")
    assert carol.run("return window.banners") == []
    holds(ben, "0")


@story("G02-W the gifts' tray, its question and the ranking can be read at a phone's and a desktop's size, dark and light, and with large letters")
def test_gift_pages(people):
    anna, ben = people("Anna"), people("Ben")
    room = create_salon(anna)
    enter_salon(ben, room)
    draws(ben, "10K", times=10)
    ben.click("gift-crown")
    reader = Reader(ben)
    # Without a banner, which lies over the seats for some seconds.
    reader.look("the gifts' tray", letters=(NORMAL, DOUBLE))
    ben.click("gift-crown")
    reader.look("what is asked before much is sent", letters=(NORMAL, DOUBLE))
    ben.click("ask-yes")
    ben.click("gift-ranking")
    ben.sees("ranking-place")
    reader.look("who gave most", letters=(NORMAL, DOUBLE))
    ben.click("sheet-close")
    ben.click("gift-coins")
    has_line(ben, "Crown", "to Anna")
    # Money is told to the last coin.
    has_line(ben, "+1,000", "10,000 coins after it")
    reader.look("what came and went", letters=(NORMAL, DOUBLE))
    assert not reader.faint + reader.cut + reader.broken, "\n".join(reader.faint + reader.cut + reader.broken)
