"""The simulations with planted effects count what they say; a few studies of the quickest find what is there."""

import numpy as np
import pytest

from studies import planted_effects as effects
from ursuppe_lab.statistics import Interval


def test_what_is_said_is_right_if_it_is_there_with_this_sign():
    study = effects.Study()
    for sign, truth in ((1, 0.5), (-1, 0.5), (1, 0.0), (0, 0.5), (0, 0.0)):
        study.statement(sign, truth)
    assert study.called == [True, False, False]
    assert study.planted == [True, False, False]
    assert study.false_share == pytest.approx(2 / 3)
    assert effects.Study().false_share == 0


def test_intervals_that_are_none_are_not_counted():
    study = effects.Study()
    for figure in (None, Interval(1.0, None, None), Interval(1.0, 0.0, 2.0), Interval(3.0, 2.5, 4.0)):
        study.interval("figure", figure, 1.0)
    assert study.held == {"figure": [True, False]}


def test_shares_are_of_all_and_their_errors_of_studies():
    studies = [effects.Study({"figure": [True] * 4}), effects.Study({"figure": [True, False, False, False]})]
    coverage, found, false = effects.rows_of("method", [*studies * 8, effects.Study(planted=[True])])
    assert coverage == ("method", "coverage: figure", "64", "62.5 ± 9.7")
    assert found == ("method", "found", "1", "100.0 ± nan")
    assert false == ("method", "false discoveries", "0", "0.0 ± 0.0")


@pytest.mark.parametrize(("method", "studies"), [("predictions", 6), ("start_places", 8)])
def test_planted_effects_are_found_and_hardly_anything_else(method, studies):
    found = [effects.METHODS[method](seed) for seed in range(studies)]
    for kind in dict.fromkeys(kind for study in found for kind in study.held):
        assert np.mean([held for study in found for held in study.held.get(kind, [])]) > 0.75, kind
    assert np.mean([is_found for study in found for is_found in study.planted]) > 0.5
    assert np.mean([study.false_share for study in found]) < 0.25
