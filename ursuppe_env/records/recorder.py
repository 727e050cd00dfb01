"""Play games and record them."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ursuppe_env.games import Games
from ursuppe_env.line import counted, quoted
from ursuppe_env.records.format import CHANCE_NAMES, DECISION_NAMES, HALF_CHARACTER, Record, result, snapshot
from ursuppe_env.rules.nodes import CHANCE_PLAYER, PAUSED, Chance
from ursuppe_env.rules.ruleset import Ruleset
from ursuppe_env.rules.state import LAYOUT
from ursuppe_env.teams import Partition, Teams, teams_or_none, tell_teams
from ursuppe_env.threads import lent
from ursuppe_env.validation import checked_count, checked_flag, checked_rulesets, checked_seed

#: Games that are played side by side.
GAMES_AT_ONCE = 64

#: One ``(games, rows) -> actions`` a seat; None takes uniformly random actions, drawn from the games' own streams.
Players = Sequence[Callable[[Games, NDArray[np.int64]], ArrayLike] | None]


def record_games(
    num_games: int,
    ruleset: Ruleset | Sequence[Ruleset] | None = None,
    *,
    seed: int = 0,
    agents: Sequence[str] | None = None,
    players: Players | None = None,
    legal: bool = False,
    rounds: bool = False,
    teams: Partition | None = None,
    score: str = "worst",
) -> Iterator[Record]:
    """Play games and yield their records; game k is played with the seed ``seed + k`` alone.

    Args:
        num_games: how many.
        ruleset: what to play with; of a list of rulesets, for the same number of players, each game takes the next one.
            Default: 4 players, edition 1998.
        seed: seed of the first game.
        agents: the names to record for the seats.
        players: who plays the seats, one a seat; None plays uniformly at random, from the games' own streams. By
            default all do.
        legal: record the legal actions of each decision.
        rounds: record the state after each phase 6.
        teams: the seats of each team, such as ``((0, 2), (1, 3))``; ``agents`` and ``players`` have one entry a team
            then, who plays all its seats. None: each seat for itself.
        score: which place is a team's: of its "worst" or "best" marker, or the "sum" of all.

    Raises:
        ValueError: an argument is out of its range; or, while the records are asked for, a player's action is not
            legal. The message names it.
    """
    rulesets = checked_rulesets(Ruleset() if ruleset is None else ruleset)
    num_games, seed = checked_count("num_games", num_games, 0), checked_seed("seed", seed)
    checked_seed("seed of the last game", seed + max(num_games - 1, 0))
    sides = teams_or_none(teams, score, rulesets[0].players)
    count, one_a = (rulesets[0].players, "one a seat") if sides is None else (len(sides), "one a team")
    players = [None] * count if players is None else players
    if not isinstance(players, Sequence) or not all(player is None or callable(player) for player in players):
        raise ValueError(f"players is {quoted(players)}; it must have {count} agents or None, {one_a}")
    if len(players) != count:
        raise ValueError(f"players has {counted(len(players), 'entry', 'entries')}; it must have {count}, {one_a}")
    names = () if agents is None else agents
    are_texts = isinstance(names, (list, tuple)) and all(isinstance(name, str) for name in names)
    if not are_texts or any(map(HALF_CHARACTER.search, names)):
        raise ValueError(f"agents is {quoted(agents)}; it must be a list of names, {one_a}")
    if agents is not None and len(agents) != count:
        raise ValueError(f"agents has {counted(len(agents), 'name')}; it must have {count}, {one_a}")
    if sides is not None:
        players = [players[team] for team in sides.team_of]
        agents = None if agents is None else [agents[team] for team in sides.team_of]
    tell_teams(players, sides)
    legal, rounds = checked_flag("legal", legal), checked_flag("rounds", rounds)

    def played() -> Iterator[Record]:
        for first in range(0, num_games, GAMES_AT_ONCE):
            seeds = range(seed + first, seed + min(first + GAMES_AT_ONCE, num_games))
            rows = np.arange(len(seeds))
            turns = (first + rows) % len(rulesets)
            stops = {"explicit_chance": True, "pause_after_rounds": True}
            games = Games(len(seeds), rulesets, index=np.zeros_like(rows), ruleset_index=turns, **stops)
            for row, own_seed in enumerate(seeds):
                games.reset(mask=rows == row, seed=own_seed)
            yield from record_from(games, seeds, [agents] * len(seeds), players, legal, rounds, sides)

    return played()


def record_from(
    games: Games,
    seeds: Sequence[int | None],
    agents: Sequence[Sequence[str] | None],
    players: Players,
    legal: bool = False,
    rounds: bool = False,
    teams: Teams | None = None,
) -> Iterator[Record]:
    """Play games that have just begun, and that stop at chance and after rounds, to their end; yield their records.

    Seeds and names of agents are recorded, one of each a game. ``players``, ``legal`` and ``rounds`` are those of
    ``record_games`` without teams; ``teams`` says who plays together.
    """
    rows = range(len(games))
    events: list[list[list[Any]]] = [[] for _ in rows]
    legal_actions: list[list[list[str]]] = [[] for _ in rows]
    states: list[list[dict[str, Any]]] = [[] for _ in rows]
    texts = [games.actions.texts(seat) for seat in range(games.num_players)]
    while not games.finished.all():
        player = games.player
        if (player == CHANCE_PLAYER).any():
            names = games.state["node"].tolist()
            for row, value in enumerate(games.draw()):
                if value is not None:
                    events[row].append([CHANCE_NAMES[names[row] - Chance.CARD], value])
        elif (player == PAUSED).any():
            for row in np.flatnonzero(player == PAUSED).tolist() if rounds else ():
                states[row].append(snapshot(games, row))
            games.resume()
        else:
            seats, decisions = player.tolist(), games.decision.tolist()
            if legal:
                for row, mask in enumerate(games.legal()):
                    if seats[row] >= 0:
                        legal_actions[row].append([texts[seats[row]][id] for id in np.flatnonzero(mask).tolist()])
            for row, action in enumerate(_take_actions(games, players).tolist()):
                if seats[row] >= 0:
                    events[row].append([DECISION_NAMES[decisions[row]], seats[row], texts[seats[row]][action]])
    for row in rows:
        yield Record(
            ruleset=games.ruleset_of(row),
            events=events[row],
            result=result(games, row),
            seed=seeds[row],
            agents=None if (names := agents[row]) is None else list(names),
            legal=legal_actions[row] if legal else None,
            rounds=[*states[row], snapshot(games, row)] if rounds else None,
            layout=LAYOUT,
            teams=teams,
        )


def _take_actions(games: Games, players: Players) -> NDArray[np.int64]:
    """Take an action wherever somebody decides; returns the (N,) actions, -1 elsewhere."""
    actions = np.full(len(games), -1)
    acting = games.player
    for seat, opponent in enumerate(players):
        rows = np.flatnonzero(acting == seat)
        if rows.size == 0:
            continue
        if opponent is None:
            actions[rows] = games.step_random(rows)
        else:
            with lent(games):
                chosen = opponent(games, rows.copy())  # its own copy, which it may change
            games.step(chosen, rows)
            actions[rows] = chosen
    return actions
