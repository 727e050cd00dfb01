"""What becomes of a decision: after each action a policy plays the game to its end in all seats, many times.

No critic has a say: what is counted is who has won. So the figures are noisy, and the noise is known.
"""

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.draws import drawn_actions
from ursuppe_agents.evaluator import Evaluator
from ursuppe_env import Games
from ursuppe_env.games import trusted_games
from ursuppe_env.rules.state import STATE, plain_memory
from ursuppe_env.teams import Teams, sides_of

_POSITION = slice(STATE.fields["legal"][1], None)  # type: ignore[index]  # the bytes of a record after its streams


def positions(states: NDArray[np.void]) -> NDArray[np.uint8]:
    """(n, bytes) what the records say but for their random streams."""
    return states.view(np.uint8).reshape(len(states), STATE.itemsize)[:, _POSITION]


def stream_of(state: NDArray[np.void], key: bytes, number: int) -> int:
    """64 bits for a stream of random numbers that depends on a position, (1,), but not on the real game's streams.

    It also depends on the key of whoever asks, and on the number of the stream.
    """
    salt = number.to_bytes(blake2b.SALT_SIZE, "little")
    digest = blake2b(positions(state)[0].tobytes(), key=key, salt=salt, digest_size=8).digest()
    return int.from_bytes(digest, "little")


def play_out(
    evaluator: Evaluator, games: Games, actions: NDArray[np.int64], draws: int, stream: int, teams: Teams | None = None
) -> NDArray[np.float64]:
    """Take each action, and let all players go on by the policy to the end of the game.

    Args:
        evaluator: the policy.
        games: a batch of one, at a decision, which stops neither at chance nor after rounds; left as it is.
        actions: (A,) legal ones.
        draws: D, how many times. The n-th has the same dice and the same luck of choices after every action, as far as
            actions allow: then their differences are less noisy.
        stream: of the random numbers, 0 ... 2**64 - 1.
        teams: who plays together; None: each seat for itself.

    Returns:
        (D, A, P) 1 for each player who has won, with teams for all of the team; 0 for the others.

    Raises:
        ValueError: the policy cannot evaluate such games.
    """
    began = games.copy(np.zeros(draws, np.int64), reseed=stream)
    batch = trusted_games(np.tile(plain_memory(began.state), len(actions)).view(STATE), games.ruleset, threads=1)
    batch.step(np.repeat(actions, draws))
    generator = np.random.default_rng(stream)
    while len(rows := np.flatnonzero(batch.player >= 0)):
        batch.step(drawn_actions(evaluator.priors(batch, rows), generator.random(draws)[rows % draws]), rows)
    sides = sides_of(teams, batch.num_players)
    won = sides.winner(batch.markers)[:, np.newaxis] == sides.team_of
    return won.astype(np.float64).reshape(len(actions), draws, batch.num_players).swapaxes(0, 1)
