"""Deaths and attacks."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.rules.nodes import Phase
from ursuppe_lab.balance.measures import Ratio
from ursuppe_lab.balance.measures.chronicle import Cause, Chronicle, Outcome

_KINDS = {Phase.MOVE_AND_FEED: "for food", Phase.DEATHS: "by Aggression"}


def deaths(chronicle: Chronicle) -> Mapping[str, NDArray[np.generic]]:
    """Amoebas that leave the board in a game, by cause."""
    return {
        cause.name.lower(): _count(chronicle, chronicle.deaths[chronicle.deaths["cause"] == cause]) for cause in Cause
    }


def attacks(chronicle: Chronicle) -> Mapping[str, NDArray[np.generic] | Ratio]:
    """In a game, for food (phase 1) and by Aggression (phase 5); and how they end, as shares of them."""
    figures: dict[str, NDArray[np.generic] | Ratio] = {}
    for phase, kind in _KINDS.items():
        alike = chronicle.attacks[chronicle.attacks["phase"] == phase]
        number = _count(chronicle, alike)
        figures[kind] = number
        for outcome in Outcome:
            if outcome != Outcome.DAMAGED or phase == Phase.DEATHS:
                ended = _count(chronicle, alike[alike["outcome"] == outcome])
                figures[f"{kind}: {outcome.name.lower().replace('_', ' ')}"] = Ratio(ended, number)
    return figures


def _count(chronicle: Chronicle, events: NDArray[np.void]) -> NDArray[np.int64]:
    """(N,) how many of the events are in each game."""
    return np.bincount(events["game"], minlength=chronicle.num_games)
