"""Measures of the two-player form: what happens in games of two sides with two colours each (``teams.DUEL``).

The rules do not know who plays together, so such a game is one of four players in which each colour is played by an
agent that was trained to play two. Only who wins is another matter, and these measures say it.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.teams import DUEL, Teams
from ursuppe_lab.balance.measures import Ratio
from ursuppe_lab.balance.measures.chronicle import Chronicle

_SIDES = Teams(DUEL)


def wins_of_leading_side(chronicle: Chronicle) -> Mapping[str, Ratio]:
    """Wins of the side that is ahead after each round, in the games that go on; and of the side that ever was not."""
    winner = _SIDES.winner(chronicle.markers[-1])
    leader = _SIDES.winner(chronicle.markers)  # (R, N)
    goes_on = np.arange(1, len(leader) + 1)[:, None] < chronicle.rounds
    wins = (leader == winner) & goes_on
    was_behind = ((leader != winner) & goes_on).any(axis=0)
    by_round = {f"round {number + 1}": Ratio(wins[number], goes_on[number]) for number in range(len(wins) - 1)}
    return {**by_round, "winner was ever behind": Ratio(was_behind, np.ones_like(was_behind))}


def wins_of_places(chronicle: Chronicle) -> Mapping[str, Ratio]:
    """Wins of the side that began on place 4, by its other start place."""
    places = chronicle.start_places
    foremost = (places == chronicle.players).argmax(axis=1)
    wins = _SIDES.winner(chronicle.markers[-1]) == _SIDES.team_of[foremost]
    partner = (foremost + chronicle.players // 2) % chronicle.players  # a side has seats that are opposite
    other = np.take_along_axis(places, partner[:, None], axis=1)[:, 0]
    return {
        f"places {place} and {chronicle.players}": Ratio(wins & (other == place), other == place)
        for place in range(1, chronicle.players)
    }


def wins_of_first_to_choose(chronicle: Chronicle) -> Mapping[str, NDArray[np.generic]]:
    """Wins of the side that is the first to choose a start place."""
    first = chronicle.decisions[np.unique(chronicle.decisions["game"], return_index=True)[1]]["player"]
    return {"first": _SIDES.winner(chronicle.markers[-1]) == _SIDES.team_of[first]}


#: Their names in a study.
OF_LEADING_SIDE, OF_PLACES, OF_FIRST_TO_CHOOSE = (
    f"{measure.__module__}:{measure.__name__}"
    for measure in (wins_of_leading_side, wins_of_places, wins_of_first_to_choose)
)
