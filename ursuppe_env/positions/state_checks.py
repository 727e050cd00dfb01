"""Is an array of states one of this engine's, and can games with a ruleset stand at them? A look at all at once."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.positions.vocabulary import ACTING, ANSWERING, ANSWERS, ANSWERS_THIS_ROUND, MOVING
from ursuppe_env.rules.actions import amoeba_name
from ursuppe_env.rules.board import NUM_SPACES, OFF_BOARD
from ursuppe_env.rules.flow import find_legal_actions
from ursuppe_env.rules.genes import GENE_NAMES, LOWER_GENES, Gene
from ursuppe_env.rules.legal import forbid_all
from ursuppe_env.rules.nodes import CHANCE_PLAYER, FINISHED, PAUSED, Chance, Decision, Phase, Stage
from ursuppe_env.rules.ruleset import MAX_PLAYERS, Ruleset
from ursuppe_env.rules.state import LAYOUT, LAYOUT_NUMBER, NOBODY, STATE


def check_layout(states: Any) -> None:
    """Raise ``ValueError`` for what is not an array of this engine's states; of another layout, it names both."""
    if not isinstance(states, np.ndarray) or states.ndim != 1 or len(states) == 0:
        what = f"an array of shape {states.shape}" if isinstance(states, np.ndarray) else type(states).__name__
        raise ValueError(f"states is {what}; it must be an (N,) array like games.state, N at least 1")
    names = states.dtype.names or ()
    if "layout" not in names or states.dtype["layout"] != STATE["layout"]:
        right = f"it must be that of games.state (layout {LAYOUT})"
        raise ValueError(f"states has dtype {_shortened(states.dtype)}; {right}")
    for row in np.flatnonzero(states["layout"] != LAYOUT_NUMBER):
        found = f"{states['layout'][row]:08x}, of another version of the package"
        raise ValueError(f"state {row} has layout {found}; this one needs layout {LAYOUT}")
    if states.dtype != STATE:
        raise ValueError(f"states says layout {LAYOUT}, but its dtype is another one: {_shortened(states.dtype)}")


def _shortened(dtype: np.dtype[Any]) -> str:
    text = str(dtype)
    return text if len(text) <= 80 else text[:77] + "..."


def impossible_states(states: NDArray[np.void], ruleset: Ruleset) -> Iterator[tuple[int, str]]:
    """Rows that no game of a batch with this ruleset alone can stand at, and why, as far as a look at all tells.

    The first reason is sound; what comes after it may follow from it. Without any, all fields are in their ranges, so
    that no kernel is led outside its arrays. A ruleset's numbers are not in the state: other ones are noticed where
    they show, such as the number of players, the cubes or the gene cards.
    """
    for name, smallest, largest in field_ranges(ruleset):
        values = states[name].reshape(len(states), -1)
        if values.min() >= smallest and values.max() <= largest:
            continue
        for row, at in _places((values < smallest) | (values > largest)):
            yield row, f"{name} has {values[row, at]}; with this ruleset it must be {smallest} ... {largest}"
    for name, found, needed in _sums(states, ruleset):
        for row, at in _places(found != needed):
            yield row, f"the {name} {at} are {found[row, at]} in all; with this ruleset they must be {needed[at]}"
    yield from _impossible_tables(states, ruleset)
    yield from _impossible_nodes(states, ruleset)


def _places(wrong: NDArray[np.bool_]) -> Iterator[tuple[int, ...]]:
    if wrong.any():
        yield from (tuple(map(int, place)) for place in np.argwhere(wrong))


def _is_one_of(values: NDArray[Any], *options: int) -> NDArray[np.bool_]:
    """Quicker than np.isin where there are few values."""
    return np.logical_or.reduce([values == option for option in options])


def cards_turned_up(states: NDArray[np.void]) -> NDArray[np.int64]:
    """How many environment cards have been turned up: one in the set-up, and one in each phase 2."""
    before_the_card = (states["node"] == Chance.CARD) & _is_one_of(states["phase"], Phase.SETUP, Phase.ENVIRONMENT)
    begun = states["round"].astype(np.int64) + ((states["phase"] >= Phase.ENVIRONMENT) | (states["round"] == 0))
    return begun - before_the_card


def field_ranges(ruleset: Ruleset) -> Iterator[tuple[str, int, int]]:
    """The smallest and largest value of every field but the random streams', at any time of a game."""
    players, amoebas, cards = ruleset.players, ruleset.amoebas, len(ruleset.environment)
    large, points = np.iinfo(np.int16).max, ruleset.mutation_points
    deadly = max(ruleset.deadly_damage, ruleset.long_life_damage)
    roles = ("mover", "carrier", "attacker", "victim")
    ranges = {
        "node": (FINISHED, Stage.NEXT_ROUND),
        "player": (PAUSED, players - 1),
        "round": (0, cards - 1),
        "phase": (Phase.SETUP, Phase.SCORING),
        "turn": (0, 2 * players),
        "card": (-1, cards - 1),
        "drawn": (0, (1 << cards) - 1),
        "damage": (0, max(deadly, ruleset.first_damage + 1)),
        "bp": (0, _most_bp(ruleset)),
        "marker": (0, large),
        "mutation_points": (sum(p for p in points if p < 0), sum(p for p in points if p > 0)),
        "genes": (0, cards - 1),
        "supply": (0, max(ruleset.cards)),
        "answers_used": (0, sum(ANSWERS.values()) + sum(ANSWERS_THIS_ROUND.values())),
        "movement": (0, 3),
        "dice": (0, 6),
        "direction": (-1, 3),
        "carried": (0, ruleset.carry * amoebas),
        "taken": (0, ruleset.carry),
        "clinging": (0, (1 << amoebas) - 1),
        "cling_turn": (0, players * amoebas - 1),
        "owed": (0, large),
        **dict.fromkeys(("ruleset", "padding"), (0, 0)),
        **dict.fromkeys(("tapped", "lost_fight", "fights"), (0, 1)),
        **dict.fromkeys(("steps", "attempts"), (0, 2)),
        **dict.fromkeys(("order", "carry_colour"), (0, players - 1)),
        **dict.fromkeys(("winner", *roles), (NOBODY, players - 1)),
        **dict.fromkeys(("amoeba", *(f"{role}_amoeba" for role in roles)), (NOBODY, amoebas - 1)),
        **dict.fromkeys(("amoeba_space", "place"), (OFF_BOARD, NUM_SPACES - 1)),
        **dict.fromkeys(("food", "reserve"), (0, ruleset.cubes)),
    }
    for name, (smallest, largest) in ranges.items():
        yield name, int(smallest), int(largest)


def _most_bp(ruleset: Ruleset) -> int:
    """So many can be had at the end of a game, and a cost can still be given back where it was paid."""
    return int(np.iinfo(np.int16).max) - max(ruleset.attack_cost, ruleset.division_cost, ruleset.fast_division_cost)


def _sums(states: NDArray[np.void], ruleset: Ruleset) -> Iterator[tuple[str, NDArray[Any], NDArray[Any]]]:
    """What is conserved: (what, found (N, n), needed (n,)); players and amoebas beyond their numbers are absent."""
    absent = MAX_PLAYERS - ruleset.players
    cubes = states["food"].sum(axis=1, dtype=np.int64) + states["reserve"] + states["carried"].sum(axis=1)
    yield "cubes of colour", cubes, np.array([ruleset.cubes] * ruleset.players + [0] * absent)
    owners = (states["genes"] > 0).sum(axis=1)
    yield "cards of gene", owners + states["supply"], np.array(ruleset.cards)
    on_board = (states["amoeba_space"] != OFF_BOARD).copy()
    on_board[:, : ruleset.players, : ruleset.amoebas] = False
    yield "further amoebas of player", on_board.sum(axis=2), np.zeros(MAX_PLAYERS, int)
    owned = (states["genes"] > 0).sum(axis=2)
    owned[:, : ruleset.players] = 0
    yield "genes of absent player", owned, np.zeros(MAX_PLAYERS, int)


def _impossible_tables(states: NDArray[np.void], ruleset: Ruleset) -> Iterator[tuple[int, str]]:
    """What lies on the table but cannot: markers, genes, DP and environment cards that contradict each other."""
    players, markers = ruleset.players, states["marker"]
    together = (markers[:, :, None] == markers[:, None, :]) & (markers[:, :, None] > 0)
    for row, player, other in _places(np.triu(together, 1)):
        yield row, f"the markers of players {player} and {other} both stand on place {markers[row, player]}"
    placed = (markers[:, :players] > 0).all(axis=1)
    before_placing = _is_one_of(states["node"], Chance.CARD, Chance.START_ORDER, Decision.START_PLACE)
    for (row,) in _places(~placed & ~(before_placing & (states["round"] == 0))):
        yield row, f"the marker of player {np.argmin(markers[row])} stands nowhere on the track"
    ascending = np.argsort(markers[:, :players], axis=1, kind="stable")
    for (row,) in _places(placed & (states["order"][:, :players] != ascending).any(axis=1)):
        yield row, f"order has {states['order'][row, :players]}, which is not the ascending order of the markers"
    is_unscored = (states["round"] <= 1) & (states["phase"] < Phase.SCORING) & placed
    start_places = np.arange(1, players + 1)
    for (row,) in _places(is_unscored & (np.sort(markers[:, :players], axis=1) != start_places).any(axis=1)):
        places = markers[row, :players].tolist()
        yield row, f"the markers stand on {places}; before the first scoring it must be on 1 ... {players}"
    for row, player, amoeba in _places((states["damage"] > 0) & (states["amoeba_space"] == OFF_BOARD)):
        damage = states["damage"][row, player, amoeba]
        yield row, f"amoeba {amoeba + 1} of player {player} has {damage} DP off the board"
    yield from _grown_too_much(states, ruleset)
    yield from _impossible_genes(states)
    cards, needed = np.array([int(drawn).bit_count() for drawn in states["drawn"]]), cards_turned_up(states)
    for (row,) in _places(cards != needed):
        yield row, f"{cards[row]} environment cards have been turned up; by now it must be {needed[row]}"
    in_force = (states["drawn"].astype(np.int64) >> np.maximum(states["card"], 0)) & 1 == 1
    for (row,) in _places(~in_force & (cards > 0)):
        yield row, f"card {states['card'][row]} is in force, but has not been turned up"
    yield from _impossible_ends(states, ruleset, cards == len(ruleset.environment))


def _grown_too_much(states: NDArray[np.void], ruleset: Ruleset) -> Iterator[tuple[int, str]]:
    """More DP or BP than leave room for those to come: what is accepted must stay so however the game goes on."""
    players, is_begun = ruleset.players, (states["round"] > 0)[:, None, None]
    most_damage, most_bp = _most_damage(states, ruleset), _bp_before_incomes(states, ruleset)
    for row, player, amoeba in _places(is_begun & (states["damage"][:, :players, : ruleset.amoebas] > most_damage)):
        name, damage = amoeba_name((player, amoeba)), states["damage"][row, player, amoeba]
        yield row, f"amoeba {name} has {damage} DP; by now it must be 0 ... {most_damage[row, player, amoeba]}"
    for row, player in _places(states["bp"][:, :players] > most_bp):
        bp, most = states["bp"][row, player], most_bp[row, player]
        yield row, f"player {player} has {bp} BP; with the income still to come it must be 0 ... {most}"


def _most_damage(states: NDArray[np.void], ruleset: Ruleset) -> NDArray[np.int64]:
    """(N, P, A) DP that each amoeba can have: it starves once a round, and whoever is deadly hurt dies in phase 5."""
    phase, now, turn = (states[name][:, None, None] for name in ("phase", "round", "turn"))
    bought = states["genes"][:, : ruleset.players, Gene.LIFE_EXPECTANCY, None]
    short, long = ruleset.deadly_damage, ruleset.long_life_damage
    # After phase 1 the gene may have been bought or, but in round 1, lost; an amoeba dies by what its owner then has.
    is_before_deaths = (phase >= Phase.ENVIRONMENT) & (phase < Phase.DEATHS)
    is_new = is_before_deaths & ((bought == 0) | (bought == now))
    deadly = np.where(is_new, np.where(now > 1, max(short, long), short), np.where(bought > 0, long, short))
    places = np.argsort(states["order"][:, : ruleset.players], axis=1)[:, :, None]
    is_earlier = np.arange(ruleset.amoebas) < states["amoeba"][:, None, None]
    has_acted = (phase == Phase.MOVE_AND_FEED) & ((places < turn) | ((places == turn) & is_earlier))
    first = np.where((now == 1) & (phase < Phase.DEATHS), ruleset.first_damage, 0)
    return np.maximum(deadly - 1, first) + (has_acted | is_before_deaths)


def _bp_before_incomes(states: NDArray[np.void], ruleset: Ruleset) -> NDArray[np.int64]:
    """(N, P) BP that each player can have, so that there is room for the incomes of the rounds that are left."""
    phase, now, turn = (states[name][:, None].astype(np.int64) for name in ("phase", "round", "turn"))
    places = np.argsort(states["order"][:, : ruleset.players], axis=1)
    is_paid = (phase > Phase.DIVISION) | ((phase == Phase.DIVISION) & (ruleset.players - 1 - places < turn))
    return _most_bp(ruleset) - ruleset.income * (len(ruleset.environment) - now - is_paid)


def _impossible_ends(
    states: NDArray[np.void], ruleset: Ruleset, is_last_card: NDArray[np.bool_]
) -> Iterator[tuple[int, str]]:
    """Games that go on after their end, or have ended before it (rules.md section 7, the end)."""
    furthest = states["marker"].max(axis=1)
    is_in_end_zone = furthest >= ruleset.end_zone
    is_finished = np.asarray(states["node"] == FINISHED)
    is_paused = np.asarray(states["player"] == PAUSED)
    is_scored = (states["round"] > 1) | is_paused  # start places may lie in the end zone
    for (row,) in _places(is_scored & is_in_end_zone & ~is_finished):
        yield row, f"a marker stands on place {furthest[row]}, in the end zone: the game would be over"
    for (row,) in _places(is_paused & is_last_card):
        yield row, f"round {states['round'][row]} was the last one, with the last environment card"
    for (row,) in _places(is_finished & ~is_in_end_zone & ~is_last_card):
        yield row, "the game is over, but no marker stands in the end zone, and environment cards are left"


def _impossible_genes(states: NDArray[np.void]) -> Iterator[tuple[int, str]]:
    """Genes bought too late or too early, and those that nobody owns together (rules.md section 7, phase 3)."""
    bought = states["genes"]
    latest = np.maximum(states["round"].astype(np.int64) - (states["phase"] < Phase.NEW_GENES), 0)  # 0: none yet
    for row, player, gene in _places(bought > latest[:, None, None]):
        when = f"in round {bought[row, player, gene]}; by now it must be {latest[row]} at the latest"
        yield row, f"player {player} has bought {GENE_NAMES[gene]} {when}"
    for advanced, lower_genes in LOWER_GENES.items():
        name, exchanged = GENE_NAMES[advanced], bought[:, :, advanced]
        for row, player in _places(exchanged == 1):
            yield row, f"player {player} has bought {name} in round 1; it needs a gene bought in an earlier round"
        for row, player in _places(np.all(bought[:, :, [*lower_genes, advanced]] > 0, axis=2)):
            names = " and ".join(GENE_NAMES[gene] for gene in (*lower_genes, advanced))
            yield row, f"player {player} owns {names}; nobody can own them together"
        for gene in lower_genes:  # the one that was not given up can only have been there before
            for row, player in _places((exchanged > 0) & (bought[:, :, gene] > exchanged)):
                yield row, f"player {player} has bought {GENE_NAMES[gene]} later than {name}, which bars it"


def _impossible_nodes(states: NDArray[np.void], ruleset: Ruleset) -> Iterator[tuple[int, str]]:
    """A state that is stored stands at a decision, a chance event, a pause or the end."""
    node, player = states["node"], states["player"]
    is_decision, is_chance = (node >= 0) & (node <= Decision.AGGRESS), (node >= Chance.CARD) & (node <= Chance.FIGHT)
    kinds = [player >= 0, player == CHANCE_PLAYER, player == PAUSED]
    stands = np.select(kinds, [is_decision, is_chance, node == Stage.NEXT_ROUND], node == FINISHED)
    # Beyond the set-up a card is in force; where something is under way, it is known whose.
    stands &= (states["card"] >= 0) | (node == Chance.CARD)
    stands &= (states["amoeba"] == NOBODY) | (states["turn"] < ruleset.players)
    for nodes, names in _UNDER_WAY:
        stands_elsewhere = ~_is_one_of(node, *nodes)
        for name in names:
            stands &= stands_elsewhere | (states[name] >= 0)
    for (row,) in _places(~stands):
        yield row, f"nobody can stand at node {node[row]} with player {player[row]}"


_UNDER_WAY = (
    (ACTING, ("amoeba",)),
    (MOVING, ("mover", "mover_amoeba")),
    ((Decision.CARRY,), ("carrier", "carrier_amoeba")),
    (ANSWERING, ("attacker", "attacker_amoeba", "victim", "victim_amoeba", "place")),
)


def fill_legal_actions(game: np.void, ruleset: Ruleset) -> None:
    """Write the legal actions of the decision that the game stands at into its record."""
    forbid_all(game)
    find_legal_actions(game, ruleset.record[0])
