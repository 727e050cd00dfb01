"""Is an array of states one that this engine can go on from? Asked of what comes from a file or a pickle."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.rules.board import NUM_SPACES, OFF_BOARD
from ursuppe_env.rules.flow import find_legal_actions
from ursuppe_env.rules.legal import forbid_all
from ursuppe_env.rules.nodes import CHANCE_PLAYER, FINISHED, PAUSED, Chance, Decision, Phase, Stage
from ursuppe_env.rules.ruleset import MAX_PLAYERS, Ruleset
from ursuppe_env.rules.state import LAYOUT, LAYOUT_NUMBER, NOBODY, STATE


def check_layout(states: Any) -> None:
    """Refuse what is not an array of this engine's states.

    Raises:
        ValueError: it is something else, or of another layout; the message names both layouts.
    """
    if not isinstance(states, np.ndarray) or states.ndim != 1 or len(states) == 0:
        what = f"an array of shape {states.shape}" if isinstance(states, np.ndarray) else type(states).__name__
        raise ValueError(f"states is {what}; it must be an (N,) array like games.state, N at least 1")
    names = states.dtype.names or ()
    if "layout" not in names or states.dtype["layout"] != STATE["layout"]:
        raise ValueError(
            f"states has dtype {_shortened(states.dtype)}; it must be that of games.state (layout {LAYOUT})"
        )
    wrong = np.flatnonzero(states["layout"] != LAYOUT_NUMBER)
    if len(wrong):
        row = int(wrong[0])
        raise ValueError(
            f"state {row} has layout {states['layout'][row]:08x}, of another version of the package; "
            f"this one needs layout {LAYOUT}"
        )
    if states.dtype != STATE:
        raise ValueError(f"states says layout {LAYOUT}, but its dtype is another one: {_shortened(states.dtype)}")


def _shortened(dtype: np.dtype[Any]) -> str:
    text = str(dtype)
    return text if len(text) <= 80 else text[:77] + "..."


def check_states(states: NDArray[np.void], ruleset: Ruleset) -> None:
    """Refuse states of this layout that no game with this ruleset can stand at, as far as a look at each tells.

    The numbers of a ruleset are not in the state: one with other numbers is noticed where they show, such as the
    number of players, the cubes, the gene cards, or what is legal.

    Raises:
        ValueError: a state is impossible; the message names it, the field and the value.
    """
    for name, smallest, largest in _ranges(ruleset):
        values = states[name].reshape(len(states), -1).astype(np.int64)
        bad = np.argwhere((values < smallest) | (values > largest))
        if len(bad):
            row, at = (int(number) for number in bad[0])
            raise ValueError(
                f"state {row}: {name} has {values[row, at]}; with this ruleset it must be {smallest} ... {largest}"
            )
    for name, found, needed in _sums(states, ruleset):
        bad = np.argwhere(found != needed)
        if len(bad):
            row, at = (int(number) for number in bad[0])
            raise ValueError(
                f"state {row}: the {name} {at} are {found[row, at]} in all; with this ruleset they must be {needed[at]}"
            )
    _check_nodes(states)
    _check_legal_actions(states, ruleset)


def _ranges(ruleset: Ruleset) -> Iterator[tuple[str, int, int]]:
    """The smallest and largest value of every field but the random streams'."""
    players, amoebas, cards = ruleset.players, ruleset.amoebas, len(ruleset.environment)
    player, nobody_or_player = (0, players - 1), (NOBODY, players - 1)
    amoeba, space = (NOBODY, amoebas - 1), (OFF_BOARD, NUM_SPACES - 1)
    count, large_count = (0, np.iinfo(np.int8).max), (0, np.iinfo(np.int16).max)
    ranges = {
        "node": (FINISHED, Stage.NEXT_ROUND),
        "player": (PAUSED, players - 1),
        "round": (0, cards - 1),
        "phase": (Phase.SETUP, Phase.SCORING),
        "order": player,
        "turn": (0, 2 * players),
        "amoeba": amoeba,
        "winner": nobody_or_player,
        "card": (-1, cards - 1),
        "drawn": (0, (1 << cards) - 1),
        "food": (0, ruleset.cubes),
        "reserve": (0, ruleset.cubes),
        "amoeba_space": space,
        "damage": count,
        "bp": large_count,
        "marker": large_count,
        "genes": (0, cards - 1),
        "supply": count,
        "answers_used": (0, 3),
        "movement": (0, 3),
        "mover": nobody_or_player,
        "mover_amoeba": amoeba,
        "steps": (0, 2),
        "dice": (0, 6),
        "direction": (-1, 3),
        "carried": (0, ruleset.carry),
        "carry_colour": player,
        "clinging": (0, (1 << amoebas) - 1),
        "cling_turn": (0, players * amoebas - 1),
        "tapped": (0, 1),
        "attempts": (0, 2),
        "lost_fight": (0, 1),
        "attacker": nobody_or_player,
        "attacker_amoeba": amoeba,
        "victim": nobody_or_player,
        "victim_amoeba": amoeba,
        "fights": (0, 1),
        "owed": large_count,
        "place": space,
    }
    for name, (smallest, largest) in ranges.items():
        yield name, int(smallest), int(largest)


def _sums(states: NDArray[np.void], ruleset: Ruleset) -> Iterator[tuple[str, NDArray[Any], NDArray[Any]]]:
    """What is conserved: (what, found (N, n), needed (n,)); players and amoebas beyond their numbers are absent."""
    absent = MAX_PLAYERS - ruleset.players
    cubes = states["food"].sum(axis=1, dtype=np.int64) + states["reserve"] + states["carried"]
    yield "cubes of colour", cubes, np.array([ruleset.cubes] * ruleset.players + [0] * absent)
    owners = (states["genes"] > 0).sum(axis=1)
    yield "cards of gene", owners + states["supply"], np.array(ruleset.cards)
    on_board = (states["amoeba_space"] != OFF_BOARD).copy()
    on_board[:, : ruleset.players, : ruleset.amoebas] = False
    yield "further amoebas of player", on_board.sum(axis=2), np.zeros(MAX_PLAYERS, int)
    owned = (states["genes"] > 0).sum(axis=2)
    owned[:, : ruleset.players] = 0
    yield "genes of absent player", owned, np.zeros(MAX_PLAYERS, int)


def _check_nodes(states: NDArray[np.void]) -> None:
    """A state that is stored stands at a decision, a chance event, a pause or the end."""
    node, player = states["node"], states["player"]
    stands = np.select(
        [player >= 0, player == CHANCE_PLAYER, player == PAUSED],
        [
            (node >= 0) & (node <= Decision.AGGRESS),
            (node >= Chance.CARD) & (node <= Chance.FIGHT),
            node == Stage.NEXT_ROUND,
        ],
        node == FINISHED,
    )
    # Beyond the set-up a card is in force; where something is under way, it is known whose.
    stands &= (states["card"] >= 0) | (node == Chance.CARD)
    for decisions, names in _UNDER_WAY:
        for name in names:
            stands &= ~np.isin(node, decisions) | (states[name] >= 0)
    if not stands.all():
        row = int(np.argmin(stands))
        raise ValueError(f"state {row}: nobody can stand at node {node[row]} with player {player[row]}")


_UNDER_WAY = (
    ((Decision.MOVE, Decision.FEED, Decision.MEAL), ("amoeba",)),
    ((Decision.DIRECTION, Decision.CARRY, Decision.CLING, Decision.AGAIN, Chance.DIE), ("mover", "mover_amoeba")),
    ((Chance.DICE,), ("mover", "mover_amoeba")),
    ((Decision.DEFEND, Chance.FIGHT), ("attacker", "attacker_amoeba", "victim", "victim_amoeba", "place")),
    ((Decision.NUMBER,), ("place",)),
)


def _check_legal_actions(states: NDArray[np.void], ruleset: Ruleset) -> None:
    """The legal actions are in the state; the ruleset must make the same ones legal."""
    for row in np.flatnonzero(states["player"] < 0):
        if states["num_legal"][row] != 0 or states["legal"][row].any():
            raise ValueError(f"state {row}: it has legal actions, but nobody is to decide")
    again, rules = states.copy(), ruleset.record[0]
    for row in np.flatnonzero(states["player"] >= 0):
        game = again[row]
        forbid_all(game)
        find_legal_actions(game, rules)
        same = game["num_legal"] == states["num_legal"][row] and (game["legal"] == states["legal"][row]).all()
        if not same or game["num_legal"] < 2:
            decision = Decision(int(states["node"][row])).name.lower()
            raise ValueError(f"state {row}: with this ruleset other actions are legal in its decision {decision}")
