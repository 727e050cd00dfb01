"""The page of `ursuppe analyse`, opened from the file system."""

import json
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import pytest
from conftest import NARROW, WIDE, Open, check_looks, number
from playwright.sync_api import expect

from ursuppe_env import Ruleset
from ursuppe_env.cli import run
from ursuppe_env.records import record_games, write_records

ROUNDS = Ruleset(players=4, environment=[("west", 9), ("none", 14), ("south", 8)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("analysis")
    write_records(folder / "games.jsonl", record_games(1, ROUNDS, seed=7, agents=["a", "b", "c", "d"]))
    out = folder / "out"
    options = ["--agent", "search:sims=8", "--out", str(out), "--workers", "1"]
    assert run(["analyse", str(folder / "games.jsonl"), *options]) == 0
    return out


@pytest.fixture(scope="module")
def decisions(folder: Path) -> list[dict[str, Any]]:
    return list(map(json.loads, (folder / "decisions.jsonl").read_text().splitlines()))


def test_a_click_on_the_chances_goes_there(open_page: Open, folder: Path, decisions: list[dict[str, Any]]):
    page = open_page(folder / "report.html")
    chances = page.locator(".chances svg")
    expect(chances).to_be_visible()
    assert page.locator(".chances .line").count() == 4
    box = chances.bounding_box()
    chances.click(position={"x": box["width"] - 20, "y": 100})
    assert number(page) >= len(decisions) - 2
    chances.click(position={"x": 46, "y": 100})
    assert number(page) <= 2
    assert page.locator(".chances .cursor circle").count() == 4


def points(share: float) -> Decimal:
    """In per cent, rounded as pages round: 31.25 is 31.3."""
    return Decimal(100 * share).quantize(Decimal("0.1"), ROUND_HALF_UP)


def test_each_decision_has_its_actions(open_page: Open, folder: Path, decisions: list[dict[str, Any]]):
    page = open_page(folder / "report.html")
    for place in (0, 10, 25):
        page.get_by_label("Moment").fill(str(place))
        decision = decisions[place]
        player = decision["player"]
        expect(page.locator(".decision h2")).to_have_text(f"{player}{'abcd'[player]} decides")
        rows = page.locator(".decision tbody tr")
        assert rows.count() == len(decision["actions"])
        best = max(decision["actions"], key=lambda action: action["chances"][player])
        expect(rows.first).to_contain_text(best["words"])
        expect(rows.first).to_contain_text(f"{points(best['chances'][player])} ± {points(best['noise'])}")
        expect(page.locator(".decision tr.taken .badge").first).to_have_text("taken")
        if decision["taken"] == decision["best"]:
            expect(page.locator(".verdict")).to_have_text("No action did better than the one taken.")
        else:
            lost = f"gave away {points(decision['gave_away'])} ± {points(decision['gave_away_noise'])}"
            expect(page.locator(".verdict")).to_contain_text(lost)
            means_nothing = decision["gave_away"] <= decision["gave_away_noise"]
            assert ("it means nothing" in page.locator(".verdict").inner_text()) == means_nothing
    page.get_by_role("button", name="To the end").click()
    expect(page.locator(".decision h2")).to_have_text("No decision is judged here")


def test_a_click_on_a_mistake_goes_there(open_page: Open, folder: Path, decisions: list[dict[str, Any]]):
    mistakes = [decision for decision in decisions if decision["is_mistake"]]
    assert mistakes
    page = open_page(folder / "report.html")
    listed = page.locator(".mistakes button")
    expect(listed.first).to_be_visible()
    assert page.locator(".chances .marks path").count() == len(mistakes)
    listed.first.click()
    decision = decisions[number(page)]
    assert decision["is_mistake"]
    expect(listed.first).to_contain_text(f"{100 * decision['gave_away']:.1f} ±")


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["narrow", "wide"])
def test_the_report_fits_and_axe_finds_nothing_serious(
    open_page: Open, folder: Path, size: tuple[int, int], request: pytest.FixtureRequest
):
    page = open_page(folder / "report.html", size)
    page.get_by_label("Moment").fill("25")
    page.get_by_text("What the figures mean").click()
    check_looks(page, request)
