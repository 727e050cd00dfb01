"""The state of a game: one record, the same for 3-6 players; N games are an array of them.

Whatever is under way (whose amoeba acts, an attack, an escape inside it, clingers still to be asked) is in the
record, so that a copy of it is a snapshot of the game. Spaces, amoebas, players and genes are counted from 0
here; texts and records count spaces and amoebas from 1. Fields of a matter that is not under way are 0 (players,
amoebas and spaces: -1), so that equal positions are equal records.
"""

import hashlib

import numpy as np

from ursuppe_env.compilation.compiler import compiled
from ursuppe_env.rules.board import NUM_SPACES, OFF_BOARD
from ursuppe_env.rules.genes import NUM_GENES
from ursuppe_env.rules.ruleset import MAX_AMOEBAS, MAX_PLAYERS

NUM_LEGAL_WORDS = 10  # 320 bits: the 313 actions with 6 players
NUM_STREAMS = 5
NOBODY = -1

#: Raise it by hand when the meaning of a field changes, but neither its name nor its type.
STATE_VERSION = 3

_SPACES_AND_COLOURS, _AMOEBAS, _PLAYERS = (NUM_SPACES, MAX_PLAYERS), (MAX_PLAYERS, MAX_AMOEBAS), (MAX_PLAYERS,)

#: The fields of the record by what they are about, each with its type, shape and meaning, for the documentation, too.
FIELDS: dict[str, tuple[tuple[str, type[np.generic], tuple[int, ...], str], ...]] = {
    "chance": (
        ("seed", np.uint64, (), "with `index` and `episode` the key of the streams"),
        ("index", np.int64, (), "which game of the seed"),
        ("key", np.uint64, (), "the hash of the three"),
        ("episode", np.int32, (), "games that this row has played before"),
        ("layout", np.uint32, (), "no chance: `LAYOUT_NUMBER`, by which a stored state tells what its fields mean"),
        ("ruleset", np.int32, (), "no chance: which of the batch's rulesets the game is played with"),
        ("draws", np.uint32, (NUM_STREAMS,), "values drawn so far: of cards, start orders, dice, fights, choices"),
    ),
    "who is to act, on what": (
        ("legal", np.uint32, (NUM_LEGAL_WORDS,), "the legal actions: bit a % 32 of word a // 32"),
        ("num_legal", np.int16, (), "how many there are"),
        ("node", np.int8, (), "`Decision`, chance event or stage that the game stands at; -1 at the end"),
        ("player", np.int8, (), "who decides; -1 at the end, -2 at a chance event, -3 in a pause"),
    ),
    "the round": (
        ("round", np.int8, (), "1, 2, …; 0 in the set-up"),
        ("phase", np.int8, (), "1 … 6; 0 in the set-up"),
        ("order", np.int8, _PLAYERS, "ascending order of the track; the start order until places are taken"),
        ("turn", np.int8, (), "players of this phase whose turn is over; from phase 2 on, whose turn has begun"),
        ("amoeba", np.int8, (), "phase 1: the acting amoeba of the player whose turn it is"),
        ("winner", np.int8, (), "-1 until the end"),
    ),
    "the environment": (
        ("card", np.int8, (), "number of the card in force; -1 before the first"),
        ("drawn", np.uint32, (), "bit c: card c has been turned up"),
    ),
    "the board": (
        ("food", np.int8, _SPACES_AND_COLOURS, "cubes of each colour on each space"),
        ("reserve", np.int8, _PLAYERS, "cubes of each colour neither on the board nor carried"),
        ("amoeba_space", np.int8, _AMOEBAS, "the space of each amoeba; -1 off the board"),
        ("damage", np.int8, _AMOEBAS, "its DP"),
    ),
    "the players": (
        ("bp", np.int16, _PLAYERS, "biopoints"),
        ("marker", np.int16, _PLAYERS, "place on the track; 0 before the start place is taken"),
        ("mutation_points", np.int16, _PLAYERS, "sum of the MP of each player's genes"),
        ("genes", np.int8, (MAX_PLAYERS, NUM_GENES), "round in which it was bought; 0: not owned"),
        ("supply", np.int8, (NUM_GENES,), "cards left of each gene"),
        ("answers_used", np.int8, _PLAYERS, "bits: 1 Defense, 2 Escape in this attack; 4, 8 the same in this round"),
    ),
    "a movement under way": (
        ("movement", np.int8, (), "1 a drift, 2 a move, 3 an escape"),
        ("mover", np.int8, (), "owner of the moving amoeba"),
        ("mover_amoeba", np.int8, (), "its number"),
        ("steps", np.int8, (), "active steps begun: 1, with Speed or Endurance 2; 0 in a drift"),
        ("dice", np.int8, (2,), "what was rolled for this step; 0: no such die"),
        ("direction", np.int8, (), "of the displacement: 0 west, 1 north, 2 east, 3 south; -1 before it is known"),
        ("carried", np.int8, (MAX_PLAYERS, MAX_PLAYERS), "by owner and colour: cubes on their way with a Tentacle"),
        ("carrier", np.int8, (), "owner of the amoeba that takes cubes along now: the mover or one that clings"),
        ("carrier_amoeba", np.int8, (), "its number"),
        ("taken", np.int8, (), "cubes that it has taken"),
        ("carry_colour", np.int8, (), "the colour taken last: the next one is this or a later one"),
        ("clinging", np.int8, _PLAYERS, "bit n: amoeba n of that player comes along"),
        ("cling_turn", np.int8, (), "amoebas that have been asked or passed over, in the order of asking"),
    ),
    "a meal or an attack under way": (
        ("tapped", np.int8, (), "1: a host has paid for this meal"),
        ("attempts", np.int8, (), "attacks by the acting amoeba, or the aggressor, in this turn"),
        ("lost_fight", np.int8, (), "1: the acting amoeba has lost a fight and cannot eat; or the aggressor has"),
        ("attacker", np.int8, (), "owner of the attacking amoeba"),
        ("attacker_amoeba", np.int8, (), "its number"),
        ("victim", np.int8, (), "owner of the attacked amoeba, or of the one that alone can be attacked again"),
        ("victim_amoeba", np.int8, (), "its number"),
        ("fights", np.int8, (), "fights lost by the defender in this answer"),
        ("place", np.int8, (), "the space of an attack, or that an amoeba is placed on before its number is chosen"),
    ),
    "a gene defect": (
        ("padding", np.int8, (7,), "0, so that there are no gaps, in which a copy may have anything"),
        ("owed", np.int32, (), "MP still to be paid"),
    ),
}

#: The record of one game. A seat beyond the P players of the game stays empty.
STATE = np.dtype([field[:3] for fields in FIELDS.values() for field in fields], align=True)


def layout_of(dtype: np.dtype, version: int) -> str:
    """A short digest of a record's fields: their names, types, shapes and places, and the version of their meaning."""
    described = [f"version {version}, {dtype.itemsize} bytes"]
    for name in dtype.names or ():
        field, offset = dtype.fields[name][:2]  # type: ignore[index]
        described.append(f"{name} {field.base.str} {field.shape} {offset}")
    return hashlib.sha256("\n".join(described).encode()).hexdigest()[:8]


#: The digest of ``STATE``; every stored state says it as a number in ``layout``, every record of ours as text.
LAYOUT = layout_of(STATE, STATE_VERSION)
LAYOUT_NUMBER = np.uint32(int(LAYOUT, 16))


def plain_memory(states: np.ndarray) -> np.ndarray:
    """The same (n,) records as plain memory: NumPy selects whole records 20 times as fast as field by field."""
    return states.view(f"V{STATE.itemsize}")


@compiled
def rules_of(game, rules_array):
    """The ruleset of a game, from those of its batch."""
    return rules_array[game["ruleset"]]


@compiled
def has(game, player, gene):
    """Does the player own this gene?"""
    return game["genes"][player, np.int64(gene)] > 0


@compiled
def ask(game, decision, player):
    """The next thing to happen is this player's decision."""
    game["node"] = decision
    game["player"] = player


@compiled
def seat_after(player, seat, players):
    """The player so many seats, less than ``players``, after this one; a division would take longer."""
    other = int(player) + seat
    return other - players if other >= players else other


@compiled
def place_cubes(game, space, colour, cubes):
    """Take cubes from the reserve of their colour; if it holds fewer, only those are placed (rules.md section 1)."""
    placed = min(int(game["reserve"][colour]), int(cubes))
    game["food"][space, colour] += placed
    game["reserve"][colour] -= placed


@compiled
def place_cubes_of_each_colour(game, rules, space, cubes):
    """The same for each colour in play."""
    for colour in range(rules["players"]):
        place_cubes(game, space, colour, cubes)


@compiled
def amoebas_on_board(game, rules, player):
    """How many amoebas the player has on the board."""
    count = 0
    for amoeba in range(rules["amoebas"]):
        if game["amoeba_space"][player, amoeba] != OFF_BOARD:
            count += 1
    return count


@compiled
def owns_amoeba_in(game, rules, player, space):
    """Is an amoeba of the player in this space?"""
    for amoeba in range(rules["amoebas"]):
        if game["amoeba_space"][player, amoeba] == space:
            return True
    return False


@compiled
def spaces_of(game, rules, player):
    """The spaces with an amoeba of the player, a bit each."""
    spaces = 0
    for amoeba in range(rules["amoebas"]):
        if game["amoeba_space"][player, amoeba] != OFF_BOARD:
            spaces |= 1 << np.int64(game["amoeba_space"][player, amoeba])
    return spaces


@compiled
def in_ascending_order(game, turn):
    """The player whose turn it is in ascending order: the last marker first."""
    return int(game["order"][turn])


@compiled
def in_descending_order(game, rules, turn):
    """The player whose turn it is in descending order: the leader first."""
    return int(game["order"][rules["players"] - 1 - turn])
