"""What a position is worth to each player: named features, and a chance of winning from them.

Each player has a strength, the weighted sum of the features of that player; the chances of winning are the softmax
of the strengths. A weight has two parts: one that always counts, and one that counts the more the nearer the end is
(it is divided by the rounds left). ``studies/value_weights.py`` of commit dc6bfe1 found the weights in self-play.

The features are sums and counts that the rules themselves suggest, with the numbers of the ruleset (rules.md
sections 4 and 5), so that the function can also judge games with other numbers than the printed ones.
"""

import json
import math
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.search import compiled
from ursuppe_env import Games
from ursuppe_env.rules.board import NEIGHBOUR, NUM_SPACES, OBSTACLE, OFF_BOARD, Direction
from ursuppe_env.rules.combat import deadly_damage
from ursuppe_env.rules.genes import GENE_NAMES, NUM_GENES, Gene
from ursuppe_env.rules.movement import step_cost
from ursuppe_env.rules.nodes import FINISHED, Chance, Decision, Movement, Phase
from ursuppe_env.rules.ruleset import MAX_PLAYERS
from ursuppe_env.rules.scoring import gene_points
from ursuppe_env.rules.state import has, rules_of

FEATURES = (
    "marker",  # place on the track, in tens
    "projected",  # places to come if every round scored like the next one, in tens
    "growth",  # as many more if all amoebas that can be paid for in phase 4 are born, in tens
    "amoebas",  # on the board, but for the doomed
    "doomed",  # at their deadly DP
    "wounded",  # one DP from it
    "hungry",  # chance of no meal at their next turn, summed over amoebas that it would not bring to their deadly DP
    "in peril",  # the same over those whom it would
    "crowded",  # sharing their space with an amoeba of the same owner
    "company",  # sharing it with another player's
    "exposed",  # sharing it with somebody who can attack them
    "prey",  # sharing it with somebody they can attack
    "pastures",  # spaces with a meal, as a part of all
    "bp",  # BP with the income of this round, without what is owed in this phase 2, in tens
    "purse",  # BP in hand, up to 3
    "divisions",  # amoebas that can be paid for in this round's phase 4
    "debt",  # MP owed in this phase 2 beyond the BP
    "expected debt",  # at the next card, over all that are left
    "behind",  # part of the other markers that are in front
    "gene points",
    *GENE_NAMES,  # 1 for an owner
)
NUM_FEATURES = len(FEATURES)
_MARKER, _PROJECTED, _GROWTH, _AMOEBAS, _DOOMED, _WOUNDED, _HUNGRY = range(0, 7)
_IN_PERIL, _CROWDED, _COMPANY, _EXPOSED, _PREY, _PASTURES, _BP = range(7, 14)
_PURSE, _DIVISIONS, _DEBT, _EXPECTED_DEBT, _BEHIND, _GENE_POINTS, _FIRST_GENE = range(14, 21)

#: Where the kernels note what they find out about a position; sets of spaces are integers with bit s for space s.
NOTES = np.dtype(
    [
        ("features", np.float64, (MAX_PLAYERS, NUM_FEATURES)),
        ("rounds_left", np.float64),
        ("pastures", np.int64, (MAX_PLAYERS,)),  # spaces with a meal for the player
        ("occupied", np.int64, (MAX_PLAYERS,)),  # spaces with an amoeba of the player
        ("colours", np.int64, (NUM_SPACES,)),  # that lie there
        ("cubes", np.int64, (NUM_SPACES,)),
    ],
    align=True,
)

#: [players] colours and cubes of the basic meal.
_MEAL_COLOURS = np.array([0, 0, 0, 2, 3, 4, 4])
_MEAL_CUBES = np.array([0, 0, 0, 3, 3, 4, 4])
#: [number] so many times 1 / 19, added up.
_PARTS_OF_BOARD = np.append(0.0, np.cumsum(np.full(NUM_SPACES, 1 / NUM_SPACES)))
#: The tuned weights: for each number of players and feature [what always counts, what counts by nearness of the end].
WEIGHTS_FILE = Path(__file__).with_name("weights.json")


@compiled
def evaluate(game, rules, weights, notes, values):
    """Write each player's chance of winning into ``values`` (P,); 1 and 0 once the game is over."""
    players = rules["players"]
    if game["node"] == FINISHED:
        for player in range(players):
            values[player] = 1.0 if player == game["winner"] else 0.0
        return
    write_features(game, rules, notes)
    nearness = 1 / notes["rounds_left"]
    strongest = -np.inf
    for player in range(players):
        strength = 0.0
        for feature in range(NUM_FEATURES):
            weight = weights[0, feature] + weights[1, feature] * nearness
            strength += weight * notes["features"][player, feature]
        values[player] = strength
        strongest = max(strongest, strength)
    total = 0.0
    for player in range(players):
        values[player] = np.exp(values[player] - strongest)
        total += values[player]
    for player in range(players):
        values[player] /= total


@compiled
def write_features(game, rules, notes):
    """Write the features of all players, and the rounds left, into ``notes``."""
    players = rules["players"]
    notes["features"][:] = 0.0
    _note_spaces(game, rules, notes)
    for player in range(players):
        _note_amoebas(game, rules, notes, player)
        _note_possessions(game, rules, notes, player)
    _note_track(game, rules, notes)


@compiled
def _note_spaces(game, rules, notes):
    """Which spaces each player occupies, and in which they find a meal. (A count: exact but for rare mixtures.)"""
    players = rules["players"]
    for space in range(NUM_SPACES):
        colours, cubes = 0, 0
        for colour in range(players):
            here = int(game["food"][space, colour])
            cubes += here
            colours += here > 0
        notes["colours"][space] = colours
        notes["cubes"][space] = cubes
    for player in range(players):
        occupied = 0
        for amoeba in range(rules["amoebas"]):
            space = int(game["amoeba_space"][player, amoeba])
            if space != OFF_BOARD:
                occupied |= 1 << space
        notes["occupied"][player] = occupied
    for player in range(players):
        hosts = _spaces_of_hosts(game, rules, notes, player) if has(game, player, Gene.PARASITISM) else 0
        fewer = int(has(game, player, Gene.FRUGALITY))
        more = int(has(game, player, Gene.SUBSTITUTION))  # cubes in place of as many colours
        needed_colours, needed_cubes = _MEAL_COLOURS[players] - fewer, _MEAL_CUBES[players] - fewer
        pastures, number = 0, 0
        for space in range(NUM_SPACES):
            own, host = int(game["food"][space, player]), (hosts >> space) & 1
            spare_colours = notes["colours"][space] - (own > 0) - needed_colours + host
            spare_cubes = notes["cubes"][space] - own - needed_cubes + host
            is_meal = int(spare_colours >= 0) & int(spare_cubes >= 0)
            is_meal |= int(spare_colours >= -more) & int(spare_cubes >= more)
            pastures |= is_meal << space
            number += is_meal
        notes["pastures"][player] = pastures
        notes["features"][player, _PASTURES] = _PARTS_OF_BOARD[number]


@compiled
def _spaces_of_hosts(game, rules, notes, player):
    spaces = 0
    for host in range(rules["players"]):
        if host != player and game["bp"][host] >= rules["tap_cost"]:
            spaces |= notes["occupied"][host]
    return spaces


@compiled
def _note_amoebas(game, rules, notes, player):
    """The features that are sums over the player's amoebas."""
    features = notes["features"][player]
    place = _places_behind(game, rules, player)
    others, threat, prey = 0, 0, 0
    for other in range(rules["players"]):
        if other != player:
            others |= notes["occupied"][other]
            if can_attack(game, rules, other):
                threat |= notes["occupied"][other]
            if not has(game, other, Gene.ARMOUR):
                prey |= notes["occupied"][other]
    if has(game, player, Gene.ARMOUR):
        threat = 0
    if not can_attack(game, rules, player):
        prey = 0
    deadly = deadly_damage(game, rules, player)
    seen = 0
    for amoeba in range(rules["amoebas"]):
        space = int(game["amoeba_space"][player, amoeba])
        if space == OFF_BOARD:
            continue
        features[_CROWDED] += (seen >> space) & 1
        seen |= 1 << space
        life = deadly - game["damage"][player, amoeba]
        if life <= 0:
            features[_DOOMED] += 1
            continue
        features[_AMOEBAS] += 1
        features[_COMPANY] += (others >> space) & 1
        features[_EXPOSED] += (threat >> space) & 1
        features[_PREY] += (prey >> space) & 1
        hunger = 1 - _chance_of_meal(game, rules, notes, player, place, amoeba)
        if life == 1:
            features[_WOUNDED] += 1
            features[_IN_PERIL] += hunger
        else:
            features[_HUNGRY] += hunger


@compiled
def _places_behind(game, rules, player):
    """How many markers stand behind the player's."""
    behind = 0
    for other in range(rules["players"]):
        if game["marker"][other] < game["marker"][player]:
            behind += 1
    return behind


@compiled
def can_attack(game, rules, player):
    """Has the player a gene to attack with, and the BP?"""
    if game["bp"][player] < rules["attack_cost"]:
        return False
    return has(game, player, Gene.STRUGGLE_FOR_SURVIVAL) or has(game, player, Gene.AGGRESSION)


@compiled
def _has_acted(game, place, amoeba):
    """Phase 1: has this amoeba of the player in this place of the ascending order had its turn?"""
    return place < game["turn"] or (place == game["turn"] and amoeba < game["amoeba"])


@compiled
def _is_acting(game, place, amoeba):
    """Phase 1: is it this amoeba's turn, and has it begun?"""
    if game["phase"] != Phase.MOVE_AND_FEED or game["node"] == Decision.MOVE:
        return False
    return place == game["turn"] and amoeba == game["amoeba"]


@compiled
def _knows_drift(game, place, amoeba):
    """Is the card known by which this amoeba can drift next?"""
    if game["phase"] == Phase.MOVE_AND_FEED:
        return not _has_acted(game, place, amoeba)
    return game["node"] != Chance.CARD


@compiled
def _chance_of_meal(game, rules, notes, player, place, amoeba):
    """The chance that an amoeba finds a meal where it next gets by drift or by an active step."""
    space = int(game["amoeba_space"][player, amoeba])
    pastures = notes["pastures"][player]
    here = (pastures >> space) & 1
    if _is_acting(game, place, amoeba):
        return _chance_of_step(game, player, space, pastures) if game["movement"] == Movement.MOVE else float(here)
    if has(game, player, Gene.HOLDING) and here:
        return 1.0
    if _knows_drift(game, place, amoeba):
        if (pastures >> _target(space, rules["card_direction"][game["card"]])) & 1:
            return 1.0
        if game["bp"][player] < step_cost(game, rules, player):
            return 0.0
    return _chance_of_step(game, player, space, pastures)


@compiled
def _chance_of_step(game, player, space, pastures):
    """The chance that an active step from this space ends in one of the pastures."""
    here = (pastures >> space) & 1
    ways = 0
    for direction in range(4):
        ways += (pastures >> _target(space, direction)) & 1
    if has(game, player, Gene.MOVEMENT_2):
        return 1.0 if ways + here > 0 else 0.0
    chance = (ways + here + (ways > 0)) / 6  # a 5 is stay, a 6 any direction
    if has(game, player, Gene.MOVEMENT_1) or has(game, player, Gene.SPEED) or has(game, player, Gene.ENDURANCE):
        return 1 - (1 - chance) * (1 - chance)
    return chance


@compiled
def _target(space, direction):
    """The space where a step in this direction ends; obstacles keep the amoeba in place."""
    if direction == Direction.STAY or NEIGHBOUR[space, direction] == OBSTACLE:
        return space
    return int(NEIGHBOUR[space, direction])


@compiled
def _note_possessions(game, rules, notes, player):
    """BP, genes and what they cost, and what can be had for the BP."""
    features = notes["features"][player]
    turn = rules["players"] - 1 - _places_behind(game, rules, player)  # in descending order
    debt = _debt(game, rules, player, turn)
    bp = max(game["bp"][player] - debt, 0)
    features[_DEBT] = max(debt - game["bp"][player], 0)
    if game["phase"] < Phase.DIVISION:
        budget = bp + rules["income"]
        has_turn = True
    elif game["phase"] == Phase.DIVISION and turn >= game["turn"] - 1:
        budget = bp + (rules["income"] if turn >= game["turn"] else 0)
        has_turn = True
    else:
        budget = bp
        has_turn = False
    features[_BP] = budget / 10
    features[_PURSE] = min(bp, 3)
    if has_turn:
        cost = rules["fast_division_cost"] if has(game, player, Gene.DIVISION_RATE) else rules["division_cost"]
        spare = rules["amoebas"] - features[_AMOEBAS]
        features[_DIVISIONS] = spare if cost == 0 else min(spare, budget // cost)
    features[_EXPECTED_DEBT] = _expected_debt(game, rules, player)
    features[_BEHIND] = turn / (rules["players"] - 1)
    features[_GENE_POINTS] = gene_points(game, rules, player)
    for gene in range(NUM_GENES):
        if game["genes"][player, gene] > 0:
            features[_FIRST_GENE + gene] = 1.0


@compiled
def _debt(game, rules, player, turn):
    """What the player owes in this phase 2, or will on their turn."""
    if game["phase"] != Phase.ENVIRONMENT or game["node"] == Chance.CARD:
        return 0
    if turn == game["turn"] - 1:
        return max(game["owed"], 0)
    if turn < game["turn"]:
        return 0
    return max(game["mutation_points"][player] - rules["card_ozone"][game["card"]], 0)


@compiled
def _expected_debt(game, rules, player):
    """The mean debt over the cards that can be turned up next."""
    points = game["mutation_points"][player]
    drawn = int(game["drawn"])
    left = 0
    debts = 0
    for card in range(rules["num_cards"]):
        if (drawn >> card) & 1 == 0:
            left += 1
            debts += max(points - rules["card_ozone"][card], 0)
    return debts / left if left > 0 else 0.0


@compiled
def _note_track(game, rules, notes):
    """Markers, what the next scoring will add to them, and how many rounds are left."""
    players = rules["players"]
    rounds_left = float(rules["num_cards"] - 1 - max(game["round"] - 1, 0))
    for player in range(players):
        features = notes["features"][player]
        most = min(features[_GENE_POINTS], rules["num_gene_places"] - 1)
        for_genes = rules["gene_places"][int(most)]
        at_risk = features[_IN_PERIL] if game["phase"] <= Phase.MOVE_AND_FEED else 0.0
        now = for_genes + _amoeba_places(rules, features[_AMOEBAS] - at_risk)
        grown = for_genes + _amoeba_places(rules, features[_AMOEBAS] - at_risk + features[_DIVISIONS])
        features[_MARKER] = game["marker"][player] / 10
        features[_PROJECTED] = now
        features[_GROWTH] = grown - now
        to_go = math.ceil((rules["end_zone"] - game["marker"][player]) / max(grown, 1.0))
        rounds_left = min(rounds_left, to_go)
    rounds_left = max(rounds_left, 1.0)
    for player in range(players):
        notes["features"][player, _PROJECTED] *= rounds_left / 10
        notes["features"][player, _GROWTH] *= rounds_left / 10
    passed = max(int(game["phase"]) - 1, 0) / 6  # of this round
    notes["rounds_left"] = rounds_left - passed


@compiled
def _amoeba_places(rules, amoebas):
    """Places on the track for a number of amoebas that need not be whole."""
    whole = int(amoebas)
    if whole >= rules["amoebas"]:
        return float(rules["amoeba_places"][rules["amoebas"]])
    fraction = amoebas - whole
    return (1 - fraction) * rules["amoeba_places"][whole] + fraction * rules["amoeba_places"][whole + 1]


def features_of(games: Games) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What the value function sees.

    Returns:
        (N, P, K) the features of each player, in the order of ``FEATURES``, and (N,) the rounds left; a game that is
        over has features too.
    """
    features = np.empty((len(games), games.num_players, NUM_FEATURES))
    rounds_left = np.empty(len(games))
    collect_features(games.state, games.rules, np.zeros(1, NOTES), features, rounds_left)
    return features, rounds_left


@compiled
def collect_features(states, rules_array, notes_array, features, rounds_left):
    """The features (n, P, K) and the rounds left (n,) of each game."""
    notes = notes_array[0]
    for row in range(len(states)):
        rules = rules_of(states[row], rules_array)
        write_features(states[row], rules, notes)
        for player in range(rules["players"]):
            for feature in range(NUM_FEATURES):
                features[row, player, feature] = notes["features"][player, feature]
        rounds_left[row] = notes["rounds_left"]


@cache
def weights_for(players: int) -> NDArray[np.float64]:
    """The tuned weights for so many players: (2, K), what always counts, and what counts at the end; not to be
    written to."""
    tuned = json.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))[str(players)]
    return np.array([[tuned[name][part] for name in FEATURES] for part in range(2)])
