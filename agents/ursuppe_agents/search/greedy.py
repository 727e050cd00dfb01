"""One step of looking ahead: the action after which the value function sees the best chance of winning.

The value function evaluates positions at which something new begins: the next amoeba's move, a purchase, a division.
In between (a die has been paid for, a meal is to be chosen, an attacked amoeba may defend itself) ``_look_ahead`` goes
on to such positions: each player is assumed to choose what the value function finds best for them, and dice are
averaged. A second roll after them (Speed, an escape) is evaluated as it stands: enumerated too, it would make the tree
twenty times as large for the sake of few decisions. Choices of little consequence are answered with the first legal
action.
"""

from itertools import combinations_with_replacement
from threading import local
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent
from ursuppe_agents.search import compiled
from ursuppe_agents.search.value import NOTES, evaluate, weights_for
from ursuppe_env import Games, counting
from ursuppe_env.rules.flow import advance, apply, resolve
from ursuppe_env.rules.legal import legal_action
from ursuppe_env.rules.nodes import CHANCE_PLAYER, STOP_AT_CHANCE, Chance, Decision
from ursuppe_env.rules.ruleset import MAX_PLAYERS
from ursuppe_env.rules.state import STATE, rules_of
from ursuppe_env.validation import checked_decisions

_DEPTH = 20  # decisions and rolls that it looks ahead at most; deeper positions are evaluated as they stand
_UNKNOWN = -1.0  # less than any chance of winning: of illegal actions, and of those that are not tried yet

# Two dice show as much in either order: 21 numbers of outcomes, and how many ways there are to each.
_PAIRS = tuple(combinations_with_replacement(range(6), 2))
_PAIR_NUMBER = np.array([6 * first + second for first, second in _PAIRS])
_PAIR_WAYS = np.array([1 if first == second else 2 for first, second in _PAIRS])


class Workspace(NamedTuple):
    """Working memory of a look-ahead: a stack of positions, each reached from the one before, and notes."""

    games: Any  # (_DEPTH,) of dtype STATE
    values: Any  # (_DEPTH, MAX_PLAYERS) chances of winning: of the best action so far, or summed over outcomes
    tried: Any  # (_DEPTH,) int64: how many actions or outcomes have been tried
    rolled: Any  # (_DEPTH,) int64: 1 if dice lie behind this position
    notes: Any  # (1,) of dtype NOTES
    decisions: Any  # (1,) int64: how many have been taken in it


class _OfThread(local):
    """Each thread has a workspace of its own, since several may let agents play at a time."""

    def __init__(self) -> None:
        self.workspace = Workspace(
            games=np.zeros(_DEPTH, STATE),
            values=np.zeros((_DEPTH, MAX_PLAYERS)),
            tried=np.zeros(_DEPTH, np.int64),
            rolled=np.zeros(_DEPTH, np.int64),
            notes=np.zeros(1, NOTES),
            decisions=np.zeros(1, np.int64),
        )


_OF_THREAD = _OfThread()


class GreedyAgent(Agent):
    """Takes the action with the highest expected value (``ursuppe_agents.search.value``), the first one of equals.

    Dice that the action leads to are enumerated, and what is under way is played to its end in thought.
    """

    deterministic = True

    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        rows = checked_decisions(rows, games.player)
        return self.action_values(games, rows).argmax(axis=1)

    def action_values(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """(n, A) the expected chance of winning after each action, for the player who decides; -1 where illegal."""
        values = np.full((len(rows), games.num_actions), _UNKNOWN)
        workspace = _OF_THREAD.workspace
        workspace.decisions[0] = 0
        _value_actions(games.state, rows, games.rules, weights_for(games.num_players), workspace, values)
        counting.add(int(workspace.decisions[0]))
        return values


@compiled.announced("the agent greedy", seconds=6)
def _value_actions(states, rows, rules_array, weights, workspace, values):
    """Write into ``values`` (n, A) the chance of winning that each legal action gives to the player who takes it."""
    for place in range(len(rows)):
        game = states[rows[place]]
        rules = rules_of(game, rules_array)
        for number in range(game["num_legal"]):
            action = legal_action(game, number)
            workspace.games[0] = game
            workspace.decisions[0] += 1
            apply(workspace.games[0], rules, action)
            advance(workspace.games[0], rules, STOP_AT_CHANCE)
            _look_ahead(workspace, rules, weights, game["turn"], game["amoeba"])
            values[place, action] = workspace.values[0, game["player"]]


@compiled
def _look_ahead(workspace, rules, weights, turn, amoeba):
    """Write each player's chance of winning in the game ``workspace.games[0]`` into ``workspace.values[0]``.

    Turn and amoeba, as in the state, say whose action this is about: once another amoeba acts, something new has begun,
    also if it need not be asked how to move.
    """
    depth = 0
    workspace.rolled[0] = 0
    if not _enter(workspace, rules, weights, 0, turn, amoeba):
        return
    while True:
        if workspace.tried[depth] < _num_branches(workspace.games[depth]):
            workspace.games[depth + 1] = workspace.games[depth]
            _step_into_next(workspace, rules, depth)
            if _enter(workspace, rules, weights, depth + 1, turn, amoeba):
                depth += 1
            else:
                _back_up(workspace, rules, depth)
        elif depth > 0:
            depth -= 1
            _back_up(workspace, rules, depth)
        else:
            return


@compiled
def _enter(workspace, rules, weights, depth, turn, amoeba):
    """Whether the position needs a look-ahead; if not, it is evaluated as it stands."""
    game = workspace.games[depth]
    while game["node"] == Decision.CARRY or game["node"] == Decision.CLING or game["node"] == Decision.NUMBER:
        workspace.decisions[0] += 1  # of little consequence: nothing is carried, nobody clings
        apply(game, rules, legal_action(game, 0))
        advance(game, rules, STOP_AT_CHANCE)
    if depth == _DEPTH - 1 or _is_quiet(game, workspace.rolled[depth], turn, amoeba):
        evaluate(game, rules, weights, workspace.notes[0], workspace.values[depth])
        return False
    workspace.tried[depth] = 0
    workspace.values[depth, :] = _UNKNOWN if game["player"] >= 0 else 0.0
    return True


@compiled
def _is_quiet(game, rolled, turn, amoeba):
    """Whether something new begins here."""
    node = game["node"]
    if game["turn"] != turn or game["amoeba"] != amoeba:
        return True
    if node == Chance.DIE or node == Chance.DICE:
        return rolled == 1
    return node != Chance.FIGHT and not (Decision.DIRECTION <= node <= Decision.DEFEND)


@compiled
def _num_branches(game):
    """How many actions or outcomes there are to try."""
    if game["player"] != CHANCE_PLAYER:
        return int(game["num_legal"])
    if game["node"] == Chance.DICE:
        return len(_PAIR_NUMBER)
    return 6 if game["node"] == Chance.DIE else 2


@compiled
def _step_into_next(workspace, rules, depth):
    """Take the next action or outcome in the copy one deeper."""
    game = workspace.games[depth + 1]
    number = workspace.tried[depth]
    workspace.tried[depth] += 1
    workspace.rolled[depth + 1] = workspace.rolled[depth]
    if game["player"] != CHANCE_PLAYER:
        workspace.decisions[0] += 1
        apply(game, rules, legal_action(game, number))
    else:
        if game["node"] != Chance.FIGHT:
            workspace.rolled[depth + 1] = 1
        resolve(game, rules, _PAIR_NUMBER[number] if game["node"] == Chance.DICE else number)
    advance(game, rules, STOP_AT_CHANCE)


@compiled
def _back_up(workspace, rules, depth):
    """Back up the value of the position one deeper: the maximum for the player who decides, the mean over dice."""
    game = workspace.games[depth]
    values, below = workspace.values[depth], workspace.values[depth + 1]
    if game["player"] != CHANCE_PLAYER:
        asked = int(game["player"])
        if below[asked] > values[asked]:
            for player in range(rules["players"]):
                values[player] = below[player]
        return
    if game["node"] == Chance.DICE:
        chance = _PAIR_WAYS[workspace.tried[depth] - 1] / 36
    else:
        chance = 1 / _num_branches(game)
    for player in range(rules["players"]):
        values[player] += chance * below[player]
