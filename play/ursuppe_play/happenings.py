"""What has happened in a game, one thing after the other, told in words when it is asked for."""

from collections.abc import Container
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Games, Ruleset
from ursuppe_env.games import trusted_games
from ursuppe_env.records import Record, replay
from ursuppe_env.render.narration import told
from ursuppe_env.rules.nodes import PAUSED

#: The games of sessions stop at each chance event and after each round, so that all of it can be told.
STOPS = {"explicit_chance": True, "pause_after_rounds": True}


@dataclass(frozen=True)
class Happening:
    """A decision, a chance event, or the beginning of the next round."""

    event: list[Any] | None  # as records have them; None: the next round begins
    before: NDArray[np.void]  # (1,) the state before it
    ruleset: Ruleset

    @property
    def player(self) -> int | None:
        """Who decided; None: chance, or the rules."""
        return self.event[1] if self.event is not None and len(self.event) == 3 else None

    @property
    def action(self) -> str | None:
        """The text of what was decided; None: chance, or the rules."""
        return self.event[2] if self.event is not None and len(self.event) == 3 else None

    def told(self, own: Container[int] = ()) -> list[str]:
        """In words, with all that it led to, in lines; the own seats are "you"."""
        return told(self.event, self.before[0], self.ruleset, own)


def game_at_state(state: NDArray[np.void], ruleset: Ruleset) -> Games:
    """The game at a state, (1,), that the engine has made, for a session."""
    return trusted_games(state.copy(), ruleset, **STOPS)


def replayed(record: Record) -> tuple[Games, list[Happening]]:
    """The game of a record where it was left, and all that happened; its dice go on as they would have without a pause.

    Raises:
        RecordError: the record is not possible.
    """
    for _ in replay(record):
        pass  # whatever is wrong is found here
    if record.position is None:
        games = Games(1, record.ruleset, record.seed or 0, **STOPS)
    else:
        games = Games.from_dict(record.position, **STOPS)
    happenings = []
    for event in record.events:
        if games.player[0] == PAUSED:
            happenings.append(Happening(None, games.state.copy(), record.ruleset))
            games.resume()
        happenings.append(Happening(event, games.state.copy(), record.ruleset))
        if len(event) == 2:
            own = games.copy()
            if own.draw() == [event[1]]:
                games = own  # the game's own streams say so, and go on from there
            else:
                games.resolve([event[1]])
        else:
            games.step([games.actions.id(event[2], event[1])])
    return games, happenings
