"""Which of many differences count: a false discovery rate, since of 20 that are none one looks like one."""

from collections.abc import Sequence

from ursuppe_env.extras import extra
from ursuppe_lab.statistics import student
from ursuppe_lab.statistics.intervals import FALSE_DISCOVERIES, Interval
from ursuppe_lab.statistics.ratios import Bootstrapped

with extra("arena"):
    import scipy  # type: ignore[import-untyped]


def p_value(difference: Bootstrapped, num_clusters: int) -> float | None:
    """How likely a difference at least so large, to either side, is where there is none; None if it has no interval.

    Student's t, with the standard deviation of the resamples as the error: for means of seeds it is the paired t-test.
    Counting resamples beyond 0 would not do: 2,000 of them cannot tell p-values below 1 in 1,000 from each other, and
    among hundreds of figures those decide.

    Args:
        difference: with its resamples.
        num_clusters: how many were resampled; the smaller number, if they are not pairs.
    """
    interval = difference.interval()
    if interval is None or interval.ends is None:
        return None
    return 2 * student.p_one_sided(abs(difference.estimate), difference.error(num_clusters), num_clusters)


def adjusted(p_values: Sequence[float | None]) -> list[float | None]:
    """The p-values of all that was looked at, after Benjamini and Hochberg; None is none.

    Each is the share of false ones among all that are at least as clear: those of at most 0.05, all of them together,
    are wrong in one case of twenty on average.
    """
    known = [p for p in p_values if p is not None]
    found = iter(scipy.stats.false_discovery_control(known).tolist() if known else [])
    return [None if p is None else next(found) for p in p_values]


def counts(adjusted_p: float | None) -> bool:
    """Is a difference with this p-value, adjusted for all of them, more than chance gives to one of so many?"""
    return adjusted_p is not None and adjusted_p <= FALSE_DISCOVERIES


def clearness(difference: Interval | None) -> float:
    """How large a difference that counts is for its interval."""
    assert difference is not None
    assert difference.ends is not None
    low, high = difference.ends
    return abs(difference.estimate) / (high - low) if high > low else float("inf")


def about_differences(adjusted_p: Sequence[float | None], where: str) -> str:
    """How many of the differences, of all figures, count, and what that means; where: such as "from the base"."""
    compared = [p for p in adjusted_p if p is not None]
    return (
        f"{sum(map(counts, compared))} of {len(compared)} figures differ {where}, at a false discovery rate of "
        f"{100 * FALSE_DISCOVERIES:.0f} % (Benjamini-Hochberg)"
    )
