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
from ursuppe_env.rules.board import NEXT_TO, NUM_SPACES, OFF_BOARD, Direction
from ursuppe_env.rules.genes import GENE_NAMES, NUM_GENES, Gene
from ursuppe_env.rules.nodes import FINISHED, Chance, Decision, Movement, Phase
from ursuppe_env.rules.phases.combat import deadly_damage
from ursuppe_env.rules.phases.movement import step_cost
from ursuppe_env.rules.phases.scoring import gene_points
from ursuppe_env.rules.ruleset import MAX_AMOEBAS, MAX_PLAYERS
from ursuppe_env.rules.state import has, rules_of, spaces_of

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
        ("company", np.int64, (MAX_PLAYERS,)),  # of these: with one of another player, too
        ("threats", np.int64, (MAX_PLAYERS,)),  # with one of somebody who can attack the player
        ("prey", np.int64, (MAX_PLAYERS,)),  # with one of somebody whom the player can attack
        ("behind", np.int64, (MAX_PLAYERS,)),  # how many markers stand behind the player's
        ("moments", np.int64, (MAX_PLAYERS,)),  # ``_moment``
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

#: How a player makes an active step: with one die, with another one if the first does not suit, where they like.
_ONE_DIE, _TWO_DICE, _ANY_DIRECTION = range(3)


def _chances_of_steps() -> NDArray[np.float64]:
    """[how, so many directions lead to a meal, is there one here] the chance that an active step ends at a meal."""
    chances = np.empty((3, 5, 2))
    for ways, here in np.ndindex(5, 2):
        chance = (ways + here + (ways > 0)) / 6  # a 5 is stay, a 6 any direction
        chances[:, ways, here] = chance, 1 - (1 - chance) * (1 - chance), float(ways + here > 0)
    return chances


_CHANCES_OF_STEPS = _chances_of_steps()
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
    _count_cubes(game, rules, notes)
    _note_circumstances(game, rules, notes)
    for player in range(rules["players"]):
        _note_pastures(game, rules, notes, notes, player)
        _note_amoebas(game, rules, notes, player)
        _note_possessions(game, rules, notes, player)
    _note_track(game, rules, notes)


@compiled
def write_features_after(game, rules, notes, before, notes_before):
    """The same for a game after an action; of players whom it did not concern all is as in the notes ``before`` it."""
    is_food_as_before = _are_equal(game["food"].reshape(-1), before["food"].reshape(-1))
    counts = notes_before if is_food_as_before else notes
    if not is_food_as_before:
        _count_cubes(game, rules, notes)
    _note_circumstances(game, rules, notes)
    are_cards_as_before = game["drawn"] == before["drawn"] and game["owed"] == before["owed"]
    for player in range(rules["players"]):
        are_genes_as_before = _are_equal(game["genes"][player], before["genes"][player])
        if is_food_as_before and are_genes_as_before and not has(game, player, Gene.PARASITISM):
            notes["pastures"][player] = notes_before["pastures"][player]
            notes["features"][player, _PASTURES] = notes_before["features"][player, _PASTURES]
        else:
            _note_pastures(game, rules, counts, notes, player)
        if are_cards_as_before and are_genes_as_before and _is_as_before(game, notes, before, notes_before, player):
            for feature in range(NUM_FEATURES):
                notes["features"][player, feature] = notes_before["features"][player, feature]
        else:
            _note_amoebas(game, rules, notes, player)
            _note_possessions(game, rules, notes, player)
    _note_track(game, rules, notes)


@compiled
def _are_equal(numbers, others):
    are_equal = True
    for k in range(len(numbers)):
        are_equal &= numbers[k] == others[k]
    return are_equal


@compiled
def _is_as_before(game, notes, before, notes_before, player):
    """Is all as before that a player's features follow from, but for genes and cards?"""
    is_same = game["bp"][player] == before["bp"][player]
    is_same &= game["mutation_points"][player] == before["mutation_points"][player]
    is_same &= notes["behind"][player] == notes_before["behind"][player]
    is_same &= notes["moments"][player] == notes_before["moments"][player]
    is_same &= notes["pastures"][player] == notes_before["pastures"][player]
    is_same &= notes["company"][player] == notes_before["company"][player]
    is_same &= notes["threats"][player] == notes_before["threats"][player]
    is_same &= notes["prey"][player] == notes_before["prey"][player]
    is_same &= _are_equal(game["amoeba_space"][player], before["amoeba_space"][player])
    return is_same & _are_equal(game["damage"][player], before["damage"][player])


@compiled
def _count_cubes(game, rules, notes):
    """How many colours, and cubes, lie in each space."""
    for space in range(NUM_SPACES):
        colours, cubes = 0, 0
        for colour in range(rules["players"]):
            here = int(game["food"][space, colour])
            cubes += here
            colours += here > 0
        notes["colours"][space] = colours
        notes["cubes"][space] = cubes


@compiled
def _note_circumstances(game, rules, notes):
    """Which spaces each player occupies and with whom, where they stand on the track, and whether it is their turn."""
    players = rules["players"]
    for player in range(players):
        notes["occupied"][player] = spaces_of(game, rules, player)
    for player in range(players):
        company, threats, prey, behind = 0, 0, 0, 0
        for other in range(players):
            if other != player:
                there = notes["occupied"][other]
                company |= there
                threats |= there if can_attack(game, rules, other) else 0
                prey |= 0 if has(game, other, Gene.ARMOUR) else there
                behind += game["marker"][other] < game["marker"][player]
        occupied = notes["occupied"][player]
        notes["company"][player] = company & occupied
        notes["threats"][player] = 0 if has(game, player, Gene.ARMOUR) else threats & occupied
        notes["prey"][player] = prey & occupied if can_attack(game, rules, player) else 0
        notes["behind"][player] = behind
        notes["moments"][player] = _moment(game, rules, behind)


@compiled
def _moment(game, rules, behind):
    """One number for all that a player's features follow from in the course of the round."""
    turn, is_card = int(game["turn"]), game["node"] == Chance.CARD
    if game["phase"] != Phase.MOVE_AND_FEED:
        whose = max(min(rules["players"] - 1 - behind - turn, 0), -2) + 2  # over, now, to come
    elif behind != turn:
        whose = int(behind > turn)
    else:
        has_begun, is_moving = game["node"] != Decision.MOVE, game["movement"] == Movement.MOVE
        whose = 2 + 4 * int(game["amoeba"]) + 2 * has_begun + is_moving
    return ((whose * 8 + int(game["phase"])) * 64 + int(game["card"]) + 1) * 2 + is_card


@compiled
def _note_pastures(game, rules, counts, notes, player):
    """In which spaces the player finds a meal, where so many cubes lie. (A count: exact but for rare mixtures.)"""
    players = rules["players"]
    hosts = _spaces_of_hosts(game, rules, notes, player) if has(game, player, Gene.PARASITISM) else 0
    fewer = int(has(game, player, Gene.FRUGALITY))
    more = int(has(game, player, Gene.SUBSTITUTION))  # cubes in place of as many colours
    needed_colours, needed_cubes = _MEAL_COLOURS[players] - fewer, _MEAL_CUBES[players] - fewer
    pastures, number = 0, 0
    for space in range(NUM_SPACES):
        own, host = int(game["food"][space, player]), (hosts >> space) & 1
        spare_colours = counts["colours"][space] - (own > 0) - needed_colours + host
        spare_cubes = counts["cubes"][space] - own - needed_cubes + host
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
    place, company_at = notes["behind"][player], notes["company"][player]  # the place in ascending order
    threats, prey = notes["threats"][player], notes["prey"][player]
    deadly, pastures = deadly_damage(game, rules, player), notes["pastures"][player]
    drift = rules["card_direction"][max(game["card"], 0)]  # any, if no card is in force
    acting, first_to_drift, how = _acting(game, place), _first_to_drift(game, place), _way_to_step(game, player)
    holds, can_step = has(game, player, Gene.HOLDING), game["bp"][player] >= step_cost(game, rules, player)
    living, doomed, wounded, crowded, company, exposed, hunters, seen = 0, 0, 0, 0, 0, 0, 0, 0
    hungry, in_peril = 0.0, 0.0
    for amoeba in range(rules["amoebas"]):
        space = int(game["amoeba_space"][player, amoeba])
        if space == OFF_BOARD:
            continue
        crowded += (seen >> space) & 1
        seen |= 1 << space
        life = deadly - game["damage"][player, amoeba]
        if life <= 0:
            doomed += 1
            continue
        living += 1
        company += (company_at >> space) & 1
        exposed += (threats >> space) & 1
        hunters += (prey >> space) & 1
        here, knows_drift = (pastures >> space) & 1, amoeba >= first_to_drift
        is_fed = (holds and here == 1) or (knows_drift and (pastures >> NEXT_TO[space, drift]) & 1 == 1)
        if amoeba == acting:
            chance = _chance_of_step(pastures, space, how) if game["movement"] == Movement.MOVE else float(here)
        elif is_fed:
            chance = 1.0
        elif knows_drift and not can_step:
            chance = 0.0
        else:
            chance = _chance_of_step(pastures, space, how)
        if life == 1:
            wounded += 1
            in_peril += 1 - chance
        else:
            hungry += 1 - chance
    features = notes["features"][player]
    features[_AMOEBAS] = living
    features[_DOOMED] = doomed
    features[_WOUNDED] = wounded
    features[_HUNGRY] = hungry
    features[_IN_PERIL] = in_peril
    features[_CROWDED] = crowded
    features[_COMPANY] = company
    features[_EXPOSED] = exposed
    features[_PREY] = hunters


@compiled
def can_attack(game, rules, player):
    """Has the player a gene to attack with, and the BP?"""
    if game["bp"][player] < rules["attack_cost"]:
        return False
    return has(game, player, Gene.STRUGGLE_FOR_SURVIVAL) or has(game, player, Gene.AGGRESSION)


@compiled
def _acting(game, place):
    """Phase 1: the number of the amoeba whose turn it is and has begun, if it is of the player in this place; or -1."""
    if game["phase"] != Phase.MOVE_AND_FEED or game["node"] == Decision.MOVE or place != game["turn"]:
        return -1
    return int(game["amoeba"])


@compiled
def _first_to_drift(game, place):
    """The number from which on amoebas of the player in this place know the card by which they can drift next."""
    if game["phase"] != Phase.MOVE_AND_FEED:
        return MAX_AMOEBAS if game["node"] == Chance.CARD else 0
    if place < game["turn"]:
        return MAX_AMOEBAS  # they have moved
    return int(game["amoeba"]) if place == game["turn"] else 0


@compiled
def _way_to_step(game, player):
    """How the player makes an active step, by their genes."""
    if has(game, player, Gene.MOVEMENT_2):
        return _ANY_DIRECTION
    if has(game, player, Gene.MOVEMENT_1) or has(game, player, Gene.SPEED) or has(game, player, Gene.ENDURANCE):
        return _TWO_DICE
    return _ONE_DIE


@compiled
def _chance_of_step(pastures, space, how):
    """The chance that an active step from this space ends in one of the pastures."""
    ways = 0
    for direction in range(Direction.STAY):
        ways += (pastures >> NEXT_TO[space, direction]) & 1
    return _CHANCES_OF_STEPS[how, ways, (pastures >> space) & 1]


@compiled
def _note_possessions(game, rules, notes, player):
    """BP, genes and what they cost, and what can be had for the BP."""
    features = notes["features"][player]
    turn = rules["players"] - 1 - notes["behind"][player]  # in descending order
    debt = _debt(game, rules, player, turn)
    bp = max(game["bp"][player] - debt, 0)
    features[_DEBT] = max(debt - game["bp"][player], 0)
    is_division = game["phase"] == Phase.DIVISION
    has_income = game["phase"] < Phase.DIVISION or (is_division and turn >= game["turn"])
    budget = bp + (rules["income"] if has_income else 0)
    features[_BP] = budget / 10
    features[_PURSE] = min(bp, 3)
    features[_DIVISIONS] = 0.0
    if has_income or (is_division and turn == game["turn"] - 1):
        cost = rules["fast_division_cost"] if has(game, player, Gene.DIVISION_RATE) else rules["division_cost"]
        spare = rules["amoebas"] - features[_AMOEBAS]
        features[_DIVISIONS] = spare if cost == 0 else min(spare, budget // cost)
    features[_EXPECTED_DEBT] = _expected_debt(game, rules, player)
    features[_BEHIND] = turn / (rules["players"] - 1)
    features[_GENE_POINTS] = gene_points(game, rules, player)
    for gene in range(NUM_GENES):
        features[_FIRST_GENE + gene] = game["genes"][player, gene] > 0


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
    points, left, debts = game["mutation_points"][player], 0, 0
    for card in range(rules["num_cards"]):
        if (int(game["drawn"]) >> card) & 1 == 0:
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
    """(N, P, K) the players' features, as in ``FEATURES``, and (N,) the rounds left; of games that are over, too."""
    features = np.empty((len(games), games.num_players, NUM_FEATURES))
    rounds_left = np.empty(len(games))
    _collect_features(games.state, games.rules, np.zeros(1, NOTES), features, rounds_left)
    return features, rounds_left


@compiled
def _collect_features(states, rules_array, notes_array, features, rounds_left):
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
