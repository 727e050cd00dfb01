"""The network of ``weights.py`` in compiled code and whole numbers, one position after the other.

An activation of 1 is 2 ** 9, a weight of 1 is 2 ** 13, both 16-bit numbers; their products are added up in 32 bits.
Every processor and compiler finds the same sums, whatever the order, and a position the same logits, whatever other
ones are asked about with it.

Layers, activations and inputs are records: their shapes are constants of the compiled code, which is made for the
widths of a network.
"""

from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies.board import compiled
from ursuppe_agents.policies.board.effects import NUM_EFFECTS
from ursuppe_agents.policies.board.inputs import (
    ACTION,
    AMOEBA_FEATURES,
    MOST_ACTIONS,
    NUM_GENE_NUMBERS,
    NUM_RELATIONS,
    NUM_SEAT_FEATURES,
    NUM_SITUATION,
    POSITION,
    SPACE_FEATURES,
    new_memory,
    write_inputs,
)
from ursuppe_agents.policies.board.vectors import add_products, add_sparse_products, rounding, write_sum
from ursuppe_agents.policies.board.weights import KINDS, NUM_GROUPS, NUM_MESSAGES, WIN, Arrays, Widths
from ursuppe_env.rules.board import NEXT_TO, NOWHERE, NUM_SPACES, Direction
from ursuppe_env.rules.ruleset import MAX_AMOEBAS, MAX_PLAYERS
from ursuppe_env.rules.state import seat_after

ACTIVATION_BITS, WEIGHT_BITS = 9, 13
SUM_BITS = ACTIVATION_BITS + WEIGHT_BITS
_ONE, _LARGEST = 1 << ACTIVATION_BITS, (1 << 15) - 1
#: Sums of tokens are made smaller by these, so that they begin about as large as one token.
AMOEBAS_OF_SEAT, SPACES = 1 / 4, 1 / 8
_STAY = int(Direction.STAY)
_NUM_AMOEBA_FEATURES, _NUM_SPACE_FEATURES = len(AMOEBA_FEATURES), len(SPACE_FEATURES)
_NUM_ACTION_NUMBERS = NUM_GENE_NUMBERS + NUM_EFFECTS
#: Rows of activations, multiples of four (``add_products``); those that nothing is written to are computed in vain.
_SEATS, _SPACES, _AMOEBAS, _ACTIONS = 8, 20, 44, 4
assert _SPACES == NOWHERE + 1
#: Rows that stay 0: of no space, of no amoeba.
_EMPTY, _NO_AMOEBA = NOWHERE, _AMOEBAS - 1
_ALL_SPACES = tuple(range(NUM_SPACES))

_activate = rounding(WEIGHT_BITS, 0, _ONE)
_as_weights = rounding(ACTIVATION_BITS, -_LARGEST, _LARGEST)


def _beside_all() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(19, 4) the neighbours of each space, and (5, 19, 2) from where each current flows to it; then ``_EMPTY``."""
    beside, sources = np.full((NUM_SPACES, _STAY), _EMPTY), np.full((len(Direction), NUM_SPACES, 2), _EMPTY)
    for space in range(NUM_SPACES):
        others = [other for other in NEXT_TO[space, :_STAY] if other != space]
        beside[space, : len(others)] = others
        for current in Direction:
            found = np.flatnonzero(NEXT_TO[:NUM_SPACES, current] == space)
            sources[current, space, : len(found)] = found
    return beside, sources


_BESIDE, _SOURCES = _beside_all()


def activations(widths: Widths) -> NDArray[np.void]:
    """Memory for what the layers make of one position: (1,), all 0."""
    token = widths.token

    def of_layer(name: str, rows: int, inputs: int, outputs: int) -> list[tuple[str, Any, tuple[int, ...]]]:
        return [
            (f"{name}_inputs", np.int16, (rows, _even(inputs))),
            (f"{name}_sums", np.int32, (rows, outputs)),
            (name, np.int16, (rows, outputs)),
        ]

    fields = [
        *of_layer("seat", _SEATS, NUM_SEAT_FEATURES, token),
        ("sent_sums", np.int32, (_SEATS, NUM_RELATIONS * token)),
        ("sent", np.int16, (MAX_PLAYERS * NUM_RELATIONS // 2, token, 2)),
        ("relations", np.int16, (_SPACES, MAX_PLAYERS * NUM_RELATIONS)),
        *of_layer("space", _SPACES, _NUM_SPACE_FEATURES, token),
        *of_layer("answered", _SPACES, NUM_MESSAGES * token, token),
        ("owner_sums", np.int32, (_SEATS, token)),
        *of_layer("amoeba", _AMOEBAS, _NUM_AMOEBA_FEATURES + token, token),
        ("amoeba_rows", np.int64, (MAX_PLAYERS, MAX_AMOEBAS)),
        *of_layer("joint", _SEATS, 2 * token, token),
        *of_layer("context", 1, NUM_SITUATION + (NUM_GROUPS + 2) * token, widths.context),
        ("action_context", np.int32, (1, widths.action)),
        *of_layer("action", _ACTIONS, 3 * token + _NUM_ACTION_NUMBERS, widths.action),
        ("score_sums", np.int32, (_ACTIONS, widths.score)),
        ("score", np.int16, (_ACTIONS, widths.score)),
        ("outcome_context", np.int32, (1, widths.outcome)),
        ("outcome_sums", np.int32, (_SEATS, widths.outcome)),
        ("outcome", np.int16, (_SEATS, widths.outcome)),
        ("logits", np.int64, (MOST_ACTIONS,)),
        ("seat_scores", np.int64, (MAX_PLAYERS, len(KINDS))),
        ("scores", np.int64, (len(KINDS), MAX_PLAYERS)),
        ("likely", np.float64, (MOST_ACTIONS,)),
        ("notes", np.int64, (max(NUM_SITUATION + (NUM_GROUPS + 2) * token, 3 * token + _NUM_ACTION_NUMBERS),)),
    ]
    return np.zeros(1, np.dtype(fields))


def whole_numbers(weights: Arrays) -> NDArray[np.void]:
    """The layers in whole numbers: (1,); larger weights than 4 count as 4."""
    sent = weights["space_relations"]
    sent = sent.reshape(len(sent), NUM_RELATIONS // 2, 2, -1).swapaxes(2, 3).reshape(sent.shape)  # as ``_in_pairs``
    as_they_are = (
        *("seat", "space", "message", "amoeba_seat", "joint", "action_context", "action", "score"),
        *("outcome_seat", "outcome_context"),
    )
    matrices = {name: weights[name] for name in as_they_are} | {
        "sent": sent,
        "amoeba": np.concatenate([weights["amoeba"], weights["amoeba_space"]]),
        "context": np.concatenate([weights["situation"], weights["context"]]),
    }
    added = (
        *("seat_behind", "space_bias", "message_bias", "amoeba_bias", "joint_bias", "verb", "item"),
        *("score_bias", "outcome_bias", "outcome_last_bias"),
    )
    arrays = {name: _in_pairs(_rounded(matrix, WEIGHT_BITS, np.int16)) for name, matrix in matrices.items()}
    arrays |= {name: _rounded(weights[name], WEIGHT_BITS, np.int16) for name in ("logit", "outcome")}
    arrays |= {name: np.atleast_2d(_rounded(weights[name], SUM_BITS, np.int32)) for name in added}
    layers = np.zeros(1, np.dtype([(name, array.dtype, array.shape) for name, array in arrays.items()]))
    for name, array in arrays.items():
        layers[0][name] = array
    return layers


def context_of_rules(weights: Arrays, rules: NDArray[np.float32]) -> NDArray[np.int32]:
    """What (B, R) ``standardised_rules`` add to the sums of the context: (B, context)."""
    sums = _rounded(rules, ACTIVATION_BITS, np.int64) @ _rounded(weights["rules"], WEIGHT_BITS, np.int64)
    sums += _rounded(weights["context_bias"], SUM_BITS, np.int64)
    return sums.clip(-(2**30), 2**30).astype(np.int32)


def _rounded(array: NDArray[np.float32], bits: int, dtype: type[np.signedinteger[Any]]) -> NDArray[Any]:
    most = min(np.iinfo(dtype).max, 2**30)
    return np.rint(array.astype(np.float64) * 2**bits).clip(-most, most).astype(dtype)


def _in_pairs(matrix: NDArray[np.int16]) -> NDArray[np.int16]:
    """A matrix as ``add_products`` takes it."""
    even = np.zeros((_even(len(matrix)), matrix.shape[1]), np.int16)
    even[: len(matrix)] = matrix
    return even.reshape(-1, 2, matrix.shape[1]).swapaxes(1, 2)


def _even(number: int) -> int:
    return number + number % 2


@compiled
def _whole(number):
    """A feature as an activation; what is cut off is positive, and so it is rounded."""
    units = min(max(number * np.float32(_ONE), np.float32(-_LARGEST)), np.float32(_LARGEST))
    return np.int16(np.int32(units + np.float32(_LARGEST + 1.5)) - (_LARGEST + 1))


@compiled
def _seats(position, players, layers, work):
    """The seats, and what they send to spaces, as weights of the relations."""
    inputs, sums, sent = work["seat_inputs"], work["seat_sums"], work["sent_sums"]
    for seat in range(players):
        for k in range(NUM_SEAT_FEATURES):
            inputs[seat, k] = _whole(position["seats"][seat, k])
        write_sum(sums, seat, 0, layers["seat_behind"], (seat,))
    add_sparse_products(sums, inputs, layers["seat"], players, work["notes"])
    _activate(sums, work["seat"], players)
    sent[:players] = 0
    add_products(sent, work["seat"], layers["sent"], players)
    _as_weights(sent, work["sent"], players)


@compiled
def _spaces(position, players, layers, work):
    """The spaces before messages."""
    inputs, relations, sums = work["space_inputs"], work["relations"], work["space_sums"]
    for space in range(NUM_SPACES):
        for k in range(_NUM_SPACE_FEATURES):
            inputs[space, k] = _whole(position["spaces"][space, k])
        of_seats = position["relations"][space].reshape(-1)
        for k in range(MAX_PLAYERS * NUM_RELATIONS):
            relations[space, k] = _whole(of_seats[k]) if k < players * NUM_RELATIONS else np.int16(0)
        write_sum(sums, space, 0, layers["space_bias"], (space,))
    add_products(sums, inputs, layers["space"], NUM_SPACES)
    add_products(sums, relations, work["sent"], NUM_SPACES)
    _activate(sums, work["space"], NUM_SPACES)


@compiled
def _messages(position, layers, work):
    """The spaces after messages: from themselves, neighbours, where the current goes to, and where it comes from."""
    spaces, inputs, sums, current = work["space"], work["answered_inputs"], work["answered_sums"], position["current"]
    width = spaces.shape[1]
    for space in range(NUM_SPACES):
        beside, sources = _BESIDE[space], _SOURCES[current, space]
        write_sum(inputs, space, 0, spaces, (space,))
        write_sum(inputs, space, width, spaces, (beside[0], beside[1], beside[2], beside[3]))
        write_sum(inputs, space, 2 * width, spaces, (NEXT_TO[space, current],))
        write_sum(inputs, space, 3 * width, spaces, (sources[0], sources[1]))
        write_sum(sums, space, 0, layers["message_bias"], (0,))
    add_products(sums, inputs, layers["message"], NUM_SPACES)
    _activate(sums, work["answered"], NUM_SPACES)


@compiled
def _amoebas(position, players, layers, work):
    """The amoebas, and the seats with theirs."""
    inputs, sums, amoebas, owners = work["amoeba_inputs"], work["amoeba_sums"], work["amoeba"], work["owner_sums"]
    joined, rows, width, count = work["joint_inputs"], work["amoeba_rows"], amoebas.shape[1], 0
    for seat in range(players):
        write_sum(owners, seat, 0, layers["amoeba_bias"], (0,))
    add_products(owners, work["seat"], layers["amoeba_seat"], players)
    for seat in range(players):
        for amoeba in range(MAX_AMOEBAS):
            space = position["amoeba_space"][seat, amoeba]
            rows[seat, amoeba] = _NO_AMOEBA if space == NOWHERE else count
            if space != NOWHERE:
                for k in range(_NUM_AMOEBA_FEATURES):
                    inputs[count, k] = _whole(position["amoebas"][seat, amoeba, k])
                write_sum(inputs, count, _NUM_AMOEBA_FEATURES, work["answered"], (space,))
                write_sum(sums, count, 0, owners, (seat,))
                count += 1
    add_products(sums, inputs, layers["amoeba"], count)
    _activate(sums, amoebas, count)
    for seat in range(players):
        write_sum(joined, seat, 0, work["seat"], (seat,))
        write_sum(work["joint_sums"], seat, 0, layers["joint_bias"], (0,))
        of_seat = rows[seat]
        own = of_seat[0], of_seat[1], of_seat[2], of_seat[3], of_seat[4], of_seat[5], of_seat[6]
        write_sum(joined, seat, width, amoebas, own)
        for k in range(amoebas.shape[1]):
            joined[seat, width + k] = (joined[seat, width + k] + 2) >> 2  # AMOEBAS_OF_SEAT
    add_products(work["joint_sums"], joined, layers["joint"], players)
    _activate(work["joint_sums"], work["joint"], players)


@compiled
def _context(position, players, rules, layers, work):
    inputs, joint, spaces = work["context_inputs"], work["joint"], work["space"]
    width = joint.shape[1]
    for k in range(NUM_SITUATION):
        inputs[0, k] = _whole(position["situation"][k])
    inputs[0, NUM_SITUATION:] = 0
    for seat in range(players):
        start = NUM_SITUATION + position["relation_of_seat"][seat] * width
        for k in range(joint.shape[1]):
            inputs[0, start + k] += joint[seat, k]
    start = NUM_SITUATION + NUM_GROUPS * width
    write_sum(inputs, 0, start, work["answered"], (position["acting_space"],))
    start += width
    write_sum(inputs, 0, start, spaces, _ALL_SPACES)
    for k in range(joint.shape[1]):
        inputs[0, start + k] = (inputs[0, start + k] + 4) >> 3  # SPACES
    for k in range(work["context_sums"].shape[1]):
        work["context_sums"][0, k] = rules[position["ruleset"], k]
    add_sparse_products(work["context_sums"], inputs, layers["context"], 1, work["notes"])
    _activate(work["context_sums"], work["context"], 1)


@compiled
def _actions(actions, players, layers, work, logits):
    """Up to ``_ACTIONS`` of them."""
    inputs, sums, joint = work["action_inputs"], work["action_sums"], work["joint"]
    width, count = joint.shape[1], len(actions)
    for row in range(count):
        action = actions[row]
        write_sum(inputs, row, 0, work["answered"], (action["space"],))
        inputs[row, width : 3 * width] = 0
        for seat in range(players):
            target, quarters = int(action["targets"][seat]), int(4 * action["meal"][seat])
            if target != 0 or quarters != 0:
                for k in range(joint.shape[1]):
                    inputs[row, width + k] += target * joint[seat, k]
                    inputs[row, 2 * width + k] += (quarters * joint[seat, k] + 2) >> 2
        for k in range(NUM_GENE_NUMBERS):
            inputs[row, 3 * width + k] = _whole(action["gene_numbers"][k])
        for k in range(NUM_EFFECTS):
            inputs[row, 3 * width + NUM_GENE_NUMBERS + k] = _whole(action["effects"][k])
        verb, item = action["verb"], action["item"]
        for k in range(sums.shape[1]):
            sums[row, k] = work["action_context"][0, k] + layers["verb"][verb, k] + layers["item"][item, k]
        write_sum(work["score_sums"], row, 0, layers["score_bias"], (0,))
    add_sparse_products(sums, inputs, layers["action"], count, work["notes"])
    _activate(sums, work["action"], count)
    add_products(work["score_sums"], work["action"], layers["score"], count)
    _activate(work["score_sums"], work["score"], count)
    for row in range(count):
        logits[row] = _dot(work["score"][row], layers["logit"])


@compiled
def _scores(position, players, team_of, layers, work):
    """What the critic says of each seat from the one on that decides, times 2 ** ``SUM_BITS``; of a team the mean."""
    sums, found, me = work["outcome_sums"], work["seat_scores"], position["player"]
    write_sum(work["outcome_context"], 0, 0, layers["outcome_bias"], (0,))
    add_products(work["outcome_context"], work["context"], layers["outcome_context"], 1)
    for seat in range(players):
        write_sum(sums, seat, 0, work["outcome_context"], (0,))
    add_products(sums, work["joint"], layers["outcome_seat"], players)
    _activate(sums, work["outcome"], players)
    for seat in range(players):
        for kind in range(len(KINDS)):
            score = _dot(work["outcome"][seat], layers["outcome"][kind])
            found[seat, kind] = score + layers["outcome_last_bias"][0, kind]
    for seat in range(players):
        team = team_of[seat_after(me, seat, players)]
        for kind in range(len(KINDS)):
            total, size = 0, 0
            for other in range(players):
                if team_of[seat_after(me, other, players)] == team:
                    total += found[other, kind]
                    size += 1
            work["scores"][kind, seat] = total if size == 1 else total // size  # a division takes long


@compiled
def _dot(values, weights):
    total = 0
    for k in range(len(values)):
        total += np.int64(values[k]) * weights[k]
    return total


# ---------------------------------------------------------------------- games


class Memory(NamedTuple):
    """To work in, for one position after the other."""

    notes: NDArray[np.void]
    after: NDArray[np.void]
    board: NDArray[np.void]  # these three as for ``write_inputs``
    position: NDArray[np.void]  # (1,) ``POSITION``
    actions: NDArray[np.void]  # (MOST_ACTIONS,) ``ACTION``
    work: NDArray[np.void]  # (1,) ``activations``


def memory_for(widths: Widths) -> Memory:
    """Memory for a network of these widths."""
    return Memory(*new_memory(), np.zeros(1, POSITION), np.zeros(MOST_ACTIONS, ACTION), activations(widths))


@compiled
def _see(game, rules_array, team_of, meals, layers_array, rules, memory, actions):
    """Compute all layers that actor and critic share."""
    position, work, layers, players = memory.position[0], memory.work[0], layers_array[0], len(team_of)
    write_inputs(game, rules_array, team_of, meals, memory.notes, memory.after, memory.board, position, actions)
    _seats(position, players, layers, work)
    _spaces(position, players, layers, work)
    _messages(position, layers, work)
    _amoebas(position, players, layers, work)
    _context(position, players, rules, layers, work)


@compiled
def _evaluate(game, rules_array, team_of, meals, layers, rules, memory):
    """Compute the logit of each legal action, times 2 ** ``SUM_BITS``."""
    actions, work = memory.actions[: game["num_legal"]], memory.work[0]
    _see(game, rules_array, team_of, meals, layers, rules, memory, actions)
    work["action_context"][:] = 0
    add_products(work["action_context"], work["context"], layers[0]["action_context"], 1)
    for start in range(0, len(actions), _ACTIONS):
        _actions(actions[start : start + _ACTIONS], len(team_of), layers[0], work, work["logits"][start:])


@compiled.announced("policies that see the board", seconds=10)
def write_outputs(states, rules_array, team_of, meals, layers, rules, memory, first, actions, logits, scores):
    """Write logits of n games, and what the critic says.

    Args:
        states: (n,) games at decisions.
        rules_array: records of their rulesets.
        team_of, meals: of the ``seating``.
        layers: (1,) ``whole_numbers``.
        rules: (B, context) ``context_of_rules``.
        memory: ``memory_for`` the network.
        first: (n + 1,) where the actions of each game begin among all M.
        actions: (M,) int64, written: the legal ones.
        logits: (M,) int64, written: of them, times 2 ** ``SUM_BITS``.
        scores: (n, P, 3) int64, written: of the seats from the one on that decides, equal ones of a team; of winning,
            whose softmax over the seats is the chance, rank, and margin; like the logits.
    """
    for row in range(len(states)):
        _evaluate(states[row], rules_array, team_of, meals, layers, rules, memory)
        work = memory.work[0]
        _scores(memory.position[0], len(team_of), team_of, layers[0], work)
        for number in range(first[row + 1] - first[row]):
            actions[first[row] + number] = memory.actions[number]["actions"]
            logits[first[row] + number] = work["logits"][number]
        for seat in range(len(team_of)):
            for kind in range(len(KINDS)):
                scores[row, seat, kind] = work["scores"][kind, seat]


@compiled.announced("policies that see the board", seconds=10)
def write_probabilities(states, rules_array, team_of, meals, layers, rules, memory, rows, probabilities):
    """Write how likely each legal action is in the (n,) rows, (n, A) float64, 0 before; else as ``write_outputs``."""
    for place in range(len(rows)):
        game = states[rows[place]]
        _evaluate(game, rules_array, team_of, meals, layers, rules, memory)
        work, count = memory.work[0], int(game["num_legal"])
        _softmax(work["logits"][:count], work["likely"])
        for number in range(count):
            probabilities[place, memory.actions[number]["actions"]] = work["likely"][number]


@compiled.announced("policies that see the board", seconds=10)
def write_chances(states, rules_array, team_of, meals, layers, rules, memory, rows, chances):
    """Write each player's chance of winning in the (n,) rows, (n, P) float64."""
    work, players = memory.work[0], len(team_of)
    for place in range(len(rows)):
        game = states[rows[place]]
        _see(game, rules_array, team_of, meals, layers, rules, memory, memory.actions[:0])
        _scores(memory.position[0], players, team_of, layers[0], work)
        _softmax(work["scores"][WIN, :players], work["likely"])
        for seat in range(players):
            chances[place, seat_after(int(game["player"]), seat, players)] = work["likely"][seat]


@compiled
def _softmax(logits, likely):
    largest, total = logits[0], 0.0
    for logit in logits:
        largest = max(largest, logit)
    for k in range(len(logits)):
        likely[k] = _decay(largest - logits[k])
        total += likely[k]
    for k in range(len(logits)):
        likely[k] /= total


def _decays() -> NDArray[np.float64]:
    """(4, 256) e to the power of minus each byte of a number, times 2 ** -``SUM_BITS``.

    Their last digits must not depend on a processor: each is a product of powers that are rounded from exact ones.
    """
    decays = np.ones((4, 256))
    for bit in range(32):
        has_bit = np.arange(256) >> bit % 8 & 1 == 1
        decays[bit // 8, has_bit] *= float((-(Decimal(2) ** (bit - SUM_BITS))).exp())
    return decays


_DECAYS = _decays()


@compiled
def _decay(difference):
    """e to the power of minus a difference of logits, with operations that are the same on each processor."""
    rest = min(difference, (1 << 32) - 1)
    first, second = _DECAYS[0, rest & 255], _DECAYS[1, (rest >> 8) & 255]
    return (first * second) * (_DECAYS[2, (rest >> 16) & 255] * _DECAYS[3, rest >> 24])
