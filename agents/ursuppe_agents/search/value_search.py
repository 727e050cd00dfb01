"""Tree search by the value function: what it makes of a leaf, and of the actions there.

The actions are compared by a one-step look-ahead each, as in ``greedy``. The decision's value to each player is the
mean of two estimates: the look-ahead's after the best action, and the value function's at the start of the next round
but one, reached by a play-out with a scripted strategy in all seats. There all leaves are evaluated at the same point
of a round, and feeding, deaths and scoring until then are played rather than estimated. If the game ends before that,
its result alone counts.

The look-ahead predicts well what players do in decisions further down, but at the root its favourite would hide better
actions from the search. So the root's priors are flatter.

What is played is the action visited most.
"""

from typing import Any, NamedTuple

import numpy as np

from ursuppe_agents.scripted.agents import Hunter
from ursuppe_agents.scripted.tactics.decide import decide
from ursuppe_agents.search import compiled
from ursuppe_agents.search.lookahead import Workspace, look_ahead, new_workspace
from ursuppe_agents.search.tree import (
    RESULTS,
    Tree,
    Votes,
    back_up,
    edges_of,
    expand,
    has_room,
    next_number,
    select_leaf,
    visits_below,
)
from ursuppe_agents.search.value import evaluate, weights_for
from ursuppe_env import Ruleset
from ursuppe_env.rules.board import NUM_SPACES
from ursuppe_env.rules.flow import advance, apply
from ursuppe_env.rules.legal import legal_action
from ursuppe_env.rules.nodes import FINISHED, STOP_AT_CHANCE
from ursuppe_env.rules.ruleset import MAX_PLAYERS

_EXPLORATION = 0.2  # the constant of PUCT, in chances of winning
_ROUNDS = 2  # a play-out ends at the start of the next round but one
_TEMPERATURE = 0.01  # difference in chance of winning that makes an action e times as likely
_UNIFORM_PART = 0.05  # of the prior, spread evenly over all actions: the look-ahead may be wrong
_ROOT_TEMPERATURE = 0.03  # the same at the root
_ROOT_UNIFORM_PART = 0.25


class LeafEvaluator(NamedTuple):
    """What evaluating positions of one ruleset takes; one for each thread."""

    rules: Any  # (1,) the ruleset's record
    weights: Any  # (2, K) of the value function
    strategy: Any  # (1,) of the play-outs
    workspace: Workspace  # for the look-ahead
    values: Any  # (MAX_PLAYERS,) value to each player of the position evaluated last
    first_row: Any  # (1,) int64: 0
    soup: Any  # (2, 19) working memory of the strategy
    chosen: Any  # (1,) int64: its action


def new_leaf_evaluator(ruleset: Ruleset) -> LeafEvaluator:
    """An evaluator for games with this ruleset."""
    return LeafEvaluator(
        ruleset.record,
        weights_for(ruleset.players),
        Hunter.strategy.record,
        new_workspace(),
        np.zeros(MAX_PLAYERS),
        np.zeros(1, np.int64),
        np.zeros((2, NUM_SPACES)),
        np.zeros(1, np.int64),
    )


class ValueSearch:
    """Searches trees of one ruleset's games by the value function, in one thread."""

    at_once = 4
    votes_by_visits = True

    def __init__(self, ruleset: Ruleset) -> None:
        self._evaluator = new_leaf_evaluator(ruleset)

    def simulate(self, tree: Tree, simulations: int) -> int:
        return _simulate(tree, self._evaluator, simulations)

    def votes(self, tree: Tree) -> Votes:
        root = int(tree.root[0])
        return Votes(visits_below(tree, root).astype(np.float64), tree.advantages[edges_of(tree, root)].copy())


@compiled.announced("the agent search", seconds=12)
def _simulate(tree, evaluator, simulations):
    rules = evaluator.rules[0]
    for done in range(simulations):
        if not has_room(tree):
            return done
        leaf = select_leaf(tree, rules, _EXPLORATION)
        if tree.games[leaf]["player"] == FINISHED:
            back_up(tree, leaf, RESULTS[int(tree.games[leaf]["winner"])], rules["players"])
        else:
            edges = expand(tree, leaf)
            evaluate_leaf(tree.games[leaf], evaluator, tree.priors[edges], tree.advantages[edges], next_number(tree))
            back_up(tree, leaf, evaluator.values, rules["players"])
        if done == 0:
            _widen_root_priors(tree)  # now it is expanded
    return simulations


@compiled
def _widen_root_priors(tree):
    """Explore more at the root than further down; doing it again changes nothing."""
    root = tree.root[0]
    edges = slice(tree.first_edge[root], tree.first_edge[root] + tree.num_edges[root])
    _softmax(tree.priors[edges], tree.advantages[edges], _ROOT_TEMPERATURE, _ROOT_UNIFORM_PART)


@compiled
def evaluate_leaf(game, evaluator, priors, advantages, key):
    """Evaluate a decision and its legal actions, in the order of their ids.

    Args:
        game: a position at a decision.
        evaluator: each player's chance of winning is written into its ``values``.
        priors: (num_legal,) written: prior probabilities of the actions; they sum to 1.
        advantages: (num_legal,) written: the deciding player's chance of winning after each action, less the best one.
        key: 64 random bits; dice and cards of the play-out come from it.
    """
    _look_ahead_at_actions(game, evaluator, priors, advantages)
    _play_out(game, evaluator, key)
    workspace = evaluator.workspace
    evaluate(workspace.games[0], evaluator.rules[0], evaluator.weights, workspace.notes[0], workspace.values[0])
    is_over = workspace.games[0]["node"] == FINISHED
    for player in range(evaluator.rules[0]["players"]):
        played_out = workspace.values[0, player]
        evaluator.values[player] = played_out if is_over else (evaluator.values[player] + played_out) / 2


@compiled
def _look_ahead_at_actions(game, evaluator, priors, advantages):
    """Write priors and advantages, and the values after the best action into ``evaluator.values``."""
    rules = evaluator.rules[0]
    player = int(game["player"])
    best = -1.0
    for number in range(game["num_legal"]):
        evaluator.workspace.games[0] = game
        apply(evaluator.workspace.games[0], rules, legal_action(game, number))
        advance(evaluator.workspace.games[0], rules, STOP_AT_CHANCE)
        look_ahead(evaluator.workspace, rules, evaluator.weights, game["turn"], game["amoeba"])
        advantages[number] = evaluator.workspace.values[0, player]
        if advantages[number] > best:
            best = advantages[number]
            for other in range(rules["players"]):
                evaluator.values[other] = evaluator.workspace.values[0, other]
    for number in range(game["num_legal"]):
        advantages[number] -= best
    _softmax(priors, advantages, _TEMPERATURE, _UNIFORM_PART)


@compiled
def _softmax(priors, advantages, temperature, uniform_part):
    """The softmax of the advantages, mixed with a uniform distribution."""
    total = 0.0
    for number in range(len(priors)):
        priors[number] = np.exp(advantages[number] / temperature)
        total += priors[number]
    for number in range(len(priors)):
        priors[number] = (1 - uniform_part) * priors[number] / total + uniform_part / len(priors)


@compiled
def _play_out(game, evaluator, key):
    """Play to the start of a later round, or to the end of the game, in ``evaluator.workspace.games[0]``."""
    games = evaluator.workspace.games
    games[0] = game
    copy = games[0]
    copy["key"] = key
    end = copy["round"] + _ROUNDS
    while copy["player"] >= 0 and copy["round"] < end:
        decide(games, evaluator.rules, evaluator.strategy, evaluator.first_row, evaluator.soup, evaluator.chosen)
        apply(copy, evaluator.rules[0], evaluator.chosen[0])
        advance(copy, evaluator.rules[0], 0)
