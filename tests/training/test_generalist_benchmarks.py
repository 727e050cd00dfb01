"""The benchmarks of policies that adapt to rulesets count what they say; how well a policy adapts is not asked here."""

import importlib
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ursuppe_agents import make_agent
from ursuppe_agents.arena.matches import Matches
from ursuppe_agents.statistics.ratios import Bootstrapped
from ursuppe_env import Games, Ruleset
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.ruleset import PER_GENE
from ursuppe_training.config import TrainingConfig
from ursuppe_training.models import save_policy
from ursuppe_training.rulesets import varied_rulesets

from support.policies import SMALL, random_policy

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
VARIED = TrainingConfig(layers=(8,), rulesets="varied", observe_rules=True)


@pytest.fixture
def generalist(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("generalist")


@pytest.fixture
def adaptation(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("adaptation")


@pytest.fixture(scope="module")
def policies(tmp_path_factory):
    """A policy that was trained on varied rulesets, and one that was not: their files."""
    folder = tmp_path_factory.mktemp("policies")
    save_policy(random_policy(VARIED), VARIED, folder / "varied.zip")
    save_policy(random_policy(SMALL, seed=1), SMALL, folder / "given.zip")
    return folder / "varied.zip", folder / "given.zip"


# ---------------------------------------------------------------------- a generalist and a specialist


def test_everybody_is_met_alone_and_in_halves(generalist):
    lineups = generalist.meeting_lineups("g", "s", 4)
    assert lineups == [("g", "s", "s", "s"), ("s", "g", "g", "g"), ("g", "s", "g", "s"), ("g", "g", "s", "s")]
    assert generalist.meeting_lineups("g", "s", 3) == [("g", "s", "s"), ("s", "g", "g")]
    assert generalist.meeting_lineups("g", "s", 6)[3] == ("g", "g", "g", "s", "s", "s")


def test_the_part_of_won_games_is_that_of_all_seats_of_an_agent(generalist, tmp_path):
    lineups = generalist.meeting_lineups("hunter", "random", 4)
    tournament = generalist._tournament(lineups, 40, Ruleset())
    kept = generalist.RunFolder(tmp_path / "out", {}, generalist.COLUMNS)
    [rows] = generalist.play([tournament], kept, workers=1)
    won = generalist.won_by_first(tournament, rows, [0, 1, 2, 2])
    assert won.shape == (10, 3)
    assert won[:, 0].mean() > 0.6
    assert won[:, 1].mean() < 0.1  # random among three
    assert won[:, 2].mean() > 0.9  # two of both
    first = rows.filter((rows["lineup"] == 0) & (rows["index"] == 3))
    assert won[3, 0] == np.mean(
        [agents[np.argmin(ranks)] == "hunter" for agents, ranks in first["agents", "ranks"].rows()]
    )
    again = generalist.play([tournament], kept, workers=1)  # of what is kept
    assert again[0].equals(rows)


def test_the_command_compares_two_policies(generalist, policies, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(generalist, "_POOL", ("random", "grow"))
    out = tmp_path / "out"
    options = ["--games", "8", "--rulesets", "2", "--ruleset-games", "40", "--workers", "1", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", ["generalist.py", *map(str, policies), *options])
    generalist.main()
    printed = capsys.readouterr().out
    assert "no intervals: 2 seeds are too few" in printed
    assert "ruleset 2" in printed
    found = json.loads((out / "generalist.json").read_text())
    assert [gain["opponent"] for gain in found["gains"]] == ["random", "grow", "mixed", "all"]
    ours, theirs = (found["gains"][0][name]["estimate"] for name in ("generalist", "specialist"))
    assert found["gains"][0]["difference"]["estimate"] == pytest.approx(ours - theirs)
    *each, mean, of_any = found["meetings"]
    assert [one["changed"] for one in each] == [
        list(ruleset.changes()) for ruleset in varied_rulesets(4, 2, generalist._RULESETS_SEED)
    ]
    for name in ("halves", "alone"):
        average = np.mean([one[name]["estimate"] for one in each])
        assert mean[name]["estimate"] == pytest.approx(average)
        assert of_any[name]["estimate"] == pytest.approx(average)
        assert mean[name]["interval_95"][0] <= average <= mean[name]["interval_95"][1]
        assert of_any[name]["interval_95"] is None  # two rulesets are too few
    assert (out / "generalist.svg").read_text().startswith("<svg")
    monkeypatch.setattr(generalist, "_play", None)  # nothing is left to be played
    generalist.main()
    assert json.loads((out / "generalist.json").read_text()) == found


def test_policies_that_cannot_meet_are_refused(generalist, policies, tmp_path):
    save_policy(
        random_policy(TrainingConfig(players=3, layers=(8,))),
        TrainingConfig(players=3, layers=(8,)),
        tmp_path / "3.zip",
    )
    for pair, message in (
        ((policies[0], tmp_path / "3.zip"), "was trained with 4 players, .* with 3"),
        ((policies[0], policies[0]), "generalist and specialist are both"),
    ):
        with pytest.raises(ValueError, match=message):
            generalist.compare(*pair, 4, 1, 4, "stochastic", tmp_path / "out")


# ---------------------------------------------------------------------- what is bought


def test_every_gene_has_a_price_and_something_that_makes_it_worth_more_or_less(adaptation):
    for lever in (*adaptation.LEVERS["prices"].values(), *adaptation.LEVERS["worth"].values()):
        assert lever.direction in (-1, 1)
        for number in lever.values:
            Ruleset(**{lever.field: {"speed": number} if lever.field in PER_GENE else number})
    assert adaptation.LEVERS["worth"]["division_rate"].field == "fast_division_cost"
    assert set(adaptation.LEVERS["worth"]) == set(GENE_NAMES)


def test_purchases_are_counted_as_the_states_show_them(adaptation):
    rulesets = [Ruleset(price={"spores": price}) for price in (1, 99)]
    games = Games(40, rulesets, seed=3)
    purchases = adaptation.Purchases(games, "spores")
    seating, agent = np.zeros((40, 4), np.int64), make_agent("random", 0)
    owned = np.zeros((40, 4), np.bool_)

    class Owners(adaptation.Observer):
        def taken(self, games, rows):
            owned[rows] |= games.state["genes"][rows, :4, GENE_NAMES.index("spores")] > 0

    Matches(3, np.arange(40), games, ["random"], {0: agent}, seating).play(purchases, Owners())
    assert (purchases.did <= purchases.could).all()
    np.testing.assert_array_equal(purchases.did.any(axis=2), owned)
    counts = purchases.counts()
    assert counts["players"][0::2].sum() == owned.sum() > 0
    assert counts["turns_possible"][1::2].sum() == counts["players_possible"][1::2].sum() == 0  # nobody has 99 BP
    assert (counts["turns"] <= counts["turns_possible"]).all()


def test_armour_counts_in_both_of_its_forms(adaptation):
    assert len(adaptation.Purchases(Games(1), "armour").actions) == 2
    assert len(adaptation.Purchases(Games(1), "holding").actions) == 1


def test_the_same_positions_are_those_of_printed_games_in_which_every_price_can_be_paid(adaptation, policies):
    sweep = adaptation.Sweep(0, policies[0], "stochastic", "speed", adaptation.PRICE, Ruleset(), num_seeds=20)
    rows = adaptation.play_sweep(sweep)
    assert rows.select("index", "value").equals(sweep.keys)
    positions = rows["positions"].to_numpy().reshape(8, 20)
    assert (positions == positions[0]).all()
    turns = rows.filter(rows["value"] == 4)["turns_possible"].to_numpy()  # as printed
    assert positions[0].sum() > 0
    assert (positions[0][turns == 0] == 0).all()
    assert (rows["purchases"] <= rows["positions"]).all()
    as_printed = rows.filter(rows["value"] == 4)
    assert 0 < as_printed["purchases"].sum() < as_printed["positions"].sum()
    never = replace(
        sweep, lever=sweep.lever._replace(values=(1, 2, 99))
    )  # nobody has 99 BP, and it is printed otherwise
    assert adaptation.play_sweep(never)["positions"].sum() == 0


@pytest.mark.parametrize(
    ("shares", "expected"),
    [([0.9, 0.5, 0.4, 0.1], -1), ([0.1, 0.2, 0.2, 0.3], 0.9486833), ([0.1, np.nan, 0.3, 0.2], 0.5)],
)
def test_the_correlation_is_that_of_ranks_of_what_is_known(adaptation, shares, expected):
    certain = [Bootstrapped(share, np.full(5, share)) for share in shares]
    found = adaptation.rank_correlation((1, 2, 4, 8), certain)
    assert found.estimate == pytest.approx(expected)
    assert found.ends == pytest.approx((expected, expected))
    uncertain = [Bootstrapped(share, np.empty(0)) for share in shares]
    assert adaptation.rank_correlation((1, 2, 4, 8), uncertain).ends is None


@pytest.mark.parametrize("shares", [[0.5, 0.5, 0.5, 0.5], [0.5, 0.2, np.nan, np.nan]])
def test_there_is_no_correlation_where_nothing_varies_or_little_is_known(adaptation, shares):
    assert adaptation.rank_correlation((1, 2, 4, 8), [Bootstrapped(share, np.empty(0)) for share in shares]) is None


def test_it_is_said_how_many_curves_go_where_they_should_and_how_far(adaptation, policies):
    def curve(lever, direction, correlation, change):
        sweep = adaptation.Sweep(
            0, policies[0], "stochastic", "speed", lever._replace(direction=direction), Ruleset(), 10
        )
        return adaptation.Curve(sweep, "turns", [], correlation, change)

    falls = adaptation.Interval(-1.0, -1.0, -0.5), adaptation.Interval(-0.3, -0.4, -0.2)
    in_doubt = adaptation.Interval(0.5, -0.5, 1.0), adaptation.Interval(0.1, 0.0, 0.2)
    curves = [curve(adaptation.PRICE, -1, *falls), curve(adaptation.GENE_POINTS, 1, *in_doubt)]
    assert adaptation.as_they_should(curves) == "2 of 2, 1 beyond doubt; by 20.0 points"
    wrong = curve(adaptation.GENE_POINTS, 1, *falls)
    assert (
        adaptation.as_they_should([wrong, curve(adaptation.PRICE, -1, None, None)])
        == "0 of 2, 0 beyond doubt; by -30.0 points"
    )
    assert adaptation.as_they_should([]) == "0 of 0, 0 beyond doubt"


def test_the_command_draws_curves_of_policies(adaptation, policies, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        adaptation,
        "LEVERS",
        {
            "prices": {"speed": adaptation.PRICE._replace(values=(1, 4, 8))},
            "worth": {"speed": adaptation.GENE_POINTS._replace(values=(0, 1, 3))},
        },
    )
    out = tmp_path / "out"
    monkeypatch.setattr(
        sys, "argv", ["adaptation.py", *map(str, policies), "--seeds", "12", "--workers", "1", "--out", str(out)]
    )
    adaptation.main()
    printed = capsys.readouterr().out
    assert "as they should, prices" in printed
    assert "95 % intervals" in printed
    found = json.loads((out / "adaptation.json").read_text())
    assert [(curve["field"], curve["measure"]) for curve in found["curves"][:6]] == [
        (field, measure) for field in ("price", "gene_score") for measure in ("same positions", "turns", "players")
    ]
    assert len(found["curves"]) == 12
    for curve in found["curves"]:
        shares = [share["estimate"] for share in curve["shares"]]
        assert curve["gene"] == "speed"
        assert curve["should"] == ("fall" if curve["field"] == "price" else "rise")
        assert 0 <= min(shares) <= max(shares) <= 1
        assert curve["change"]["estimate"] == pytest.approx(shares[-1] - shares[0])
        if curve["measure"] == "same positions":  # one of the policies sees no rules, but gene points in any case
            differs = curve["policy"] == str(policies[0]) or curve["field"] == "gene_score"
            assert (max(shares) - min(shares) > 1e-6) == differs
            assert (curve["correlation"] is not None) == differs
    for name in ("prices-same-positions", "prices-turns", "worth-players"):
        assert (out / f"{name}.svg").read_text().startswith("<svg")
    monkeypatch.setattr(adaptation, "play_sweep", None)  # nothing is left to be played
    adaptation.main()
    assert json.loads((out / "adaptation.json").read_text()) == found
