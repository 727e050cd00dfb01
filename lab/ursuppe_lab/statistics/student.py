"""Student's t: how far an interval reaches, and how likely an estimate is by chance."""

from ursuppe_env.extras import extra

with extra("arena"):
    import scipy  # type: ignore[import-untyped]


def reach(error: float, number: int) -> float:
    """From an estimate to either end of its 95 % interval.

    Args:
        error: standard error of the estimate.
        number: of the independent values that it is made of, at least 2.
    """
    return error * float(scipy.stats.t.ppf(0.975, number - 1))


def p_one_sided(estimate: float, error: float, number: int) -> float:
    """How likely an estimate at least so large is where the truth is 0 or less; arguments are those of ``reach``."""
    if error == 0:
        return 0.5 if estimate == 0 else float(estimate < 0)
    return float(scipy.stats.t.sf(estimate / error, number - 1))


def two_sided(p: float | None) -> float | None:
    """The p-value to either side of one to one side."""
    return None if p is None else 2 * min(p, 1 - p)
