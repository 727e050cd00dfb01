"""Means of seeds and their intervals."""

import numpy as np
import pytest
from scipy import stats

from ursuppe_lab.statistics import FEWEST_SEEDS, Interval, Resampling, bootstrap, seed_means
from ursuppe_lab.statistics.ratios import Sums


def test_the_interval_of_cases_that_one_can_compute():
    generator = np.random.default_rng(0)
    # Ten seeds, five of them won: a binomial distribution of 10 and 1/2. P(X <= 1) = 0.011, P(X <= 2) = 0.055.
    assert bootstrap([0, 1] * 5, generator) == pytest.approx((0.5, 0.2, 0.8))
    # One of twelve: P(X = 0) = (11/12)^12 = 0.35, P(X <= 1) = 0.74; P(X <= 2) = 0.928, P(X <= 3) = 0.986.
    assert bootstrap([1] + [0] * 11, generator) == pytest.approx((1 / 12, 0, 3 / 12))
    assert bootstrap([0.25] * 10, generator) == (0.25, 0.25, 0.25)


def test_few_seeds_have_a_mean_and_no_interval():
    generator = np.random.default_rng(0)
    for values in ([3], [0.25, 0.25], [0, 1] * 4 + [1]):
        found = bootstrap(values, generator)
        assert found == (np.mean(values), None, None)
        assert found.ends is None
        assert found.contains(100)
        assert found.times(2) == (2 * np.mean(values), None, None)
    assert bootstrap([0, 1] * 5, generator).ends is not None


def test_the_fewest_seeds_are_those_with_which_an_interval_misses_at_most_twice_as_often_as_it_says():
    """Of normal values; and of seeds that are won or lost."""

    def held(seeds: int) -> float:
        return 1 - 2 * stats.t.sf(stats.norm.isf(0.025) * ((seeds - 1) / seeds) ** 0.5, seeds - 1)

    assert held(FEWEST_SEEDS) > 0.9 > held(FEWEST_SEEDS - 1)
    generator = np.random.default_rng(1)
    for truth in (0.25, 0.5):
        won = generator.random((FEWEST_SEEDS, 200)) < truth
        found = Resampling(FEWEST_SEEDS, generator).intervals(won.astype(float))
        assert sum(interval.contains(truth) for interval in found) > 170  # 180, give or take 4.2


def test_none_and_all_of_some_games_have_exact_intervals():
    """Those of Clopper and Pearson; in no resample is there what was never seen."""
    seeds = np.stack([np.zeros(250), np.ones(250), np.arange(250) % 2], axis=1)
    none, every, half = Resampling(250, np.random.default_rng(0)).shares(seeds, 1000)
    assert none == pytest.approx((0, *stats.binomtest(0, 1000).proportion_ci(0.95, "exact")))
    assert every == pytest.approx((1, *stats.binomtest(1000, 1000).proportion_ci(0.95, "exact")))
    assert 0.4 < half.low < half.estimate < half.high < 0.6
    won = np.stack([np.zeros(30), np.full(30, 1 / 3)], axis=1)  # three seats in each of 60 games
    never, always = Resampling(30, np.random.default_rng(0)).shares(won, 60, 1 / 3)
    low = stats.binomtest(60, 60).proportion_ci(0.95, "exact").low
    assert always == pytest.approx((1 / 3, low / 3, 1 / 3))
    assert never == pytest.approx((0, 0, (1 - low) / 3))
    assert Resampling(9, np.random.default_rng(0)).shares(np.zeros((9, 1)), 36) == [(0, None, None)]
    sums = Sums(["none", "all", "some"], np.array([[0, 4, 1]] * 10), np.array([[4, 4, 4]] * 10))
    assert sums.exact_shares() == {
        name: pytest.approx((share, *stats.binomtest(round(40 * share), 40).proportion_ci(0.95, "exact")))
        for name, share in (("none", 0), ("all", 1))
    }


def test_an_interval_that_is_open_to_one_side_has_a_bound_on_the_other():
    least = Interval(300, 200, None)
    assert [least.contains(number) for number in (199, 200, 1000)] == [False, True, True]
    assert (least.times(2), least.times(-1)) == ((600, 400, None), (-300, None, -200))


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (Interval(0.4212, 0.4011, 0.4396), "0.42 (0.40–0.44)"),
        (Interval(51.23, 47.1, 55.2), "51 (47–55)"),
        (Interval(-0.31, -0.4, 0.1), "-0.3 (-0.4 to 0.1)"),
        (Interval(0.5, None, None), "0.50"),
        (Interval(0.5, 0.5, 0.5), "0.50 (0.50–0.50)"),
    ],
)
def test_an_interval_is_printed_as_it_is_read(interval, text):
    assert str(interval) == f"{interval}" == text


def test_a_multiple_by_a_negative_number_has_its_ends_in_order():
    assert Interval(2, 1, 4).times(-1) == (-2, -4, -1)
    assert not Interval(2, 1, 4).contains(0.9)
    assert Interval(2, 1, 4).contains(1)


@pytest.mark.parametrize("values", [[], [[1, 2]], 1])
def test_no_interval_without_values(values):
    with pytest.raises(ValueError, match="values has shape"):
        bootstrap(values, np.random.default_rng(0))


def test_statistics_of_one_run_share_their_resamples():
    sample = np.random.default_rng(1).random(50)
    resampling = Resampling(50, np.random.default_rng(2))
    assert (resampling.counts.sum(axis=1) == 50).all()
    one, other, shifted = resampling.intervals(np.column_stack([sample, sample, sample + 1]))
    assert one == other
    assert shifted == pytest.approx(np.array(one) + 1)
    assert one == pytest.approx(bootstrap(sample, np.random.default_rng(2)))
    one_mean = resampling.means(sample[:, None])[7, 0]
    assert one_mean == pytest.approx(np.average(sample, weights=resampling.counts[7]))


def test_the_mean_of_a_seed_is_that_of_its_games():
    #         seed 0        | seed 1
    values = [1.0, 0.0, 2.0, 4.0, 5.0]
    seeds = [0, 0, 0, 1, 1]
    groups = [0, 0, 1, 0, 0]
    means = seed_means(np.array(values), np.array(seeds), np.array(groups), 2)
    np.testing.assert_array_equal(means, [[0.5, 2], [4.5, np.nan]])
