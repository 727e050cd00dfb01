"""Ratios with Fieller's confidence sets: bounded, two rays, or everything."""

import json
import math

import numpy as np
import pytest
from scipy import stats

from ursuppe_lab.reports.text import as_json, confidence_set
from ursuppe_lab.statistics import FEWEST_SEEDS
from ursuppe_lab.statistics.discoveries import two_sided
from ursuppe_lab.statistics.quotients import Quotient, p_positive, quotient

ALL = np.ones(40)


def noisy(mean: float, error: float, seed: int, number: int = 40) -> np.ndarray:
    """Values whose mean and standard error are just these."""
    values = np.random.default_rng(seed).standard_normal(number)
    return mean + error * number**0.5 * (values - values.mean()) / values.std(ddof=1)


def test_over_ones_it_is_a_mean_with_students_interval():
    values = noisy(2, 0.5, seed=0)
    found = quotient(values, ALL, ALL)
    low, high = stats.t.interval(0.95, 39, 2, 0.5)
    assert found.estimate == pytest.approx(2)
    assert found.pieces[0] == pytest.approx((low, high))
    assert found.interval() == pytest.approx((2, low, high))


def test_a_number_is_in_the_set_unless_the_test_rules_it_out():
    generator = np.random.default_rng(1)
    shapes = set()
    for seed in range(60):
        above, below = noisy(generator.normal(0, 3), 1, seed), noisy(generator.normal(0, 3), 1, seed + 100)
        found = quotient(above, below, ALL)
        shapes.add(len(found.pieces) if found.interval() is None else "bounded")
        for number in generator.normal(0, 5, 20):
            p = two_sided(p_positive(above - number * below, ALL))
            assert found.contains(number) == (p >= 0.05)
            assert p == pytest.approx(stats.ttest_1samp(above - number * below, 0).pvalue)
    assert shapes == {"bounded", 1, 2}  # a bounded interval, everything, two rays


def test_a_denominator_that_may_be_0_leaves_no_bounded_interval():
    [(_, low), (high, end)] = quotient(noisy(5, 1, 1), noisy(0.5, 1, 2), ALL).pieces
    assert low < high < end == math.inf
    assert quotient(noisy(0.5, 1, 1), noisy(0.5, 1, 2), ALL).pieces == ((-math.inf, math.inf),)
    assert quotient(noisy(5, 1, 1), noisy(0.5, 1, 2), ALL).interval() is None


def test_what_never_changes_anything_is_0():
    found = quotient(np.zeros(40), noisy(5, 1, 1), ALL)
    assert found.estimate == 0
    assert found.pieces == ((0, 0),)
    assert p_positive(np.zeros(40), ALL) == 0.5
    assert quotient(np.zeros(40), np.zeros(40), ALL) == (None, ((-math.inf, math.inf),))


def test_clusters_without_such_games_say_nothing():
    values, counts = noisy(2, 0.5, seed=0), ALL.copy()
    longer = [np.append(part, np.zeros(9)) for part in (values, ALL, counts)]
    assert quotient(*longer) == quotient(values, ALL, counts)
    assert p_positive(longer[0], longer[2]) == p_positive(values, counts)


def test_too_few_seeds_have_no_set_and_rare_figures_are_none():
    few = np.ones(FEWEST_SEEDS - 1)
    assert quotient(2 * few, few, few) == (2, ())
    assert quotient(2 * few, few, few).interval() == (2, None, None)
    assert quotient(2 * few, few, few).contains(1e9)
    assert p_positive(few, few) is None
    assert two_sided(None) is None
    rare = np.append(few, 0 * ALL)
    assert quotient(rare, rare, rare) is None
    assert quotient(0 * few, 0 * few, 0 * few) is None


def test_sets_in_words_and_as_json():
    infinite = math.inf
    words = {
        ((1.44, 6.6),): "3.4 (1.4 to 6.6)",
        ((1.44, infinite),): "3.4 (from 1.4 up)",
        ((-infinite, 6.6),): "3.4 (up to 6.6)",
        ((-infinite, -9.0), (1.44, infinite)): "3.4 (up to -9.0 or from 1.4 up)",
        ((-infinite, infinite),): "any",
        (): "3.4",
    }
    for pieces, said in words.items():
        assert confidence_set(Quotient(3.4, pieces), ".1f") == said
    assert confidence_set(None, ".1f") == "–"
    assert confidence_set(Quotient(None, ((-infinite, -9.0), (1.44, infinite))), ".1f") == "up to -9.0 or from 1.4 up"
    rays = Quotient(3.4, ((-infinite, -9.0), (1.4, infinite))).plus(-4)
    assert json.dumps(as_json(rays), allow_nan=False)
    assert as_json(rays)["pieces"] == [[None, -13.0], [1.4 - 4, None]]
