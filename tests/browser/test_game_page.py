"""The pages of `ursuppe web`, with a real server: played by clicking, by keyboard and by two people; analysed."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import NARROW, WIDE, Open, check_looks, texts, until
from playwright.sync_api import Page, expect

from support.web import PERSON, RANDOM, SHORT, Server

LINKED = PERSON | {"link": True}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("games"))
    yield server
    server.kill()


def begin(server: Server, **form: Any) -> str:
    """The address of a new game."""
    return f"{server.address}/games/{server.ask('/api/games', form)['id']}"


def state(page: Page) -> str:
    return page.locator("body").get_attribute("data-state")


def at_rest(page: Page) -> str:
    """Wait until a person is asked, or the game is over."""
    until(page, lambda: state(page) in ("asked", "over"), seconds=60)
    return state(page)


def at_once(page: Page) -> None:
    """Show nothing step by step."""
    page.get_by_label("Show it").select_option("0")


def version(page: Page) -> str:
    return page.locator("body").get_attribute("data-version")


def choose_first(page: Page) -> None:
    """Take the first action of the list, and wait until the page shows what has come of it."""
    before = version(page)
    page.locator("#choices button").first.click()
    until(page, lambda: version(page) != before)


def look_at_the_decision(page: Page) -> None:
    """Let it be analysed, until there is a line for each action."""
    page.get_by_role("button", name="This decision").click()
    until(page, lambda: page.locator(".decision tbody tr").count() > 1, seconds=120)


def choices_of(page: Page) -> list[str]:
    return texts(page, "#choices button")


def amoebas(page: Page) -> list[str]:
    """Where the picture has them."""
    return page.evaluate(
        """() => [...document.querySelectorAll("#board [data-amoeba]")].map((one) =>
        `${one.dataset.amoeba} in ${one.closest("[data-space]").dataset.space}`)"""
    )


def test_one_click_begins_a_game_against_three_agents(open_page: Open, server: Server):
    page = open_page(server.link)
    page.get_by_role("button", name="Play against three agents").click()
    page.wait_for_url("**/games/*")
    at_once(page)
    assert at_rest(page) == "asked"
    assert page.locator("#choices button").count() >= 2
    assert page.locator("#seats li").count() == 4


def test_a_field_that_is_wrong_is_shown_though_it_is_folded_away(open_page: Open, server: Server):
    page = open_page(server.link)
    fold = page.get_by_text("Players, rules, seed, position")
    fold.click()
    page.get_by_label("Seed").fill("-1")
    fold.click()
    page.get_by_role("button", name="Play against three agents").click()
    expect(page.get_by_label("Seed")).to_be_focused()


def test_agents_that_are_stopped_do_not_think(open_page: Open, server: Server):
    address = begin(server, players=3, seed=2, seats=[RANDOM] * 3)
    server.ask(f"/api/games/{address.rpartition('/')[2]}/pace", {"seconds": None})
    expect(open_page(address).locator("#now")).to_contain_text("is to decide")


def test_nothing_can_be_clicked_before_the_first_page_listens(open_page: Open, server: Server):
    page = open_page(server.link)
    asked = []
    page.route("**/api/offers", lambda route: asked.append(route))  # a built-in is no handler for Playwright
    page.reload()
    until(page, lambda: bool(asked))
    for name in ("Play against three agents", "Look at it"):
        expect(page.get_by_role("button", name=name)).to_be_disabled()
    asked[0].continue_()
    page.get_by_role("button", name="Play against three agents").click()
    page.wait_for_url("**/games/*")


def test_a_whole_game_by_clicking_on_the_board(open_page: Open, server: Server):
    page = open_page(begin(server, players=3, seed=5, seats=[PERSON, RANDOM, RANDOM], **SHORT))
    at_once(page)
    on_board = 0
    for _ in range(60):
        if at_rest(page) == "over":
            break
        before = version(page)
        marks = page.locator("#board .mark:not([data-actions*='|'])")
        if marks.count():
            marks.first.locator(".area").first.dispatch_event("click")
            on_board += 1
        else:
            page.locator("#choices button").first.click()
        until(page, lambda v=before: version(page) != v)
    assert state(page) == "over"
    assert on_board >= 3
    expect(page.locator("#now")).to_contain_text("has the furthest marker")


def test_by_keyboard_alone_with_numbers_and_tab(open_page: Open, server: Server):
    page = open_page(begin(server, players=3, seed=6, seats=[PERSON, RANDOM, RANDOM], **SHORT))
    page.keyboard.press("Tab")
    at_once(page)
    for turn in range(80):
        if at_rest(page) == "over":
            break
        before = version(page)
        if turn % 2 and page.locator("#choices button").count() < 10:
            page.keyboard.press("2")
        else:
            for _ in range(60):
                page.keyboard.press("Tab")
                if page.evaluate("document.activeElement.closest('#choices') !== null"):
                    break
            assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
            page.keyboard.press("Enter")
        until(page, lambda v=before: version(page) != v)
    assert state(page) == "over"


def test_undo_and_redo(open_page: Open, server: Server):
    page = open_page(begin(server, players=3, seed=2, seats=[PERSON] * 3))
    at_once(page)
    at_rest(page)
    undo, redo = page.get_by_role("button", name="Undo"), page.get_by_role("button", name="Redo")
    for _ in range(20):
        choices = choices_of(page)
        choose_first(page)
        at_rest(page)
        if undo.is_enabled():
            break
    after = choices_of(page)
    undo.click()
    until(page, lambda: choices_of(page) == choices)
    redo.click()
    until(page, lambda: choices_of(page) == after)


def test_reload_a_second_tab_and_a_killed_server(open_page: Open, tmp_path: Path):
    server = Server(tmp_path)
    port = server.address.rpartition(":")[2]
    try:
        address = begin(server, players=3, seed=8, seats=[PERSON, RANDOM, RANDOM])
        page = open_page(address, forgiven="net::ERR_")  # what browsers say of a server that is gone
        at_once(page)
        for _ in range(5):
            assert at_rest(page) == "asked"
            choose_first(page)
        at_rest(page)
        choices, shown = choices_of(page), amoebas(page)
        assert shown
        page.reload()
        at_rest(page)
        assert choices_of(page) == choices
        second = page.context.new_page()
        second.goto(address)
        at_rest(second)
        assert amoebas(second) == shown
        second.close()
    finally:
        server.kill()
    expect(page.locator("#lost")).to_be_visible(timeout=30_000)
    again = Server(tmp_path, "--port", port)
    try:
        until(page, lambda: page.locator("#lost").is_hidden(), seconds=60)  # it has found the server again
        at_rest(page)
        assert choices_of(page) == choices
        assert amoebas(page) == shown
        choose_first(page)
    finally:
        again.kill()


def test_news_of_what_has_not_changed_leave_the_page_alone(open_page: Open, server: Server):
    address = begin(server, players=3, seed=2, seats=[PERSON] * 3)
    page = open_page(address)
    at_rest(page)
    page.locator("#choices button").first.focus()
    page.evaluate("document.activeElement.wasThere = true")
    with page.expect_response(lambda answer: answer.url.endswith(address.rpartition("/")[2])):
        server.ask(f"/api/games/{address.rpartition('/')[2]}/pace", {"seconds": 1})
    page.wait_for_timeout(200)
    assert page.evaluate("document.activeElement.wasThere"), "the action that had the focus has been drawn anew"


def test_on_a_phone_the_page_stays_at_the_board(open_page: Open, server: Server):
    page = open_page(begin(server, players=3, seed=2, seats=[PERSON, RANDOM, RANDOM]), NARROW)
    at_rest(page)
    assert page.evaluate("scrollY") == 0
    for _ in range(3):  # shown step by step, with more lines than the list has room for
        before = version(page)
        page.evaluate("document.querySelector('#choices button').click()")  # Playwright's own click scrolls
        until(page, lambda v=before: version(page) != v)
        at_rest(page)
        assert page.evaluate("scrollY") == 0
    page.locator("#news button").last.scroll_into_view_if_needed()
    line, room = (page.locator(at).bounding_box() for at in ("#news [aria-current=true]", "#news"))
    assert room["y"] <= line["y"] + 1
    assert line["y"] + line["height"] <= room["y"] + room["height"] + 1


def test_while_it_is_shown_how_others_play_nothing_of_the_last_decision_is_left(open_page: Open, server: Server):
    page = open_page(begin(server, players=3, seed=2, seats=[PERSON, RANDOM, RANDOM]))
    page.get_by_label("Show it").select_option("1.5")
    until(page, lambda: state(page) in ("asked", "showing"))
    if state(page) == "showing":
        page.get_by_role("button", name="Skip").click()
    at_rest(page)
    for _ in range(10):  # until others play, too
        page.get_by_role("button", name="Hint").click()
        until(page, lambda: page.locator("#choices .meant").count() == 1, seconds=120)
        before = version(page)
        page.locator("#choices button").first.click()
        until(page, lambda v=before: state(page) == "showing" or version(page) != v)
        if state(page) == "showing":
            break
        at_rest(page)
    assert choices_of(page) == []
    assert texts(page, "#choices-title, #hinted, #facts") == ["", "Nothing to decide now", ""]


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["narrow", "wide"])
def test_a_gene_is_explained_by_a_tap_anywhere_in_its_row(open_page: Open, server: Server, size: tuple[int, int]):
    page = open_page(begin(server, players=3, seed=2, seats=[PERSON, RANDOM, RANDOM]), size, has_touch=True)
    at_rest(page)
    row = page.locator(".gene[data-gene='movement_1'] .row")
    row.scroll_into_view_if_needed()
    box = row.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
    expect(page.locator("#tip")).to_contain_text("Movement I: two dice for a step")
    expect(page.locator("#tip")).to_be_in_viewport()


def test_the_list_of_games_names_who_plays_when_and_who_has_won(open_page: Open, server: Server):
    anna = PERSON | {"name": "Anna"}
    address = begin(server, players=3, seed=4, seats=[anna, RANDOM, RANDOM])
    over = begin(server, players=3, seed=5, seats=[RANDOM | {"agent": "grow"}, RANDOM, RANDOM], **SHORT)
    page = open_page(over)
    at_rest(page)
    page.goto(server.address)
    line = page.locator(f".games li:has([href$='{address.rpartition('/')[2]}'])")
    expect(line).to_contain_text("Anna is asked")
    expect(line).to_contain_text("Random 1")
    expect(line).to_contain_text(time.strftime("%Y"))
    ranks = server.ask(f"/api/games/{over.rpartition('/')[2]}")["ranks"]
    places = " – ".join(str(one["place"]) for one in sorted(ranks, key=lambda one: one["player"]))
    expect(page.locator(f".games li:has([href$='{over.rpartition('/')[2]}'])")).to_contain_text(f"won, places {places}")


def test_a_duel_is_begun_played_with_two_colours_and_analysed(open_page: Open, server: Server):
    page = open_page(server.link)
    page.get_by_text("Players, rules, seed, position").click()
    page.get_by_label("Teams").select_option("duel")
    expect(page.locator("#seats .seat-form")).to_have_count(2)
    page.locator("#begin").click()
    page.wait_for_url("**/games/*")
    at_once(page)
    decided = set()
    for _ in range(4):
        assert at_rest(page) == "asked"
        decided.add(page.locator("#now .player-sign").text_content())
        expect(page.locator("#now")).to_contain_text("You decide")
        choose_first(page)
    assert decided == {"0", "2"}
    expect(page.locator("#seats").get_by_text("plays with")).to_have_count(4)
    at_rest(page)
    expect(page.get_by_label("Whose judgement")).to_be_hidden()
    look_at_the_decision(page)
    page.get_by_role("button", name="All decisions so far").click()
    until(page, lambda: page.locator(".chances .line [stroke-dasharray]").count() == 4, seconds=120)


def test_a_link_is_copied_and_withdrawn(open_page: Open, server: Server):
    page = open_page(
        begin(server, players=3, seed=4, seats=[LINKED | {"name": "Anna"}, RANDOM, RANDOM]),
        permissions=["clipboard-read", "clipboard-write"],
    )
    field = page.locator(".link input")
    first = field.input_value()
    expect(page.get_by_text("No other machine can open this link")).to_be_visible()
    page.get_by_role("button", name="Copy the link of Anna").click()
    until(page, lambda: page.evaluate("navigator.clipboard.readText()") == first)
    page.get_by_role("button", name="Withdraw the link of Anna").click()
    until(page, lambda: field.input_value() != first)
    expect(page.locator("#seats .name").first).to_be_visible()
    assert "Anna" in texts(page, "#seats .name")


def test_two_people_with_two_links(open_page: Open, server: Server):
    address = begin(server, players=3, seed=4, seats=[LINKED, LINKED, RANDOM], **SHORT)
    owner = open_page(address)
    until(owner, lambda: owner.locator(".link input").count() == 2)
    links = {
        int(link.partition("seat=")[2][0]): link
        for link in (f.input_value() for f in owner.locator(".link input").all())
    }
    people = {seat: open_page(link) for seat, link in links.items()}
    for page in people.values():
        at_once(page)
    turns = dict.fromkeys(people, 0)
    for _ in range(80):
        until(owner, lambda: any(state(page) == "asked" for page in people.values()) or state(owner) == "over", 60)
        if state(owner) == "over":
            break
        seat = next((seat for seat, page in people.items() if state(page) == "asked"), None)
        if seat is None:
            continue
        page = people[seat]
        choose_first(page)
        turns[seat] += 1
    assert all(count >= 2 for count in turns.values())
    for page in people.values():
        until(page, lambda p=page: state(p) == "over")


def test_the_decision_at_hand_is_analysed_and_visits_grow(open_page: Open, server: Server):
    page = open_page(begin(server, players=4, seed=5, seats=[PERSON, RANDOM, RANDOM, RANDOM]))
    at_once(page)
    at_rest(page)
    page.get_by_role("button", name="This decision").click()
    rows = page.locator(".decision tbody tr")
    until(page, lambda: rows.count() == page.locator("#choices button").count(), seconds=60)

    def visits() -> int:
        return sum(int(text.replace(",", "")) for text in texts(page, ".decision td:last-child"))

    first = visits()
    until(page, lambda: visits() > first)
    page.locator("#choices button").first.click()
    at_rest(page)
    until(page, lambda: rows.count() == page.locator("#choices button").count(), seconds=60)
    page.get_by_role("button", name="This decision").click()


def test_a_game_is_judged_a_click_on_its_chances_goes_there_and_it_is_replayed(open_page: Open, server: Server):
    page = open_page(begin(server, players=4, seed=5, seats=[RANDOM] * 4, **SHORT))
    at_once(page)
    assert at_rest(page) == "over"
    page.get_by_role("button", name="All decisions so far").click()
    until(page, lambda: page.locator(".mistakes").count() == 1, seconds=60)
    told = page.locator("#analysis > .faint")
    until(page, lambda: told.inner_text().endswith("are judged") and " of " not in told.inner_text(), seconds=60)
    chances = page.locator(".chances svg")
    chances.click(position={"x": 60, "y": 100})
    until(page, lambda: state(page) == "past")
    until(page, lambda: page.locator(".decision tr.taken").count() == 1)
    page.get_by_role("button", name="Back to the game").click()
    assert at_rest(page) == "over"
    page.get_by_role("link", name="Replay").click()
    expect(page.get_by_label("Moment")).to_be_visible(timeout=60_000)
    page.keyboard.press("End")
    expect(page.locator(".now")).to_contain_text("game over")


def test_the_editor_says_what_is_impossible_where_it_is_and_begins_a_game(open_page: Open, server: Server):
    page = open_page(f"{server.address}/editor")
    in_space = page.locator("#board [data-space='9'] .amoeba")
    expect(page.locator("#board svg")).to_be_visible()
    assert in_space.count() == 0
    page.get_by_label("in space").select_option("9")
    page.get_by_role("button", name="Do it there").click()
    expect(in_space).to_have_count(1)
    page.locator("#board [data-space='9'] > rect").first.click(position={"x": 10, "y": 95})
    expect(in_space).to_have_count(2)
    play = page.get_by_role("button", name="Play from here")
    expect(play).to_be_enabled()
    page.locator("#markers input").first.fill("99999")
    page.locator("#markers input").first.press("Tab")
    expect(page.locator("[data-place='markers']")).to_contain_text("marker")
    expect(play).to_be_disabled()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("[data-place='markers']")).to_be_hidden()
    letters = len(page.locator("#board").inner_text())
    page.get_by_text("All of it as JSON").click()
    page.locator("#json").fill('{"decision": "buy", "player": 9}')
    page.get_by_role("button", name="Use this").click()
    expect(page.locator("p[data-place='decision']")).to_contain_text("player is 9")
    assert len(page.locator("#board").inner_text()) == letters  # what is said wipes nothing out of the picture
    page.locator("#json").fill('{"players": 7}')
    page.get_by_role("button", name="Use this").click()
    expect(page.locator("p[role='alert']:visible")).to_contain_text("players is 7")
    for _ in range(2):
        page.get_by_role("button", name="Undo").click()
    expect(play).to_be_enabled()
    play.click()
    expect(page.locator("#position-told")).to_have_text("the position of the editor", timeout=20_000)
    page.locator("#begin").click()
    page.wait_for_url("**/games/*")
    at_once(page)
    until(page, lambda: page.locator("#board [data-space='9'] .amoeba").count() == 2)
    at_rest(page)
    look_at_the_decision(page)


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["narrow", "wide"])
@pytest.mark.parametrize("which", ["home", "game", "editor", "replay"])
def test_pages_fit_and_axe_finds_nothing_serious(
    open_page: Open, server: Server, which: str, size: tuple[int, int], request: pytest.FixtureRequest
):
    game = begin(server, players=4, seed=5, seats=[PERSON, RANDOM, RANDOM, RANDOM])
    number = game.rpartition("/")[2]
    editor = f"{server.address}/editor?game={number}"
    address = {"home": server.address, "game": game, "editor": editor, "replay": f"{game}/replay"}[which]
    if which != "home":
        server.until_asked(number)
    page = open_page(address, size)
    if which == "game":
        at_rest(page)
        look_at_the_decision(page)
        page.get_by_role("button", name="This decision").click()
    elif which != "home":
        expect(page.locator(".board svg").first).to_be_visible(timeout=60_000)
    page.wait_for_load_state("networkidle") if which == "home" else page.wait_for_timeout(300)
    check_looks(page, request)
