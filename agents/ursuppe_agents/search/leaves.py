"""What a newly opened decision is worth, and where the search should look first.

The actions are compared by a step of look-ahead each, as ``greedy`` does it. What the decision is worth to everybody is
the mean of two opinions: of the look-ahead after the best action, and of the value function at the beginning of the
next round but one, which is reached by playing on with a scripted strategy at all seats. There all leaves are judged at
the same point of a round, and what feeding, deaths and scoring bring until then is played rather than guessed. If the
game ends before that, its result alone counts: it is no opinion.

The look-ahead is trusted to say what players do in a decision further down, but not in the one that is to be made:
there its favourite would hide better actions from the search. So the root has wider priors.

A trained policy can have its say too, later (``guided.py``).

To search with another judge is to write ``open_decision``, ``widen_priors`` and ``value_as_it_stands`` anew.
"""

from typing import Any, NamedTuple

import numpy as np

from ursuppe_agents.scripted.hunter import Hunter
from ursuppe_agents.scripted.tactics.decide import decide
from ursuppe_agents.search.compilation import compiled
from ursuppe_agents.search.lookahead import Desk, look_ahead, new_desk
from ursuppe_agents.search.value import evaluate, weights_for
from ursuppe_env import Ruleset
from ursuppe_env.rules.board import NUM_SPACES
from ursuppe_env.rules.flow import advance, apply
from ursuppe_env.rules.legal import legal_action
from ursuppe_env.rules.nodes import FINISHED, STOP_AT_CHANCE
from ursuppe_env.rules.ruleset import MAX_PLAYERS

_ROUNDS = 2  # at the beginning of the next but one, playing on ends
TEMPERATURE = 0.01  # chance of winning by which an action must be better to be thought e times as likely
_DOUBT = 0.05  # the part of the prior that all actions share: the look-ahead may be wrong
_ROOT_TEMPERATURE = 0.03  # the same at the root
_ROOT_DOUBT = 0.25


class Judge(NamedTuple):
    """What it takes to value positions of one ruleset; one for each thread."""

    rules: Any  # (1,) the ruleset's record
    weights: Any  # (2, K) of the value function
    strategy: Any  # (1,) of those who play on
    desk: Desk  # for the look-ahead
    values: Any  # (MAX_PLAYERS,) what the position last valued is worth to each player
    first_row: Any  # (1,) int64: 0
    soup: Any  # (2, 19) where the strategy works
    chosen: Any  # (1,) int64: its action


def new_judge(ruleset: Ruleset) -> Judge:
    """A judge of games with this ruleset."""
    return Judge(
        ruleset.record,
        weights_for(ruleset.players),
        Hunter.strategy.record,
        new_desk(),
        np.zeros(MAX_PLAYERS),
        np.zeros(1, np.int64),
        np.zeros((2, NUM_SPACES)),
        np.zeros(1, np.int64),
    )


@compiled
def open_decision(game, judge, priors, advantages, key):
    """Value a decision, and compare its legal actions in the order of their ids.

    Args:
        game: a position at a decision.
        judge: what to value with; each player's chance of winning is written into its ``values``.
        priors: (num_legal,) written: how likely each action is thought to be chosen; they sum to 1.
        advantages: (num_legal,) written: the chance of winning of who decides, less that of the best action.
        key: 64 random bits; dice and cards of playing on come from it.
    """
    _compare_actions(game, judge, priors, advantages)
    _play_on(game, judge, key)
    evaluate(judge.desk.games[0], judge.rules[0], judge.weights, judge.desk.notes[0], judge.desk.values[0])
    is_over = judge.desk.games[0]["node"] == FINISHED
    for player in range(judge.rules[0]["players"]):
        played = judge.desk.values[0, player]
        judge.values[player] = played if is_over else (judge.values[player] + played) / 2


@compiled
def set_priors(priors, advantages):
    """Write the priors of a decision (num_legal,) from its advantages (num_legal,)."""
    _spread(priors, advantages, TEMPERATURE, _DOUBT)


@compiled
def widen_priors(priors, advantages):
    """Make the priors of an opened decision (num_legal,) those of the root, from its advantages (num_legal,)."""
    _spread(priors, advantages, _ROOT_TEMPERATURE, _ROOT_DOUBT)


@compiled
def value_as_it_stands(game, judge):
    """Write into ``judge.values`` what the position is worth without any look ahead; exact once the game is over."""
    evaluate(game, judge.rules[0], judge.weights, judge.desk.notes[0], judge.values)


@compiled
def _compare_actions(game, judge, priors, advantages):
    """Priors and advantages; into ``judge.values`` goes the worth of the best action to each player."""
    rules = judge.rules[0]
    player = int(game["player"])
    best = -1.0
    for number in range(game["num_legal"]):
        judge.desk.games[0] = game
        apply(judge.desk.games[0], rules, legal_action(game, number))
        advance(judge.desk.games[0], rules, STOP_AT_CHANCE)
        look_ahead(judge.desk, rules, judge.weights, game["turn"], game["amoeba"])
        advantages[number] = judge.desk.values[0, player]
        if advantages[number] > best:
            best = advantages[number]
            for other in range(rules["players"]):
                judge.values[other] = judge.desk.values[0, other]
    for number in range(game["num_legal"]):
        advantages[number] -= best
    set_priors(priors, advantages)


@compiled
def _spread(priors, advantages, temperature, doubt):
    """The softmax of the advantages, but for a part that all actions share."""
    total = 0.0
    for number in range(len(priors)):
        priors[number] = np.exp(advantages[number] / temperature)
        total += priors[number]
    for number in range(len(priors)):
        priors[number] = (1 - doubt) * priors[number] / total + doubt / len(priors)


@compiled
def _play_on(game, judge, key):
    """Play to the beginning of a later round, or to the end, in ``judge.desk.games[0]``."""
    judge.desk.games[0] = game
    copy = judge.desk.games[0]
    copy["key"] = key
    end = copy["round"] + _ROUNDS
    while copy["player"] >= 0 and copy["round"] < end:
        decide(judge.desk.games, judge.rules, judge.strategy, judge.first_row, judge.soup, judge.chosen)
        apply(copy, judge.rules[0], judge.chosen[0])
        advance(copy, judge.rules[0], 0)
