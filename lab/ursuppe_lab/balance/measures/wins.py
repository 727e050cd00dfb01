"""Who wins."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ursuppe_lab.balance.measures.chronicle import Chronicle


def wins_by_seat(chronicle: Chronicle) -> Mapping[str, NDArray[np.generic]]:
    """Wins of each player number."""
    return {f"player {seat}": chronicle.winner == seat for seat in range(chronicle.players)}


def wins_by_start_place(chronicle: Chronicle) -> Mapping[str, NDArray[np.generic]]:
    """Wins of the player who began on each place of the track."""
    place = np.take_along_axis(chronicle.start_places, chronicle.winner[:, None].astype(np.int64), axis=1)[:, 0]
    return {f"place {start}": place == start for start in range(1, chronicle.players + 1)}
