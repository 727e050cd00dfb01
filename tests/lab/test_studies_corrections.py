"""Would figures of 1997 have advised the corrections of 1998: what is said of made-up agents, and of others."""

import math

import numpy as np
import pytest

from studies import corrections, trials
from studies.corrections import (
    ALL,
    BOUGHT,
    CORRECTIONS,
    LEAD,
    NEW,
    OLD,
    ROUNDS,
    SPREAD,
    Advice,
    Corrections,
    Direction,
    advice_of,
    binomial,
    correction_tables,
    effects_on_games,
    hit_rate,
    judged,
    play_corrections,
)
from ursuppe_env import Ruleset
from ursuppe_env.rules.ruleset import SWITCHES
from ursuppe_lab.balance import report
from ursuppe_lab.balance.fairer import number_of
from ursuppe_lab.statistics import Interval

from support.planted_corrections import games_of, trials_of, true_effect, true_paid

FOUR = Corrections(players=4, policies=(), fixed=("hunter",), advice_games=1500, games=20, ordinary_games=3000)
REAL = frozenset({"own_clinging", "free_stay", "mutation_points.armour"})


def advice(correction=CORRECTIONS[0], paid: float | None = None, adjusted_p=0.001) -> Advice:
    figure = None if paid is None else Interval(paid, paid - 0.01, paid + 0.01)
    return Advice(4, "hunter", correction, figure, adjusted_p, adjusted_p)


# ---------------------------------------------------------------------- what was corrected


@pytest.mark.parametrize("players", [3, 4])
def test_the_corrections_are_all_that_differs_between_the_editions(players):
    old, new = (Ruleset(players=players, edition=edition) for edition in (OLD, NEW))
    changed = old
    study = Corrections(players=players, policies=())
    for correction in study.corrections:
        before, after = (number_of(ruleset, correction.field) for ruleset in (old, new))
        assert before != after, correction.field
        field, _, gene = correction.field.partition(".")
        changed = changed.replace(**{field: {gene: after} if gene else after})
    without = {"even_substitution": new.even_substitution} if players == 3 else {}  # which has no effect there
    assert {name for name in SWITCHES if getattr(changed, name) != getattr(new, name)} == set(without)
    for field in ("mutation_points", "cards", "price"):
        assert getattr(changed, field) == getattr(new, field)


def test_five_numbers_and_eight_rulings():
    fields = [correction.field for correction in CORRECTIONS]
    assert len(fields) == len(set(fields)) == 13
    assert sum(field in SWITCHES for field in fields) == 8


def test_numbers_that_cost_more_restrain():
    old, new = (Ruleset(edition=edition) for edition in (OLD, NEW))
    for correction in CORRECTIONS:
        if correction.field.startswith("mutation_points"):
            is_dearer = number_of(new, correction.field) > number_of(old, correction.field)
            assert (correction.direction == Direction.RESTRAINS) == is_dearer


def test_each_ruleset_has_one_correction_and_the_last_all():
    names = [name for name, _ in FOUR.rulesets]
    assert names == [OLD, *(correction.field for correction in CORRECTIONS), ALL]
    old = FOUR.rulesets[0][1]
    assert all(len(ruleset.changes()) == 1 for _, ruleset in FOUR.rulesets[1:-1])
    assert FOUR.rulesets[-1][1] == Ruleset()
    assert old == Ruleset(edition=OLD)


def test_advice_and_effects_have_dice_of_their_own():
    assert FOUR.advice.seed != FOUR.ordinary.seed
    assert FOUR.advice.variants == FOUR.rulesets[:1]  # 1997 alone
    with pytest.raises(ValueError, match="players is 5; it must be 3 or 4"):
        Corrections(players=5, policies=())


# ---------------------------------------------------------------------- advice


def test_cheap_genes_are_to_be_restrained_and_dear_ones_favoured():
    assert advice(paid=0.05).direction == Direction.RESTRAINS
    assert advice(paid=-0.05).direction == Direction.FAVOURS
    assert advice(paid=0.05, adjusted_p=0.06).direction is None
    assert advice().direction is None


def test_a_hit_is_advice_that_the_designers_followed():
    defense = CORRECTIONS[0]
    assert defense.direction == Direction.RESTRAINS
    given = [advice(paid=0.05), advice(paid=0.05), advice(paid=-0.05), advice(paid=0.05, adjusted_p=None)]
    rate = hit_rate(given)
    assert (rate.hits, rate.advised, rate.silent) == (2, 3, 1)
    assert rate.share == pytest.approx((2 / 3, 0.0943, 0.9916), abs=1e-4)
    assert hit_rate(given[3:]).share is None


def test_exact_intervals_hold_the_truth_at_least_as_often_as_they_say():
    intervals = [binomial(hits, 11) for hits in range(12)]
    for truth in np.linspace(0.01, 0.99, 50):
        likely = [math.comb(11, hits) * truth**hits * (1 - truth) ** (11 - hits) for hits in range(12)]
        assert sum(p for p, found in zip(likely, intervals, strict=True) if found.contains(truth)) >= 0.95


def test_the_figures_of_genes_that_are_taken_together_are_the_truth_on_average():
    found = [advice_of(FOUR, trials_of(FOUR.advice, seed)) for seed in range(2)]
    held = [one.paid.contains(true_paid(one.correction.genes)) for advice in found for one in advice]
    assert len(held) == 2 * 13
    assert np.mean(held) > 0.8
    of_dear = [one for advice in found for one in advice if one.correction.genes == ("aggression",)]
    assert all(one.p is not None for one in of_dear)


# ---------------------------------------------------------------------- effects


def test_planted_effects_are_found_and_nothing_else():
    effects = effects_on_games(FOUR, games_of(FOUR, 5, REAL))
    found = judged([FOUR], [], effects)
    shown = [(one.correction, one.figure) for one in found.effects if one.is_shown]
    real = {(name, figure) for name in REAL for figure in (ROUNDS, LEAD, BOUGHT, "place 1", "place 4")}
    assert len(set(shown) & real) > 0.6 * len(real)
    assert len(set(shown) - real) <= 2
    right = [one.difference.contains(true_effect(one.figure, one.correction, REAL, 4)) for one in found.effects]
    assert 0.88 <= np.mean(right) <= 0.99


def test_advice_on_the_same_genes_is_one_statement():
    aggression = [one for one in CORRECTIONS if one.genes == ("aggression",)]
    assert len(aggression) == 2
    found = judged([FOUR], [Advice(4, "hunter", one, Interval(0.1, 0.05, 0.15), 0.03) for one in aggression], [])
    assert [one.adjusted_p for one in found.advice] == [0.03, 0.03]
    assert len(found.p_values) == 1


# ---------------------------------------------------------------------- tables


def test_the_tables_say_what_was_advised_and_what_the_designers_did():
    said = [Advice(4, "hunter", one, Interval(0.1, 0.05, 0.15), 0.0001) for one in CORRECTIONS]
    tables = correction_tables(judged([FOUR], said, effects_on_games(FOUR, games_of(FOUR, 6, REAL))))
    restrained = sum(one.direction == Direction.RESTRAINS for one in CORRECTIONS)
    assert f"| **as the designers did** |  | {restrained} of 13, " in tables["corrections advice 4"]
    assert "| `own_clinging` | restrain | +10.0 (+5.0 to +15.0): restrain ✓ |" in tables["corrections advice 4"]
    assert "| `hungry_aggressor` | favour | +10.0 (+5.0 to +15.0): restrain ✗ |" in tables["corrections advice 4"]
    assert f"| {ALL} |" in tables["corrections effects 4 hunter"]


def test_where_nothing_is_shown_there_is_no_advice():
    found = judged([FOUR], [Advice(4, "hunter", one, None, None) for one in CORRECTIONS], [])
    advice = correction_tables(found)["corrections advice 4"]
    assert advice.endswith("|  | no advice on 13 |")
    assert advice.count("–: no advice |") == 13


def test_what_was_played_is_not_played_again(tmp_path, monkeypatch):
    monkeypatch.setattr(trials, "TRIAL_ROUNDS", (2,))
    monkeypatch.setattr(corrections, "CORRECTIONS", CORRECTIONS[:2])
    for kind in ("comparison", "worth"):  # their pictures take longer than the games
        monkeypatch.setattr(report, f"{kind}_report", lambda *_: "")
    study = Corrections(players=3, policies=(), fixed=("hunter",), advice_games=12, games=12, ordinary_games=12)
    found = play_corrections([study], tmp_path, 1)
    assert {SPREAD, ROUNDS, LEAD, BOUGHT, "place 3"} <= {one.figure for one in found.effects}
    parts = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.part")}
    assert correction_tables(play_corrections([study], tmp_path, 1)) == correction_tables(found)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.part")} == parts
