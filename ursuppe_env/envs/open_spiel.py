"""Ursuppe as a game of OpenSpiel: ``pyspiel.load_game("ursuppe")``, once this module has been imported.

| parameter | default | |
| --- | --- | --- |
| ``players`` | 4 | 3 ... 6 |
| ``edition`` | 1998 | or 1997 |
| ``ruleset`` | ``{}`` | JSON: the numbers that differ from the edition's; in a game string with ``;`` for each ``,`` |
| ``reward`` | ``win`` | or ``rank`` or ``margin`` (``ursuppe_env.envs.rewards``) |
| ``teams`` | | the seats of each team, with ``;`` for each ``,``: ``0+2;1+3``; none: each seat for itself |
| ``score`` | ``worst`` | which place is a team's, or ``best`` or ``sum`` (``ursuppe_env.teams``) |

The game is sequential, of perfect information, zero-sum, with explicit chance and rewards at the end alone. Actions,
their texts and observations are those of ``Games``. The outcomes of a chance event are numbered from 0: the different
cards in the order of ``Ruleset.environment``, start orders in lexical order, dice by their faces.

With teams OpenSpiel's players are the teams, so two of them are a two-player game. A team acts and sees as the colour
that decides; while another team decides it sees as its first colour.
"""

import json
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any

import numpy as np

from ursuppe_env.envs.rewards import check_reward, final_rewards, reward_bounds
from ursuppe_env.extras import extra
from ursuppe_env.games import Games
from ursuppe_env.line import quoted
from ursuppe_env.parsing import parse_json
from ursuppe_env.rules.chance import chance_values
from ursuppe_env.rules.genes import NUM_GENES, Gene
from ursuppe_env.rules.nodes import CHANCE_PLAYER, FINISHED, Chance
from ursuppe_env.rules.ruleset import MAX_PLAYERS, Ruleset
from ursuppe_env.teams import Teams, read_teams, teams_or_none

with extra("openspiel"):
    import pyspiel  # type: ignore[import-not-found]
    from open_spiel.python.observation import IIGObserverForPublicInfoGame  # type: ignore[import-not-found]

_FEWEST_TEAMS = 2
_PARAMETERS = {"players": 4, "edition": 1998, "ruleset": "{}", "reward": "win", "teams": "", "score": "worst"}
_GAME_TYPE = pyspiel.GameType(
    short_name="ursuppe",
    long_name="Ursuppe (Primordial Soup)",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=MAX_PLAYERS,
    min_num_players=_FEWEST_TEAMS,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=_PARAMETERS,
)
_PSEUDO_PLAYERS = {FINISHED: int(pyspiel.PlayerId.TERMINAL), CHANCE_PLAYER: int(pyspiel.PlayerId.CHANCE)}


class UrsuppeGame(pyspiel.Game):
    """The game with one ruleset; ``pyspiel.load_game`` makes it. ``ValueError``: a parameter is none of its values.

    Attributes:
        ruleset: the numbers that are played with.
        reward: the kind of reward.
        teams: the ``Teams`` (``ursuppe_env.teams``), or None.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = {**_PARAMETERS, **(params or {})}
        try:
            changes = parse_json(given["ruleset"].replace(";", ","))
        except ValueError:
            right = 'it must be JSON, such as {"income":12;"move_cost":0}'
            raise ValueError(f"ruleset is {quoted(given['ruleset'])}; {right}") from None
        self.ruleset = Ruleset.from_changes(given["players"], str(given["edition"]), changes)
        self.reward = check_reward(given["reward"])
        teams = read_teams(given["teams"].replace(";", ",")) if given["teams"] else None
        self.teams = teams_or_none(teams, given["score"], self.ruleset.players)
        self._start = _Position(Games(1, self.ruleset, threads=1, explicit_chance=True), self.teams)
        min_utility, max_utility = reward_bounds(self.reward, self.ruleset, self.teams)
        info = pyspiel.GameInfo(
            num_distinct_actions=self._start.games.num_actions,
            max_chance_outcomes=max(len(values) for values in _chance_values(self.ruleset).values()),
            num_players=self.ruleset.players if self.teams is None else len(self.teams),
            min_utility=min_utility,
            max_utility=max_utility,
            utility_sum=0.0,
            max_game_length=_most_decisions(self.ruleset),
        )
        given["ruleset"] = json.dumps(self.ruleset.changes(), separators=(";", ":"))
        given["teams"] = "" if self.teams is None else str(self.teams).replace(",", ";")
        super().__init__(_GAME_TYPE, info, given)

    def __reduce__(self) -> tuple[Any, ...]:
        return UrsuppeGame, (self.get_parameters(),)  # OpenSpiel's own way leaves out what a Python game has

    def new_initial_state(self) -> "UrsuppeState":
        """The state in which the first environment card is about to be turned up."""
        return UrsuppeState(self, self._start)

    def make_py_observer(self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None) -> Any:
        """An observer of the position, or with perfect recall of the history, as text."""
        if not iig_obs_type or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return UrsuppeObserver(self._start.games, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class _Position:
    """A position that is never changed: a state's clones share it, and each action leads to another one."""

    def __init__(self, games: Games, teams: Teams | None) -> None:
        self.games = games
        self.teams = teams
        self.seat = seat = int(games.state["player"][0])  # that decides, or why none does
        self.player = _PSEUDO_PLAYERS.get(seat, seat) if seat < 0 or teams is None else int(teams.team_of[seat])

    @cached_property
    def chance(self) -> tuple[str, list[tuple[Any, float]]]:
        """The chance event that is due, and what can come of it."""
        return self.games.chance(0)

    def __deepcopy__(self, memo: dict[int, Any]) -> "_Position":
        return self  # OpenSpiel clones a state by deep copies of what it has


class UrsuppeState(pyspiel.State):
    """A position and the history that led to it; ``game.new_initial_state()`` makes the first."""

    def __init__(self, game: UrsuppeGame, position: _Position) -> None:
        super().__init__(game)
        self._position = position

    @property
    def games(self) -> Games:
        """The ``Games`` of this one game, for all else that there is to know; read-only, clones share it."""
        return self._position.games

    def current_player(self) -> int:
        """The player, or team, who decides, or OpenSpiel's number of chance or of the end."""
        return self._position.player

    def seat(self, player: int) -> int:
        """The seat from which a player sees the game: with teams, the one that decides if it is of this team."""
        position = self._position
        if position.teams is None:
            return player
        return position.seat if position.player == player else int(position.teams.first_seats[player])

    def is_terminal(self) -> bool:
        """Is the game over?"""
        return self._position.player == _PSEUDO_PLAYERS[FINISHED]

    def returns(self) -> list[float]:
        """The rewards of the players, or teams; 0 before the end."""
        game = self.get_game()
        if not self.is_terminal():
            return [0.0] * game.num_players()
        return final_rewards(game.reward, self.games.markers[0], game.ruleset, np.float64, game.teams).tolist()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes that are possible now, each with its probability."""
        event, outcomes = self._position.chance
        numbers = _chance_values(self.games.ruleset)[event]
        hashable = ((tuple(value) if isinstance(value, list) else value, chance) for value, chance in outcomes)
        return [(numbers[value], probability) for value, probability in hashable]

    def _legal_actions(self, player: int) -> list[int]:
        return np.flatnonzero(self.games.legal()[0]).tolist()

    def _apply_action(self, action: int) -> None:
        games = self.games.copy()
        if self.is_chance_node():
            games.resolve([self._chance_value(action)])
        else:
            games.step([action])
        self._position = _Position(games, self._position.teams)

    def _action_to_string(self, player: int, action: int) -> str:
        if player != _PSEUDO_PLAYERS[CHANCE_PLAYER]:
            return self.games.actions.text(action, self.seat(player))
        value = self._chance_value(action)
        words = value if isinstance(value, tuple) else (value,)
        return " ".join(map(str, (self._position.chance[0], *words)))

    def _chance_value(self, outcome: int) -> object:
        values = list(_chance_values(self.games.ruleset)[self._position.chance[0]])
        if not 0 <= outcome < len(values):
            raise ValueError(f"chance outcome is {outcome}; it must be 0 ... {len(values) - 1}")
        return values[outcome]

    def __str__(self) -> str:
        """The position as JSON (docs/positions.md): equal texts are equal positions."""
        return json.dumps(self.games.to_dict(0))


class UrsuppeObserver:
    """What a player sees (docs/observation.md).

    Attributes:
        tensor: (F,) float32, written by ``set_from``.
        dict: its named parts, views onto it.
    """

    def __init__(self, games: Games, params: Mapping[str, Any] | None) -> None:
        if params:
            raise ValueError(f"an observer's params are {dict(params)}; there are none")
        self.tensor = np.zeros(games.observation_size, np.float32)
        self.dict = {name: self.tensor[part] for name, part in games.observation_layout.items()}

    def set_from(self, state: UrsuppeState, player: int) -> None:
        """Write what the player sees of the state."""
        state.games.observe(state.seat(player), out=self.tensor[np.newaxis])

    def string_from(self, state: UrsuppeState, player: int) -> str:
        """The position as JSON, the same for all players."""
        return str(state)


@cache
def _chance_values(ruleset: Ruleset) -> dict[str, dict[object, int]]:
    """By chance event: each value that it can have, and its number."""
    values = {event.name.lower(): chance_values(event, ruleset.players) for event in Chance if event != Chance.CARD}
    values["card"] = tuple(dict.fromkeys(ruleset.environment))
    return {event: {value: number for number, value in enumerate(possible)} for event, possible in values.items()}


def _most_decisions(ruleset: Ruleset) -> int:
    """No game has more decisions than this: all that could be asked if everybody owned every gene there is."""
    players, amoebas = ruleset.players, ruleset.amoebas
    clingers = amoebas * min(players - (not ruleset.own_clinging), ruleset.cards[Gene.HOLDING])
    clinging = clingers * (1 + (ruleset.carry if ruleset.clinging_carries else 0))
    movement = 2 * (clinging + 1 + ruleset.carry) + 1  # two steps: cling, direction, carry; again in between
    attack = 3 + movement  # defend: Defense, Escape and its movement, pass
    phase_1 = players * amoebas * (1 + movement + 3 + 2 * attack + 1)  # move, feed (two attacks fail), meal
    phase_2 = players * NUM_GENES  # defect
    phase_3 = players * (NUM_GENES + 1)  # buy, pass
    phase_4 = players * (2 * amoebas + 1)  # divide and number, pass
    phase_5 = players * 2 * (1 + attack)  # aggress
    set_up = players * 5  # start place, two amoebas and their numbers
    rounds = len(ruleset.environment) - 1
    return set_up + rounds * (phase_1 + phase_2 + phase_3 + phase_4 + phase_5)


pyspiel.register_game(_GAME_TYPE, UrsuppeGame)
