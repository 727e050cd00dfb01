"""Monte-Carlo tree search for any number of players (max^n), with chance events as nodes of their own.

A node is a position: a decision, a chance event or the end of the game. A simulation has four steps. It *selects* a
path down from the root, at a decision by PUCT for the player who decides, at a chance event by drawing an outcome from
the tree's own stream, to a leaf, a decision reached for the first time. It *expands* the leaf, *evaluates* it
(``leaves.py``), and *backs up* its value to each player along the path. With a trained policy, selection and
evaluation are others (``policy_tree.py``).

The positions in a tree stop at every chance event, and their random streams are the tree's own.
"""

from typing import Any, NamedTuple

import numpy as np

from ursuppe_agents.search.compilation import compiled
from ursuppe_agents.search.leaves import evaluate_leaf, evaluate_statically, set_root_priors
from ursuppe_env.rules.chance import draw, mix
from ursuppe_env.rules.flow import advance, apply, resolve
from ursuppe_env.rules.legal import legal_action
from ursuppe_env.rules.nodes import CHANCE_PLAYER, FINISHED, STOP_AT_CHANCE, Chance
from ursuppe_env.rules.ruleset import MAX_PLAYERS
from ursuppe_env.rules.state import STATE

_EXPLORATION = 0.2  # the constant of PUCT, in chances of winning
_EDGES_PER_NODE = 8  # more than there are on average
_MOST_NEW_NODES = 64  # in one simulation: a chance event can follow the other, but not for long
_MOST_EDGES = 36 * _MOST_NEW_NODES  # of these
_LONGEST_PATH = 512  # nodes of one simulation
NO_NODE = -1
_STEP = np.uint64(0x9E3779B97F4A7C15)  # of the stream; odd, so that it comes through all numbers


class Tree(NamedTuple):
    """M nodes and E edges in arrays; nodes are numbered as they were made."""

    games: Any  # (M,) of dtype STATE: the positions
    visit_counts: Any  # (M,) int64: simulations through the node
    value_sums: Any  # (M, MAX_PLAYERS) float64: the sum of their values to each player
    parents: Any  # (M,) int64; meaningless for the first node
    initial_values: Any  # (M, MAX_PLAYERS) float64: a policy's evaluation of a decision
    num_pending: Any  # (M,) int64: simulations through the node that wait for a policy's evaluation
    first_edge: Any  # (M,) int64: the node's first edge
    num_edges: Any  # (M,) int64: legal actions, or outcomes of chance; 0 before expansion
    children: Any  # (E,) int64: the node that an edge leads to; -1 while there is none
    priors: Any  # (E,) float64: prior probability of an action
    advantages: Any  # (E,) float64: an action's value to the player who decides less the best one's, at expansion
    used: Any  # (2,) int64: nodes and edges in use
    root: Any  # (1,) int64
    stream: Any  # (1,) uint64: state of the random numbers


def new_tree(num_nodes: int) -> Tree:
    """An empty tree with room for so many nodes."""
    num_nodes += _MOST_NEW_NODES
    num_edges = num_nodes * _EDGES_PER_NODE + _MOST_EDGES
    return Tree(
        np.zeros(num_nodes, STATE),
        np.zeros(num_nodes, np.int64),
        np.zeros((num_nodes, MAX_PLAYERS)),
        np.zeros(num_nodes, np.int64),
        np.zeros((num_nodes, MAX_PLAYERS)),
        np.zeros(num_nodes, np.int64),
        np.zeros(num_nodes, np.int64),
        np.zeros(num_nodes, np.int64),
        np.zeros(num_edges, np.int64),
        np.zeros(num_edges),
        np.zeros(num_edges),
        np.zeros(2, np.int64),
        np.zeros(1, np.int64),
        np.zeros(1, np.uint64),
    )


#: Of memory, a node with its edges.
BYTES_PER_NODE = sum(array.nbytes for array in new_tree(_MOST_EDGES)) // _MOST_EDGES


@compiled.announced("the agent search", seconds=12)
def simulate(tree, evaluator, simulations):
    """Run simulations from the root; returns how many were possible before the tree was full."""
    for done in range(simulations):
        if not has_room(tree):
            return done
        _simulate_once(tree, evaluator)
        if done == 0:
            _widen_root_priors(tree)  # now it is expanded
    return simulations


@compiled
def has_room(tree):
    """Whether a simulation can make all the nodes and edges it may need."""
    nodes, edges = tree.used[0], tree.used[1]
    return nodes + _MOST_NEW_NODES < len(tree.games) and edges + _MOST_EDGES < len(tree.children)


@compiled
def _widen_root_priors(tree):
    """Explore more at the root than further down; doing it again changes nothing."""
    root = tree.root[0]
    edges = slice(tree.first_edge[root], tree.first_edge[root] + tree.num_edges[root])
    set_root_priors(tree.priors[edges], tree.advantages[edges])


@compiled
def _simulate_once(tree, evaluator):
    """Select, expand, evaluate, back up."""
    leaf = _select_leaf(tree, evaluator.rules[0])
    if tree.num_edges[leaf] == 0 and tree.games[leaf]["player"] >= 0:
        _expand(tree, evaluator, leaf)
    else:
        evaluate_statically(tree.games[leaf], evaluator)
    back_up(tree, leaf, evaluator.values, evaluator.rules[0]["players"])


@compiled
def _select_leaf(tree, rules):
    """Walk from the root to a decision that is not expanded yet, or to the end of the game."""
    node = tree.root[0]
    for _ in range(_LONGEST_PATH - 1):
        if is_leaf(tree, node):
            break
        is_chance = tree.games[node]["player"] == CHANCE_PLAYER
        number = draw_outcome(tree, rules, node) if is_chance else _select_action(tree, node)
        node = child_of(tree, rules, node, number)
    return node


@compiled
def is_leaf(tree, node):
    """Whether a path ends here: at a decision that is not expanded yet, or where nobody decides any more."""
    player = tree.games[node]["player"]
    return player == FINISHED or (player >= 0 and tree.num_edges[node] == 0)


@compiled
def child_of(tree, rules, node, number):
    """The node after this action or outcome; it is added to the tree if it is new."""
    edge = tree.first_edge[node] + number
    if tree.children[edge] == NO_NODE:
        tree.children[edge] = _add_node(tree, node, rules, number)
    return tree.children[edge]


@compiled
def _select_action(tree, node):
    """The action with the highest PUCT score: its value to the player who decides, and an exploration bonus.

    The action's estimate from the look-ahead (the node's mean and the action's advantage) counts as one more visit.
    """
    player = int(tree.games[node]["player"])
    exploration = _EXPLORATION * np.sqrt(float(tree.visit_counts[node]))
    best = 0
    best_score = -np.inf
    for number in range(tree.num_edges[node]):
        edge = tree.first_edge[node] + number
        visits = 0
        value = max(tree.value_sums[node, player] / tree.visit_counts[node] + tree.advantages[edge], 0.0)
        child = tree.children[edge]
        if child != NO_NODE:
            visits = tree.visit_counts[child]
            value = (value + tree.value_sums[child, player]) / (1 + visits)
        score = value + exploration * tree.priors[edge] / (1 + visits)
        if score > best_score:
            best_score = score
            best = number
    return best


@compiled
def _expand(tree, evaluator, node):
    """Give a decision an edge for each legal action, and evaluate it."""
    count = int(tree.games[node]["num_legal"])
    add_edges(tree, node, count)
    edges = slice(tree.first_edge[node], tree.first_edge[node] + count)
    evaluate_leaf(tree.games[node], evaluator, tree.priors[edges], tree.advantages[edges], _next_number(tree))


@compiled
def back_up(tree, node, values, players):
    """Add a simulation with these values to each player, (P or more,), to a node and its ancestors up to the root."""
    while True:
        tree.visit_counts[node] += 1
        for player in range(players):
            tree.value_sums[node, player] += values[player]
        if node == tree.root[0]:
            return
        node = tree.parents[node]


@compiled
def add_edges(tree, node, count):
    """Give a node so many edges, which lead nowhere yet."""
    first = tree.used[1]
    tree.used[1] += count
    tree.first_edge[node] = first
    tree.num_edges[node] = count
    for edge in range(first, first + count):
        tree.children[edge] = NO_NODE


@compiled
def _add_node(tree, parent, rules, number):
    """The position after this action or outcome."""
    node = tree.used[0]
    tree.used[0] += 1
    tree.parents[node] = parent
    tree.visit_counts[node] = 0
    tree.num_pending[node] = 0
    tree.value_sums[node, :] = 0.0
    tree.num_edges[node] = 0
    tree.games[node] = tree.games[parent]
    game = tree.games[node]
    if game["player"] == CHANCE_PLAYER:
        resolve(game, rules, number)
    else:
        apply(game, rules, legal_action(game, number))
    advance(game, rules, STOP_AT_CHANCE)
    return node


@compiled
def _num_outcomes(game, rules):
    """Numbers that the chance event can have."""
    event = game["node"]
    if event == Chance.CARD:
        return int(rules["num_cards"])
    if event == Chance.DIE:
        return 6
    return 36 if event == Chance.DICE else 2


@compiled
def draw_outcome(tree, rules, node):
    """An outcome as likely as in the game, from the tree's own stream; two dice show as much in either order."""
    game = tree.games[node]
    if tree.num_edges[node] == 0:
        add_edges(tree, node, _num_outcomes(game, rules))
    game["key"] = _next_number(tree)
    number = draw(game, rules)
    if game["node"] == Chance.DICE and number // 6 > number % 6:
        return number % 6 * 6 + number // 6
    return number


@compiled
def _next_number(tree):
    """The next 64 random bits of the tree's stream."""
    tree.stream[0] += _STEP
    return mix(tree.stream[0])
