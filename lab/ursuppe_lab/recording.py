"""Agents play many games, in several processes if wanted, and all are recorded: always the same bytes."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from ursuppe_agents.draws import key_from
from ursuppe_agents.registry import make_agent
from ursuppe_env import Ruleset
from ursuppe_env.envs.opponents import Opponent
from ursuppe_env.records import record_games
from ursuppe_env.records.format import encode_records, write_encoded
from ursuppe_env.records.recorder import GAMES_AT_ONCE
from ursuppe_env.teams import Teams
from ursuppe_env.validation import checked_seed
from ursuppe_lab.jobs.runner import run_in_order


@dataclass(frozen=True)
class Recording:
    """What is to be played; it must be picklable.

    Game k (from 0) has the seed ``seed + k``. In every ``GAMES_AT_ONCE`` games the agents are new ones. What they draw
    by ``Agent.uniform`` depends on the seed, the game and the seat or team, what they draw from their generators on the
    first of these games, too.
    """

    games: int
    ruleset: Ruleset
    agents: tuple[str, ...]  # one spec a seat, or a team
    seed: int = 0
    legal: bool = False  # record the legal actions of each decision
    rounds: bool = False  # record the state after each round
    teams: Teams | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be played.

        Raises:
            ValueError: a seed is out of its range.
        """
        checked_seed("seed", self.seed)
        checked_seed("seed of the last game", self.seed + self.games - 1)

    def player(self, spec: str, number: int, first: int) -> Opponent | None:
        """Who plays a seat, or a team; nobody for ``random``, so that the moves come from the games' own streams."""
        if spec == "random":
            return None
        agent = make_agent(spec, np.random.default_rng([self.seed, number, first]))
        agent.key, agent.teams = key_from(self.seed, number), self.teams
        return agent


def write_recording(
    path: Path, recording: Recording, workers: int | None = None, on_progress: Callable[[int], None] | None = None
) -> None:
    """Play and write a file of records, whole or not at all.

    Args:
        path: of the ``.jsonl`` or ``.jsonl.gz`` file.
        recording: what to play.
        workers: processes; None: one per core. No more than there are pieces of ``GAMES_AT_ONCE`` games.
        on_progress: called with the number of games that are written, after each piece.

    Raises:
        RecordError: there is no such folder, or the name is of no file of records.
        ValueError: ``workers`` is less than 1; a spec names no agent; an agent's action is not legal.
        OSError: the file cannot be written; the error names it.
    """

    for number, spec in enumerate(recording.agents):
        recording.player(spec, number, 0)  # whatever is wrong with it is said before any process is started

    def encode(compress: bool) -> Iterator[bytes]:
        everything = range(recording.games)
        pieces = [everything[first : first + GAMES_AT_ONCE] for first in everything[::GAMES_AT_ONCE]]
        with closing(run_in_order(partial(_encoded, recording, compress), pieces, workers)) as contents:
            for piece, content in zip(pieces, contents, strict=True):
                yield content
                if on_progress is not None:
                    on_progress(piece.stop)

    write_encoded(path, encode)


def _encoded(whole: Recording, compress: bool, games: range) -> bytes:
    """The records of these games, which are played side by side."""
    records = record_games(
        len(games),
        whole.ruleset,
        seed=whole.seed + games.start,
        agents=whole.agents,
        players=[whole.player(spec, number, games.start) for number, spec in enumerate(whole.agents)],
        legal=whole.legal,
        rounds=whole.rounds,
        teams=None if whole.teams is None else whole.teams.seats,
        score="worst" if whole.teams is None else whole.teams.score,
    )
    return encode_records(records, compress)
