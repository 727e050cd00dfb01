"""Facts of a game that its record does not hold as such: who acts, where it happens, whose turn it is.

The functions take the record ``games.state[i]``, with the ruleset where they need its numbers. Players, amoebas and
spaces are counted from 0 here, as in the record; words count amoebas and spaces from 1.
"""

from collections import Counter

import numpy as np

from ursuppe_env.positions.vocabulary import ANSWERS, ANSWERS_THIS_ROUND
from ursuppe_env.rules.actions import Amoeba
from ursuppe_env.rules.board import OFF_BOARD
from ursuppe_env.rules.genes import Gene
from ursuppe_env.rules.nodes import Chance, Phase
from ursuppe_env.rules.ruleset import Ruleset
from ursuppe_env.rules.state import NOBODY

#: The bits of ``answers_used`` for the two genes that answer an attack: in this attack, in this round.
_USED = {Gene[name.upper()]: (ANSWERS[name], ANSWERS_THIS_ROUND[name]) for name in ANSWERS}


def space_of(game: np.void, amoeba: Amoeba) -> int:
    """Where an amoeba is; OFF_BOARD if it is not on the board."""
    return int(game["amoeba_space"][amoeba])


def amoebas_in(game: np.void, ruleset: Ruleset, space: int) -> list[Amoeba]:
    """The amoebas in a space by owner and number; in OFF_BOARD those that are not on the board."""
    spaces = game["amoeba_space"][: ruleset.players, : ruleset.amoebas]
    return [(player, number) for player, number in np.argwhere(spaces == space).tolist()]


def figures(game: np.void, ruleset: Ruleset, player: int) -> dict[str, int]:
    """What a player has: ``place`` of the marker, ``bp``, ``amoebas`` on the board, cubes in ``reserve``, ``mp``."""
    return {
        "place": int(game["marker"][player]),
        "bp": int(game["bp"][player]),
        "amoebas": int(np.count_nonzero(game["amoeba_space"][player, : ruleset.amoebas] != OFF_BOARD)),
        "reserve": int(game["reserve"][player]),
        "mp": sum(ruleset.mutation_points[gene] for gene in np.flatnonzero(game["genes"][player])),
    }


def amoeba_as(game: np.void, role: str) -> Amoeba | None:
    """The amoeba in a pair of fields, such as ``mover`` and ``mover_amoeba``; None where they are empty."""
    amoeba = int(game[role]), int(game[f"{role}_amoeba"])
    return None if NOBODY in amoeba else amoeba


def acting(game: np.void) -> Amoeba | None:
    """The amoeba whose action it is: in phase 1 the one whose turn it is, in phase 5 the attacker."""
    if game["phase"] == Phase.MOVE_AND_FEED and game["amoeba"] != NOBODY:
        return int(game["order"][game["turn"]]), int(game["amoeba"])
    return amoeba_as(game, "attacker")


def attacked(game: np.void) -> Amoeba | None:
    """The amoeba that is attacked."""
    return None if game["place"] == OFF_BOARD else amoeba_as(game, "victim")


def moving(game: np.void) -> Amoeba | None:
    """The amoeba whose movement is under way: the acting one, or the attacked one that escapes."""
    return amoeba_as(game, "mover")


def taking_cubes(game: np.void) -> Amoeba | None:
    """The amoeba that takes cubes along at the moment: the moving one, or one that has just clung."""
    return amoeba_as(game, "carrier")


def carried(game: np.void, players: int) -> dict[int, dict[int, int]]:
    """The cubes on their way: for each player whose amoebas carry some, the mover's first, how many of each colour."""
    carriers = sorted(np.flatnonzero(game["carried"].any(axis=1)).tolist(), key=lambda player: player != game["mover"])
    return {
        player: {colour: count for colour, count in enumerate(game["carried"][player, :players].tolist()) if count}
        for player in carriers
    }


def clinging(game: np.void) -> list[Amoeba]:
    """The amoebas that will come along with the moving one."""
    answers = enumerate(game["clinging"].tolist())
    return [(player, number) for player, bits in answers for number in range(bits.bit_length()) if bits >> number & 1]


def asked_to_cling(game: np.void, ruleset: Ruleset) -> Amoeba:
    """The amoeba that is asked in the decision "cling": owners in ascending order of the track, then by number."""
    turn, number = divmod(int(game["cling_turn"]), ruleset.amoebas)
    return int(game["order"][turn]), number


def answer_use(game: np.void, player: int, gene: int) -> str:
    """When Defense or Escape has been used: "used", against the attack under way; "used this round"; "", neither."""
    in_attack, in_round = _USED.get(Gene(gene), (0, 0))
    used = int(game["answers_used"][player])
    return "used" if used & in_attack else "used this round" if used & in_round else ""


def answer_is_spent(game: np.void, player: int, gene: int) -> bool:
    """Can the player not answer with it again? What was used earlier in the round counts for owners of both genes."""
    use = answer_use(game, player, gene)
    owns_both = all(game["genes"][player, one] for one in _USED)
    return use == "used" or (use == "used this round" and owns_both)


def centre_of_attention(game: np.void) -> int:
    """The space where it happens; OFF_BOARD for none."""
    if game["place"] != OFF_BOARD:
        return int(game["place"])
    amoeba = acting(game)
    return OFF_BOARD if amoeba is None else space_of(game, amoeba)


def turn_order(game: np.void, players: int) -> tuple[list[int], int | None]:
    """The players in the order of this phase, and whose turn it is; nobody before the start order and after scoring."""
    phase, turn = game["phase"], int(game["turn"])
    ascending = [int(player) for player in game["order"][:players]]
    descending = ascending[::-1]
    is_drawn = phase != Phase.SETUP or game["node"] not in (Chance.CARD, Chance.START_ORDER)
    if not is_drawn or phase == Phase.SCORING:
        return [], None
    if phase == Phase.SETUP:
        order = ascending if turn < players else descending
        return order, order[turn % players]
    if phase == Phase.MOVE_AND_FEED:
        return ascending, ascending[turn]
    return descending, descending[turn - 1] if turn else None


def environment_card(game: np.void, ruleset: Ruleset) -> tuple[str, int] | None:
    """The environment card that lies face up: direction of the current, ozone value; None before the first one."""
    return None if game["card"] < 0 else ruleset.environment[game["card"]]


def environment_cards_left(game: np.void, ruleset: Ruleset) -> Counter[tuple[str, int]]:
    """The environment cards not yet turned up: how many of each direction and ozone value."""
    return Counter(card for number, card in enumerate(ruleset.environment) if not int(game["drawn"]) >> number & 1)
