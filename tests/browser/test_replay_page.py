"""The page of `ursuppe replay --html`, opened from the file system."""

from pathlib import Path

import pytest
from conftest import NARROW, WIDE, Open, check_looks, fits, number, until
from playwright.sync_api import Page, expect

from ursuppe_env import Ruleset
from ursuppe_env.cli import run
from ursuppe_env.records import Record, record_games, write_records
from ursuppe_env.records.film import Frame, frames

from support.pages import STRANGER

ROUNDS = Ruleset(players=4, environment=[("west", 9), ("none", 14), ("south", 8)])


@pytest.fixture(scope="module")
def record() -> Record:
    return next(record_games(1, ROUNDS, seed=7, agents=["first", STRANGER, "third", "fourth"]))


@pytest.fixture(scope="module")
def film(record: Record) -> list[Frame]:
    return list(frames(record))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory, record: Record) -> Path:
    folder = tmp_path_factory.mktemp("replay")
    write_records(folder / "games.jsonl", [record])
    assert run(["replay", str(folder / "games.jsonl"), "--html", str(folder / "game.html")]) == 0
    return folder / "game.html"


def shown(page: Page) -> dict[str, list[str]]:
    """What the picture says of the spaces: the amoebas of each, but for one that is still to be chosen."""
    return page.evaluate(
        """() => {
            const shown = "[data-amoeba]:not([data-amoeba$='?'])";
            const names = (space) => [...space.querySelectorAll(shown)].map((amoeba) => amoeba.dataset.amoeba);
            const spaces = [...document.querySelectorAll(".board .space")];
            return Object.fromEntries(spaces.map((space) => [space.dataset.space, names(space)]));
        }"""
    )


def amoebas(frame: Frame) -> dict[str, list[str]]:
    """The same by the game."""
    places = frame.games.state["amoeba_space"][0]
    return {
        str(space + 1): [f"{player}.{n + 1}" for player in range(4) for n in range(7) if places[player, n] == space]
        for space in range(19)
    }


def test_it_shows_every_position(open_page: Open, file: Path, film: list[Frame]):
    page = open_page(file)
    expect(page).to_have_title("games.jsonl, game 1")
    for place, frame in enumerate(film):
        assert number(page) == place
        assert shown(page) == amoebas(frame)
        page.keyboard.press("ArrowRight")
    assert number(page) == len(film) - 1
    expect(page.locator(".now")).to_contain_text("game over: player")
    expect(page.locator(".where")).to_contain_text("the end of the record")


def test_keys(open_page: Open, file: Path, film: list[Frame]):
    page = open_page(file)
    rounds = [int(frame.games.rounds[0]) for frame in film]
    first, second, last = rounds.index(1), rounds.index(2), len(film) - 1
    for keys, place in (
        ("PageDown", first),
        ("PageDown", second),
        ("ArrowRight PageUp", second),
        ("PageUp", first),
        ("ArrowLeft", first - 1),
        ("End", last),
        ("PageDown ArrowRight", last),
        ("Home", 0),
        ("ArrowLeft PageUp", 0),
    ):
        for key in keys.split():
            page.keyboard.press(key)
        assert number(page) == place, keys


def test_the_slider_buttons_and_lines_go_to_the_same_places(open_page: Open, file: Path, film: list[Frame]):
    page = open_page(file)
    page.get_by_label("Moment").fill("12")
    assert shown(page) == amoebas(film[12])
    for name, place in (
        ("Back a decision", 11),
        ("On a decision", 12),
        ("On a round", [int(frame.games.rounds[0]) for frame in film].index(1)),
        ("To the end", len(film) - 1),
        ("To the beginning", 0),
    ):
        page.get_by_role("button", name=name).click()
        assert number(page) == place
    line = page.locator(".story button").nth(20)
    expect(line).to_contain_text(film[20].told[0])
    line.click()
    assert number(page) == 20
    expect(line).to_have_attribute("aria-current", "step")
    expect(page.locator(".story [aria-current]")).to_have_count(1)
    page.get_by_label("Moment").focus()
    page.keyboard.press("ArrowRight")  # the slider's own key, and nothing besides
    assert number(page) == 21


def test_it_plays_pauses_and_stops_at_the_end(open_page: Open, file: Path, film: list[Frame]):
    page = open_page(file)
    page.get_by_label("Speed").select_option("10")
    page.locator("body").press("Space")
    until(page, lambda: number(page) >= 3)
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.locator("body").press("Space")
    place = number(page)
    page.wait_for_timeout(300)
    assert number(page) == place
    page.get_by_label("Moment").fill(str(len(film) - 3))
    page.get_by_role("button", name="Play", exact=True).click()
    until(page, lambda: number(page) == len(film) - 1)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.get_by_role("button", name="Play", exact=True).click()  # from the beginning
    until(page, lambda: number(page) < len(film) // 2)


def test_a_stranger_s_name_is_text(open_page: Open, file: Path):
    page = open_page(file)
    expect(page.locator(".legend li").nth(1)).to_have_text(f"1{STRANGER}")
    expect(page.locator("img")).to_have_count(0)


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["narrow", "wide"])
def test_it_fits_and_axe_finds_nothing_serious(
    open_page: Open, file: Path, size: tuple[int, int], request: pytest.FixtureRequest
):
    page = open_page(file, size)
    page.get_by_label("Moment").fill("30")
    check_looks(page, request)
    for scheme, paper in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(16, 24, 28)")):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == paper
        assert page.evaluate("getComputedStyle(document.querySelector('.board svg > rect')).fill") == paper


def test_the_board_can_be_enlarged(open_page: Open, file: Path):
    page = open_page(file, NARROW)
    enlarge = page.get_by_role("button", name="Enlarge the board")
    assert page.locator(".board svg").bounding_box()["width"] < NARROW[0]
    enlarge.click()
    expect(enlarge).to_have_attribute("aria-pressed", "true")
    assert page.locator(".board svg").bounding_box()["width"] == 800
    assert fits(page)  # the board alone scrolls


def test_by_keyboard_alone(open_page: Open, file: Path):
    page = open_page(file)
    expect(page.locator(".board svg")).to_be_visible()
    for _ in range(12):
        page.keyboard.press("Tab")
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", page.evaluate("document.activeElement.outerHTML.slice(0, 80)")
        if page.evaluate("document.activeElement.getAttribute('aria-label')") == "Play":
            break
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_focused()


def test_nothing_moves_by_itself_where_motion_is_not_wanted(open_page: Open, file: Path):
    page = open_page(file, reduced_motion="reduce")
    durations = page.evaluate(
        "[...document.querySelectorAll('*')].map((one) => getComputedStyle(one).transitionDuration)"
    )
    assert set(durations) == {"0s"}
    place = number(page)
    page.wait_for_timeout(700)
    assert number(page) == place
