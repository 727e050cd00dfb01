"""Monte-Carlo tree search for any number of players (max^n), with chance events as nodes of their own.

A node is a position: a decision, a chance event or the end of the game. A simulation has four steps. It *selects* a
path down from the root, at a decision by PUCT for the player who decides, at a chance event by drawing an outcome from
the tree's own stream, to a leaf: a decision reached for the first time, or the end of the game. It *expands* the leaf,
*evaluates* it, and *backs up* its value to each player along the path.

Who searches brings the evaluation: the value function with look-ahead and play-outs (``value_search.py``), or a trained
policy (``policy_search.py``).

The positions in a tree stop at every chance event, and their random streams are the tree's own.
"""

from hashlib import blake2b
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.search import compiled
from ursuppe_env.rules.chance import draw, mix
from ursuppe_env.rules.flow import advance, apply, resolve
from ursuppe_env.rules.legal import legal_action
from ursuppe_env.rules.nodes import CHANCE_PLAYER, FINISHED, STOP_AT_CHANCE, Chance
from ursuppe_env.rules.ruleset import MAX_PLAYERS
from ursuppe_env.rules.state import STATE

_EDGES_PER_NODE = 8  # more than there are on average
_MOST_NEW_NODES = 64  # in one simulation: a chance event can follow the other, but not for long
_MOST_EDGES = 36 * _MOST_NEW_NODES  # of these
_STEP = np.uint64(0x9E3779B97F4A7C15)  # of the stream; odd, so that it comes through all numbers
_POSITION = slice(STATE.fields["legal"][1], None)  # type: ignore[index]  # the bytes of a record after its streams
_PENDING_LOSS = 0.25  # a simulation that waits for its leaf's evaluation counts as so much of one that was lost

NO_NODE = -1
#: (winner, player) values of games that are over; in the last row nobody has won.
RESULTS = np.vstack([np.eye(MAX_PLAYERS), np.zeros(MAX_PLAYERS)])


class Tree(NamedTuple):
    """M nodes and E edges in arrays; nodes are numbered as they were made."""

    games: Any  # (M,) of dtype STATE: the positions
    visit_counts: Any  # (M,) int64: simulations through the node
    value_sums: Any  # (M, MAX_PLAYERS) float64: the sum of their values to each player
    parents: Any  # (M,) int64; meaningless for the first node
    initial_values: Any  # (M, MAX_PLAYERS) float64: a policy's evaluation of a decision
    num_pending: Any  # (M,) int64: simulations through the node that wait for their leaf's evaluation
    first_edge: Any  # (M,) int64: the node's first edge
    num_edges: Any  # (M,) int64: legal actions, or outcomes of chance; 0 before expansion
    children: Any  # (E,) int64: the node that an edge leads to; -1 while there is none
    priors: Any  # (E,) float64: prior probability of an action
    advantages: Any  # (E,) float64: an action's value to the player who decides less the node's, at expansion
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


class Votes(NamedTuple):
    """What a tree says of the legal actions at its root, in the order of their ids."""

    votes: NDArray[np.float64]
    estimates: NDArray[np.float64]  # from before the search: they decide between equals


class Search(Protocol):
    """Searches trees of one ruleset's games; the two are ``ValueSearch`` and ``PolicySearch``.

    Attributes:
        at_once: simulations that are worth a call.
        votes_by_visits: the more visits an action has, the more votes.
    """

    at_once: int
    votes_by_visits: bool

    def simulate(self, tree: Tree, simulations: int) -> int:
        """Run simulations from the root; returns how many were possible before the tree was full.

        Raises:
            ValueError: the policy cannot evaluate such games; the message says why.
        """

    def votes(self, tree: Tree) -> Votes:
        """What the tree, after a simulation or more, says of the actions at its root."""


# ---------------------------------------------------------------------- roots


def positions(states: NDArray[np.void]) -> NDArray[np.uint8]:
    """(n, bytes) what the records say but for their random streams."""
    return states.view(np.uint8).reshape(len(states), STATE.itemsize)[:, _POSITION]


def stream_of(state: NDArray[np.void], key: bytes, number: int) -> int:
    """64 bits for a stream of random numbers that depends on a position, (1,), but not on the real game's streams.

    Args:
        state: of the game.
        key: of whoever asks.
        number: other numbers give other streams.
    """
    salt = number.to_bytes(blake2b.SALT_SIZE, "little")
    digest = blake2b(positions(state)[0].tobytes(), key=key, salt=salt, digest_size=8).digest()
    return int.from_bytes(digest, "little")


def begin_tree(tree: Tree, state: NDArray[np.void], key: bytes, number: int) -> None:
    """Empty a tree, and make a game's state, (1,), its root; the rest as for ``stream_of``."""
    tree.used[:] = (1, 0)
    tree.root[0] = 0
    tree.games[:1] = state
    tree.games["ruleset"][0] = 0  # a search has this one alone
    tree.games["draws"][0] = 0
    tree.visit_counts[0] = 0
    tree.num_pending[0] = 0
    tree.value_sums[0] = 0
    tree.num_edges[0] = 0
    tree.stream[0] = stream_of(state, key, number)


def edges_of(tree: Tree, node: int) -> slice:
    """Where the edges of an expanded node are."""
    first = int(tree.first_edge[node])
    return slice(first, first + int(tree.num_edges[node]))


def visits_below(tree: Tree, node: int) -> NDArray[np.int64]:
    """The simulations through each child of an expanded node."""
    children = tree.children[edges_of(tree, node)]
    return np.where(children >= 0, tree.visit_counts[children], 0)


# ---------------------------------------------------------------------- simulations


@compiled
def has_room(tree):
    """Whether a simulation can make all the nodes and edges it may need."""
    nodes, edges = tree.used[0], tree.used[1]
    return nodes + _MOST_NEW_NODES < len(tree.games) and edges + _MOST_EDGES < len(tree.children)


@compiled
def select_leaf(tree, rules, exploration):
    """Walk from the root to a decision that is not expanded yet, or to the end of the game.

    Args:
        tree: with a root.
        rules: the ruleset's record.
        exploration: the constant of PUCT, in chances of winning.
    """
    node = tree.root[0]
    while True:
        player = tree.games[node]["player"]
        if player == FINISHED or (player >= 0 and tree.num_edges[node] == 0):
            return node
        if player == CHANCE_PLAYER:
            number = _draw_outcome(tree, rules, node)
        else:
            number = _select_action(tree, node, exploration)
        node = child_of(tree, rules, node, number)


@compiled
def expand(tree, node):
    """Give a decision an edge for each legal action; returns where they are, a slice.

    Their priors and advantages are to be written.
    """
    count = int(tree.games[node]["num_legal"])
    _add_edges(tree, node, count)
    return slice(tree.first_edge[node], tree.first_edge[node] + count)


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
def child_of(tree, rules, node, number):
    """The node after this action or outcome; it is added to the tree if it is new."""
    edge = tree.first_edge[node] + number
    if tree.children[edge] == NO_NODE:
        tree.children[edge] = _add_node(tree, rules, node, number)
    return tree.children[edge]


@compiled
def _select_action(tree, node, exploration):
    """The action with the highest PUCT score: its value to the player who decides, and an exploration bonus.

    The node's mean and the action's advantage count as one more visit of the action.
    """
    player = int(tree.games[node]["player"])
    mean = tree.value_sums[node, player] / tree.visit_counts[node]
    bonus = exploration * np.sqrt(float(tree.visit_counts[node] + tree.num_pending[node]))
    best = 0
    best_score = -np.inf
    for number in range(tree.num_edges[node]):
        edge = tree.first_edge[node] + number
        visits, pending = 1, 0
        value = max(mean + tree.advantages[edge], 0.0)
        child = tree.children[edge]
        if child != NO_NODE:
            visits += tree.visit_counts[child]
            pending = tree.num_pending[child]
            value += tree.value_sums[child, player]
        score = value / (visits + _PENDING_LOSS * pending) + bonus * tree.priors[edge] / (visits + pending)
        if score > best_score:
            best_score = score
            best = number
    return best


@compiled
def _add_edges(tree, node, count):
    """Give a node so many edges, which lead nowhere yet."""
    first = tree.used[1]
    tree.used[1] += count
    tree.first_edge[node] = first
    tree.num_edges[node] = count
    for edge in range(first, first + count):
        tree.children[edge] = NO_NODE


@compiled
def _add_node(tree, rules, parent, number):
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
def _draw_outcome(tree, rules, node):
    """An outcome as likely as in the game, from the tree's own stream; two dice show as much in either order."""
    game = tree.games[node]
    if tree.num_edges[node] == 0:
        _add_edges(tree, node, _num_outcomes(game, rules))
    game["key"] = next_number(tree)
    number = draw(game, rules)
    if game["node"] == Chance.DICE and number // 6 > number % 6:
        return number % 6 * 6 + number // 6
    return number


@compiled
def next_number(tree):
    """The next 64 random bits of the tree's stream."""
    tree.stream[0] += _STEP
    return mix(tree.stream[0])
