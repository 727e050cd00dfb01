"""What a policy makes of a decision: from each action on it plays to the start of the next round but one, many times.

Its critic's word cannot be had directly after an action: there now this player decides and now that one, in one phase
or in another, and it is not equally sanguine about all of them. At the start of a round all that is compared is alike,
and the dice, cards and choices on the way there are played rather than guessed. The next round's start may be a step
away and still shows who decided last; so it is the one after that.
"""

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.search.evaluator import Evaluator
from ursuppe_env import Games
from ursuppe_env.games import trusted_games
from ursuppe_env.rules.state import STATE, plain_memory

_ROUNDS = 2  # a play-out ends at the start of the next round but one


def play_out(
    evaluator: Evaluator, games: Games, actions: NDArray[np.int64], draws: int, stream: int
) -> NDArray[np.float64]:
    """Take each action, and let all players go on by the policy to the start of the next round but one.

    Args:
        evaluator: the policy.
        games: a batch of one, at a decision, which stops neither at chance nor after rounds; left as it is.
        actions: (A,) legal ones.
        draws: D, how many times. The n-th has the same dice and the same luck of choices after every action, as far as
            actions allow: then their differences are less noisy.
        stream: of the random numbers, 0 ... 2**64 - 1.

    Returns:
        (D, A, P) each player's chance of winning by the critic there; or who has won.

    Raises:
        ValueError: the policy cannot evaluate such games.
    """
    began = games.copy(np.zeros(draws, np.int64), reseed=stream)
    batch = trusted_games(np.tile(plain_memory(began.state), len(actions)).view(STATE), games.ruleset, threads=1)
    batch.step(np.repeat(actions, draws))
    generator = np.random.default_rng(stream)
    end = int(games.rounds[0]) + _ROUNDS
    while len(rows := np.flatnonzero((batch.player >= 0) & (batch.rounds < end))):
        probabilities, _ = evaluator.evaluate(batch, rows)
        reached = probabilities.cumsum(axis=1)
        drawn = generator.random(draws)[rows % draws] * reached[:, -1]
        batch.step((reached > drawn[:, np.newaxis]).argmax(axis=1), rows)
    chances = np.zeros((len(batch), batch.num_players))
    going_on = np.flatnonzero(~batch.finished)
    if len(going_on):
        chances[going_on] = evaluator.evaluate(batch, going_on)[1]
    over = np.flatnonzero(batch.finished)
    chances[over, batch.winner[over]] = 1
    return chances.reshape(len(actions), draws, batch.num_players).swapaxes(0, 1)
