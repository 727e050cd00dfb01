"""A game in plain English: nothing that matters is missing, and it is neither too short nor too long."""

import json
import re
from typing import Any

import numpy as np
import pytest

from ursuppe_env import Games, Ruleset
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.nodes import Decision
from ursuppe_env.rules.ruleset import SWITCHES

PHASES = ("setup", "move_and_feed", "environment", "new_genes", "division", "deaths", "scoring")
KINDS = {"drifts": "drift", "moves": "move", "escapes": "escape"}
PLENTY = dict.fromkeys(GENE_NAMES, 6)
REVERSED = {switch: not getattr(Ruleset(), switch) for switch in SWITCHES}


def cubes(text: str) -> list[int]:
    return [int(count) for count in text.split("-")]


def card(text: str) -> list[Any]:
    current, ozone = text.split()
    return [current, int(ozone)]


def read(text: str) -> dict[str, Any]:
    """The position that a text describes."""

    def find(pattern: str) -> tuple[str, ...] | None:
        found = re.search(f"^{pattern}$", text, re.MULTILINE)
        return found and (found.groups() or (found[0],))

    players, edition, changes = find(
        r"A game of Ursuppe for (\d) players, edition (\d+), with (?:the printed numbers|these changes: (.*))\."
    )
    number, phase = find(r"Round (\d+), (set-up|phase \d)(?:: .*)?\.")
    position: dict[str, Any] = {"players": int(players), "edition": edition, "ruleset": json.loads(changes or "{}")}
    position |= {"round": int(number), "phase": PHASES[0 if phase == "set-up" else int(phase[-1])]}
    if in_force := find(r"Environment card in force: (.*) \(current, ozone\)\."):
        earlier = find(r"Turned up before: (.*)\.")[0]
        position["card"] = card(in_force[0])
        position["earlier_cards"] = [] if earlier == "none" else [card(one) for one in earlier.split(", ")]
    of_players = re.findall(
        r"^Player \d(?: \(you\))?: place (\d+), (\d+) BP, genes (.*), -?\d+ MP\.$", text, re.MULTILINE
    )
    position["markers"] = [int(place) for place, _, _ in of_players]
    position["bp"] = [int(bp) for _, bp, _ in of_players]
    position["genes"] = [
        {gene: int(bought) for gene, bought in re.findall(r"(\w+) \((\d+)\)", genes)} for _, _, genes in of_players
    ]
    if order := find(r"They choose their start places in the order (.*)\."):
        position["start_order"] = [int(player) for player in order[0].split(", ")]
    position["food"], position["amoebas"] = {}, [[] for _ in of_players]
    for space, food, there in re.findall(r"^Space (\d+) \[[^]]*\]: ([\d-]+)(?:; (.*))?$", text, re.MULTILINE):
        position["food"][space] = cubes(food)
        for player, amoeba, damage in re.findall(r"(\d)\.(\d)(?: \((\d) DP\))?", there):
            position["amoebas"][int(player)].append([int(amoeba), int(space), int(damage or 0)])
    position["reserve"] = cubes(find(r"Cubes in reserve: (.*)\.")[0])
    supply = {gene: int(count) for count, gene in re.findall(r"(\d+) (\w+) \(\d+, -?\d+\)", text)}
    position["supply"] = dict.fromkeys(GENE_NAMES, 0) | supply
    position |= under_way(find)
    if decision := find(r"(?:You decide|Player (\d) decides) \((\w+)\): .* One of these actions is to be chosen:"):
        you = find(r"Player (\d) \(you\): .*")
        position |= {"decision": decision[1], "player": int(decision[0] or you[0])}
    elif event := find(r"Chance decides: ([\w ]+) – .*\."):
        position["chance"] = event[0].replace(" ", "_")
    else:
        position["paused" if find(r"Paused: .*") else "finished"] = True
    return position


def under_way(find) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if acting := find(r"Amoeba (\S+) acts\."):
        found["acting"] = acting[0]
    if movement := find(
        r"Amoeba (\S+) (drifts|moves|escapes)(?:, step (\d))?(?:, dice (\d)(?: and (\d))?)?(?:, direction (\w+))?"
        r"(?:, with (.*) clinging to it)?\."
    ):
        mover, kind, step, die, other, direction, clinging = movement
        found["movement"] = moved = {"amoeba": mover, "kind": KINDS[kind]}
        moved |= {"step": int(step)} if step else {}
        moved |= {"dice": [int(face) for face in (die, other) if face]} if die else {}
        moved |= {"direction": direction} if direction else {}
        moved |= {"clinging": clinging.split(" and ")} if clinging else {}
        if carried := find(r"Cubes on their way with amoebas: (.*)\."):
            moved["carried"] = {p: cubes(c) for p, c in re.findall(r"player (\d) ([\d-]+)", carried[0])}
        if carrier := find(r"Amoeba (\S+) takes cubes along: (\d) so far(?:, the last of colour (\d))?\."):
            moved |= {"carrier": carrier[0], "taken": int(carrier[1])}
            moved |= {"colour": int(carrier[2])} if carrier[2] else {}
        if asked := find(r"Amoeba (\S+) is asked whether it comes along\."):
            moved["asked"] = asked[0]
    if attack := find(r"Amoeba (\S+) attacks (\S+) in space (\d+)\."):
        answers = find(r"The attacked has answered by (.*)\.")
        found["attack"] = {"attacker": attack[0], "victim": attack[1], "space": int(attack[2])}
        found["attack"]["answers"] = answers[0].split(" and ") if answers else []
        if fights := find(r"Fights that the attacker has won: (\d)\."):
            found["attack"]["lost_fights"] = int(fights[0])
    elif failed := find(r"The attack of amoeba (\S+) has failed(?:; a second attack can go at (\S+) only)?\."):
        found["attack"] = {"attacker": failed[0]} | ({"victim": failed[1]} if failed[1] else {})
    for key, pattern in (
        ("attempts", r"Attacks made in this turn: (\d)\."),
        ("place", r"The new amoeba goes to space (\d+)\."),
        ("owed", r"MP still owed: (\d+)\."),
    ):
        if number := find(pattern):
            found[key] = int(number[0])
    found |= {"lost_fight": True} if find(r"The acting amoeba has lost a fight\.") else {}
    found |= {"tapped": True} if find(r"A host has paid for the meal\.") else {}
    if used := find(r"Answers used in this round: (.*)\."):
        by_player = dict(re.findall(r"player (\d) ([a-z ]+)", used[0]))
        found["answers_used"] = {int(player): given.split(" and ") for player, given in by_player.items()}
    return found


def plain(position: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in position.items() if key != "streams"}


def check(games: Games, row: int, you: int | None = None) -> None:
    text = games.describe(row, you)
    position = read(text)
    if "answers_used" in position:
        position["answers_used"] = [position["answers_used"].get(p, []) for p in range(games.num_players)]
    again = Games.from_dict(position, explicit_chance=True, pause_after_rounds=True)
    assert plain(again.to_dict(0)) == plain(games.to_dict(row)), text
    if games.player[row] >= 0:
        actions = re.search(r"to be chosen:\n(.*)", text, re.DOTALL)[1].splitlines()
        ids = np.flatnonzero(games.copy([row]).legal()[0])
        assert [line.partition(": ")[0] for line in actions] == [
            games.actions.text(int(id), int(games.player[row])) for id in ids
        ]
        assert all(line.partition(": ")[2] for line in actions)


@pytest.mark.parametrize(
    "ruleset",
    [
        Ruleset(),
        Ruleset(players=3, edition="1997"),
        Ruleset(players=6, edition="1997", cards=PLENTY, income=30),
        Ruleset(cards=PLENTY, income=30, start_bp=30, deadly_damage=4, **REVERSED),
        Ruleset(players=5, cards=PLENTY, income=30, mutation_points=dict.fromkeys(GENE_NAMES, 4)),
    ],
)
def test_the_position_can_be_read_out_of_the_text_again(ruleset: Ruleset):
    games = Games(16, ruleset, seed=4, explicit_chance=True, pause_after_rounds=True)
    kinds = set()
    looked: dict[Any, int] = {}
    for turn in range(900):
        player = games.player
        for row in range(len(games)):
            state = games.state[row]
            kind = (int(state["node"]), int(state["movement"]), int(state["attempts"]), bool(state["carried"].any()))
            looked[kind] = looked.get(kind, 0) + 1
            if looked[kind] <= 3 or (turn + row) % 150 == 0:
                check(games, row, None if player[row] < 0 or turn % 2 else int(player[row]))
                kinds.add(int(state["node"]))
        games.step_random(np.flatnonzero(player >= 0))
        games.draw()
        games.resume()
        if games.finished.all():
            break
    assert games.finished.any()
    assert len(kinds & set(map(int, Decision))) >= 12


def test_the_text_has_300_to_600_words():
    games = Games(64, seed=1)
    counts = []
    for _ in range(20):
        counts += [len(games.describe(row, 0).split()) for row in range(len(games))]
        games.play_random(25)
    assert min(counts) >= 300
    assert np.quantile(counts, 0.99) <= 600


def test_who_is_addressed():
    games = Games(1, seed=3)
    player = int(games.player[0])
    assert f"Player {player} (you): " in games.describe(0, player)
    assert "You decide (start_place): which start place to take." in games.describe(0, player)
    assert f"Player {player} decides (start_place): " in games.describe(0, (player + 1) % 4)
    assert "you" not in games.describe(0).lower()
