"""A whole game in plain English, for people who see no board and for language models: ``Games.describe``.

It is written from the position, so that nothing is left out but the random streams: it can be read out of the text.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ursuppe_env.positions import write_position
from ursuppe_env.positions.facts import environment_cards_left
from ursuppe_env.render.descriptions import MOVEMENTS, PHASES, QUESTIONS, situation
from ursuppe_env.render.narration import action_in_words
from ursuppe_env.rules.actions import actions_for
from ursuppe_env.rules.board import NEIGHBOUR, OBSTACLE
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.nodes import Decision, Movement, Phase
from ursuppe_env.rules.ruleset import Ruleset

_AND = " and "


def briefing(game: np.void, ruleset: Ruleset, legal: Iterable[int], player: int | None = None) -> str:
    """The position, what is under way, and the legal actions of these ids; ``player`` is addressed as "you"."""
    position = write_position(game, ruleset)
    parts = (
        _heading(position, ruleset),
        _cards(position, game, ruleset),
        _players(position, ruleset, player),
        _board(position),
        _supply(position, ruleset),
        _under_way(position),
        _decision(game, ruleset, legal, player),
    )
    return "\n\n".join(text for text in ("\n".join(part) for part in parts) if text) + "\n"


def _heading(position: Mapping[str, Any], ruleset: Ruleset) -> Iterator[str]:
    changes = position["ruleset"]
    numbers = f"with these changes: {json.dumps(changes)}" if changes else "with the printed numbers"
    yield f"A game of Ursuppe for {position['players']} players, edition {position['edition']}, {numbers}."
    end = f"the round in which a marker comes to place {ruleset.end_zone} or the environment cards run out"
    yield f"Whoever is furthest on the track wins, after {end}."
    yield f"Round {position['round']}, {PHASES[Phase[position['phase'].upper()]]}."


def _cards(position: Mapping[str, Any], game: np.void, ruleset: Ruleset) -> Iterator[str]:
    if "card" in position:
        yield f"Environment card in force: {_card(position['card'])} (current, ozone)."
        yield f"Turned up before: {_list(map(_card, position['earlier_cards']))}."
    left = environment_cards_left(game, ruleset)
    yield f"Still to come, in an order that nobody knows: {_list(map(_card, sorted(left.elements())))}."


def _players(position: Mapping[str, Any], ruleset: Ruleset, you: int | None) -> Iterator[str]:
    yield (
        "Players, with their places on the track, biological points (BP), genes with the round of their purchase, and "
        "mutation points (MP), which cost those above the ozone genes or BP:"
    )
    for player in range(position["players"]):
        genes = _list(f"{gene} ({bought})" for gene, bought in position["genes"][player].items())
        name = f"Player {player}{' (you)' if player == you else ''}"
        points = sum(ruleset.mutation_points[GENE_NAMES.index(gene)] for gene in position["genes"][player])
        yield f"{name}: place {position['markers'][player]}, {position['bp'][player]} BP, genes {genes}, {points} MP."
    if "start_order" in position:
        yield f"They choose their start places in the order {', '.join(map(str, position['start_order']))}."


def _board(position: Mapping[str, Any]) -> Iterator[str]:
    colours = "-".join(map(str, range(position["players"])))
    yield (
        "The board. Each space with its neighbours to the north, east, south, west (x: closed); its cubes of the "
        f"colours {colours}; and the amoebas in it, PLAYER.NUMBER, with their damage points (DP):"
    )
    inhabitants: dict[int, list[str]] = {}
    for player, amoebas in enumerate(position["amoebas"]):
        for number, space, damage in amoebas:
            name = f"{player}.{number}" + (f" ({damage} DP)" if damage else "")
            inhabitants.setdefault(space, []).append(name)
    for space, (west, north, east, south) in enumerate(NEIGHBOUR.tolist(), 1):
        cubes = position["food"].get(str(space), [0] * position["players"])
        there = f"; {', '.join(inhabitants[space])}" if space in inhabitants else ""
        beside = " ".join("x" if other == OBSTACLE else str(other + 1) for other in (north, east, south, west))
        yield f"Space {space} [{beside}]: {_cubes(cubes)}{there}"
    yield f"Cubes in reserve: {_cubes(position['reserve'])}."


def _supply(position: Mapping[str, Any], ruleset: Ruleset) -> Iterator[str]:
    yield "Gene cards left to buy, with their prices in BP and their MP:"
    cards = zip(position["supply"].items(), ruleset.price, ruleset.mutation_points, strict=True)
    yield _list(f"{count} {gene} ({price}, {points})" for (gene, count), price, points in cards if count) + "."


_FACTS = {
    "attempts": "Attacks made in this turn: {}.",
    "lost_fight": "The acting amoeba has lost a fight.",
    "tapped": "A host has paid for the meal.",
    "place": "The new amoeba goes to space {}.",
    "owed": "MP still owed: {}.",
}


def _under_way(position: Mapping[str, Any]) -> Iterator[str]:
    if "acting" in position:
        yield f"Amoeba {position['acting']} acts."
    if "movement" in position:
        yield from _movement(position["movement"])
    if "attack" in position:
        yield from _attack(position["attack"])
    for key, sentence in _FACTS.items():
        if key in position:
            yield sentence.format(position[key])
    if "answers_used" in position:
        used = [f"player {player} {_AND.join(names)}" for player, names in enumerate(position["answers_used"]) if names]
        yield f"Answers used in this round: {_list(used)}."


def _movement(movement: Mapping[str, Any]) -> Iterator[str]:
    parts = [f"Amoeba {movement['amoeba']} {MOVEMENTS[Movement[movement['kind'].upper()]]}"]
    if "step" in movement:
        parts.append(f"step {movement['step']}")
    if "dice" in movement:
        parts.append(f"dice {_AND.join(map(str, movement['dice']))}")
    if "direction" in movement:
        parts.append(f"direction {movement['direction']}")
    if "clinging" in movement:
        parts.append(f"with {_AND.join(movement['clinging'])} clinging to it")
    yield ", ".join(parts) + "."
    if "carried" in movement:
        carried = [f"player {player} {_cubes(cubes)}" for player, cubes in movement["carried"].items()]
        yield f"Cubes on their way with amoebas: {_list(carried)}."
    if "carrier" in movement:
        last = f", the last of colour {movement['colour']}" if "colour" in movement else ""
        yield f"Amoeba {movement['carrier']} takes cubes along: {movement['taken']} so far{last}."
    if "asked" in movement:
        yield f"Amoeba {movement['asked']} is asked whether it comes along."


def _attack(attack: Mapping[str, Any]) -> Iterator[str]:
    victim = attack.get("victim")
    if "space" not in attack:
        target = f"; a second attack can go at {victim} only" if victim else ""
        yield f"The attack of amoeba {attack['attacker']} has failed{target}."
        return
    yield f"Amoeba {attack['attacker']} attacks {victim} in space {attack['space']}."
    if attack["answers"]:
        yield f"The attacked has answered by {_AND.join(attack['answers'])}."
    if "lost_fights" in attack:
        yield f"Fights that the attacker has won: {attack['lost_fights']}."


def _decision(game: np.void, ruleset: Ruleset, legal: Iterable[int], you: int | None) -> Iterator[str]:
    acting = int(game["player"])
    if acting < 0:
        waiting = situation(game)
        who = "" if waiting.player is None else f" Player {waiting.player}"
        yield f"{waiting.title.capitalize()}:{who} {waiting.text}."
        return
    decision = Decision(int(game["node"]))
    who = "You decide" if acting == you else f"Player {acting} decides"
    yield f"{who} ({decision.name.lower()}): {QUESTIONS[decision]}. One of these actions is to be chosen:"
    texts = actions_for(ruleset.players)
    for action in legal:
        text = texts.text(action, acting)
        yield f"{text}: {action_in_words(game, ruleset, text)}"


def _card(card: Sequence[Any]) -> str:
    return f"{card[0]} {card[1]}"


def _cubes(cubes: Sequence[int]) -> str:
    return "-".join(map(str, cubes))


def _list(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
