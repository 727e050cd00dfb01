"""Agents play many games, in several processes if wanted, and all are recorded: always the same bytes."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.agent import Fault
from ursuppe_agents.asking import AgentError, check_legal, chosen_actions
from ursuppe_agents.draws import key_from
from ursuppe_agents.registry import make_agent
from ursuppe_env import Games, Ruleset
from ursuppe_env.envs.opponents import Opponent
from ursuppe_env.jobs import run_in_order
from ursuppe_env.records import Record, record_games
from ursuppe_env.records.format import encode_records, write_encoded
from ursuppe_env.records.recorder import GAMES_AT_ONCE
from ursuppe_env.teams import Teams
from ursuppe_env.validation import checked_seed


@dataclass(frozen=True)
class Recording:
    """What is to be played; it must be picklable. A seed that is out of its range is a ``ValueError``.

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
        checked_seed("seed", self.seed)
        checked_seed("seed of the last game", self.seed + self.games - 1)

    def player(self, spec: str, number: int, first: int) -> Opponent | None:
        """Who plays a seat, or a team; nobody for ``random``, so that the moves come from the games' own streams."""
        if spec == "random":
            return None
        agent = make_agent(spec, np.random.default_rng([self.seed, number, first]))
        agent.key, agent.teams = key_from(self.seed, number), self.teams

        def act(games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
            try:
                actions = chosen_actions(agent, games, rows)
                check_legal(games, actions, rows)
            except Fault as fault:
                who, seed = f"player {games.player[fault.row]}", self.seed + first + fault.row
                raise AgentError(f"agent {spec} {fault.what}; it was {who} in the game of seed {seed}") from fault
            return actions

        return act


def write_recording(
    path: Path,
    recordings: Sequence[Recording],
    workers: int | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> None:
    """Play and write a file of records, whole or not at all.

    Args:
        path: of the ``.jsonl`` or ``.jsonl.gz`` file.
        recordings: what to play, one after the other.
        workers: processes; None: one per core. No more than there are pieces of ``GAMES_AT_ONCE`` games.
        on_progress: called with the number of games that are written, after each piece.

    Raises:
        RecordError: there is no such folder, or the name is of no file of records.
        ValueError: ``workers`` is less than 1; a spec names no agent; an agent crashed, or its action is not legal.
        OSError: the file cannot be written; the error names it.
    """
    for recording in recordings:
        for number, spec in enumerate(recording.agents):
            recording.player(spec, number, 0)  # whatever is wrong with it is said before any process is started

    def encode(compress: bool) -> Iterator[bytes]:
        pieces = [
            (recording, range(recording.games)[first : first + GAMES_AT_ONCE])
            for recording in recordings
            for first in range(0, recording.games, GAMES_AT_ONCE)
        ]
        written = 0
        with closing(run_in_order(partial(_encoded, compress), pieces, workers)) as contents:
            for (_, games), content in zip(pieces, contents, strict=True):
                yield content
                written += len(games)
                if on_progress is not None:
                    on_progress(written)

    write_encoded(path, encode)


def played_games(recording: Recording, games: range) -> Iterator[Record]:
    """The records of these games, which are played side by side."""
    return record_games(
        len(games),
        recording.ruleset,
        seed=recording.seed + games.start,
        agents=recording.agents,
        players=[recording.player(spec, number, games.start) for number, spec in enumerate(recording.agents)],
        legal=recording.legal,
        rounds=recording.rounds,
        teams=None if recording.teams is None else recording.teams.seats,
        score="worst" if recording.teams is None else recording.teams.score,
    )


def _encoded(compress: bool, piece: tuple[Recording, range]) -> bytes:
    return encode_records(played_games(*piece), compress)
