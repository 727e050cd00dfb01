"""p-values, and which of many differences count: of 20 that are none, one looks like one."""

from collections.abc import Sequence

from ursuppe_env.extras import extra
from ursuppe_lab.statistics import FALSE_DISCOVERIES, Interval
from ursuppe_lab.statistics.ratios import Bootstrapped

with extra("arena"):
    import scipy  # type: ignore[import-untyped]


def p_one_sided(estimate: float, error: float, number: int) -> float:
    """How likely an estimate at least so large is where the truth is 0 or less, by Student's t.

    ``error`` is its standard error, ``number`` that of the independent values that it is made of, at least 2.
    """
    if error == 0:
        return 0.5 if estimate == 0 else float(estimate < 0)
    return float(scipy.stats.t.sf(estimate / error, number - 1))


def two_sided(p: float | None) -> float | None:
    """The p-value to either side of one to one side."""
    return None if p is None else 2 * min(p, 1 - p)


def p_value(difference: Bootstrapped, num_clusters: int) -> float | None:
    """How likely a difference at least so large, to either side, is where there is none; None if it has no interval.

    Student's t, with the standard deviation of the resamples of so many clusters as the error; of the smaller number,
    if they are not pairs, or of those that have anything of its kind. 2,000 resamples cannot be counted instead: they
    do not tell p-values below 1 in 1,000 apart.
    """
    if len(difference.resampled) == 0 or difference.interval() is None:
        return None
    number = int(min(num_clusters, difference.speaking))
    return 2 * p_one_sided(abs(difference.estimate), difference.error(number), number)


def adjusted(p_values: Sequence[float | None]) -> list[float | None]:
    """The p-values of all that was looked at, after Benjamini and Hochberg; None is none.

    Each is the share of false ones among all that are at least as clear.
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
