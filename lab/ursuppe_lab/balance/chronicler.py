"""Writing down what happens in a batch of games while they are played."""

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Games
from ursuppe_env.games import trusted_games
from ursuppe_env.rules.actions import DEFENSE, first_attack
from ursuppe_env.rules.board import OFF_BOARD
from ursuppe_env.rules.genes import Gene
from ursuppe_env.rules.nodes import Decision, Phase
from ursuppe_env.rules.ruleset import MAX_AMOEBAS
from ursuppe_env.rules.state import STATE, plain_memory
from ursuppe_lab.arena.observers import Observer
from ursuppe_lab.balance.chronicle import ATTACK, DEATH, DECISION, Cause, Chronicle, Outcome


def _is_attacked(states: NDArray[np.void]) -> NDArray[np.bool_]:
    """(n,) is an attack under way?"""
    return (states["victim"] >= 0) & (states["place"] != OFF_BOARD)


class Chronicler(Observer):
    """Writes the chronicle of games that pause after rounds.

    Args:
        games: before their first decision.
    """

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
        decisions = np.empty(len(rows), DECISION)
        decisions["game"] = rows
        for name in ("round", "phase", "player"):
            decisions[name] = before[name]
        decisions["decision"] = before["node"]
        decisions["action"] = actions
        self._decisions.append(decisions)

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
            self._write_deaths(rows[at], before["round"][at], player, Cause.HUNGER)

    def round_over(self, games: Games, rows: NDArray[np.int64]) -> None:
        self._after[games.state["round"][rows] - 1, rows] = self._plain[rows]

    def chronicle(self) -> Chronicle:
        """What happened; the games must be over."""
        last = self._games.rounds
        for number in range(len(self._after)):
            is_over = last <= number + 1
            self._after[number, is_over] = self._plain[is_over]
        decisions = np.concatenate(self._decisions)
        return Chronicle(
            self._games.ruleset,
            self._after.view(STATE),
            decisions[np.argsort(decisions["game"], kind="stable")],
            np.concatenate(self._attacks),
            np.concatenate(self._deaths),
        )

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
        attacks = np.empty(len(at), ATTACK)
        attacks["game"] = rows[at]
        for name in ("round", "phase"):
            attacks[name] = before[name]
        attacks["attacker"], attacks["victim"], attacks["outcome"] = attacker, victim, outcome
        self._attacks.append(attacks)
        cause = np.where(in_phase_1, Cause.ATTACK, Cause.AGGRESSION)
        self._write_deaths(rows[at], before["round"], victim, cause, is_killed)
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

    def _write_deaths(
        self,
        games: NDArray[np.int64],
        rounds: NDArray[np.int8],
        players: NDArray[np.int64],
        causes: NDArray[np.int64] | Cause,
        is_one: NDArray[np.bool_] | slice = slice(None),
    ) -> None:
        deaths = np.empty(len(games), DEATH)
        deaths["game"], deaths["round"], deaths["player"], deaths["cause"] = games, rounds, players, causes
        self._deaths.append(deaths[is_one])
