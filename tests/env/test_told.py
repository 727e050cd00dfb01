"""What is told of a game: a listener who knows nothing else can follow it, cube by cube."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from ursuppe_env import Games, Ruleset
from ursuppe_env.positions.facts import moving
from ursuppe_env.records import Record, record_games, replay
from ursuppe_env.render.narration import slow_motion, told
from ursuppe_env.rules.actions import amoeba_name
from ursuppe_env.rules.board import OFF_BOARD
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.nodes import Decision
from ursuppe_env.rules.state import NOBODY

from support.rulesets import SEEDS, examples, rulesets

CUBES = r"\d+ of colour \d(?:, \d+ of colour \d)*"
HEAD = re.compile(r"player (\d)(?: \((\d\.\d)\))?: (.*)")


class Listener:
    """Who hears what is told and keeps account of it."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.bp = [ruleset.start_bp] * ruleset.players
        self.markers = [0] * ruleset.players
        self.genes: list[set[str]] = [set() for _ in range(ruleset.players)]
        self.amoebas: dict[str, list[int]] = {}  # space and DP by name
        self.food = np.full((19, ruleset.players), ruleset.start_food)
        self.carried = np.zeros(ruleset.players, int)
        self.winner = -1
        self.meals = 0
        self._goal = 0  # where a displacement ends

    @property
    def reserve(self) -> list[int]:
        return (self.ruleset.cubes - self.food.sum(axis=0) - self.carried).tolist()

    def hear(self, line: str, pending: str | None) -> None:
        """Take in a line. The displacement of the amoeba ``pending`` is announced; it is told again when it happens."""
        decision = HEAD.fullmatch(line)
        if decision is None:
            self._hear_changes(line)
            return
        owner, amoeba, words = int(decision[1]), decision[2], decision[3]
        what, _, changes = words.partition(": ")
        if what in ("starve", "do nothing", "do nothing more", "drift") or what.startswith("drift"):
            said, _, changes = changes.partition(": ")  # ``starve: 1 DP``, ``do nothing: the attack succeeds``
            if not re.match(r"\d+ DP|the attack|that way|there is", said):
                said, changes = "", ": ".join(filter(None, (said, changes)))
            what = f"{what}: {said}" if said else what
        self._hear_choice(owner, amoeba, what, pending)
        self._hear_changes(changes)

    def _hear_choice(self, owner: int, amoeba: str | None, what: str, pending: str | None) -> None:
        if cost := re.search(r"\((\d+) BP", what):
            self.bp[owner] -= int(cost[1])
        if host := re.search(r"player (\d) as host, who pays (\d+) BP", what):
            self.bp[int(host[1])] -= int(host[2])
        if paid := re.fullmatch(r"pay (\d+) BP", what):
            self.bp[owner] -= int(paid[1])
        if start := re.fullmatch(r"take start place (\d)", what):
            self.markers[owner] = int(start[1])
        if gene := re.match(r"buy (\w+) \(", what):
            self.genes[owner].add(gene[1])
        for gone in re.findall(r"(?:giving up|discard) (\w+)", what):
            self.genes[owner].remove(gone)
        if cube := re.fullmatch(r"take a cube of colour (\d) along", what):
            self.food[self.amoebas[amoeba][0], int(cube[1])] -= 1
            self.carried[int(cube[1])] += 1
        if hunger := re.fullmatch(r"starve: (\d+) DP", what):
            self.amoebas[amoeba][1] = int(hunger[1])
        if meal := re.fullmatch(f"eat (?:({CUBES})|a meal without cubes)", what):
            self._eats(amoeba, meal[1])
        if (goal := re.search(r", to space (\d+)$", what)) and amoeba != pending:
            self._displace(amoeba, int(goal[1]))

    def _hear_changes(self, changes: str) -> None:
        pattern = "|".join(f"(?P<{name}>{pattern})" for name, pattern in CHANGES.items())
        for found in re.finditer(pattern, changes):
            getattr(self, f"_{found.lastgroup}")(*re.fullmatch(CHANGES[found.lastgroup], found[0]).groups())

    def _displace(self, amoeba: str, space: int) -> None:
        self.amoebas[amoeba][0] = self._goal = space - 1
        self.food[self._goal] += self.carried
        self.carried[:] = 0

    def _eats(self, amoeba: str, cubes: str | None) -> None:
        space, owner = self.amoebas[amoeba][0], int(amoeba[0])
        for count, colour in re.findall(r"(\d+) of colour (\d)", cubes or ""):
            self.food[space, int(colour)] -= int(count)
        self.food[space, owner] += min(self.ruleset.excretion, self.reserve[owner])
        self.meals += 1

    # ---- a function for each change that is told

    def _starts(self, player: str, place: str) -> None:
        self.markers[int(player)] = int(place)

    def _comes(self, amoeba: str, space: str, damage: str | None) -> None:
        assert amoeba not in self.amoebas
        self.amoebas[amoeba] = [int(space) - 1, int(damage or 0)]

    def _goes(self, amoeba: str, start: str, end: str) -> None:
        assert self.amoebas[amoeba][0] == int(start) - 1
        self._displace(amoeba, int(end))

    def _along(self, amoeba: str) -> None:
        self.amoebas[amoeba][0] = self._goal

    def _back(self, space: str) -> None:
        self.food[int(space) - 1] += self.carried
        self.carried[:] = 0

    def _is_hurt(self, amoeba: str, damage: str) -> None:
        self.amoebas[amoeba][1] += 1
        assert self.amoebas[amoeba][1] == int(damage)

    def _dies(self, amoeba: str, damage: str | None, space: str) -> None:
        where, hurt = self.amoebas.pop(amoeba)
        assert where == int(space) - 1
        assert damage is None or hurt == int(damage)

    def _gets(self, space: str, cubes: str) -> None:
        for count, colour in re.findall(r"(\d+) of colour (\d)", cubes):
            self.food[int(space) - 1, int(colour)] += int(count)

    def _receives(self, player: str, amount: str) -> None:
        self.bp[int(player)] += int(amount)

    def _loses(self, player: str, amount: str) -> None:
        self.bp[int(player)] -= int(amount)

    def _discards(self, player: str, gene: str) -> None:
        self.genes[int(player)].remove(gene)

    def _scores(self, player: str, start: str, end: str) -> None:
        assert self.markers[int(player)] == int(start)
        self.markers[int(player)] = int(end)

    def _wins(self, player: str) -> None:
        self.winner = int(player)


#: What may come of an event.
CHANGES = {
    "starts": r"player (\d) takes start place (\d)",
    "comes": r"(\d\.\d) comes to space (\d+)(?: with (\d+) DP)?",
    "goes": r"(\d\.\d) goes from space (\d+) to (\d+)",
    "along": r"(\d\.\d) comes along",
    "back": r"the cubes taken along go back to space (\d+)",
    "eats": f"(\\d\\.\\d) eats (?:({CUBES})|a meal without cubes)",
    "is_hurt": r"(\d\.\d) (?:starves|is hit|goes hungry): (\d+) DP",
    "dies": r"(\d\.\d) (?:is killed|dies of (\d+) DP) in space (\d+)",
    "gets": f"space (\\d+) gets ({CUBES})",
    "receives": r"player (\d) receives (\d+) BP",
    "loses": r"player (\d) (?:pays|has no gene left and loses) (\d+) BP",
    "discards": r"player (\d) discards (\w+)",
    "scores": r"player (\d) goes from place (\d+) to (\d+)",
    "wins": r"player (\d) has the furthest marker",
}


ASKING = ("legal", "num_legal", "player")  # fields that are written when the game stops


def follow(record: Record) -> Listener:
    """Let a listener hear a whole game, and compare what he knows with the game after each event."""
    listener, before = Listener(record.ruleset), None
    for step in replay(record):
        game = step.games.state[0].copy()
        if before is not None:
            event, old = before
            lines = told(event, old, record.ruleset)
            pending = None if game["direction"] == NOBODY else amoeba_name(moving(game))
            for line in lines:
                listener.hear(line, pending)
            agrees(listener, game, lines)
            *_, (_, _, last) = slow_motion(old, event, record.ruleset)
            assert all((last[name] == game[name]).all() for name in game.dtype.names if name not in ASKING)
        before = step.event, game
    assert listener.winner == record.result["winner"]
    return listener


def agrees(listener: Listener, game: np.void, lines: list[str]) -> None:
    players = listener.ruleset.players
    on_board = {
        f"{player}.{number + 1}": [int(game["amoeba_space"][player, number]), int(game["damage"][player, number])]
        for player, number in np.argwhere(game["amoeba_space"] != OFF_BOARD)
    }
    assert listener.amoebas == on_board, lines
    assert listener.bp == game["bp"][:players].tolist(), lines
    assert listener.markers == game["marker"][:players].tolist(), lines
    assert (listener.food == game["food"][:, :players]).all(), lines
    assert listener.reserve == game["reserve"][:players].tolist(), lines
    genes = [{GENE_NAMES[gene] for gene in np.flatnonzero(game["genes"][player])} for player in range(players)]
    assert listener.genes == genes, lines


EVERY_GENE = {"start_bp": 60, "income": 30, "cards": dict.fromkeys(GENE_NAMES, 2)}
SHORT_RESERVES = {"cubes": 38}  # all of them lie on the board when a game begins


@pytest.mark.parametrize(("players", "edition"), [(3, "1997"), (4, "1998"), (5, "1997"), (6, "1998")])
@pytest.mark.parametrize("changes", [{}, EVERY_GENE, EVERY_GENE | SHORT_RESERVES], ids=["printed", "rich", "short"])
def test_a_listener_follows_meals_bp_markers_amoebas_and_genes(players: int, edition: str, changes: dict[str, Any]):
    for record in record_games(1, Ruleset(players=players, edition=edition, **changes), seed=players):
        assert follow(record).meals > 20


@examples(10)
@given(ruleset=rulesets(), seed=SEEDS)
def test_a_listener_follows_games_with_any_ruleset(ruleset: Ruleset, seed: int):
    follow(next(record_games(1, ruleset, seed=seed % 2**63)))


POSITION = {
    "players": 3,
    "round": 3,
    "card": ["none", 14],
    "player": 0,
    "bp": [1, 0, 0],
    "amoebas": [[[1, 13, 0]], [[2, 19, 0]], [[1, 1, 0]]],
    "decision": "move",
    "food": {"13": [0, 1, 2], "19": [2, 0, 1], "1": [9, 9, 9]},
}


def lines_of(changes: dict[str, Any], action: str, persons: tuple[int, ...] = (), **options: bool) -> list[str]:
    """What is told when the player of the position does that."""
    games = Games.from_dict(POSITION | changes, **{"explicit_chance": True, "pause_after_rounds": True} | options)
    game = games.state[0]
    event = [Decision(int(game["node"])).name.lower(), int(game["player"]), action]
    return told(event, game, games.ruleset, persons)


def test_what_is_eaten_is_told_whatever_the_reserve_holds():
    """With nothing in the reserve, 1.2 leaves no cubes behind: 2 of its own colour seemed to be eaten."""
    for elsewhere in (55, 54, 0):
        lines = lines_of({"food": {"19": [2, 0, 1], "2": [0, elsewhere, 0]}}, "drift", (0,))
        assert lines == [
            "you (0.1): drift: there is no current, it stays in space 13: 0.1 starves: 1 DP",
            "1.2 eats 2 of colour 0, 1 of colour 2",
            "2.1 starves: 1 DP",
        ]


def test_the_start_place_that_is_left_has_its_own_line():
    position = {"round": 0, "decision": "start_place", "amoebas": [[], [], []], "markers": [0, 0, 3], "bp": [4, 4, 4]}
    position |= {"player": 0, "start_order": [2, 0, 1], "food": {str(space): [2, 2, 2] for space in range(1, 20)}}
    assert lines_of(position, "start 1") == ["player 0: take start place 1", "player 1 takes start place 2"]


LAST_DIVISION = {"round": 4, "decision": "divide", "player": 0, "markers": [1, 3, 2], "bp": [9, 4, 4]}


def test_income_deaths_and_scoring_have_lines_and_phases_of_their_own():
    """Player 0 is the last to divide; 1.2 and 2.1 die of hunger, the latter later since its player lives long."""
    position = LAST_DIVISION | {
        "amoebas": [[[1, 13, 1]], [[2, 19, 2]], [[1, 19, 3], [2, 5, 2]]],
        "genes": [{}, {}, {"life_expectancy": 2}],
        "food": {"19": [0, 50, 0], "1": [0, 4, 0]},
    }
    assert lines_of(position, "pass") == [
        "player 0: divide no more",
        "phase 5, deaths: 1.2 dies of 2 DP in space 19, 2.1 dies of 3 DP in space 19, "
        "space 19 gets 4 of colour 0, 1 of colour 1, 4 of colour 2",
        "phase 6, scoring: round 4 is scored: player 1 stays on place 3, player 2 stays on place 2, "
        "player 0 stays on place 1",
    ]
    position |= {"player": 1, "bp": [0, 9, 4]}
    assert lines_of(position, "pass")[:2] == ["player 1: divide no more", "player 2 receives 10 BP"]


def test_the_last_scoring_and_the_winner_are_told():
    amoebas = [[[1, 13, 0]], [[number, number, 0] for number in range(1, 6)], [[1, 19, 0]]]
    lines = lines_of(LAST_DIVISION | {"amoebas": amoebas, "markers": [1, 41, 2]}, "pass")
    assert lines[1:] == [
        "phase 6, scoring: round 4 is scored: player 1 goes from place 41 to 45, player 2 stays on place 2, "
        "player 0 stays on place 1, player 1 has the furthest marker"
    ]


def test_the_next_round_begins_in_a_line_of_its_own():
    games = Games(1, Ruleset(players=3), seed=1, pause_after_rounds=True)
    while games.player[0] >= 0:
        games.step_random()
    assert told(None, games.state[0], games.ruleset)[0] == "round 2 begins"


def test_what_an_attack_does_is_told_with_it():
    attack = {"amoebas": [[[1, 13, 0]], [[2, 13, 0]], [[1, 1, 0]]], "food": {"13": [0, 55, 0]}}
    hunter = attack | {"decision": "feed", "genes": [{"struggle_for_survival": 1}, {}, {}]}
    assert lines_of(hunter, "attack 1.2")[0] == (
        "player 0 (0.1): attack amoeba 2 of player 1 (1 BP): 1.2 is killed in space 13, "
        "space 13 gets 1 of colour 0, 1 of colour 2"
    )
    aggressor = {"decision": "aggress", "genes": [{"aggression": 2}, {"armour": 2}, {}], "bp": [1, 0, 0]}
    assert lines_of(attack | aggressor, "attack 1.2")[0] == (
        "player 0: attack amoeba 2 of player 1 (1 BP), whose armour takes 1 DP: 1.2 is hit: 1 DP"
    )


def test_an_aggressor_that_is_beaten_off_goes_hungry_and_may_die_of_it():
    games = Games.from_dict(
        POSITION
        | {"amoebas": [[[1, 13, 1]], [[2, 13, 0]], [[1, 1, 0]]], "decision": "aggress", "edition": "1997"}
        | {"genes": [{"aggression": 2}, {"defense": 1}, {}], "bp": [1, 1, 0], "food": {"13": [0, 55, 0]}},
        explicit_chance=True,
    )
    for action in ("attack 1.2", "defense"):
        games.step([games.actions.id(action, int(games.player[0]))])
    assert told(["fight", "defender"], games.state[0], games.ruleset)[0] == (
        "the defender wins the fight: 0.1 goes hungry: 2 DP, 0.1 dies of 2 DP in space 13, "
        "space 13 gets 2 of colour 0, 2 of colour 2"
    )
