"""The observation: bounded, the same facts for every seat, and complete: the game goes on from it alone."""

from functools import cache

import numpy as np
import pytest

from ursuppe_env import Games, Ruleset
from ursuppe_env.observation import index_table, observation_layout
from ursuppe_env.observation.parts import parts_of_game
from ursuppe_env.rules.board import MAP
from ursuppe_env.rules.genes import GENE_NAMES, Gene
from ursuppe_env.rules.kernels import RESUME
from ursuppe_env.rules.nodes import CHANCE_PLAYER, Chance, Decision, Movement, Phase
from ursuppe_env.rules.ruleset import EDITIONS, SWITCHES
from ursuppe_env.rules.state import STATE

PLENTY = dict.fromkeys(GENE_NAMES, 6)
RULESETS = [
    {},
    {"start_bp": 30, "income": 25, "start_food": 0, "cards": PLENTY},
    {"start_bp": 60, "income": 40, "start_food": 1, "cards": PLENTY},
    {"mutation_points": {"speed": -3, "spores": 9}, "start_bp": 20, "environment": [["none", 2], ["west", 0]] * 4},
    {**dict.fromkeys(SWITCHES, True), "start_bp": 50, "income": 30, "cards": PLENTY},
    {**dict.fromkeys(SWITCHES, False), "start_bp": 50, "income": 30, "cards": PLENTY},
]
CONFIGURATIONS = [(players, number) for players in (3, 4, 5, 6) for number in range(len(RULESETS))]


def one_flag(values: np.ndarray) -> int:
    """Which of the flags is set; -1 if none is."""
    assert np.isin(values, (0, 1)).all()
    assert values.sum() <= 1
    return int(values.argmax()) if values.any() else -1


class Facts:
    """An observation taken apart by the layout alone."""

    def __init__(self, row: np.ndarray, ruleset: Ruleset) -> None:
        layout = observation_layout(ruleset.players)
        for part in parts_of_game(ruleset.players):
            values = (row[layout[part.name]] * part.unit).reshape(part.shape)
            assert np.allclose(values, np.round(values), atol=1e-3)
            setattr(self, part.name, np.round(values).astype(int))


def rebuilt(row: np.ndarray, seat: int, ruleset: Ruleset) -> np.ndarray:
    """A state with everything that an observation from this seat says, and nothing else."""
    facts, players = Facts(row, ruleset), ruleset.players
    by_player = [(player - seat) % players for player in range(players)]  # the seat of each player

    def player_at(flags: np.ndarray) -> int:
        which = one_flag(flags)
        return which if which < 0 else (which + seat) % players

    assert (player_at(facts.player_0)) == 0
    states = np.zeros(1, STATE)
    game = states[0]
    for name in ("amoeba_space", "amoeba", "card", "winner"):
        game[name] = -1
    carrier = np.argmax(facts.genes[by_player][:, Gene.TENTACLE] > 0)  # which owner carries does not matter
    space_at = {(row + 1, column + 1): MAP[row, column] - 1 for row in range(5) for column in range(5)}
    for player, at in enumerate(by_player):
        game["food"][:, player] = facts.food[at]
        game["reserve"][player] = facts.reserve[at]
        game["bp"][player] = facts.bp[at]
        game["marker"][player] = facts.marker[at]
        game["order"][facts.order[at]] = player
        game["damage"][player] = facts.damage[at]
        for amoeba in np.flatnonzero(facts.row[at]):
            game["amoeba_space"][player, amoeba] = space_at[facts.row[at, amoeba], facts.column[at, amoeba]]
        counts = np.bincount(game["amoeba_space"][player][game["amoeba_space"][player] >= 0], minlength=19)
        assert (counts == facts.amoebas[at]).all()
        game["genes"][player] = np.array([0, facts.round[0], facts.round[0] - 1])[facts.genes[at]]
        game["carried"][carrier, player] = facts.carried[at]
        game["clinging"][player] = sum(1 << amoeba for amoeba in np.flatnonzero(facts.clinging[at]))
        game["answers_used"][player] = facts.answers_used_this_round[at] @ (4, 8)
        points = sum(p for p, owned in zip(ruleset.mutation_points, facts.genes[at], strict=True) if owned > 0)
        assert points == facts.mutation_points[at]
        game["mutation_points"][player] = points
    game["supply"] = facts.supply
    left = facts.cards_left[: len(ruleset.environment)]
    game["drawn"] = sum(1 << int(card) for card in np.flatnonzero(left == 0))
    if facts.card_direction.any():
        direction = ("west", "north", "east", "south", "none")[one_flag(facts.card_direction)]
        game["card"] = ruleset.environment.index((direction, facts.ozone[0]))
    game["round"] = facts.round[0]
    game["phase"] = one_flag(facts.phase)
    decision, chance = one_flag(facts.decision), one_flag(facts.chance)
    game["node"] = decision if decision >= 0 else Chance.CARD + chance
    game["player"] = player_at(facts.to_act) if decision >= 0 else CHANCE_PLAYER
    game["amoeba"] = one_flag(facts.acting_amoeba)
    game["movement"] = one_flag(facts.movement) + 1
    game["mover"], game["mover_amoeba"] = player_at(facts.mover), one_flag(facts.mover_amoeba)
    game["steps"] = (game["movement"] > Movement.DRIFT) + facts.second_step[0]
    game["dice"] = [one_flag(die) + 1 for die in facts.dice]
    game["direction"] = one_flag(facts.direction)
    game["carry_colour"] = max(0, player_at(facts.carry_colour))
    game["attacker"], game["attacker_amoeba"] = player_at(facts.attacker), one_flag(facts.attacker_amoeba)
    game["victim"], game["victim_amoeba"] = player_at(facts.victim), one_flag(facts.victim_amoeba)
    game["place"] = one_flag(facts.place)
    game["answers_used"][game["victim"]] |= facts.answers_used @ (1, 2)
    for name in ("attempts", "lost_fight", "fights", "tapped", "owed", "taken"):
        game[name] = getattr(facts, name)[0]
    order = game["order"][:players].tolist()
    clinger = one_flag(facts.clinger)
    if clinger >= 0:
        game["cling_turn"] = order.index(game["player"]) * ruleset.amoebas + clinger
    game["carrier"] = game["carrier_amoeba"] = -1
    if decision == Decision.CARRY:
        game["carrier"] = game["player"]
        game["carrier_amoeba"] = game["mover_amoeba"] if clinger < 0 else clinger
    game["turn"] = whose_turn(game, player_at(facts.turn), order)
    return states


def whose_turn(game: np.void, player: int, order: list[int]) -> int:
    """The number of turns of this phase that are over, from phase 2 on that have begun, from whose turn it is."""
    if game["phase"] == Phase.SETUP:
        placed = int((game["amoeba_space"] >= 0).sum())
        return placed if game["node"] in (Decision.PLACE, Decision.NUMBER) else int((game["marker"] > 0).sum())
    if player < 0:
        return 0
    if game["phase"] == Phase.MOVE_AND_FEED:
        return order.index(player)
    return order[::-1].index(player) + 1


@cache
def random_positions(players: int, number: int) -> Games:
    """Games with this ruleset, in one of the editions, stopped at all kinds of decisions and chance events."""
    ruleset = Ruleset(players=players, edition=EDITIONS[(players + number) % 2], **RULESETS[number])
    games = Games(96, ruleset, seed=players, explicit_chance=True)
    for group in range(32):
        rows = np.arange(3 * group, 3 * group + 3)
        part = games.copy(rows)
        part.play_random(12 * group)
        for _ in range((2, 0, 1, 3)[group % 4]):  # one event at a time, so that some stop at chance
            part.draw() if (part.player == CHANCE_PLAYER).any() else part.step_random()
        games._states[rows] = part.state
    return games


@pytest.mark.parametrize(("players", "number"), CONFIGURATIONS)
def test_the_game_goes_on_from_the_observation_alone(players: int, number: int):
    games = random_positions(players, number)
    ruleset = games.ruleset
    seats = np.random.default_rng(1).integers(0, players, len(games))
    rows = games.observe(seats)
    running = np.flatnonzero(~games.finished)
    states = np.concatenate([rebuilt(rows[i], int(seats[i]), ruleset) for i in running])
    copies = Games(len(running), ruleset, explicit_chance=True)
    copies._states[:] = states
    copies._run(RESUME, np.ones(len(running), np.int64))  # to the node at which they stand
    future, twin = games.copy(running, reseed=3), copies.copy(reseed=3)
    assert (future.player == twin.player).all()
    assert (future.legal() == twin.legal()).all()
    future.play_random()
    twin.play_random()
    for name in ("food", "reserve", "amoeba_space", "damage", "bp", "marker", "supply", "drawn", "round", "draws"):
        assert (future.state[name] == twin.state[name]).all(), name
    assert ((future.state["genes"] > 0) == (twin.state["genes"] > 0)).all()


def test_the_positions_cover_all_decisions_and_chance_events():
    seen = set()
    for configuration in CONFIGURATIONS:
        seen |= set(random_positions(*configuration).state["node"].tolist())
    assert set(range(Decision.AGGRESS + 1)) <= seen
    assert {Chance.DIE, Chance.DICE, Chance.FIGHT} <= seen


def test_numbers_are_scaled_as_the_table_says():
    games = Games(1, seed=1)
    games.play_random(40)
    row, layout, state = games.observe(2)[0], games.observation_layout, games.state[0]
    turned = [2, 3, 0, 1]
    assert row[layout["bp"]] == pytest.approx(state["bp"][turned] / 10)
    assert row[layout["marker"]] == pytest.approx(state["marker"][turned] / 42)
    assert row[layout["food"]].reshape(4, 19) == pytest.approx(state["food"][:, turned].T / 4)
    table = index_table(4)
    start = layout["bp"].start
    assert f"| {start}-{start + 3} | `bp` | 4 | 10 | BP of each seat |" in table


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_the_layout_has_no_gaps(players: int):
    games = Games(1, Ruleset(players=players))
    alone, with_rules = games.observation_layout, games.observation_layout_with_rules
    assert dict(list(with_rules.items())[: len(alone)]) == alone
    stops = [0, *(where.stop for where in with_rules.values())]
    assert [where.start for where in with_rules.values()] == stops[:-1]
    assert stops[len(alone)] == games.observation_size == games.observe().shape[1]
    assert stops[-1] == games.observation_size_with_rules == games.observe(rules=True).shape[1]
