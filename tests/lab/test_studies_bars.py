"""Balance that survives adaptation: what the bars are of made-up agents, and what is played and written of others."""

import math

import numpy as np
import pytest
from scipy import stats

from studies import balance, trials
from studies.bars import (
    ADAPTING,
    CONTRASTS,
    FIXED,
    KINDS,
    POINTS,
    PRICES,
    PRINTED,
    UNITS,
    Bar,
    Bars,
    FoundBars,
    adjusted_changes,
    bar_tables,
)
from studies.pictures import bars_picture
from studies.specialists import FoundSpecialists, Specialists, beside, specialist_bars_table
from ursuppe_env import Ruleset
from ursuppe_lab.balance import report
from ursuppe_lab.balance.spread import surplus_variance
from ursuppe_lab.statistics.random_effects import mean_of_agents, p_of_agents
from ursuppe_lab.statistics.ratios import Bootstrapped

from support.planted_spreads import SURPLUSES, planted_bars, true_variance
from support.planted_worths import planted_study, planted_trials

POLICIES = ("policy:model=a.zip", "policy:model=b.zip", "policy:model=c.zip")


def bar(*spreads: float, error: float = 0.05, is_sample: bool = False) -> Bar:
    """Agents to whom the genes have these spreads, whose squares are known up to so much."""
    generator = np.random.default_rng(0)
    variances = (Bootstrapped(s**2, s**2 + error * generator.standard_normal(2000)) for s in spreads)
    return Bar(tuple(variances), is_sample, clusters=1000)


def figures(*estimates: float, error: float = 0.0) -> list[Bootstrapped]:
    """Each from games of its own, known up to so much; without an error, games have no interval."""
    generator = np.random.default_rng(0)
    return [
        Bootstrapped(one, one + error * generator.standard_normal(2000) if error else np.empty(0)) for one in estimates
    ]


def found_bars(players=4, policies=1, **spreads: float) -> FoundBars:
    """Bars of which each is as told: ``adapting_fixed=2`` is that of adapting agents with the prices of fixed ones."""
    bars = Bars(players=players, policies=POLICIES[:policies])
    printed = Ruleset(players=players)
    rulesets = {PRINTED: printed, FIXED: printed.replace(price={"speed": 9}), ADAPTING: printed}
    apart = np.linspace(-0.1, 0.1, policies) if policies > 1 else np.zeros(1)
    said = {
        (unit, kind, prices): bar(
            *(spreads.get(f"{kind}_{prices}", 5.0) + (apart if kind == ADAPTING else np.zeros(1))),
            is_sample=kind == ADAPTING and policies > 1,
        )
        for unit in UNITS
        for kind in KINDS
        for prices in PRICES
    }
    return FoundBars(bars, rulesets, said)


# ---------------------------------------------------------------------- agents that stand for all of their kind


def test_the_interval_of_agents_is_students():
    mean, low, high = mean_of_agents(figures(1.0, 2.0, 3.0))
    assert mean == 2
    assert (low, high) == pytest.approx((2 - 4.3027 / math.sqrt(3), 2 + 4.3027 / math.sqrt(3)), abs=1e-3)
    assert p_of_agents(figures(1.0, 2.0, 3.0)) == pytest.approx(0.0742, abs=1e-3)
    assert mean_of_agents(figures(1.0)) == (1.0, None, None)
    assert p_of_agents(figures(1.0)) is None
    assert p_of_agents(figures(1.0, 1.0)) == 0
    assert p_of_agents(figures(0.0, 0.0)) == 1


def test_agents_that_agree_by_chance_are_known_no_better_than_their_games_say():
    """Three figures of 1.75, 1.78 and 1.79, each known to 0.13, are a mean that is known to 0.15, not to 0.05."""
    of_three = mean_of_agents(figures(1.75, 1.78, 1.79, error=0.13))
    assert of_three.ends == pytest.approx((1.773 - 0.147, 1.773 + 0.147), abs=0.015)
    apart = figures(0.1, 0.11, 0.12, error=0.13)
    assert p_of_agents(apart) == pytest.approx(2 * stats.norm.sf(0.11 / (0.13 / math.sqrt(3))), abs=0.02)
    assert p_of_agents(figures(0.1, 0.11, 0.12)) < 0.01


def test_it_contains_the_mean_of_all_agents_as_often_as_it_says_however_they_differ():
    generator = np.random.default_rng(1)
    for between in (0.0, 1.0, 10.0):
        held = [
            mean_of_agents(figures(*(3 + math.hypot(1, between) * generator.standard_normal(3)))).contains(3)
            for _ in range(2000)
        ]
        assert np.mean(held) == pytest.approx(0.95, abs=0.015)


# ---------------------------------------------------------------------- spreads


def test_a_spread_is_the_root_of_the_mean_variance_of_the_agents():
    assert bar(3.0, 4.0).spread.estimate == pytest.approx(math.sqrt(12.5))
    below = Bar((Bootstrapped(-1.0, np.full(2000, -1.0)),), False, 1000)
    assert below.spread == (0, 0, 0)
    assert bar(2.0, 2.0, 2.0, error=0, is_sample=True).spread == pytest.approx((2, 2, 2))


def test_a_change_contains_0_just_where_that_of_the_variances_does():
    smaller = bar(2.0, error=0.3).minus(bar(3.0, error=0.3))
    assert smaller.interval.estimate == pytest.approx(-1)
    assert smaller.interval.high < 0
    assert smaller.p < 0.001
    same = bar(3.0, error=0.3).minus(bar(3.0, error=0.3))
    assert same.interval.contains(0)


def test_of_too_few_games_nothing_is_said():
    unknown = Bar((Bootstrapped(math.nan, np.full(2000, math.nan)),), False, 1000)
    assert unknown.spread is None
    assert unknown.minus(bar(1.0)) == (None, None)
    study = planted_study(40)
    assert math.isnan(surplus_variance(study, planted_trials(study, 3, bp=0.01), 0, 0).estimate)


@pytest.fixture(scope="module")
def planted():
    """Bars of one made-up agent in some studies."""
    return [planted_bars(["as they are", "alike"], seed, games=600) for seed in range(10)]


@pytest.mark.parametrize("unit", UNITS)
def test_spreads_are_not_larger_by_chance(planted, unit):
    """Of variances, whose mean is the truth; a root has none below 0."""
    for name in ("as they are", "alike"):
        variances = [bars[unit, name].variances[0].estimate for bars in planted]
        error = np.std(variances) / len(variances) ** 0.5
        truth = true_variance(unit, SURPLUSES[name])
        assert abs(np.mean(variances) - truth) < 3.5 * error + 0.02 * truth
        held = [bars[unit, name].spread.contains(truth**0.5) for bars in planted]
        assert np.mean(held) > 0.7
    shrunk = [bars[unit, "alike"].minus(bars[unit, "as they are"]) for bars in planted]
    assert np.mean([change.interval.estimate < 0 for change in shrunk if change.interval]) > 0.8


# ---------------------------------------------------------------------- what is played


def test_nothing_is_reported_on_the_dice_of_a_search_or_of_another_agent():
    bars = Bars(players=4, policies=POLICIES)
    rulesets = dict.fromkeys(PRICES, bars.printed)
    studies = [bars.search(kind).trials for kind in KINDS]
    studies += [study for kind in KINDS for study in bars.reports(kind, rulesets)]
    assert len({study.seed for study in studies}) == len(studies) == 2 + 1 + 3
    assert {study.horizon for study in studies} == {None}  # predictions exaggerate
    assert not {study.seed for study in studies} & {Bars(players=3, policies=POLICIES).search(FIXED).trials.seed}


def test_the_last_policy_does_not_search_so_that_it_shows_what_the_prices_are_to_others():
    bars = Bars(players=4, policies=POLICIES, search_games=2001)
    assert bars.search(ADAPTING).trials.lineups == ((POLICIES[0],), (POLICIES[1],))
    assert bars.search(FIXED).trials.lineups == (("hunter",), ("scavenger",))
    assert bars.search(ADAPTING).trials.num_games == 1001  # of each
    assert Bars(players=4, policies=POLICIES[:1]).search(ADAPTING).trials.lineups == ((POLICIES[0],),)
    assert [study.lineups for study in bars.reports(ADAPTING, dict.fromkeys(PRICES, bars.printed))] == [
        ((policy,),) for policy in POLICIES
    ]


def test_genes_without_cards_have_no_price_to_be_searched():
    searched = {field for field, _, _ in Bars(players=3, policies=POLICIES).search(FIXED).numbers}
    assert "price.speed" in searched
    assert not searched & {"price.frugality", "price.parasitism"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"policies": ()}, "policies is empty"), ({"fixed": ()}, "fixed is empty"), ({"players": 7}, "players")],
)
def test_wrong_studies_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        Bars(**{"players": 4, "policies": POLICIES} | wrong)


# ---------------------------------------------------------------------- tables


def test_the_tables_have_what_the_intervals_say():
    tables = bar_tables([found_bars(fixed_fixed=2, adapting_fixed=5.0, adapting_adapting=3)])
    assert (
        "prices found with fixed agents, under these agents, against the printed ones | **-3.00 ("
        in tables["bars changes"]
    )
    assert "| Speed | 4 | 9 | 4 |" in tables["bars prices"]
    assert "| 4 | the same prices, under agents that adapt, against the printed ones | 0.00 (" in tables["bars changes"]
    assert bars_picture([found_bars(3), found_bars(4)]).decode().count("3 players") == 2


def test_a_search_that_ends_where_it_began_is_said_to_have_found_nothing():
    found = found_bars(adapting_adapting=2)
    found.rulesets[FIXED] = found.rulesets[PRINTED]
    nothing = "the same prices: the search found none that are better"
    changes = bar_tables([found])["bars changes"]
    assert f"| 4 | the same prices, under agents that adapt, against the printed ones | {nothing} |" in changes


def test_of_several_policies_intervals_contain_how_far_they_differ():
    alone, several = found_bars(), found_bars(policies=3)
    key = POINTS, ADAPTING, PRINTED
    assert np.ptp(several.spreads[key].spread[1:]) > 10 * np.ptp(alone.spreads[key].spread[1:])
    policies = bar_tables([several])["bars policies"]
    assert "| 4 | `policy:model=b.zip`, which has searched | 5.00 (4.99 to 5.01) |" in policies
    assert "| 4 | `policy:model=c.zip` | 5.10 (5.09 to 5.11) |" in policies


def test_specialists_stand_beside_those_who_see_the_prices():
    specialists = Specialists(name=FIXED, ruleset=Ruleset(), policies=POLICIES[:1], games=100)
    found = FoundSpecialists(specialists, {unit: bar(3.0) for unit in UNITS}, {})
    compared = specialist_bars_table([found_bars(adapting_fixed=5)], [found])
    assert "| 4 | found with fixed agents | points | 5.00 (4.99 to 5.01) | 3.00 (2.98 to 3.02) | **-2.00 (" in compared
    few, many = beside(bar(3.0, 3.4, is_sample=True), bar(5.0)), beside(bar(3.2), bar(5.0))
    assert np.ptp(few.difference[1:]) > 5 * np.ptp(many.difference[1:])
    assert few.p > many.p


def test_all_changes_are_judged_together():
    judged = adjusted_changes([found_bars(players) for players in (3, 4)])
    assert len(judged) == 2 * len(UNITS) * len(CONTRASTS)
    assert all(p is None or p >= change.p for change, p in judged.values())


# ---------------------------------------------------------------------- from games to tables


#: Plays as a hunter, and foretells chances that follow from BP alone.
MISER = """
import numpy as np

from ursuppe_agents.scripted.agents import Hunter


class Miser(Hunter):
    def evaluate(self, games, rows):
        likely = np.exp(0.1 * games.state["bp"][rows, : games.num_players])
        return np.zeros((len(rows), 1)), likely / likely.sum(axis=1, keepdims=True)
"""


@pytest.fixture
def generalist(tmp_path, monkeypatch):
    """The spec of an agent that foretells."""
    (tmp_path / "bars_misers.py").write_text(MISER)
    monkeypatch.syspath_prepend(tmp_path)
    return "bars_misers:Miser"


def test_what_was_played_is_not_played_again(generalist, tmp_path, monkeypatch):
    monkeypatch.setattr(report, "worth_report", lambda *_: "")  # its pictures take longer than the games
    monkeypatch.setattr(trials, "TRIAL_ROUNDS", (2,))
    small = {"fixed": ("hunter",), "games": 12, "search_games": 12, "candidates": 1}
    monkeypatch.setattr(balance, "Bars", lambda **given: Bars(**given, **small))

    def played():
        given = {3: [generalist]}, {(3, FIXED): [generalist]}
        return next(balance.play(tmp_path, [balance.Part.BARS], [], *given, 1, lambda *_: None))

    monkeypatch.setattr(Specialists, "games", 12)
    tables, pictures = played()
    assert "| 3 | found with fixed agents | points |" in tables["bars specialists"]
    assert list(pictures) == ["bars"]
    assert (tmp_path / "bars/3/fixed.toml").read_text().startswith('players = 3\nedition = "1998"\n')
    parts = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.part")}
    assert played() == (tables, pictures)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.part")} == parts
