"""Monte-Carlo tree search for any number of players (max^n), with chance events as nodes of their own.

A node is a position: a decision, a chance event or the end of the game. A simulation walks from the root down, at a
decision along the edge that PUCT picks for who decides, at a chance event to an outcome drawn by the tree's own
stream, until it opens a decision for the first time; what that is worth to each player is added to all nodes on the
way. How a newly opened decision and its actions are valued is the matter of ``leaves.py``.

The positions in a tree stop at every chance event, and what random streams they have are the tree's own.
"""

from typing import Any, NamedTuple

import numpy as np

from ursuppe_agents.search.compilation import compiled
from ursuppe_agents.search.leaves import open_decision, value_as_it_stands, widen_priors
from ursuppe_env.rules.chance import draw, mix
from ursuppe_env.rules.flow import advance, apply, resolve
from ursuppe_env.rules.legal import legal_action
from ursuppe_env.rules.nodes import CHANCE_PLAYER, FINISHED, STOP_AT_CHANCE, Chance
from ursuppe_env.rules.ruleset import MAX_PLAYERS
from ursuppe_env.rules.state import STATE

_EXPLORATION = 0.2  # PUCT's constant, in chances of winning
_EDGES_PER_NODE = 8  # more than there are on average
_MOST_NEW_NODES = 64  # in one simulation: a chance event can follow the other, but not for long
_MOST_EDGES = 36 * _MOST_NEW_NODES  # of these
_LONGEST_PATH = 512  # nodes of one simulation
_NO_NODE = -1
_STEP = np.uint64(0x9E3779B97F4A7C15)  # of the stream; odd, so that it comes through all numbers


class Tree(NamedTuple):
    """M nodes and E edges in arrays; nodes are numbered as they were made."""

    games: Any  # (M,) of dtype STATE: the positions
    visits: Any  # (M,) int64: simulations through the node
    values: Any  # (M, MAX_PLAYERS) float64: the sum of what they were worth to each player
    parent: Any  # (M,) int64: the node before; of the first node meaningless
    opinion: Any  # (M, MAX_PLAYERS) float64: what a decision was worth to each player when it was opened
    is_unasked: Any  # (M,) bool: it is a decision that was opened, and no policy has been asked about it
    is_below: Any  # (M,) bool: it is the root or below it; up to date where it is written (revision.py)
    first_edge: Any  # (M,) int64: where the node's edges begin
    num_edges: Any  # (M,) int64: legal actions, or outcomes of chance; 0 while unopened
    child: Any  # (E,) int64: the node that an edge leads to; -1 while there is none
    prior: Any  # (E,) float64: how likely an action is thought to be chosen
    advantage: Any  # (E,) float64: how much less than the best it was thought to be worth to who decides, when opened
    used: Any  # (2,) int64: nodes and edges that are in use
    root: Any  # (1,) int64
    stream: Any  # (1,) uint64: of random numbers


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
        np.zeros(num_nodes, np.bool_),
        np.zeros(num_nodes, np.bool_),
        np.zeros(num_nodes, np.int64),
        np.zeros(num_nodes, np.int64),
        np.zeros(num_edges, np.int64),
        np.zeros(num_edges),
        np.zeros(num_edges),
        np.zeros(2, np.int64),
        np.zeros(1, np.int64),
        np.zeros(1, np.uint64),
    )


@compiled.announced("the agent search", seconds=12)
def simulate(tree, judge, simulations):
    """Run simulations from the root; returns how many were possible before the tree was full."""
    for done in range(simulations):
        if not _has_room(tree):
            return done
        _simulate_once(tree, judge)
        if done == 0:
            widen_root(tree)  # now it is open
    return simulations


@compiled
def _has_room(tree):
    """For as many nodes and edges as a simulation can make?"""
    nodes, edges = tree.used[0], tree.used[1]
    return nodes + _MOST_NEW_NODES < len(tree.games) and edges + _MOST_EDGES < len(tree.child)


@compiled
def widen_root(tree):
    """Search more widely here than further down; doing it again changes nothing."""
    root = tree.root[0]
    edges = slice(tree.first_edge[root], tree.first_edge[root] + tree.num_edges[root])
    widen_priors(tree.prior[edges], tree.advantage[edges])


@compiled
def _simulate_once(tree, judge):
    node = tree.root[0]
    length = 0
    while True:
        length += 1
        game = tree.games[node]
        if game["player"] == FINISHED or length == _LONGEST_PATH:
            value_as_it_stands(game, judge)
            break
        is_new = tree.num_edges[node] == 0
        if is_new and game["player"] >= 0:
            _open(tree, judge, node)
            break
        if is_new:
            _add_edges(tree, node, _num_outcomes(game, judge.rules[0]))
        node = _next_node(tree, judge, node)
    add_to_path(tree, judge, node, 1)


@compiled
def add_to_path(tree, judge, node, visits):
    """Add so many visits, worth ``judge.values`` in all, to a node and all above it up to the root."""
    while True:
        tree.visits[node] += visits
        for player in range(judge.rules[0]["players"]):
            tree.values[node, player] += judge.values[player]
        if node == tree.root[0]:
            return
        node = tree.parent[node]


@compiled
def _open(tree, judge, node):
    """Give a decision its edges, and value it."""
    count = int(tree.games[node]["num_legal"])
    _add_edges(tree, node, count)
    edges = slice(tree.first_edge[node], tree.first_edge[node] + count)
    open_decision(tree.games[node], judge, tree.prior[edges], tree.advantage[edges], _next_number(tree))
    for player in range(judge.rules[0]["players"]):
        tree.opinion[node, player] = judge.values[player]
    tree.is_unasked[node] = True


@compiled
def _next_node(tree, judge, node):
    """Where the simulation goes from an open node."""
    rules = judge.rules[0]
    if tree.games[node]["player"] == CHANCE_PLAYER:
        number = _draw_outcome(tree, tree.games[node], rules)
    else:
        number = _most_promising(tree, node)
    edge = tree.first_edge[node] + number
    if tree.child[edge] == _NO_NODE:
        tree.child[edge] = _add_node(tree, node, rules, number)
    return tree.child[edge]


@compiled
def _most_promising(tree, node):
    """The edge that PUCT picks: worth for who decides, and curiosity about what was seldom tried.

    What the action was thought to be worth, from the node's mean on, counts like one more visit.
    """
    player = int(tree.games[node]["player"])
    curiosity = _EXPLORATION * np.sqrt(float(tree.visits[node]))
    best = 0
    highest = -np.inf
    for number in range(tree.num_edges[node]):
        edge = tree.first_edge[node] + number
        visits = 0
        worth = max(tree.values[node, player] / tree.visits[node] + tree.advantage[edge], 0.0)
        child = tree.child[edge]
        if child != _NO_NODE:
            visits = tree.visits[child]
            worth = (worth + tree.values[child, player]) / (1 + visits)
        score = worth + curiosity * tree.prior[edge] / (1 + visits)
        if score > highest:
            highest = score
            best = number
    return best


@compiled
def _add_edges(tree, node, count):
    first = tree.used[1]
    tree.used[1] += count
    tree.first_edge[node] = first
    tree.num_edges[node] = count
    for edge in range(first, first + count):
        tree.child[edge] = _NO_NODE


@compiled
def _add_node(tree, parent, rules, number):
    """The position after this action or outcome."""
    node = tree.used[0]
    tree.used[0] += 1
    tree.parent[node] = parent
    tree.is_unasked[node] = False
    tree.visits[node] = 0
    tree.values[node, :] = 0.0
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
def _draw_outcome(tree, game, rules):
    """An outcome as likely as in the game, from the tree's own stream; two dice show as much in either order."""
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
