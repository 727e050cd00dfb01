"""The root of a search tree: a game's position as its first node, and what the tree says of it in the end."""

from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.search.policy_tree import improve_policy
from ursuppe_agents.search.tree import Tree
from ursuppe_env.rules.state import STATE

_POSITION = slice(STATE.fields["legal"][1], None)  # type: ignore[index]  # the bytes of a record after its streams


class Votes(NamedTuple):
    """Of a tree for the legal actions at its root, in the order of their ids."""

    votes: NDArray[np.float64]
    estimates: NDArray[np.float64]  # from before the search: they decide between equals


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
    tree.games["ruleset"][0] = 0  # the leaf evaluator has this one alone
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


def votes_of(tree: Tree, is_guided: bool) -> Votes:
    """What an expanded root says of its actions: their visits or, where a policy guides, the improved policy."""
    root = int(tree.root[0])
    edges = edges_of(tree, root)
    if is_guided:
        improved = np.empty(edges.stop - edges.start)
        improve_policy(tree, root, improved)
        return Votes(improved, tree.priors[edges].copy())
    return Votes(visits_below(tree, root).astype(np.float64), tree.advantages[edges].copy())
