"""What agents draw with."""

import numpy as np
import pytest

from ursuppe_agents.draws import drawn_actions


@pytest.mark.parametrize("power", [1.0, 2.0, 0.5, 3.7])
def test_actions_are_drawn_in_proportion_to_a_power_of_their_weights(power):
    weights = np.array([0.0, 0.1, 0.0, 0.6, 0.3, 0.0])
    drawn = drawn_actions(np.tile(weights, (10_000, 1)), (np.arange(10_000) + 0.5) / 10_000, power)
    shares = np.bincount(drawn, minlength=6) / 10_000
    np.testing.assert_allclose(shares, weights**power * (weights > 0) / (weights**power).sum(), atol=2e-4)
    assert (np.diff(drawn) >= 0).all()


def test_powers_of_small_weights_do_not_vanish():
    weights = np.full((2, 4), 1e-200)
    weights[:, 0] = 0
    assert drawn_actions(weights, np.array([0.0, np.nextafter(1, 0)]), 2.0).tolist() == [1, 3]
