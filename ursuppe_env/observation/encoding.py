"""From the record of a game to the row of numbers that a seat sees.

The encoder writes small integers into a record with a field for each part, ``seen["bp"][seat]``, so that it knows names
and no indices. A second pass turns whole rows into float32. Few parts can have numbers beyond eight bits: these
``wide`` ones are written into the row directly.

It is fast because the processor can foresee it: no branches on who is on the board and who owns what, but one for all
that happens rarely, and whole words instead of single bytes.
"""

import threading
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.compilation.compiler import compiled
from ursuppe_env.observation.layout import LARGEST_UINT8, observation_layout, observation_size, per_number
from ursuppe_env.observation.parts import NO_RULES_ROWS, parts_of_game
from ursuppe_env.rules.board import COLUMN, NUM_SPACES, OFF_BOARD, ROW
from ursuppe_env.rules.genes import NUM_GENES
from ursuppe_env.rules.legal import BYTES_OF_BITS, write_mask
from ursuppe_env.rules.nodes import Chance, Decision, Movement, Phase
from ursuppe_env.rules.phases.combat import DEFENSE_USED, DEFENSE_USED_THIS_ROUND, ESCAPE_USED, ESCAPE_USED_THIS_ROUND
from ursuppe_env.rules.phases.displacement import asked_to_cling, is_mover, on_their_way
from ursuppe_env.rules.ruleset import MAX_AMOEBAS
from ursuppe_env.rules.state import in_ascending_order, in_descending_order, rules_of, seat_after

AT_ACTING_SEAT = -1
_NOT_SHOWN = -1  # in place of a number that is shown as one of several flags
_ROWS_AT_ONCE = 16  # encoded, then written as float32: what was written just before is slow to read in wider pieces
_ROWS_TO_SHRINK = 64  # encoded, then written as another dtype: few enough to stay in the cache
_FLOAT32 = np.dtype(np.float32)
_ALL_BITS = np.uint32(255)

_OFF_BOARD = np.uint8(OFF_BOARD % 256)

# By space, which is read as a number without a sign, since looking up with one takes longer: 0 for _OFF_BOARD too.
_ROW = np.zeros(256, np.int8)
_ROW[:NUM_SPACES] = ROW + 1
_COLUMN = np.zeros(256, np.int8)
_COLUMN[:NUM_SPACES] = COLUMN + 1


@cache
def seen_dtype(players: int) -> np.dtype[Any]:
    """One observation as the encoder writes it, a field for each part; the same memory as ``numbers`` (F,)."""
    formats = {part.name: (np.int8, part.shape) for part in parts_of_game(players)}
    offsets = [where.start for where in observation_layout(players).values()]
    size = observation_size(players)
    return np.dtype(
        {
            "names": [*formats, "numbers"],
            "formats": [*formats.values(), (np.int8, (size,))],
            "offsets": [*offsets, 0],
            "itemsize": size,
        }
    )


@cache
def layout_record(players: int) -> NDArray[np.void]:
    """(1,) record of where the parts begin in a row, by their names, and ``scales`` (F,) of all numbers."""
    starts = {name: where.start for name, where in observation_layout(players).items()}
    scales = per_number(players, False, "scale")
    fields = [*((name, np.int64) for name in starts), ("scales", np.float32, len(scales))]
    return np.array([(*starts.values(), scales)], np.dtype(fields, align=True))


class _Workspaces(threading.local):
    """What a thread encodes with, by the number of players: ``seen`` and ``layout_record``; no two can share it."""

    def __init__(self) -> None:
        self.of = cache(lambda players: (np.zeros(_ROWS_AT_ONCE, seen_dtype(players)), layout_record(players)))


_WORKSPACES = _Workspaces()


def observe_games(
    states: NDArray[np.void],
    rules_array: NDArray[np.void],
    players: int,
    seats: NDArray[np.int64],
    masks: NDArray[np.int8],
    out: NDArray[Any],
    rules_rows: NDArray[np.float32] = NO_RULES_ROWS,
) -> None:
    """Fill rows with what seats see of (n,) games, whose rulesets are in (R,) ``rules_array``.

    ``seats`` (n,): who sees; ``AT_ACTING_SEAT``: who decides, nothing if nobody does. ``masks`` (n, A) or (0, A) gets
    the legal actions, ``out`` (n, F + S) the observations: float32, float16 or uint8. ``rules_rows`` (R, S) or (R, 0)
    has the second part by ruleset.
    """
    workspace = _WORKSPACES.of(players)
    if out.dtype == _FLOAT32:
        encode_games(states, rules_array, seats, rules_rows, masks, out, *workspace)
        return
    shows_rules = rules_rows.shape[1] > 0
    units, offsets = (per_number(players, shows_rules, attribute) for attribute in ("unit", "offset"))
    rows = np.empty((min(_ROWS_TO_SHRINK, len(out)), out.shape[1]), np.float32)
    for first in range(0, len(out), _ROWS_TO_SHRINK):
        part = slice(first, first + _ROWS_TO_SHRINK)
        shown = rows[: len(out[part])]
        encode_games(states[part], rules_array, seats[part], rules_rows, masks[part], shown, *workspace)
        if out.dtype == np.uint8:
            _write_counts(shown, units, offsets, out[part])
        else:
            _write_halves(shown.view(np.uint32), out[part].view(np.uint16))


@compiled
def _flag_one(flags, which):
    """Set one of the flags, which are 0, or none if there is no such flag."""
    is_shown = 0 <= which < len(flags)
    flags[which if is_shown else 0] = is_shown


@compiled
def _seat(player, observer, players):
    """How many seats after the observer the player sits; _NOT_SHOWN for nobody."""
    if player < 0:
        return _NOT_SHOWN
    seat = int(player) - observer
    return seat + players if seat < 0 else seat


@compiled
def _whose_turn(game, rules):
    """The player whose turn it is in this phase, or -1."""
    phase, turn, players = game["phase"], int(game["turn"]), rules["players"]
    if phase == Phase.SETUP:
        return int(game["player"])
    if phase == Phase.MOVE_AND_FEED:
        return in_ascending_order(game, turn) if turn < players else -1
    return in_descending_order(game, rules, turn - 1) if turn > 0 else -1


@compiled
def _show_board(game, observer, players, seen):
    """Cubes and amoebas."""
    for seat in range(players):
        player = seat_after(observer, seat, players)
        for space in range(NUM_SPACES):
            seen["food"][seat, space] = game["food"][space, player]
        counts = seen["amoebas"][seat]
        for amoeba in range(MAX_AMOEBAS):
            space = np.uint8(game["amoeba_space"][player, amoeba])
            is_on_board = space != _OFF_BOARD
            counts[space if is_on_board else np.uint8(0)] += is_on_board
            seen["row"][seat, amoeba] = _ROW[space]
            seen["column"][seat, amoeba] = _COLUMN[space]
            seen["damage"][seat, amoeba] = game["damage"][player, amoeba]


@compiled
def copy_cards(cards, shown):
    """NUM_GENES bytes, four at a time (on a GPU one by one: ``cuda/bytewise.py``)."""
    four_cards, four_shown = cards.view(np.uint32), shown.view(np.uint32)
    for word in range(NUM_GENES // 4):
        four_shown[word] = four_cards[word]


@compiled
def _show_players(game, observer, players, seen):
    """Genes, still with their rounds, and what else players have."""
    copy_cards(game["supply"], seen["supply"])
    for seat in range(players):
        player = seat_after(observer, seat, players)
        copy_cards(game["genes"][player], seen["genes"][seat])
        seen["reserve"][seat] = game["reserve"][player]
        seen["order"][_seat(game["order"][seat], observer, players)] = seat
        used = int(game["answers_used"][player])
        seen["answers_used_this_round"][seat, 0] = (used & DEFENSE_USED_THIS_ROUND) != 0
        seen["answers_used_this_round"][seat, 1] = (used & ESCAPE_USED_THIS_ROUND) != 0


@compiled
def show_cards_left(left, flags):
    """A flag for each bit of ``left``, eight at a time (on a GPU one by one: ``cuda/bytewise.py``)."""
    eight_cards = flags.view(np.uint64)
    for word in range(len(eight_cards)):
        eight_cards[word] = BYTES_OF_BITS[(left >> np.uint32(8 * word)) & _ALL_BITS]


@compiled
def _show_round(game, rules, observer, players, seen):
    """The environment, what is asked of whom, and what there is to say about the one whose turn it is."""
    card = int(game["card"])
    if card >= 0:
        seen["card_direction"][rules["card_direction"][card]] = 1
        seen["ozone"][0] = rules["card_ozone"][card]
    show_cards_left(np.uint32(~np.int64(game["drawn"]) & ((1 << rules["num_cards"]) - 1)), seen["cards_left"])
    seen["round"][0] = game["round"]
    node = int(game["node"])
    _flag_one(seen["phase"], int(game["phase"]))
    _flag_one(seen["decision"], node)
    _flag_one(seen["chance"], node - Chance.CARD)
    _flag_one(seen["to_act"], _seat(game["player"], observer, players))
    _flag_one(seen["turn"], _seat(_whose_turn(game, rules), observer, players))
    _flag_one(seen["acting_amoeba"], int(game["amoeba"]))
    _flag_one(seen["player_0"], _seat(0, observer, players))
    _flag_one(seen["place"], int(game["place"]))
    seen["attempts"][0] = game["attempts"]
    seen["lost_fight"][0] = game["lost_fight"]
    seen["tapped"][0] = game["tapped"]


@compiled
def _show_movement(game, rules, observer, players, seen):
    """A movement under way: who, where to, with which cubes, and who comes along."""
    _flag_one(seen["movement"], int(game["movement"]) - Movement.DRIFT)
    _flag_one(seen["mover"], _seat(game["mover"], observer, players))
    _flag_one(seen["mover_amoeba"], int(game["mover_amoeba"]))
    seen["second_step"][0] = game["steps"] == 2
    for die in range(2):
        _flag_one(seen["dice"][die], int(game["dice"][die]) - 1)
    _flag_one(seen["direction"], int(game["direction"]))
    for seat in range(players):
        player = seat_after(observer, seat, players)
        seen["carried"][seat] = on_their_way(game, rules, player)
        answers = int(game["clinging"][player])
        if answers != 0:
            for amoeba in range(MAX_AMOEBAS):
                seen["clinging"][seat, amoeba] = (answers >> amoeba) & 1
    if game["taken"] > 0:
        seen["taken"][0] = game["taken"]
        _flag_one(seen["carry_colour"], _seat(game["carry_colour"], observer, players))
    _flag_one(seen["clinger"], _clinger(game, rules))


@compiled
def _clinger(game, rules):
    """The number of the amoeba that is asked to cling, or that clings and takes cubes along."""
    if game["node"] == Decision.CLING:
        return asked_to_cling(game, rules)[1]
    if is_mover(game, game["carrier"], game["carrier_amoeba"]):
        return _NOT_SHOWN
    return int(game["carrier_amoeba"])


@compiled
def _show_attack(game, observer, players, seen):
    """An attack under way."""
    _flag_one(seen["attacker"], _seat(game["attacker"], observer, players))
    _flag_one(seen["attacker_amoeba"], int(game["attacker_amoeba"]))
    _flag_one(seen["victim"], _seat(game["victim"], observer, players))
    _flag_one(seen["victim_amoeba"], int(game["victim_amoeba"]))
    if game["victim"] >= 0:
        used = int(game["answers_used"][game["victim"]])
        seen["answers_used"][0] = (used & DEFENSE_USED) != 0
        seen["answers_used"][1] = (used & ESCAPE_USED) != 0
    seen["fights"][0] = game["fights"]


@compiled
def _show(game, rules, observer, seen):
    """All parts but the wide ones; every number of ``seen`` is 0 before."""
    players = len(seen["to_act"])  # known when this is compiled
    _show_board(game, observer, players, seen)
    _show_players(game, observer, players, seen)
    _show_round(game, rules, observer, players, seen)
    if game["movement"] != 0:
        _show_movement(game, rules, observer, players, seen)
    if game["attacker"] >= 0 or game["victim"] >= 0:
        _show_attack(game, observer, players, seen)


@compiled
def _judge_genes(game, genes):
    """From the rounds in which genes were bought (0: not owned) to 2 owned, 1 bought in this round, 0 not owned."""
    this_round = game["round"]
    for gene in range(len(genes)):
        bought = genes[gene]
        genes[gene] = np.int8(bought > 0) + np.int8(0 < bought < this_round)


@compiled
def _show_wide(game, observer, players, layout, out):
    """The parts with numbers that may need more than eight bits."""
    at_bp, at_marker, at_points = layout["bp"], layout["marker"], layout["mutation_points"]
    scales = layout["scales"]
    bp, marker, mutation_points = out[at_bp:], out[at_marker:], out[at_points:]
    bp_scale, marker_scale, points_scale = scales[at_bp], scales[at_marker], scales[at_points]
    for seat in range(players):
        player = seat_after(observer, seat, players)
        bp[seat] = game["bp"][player] * bp_scale
        marker[seat] = game["marker"][player] * marker_scale
        mutation_points[seat] = game["mutation_points"][player] * points_scale
    out[layout["owed"]] = game["owed"] * scales[layout["owed"]]


@compiled
def _copy(numbers, out):
    for i in range(len(numbers)):
        out[i] = numbers[i]


@compiled
def _observer(game, seat):
    """Who sees the game: the seat, or for ``AT_ACTING_SEAT`` who decides; negative if nobody does."""
    return int(game["player"]) if seat == AT_ACTING_SEAT else int(seat)


@compiled.announced("what players see", seconds=3)
def encode_games(states, rules_array, seats, rules_rows, masks, out, seen, layout_array):
    """Fill the rows of ``out`` and, if there are any, of ``masks``, some at a time."""
    layout = layout_array[0]
    scales = layout["scales"]
    size, players = len(scales), len(seen[0]["to_act"])
    first_gene, stop_genes = layout["genes"], layout["genes"] + players * NUM_GENES
    for start in range(0, len(states), _ROWS_AT_ONCE):
        stop = min(start + _ROWS_AT_ONCE, len(states))
        for row in range(start, stop):
            seen[row - start]["numbers"][:] = 0
            observer = _observer(states[row], seats[row])
            if observer >= 0:
                _show(states[row], rules_of(states[row], rules_array), observer, seen[row - start])
        for row in range(start, stop):
            game, shown = states[row], seen[row - start]["numbers"]
            _judge_genes(game, shown[first_gene:stop_genes])
            numbers = out[row]
            for i in range(size):
                numbers[i] = shown[i] * scales[i]
            observer = _observer(game, seats[row])
            if observer >= 0:
                _show_wide(game, observer, players, layout, numbers)
            if len(numbers) > size:
                numbers[size:] = 0
                if observer >= 0:
                    _copy(rules_rows[game["ruleset"]], numbers[size:])
        for row in range(start, min(stop, len(masks))):
            write_mask(states[row], masks[row])


# ---------------------------------------------------------------------- in fewer bytes

# float16 has 13 bits less after the point than float32, and its exponents count from 112 lower.
_FEWER_BITS = np.uint32(13)
_HALF = np.uint32((1 << 12) - 1)  # with the last bit that is kept: rounds halves to even
_OTHER_EXPONENT = np.uint32(112 << 10)
_SIGN_32 = np.uint32(1 << 31)
_TO_SIGN_16 = np.uint32(16)
_ONE = np.uint32(1)


@compiled
def _write_counts(rows, units, offsets, out):
    """float32 to uint8: the numbers of the state, each plus its offset, at least 0 and at most 255."""
    for row in range(len(rows)):
        shown, counts = rows[row], out[row]
        for i in range(len(shown)):
            count = np.int32(np.rint(shown[i] * units[i] + offsets[i]))
            counts[i] = min(max(count, 0), LARGEST_UINT8)


@compiled
def _write_halves(bits, out):
    """float32 to float16, both as their bits; for 0 and for what is neither too large nor too small to be exact."""
    for row in range(len(bits)):
        shown, halves = bits[row], out[row]
        for i in range(len(shown)):
            sign = shown[i] & _SIGN_32
            size = shown[i] ^ sign
            rounded = (size + _HALF + ((size >> _FEWER_BITS) & _ONE)) >> _FEWER_BITS
            halves[i] = (sign >> _TO_SIGN_16) | (rounded - _OTHER_EXPONENT if size else np.uint32(0))
