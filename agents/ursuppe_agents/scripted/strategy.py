"""What distinguishes one scripted player from another, as a few numbers and a list of wishes."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.rules.genes import NUM_PURCHASES, PURCHASE_NAMES

#: A strategy as the compiled tactics read it.
STRATEGY = np.dtype(
    [
        ("num_wishes", np.int64),
        ("wishes", np.int64, (NUM_PURCHASES,)),  # purchases, the dearest wish first
        ("rank", np.int64, (NUM_PURCHASES,)),  # of each purchase among the wishes; num_wishes if it is none
        ("colony", np.int64),
        ("reserve", np.int64),
        ("debt", np.float64),
        ("ransom", np.int64),
        ("effort", np.float64),
    ],
    align=True,
)


@dataclass(frozen=True, kw_only=True)
class Strategy:
    """A way of playing."""

    wishes: tuple[str, ...] = ()  # the genes to buy, by their names in ``buy``, the dearest wish first
    colony: int = 7  # amoebas to have on the board before BP are saved for a gene
    reserve: int = 5  # BP kept back from divisions, for moves, attacks and answers to them in the next round
    debt: float = 0.0  # the highest gene defect to expect in a round, in BP, that a purchase may lead to
    ransom: int = 0  # the most BP to pay in a gene defect; if more is owed, a gene goes
    effort: float = 0.25  # what 1 BP is worth to an amoeba that looks for food, in meals

    @cached_property
    def record(self) -> NDArray[np.void]:
        """(1,) array of dtype STRATEGY, read-only."""
        record = np.zeros(1, STRATEGY)
        wishes = [PURCHASE_NAMES.index(name) for name in self.wishes]
        record["num_wishes"] = len(wishes)
        record["wishes"][0, : len(wishes)] = wishes
        record["rank"] = len(wishes)
        record["rank"][0, wishes] = np.arange(len(wishes))
        for name in ("colony", "reserve", "debt", "ransom", "effort"):
            record[name] = getattr(self, name)
        record.flags.writeable = False
        return record
