"""What a player sees: everything that can matter for the future, as bounded float32 numbers.

All information of the game is public, so every seat sees the same facts, only turned: seat 0 is the observer, seat 1
the next player, and so on. ``observation_layout`` names the slices, ``observe`` fills them, and ``index_table`` prints
them; the order of the parts is the same in all three.
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from ursuppe_env.rules.board import COLUMN, NUM_SPACES, ROW
from ursuppe_env.rules.chance import is_drawn
from ursuppe_env.rules.combat import DEFENSE_USED, DEFENSE_USED_THIS_ROUND, ESCAPE_USED, ESCAPE_USED_THIS_ROUND
from ursuppe_env.rules.compilation import compiled
from ursuppe_env.rules.displacement import asked_to_cling, on_their_way
from ursuppe_env.rules.genes import NUM_GENES
from ursuppe_env.rules.nodes import Chance, Decision, Movement, Phase
from ursuppe_env.rules.ruleset import MAX_AMOEBAS, MAX_CARDS, Ruleset
from ursuppe_env.rules.state import in_ascending_order, in_descending_order, rules_of


class Part(NamedTuple):
    """One named slice of the observation."""

    name: str
    shape: tuple[int, ...]
    unit: float  # the state's number that is shown as 1.0
    bounds: Callable[[Ruleset], tuple[int, int]]  # smallest and largest number in the state
    meaning: str


def _flag(ruleset: Ruleset) -> tuple[int, int]:
    return 0, 1


def _cubes(ruleset: Ruleset) -> tuple[int, int]:
    return 0, ruleset.cubes


def _most_damage(ruleset: Ruleset) -> tuple[int, int]:
    survivable = max(ruleset.deadly_damage, ruleset.long_life_damage) - 1
    return 0, max(ruleset.first_damage, survivable) + 1


def _most_bp(ruleset: Ruleset) -> tuple[int, int]:
    return 0, ruleset.start_bp + ruleset.income * len(ruleset.environment)


def _mutation_points(ruleset: Ruleset) -> tuple[int, int]:
    points = ruleset.mutation_points
    return sum(p for p in points if p < 0), sum(p for p in points if p > 0)


def _carried(ruleset: Ruleset) -> tuple[int, int]:
    carriers = ruleset.players * ruleset.amoebas if ruleset.clinging_carries else 1
    return 0, min(ruleset.carry * carriers, ruleset.cubes)


def _most_owed(ruleset: Ruleset) -> tuple[int, int]:
    return 0, sum(abs(points) for points in ruleset.mutation_points)


def furthest_place(ruleset: Ruleset) -> int:
    """Where no marker can be beyond: one place before the end zone, then the best scoring, jumping over all others."""
    best = max(ruleset.amoeba_places) + max(ruleset.gene_places)
    start = max(ruleset.end_zone - 1, ruleset.players)
    return start + best + ruleset.players - 1


def _marker(ruleset: Ruleset) -> tuple[int, int]:
    return 0, furthest_place(ruleset)


@cache
def _parts(players: int) -> tuple[Part, ...]:
    P = players
    amoebas = (P, MAX_AMOEBAS)
    return (
        Part("food", (P, NUM_SPACES), 4, _cubes, "cubes of each seat's colour on each space"),
        Part("amoebas", (P, NUM_SPACES), 1, lambda r: (0, r.amoebas), "how many amoebas of each seat on each space"),
        Part("row", amoebas, 5, lambda r: (0, 5), "row of amoeba n of each seat, 1 in the north; 0 off the board"),
        Part("column", amoebas, 5, lambda r: (0, 5), "its column, 1 in the west; 0 off the board"),
        Part("damage", amoebas, 2, _most_damage, "its DP"),
        Part("genes", (P, NUM_GENES), 2, lambda r: (0, 2), "each seat: 2 owned, 1 bought in this round, 0 not owned"),
        Part("mutation_points", (P,), 10, _mutation_points, "sum of each seat's MP"),
        Part("supply", (NUM_GENES,), 2, lambda r: (0, max(r.cards)), "gene cards left"),
        Part("reserve", (P,), 50, _cubes, "cubes of each seat's colour in the reserve"),
        Part("bp", (P,), 10, _most_bp, "BP of each seat"),
        Part("marker", (P,), 42, _marker, "place of each seat's marker on the track; 0 before the start"),
        Part(
            "order",
            (P,),
            P - 1,
            lambda r: (0, r.players - 1),
            "place of each seat in ascending (or start) order",
        ),
        Part("card_direction", (5,), 1, _flag, "card in force: west, north, east, south, none"),
        Part("ozone", (1,), 10, lambda r: (0, max(o for _, o in r.environment)), "its ozone value"),
        Part(
            "cards_left",
            (MAX_CARDS,),
            1,
            _flag,
            "environment card c of the ruleset has not been turned up yet",
        ),
        Part("round", (1,), 10, lambda r: (0, len(r.environment) - 1), "round"),
        Part("phase", (len(Phase),), 1, _flag, "set-up, phases 1-6"),
        Part(
            "decision",
            (len(Decision),),
            1,
            _flag,
            "decision that is asked, in the order of rules.md section 8",
        ),
        Part("chance", (len(Chance),), 1, _flag, "chance event to come: card, start_order, die, dice, fight"),
        Part("to_act", (P,), 1, _flag, "who decides"),
        Part("turn", (P,), 1, _flag, "whose turn it is in this phase"),
        Part("acting_amoeba", (MAX_AMOEBAS,), 1, _flag, "phase 1: number of the acting amoeba"),
        Part("movement", (3,), 1, _flag, "movement under way: drift, move, escape"),
        Part("mover", (P,), 1, _flag, "owner of the moving amoeba"),
        Part("mover_amoeba", (MAX_AMOEBAS,), 1, _flag, "its number"),
        Part("second_step", (1,), 1, _flag, "it makes its second active step"),
        Part("dice", (2, 6), 1, _flag, "faces rolled for this step"),
        Part("direction", (4,), 1, _flag, "direction of the displacement"),
        Part(
            "carried",
            (P,),
            2,
            _carried,
            "cubes of each seat's colour on their way with a Tentacle",
        ),
        Part("carry_colour", (P,), 1, _flag, "colour of the last cube taken"),
        Part(
            "taken",
            (1,),
            2,
            lambda r: (0, r.carry),
            "cubes that the amoeba has taken that takes cubes along",
        ),
        Part("player_0", (P,), 1, _flag, "where player 0 sits (cubes are taken in the order of player numbers)"),
        Part("clinging", amoebas, 1, _flag, "amoeba n of each seat comes along"),
        Part(
            "clinger",
            (MAX_AMOEBAS,),
            1,
            _flag,
            "number of the amoeba that is asked to cling, or that clings and takes cubes along",
        ),
        Part("attacker", (P,), 1, _flag, "owner of the attacking amoeba"),
        Part("attacker_amoeba", (MAX_AMOEBAS,), 1, _flag, "its number"),
        Part("victim", (P,), 1, _flag, "owner of the attacked amoeba"),
        Part("victim_amoeba", (MAX_AMOEBAS,), 1, _flag, "its number"),
        Part("place", (NUM_SPACES,), 1, _flag, "space of the attack, or that an amoeba is being placed on"),
        Part("attempts", (1,), 2, lambda r: (0, 2), "attacks made by the acting amoeba or the aggressor"),
        Part("lost_fight", (1,), 1, _flag, "the acting amoeba cannot eat any more this round; the aggressor is hungry"),
        Part("answers_used", (2,), 1, _flag, "the attacked has used Defense, Escape against this attack"),
        Part("answers_used_this_round", (P, 2), 1, _flag, "each seat has used Defense, Escape in this round"),
        Part("fights", (1,), 1, _flag, "the defender's Endurance is about to fight again"),
        Part("tapped", (1,), 1, _flag, "a host has paid for this meal"),
        Part("owed", (1,), 10, _most_owed, "MP still to be paid for a gene defect"),
    )


@cache
def observation_layout(players: int) -> dict[str, slice]:
    """The named slices of an observation with this many players, in order: ``row[layout["bp"]]``."""
    layout, start = {}, 0
    for part in _parts(players):
        size = int(np.prod(part.shape))
        layout[part.name] = slice(start, start + size)
        start += size
    return layout


@cache
def observation_size(players: int) -> int:
    """How many numbers an observation has."""
    return max(part.stop for part in observation_layout(players).values())


@cache
def observation_bounds(ruleset: Ruleset) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and largest value of each number of the observation: two (F,) float32 arrays."""
    low = np.empty(observation_size(ruleset.players), np.float32)
    high = np.empty_like(low)
    for part, where in zip(_parts(ruleset.players), observation_layout(ruleset.players).values(), strict=True):
        smallest, largest = part.bounds(ruleset)
        scale = np.float32(1 / part.unit)  # the kernel multiplies too: a quotient may differ in the last bit
        low[where], high[where] = np.float32(smallest) * scale, np.float32(largest) * scale
    low.flags.writeable = high.flags.writeable = False
    return low, high


def index_table(players: int) -> str:
    """The layout as a Markdown table: indices, name, shape, what 1.0 stands for, meaning."""
    lines = ["| indices | name | shape | 1.0 is | meaning |", "| --- | --- | --- | --- | --- |"]
    for part, where in zip(_parts(players), observation_layout(players).values(), strict=True):
        shape = " x ".join(map(str, part.shape))
        indices = f"{where.start}-{where.stop - 1}" if where.stop - where.start > 1 else f"{where.start}"
        lines.append(f"| {indices} | `{part.name}` | {shape} | {part.unit:g} | {part.meaning} |")
    return "\n".join(lines)


_ROWS_IN_CACHE = 16  # set to 0 together: that many stay in the cache until they are filled, one alone is slower
_NUM_PHASES, _NUM_DECISIONS, _NUM_CHANCES = len(Phase), len(Decision), len(Chance)
NOT_SHOWN = -1  # in place of a number that is shown as one of several flags

# By space, as they are shown; the last one is OFF_BOARD, which is -1.
_ROW = np.append((ROW + 1) / np.float32(5), np.float32(0)).astype(np.float32)
_COLUMN = np.append((COLUMN + 1) / np.float32(5), np.float32(0)).astype(np.float32)
_SCALE_2 = np.float32(1 / 2)
_SCALE_4 = np.float32(1 / 4)
_SCALE_10 = np.float32(1 / 10)
_SCALE_42 = np.float32(1 / 42)
_SCALE_50 = np.float32(1 / 50)


@compiled
def _flag_one(out, start, size, which):
    """Set flag ``which`` of the ``size`` flags from ``start``, if it is one of them; returns where they end."""
    if 0 <= which < size:
        out[start + which] = 1
    return start + size


@compiled
def _seat(player, observer, players):
    """How many seats after the observer the player sits; NOT_SHOWN for nobody."""
    if player < 0:
        return NOT_SHOWN
    seat = int(player) - observer
    return seat + players if seat < 0 else seat


@compiled
def _player_in(seat, observer, players):
    """The player who sits so many seats after the observer; a division would cost more than all the rest."""
    player = observer + seat
    return player - players if player >= players else player


@compiled
def _whose_turn(game, rules):
    """The player whose turn it is in this phase, or -1."""
    phase, turn, players = game["phase"], int(game["turn"]), rules["players"]
    if phase == Phase.SETUP:
        return int(game["player"])
    if phase == Phase.MOVE_AND_FEED:
        return in_ascending_order(game, turn) if turn < players else -1
    return in_descending_order(game, rules, turn - 1) if turn > 0 else -1


# No branches on who is on the board and who owns what: no processor can foresee it, and a wrong guess costs more than
# the work. Loops over a slice of ``out``: the compiler makes vector code of them, but spells out those of known length.


@compiled
def _board(game, rules, observer, out, k):
    """food, amoebas, row, column, damage."""
    players = rules["players"]
    amoebas = k + players * NUM_SPACES
    row = amoebas + players * NUM_SPACES
    column = row + players * MAX_AMOEBAS
    damage = column + players * MAX_AMOEBAS
    for seat in range(players):
        player = _player_in(seat, observer, players)
        shown = out[k + seat * NUM_SPACES : k + (seat + 1) * NUM_SPACES]
        for space in range(len(shown)):
            shown[space] = game["food"][space, player] * _SCALE_4
        counts = np.uint64(0)  # three bits a space, from OFF_BOARD on: at most 7 amoebas
        for amoeba in range(MAX_AMOEBAS):
            which = seat * MAX_AMOEBAS + amoeba
            space = np.int64(game["amoeba_space"][player, amoeba])
            counts += np.uint64(1) << np.uint64(3 * (space + 1))
            out[row + which] = _ROW[space]
            out[column + which] = _COLUMN[space]
            out[damage + which] = game["damage"][player, amoeba] * _SCALE_2
        shown = out[amoebas + seat * NUM_SPACES : amoebas + (seat + 1) * NUM_SPACES]
        for space in range(len(shown)):
            shown[space] = np.int32((counts >> np.uint64(3 * (space + 1))) & np.uint64(7))
    return damage + players * MAX_AMOEBAS


@compiled
def _genes(game, rules, observer, out, k):
    """genes, mutation_points, supply."""
    players = rules["players"]
    this_round = game["round"]
    mutation_points = k + players * NUM_GENES
    for seat in range(players):
        bought = game["genes"][_player_in(seat, observer, players)]
        shown = out[k + seat * NUM_GENES : k + (seat + 1) * NUM_GENES]
        total = 0
        for gene in range(len(shown)):
            is_owned = int(bought[gene] > 0)
            shown[gene] = np.int32(is_owned + is_owned * int(bought[gene] < this_round)) * _SCALE_2
            total += is_owned * rules["mutation_points"][gene]
        out[mutation_points + seat] = total * _SCALE_10
    k = mutation_points + players
    shown = out[k : k + NUM_GENES]
    for gene in range(len(shown)):
        shown[gene] = game["supply"][gene] * _SCALE_2
    return k + NUM_GENES


@compiled
def _players(game, rules, observer, out, k):
    """reserve, bp, marker, order."""
    players = rules["players"]
    bp, marker, order = k + players, k + 2 * players, k + 3 * players
    scale_order = np.float32(1 / (players - 1))
    for seat in range(players):
        player = _player_in(seat, observer, players)
        out[k + seat] = game["reserve"][player] * _SCALE_50
        out[bp + seat] = game["bp"][player] * _SCALE_10
        out[marker + seat] = game["marker"][player] * _SCALE_42
        out[order + _seat(game["order"][seat], observer, players)] = seat * scale_order
    return order + players


@compiled
def _round(game, rules, observer, out, k):
    """card_direction, ozone, cards_left, round, phase, decision, chance, to_act, turn, acting_amoeba."""
    players = rules["players"]
    if game["card"] >= 0:
        out[k + rules["card_direction"][game["card"]]] = 1
        out[k + 5] = rules["card_ozone"][game["card"]] * _SCALE_10
    k += 6
    for card in range(rules["num_cards"]):
        out[k + card] = not is_drawn(game, card)
    k += MAX_CARDS
    out[k] = game["round"] * _SCALE_10
    node = int(game["node"])
    k = _flag_one(out, k + 1, _NUM_PHASES, game["phase"])
    k = _flag_one(out, k, _NUM_DECISIONS, node)
    k = _flag_one(out, k, _NUM_CHANCES, node - Chance.CARD)
    k = _flag_one(out, k, players, _seat(game["player"], observer, players))
    k = _flag_one(out, k, players, _seat(_whose_turn(game, rules), observer, players))
    return _flag_one(out, k, MAX_AMOEBAS, game["amoeba"])


@compiled
def _movement(game, rules, observer, out, k):
    """movement, mover, mover_amoeba, second_step, dice, direction, carried ... clinger."""
    players = rules["players"]
    k = _flag_one(out, k, 3, int(game["movement"]) - Movement.DRIFT)
    k = _flag_one(out, k, players, _seat(game["mover"], observer, players))
    k = _flag_one(out, k, MAX_AMOEBAS, game["mover_amoeba"])
    out[k] = game["steps"] == 2
    k = _flag_one(out, k + 1, 6, int(game["dice"][0]) - 1)
    k = _flag_one(out, k, 6, int(game["dice"][1]) - 1)
    k = _flag_one(out, k, 4, game["direction"])
    if game["movement"]:
        for seat in range(players):
            out[k + seat] = on_their_way(game, rules, _player_in(seat, observer, players)) * _SCALE_2
    k += players
    k = _flag_one(out, k, players, _seat(game["carry_colour"], observer, players) if game["taken"] else NOT_SHOWN)
    out[k] = game["taken"] * _SCALE_2
    k += 1
    k = _flag_one(out, k, players, _seat(0, observer, players))
    for seat in range(players):
        answers = int(game["clinging"][_player_in(seat, observer, players)])
        if answers != 0:
            for amoeba in range(MAX_AMOEBAS):
                out[k + amoeba] = (answers >> amoeba) & 1
        k += MAX_AMOEBAS
    return _flag_one(out, k, MAX_AMOEBAS, _clinger(game, rules))


@compiled
def _clinger(game, rules):
    """The number of the amoeba that is asked to cling, or that clings and takes cubes along."""
    if game["node"] == Decision.CLING:
        return asked_to_cling(game, rules)[1]
    is_mover = game["carrier"] == game["mover"] and game["carrier_amoeba"] == game["mover_amoeba"]
    return NOT_SHOWN if is_mover else int(game["carrier_amoeba"])


@compiled
def _meal_and_attack(game, rules, observer, out, k):
    """attacker, attacker_amoeba, victim, victim_amoeba, place, attempts ... owed."""
    players = rules["players"]
    k = _flag_one(out, k, players, _seat(game["attacker"], observer, players))
    k = _flag_one(out, k, MAX_AMOEBAS, game["attacker_amoeba"])
    k = _flag_one(out, k, players, _seat(game["victim"], observer, players))
    k = _flag_one(out, k, MAX_AMOEBAS, game["victim_amoeba"])
    k = _flag_one(out, k, NUM_SPACES, game["place"])
    out[k] = game["attempts"] * _SCALE_2
    out[k + 1] = game["lost_fight"]
    k += 2
    if game["victim"] >= 0:
        used = int(game["answers_used"][game["victim"]])
        out[k] = (used & DEFENSE_USED) != 0
        out[k + 1] = (used & ESCAPE_USED) != 0
    k += 2
    for seat in range(players):
        used = int(game["answers_used"][_player_in(seat, observer, players)])
        out[k] = (used & DEFENSE_USED_THIS_ROUND) != 0
        out[k + 1] = (used & ESCAPE_USED_THIS_ROUND) != 0
        k += 2
    out[k] = game["fights"]
    out[k + 1] = game["tapped"]
    out[k + 2] = game["owed"] * _SCALE_10
    return k + 3


@compiled
def observe(game, rules, observer, out):
    """Fill one (F,) float32 row, zeros before, with what the observer sees."""
    k = _board(game, rules, observer, out, 0)
    k = _genes(game, rules, observer, out, k)
    k = _players(game, rules, observer, out, k)
    k = _round(game, rules, observer, out, k)
    k = _movement(game, rules, observer, out, k)
    return _meal_and_attack(game, rules, observer, out, k)


@compiled.announced("what players see", seconds=4)
def observe_games(states, rules_array, seats, out):
    """Fill the (n, F) float32 rows with what the seats (n,) see; seat -1: who decides, nothing if nobody does."""
    for start in range(0, len(states), _ROWS_IN_CACHE):
        stop = min(start + _ROWS_IN_CACHE, len(states))
        out[start:stop] = 0
        for row in range(start, stop):
            game = states[row]
            observer = int(seats[row])
            if observer < 0:
                observer = int(game["player"])
            if observer >= 0:
                observe(game, rules_of(game, rules_array), observer, out[row])
