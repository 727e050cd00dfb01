"""What a network gets of rulesets: their numbers, standardised.

As observations have them, one step of a price is small beside what never changes, and policies learn next to nothing of
it. The means and deviations that standardise them are kept in a file, since they take a second: after a change of the
rulesets of training write it anew with ``python -m ursuppe_agents.policies.board.rules``.
"""

from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies.rulesets import NUM_ENVIRONMENT_CARDS, varied_rulesets
from ursuppe_env import Ruleset
from ursuppe_env.observation import observation_layout, observation_size
from ursuppe_env.observation.parts import rules_rows
from ursuppe_env.rules.board import Direction
from ursuppe_env.rules.ruleset import MAX_PLAYERS, MIN_PLAYERS

_LEAST_DEVIATION = 0.05  # of a number of the ruleset: what hardly ever varies is not made large
MOST_BATCHES = 16  # whose rulesets are kept as networks get them
_RULESETS, _SEED_OF_NONE = 1024, 2**32  # by which rulesets are standardised: trainings have smaller seeds
_FILE = Path(__file__).with_name("moments.npy")


@cache
def _shown_rules() -> NDArray[np.int64]:
    """The numbers of the ruleset's part of an observation that a network gets, by their places in it.

    It has room for the longest of all rulesets, and fills up shorter ones; of these numbers those are left out that
    say nothing more in any ruleset of a training.
    """
    kept = {
        "rules_gene_places": len(Ruleset().gene_places),
        "rules_card_direction": NUM_ENVIRONMENT_CARDS.high * len(Direction),
        "rules_ozone": NUM_ENVIRONMENT_CARDS.high,
    }
    layout = observation_layout(MIN_PLAYERS, True)
    start = observation_size(MIN_PLAYERS)
    places = [
        np.arange(part.start, part.stop)[: kept.get(name)] - start
        for name, part in layout.items()
        if part.start >= start
    ]
    return np.concatenate(places)


def standardised_rules(rulesets: tuple[Ruleset, ...]) -> NDArray[np.float32]:
    """(n, R) what networks get of rulesets: over those of a training the numbers have mean 0 and variance 1."""
    return _standardised_rules(TheVeryRulesets(rulesets))


class TheVeryRulesets:
    """The rulesets of a batch, equal to these very ones alone: to compare a thousand takes longer than all else."""

    def __init__(self, rulesets: tuple[Ruleset, ...]) -> None:
        self.rulesets = rulesets  # kept, so that no other ones can have their identity
        self._identity = id(rulesets[0]) if len(rulesets) == 1 else id(rulesets)  # of one there are many tuples

    def __hash__(self) -> int:
        return self._identity

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TheVeryRulesets) and other._identity == self._identity


@lru_cache(maxsize=MOST_BATCHES)
def _standardised_rules(batch: TheVeryRulesets) -> NDArray[np.float32]:
    means, deviations = kept_moments()[batch.rulesets[0].players - MIN_PLAYERS]
    return (rules_rows(batch.rulesets)[:, _shown_rules()] - means) / deviations


@cache
def kept_moments() -> NDArray[np.float32]:
    """(4, 2, R) what ``moments`` gives for 3 to 6 players, from its file."""
    return np.load(_FILE)


def moments(players: int) -> NDArray[np.float32]:
    """(2, R) means and standard deviations of the numbers of varied rulesets."""
    numbers = rules_rows(varied_rulesets(players, _RULESETS, seed=_SEED_OF_NONE))[:, _shown_rules()].astype(np.float64)
    deviations = np.maximum(numbers.std(axis=0), _LEAST_DEVIATION)
    return np.array([numbers.mean(axis=0), deviations], np.float32)


if __name__ == "__main__":
    np.save(_FILE, [moments(players) for players in range(MIN_PLAYERS, MAX_PLAYERS + 1)])
