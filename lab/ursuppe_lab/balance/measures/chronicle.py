"""What happened in a batch of games, written down while they are played: all that measures can ask for."""

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Games, Ruleset
from ursuppe_env.games import trusted_games
from ursuppe_env.rules.actions import DEFENSE, FIRST_BUY, FIRST_START, PASS, first_attack
from ursuppe_env.rules.board import OFF_BOARD
from ursuppe_env.rules.genes import BOUGHT_GENE, NUM_GENES, Gene
from ursuppe_env.rules.nodes import Decision, Phase
from ursuppe_env.rules.ruleset import MAX_AMOEBAS
from ursuppe_env.rules.state import STATE, plain_memory
from ursuppe_lab.arena.matches import Observer, seat_agents
from ursuppe_lab.arena.tournament import MatchBatch


class Cause(IntEnum):
    """Why an amoeba leaves the board."""

    HUNGER = 0  # phase 5: at its deadly DP
    ATTACK = 1  # phase 1: killed by a hungry amoeba
    AGGRESSION = 2  # phase 5: killed by an aggressor


class Outcome(IntEnum):
    """How an attack ends."""

    KILLED = 0  # the victim leaves the board
    DAMAGED = 1  # Armour: the victim gets 1 DP
    FOUGHT_OFF = 2  # Defense: the attacker lost the fight
    ESCAPED = 3


def _columns(*names: str) -> list[tuple[str, type]]:
    """The row of the batch, and small numbers."""
    return [("game", np.int32), *((name, np.int8) for name in names)]


#: One decision with two or more legal actions, ``action`` being its id; the round is 0 in the set-up.
DECISION = np.dtype([*_columns("round", "phase", "player", "decision"), ("action", np.int16)])
#: An amoeba that left the board.
DEATH = np.dtype(_columns("round", "player", "cause"))
#: An attack in the phase MOVE_AND_FEED or DEATHS, with how it ended; victim and attacker may be the same player.
ATTACK = np.dtype(_columns("round", "phase", "attacker", "victim", "outcome"))


@dataclass(frozen=True)
class Chronicle:
    """N finished games with P players, and what happened in them.

    Attributes:
        ruleset: that they were played with.
        states: (R, N) each game (``ursuppe_env.rules.state``) as it stood after phase 6 of each of the R rounds that
            a game can have; from its last one on, as it ended.
        decisions: (D,) of ``DECISION``; those of a game are in the order in which they were made.
        attacks: of ``ATTACK``.
        deaths: of ``DEATH``.
    """

    ruleset: Ruleset
    states: NDArray[np.void]
    decisions: NDArray[np.void]
    attacks: NDArray[np.void]
    deaths: NDArray[np.void]

    @property
    def num_games(self) -> int:
        """N."""
        return self.states.shape[1]

    @property
    def players(self) -> int:
        """P."""
        return self.ruleset.players

    @cached_property
    def winner(self) -> NDArray[np.int8]:
        """(N,) who won."""
        return self.states["winner"][-1]

    @cached_property
    def rounds(self) -> NDArray[np.int8]:
        """(N,) how many rounds were played."""
        return self.states["round"][-1]

    @cached_property
    def is_played(self) -> NDArray[np.bool_]:
        """(R, N) was this round played?"""
        return np.arange(1, len(self.states) + 1)[:, None] <= self.rounds

    @cached_property
    def start_places(self) -> NDArray[np.int64]:
        """(N, P) the place on the track that each player took in the set-up, from 1."""
        places = np.zeros((self.num_games, self.players), np.int64)
        taken = self.decisions[self.decisions["decision"] == Decision.START_PLACE]
        places[taken["game"], taken["player"]] = taken["action"] - FIRST_START + 1
        left = self.players * (self.players + 1) // 2 - places.sum(axis=1, keepdims=True)
        return np.where(places == 0, left, places)  # the last one had no choice, and was not asked

    @cached_property
    def markers(self) -> NDArray[np.int16]:
        """(R, N, P) places on the track after each round."""
        return self.states["marker"][:, :, : self.players]

    @cached_property
    def amoebas(self) -> NDArray[np.int64]:
        """(R, N, P) amoebas on the board after each round."""
        return np.asarray((self.states["amoeba_space"][:, :, : self.players] != OFF_BOARD).sum(axis=3))

    @cached_property
    def bp(self) -> NDArray[np.int16]:
        """(R, N, P) biopoints after each round."""
        return self.states["bp"][:, :, : self.players]

    @cached_property
    def first_purchase(self) -> NDArray[np.int64]:
        """(N, P, 20) the round in which each player first bought each gene; 0: never."""
        is_purchase = (self.decisions["decision"] == Decision.BUY) & (self.decisions["action"] != PASS)
        purchases = self.decisions[is_purchase]
        gene = BOUGHT_GENE[purchases["action"] - FIRST_BUY]
        never = len(self.states) + 1
        first = np.full((self.num_games, self.players, NUM_GENES), never, np.int64)
        np.minimum.at(first, (purchases["game"], purchases["player"], gene), purchases["round"])
        return np.where(first == never, 0, first)


def _is_attacked(states: NDArray[np.void]) -> NDArray[np.bool_]:
    """(n,) is an attack under way?"""
    return (states["victim"] >= 0) & (states["place"] != OFF_BOARD)


class Chronicler(Observer):
    """Writes the chronicle of games that pause after rounds, which stand before their first decision."""

    def __init__(self, games: Games) -> None:
        self._games = games
        rounds = len(games.ruleset.environment) - 1
        self._plain = plain_memory(games.state)
        self._after = np.zeros((rounds, len(games)), STATE).view(self._plain.dtype)
        self._decisions: list[NDArray[np.void]] = []
        self._attacks: list[NDArray[np.void]] = [np.empty(0, ATTACK)]
        self._deaths: list[NDArray[np.void]] = [np.empty(0, DEATH)]
        self._first_attack = int(first_attack(games.ruleset.record[0]))

    def chosen(self, games: Games, rows: NDArray[np.int64], actions: NDArray[np.int64], seconds: float) -> None:
        self._before = before = self._plain[rows].view(STATE)
        self._actions = actions
        columns = rows, before["round"], before["phase"], before["player"], before["node"], actions
        self._decisions.append(_table(DECISION, *columns))

    def taken(self, games: Games, rows: NDArray[np.int64]) -> None:
        before, after = self._before, self._plain[rows].view(STATE)
        has_left = (before["amoeba_space"] != OFF_BOARD) & (after["amoeba_space"] == OFF_BOARD)
        begins = ((before["node"] == Decision.FEED) | (before["node"] == Decision.AGGRESS)) & (
            self._actions >= self._first_attack
        )
        is_over = (begins | _is_attacked(before)) & ~_is_attacked(after)
        if is_over.any():
            self._attack_over(rows, np.flatnonzero(is_over), begins, after, has_left)
        if has_left.any():
            at, player, _ = np.nonzero(has_left)
            self._deaths.append(_table(DEATH, rows[at], before["round"][at], player, Cause.HUNGER))

    def round_over(self, games: Games, rows: NDArray[np.int64]) -> None:
        self._after[games.state["round"][rows] - 1, rows] = self._plain[rows]

    def chronicle(self) -> Chronicle:
        """What happened; the games must be over."""
        last = self._games.rounds
        for number in range(len(self._after)):
            is_over = last <= number + 1
            self._after[number, is_over] = self._plain[is_over]
        decisions, attacks, deaths = map(np.concatenate, (self._decisions, self._attacks, self._deaths))
        decisions = decisions[np.argsort(decisions["game"], kind="stable")]
        return Chronicle(self._games.ruleset, self._after.view(STATE), decisions, attacks, deaths)

    def _attack_over(
        self,
        rows: NDArray[np.int64],
        at: NDArray[np.int64],
        begins: NDArray[np.bool_],
        after: NDArray[np.void],
        has_left: NDArray[np.bool_],
    ) -> None:
        """Write down the attacks that are over at these places, (k,), and take their victims out of ``has_left``."""
        before, actions = self._before[at], self._actions[at]
        target = actions - self._first_attack
        attacker = np.where(begins[at], before["player"], before["attacker"])
        victim = np.where(
            begins[at], (before["player"] + target // MAX_AMOEBAS) % self._games.num_players, before["victim"]
        )
        amoeba = np.where(begins[at], target % MAX_AMOEBAS, before["victim_amoeba"])
        is_killed = has_left[at, victim, amoeba]
        in_phase_1 = before["phase"] == Phase.MOVE_AND_FEED
        is_far = (after["round"][at] > before["round"]) | (after["phase"][at] >= Phase.DEATHS)
        for number in np.flatnonzero(is_killed & in_phase_1 & is_far):
            is_killed[number] = self._is_off_board_before_the_card(
                before[number : number + 1], actions[number], victim[number], amoeba[number]
            )
        each = np.arange(len(at))
        has_armour = ~in_phase_1 & (before["genes"][each, victim, Gene.ARMOUR] > 0)
        is_hurt = has_armour & (after["damage"][at, victim, amoeba] > before["damage"][each, victim, amoeba])
        outcome = np.select(
            [is_killed, is_hurt, (before["node"] == Decision.DEFEND) & (actions == DEFENSE)],
            [Outcome.KILLED, Outcome.DAMAGED, Outcome.FOUGHT_OFF],
            Outcome.ESCAPED,
        )
        self._attacks.append(_table(ATTACK, rows[at], before["round"], before["phase"], attacker, victim, outcome))
        cause = np.where(in_phase_1, Cause.ATTACK, Cause.AGGRESSION)
        self._deaths.append(_table(DEATH, rows[at], before["round"], victim, cause)[is_killed])
        has_left[at[is_killed], victim[is_killed], amoeba[is_killed]] = False

    def _is_off_board_before_the_card(self, state: NDArray[np.void], action: int, victim: int, amoeba: int) -> bool:
        """Does this action in phase 1 kill, or does the amoeba die of hunger in phase 5, before anybody is asked again?

        A card is turned up between these phases. So the step is taken once more, up to there.
        """
        games = trusted_games(state.copy(), self._games.ruleset, threads=1, explicit_chance=True)
        games.step([int(action)])
        while games.chance(0)[0] != "card":
            games.draw()
        return bool(games.state["amoeba_space"][0, victim, amoeba] == OFF_BOARD)


def _table(dtype: np.dtype[np.void], rows: NDArray[np.int64], *others: NDArray[np.generic] | int) -> NDArray[np.void]:
    """A row for each game, (n,), from the columns in their order."""
    table = np.empty(len(rows), dtype)
    for name, values in zip(dtype.names or (), (rows, *others), strict=True):
        table[name] = values
    return table


def play_chronicled(batch: MatchBatch) -> Chronicle:
    """Play the games of a batch, and tell what happened in them."""
    matches = seat_agents(batch, pause_after_rounds=True)
    chronicler = Chronicler(matches.games)
    matches.play(chronicler)
    return chronicler.chronicle()
