"""What an agent says of a decision: figures in samples, so that their noise can be told."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Opinion:
    """Of a decision with A legal actions, in the order of their ids, in a game of P players; in N samples.

    A sample is a play-out to the end of the game after each action. Samples know nothing of each other, so they
    differ by as much as one of them can be wrong by chance.

    Attributes:
        chances: (N, P) each player's chance of winning before the decision.
        chances_after: (N, A, P) after each action, who has won: 1 or 0.
        priors: (A,) how likely each action is before any search; in sum 1.
        votes: (A,) how much speaks for each action in the end; in sum 1.
        visits: (A,) play-outs that began with each action, those of a search too.
    """

    chances: NDArray[np.float64]
    chances_after: NDArray[np.float64]
    priors: NDArray[np.float64]
    votes: NDArray[np.float64]
    visits: NDArray[np.int64]

    def as_dict(self) -> dict[str, Any]:
        """As JSON can write it."""
        return {name: value.tolist() for name, value in vars(self).items()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Opinion":
        """What ``as_dict`` gave."""
        return cls(**{name: np.array(value) for name, value in values.items()})
