"""What the network gets of positions, in compiled code; everything is seen from the seat that decides.

A position and each of its legal actions are a record. No shape of a layer depends on the number of players: the same
weights can play at each table.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies.board import compiled
from ursuppe_agents.policies.board.effects import MATES, NUM_EFFECTS, OPPONENTS, OWN, write_effects
from ursuppe_agents.search.value import NOTES, NUM_FEATURES, can_attack, write_features
from ursuppe_env import Games
from ursuppe_env.rules import actions as ids
from ursuppe_env.rules.board import NEXT_TO, NOWHERE, NUM_SPACES, Direction
from ursuppe_env.rules.genes import BOUGHT_GENE, LOWER_GENE, NUM_GENES, Gene
from ursuppe_env.rules.legal import legal_action
from ursuppe_env.rules.meals import ALL_MEALS
from ursuppe_env.rules.nodes import Decision, Movement, Phase
from ursuppe_env.rules.phases import combat
from ursuppe_env.rules.phases.displacement import asked_to_cling, on_their_way
from ursuppe_env.rules.ruleset import MAX_AMOEBAS, MAX_PLAYERS, MIN_PLAYERS
from ursuppe_env.rules.state import NUM_LEGAL_WORDS, STATE, has, in_ascending_order, rules_of, seat_after
from ursuppe_env.teams import Teams

#: No gene, the genes, the numbers of amoebas, the start places.
NO_ITEM, FIRST_GENE, FIRST_NUMBER, FIRST_START = 0, 1, 1 + NUM_GENES, 1 + NUM_GENES + MAX_AMOEBAS
NUM_ITEMS = FIRST_START + MAX_PLAYERS
_STAY = int(Direction.STAY)
_NUM_DIRECTIONS = len(Direction)
_NUM_PHASES, _NUM_DECISIONS, _NUM_MOVEMENTS = len(Phase), len(Decision), len(Movement) - 1
_NUM_TABLES = MAX_PLAYERS - MIN_PLAYERS + 1

#: The relations of seats to spaces.
STANDS, ARRIVES, FOOD, HAS_FOOD = range(4)
NUM_RELATIONS = 4

#: What is done, beside the 16 actions with an id of their own that none of these has.
_SPACE, _AMOEBA, _DISCARD, _BUY, _START, _CARRY, _TAP, _ATTACK, _MEAL = range(ids.FIRST_SPACE, ids.FIRST_SPACE + 9)
_NUM_KINDS = ids.FIRST_SPACE + 9
NUM_VERBS = len(Decision) * _NUM_KINDS

SPACE_FEATURES = (
    "own food",  # in fours
    "has own food",
    "foreign colours",  # part of all
    "foreign cubes",  # in eights
    "scarcest foreign colour",  # of those that are there, in fours
    "meal",
    "meals of others",  # part of them that find one
    "own amoebas",
    "own wounded",
    "own arriving",
    "others",  # in threes
    "others arriving",
    "attackers",
    "attackers arriving",
    "own hungry",  # if all drift and eat
    "own starving",
    "others hungry",
    "others starving",
    "left",  # a meal, when the own turn is over
    "meals left",  # in fours
    "beside own amoebas",
    "neighbours",  # in fours
    "own blocked",  # the current ends here where it began
    "legal",
    "acting",
    "pending",  # of an attack or a placement
    "destination",  # of the movement under way
)
_OWN_FOOD, _HAS_OWN_FOOD, _COLOURS, _CUBES, _SCARCEST, _IS_MEAL, _MEALS_OF_OTHERS = range(0, 7)
_MINE, _MY_WOUNDED, _MY_ARRIVING, _OTHERS, _OTHERS_ARRIVING, _ATTACKERS, _ATTACKERS_ARRIVING = range(7, 14)
_MY_HUNGRY, _MY_STARVING, _OTHERS_HUNGRY, _OTHERS_STARVING = range(14, 18)
_LEFT, _MEALS_LEFT, _BESIDE_MINE, _NEIGHBOURS, _BLOCKED = range(18, 23)
_LEGAL, _ACTING, _PENDING, _DESTINATION = range(23, 27)

AMOEBA_FEATURES = (
    "wounded",  # one DP from its deadly one
    "doomed",
    "has acted",  # in this phase 1
    "acting",
    "moving",
    "attacking",
    "attacked",
    "clinging",
    "meal here",  # for its owner
    "meal at the current's end",
    "hungry",  # if all drift and eat
    "number",  # in sevens
    "company",  # others on its space, in threes
    "threatened",  # by attackers on its space
)
_WOUNDED, _DOOMED, _HAS_ACTED, _AMOEBA_ACTING, _MOVING, _ATTACKING, _ATTACKED = range(0, 7)
_CLINGING, _MEAL_HERE, _MEAL_THERE, _HUNGRY, _NUMBER, _COMPANY, _THREATENED = range(7, 14)

#: Those of ``ursuppe_agents.search.value``, as they are and by nearness of the end, and 16 more (``_write_seats``).
NUM_SEAT_FEATURES = 2 * NUM_FEATURES + 16

SITUATION = (
    *(f"{players} players" for players in range(MIN_PLAYERS, MAX_PLAYERS + 1)),
    *(f"current {direction}" for direction in range(_NUM_DIRECTIONS)),
    *(f"cards left {direction}" for direction in range(_NUM_DIRECTIONS)),  # in fours
    *(f"phase {phase}" for phase in range(len(Phase))),
    *(f"decision {decision}" for decision in range(len(Decision))),
    *(f"movement {movement}" for movement in range(1, len(Movement))),
    *(f"supply {gene}" for gene in range(NUM_GENES)),  # in twos
    "round",  # in tens
    "rounds left",  # in tens
    "nearness",  # of the end
    "ozone",  # in tens
    "least ozone left",  # in tens
    "mean ozone left",  # in tens
    "second step",
    "taken",  # cubes, in twos
    "attempts",  # in twos
    "lost fight",
    "fights again",
    "tapped",
    "used Defense",  # against this attack
    "used Escape",
    "owed",  # in tens
)
NUM_SITUATION = len(SITUATION)

GENE_NUMBERS = (
    "price",  # in fives
    "mutation points",  # in fives
    "points",
    "supply",  # in twos
    "owned",
    "other owners",  # in threes
    "bp left",  # in tens
    "mutation points then",  # in tens
    "nearness",  # of the end
    "owed",  # in tens
    "gives up another",
)
NUM_GENE_NUMBERS = len(GENE_NUMBERS)


#: Seats begin with the one that decides; those beyond the P players of the game are not written.
POSITION = np.dtype(
    [
        ("seats", np.float32, (MAX_PLAYERS, NUM_SEAT_FEATURES)),
        ("spaces", np.float32, (NUM_SPACES, len(SPACE_FEATURES))),
        ("relations", np.float32, (NUM_SPACES, MAX_PLAYERS, NUM_RELATIONS)),
        ("amoebas", np.float32, (MAX_PLAYERS, MAX_AMOEBAS, len(AMOEBA_FEATURES))),
        ("amoeba_space", np.int64, (MAX_PLAYERS, MAX_AMOEBAS)),  # ``NOWHERE``: off the board
        ("situation", np.float32, (NUM_SITUATION,)),
        ("current", np.int64),  # its direction; 4: none, or not known yet
        ("acting_space", np.int64),  # of the amoeba that the decision is about; ``NOWHERE``: there is none
        ("player", np.int64),  # who decides
        ("relation_of_seat", np.int64, (MAX_PLAYERS,)),  # ``OWN``, ``MATES`` or ``OPPONENTS``
        ("ruleset", np.int64),  # which of the batch's rulesets
    ],
    align=True,
)
ACTION = np.dtype(
    [
        ("actions", np.int64),  # its id
        ("verb", np.int64),  # what is done in which decision
        ("space", np.int64),  # which one it concerns, or ``NOWHERE``
        ("item", np.int64),  # which gene, amoeba number or start place, or ``NO_ITEM``
        ("gene_numbers", np.float32, (NUM_GENE_NUMBERS,)),  # of the gene that it concerns
        ("targets", np.float32, (MAX_PLAYERS,)),  # 1 for the seat that it concerns
        ("meal", np.float32, (MAX_PLAYERS,)),  # parts of the cubes of each seat's colour that are eaten
        ("effects", np.float32, (NUM_EFFECTS,)),  # what it changes at once (``effects.py``)
    ],
    align=True,
)


class BoardInputs(NamedTuple):
    """The fields of n ``POSITION`` and of their M ``ACTION`` as arrays, with P seats."""

    seats: NDArray[np.float32]
    spaces: NDArray[np.float32]
    relations: NDArray[np.float32]
    amoebas: NDArray[np.float32]
    amoeba_space: NDArray[np.int64]
    situation: NDArray[np.float32]
    current: NDArray[np.int64]
    acting_space: NDArray[np.int64]
    player: NDArray[np.int64]
    relation_of_seat: NDArray[np.int64]
    ruleset: NDArray[np.int64]
    first: NDArray[np.int64]  # (n + 1,) where the actions of each position begin
    actions: NDArray[np.int64]
    verb: NDArray[np.int64]
    space: NDArray[np.int64]
    item: NDArray[np.int64]
    gene_numbers: NDArray[np.float32]
    targets: NDArray[np.float32]
    meal: NDArray[np.float32]
    effects: NDArray[np.float32]


MOST_ACTIONS = 32 * NUM_LEGAL_WORDS  # more than a position has legal ones


def board_inputs(games: Games, teams: Teams | None = None, actions_too: bool = True) -> BoardInputs:
    """What the network gets of games, in each of which a player decides.

    Args:
        games: n of them.
        teams: who plays together; None: each seat for itself.
        actions_too: False: there are none, which is enough for a critic.
    """
    states, players = games.state, games.num_players
    positions, first = np.zeros(len(states), POSITION), np.zeros(len(states) + 1, np.int64)
    if actions_too:
        np.cumsum(states["num_legal"], out=first[1:])
    actions = np.zeros(first[-1], ACTION)
    _write_all(states, games.rules, *seating(players, teams), *new_memory(), first, positions, actions)
    arrays: dict[str, NDArray[Any]] = {"first": first}
    for records in (positions, actions):
        for name in records.dtype.names or ():
            array, shape = records[name], records[name].shape
            if MAX_PLAYERS in shape[1:]:  # it has something of each seat, and this table fewer of them
                array = array.take(range(players), axis=shape.index(MAX_PLAYERS, 1))
            arrays[name] = np.ascontiguousarray(array)
    return BoardInputs(**arrays)


@lru_cache
def seating(players: int, teams: Teams | None) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The (P,) team of each seat, and (number of meals, P) the parts of each seat's colour, as eaters see them."""
    meals = np.array(ALL_MEALS[players], np.float32) / np.float32(4)
    return np.array(range(players) if teams is None else teams.team_of), meals


# ---------------------------------------------------------------------- the current, and the next meals


_ON_SPACES = (np.int64, (MAX_PLAYERS, NUM_SPACES + 1))  # the last one: off the board
#: What is found out about one position; seats are players here, counted from player 0.
BOARD_NOTES = np.dtype(
    [
        ("amoebas", *_ON_SPACES),
        ("arriving", *_ON_SPACES),  # where they will be if all drift
        ("wounded", *_ON_SPACES),
        ("hungry", *_ON_SPACES),  # that find no meal then, where they are now
        ("starving", *_ON_SPACES),  # of these: those at their last DP
        ("meals_left", np.int64, (NUM_SPACES,)),  # when the turn of the player who decides is over
        ("is_hungry", np.int64, (MAX_PLAYERS, MAX_AMOEBAS)),
        ("food", np.int64, (NUM_SPACES, MAX_PLAYERS)),  # that is left
        ("attacks", np.int64, (MAX_PLAYERS,)),  # can the player attack?
    ]
)


def new_memory() -> tuple[NDArray[np.void], NDArray[np.void], NDArray[np.void]]:
    """For ``write_inputs``: for features now and after an action, for the game after it, and for the board."""
    return np.zeros(2, NOTES), np.zeros(1, STATE), np.zeros(1, BOARD_NOTES)


@compiled
def _has_acted(game, place, amoeba):
    """Phase 1: has this amoeba of the player in this place of the ascending order had its turn?"""
    if game["phase"] != Phase.MOVE_AND_FEED:
        return False
    return place < game["turn"] or (place == game["turn"] and amoeba < game["amoeba"])


@compiled
def _is_acting(game, place, amoeba):
    return game["phase"] == Phase.MOVE_AND_FEED and place == game["turn"] and amoeba == game["amoeba"]


@compiled
def _place_of(game, player, players):
    """The player's place in ascending order."""
    for place in range(players):
        if game["order"][place] == player:
            return place
    return 0


@compiled
def _num_meals(food, space, eater, players, fewer):
    """How often the eater could eat on a space, of what is left there; a count, exact for the basic meal.

    A meal takes a cube of each of some colours, and with 3 players one cube more of the most frequent one.
    """
    colours = (2 if players == 3 else min(players - 1, 4)) - fewer
    there, cubes, least = 0, 0, 99
    for colour in range(players):
        here = food[space, colour] if colour != eater else 0
        there += here > 0
        cubes += here
        least = min(least, here if here > 0 else 99)
    if there < colours or cubes < colours + (players == 3):
        return 0
    return least if there == colours else cubes // max(colours, 1)


_ANY_NEW_ONE_FIRST = 1 << 20  # more than there are cubes in a space


@compiled
def _eat(food, space, eater, players, fewer, excretion):
    """Take a meal from what is left on a space, of the most frequent colours, and leave the eater's own cubes."""
    cubes = (3 if players == 3 else min(players - 1, 4)) - fewer
    eaten = 0
    for _ in range(cubes):
        best, most = -1, 0
        for colour in range(players):
            here = food[space, colour] if colour != eater else 0
            here += _ANY_NEW_ONE_FIRST if here > 0 and (eaten >> colour) & 1 == 0 else 0
            best = colour if here > most else best
            most = max(most, here)
        if best >= 0:
            food[space, best] -= 1
            eaten |= 1 << best
    food[space, eater] += excretion


@compiled
def _look_at_board(game, rules, current, board):
    """Write what stands where, and what is eaten if all amoebas that can still act in phase 1 drift and eat in turn."""
    players = rules["players"]
    board["amoebas"][:] = 0
    board["arriving"][:] = 0
    board["wounded"][:] = 0
    board["hungry"][:] = 0
    board["starving"][:] = 0
    for space in range(NUM_SPACES):
        for colour in range(players):
            board["food"][space, colour] = game["food"][space, colour]
    for place in range(players):
        player = max(in_ascending_order(game, place), 0)
        deadly = combat.deadly_damage(game, rules, player)
        fewer = int(has(game, player, Gene.FRUGALITY))
        for amoeba in range(MAX_AMOEBAS):
            board["is_hungry"][player, amoeba] = 0
            space = int(game["amoeba_space"][player, amoeba])
            if space < 0:
                continue
            board["amoebas"][player, space] += 1
            is_wounded = game["damage"][player, amoeba] >= deadly - 1
            board["wounded"][player, space] += is_wounded
            if _has_acted(game, place, amoeba):
                board["arriving"][player, space] += 1
                continue
            stays = _is_acting(game, place, amoeba) and game["node"] != Decision.MOVE
            to = space if stays else NEXT_TO[space, current]
            board["arriving"][player, to] += 1
            if _num_meals(board["food"], to, player, players, fewer) > 0:
                _eat(board["food"], to, player, players, fewer, rules["excretion"])
            else:
                board["is_hungry"][player, amoeba] = 1
                board["hungry"][player, space] += 1
                board["starving"][player, space] += is_wounded
        board["attacks"][player] = can_attack(game, rules, player)
        if player == game["player"]:
            for space in range(NUM_SPACES):
                board["meals_left"][space] = _num_meals(board["food"], space, player, players, fewer)


@compiled
def _acting_space(game, rules):
    """Where the amoeba is, or the space, that the decision is about."""
    if game["node"] == Decision.CLING:
        owner, amoeba = asked_to_cling(game, rules)
        return int(game["amoeba_space"][owner, amoeba])
    if game["victim"] >= 0 and game["node"] == Decision.DEFEND:
        return int(game["amoeba_space"][game["victim"], game["victim_amoeba"]])
    if game["movement"] != 0 and game["mover"] >= 0:
        return int(game["amoeba_space"][game["mover"], game["mover_amoeba"]])
    if game["place"] >= 0:
        return int(game["place"])
    if game["phase"] == Phase.MOVE_AND_FEED and game["turn"] < rules["players"]:
        space = int(game["amoeba_space"][in_ascending_order(game, int(game["turn"])), min(game["amoeba"], 6)])
        return space if space >= 0 else NOWHERE
    return NOWHERE


# ---------------------------------------------------------------------- writing


@compiled.announced("policies that see the board", seconds=10)
def _write_all(states, rules_array, team_of, meals, notes, after, board, first, positions, actions):
    for row in range(len(states)):
        these = actions[first[row] : first[row + 1]]
        write_inputs(states[row], rules_array, team_of, meals, notes, after, board, positions[row], these)


@compiled
def write_inputs(game, rules_array, team_of, meals, notes, after, board_array, position, actions):
    """Write what the network gets of one position.

    Args:
        game: at a decision.
        rules_array: records of the batch's rulesets.
        team_of, meals: of the ``seating``.
        notes, after, board_array: ``new_memory`` to work in.
        position: a record ``POSITION``, written.
        actions: records ``ACTION``, at least as many as there are legal actions, written; none: they are left out.
    """
    rules, board = rules_of(game, rules_array), board_array[0]
    before, card = notes[0], int(game["card"])
    current = int(rules["card_direction"][card]) if card >= 0 else _STAY
    acting_space = _acting_space(game, rules)
    position["current"] = current
    position["player"] = game["player"]
    position["ruleset"] = game["ruleset"]
    position["acting_space"] = acting_space
    write_features(game, rules, before)
    _look_at_board(game, rules, current, board)
    _write_seats(game, rules, team_of, before, position)
    _write_spaces(game, rules, current, acting_space, before["pastures"], board, position)
    _write_amoebas(game, rules, current, before["pastures"], board, position)
    _write_situation(game, rules, current, before["rounds_left"], position["situation"])
    for number in range(game["num_legal"]):
        action = legal_action(game, number)
        if ids.FIRST_SPACE <= action < ids.FIRST_AMOEBA:
            position["spaces"][action - ids.FIRST_SPACE, _LEGAL] = 1.0
        if len(actions) > 0:
            _write_action(game, rules, current, acting_space, before["rounds_left"], meals, action, actions[number])
            write_effects(game, rules, team_of, action, before, notes[1], after, actions[number]["effects"])


@compiled
def _write_seats(game, rules, team_of, notes, position):
    players, me = rules["players"], int(game["player"])
    nearness = 1 / notes["rounds_left"]
    for behind in range(players):
        player = seat_after(me, behind, players)
        seen = position["seats"][behind]
        for k in range(NUM_FEATURES):
            seen[k] = notes["features"][player, k]
            seen[NUM_FEATURES + k] = notes["features"][player, k] * nearness
        is_mate = team_of[player] == team_of[me]
        position["relation_of_seat"][behind] = OWN if behind == 0 else MATES if is_mate else OPPONENTS
        place = _place_of(game, player, players)
        if game["phase"] == Phase.MOVE_AND_FEED:
            turns = int(game["turn"]) - place
        elif game["phase"] == Phase.SETUP:
            turns = 0 if behind == 0 else -1
        else:
            turns = int(game["turn"]) - 1 - (players - 1 - place)
        used, unborn = int(game["answers_used"][player]), rules["amoebas"]
        for amoeba in range(MAX_AMOEBAS):
            unborn -= game["amoeba_space"][player, amoeba] >= 0
        k = 2 * NUM_FEATURES
        seen[k] = behind == 0
        seen[k + 1] = is_mate and behind > 0
        seen[k + 2] = turns > 0  # turn is over
        seen[k + 3] = turns == 0  # turn now
        seen[k + 4] = game["movement"] != 0 and game["mover"] == player
        seen[k + 5] = game["attacker"] == player
        seen[k + 6] = game["victim"] == player
        seen[k + 7] = (used & combat.DEFENSE_USED_THIS_ROUND) != 0
        seen[k + 8] = (used & combat.ESCAPE_USED_THIS_ROUND) != 0
        seen[k + 9] = place / (players - 1)  # of the ascending order
        seen[k + 10] = game["reserve"][player] / 50
        seen[k + 11] = game["bp"][player] / 10
        seen[k + 12] = game["mutation_points"][player] / 10
        seen[k + 13] = (game["marker"][player] - game["marker"][me]) / 10
        seen[k + 14] = unborn / 7  # amoebas off the board, in sevens
        seen[k + 15] = on_their_way(game, rules, player) / 2 if game["movement"] != 0 else 0.0  # cubes of its colour


@compiled
def _write_spaces(game, rules, current, acting_space, pastures, board, position):
    players, me = rules["players"], int(game["player"])
    destination = NOWHERE
    if game["movement"] == Movement.DRIFT:
        destination = NEXT_TO[acting_space, current]
    elif game["movement"] != 0 and game["direction"] >= 0:
        destination = NEXT_TO[acting_space, game["direction"]]
    for space in range(NUM_SPACES):
        seen = position["spaces"][space]
        colours, cubes, scarcest, meals, hungry, starving = 0, 0, 99, 0, 0, 0
        others, others_arriving, attackers, attackers_arriving = 0, 0, 0, 0
        for behind in range(players):
            player = seat_after(me, behind, players)
            food, there = int(game["food"][space, player]), board["amoebas"][player, space]
            arriving = board["arriving"][player, space]
            relation = position["relations"][space, behind]
            relation[STANDS] = there
            relation[ARRIVES] = arriving
            relation[FOOD] = food / 4
            relation[HAS_FOOD] = food > 0
            if behind > 0:
                cubes += food
                colours += food > 0
                scarcest = min(scarcest, food) if food > 0 else scarcest
                others += there
                others_arriving += arriving
                hungry += board["hungry"][player, space]
                starving += board["starving"][player, space]
                meals += (pastures[player] >> space) & 1
                attackers += there * board["attacks"][player]
                attackers_arriving += arriving * board["attacks"][player]
        food = int(game["food"][space, me])
        seen[_OWN_FOOD] = food / 4
        seen[_HAS_OWN_FOOD] = food > 0
        seen[_COLOURS] = colours / (players - 1)
        seen[_CUBES] = cubes / 8
        seen[_SCARCEST] = scarcest / 4 if colours > 0 else 0.0
        seen[_MEALS_OF_OTHERS] = meals / (players - 1)
        seen[_OTHERS] = others / 3
        seen[_OTHERS_ARRIVING] = others_arriving / 3
        seen[_ATTACKERS] = attackers
        seen[_ATTACKERS_ARRIVING] = attackers_arriving
        seen[_OTHERS_HUNGRY] = hungry / 3
        seen[_OTHERS_STARVING] = starving / 3
        seen[_IS_MEAL] = (pastures[me] >> space) & 1
        seen[_MINE] = board["amoebas"][me, space]
        seen[_MY_WOUNDED] = board["wounded"][me, space]
        seen[_MY_ARRIVING] = board["arriving"][me, space]
        seen[_MY_HUNGRY] = board["hungry"][me, space]
        seen[_MY_STARVING] = board["starving"][me, space]
        seen[_LEFT] = board["meals_left"][space] > 0
        seen[_MEALS_LEFT] = min(board["meals_left"][space], 4) / 4
        neighbours, beside_mine = 0, 0
        for direction in range(_STAY):
            other = NEXT_TO[space, direction]
            if other != space:
                neighbours += 1
                beside_mine |= board["amoebas"][me, other] > 0
        seen[_BESIDE_MINE] = beside_mine
        seen[_NEIGHBOURS] = neighbours / 4
        seen[_LEGAL] = 0.0
        seen[_BLOCKED] = NEXT_TO[space, current] == space
        seen[_ACTING] = space == acting_space
        seen[_PENDING] = space == game["place"]
        seen[_DESTINATION] = space == destination


@compiled
def _write_amoebas(game, rules, current, pastures, board, position):
    players, me = rules["players"], int(game["player"])
    for behind in range(players):
        player = seat_after(me, behind, players)
        place, deadly = _place_of(game, player, players), combat.deadly_damage(game, rules, player)
        for amoeba in range(MAX_AMOEBAS):
            seen = position["amoebas"][behind, amoeba]
            space = int(game["amoeba_space"][player, amoeba])
            if space < 0:
                position["amoeba_space"][behind, amoeba] = NOWHERE
                continue
            position["amoeba_space"][behind, amoeba] = space
            life = deadly - game["damage"][player, amoeba]
            seen[_WOUNDED] = life == 1
            seen[_DOOMED] = life <= 0
            seen[_HAS_ACTED] = _has_acted(game, place, amoeba)
            seen[_AMOEBA_ACTING] = _is_acting(game, place, amoeba)
            seen[_MOVING] = game["movement"] != 0 and game["mover"] == player and game["mover_amoeba"] == amoeba
            seen[_ATTACKING] = game["attacker"] == player and game["attacker_amoeba"] == amoeba
            seen[_ATTACKED] = game["victim"] == player and game["victim_amoeba"] == amoeba
            seen[_CLINGING] = (int(game["clinging"][player]) >> amoeba) & 1
            seen[_MEAL_HERE] = (pastures[player] >> space) & 1
            seen[_MEAL_THERE] = (pastures[player] >> NEXT_TO[space, current]) & 1
            seen[_HUNGRY] = board["is_hungry"][player, amoeba]
            seen[_NUMBER] = amoeba / 7
            company, threats = -1, 0
            for other in range(players):
                there = board["amoebas"][other, space]
                company += there
                threats += there * board["attacks"][other] * (other != player)
            seen[_COMPANY] = company / 3
            seen[_THREATENED] = threats > 0


@compiled
def _write_situation(game, rules, current, rounds_left, seen):
    seen[:] = 0.0
    seen[rules["players"] - MIN_PLAYERS] = 1.0
    k = _NUM_TABLES
    card = int(game["card"])
    if card >= 0:
        seen[k + current] = 1.0
    k += _NUM_DIRECTIONS
    least, total, left = 99, 0, 0
    for number in range(rules["num_cards"]):
        if (int(game["drawn"]) >> number) & 1 == 0:
            seen[k + rules["card_direction"][number]] += 0.25
            least = min(least, rules["card_ozone"][number])
            total += rules["card_ozone"][number]
            left += 1
    k += _NUM_DIRECTIONS
    seen[k + game["phase"]] = 1.0
    k += _NUM_PHASES
    seen[k + game["node"]] = 1.0
    k += _NUM_DECISIONS
    if game["movement"] > 0:
        seen[k + game["movement"] - 1] = 1.0
    k += _NUM_MOVEMENTS
    for gene in range(NUM_GENES):
        seen[k + gene] = game["supply"][gene] / 2
    k += NUM_GENES
    used = int(game["answers_used"][game["victim"]]) if game["victim"] >= 0 else 0
    seen[k] = game["round"] / 10
    seen[k + 1] = rounds_left / 10
    seen[k + 2] = 1 / rounds_left
    seen[k + 3] = rules["card_ozone"][card] / 10 if card >= 0 else 0.0
    seen[k + 4] = least / 10 if left > 0 else 0.0
    seen[k + 5] = total / (10 * left) if left > 0 else 0.0
    seen[k + 6] = game["steps"] == 2
    seen[k + 7] = game["taken"] / 2
    seen[k + 8] = game["attempts"] / 2
    seen[k + 9] = game["lost_fight"]
    seen[k + 10] = game["fights"]
    seen[k + 11] = game["tapped"]
    seen[k + 12] = (used & combat.DEFENSE_USED) != 0
    seen[k + 13] = (used & combat.ESCAPE_USED) != 0
    seen[k + 14] = game["owed"] / 10


@compiled
def _write_action(game, rules, current, acting_space, rounds_left, meals, action, seen):
    """Write what a legal action is about."""
    players, me = rules["players"], int(game["player"])
    seen["actions"] = action
    seen["gene_numbers"][:] = 0.0
    seen["targets"][:] = 0.0
    seen["meal"][:] = 0.0
    kind, space, item, gene, lower = action, acting_space, NO_ITEM, -1, -1
    if action == ids.DRIFT:
        space = NEXT_TO[acting_space, current]
    elif action == ids.PASS:
        space = NOWHERE if game["phase"] != Phase.MOVE_AND_FEED else acting_space
    elif ids.FIRST_DIRECTION <= action < ids.CLING:
        space = NEXT_TO[acting_space, action - ids.FIRST_DIRECTION]
    elif action < ids.FIRST_SPACE:
        space = acting_space
    elif action < ids.FIRST_AMOEBA:
        kind, space = _SPACE, action - ids.FIRST_SPACE
    elif action < ids.FIRST_DISCARD:
        kind, item = _AMOEBA, FIRST_NUMBER + action - ids.FIRST_AMOEBA
    elif action < ids.FIRST_BUY:
        kind, space, gene = _DISCARD, NOWHERE, action - ids.FIRST_DISCARD
    elif action < ids.FIRST_START:
        kind, space, gene = _BUY, NOWHERE, int(BOUGHT_GENE[action - ids.FIRST_BUY])
        lower = int(LOWER_GENE[action - ids.FIRST_BUY])
    elif action < ids.first_carry(rules):
        kind, space, item = _START, NOWHERE, FIRST_START + action - ids.FIRST_START
    elif action < ids.first_tap(rules):
        kind = _CARRY
        seen["targets"][action - ids.first_carry(rules)] = 1.0
    elif action < ids.first_attack(rules):
        kind = _TAP
        seen["targets"][action - ids.first_tap(rules)] = 1.0
    elif action < ids.first_meal(rules):
        kind, behind = _ATTACK, (action - ids.first_attack(rules)) // MAX_AMOEBAS
        seen["targets"][behind] = 1.0
        space = int(game["amoeba_space"][(me + behind) % players, (action - ids.first_attack(rules)) % MAX_AMOEBAS])
    else:
        kind = _MEAL
        for behind in range(players):
            seen["meal"][behind] = meals[action - ids.first_meal(rules), behind]
    seen["verb"] = int(game["node"]) * _NUM_KINDS + kind
    seen["space"] = space
    seen["item"] = FIRST_GENE + gene if gene >= 0 else item
    if gene >= 0:
        _write_gene(game, rules, rounds_left, gene, lower, seen["gene_numbers"])


@compiled
def _write_gene(game, rules, rounds_left, gene, lower, seen):
    me, points = int(game["player"]), int(rules["mutation_points"][gene])
    owned = game["genes"][me, gene] > 0
    points_then = int(game["mutation_points"][me]) + (-points if owned else points)
    if lower >= 0:
        points_then -= int(rules["mutation_points"][lower])
    seen[0] = rules["price"][gene] / 5
    seen[1] = points / 5
    seen[2] = rules["gene_score"][gene]
    seen[3] = game["supply"][gene] / 2
    seen[4] = owned
    for player in range(rules["players"]):
        if player != me and game["genes"][player, gene] > 0:
            seen[5] += np.float32(1 / 3)
    seen[6] = (game["bp"][me] - rules["price"][gene]) / 10
    seen[7] = points_then / 10
    seen[8] = 1 / rounds_left
    seen[9] = game["owed"] / 10
    seen[10] = lower >= 0
