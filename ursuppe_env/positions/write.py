"""Write a game as a position."""

from typing import Any

import numpy as np

from ursuppe_env.positions.facts import asked_to_cling, clinging
from ursuppe_env.positions.vocabulary import ANSWERS, ANSWERS_THIS_ROUND, FINISHED, FORMAT, PAUSED, STREAMS
from ursuppe_env.rules import nodes
from ursuppe_env.rules.actions import amoeba_name
from ursuppe_env.rules.board import DIRECTION_NAMES, OFF_BOARD
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.nodes import Chance, Decision, Movement, Phase
from ursuppe_env.rules.ruleset import Ruleset
from ursuppe_env.rules.state import NOBODY


def write_position(game: np.void, ruleset: Ruleset) -> dict[str, Any]:
    """The position that one record of ``games.state`` stands at, complete, in JSON types only."""
    return {
        "format": FORMAT,
        "players": ruleset.players,
        "edition": ruleset.edition,
        "ruleset": ruleset.changes(),
        "round": int(game["round"]),
        "phase": Phase(int(game["phase"])).name.lower(),
        **_asked(game),
        **_table(game, ruleset),
        **_under_way(game, ruleset),
        "streams": {
            **{name: int(game[name]) for name in ("seed", "index", "episode")},
            "draws": dict(zip(STREAMS, game["draws"].tolist(), strict=True)),
        },
    }


def _asked(game: np.void) -> dict[str, Any]:
    """Who decides what; or the chance event, the pause or the end."""
    node, player = int(game["node"]), int(game["player"])
    if player >= 0:
        return {"decision": Decision(node).name.lower(), "player": player}
    if player == nodes.CHANCE_PLAYER:
        return {"chance": Chance(node).name.lower()}
    return {PAUSED if player == nodes.PAUSED else FINISHED: True}


def _table(game: np.void, ruleset: Ruleset) -> dict[str, Any]:
    """The environment cards turned up, what the players have, and the board."""
    players, drawn, in_force = ruleset.players, int(game["drawn"]), int(game["card"])
    earlier = (card for n, card in enumerate(ruleset.environment) if drawn >> n & 1 and n != in_force)
    cards = {"card": list(ruleset.environment[in_force]), "earlier_cards": list(map(list, earlier))}
    amoebas: list[list[list[int]]] = [[] for _ in range(players)]
    for player, number in np.argwhere(game["amoeba_space"][:players] != OFF_BOARD).tolist():
        space, damage = game["amoeba_space"][player, number], game["damage"][player, number]
        amoebas[player].append([number + 1, int(space) + 1, int(damage)])
    return {
        **(cards if in_force >= 0 else {}),
        "markers": game["marker"][:players].tolist(),
        **({"start_order": game["order"][:players].tolist()} if game["node"] == Decision.START_PLACE else {}),
        "bp": game["bp"][:players].tolist(),
        "genes": [
            {gene: bought for gene, bought in zip(GENE_NAMES, owned, strict=True) if bought}
            for owned in game["genes"][:players].tolist()
        ],
        "supply": dict(zip(GENE_NAMES, game["supply"].tolist(), strict=True)),
        "amoebas": amoebas,
        "food": {str(space + 1): cubes[:players].tolist() for space, cubes in enumerate(game["food"]) if cubes.any()},
        "reserve": game["reserve"][:players].tolist(),
    }


def _under_way(game: np.void, ruleset: Ruleset) -> dict[str, Any]:
    """What the rules have begun and not ended; nothing is written of what has not begun."""
    position: dict[str, Any] = {}
    if game["amoeba"] != NOBODY:
        position["acting"] = amoeba_name((int(game["order"][game["turn"]]), int(game["amoeba"])))
    if game["movement"]:
        position["movement"] = _movement(game, ruleset)
    if game["attacker"] != NOBODY:
        position["attack"] = _attack(game)
    if game["attempts"]:
        position["attempts"] = int(game["attempts"])
    for name in ("lost_fight", "tapped"):
        if game[name]:
            position[name] = True
    if game["node"] == Decision.NUMBER:
        position["place"] = int(game["place"]) + 1
    if game["owed"]:
        position["owed"] = int(game["owed"])
    used = [_named(int(bits), ANSWERS_THIS_ROUND) for bits in game["answers_used"][: ruleset.players]]
    if any(used):
        position["answers_used"] = used
    return position


def _named(bits: int, names: dict[str, int]) -> list[str]:
    return [name for name, bit in names.items() if bits & bit]


def _amoeba(game: np.void, role: str) -> str:
    return amoeba_name((int(game[role]), int(game[f"{role}_amoeba"])))


def _movement(game: np.void, ruleset: Ruleset) -> dict[str, Any]:
    movement: dict[str, Any] = {"kind": Movement(int(game["movement"])).name.lower(), "amoeba": _amoeba(game, "mover")}
    if game["steps"]:
        movement["step"] = int(game["steps"])
    if game["dice"].any():
        movement["dice"] = [int(face) for face in game["dice"] if face]
    if game["direction"] != NOBODY:
        movement["direction"] = DIRECTION_NAMES[game["direction"]]
    if game["carried"].any():
        by_owner = enumerate(game["carried"][:, : ruleset.players].tolist())
        movement["carried"] = {str(player): cubes for player, cubes in by_owner if any(cubes)}
    if game["carrier"] != NOBODY:
        movement["carrier"] = _amoeba(game, "carrier")
        movement["taken"] = int(game["taken"])
    if game["taken"]:
        movement["colour"] = int(game["carry_colour"])
    if game["clinging"].any():
        movement["clinging"] = list(map(amoeba_name, clinging(game)))
    if game["node"] == Decision.CLING:
        movement["asked"] = amoeba_name(asked_to_cling(game, ruleset))
    return movement


def _attack(game: np.void) -> dict[str, Any]:
    attack: dict[str, Any] = {"attacker": _amoeba(game, "attacker")}
    if game["victim"] != NOBODY:
        attack["victim"] = _amoeba(game, "victim")
    if game["place"] != OFF_BOARD:
        attack["space"] = int(game["place"]) + 1
        attack["answers"] = _named(int(game["answers_used"][game["victim"]]), ANSWERS)
    if game["fights"]:
        attack["lost_fights"] = int(game["fights"])
    return attack
