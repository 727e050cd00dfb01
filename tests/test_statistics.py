"""Means of seeds and their intervals."""

import numpy as np
import pytest

from ursuppe_agents.statistics import Resampling, bootstrap, seed_means


def test_the_interval_of_cases_that_one_can_compute():
    generator = np.random.default_rng(0)
    # Ten seeds, five of them won: a binomial distribution of 10 and 1/2. P(X <= 1) = 0.011, P(X <= 2) = 0.055.
    assert bootstrap([0, 1] * 5, generator) == pytest.approx((0.5, 0.2, 0.8))
    # One of four: P(X = 0) = (3/4)^4 = 0.32; P(X <= 2) = 0.949, P(X <= 3) = 0.996.
    assert bootstrap([0, 0, 1, 0], generator) == pytest.approx((0.25, 0, 0.75))
    assert bootstrap([0, 0, 1, 0], generator, confidence=0.4) == pytest.approx((0.25, 0, 0.25))
    assert bootstrap([0.25, 0.25], generator) == (0.25, 0.25, 0.25)
    assert bootstrap([3], generator) == (3, 3, 3)


def test_the_interval_holds_the_mean_as_often_as_it_says():
    generator = np.random.default_rng(5)
    held = 0
    for _ in range(300):
        interval = bootstrap(generator.integers(0, 5, size=60) / 4, generator)
        held += interval.low <= 0.5 <= interval.high
    assert 270 <= held <= 297


@pytest.mark.parametrize("values", [[], [[1, 2]], 1])
def test_no_interval_without_values(values):
    with pytest.raises(ValueError, match="values has shape"):
        bootstrap(values, np.random.default_rng(0))


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_no_interval_without_confidence(confidence):
    with pytest.raises(ValueError, match="confidence is"):
        bootstrap([1, 2], np.random.default_rng(0), confidence)


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
