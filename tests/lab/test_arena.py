"""The arena: who plays whom, what is measured, and what survives an interruption."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from html import escape
from itertools import product
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest
from scipy import stats
from scipy.optimize import minimize

from ursuppe_agents import make_agent
from ursuppe_env import Games, Ruleset
from ursuppe_env.files import sealed, unsealed
from ursuppe_env.line import counted
from ursuppe_env.records import check, read_records
from ursuppe_env.rules.actions import actions_for
from ursuppe_lab.arena import AgentError, Tournament, lineup_name, make_lineups, play_tournament, records_of, summarise
from ursuppe_lab.arena.matches import keys_of
from ursuppe_lab.arena.play import COLUMNS, play_batch
from ursuppe_lab.arena.ratings import POINTS, PRIOR, rate
from ursuppe_lab.arena.report import html_report
from ursuppe_lab.jobs.folder import RunFolder, to_parquet
from ursuppe_lab.reports.plotting import shortened
from ursuppe_lab.statistics import Resampling

from support.command import printed, refusal
from support.interrupting import interrupted

BOTS = '''
import os
import sys
import time

import numpy as np

from ursuppe_agents import Agent
from ursuppe_agents.agent import Fault


class First(Agent):
    deterministic = True
    made = 0

    def __init__(self, generator):
        super().__init__(generator)
        First.made += 1

    def act(self, games, rows):
        return games.copy(rows).legal().argmax(axis=1)


class Last(First):
    def act(self, games, rows):
        return games.num_actions - 1 - games.copy(rows).legal()[:, ::-1].argmax(axis=1)


class Crashing(First):
    """Crashes in round 5 of the games with an index of at least 4."""

    def act(self, games, rows):
        if self.fails(games, rows).any():
            raise KeyError("food")
        return super().act(games, rows)

    def fails(self, games, rows):
        return (games.rounds[rows] >= 5) & (games.state["index"][rows] >= 4)


class Leaving(Crashing):
    def fails(self, games, rows):
        if super().fails(games, rows).any():
            sys.exit()
        return np.zeros(1)


class Elsewhere(Crashing):
    """Takes the place in the rows for the row."""

    def act(self, games, rows):
        if self.fails(games, rows).any():
            raise Fault("row 4", "lost its way")
        return First.act(self, games, rows)


class AtTheEnd(First):
    def games_over(self, games, rows):
        raise KeyError("food")


class Thief(First):
    """Puts the rows in which others decide in place of its own."""

    def act(self, games, rows):
        actions = super().act(games, rows)
        rows[:] = np.flatnonzero(games.player >= 0)[:: -1][: len(rows)]
        return actions


class Illegal(Crashing):
    def act(self, games, rows):
        actions = First.act(self, games, rows)
        actions[self.fails(games, rows)] = self.action
        return actions

    def __init__(self, generator, *, action: int = 150):
        super().__init__(generator)
        self.action = action


class Playing(First):
    def act(self, games, rows):
        games.play_random()
        return super().act(games, rows)


class Named(First):
    def __init__(self, generator, *, label: str):
        super().__init__(generator)


class Shapeless(First):
    def act(self, games, rows):
        return 0.5


class Dying(First):
    def act(self, games, rows):
        if len(rows) > 1:
            os._exit(1)
        return super().act(games, rows)


class Slow(First):
    def act(self, games, rows):
        time.sleep(0.01)
        return super().act(games, rows)
'''


@pytest.fixture(autouse=True)
def bots(tmp_path, monkeypatch):
    """A folder with agents of somebody's own is the current one."""
    (tmp_path / "bots.py").write_text(BOTS)
    monkeypatch.chdir(tmp_path)
    yield
    sys.modules.pop("bots", None)


def tournament(*agents, players=3, games=36, seed=5, schedule=None):
    lineups = make_lineups(agents, players, schedule, seed)
    return Tournament(lineups=lineups, num_games=games, ruleset=Ruleset(players=players), seed=seed)


START = actions_for(3).id("start 1", 0)  # never legal once the game has begun
MIXED = ("random", "bots:First", "bots:Last")


# ---------------------------------------------------------------------- what is played


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"lineups": ()}, "lineups is empty"),
        ({"lineups": (("a", "b"),)}, "has 2 agents; it must have 4"),
        ({"num_games": 0}, "num_games is 0"),
        ({"num_games": 2.0}, "num_games is 2.0"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 2**64}, "seed is 18446744073709551616"),
        ({"seed": True}, "seed is True"),
    ],
)
def test_a_wrong_tournament_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        Tournament(**{"lineups": (("a", "b", "c", "d"),), "num_games": 4, **changes})


@pytest.mark.parametrize(("players", "games", "seeds"), [(4, 1, 1), (4, 400, 100), (3, 1000, 334), (6, 7, 2)])
def test_each_lineup_plays_each_seed_in_all_rotations_once(players, games, seeds):
    played = tournament(*"abcdefg", players=players, games=games)
    keys = [key for batch in played.batches() for key in batch.games()]
    assert sorted(keys) == list(product(range(seeds), range(len(played.lineups)), range(players)))
    assert played.total_games == len(keys)


def test_games_of_a_seed_share_their_dice():
    played = tournament("bots:First", "bots:First", "bots:Named:label=first")
    rows = pl.concat(map(play_batch, played.batches()))
    outcomes = rows.select("index", "rounds", "markers", "decisions").unique()
    assert len(outcomes) == 12
    assert len(outcomes.select("decisions").unique()) > 6


def test_a_row_is_the_result_of_its_game():
    played = tournament("bots:First", "bots:Last", seed=9)
    for row in play_tournament(played, workers=1)[0].rows(named=True)[::7]:
        games = Games(1, played.ruleset, seed=9, index=[row["index"]])
        agents = [make_agent(spec, 0) for spec in row["agents"]]
        decisions = [0, 0, 0]
        while not games.finished[0]:
            seat = int(games.player[0])
            decisions[seat] += 1
            games.step(agents[seat].act(games, np.array([0])))
        markers = games.markers[0].tolist()
        assert (row["markers"], row["rounds"]) == (markers, games.rounds[0])
        assert row["decisions"] == decisions
        assert row["ranks"] == [1 + sorted(markers, reverse=True).index(marker) for marker in markers]
        assert row["ranks"].index(1) == games.winner[0]
        assert all(seconds > 0 for seconds in row["seconds"])
        assert row["agents"] == [played.lineups[row["lineup"]][(seat - row["rotation"]) % 3] for seat in range(3)]


def test_copies_of_an_agent_think_for_themselves():
    [batch] = tournament("bots:First", "random", "random", "random", players=4, games=4).batches()
    make_agent("bots:First", 0)
    sys.modules["bots"].First.made = 0
    play_batch(batch)
    assert sys.modules["bots"].First.made == 1
    [batch] = tournament("bots:First", "bots:First", "bots:First", "bots:Last", players=4, games=4).batches()
    play_batch(batch)
    assert sys.modules["bots"].First.made == 1 + 4


# ---------------------------------------------------------------------- figures


def test_ratings_of_two_are_the_logarithm_of_their_odds():
    finishers = np.array([[0, 1]] * 300 + [[1, 0]] * 100)
    first, second = rate(finishers, np.arange(400), 2, Resampling(400, np.random.default_rng(0))).in_points()
    assert first.estimate == pytest.approx(200 * np.log10(3), rel=1e-3)
    assert second.estimate == pytest.approx(-first.estimate)
    # 300 of 400 +- 1.96 standard deviations of the binomial distribution, as odds.
    low, high = ((share / (1 - share)) for share in 0.75 + 1.96 * np.sqrt(0.75 * 0.25 / 400) * np.array([-1, 1]))
    assert first.low == pytest.approx(200 * np.log10(low), rel=0.05)
    assert first.high == pytest.approx(200 * np.log10(high), rel=0.05)


def test_ratings_are_those_that_make_the_rankings_likeliest():
    generator = np.random.default_rng(1)
    strength = np.array([1.0, 0.3, 0.0, -1.2])
    players = generator.integers(4, size=(500, 3))  # the same agent may have several seats
    order = np.argsort(-(strength[players] + generator.gumbel(size=(500, 3))), axis=1)
    finishers = np.take_along_axis(players, order, axis=1)

    def loss(logarithms):
        of_game = logarithms[finishers]
        left = np.logaddexp.accumulate(of_game[:, ::-1], axis=1)[:, ::-1]
        return (left - of_game).sum() + (logarithms**2).sum() / (2 * PRIOR**2)

    ratings = rate(finishers, np.arange(500) // 5, 4, Resampling(100, np.random.default_rng(0))).in_points()
    means = np.array([rating.estimate for rating in ratings])
    np.testing.assert_allclose(means, minimize(loss, np.zeros(4), tol=1e-10).x * POINTS, atol=0.01)
    assert means.sum() == pytest.approx(0, abs=1e-6)
    for rating, truth in zip(ratings, (strength - strength.mean()) * POINTS, strict=True):
        assert rating.low < rating.estimate < rating.high
        assert abs(rating.estimate - truth) < 60


def test_who_always_wins_has_a_bound_that_the_games_give():
    """Of 40 games all won: a share of at least 91.2 %, a tenth of the odds of which is 203 points from the middle."""
    finishers = np.array([[0, 1]] * 40)
    first, second = rate(finishers, np.arange(40), 2, Resampling(40, np.random.default_rng(0))).in_points()
    share = stats.binomtest(40, 40).proportion_ci(0.95, "exact").low
    assert first == pytest.approx((528, 200 * np.log10(share / (1 - share)), None), abs=1)
    assert second == pytest.approx((-528, None, -first.low), abs=1)
    third = np.array([[0, 1, 2], [1, 0, 2]] * 40)
    *two, last = rate(third, np.arange(80), 3, Resampling(80, np.random.default_rng(0))).in_points()
    assert [rating.estimate for rating in two] == pytest.approx([0, 0], abs=1e-6)  # the mean of those who are compared
    assert all(rating.low < 0 < rating.high for rating in two)
    assert (last.low, last.estimate < last.high < two[0].low) == (None, True)


def test_two_groups_of_which_one_always_finishes_first_have_no_intervals_since_nothing_says_how_far_apart_they_are():
    finishers = np.array([[0, 1, 2, 3], [1, 0, 3, 2]] * 40)
    ratings = rate(finishers, np.arange(80), 4, Resampling(80, np.random.default_rng(0))).in_points()
    assert [rating.estimate > 0 for rating in ratings] == [True, True, False, False]
    assert all(rating[1:] == (None, None) for rating in ratings)


def rows_by_hand(times=1):
    """Two seeds of one against two, all rotations, so many times; markers chosen so that a wins four games of six."""
    markers = [[[30, 20, 10], [12, 36, 24], [20, 40, 30]], [[45, 42, 30], [50, 20, 26], [10, 20, 30]]]
    return pl.DataFrame(
        [
            {
                "index": index,
                "lineup": 0,
                "rotation": rotation,
                "rounds": 9 + index % 2,
                "agents": ["a" if seat == rotation else "b" for seat in range(3)],
                "ranks": [1 + sorted(places, reverse=True).index(place) for place in places],
                "markers": places,
                "decisions": [10, 20, 30],
                "forfeits": [0, 0, 0],
                "seconds": [0.1, 0.2, 0.3],
            }
            for index, of_seed in enumerate(times * markers)
            for rotation, places in enumerate(of_seed)
        ],
        schema=COLUMNS,
    )


def test_the_figures_of_games_that_one_can_count():
    """Ten seeds, of which five are alike, and the others: a resample has 2 to 8 of either, but for 2 % of them."""
    summary = summarise(tournament("a", "b", "b", games=30), rows_by_hand(times=5))
    # a sits in seat 0, 1, 2 of each seed. Its markers: 30 (1st), 36 (1st), 30 (2nd); 45 (1st), 20 (3rd), 30 (1st).
    a, b = summary.agents
    assert (a.agent, a.games, b.agent, b.games) == ("a", 30, "b", 60)
    assert a.win_rate == pytest.approx((4 / 6, 2 / 3, 2 / 3))  # two of three in each seed
    assert [rate.estimate for rate in a.win_rate_by_seat] == pytest.approx([1, 0.5, 0.5])
    assert a.win_rate_by_seat[1] == pytest.approx((0.5, 0.2, 0.8))
    assert b.win_rate == pytest.approx((2 / 12, 1 / 6, 1 / 6))
    assert a.rank == pytest.approx((9 / 6, 1.4, 1.6))
    assert b.rank.estimate == pytest.approx((36 - 9) / 12)
    # The means of the markers: 20, 24, 30; 39, 32, 20.
    assert a.margin == pytest.approx(((10 + 12 + 0 + 6 - 12 + 10) / 6, 4 / 3 + 0.2 * 6, 4 / 3 + 0.8 * 6))
    assert b.margin.estimate == pytest.approx(-a.margin.estimate / 2)
    assert a.rating.estimate == pytest.approx(-b.rating.estimate)
    assert a.rating.estimate > 0
    # Beside a: 2 b in each game, before a in 0, 0, 1; 0, 2, 0 of them.
    assert summary.before["a", "b"] == pytest.approx((9 / 12, 0.7, 0.8))
    assert summary.before["b", "a"] == pytest.approx((3 / 12, 0.2, 0.3))
    assert set(summary.before) == {("a", "b"), ("b", "a")}
    assert summary.rounds == pytest.approx((9.5, 9.2, 9.8))
    assert summary.decisions == pytest.approx((60, 60, 60))
    assert a.decisions == pytest.approx(20)
    assert a.milliseconds == b.milliseconds == pytest.approx(10)
    [figures] = summary.lineups
    assert (figures.lineup, figures.games) == (("a", "b", "b"), 30)
    assert figures.win_rates == {"a": a.win_rate, "b": b.win_rate}


def test_who_always_finishes_first_finishes_before_everybody_as_surely_as_it_wins():
    """The exact interval is of games, not of pairs of seats."""
    rows = rows_by_hand(times=5).with_columns(
        pl.col("agents").list.eval((pl.element() != "a").cast(pl.Int64) + 1).alias("ranks").cast(COLUMNS["ranks"])
    )
    summary = summarise(tournament("a", "b", "b", games=30), rows)
    assert summary.before["a", "b"] == pytest.approx(summary.agents[0].win_rate)
    assert summary.before["a", "b"].low == pytest.approx(0.025 ** (1 / 30))  # Clopper and Pearson


TOO_FEW = "no intervals: 2 seeds are too few, at least 10 are needed"


def test_two_seeds_have_figures_and_no_intervals():
    summary = summarise(tournament("a", "b", "b", games=6), rows_by_hand())
    a, _ = summary.agents
    assert a.win_rate == (pytest.approx(4 / 6), None, None)
    assert a.rating.estimate > 0
    assert a.rating.ends is None
    found = json.loads(json.dumps(summary.as_dict(), allow_nan=False))
    assert found["intervals"] == TOO_FEW
    assert found["agents"][0]["win_rate"] == {"estimate": pytest.approx(4 / 6), "low": None, "high": None}
    page = re.sub(r"<svg.*?</svg>", "", html_report(summary), flags=re.DOTALL)
    assert TOO_FEW.removeprefix("no ") in page
    assert "<td>66.7</td>" in page
    assert " to " not in re.sub(r"<p.*?</p>", "", page, flags=re.DOTALL)


def test_figures_are_told_apart_by_lineup():
    _, summary = play_tournament(tournament("random", "bots:First", games=60, schedule="one-vs-rest"), workers=1)
    wins = {figures.lineup: figures.win_rates["random"].estimate for figures in summary.lineups}
    alone, against_two = wins["random", "bots:First", "bots:First"], wins["bots:First", "random", "random"]
    assert alone > 0.9  # who always takes the first action plays badly
    assert against_two == pytest.approx(0.5, abs=0.05)
    assert summary.agents[0].agent == "random"
    assert summary.agents[0].win_rate.estimate == pytest.approx((alone + 2 * against_two) / 3)


def test_without_ray_it_says_how_to_install_it(monkeypatch, refused):
    monkeypatch.setitem(sys.modules, "ray", None)
    message = r"^ursuppe: ray is not installed; install it with: pip install 'ursuppe-env\[ray\]'$"
    refused(["arena", "random", "bots:First", "--ray", "--players", "3"], message)


# ---------------------------------------------------------------------- going on after an interruption


def interrupting(games, seen):
    """Progress that presses Ctrl-C when so many games are over, and notes all that it hears."""

    def progress(over):
        seen.append(over)
        if over >= games:
            raise KeyboardInterrupt

    return progress


def test_a_resumed_run_gives_the_same_files(monkeypatch, tmp_path):
    monkeypatch.setattr("ursuppe_lab.arena.matches.perf_counter", lambda: 0.0)  # the one thing that differs
    played = tournament(*MIXED)
    play_tournament(played, tmp_path / "whole", workers=1)

    folder, seen = tmp_path / "resumed", []
    with pytest.raises(KeyboardInterrupt):
        play_tournament(played, folder, workers=1, on_progress=interrupting(18, seen))
    assert seen == [0, 9, 18]
    assert not (folder / "games.parquet").exists()
    seen.clear()
    play_tournament(played, folder, workers=1, on_progress=seen.append)
    assert seen == [18, 27, 36]
    files = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    assert {"games.parquet", "summary.json", "report.html"} <= {str(file) for file in files}
    for file in files:
        assert (folder / file).read_bytes() == (tmp_path / "whole" / file).read_bytes(), file

    seen.clear()
    play_tournament(played, folder, workers=1, on_progress=seen.append)
    assert seen == [36]


def test_a_tournament_of_any_size_begins_at_once(tmp_path):
    endless, seen = tournament(*["random"] * 4, players=4, games=10**15), []
    with pytest.raises(KeyboardInterrupt):
        play_tournament(endless, tmp_path / "out", workers=1, on_progress=interrupting(512, seen))
    assert seen == [0, 256, 512]


def test_ctrl_c_ends_all_workers_and_keeps_what_is_done(tmp_path):
    options = ["--players", "3", "--games", "48", "--workers", "2", "--out", "out"]
    told = interrupted(["arena", "bots:Slow", "random", "random", *options], "out/parts/00000.part")
    assert told == ["The parts that are done are in out; the same command resumes the run.", "ursuppe: interrupted"]
    parts = list(tmp_path.glob("out/parts/*"))
    assert 1 <= len(parts) < 4
    assert all(pl.read_parquet(unsealed(part.read_bytes())).schema == COLUMNS for part in parts)


@pytest.mark.parametrize(
    ("agent", "what"),
    [
        ("bots:Crashing", r"crashed: KeyError: 'food' \(.*bots\.py, line \d+\)"),
        ("bots:Leaving", r"crashed: SystemExit \(.*bots\.py, line \d+\)"),
        ("bots:Elsewhere", "raised Fault for row 'row 4', which is none of those that it was asked about"),
        ("bots:Illegal", r"gave the illegal action 150 \(which does not exist\)"),
        (f"bots:Illegal:action={START}", rf"gave the illegal action {START} \(start 1\)"),
        ("bots:Illegal:action=-1", r"gave the illegal action -1 \(which does not exist\)"),
    ],
)
def test_a_failing_agent_is_named_with_its_game_and_loses_no_results(agent, what, tmp_path):
    played = tournament(agent, "bots:Last", "bots:Last")
    folder = tmp_path / "out"
    with pytest.raises(AgentError) as error:
        play_tournament(played, folder, workers=1)
    message = re.fullmatch(
        rf"agent {re.escape(agent)} {what}(, and \d+ more in other games)?; it was player 0 in game 4 of seed 5, "
        rf"{re.escape(agent)} - bots:Last - bots:Last, about to make its decision (\d+) there \((\w+)\)",
        str(error.value),
    )
    assert message
    assert len(list(folder.glob("parts/*"))) == 1
    # The same game alone, up to round 5: that is where it stands.
    games = Games(1, played.ruleset, seed=5, index=[4])
    agents = [make_agent(spec, 0) for spec in ("bots:First", "bots:Last", "bots:Last")]
    made = 1
    while games.rounds[0] < 5 or games.player[0] != 0:
        made += games.player[0] == 0
        games.step(agents[games.player[0]].act(games, np.array([0])))
    assert message.groups()[-2] == str(made)


def test_a_failure_in_a_worker_is_told_as_one_here(tmp_path):
    with pytest.raises(AgentError, match=r"agent bots:Crashing crashed: KeyError: 'food' .* in game \d+ of seed 5"):
        play_tournament(tournament("bots:Crashing", "random", "random"), tmp_path / "out", workers=2)
    with pytest.raises(ChildProcessError, match="a worker died"):
        play_tournament(tournament("bots:Dying", "random", "random"), workers=2)


def test_an_agent_that_plays_on_in_the_games_that_it_is_asked_about_is_named():
    with pytest.raises(AgentError, match=r"agent bots:Playing crashed: RuntimeError: an agent must leave the games"):
        play_tournament(tournament("bots:Last", "bots:Playing", "bots:Last"), workers=1)


def test_an_agent_that_crashes_when_games_are_over_is_named():
    with pytest.raises(AgentError, match=r"agent bots:AtTheEnd crashed: KeyError: 'food' .*, told that games are over"):
        play_tournament(tournament("bots:Last", "bots:AtTheEnd", "bots:Last"), workers=1)


def test_an_agent_that_changes_its_rows_decides_for_nobody_else():
    honest, thief = (
        play_tournament(tournament("random", bot, "random"), workers=1)[0].select("decisions", "markers")
        for bot in ("bots:First", "bots:Thief")
    )
    assert thief.equals(honest)


@pytest.mark.parametrize(
    ("bot", "says"),
    [
        ("bots:Playing", "agent bots:Playing crashed: RuntimeError: an agent must leave the games"),
        ("bots:Shapeless", "agent bots:Shapeless gave actions of shape () and dtype float64"),
    ],
)
def test_recording_names_an_agent_that_fails(bot, says, capsys):
    options = ["--players", "3", "--games", "2", "--seed", "7", "--workers", "1"]
    told = refusal(capsys, "record", "--agents", f"random,random,{bot}", *options, "games.jsonl")
    assert says in told
    assert re.search(r"; it was player 2 in the game of seed [78]$", told)
    assert not Path("games.jsonl").exists()


def test_what_is_no_agent_shows_before_anything_is_played(tmp_path):
    folder = tmp_path / "out"
    for spec, message in (
        ("nobody", "there is no agent 'nobody'"),
        ("bots:Shapeless", r"gave actions of shape \(\) and dtype float64; .* in the first decision of a game"),
    ):
        with pytest.raises(ValueError, match=message):
            play_tournament(tournament(spec, "random", "random"), folder)
    assert not folder.exists()


# ---------------------------------------------------------------------- files


@pytest.fixture(scope="module")
def finished_once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    (folder / "bots.py").write_text(BOTS)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        play_tournament(tournament(*MIXED), folder / "out", workers=1)
    return folder / "out"


@pytest.fixture
def finished(finished_once, tmp_path):
    """The folder of a run that is over."""
    return shutil.copytree(finished_once, tmp_path / "out")


def test_a_game_is_a_row_of_a_parquet_file_and_figures_are_json(finished):
    rows = pl.read_parquet(finished / "games.parquet")
    assert rows.schema == COLUMNS
    assert len(rows) == 36
    summary = summarise(tournament(*MIXED), rows)
    assert json.loads((finished / "summary.json").read_bytes()) == json.loads(json.dumps(summary.as_dict()))
    settings = json.loads((finished / "settings.json").read_bytes())
    assert settings["lineups"] == [list(MIXED)]
    assert (settings["players"], settings["games"], settings["seed"]) == (3, 36, 5)


def test_the_report_needs_nothing_else(finished):
    page = (finished / "report.html").read_text()
    assert page.count("<svg") == page.count("</svg>") == 4
    assert not re.search(r"(src|href)=\"(?!#)", page)
    assert "@import" not in page
    for agent in MIXED:
        assert page.count(agent) > 4
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids)) > 50
    assert {one or other for one, other in re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', page)} <= set(ids)
    assert "nan" not in re.sub(r"<[^>]*>", "", page)
    assert "#010203" not in page


def part_of(rows):
    return sealed(to_parquet(rows))


def rows_of(part):
    return pl.read_parquet(unsealed(part))


DAMAGES = {
    "another bit": lambda part: part[:99] + bytes([part[99] ^ 4]) + part[100:],
    "zeros": lambda part: part[:200] + bytes(64) + part[264:],
    "cut": lambda part: part[: len(part) // 2],
    "nothing": lambda part: b"",
    "no digest": unsealed,
    "no Parquet": lambda part: sealed(b"no Parquet at all, but long enough to be looked at"),
    "fewer games": lambda part: part_of(rows_of(part).head(2)),
    "other columns": lambda part: part_of(rows_of(part).drop("rounds")),
    "other games": lambda part: part_of(rows_of(part).with_columns(pl.col("index") + 1)),
}


def damage_part(folder, what):
    part = folder / "parts" / "00002.part"
    part.write_bytes(DAMAGES[what](part.read_bytes()))


@pytest.mark.parametrize("what", DAMAGES)
def test_a_damaged_part_is_named_and_counts_as_not_done(what, finished, caplog):
    damage_part(finished, what)
    todo = tournament(*MIXED)
    kept = RunFolder(finished, todo.as_dict(), COLUMNS, todo.agents, [3])
    found = [kept.read(batch.number, keys_of(batch)) for batch in todo.batches()]
    assert [rows is None for rows in found] == [number == 2 for number in range(len(found))]
    [said] = [record.getMessage() for record in caplog.records]
    assert said.startswith(f"{finished}/parts/00002.part is damaged, and that part is done anew: ")
    assert "\n" not in said


def test_a_part_that_is_damaged_or_deleted_is_played_again(finished):
    before = pl.read_parquet(finished / "games.parquet").drop("seconds")
    damage_part(finished, "another bit")
    (finished / "parts" / "00003.part").unlink()
    for progress in ([18, 27, 36], [36]):
        seen = []
        rows, _ = play_tournament(tournament(*MIXED), finished, workers=1, on_progress=seen.append)
        assert seen == progress
        assert rows.drop("seconds").equals(before)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "settings.json is damaged"),
        (b"\xff\xfe", "settings.json is damaged"),
        (b"[]", "it is no JSON object"),
        (b"[" * 9999, "nested too deeply"),
    ],
)
def test_damaged_settings_are_named(content, message, finished):
    (finished / "settings.json").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        play_tournament(tournament(*MIXED), finished)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (tournament(*MIXED, seed=6), "its seed is 5, not 6"),
        (tournament(*MIXED, games=39), "its games is 36, not 39"),
        (tournament(*MIXED[::-1]), r'its lineups\[0\]\[0\] is "random", not "bots:Last"'),
    ],
)
def test_the_folder_of_another_run_is_left_alone(other, message, finished):
    before = {path: path.read_bytes() for path in finished.rglob("*") if path.is_file()}
    with pytest.raises(ValueError, match=f"out holds another run: {message}"):
        play_tournament(other, finished)
    assert before == {path: path.read_bytes() for path in finished.rglob("*") if path.is_file()}


def test_a_foreign_file_or_folder_is_left_alone(tmp_path):
    chapter = tmp_path / "thesis" / "chapter"
    chapter.parent.mkdir()
    chapter.write_text("three years")
    for foreign in (chapter, chapter.parent):
        with pytest.raises(ValueError, match=f"{foreign.name} exists and is no folder of a run; give another, or one "):
            play_tournament(tournament(*MIXED), foreign)
    assert [(path, path.read_text()) for path in chapter.parent.iterdir()] == [(chapter, "three years")]


# ---------------------------------------------------------------------- the command


def test_the_command_plays_and_tells(capsys):
    Path("cheap.toml").write_text("players = 3\n[price]\nspeed = 1\n")
    options = ["--games", "30", "--ruleset", "cheap.toml", "--seed", "3", "--workers", "1"]
    told = printed(capsys, "arena", "random", "bots:First", *options, "--out", "out")
    assert told.startswith("60 games, 10 seeds; 95 % intervals\n")
    assert re.search(r"predicted shares of wins,\s+off by", told)
    ruleset = Ruleset(players=3, price={"speed": 1})
    lineups = make_lineups(["random", "bots:First"], 3, seed=3)
    played = Tournament(lineups=lineups, num_games=30, ruleset=ruleset, seed=3)
    _, summary = play_tournament(played, workers=1)
    for figures in summary.agents:
        mean, low, high = (100 * value for value in figures.win_rate)
        assert f"{mean:.1f} % ({low:.1f}–{high:.1f})" in told
        assert f"{figures.rating.estimate:+.0f} (" in told
    for figures in summary.lineups:
        assert lineup_name(figures.lineup) in told
    assert told.endswith("\nout/report.html: the report, with plots; beside it summary.json and games.parquet\n")
    assert json.loads(Path("out/summary.json").read_text())["tournament"]["ruleset"] == {"price": {"speed": 1}}


@pytest.mark.parametrize("name", ["_$a$_{b}^2", "<b>&amp;", f"_{'deep' * 50}"])
def test_any_name_of_an_agent_is_reported_as_it_is(name, capsys):
    spec = f"bots:Named:label={name}"
    options = ["--players", "3", "--games", "3", "--workers", "1", "--out", "out"]
    told = printed(capsys, "arena", spec, "bots:Last", "bots:Last", *options)
    assert spec in "".join(re.findall(r"│ (\S+) +│", told))  # which is folded if it is long
    page = Path("out/report.html").read_text()
    assert f"<code>{escape(spec)}</code>" in page
    assert page.count("<svg") == 4
    assert "td code { white-space: normal; }" in page  # a long one does not push its figures out of sight
    for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        texts = [element.text for element in ET.fromstring(svg).iter() if element.tag.endswith("}text")]
        assert shortened(spec) in texts or "predicted wins, %" in texts  # which names only those that are off


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "agents"),
        (["random", "grow", "--schedule", "one-vs-rest", "--teams", "0+2,1+3"], "it is called mixed"),
        (["random", "bots:First", "--games", "0"], "--games"),
        (["random", "bots:First", "--workers", "0"], "--workers"),
        (["random", "bots:First", "--players", "7"], "players is 7"),
        (["random", "bots:First", "--ray", "--workers", "2"], "workers is 2"),
        (["bots:Crashing", "random", "random", "--players", "3", "--workers", "1"], "agent bots:Crashing crashed"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(arguments, message, refused):
    refused(["arena", *arguments], message)


def test_workers_import_no_more_than_they_need():
    code = "import sys, ursuppe_lab.arena.play; print({'matplotlib', 'jinja2', 'torch', 'ray'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


# ---------------------------------------------------------------------- its games as records


@pytest.mark.parametrize("teams", [None, ((0, 2), (1, 3))])
def test_records_are_the_games_that_were_played(teams):
    lineup = ("grow", "random") if teams else ("grow", "random", "random", "grow")
    tournament = Tournament(lineups=(lineup,), num_games=8, seed=3, teams=teams, keeps_actions=True)
    games, _ = play_tournament(tournament, workers=1)
    records = list(records_of(tournament, games))
    assert [record.result["markers"] for record in records] == games["markers"].to_list()
    assert [record.agents for record in records] == games["agents"].to_list()
    assert [check(record) for record in records] == [None] * len(records)
    ranks = [[seat for seat, rank in enumerate(row) if rank == 1] for row in games["ranks"].to_list()]
    assert [sorted(record.winners) for record in records] == ranks
    lost = list(records_of(tournament, games, lost="random"))
    assert lost == [record for record in records if record.agents[record.winners[0]] != "random"]
    assert len(lost) > 0


def test_the_command_writes_records_of_all_games_or_those_that_an_agent_lost(tmp_path: Path, capsys, refused):
    everyone, lost = tmp_path / "all.jsonl", tmp_path / "lost.jsonl.gz"
    command = ["arena", "grow", "random", "random", "random", "--games", "8", "--workers", "1"]
    printed(capsys, *command, "--records", everyone)
    told = printed(capsys, *command, "--records", lost, "--lost", "grow")
    records = list(read_records(everyone))
    assert len(records) == 8
    wanted = [record for record in records if record.agents[record.result["winner"]] != "grow"]
    assert list(read_records(lost)) == wanted
    assert f"{lost}: {counted(len(wanted), 'game')} that grow lost" in told
    for wrong, says in (
        (["--records", everyone], "exists already"),
        (["--records", tmp_path / "all.txt"], "all.txt"),
        (["--records", tmp_path / "missing" / "new.jsonl"], "there is no folder"),
        (["--records", tmp_path / "new.jsonl", "--lost", "greedy"], "lost is 'greedy'; the agents are grow, random"),
        (["--lost", "grow"], "lost is 'grow', but no records are written; give --records FILE, too"),
    ):
        refused([*command, *wrong], says)


def test_the_arena_plays_the_same_game_whatever_the_batch():
    whole = Tournament(lineups=(("policy:default", "random", "random", "hunter"),), num_games=16, keeps_actions=True)
    of_four, of_all = (play_tournament(replace(whole, games_at_once=size), workers=1)[0] for size in (4, 16))
    assert of_four["actions"].equals(of_all["actions"])
