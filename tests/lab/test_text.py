"""Figures in words: with their intervals, or why there are none."""

import pytest

from ursuppe_lab.reports.text import about_intervals, ends, percent, plain, printable, value
from ursuppe_lab.statistics import Interval

ALONE = Interval(0.25, None, None)


def test_a_figure_has_its_interval_behind_it():
    assert value(Interval(8.414, 8.386, 8.432), ".2f") == "8.41 (8.39 to 8.43)"
    assert value(Interval(0.001, -0.2, 0.3), "+.1f", 100) == "+0.1 (-20.0 to +30.0)"
    assert percent(Interval(0.2714, 0.265, 0.2771)) == "27.1 % (26.5–27.7)"
    assert ends(Interval(8.414, 8.386, 8.432), ".2f") == "8.39 to 8.43"


def test_a_figure_without_an_interval_stands_alone_and_what_is_unknown_is_a_dash():
    assert (value(ALONE, "+.2f"), percent(ALONE), ends(ALONE, ".2f")) == ("+0.25", "25.0 %", "")
    assert (value(None, ".2f"), percent(None)) == ("–", "–")


def test_what_has_a_bound_on_one_side_alone_says_so():
    assert value(Interval(528, 203, None), "+.0f") == "+528 (from +203 up)"
    assert value(Interval(-528, None, -203), "+.0f") == "-528 (up to -203)"


def test_nothing_has_no_sign():
    assert [plain(number, "+.1f") for number in (0.0, -0.0, 0.04, -0.04, -0.06)] == ["0.0", "0.0", "0.0", "0.0", "-0.1"]


@pytest.mark.parametrize(
    ("seeds", "words"),
    [
        ([10, 400], "95 % intervals"),
        ([2], "no intervals: 2 seeds are too few, at least 10 are needed"),
        ([1, 9], "no intervals: 1 seed is too few, at least 10 are needed"),
        ([40, 9], "95 % intervals, but not everywhere: 9 seeds are too few, at least 10 are needed"),
    ],
)
def test_too_few_seeds_are_said_to_be_too_few(seeds, words):
    assert about_intervals(seeds) == words


def test_a_name_stays_in_its_line_and_is_otherwise_as_it_is():
    assert printable("a\nb\r\tc\x1b[31m\udcff") == r"a\nb\r\tc\x1b[31m\udcff"
    for name in ("policy:model=runs/a$b_{c}^2\\x.zip", "<b>&amp;</b>", "Zoë's amöba 変形虫"):
        assert printable(name) == name
