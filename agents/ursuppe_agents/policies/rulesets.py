"""Rulesets to train on: a third of the games as printed, all others with numbers and switches that vary.

A varied ruleset begins as one of both editions. A share of its numbers (each price by itself, each environment card,
each place of a score table) and of its switches is changed. A number takes another value within its limits, the nearer
to the printed one the likelier: ``NUMBERS_THAT_VARY`` has the limits, and after how many steps a value is half as
likely. So several fields differ in one ruleset, and near values are more frequent than far ones.

Whatever is drawn, a game ends: at the latest when the environment cards are used up, of which there are 14 at most.
"""

from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ursuppe_env.rules.board import CARD_DIRECTIONS, NUM_SPACES
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.ruleset import EDITIONS, PER_GENE, SWITCHES, Ruleset

#: Is all of a training played with one ruleset, or does each game draw its own?
RulesetsOfTraining = Literal["given", "varied"]

#: How many of the rulesets of a training differ from the printed ones, and how many games go to either edition as
#: printed for each of these: together a third of all.
NUM_VARIED = 1024
NUM_PRINTED_EACH = NUM_VARIED // 4

#: Of the numbers and switches of a varied ruleset; each as likely as the others.
SHARES = (1 / 8, 1 / 4, 1 / 2)


class Variation(NamedTuple):
    """How a number varies.

    Attributes:
        low: the smallest that it may become.
        high: the largest.
        halving: so many steps further from the printed value, a value is half as likely.
    """

    low: int
    high: int
    halving: float


#: By the names of the fields of ``Ruleset``; where those are lists, each number in them. ``environment``: the ozone
#: values of its cards.
NUMBERS_THAT_VARY = {
    "price": Variation(0, 12, 2),
    "mutation_points": Variation(-4, 10, 1),
    "cards": Variation(0, 6, 1),  # 0: the gene is out of the pack
    "gene_score": Variation(0, 3, 1),
    "income": Variation(6, 16, 2),
    "start_bp": Variation(0, 10, 2),
    "move_cost": Variation(0, 3, 1),
    "attack_cost": Variation(0, 3, 1),
    "defense_cost": Variation(0, 3, 1),
    "tap_cost": Variation(0, 3, 1),
    "division_cost": Variation(3, 10, 1),
    "fast_division_cost": Variation(1, 8, 1),
    "ray_protection_payment": Variation(0, 10, 2),
    "amoebas": Variation(5, 7, 1),
    "first_damage": Variation(0, 1, 1),
    "deadly_damage": Variation(2, 4, 1),
    "long_life_damage": Variation(2, 6, 1),
    "cubes": Variation(40, 90, 10),
    "start_food": Variation(1, 3, 1),
    "death_food": Variation(0, 4, 1),
    "kill_food": Variation(0, 4, 1),
    "excretion": Variation(1, 4, 1),
    "carry": Variation(1, 6, 1),
    "amoeba_places": Variation(0, 9, 1),
    "gene_places": Variation(0, 8, 1),
    "end_zone": Variation(25, 60, 6),
    "environment": Variation(3, 18, 2),
}
#: The number of environment cards: a game has at most one round fewer.
NUM_ENVIRONMENT_CARDS = Variation(8, 14, 1)

_SALT = 0x52554C45  # tells these draws from all others of the same seed


@lru_cache(maxsize=2)
def training_rulesets(players: int, seed: int) -> tuple[Ruleset, ...]:
    """The rulesets of a training, of which each game draws one: a third of them as printed, in both editions equally.

    Args:
        players: 3 ... 6.
        seed: of the training, 0 or more; the same seed gives the same rulesets.

    Raises:
        ValueError: there is no game for so many players.
    """
    printed = [Ruleset(players=players, edition=edition) for edition in EDITIONS] * NUM_PRINTED_EACH
    return (*printed, *varied_rulesets(players, NUM_VARIED, seed))


def varied_rulesets(players: int, count: int, seed: int) -> list[Ruleset]:
    """Rulesets that differ from the printed ones, each drawn by itself.

    Args:
        players: 3 ... 6.
        count: of them.
        seed: 0 or more; the same seed gives the same rulesets, and those of fewer are the first ones of more.

    Raises:
        ValueError: there is no game for so many players.
    """
    generator = np.random.default_rng([_SALT, seed])
    return [varied_ruleset(players, generator) for _ in range(count)]


def outside_training(ruleset: Ruleset) -> list[str]:
    """What no varied ruleset has, in words: a line for each number of a ruleset; none if it could have been drawn.

    Each number by itself: many changes at once, or large ones, are rare in a training even where each of them occurs.
    """
    printed = Ruleset(players=ruleset.players, edition=ruleset.edition)
    lengths = {"environment": NUM_ENVIRONMENT_CARDS[:2], "gene_places": 2 * (len(printed.gene_places),)}
    lines = []
    for name, value in ruleset.changes().items():
        if name in SWITCHES:
            continue
        low, high, _ = NUMBERS_THAT_VARY[name]
        high = min(high, {"amoebas": printed.amoebas, "cards": ruleset.players}.get(name, high))
        if name in lengths:
            least, most = lengths[name]
            if not least <= len(value) <= most:
                had = least if least == most else f"{least} to {most}"
                lines.append(f"{name} has {len(value)} entries; in training it had {had}")
        as_printed = {getattr(printed, name)}
        if name in PER_GENE:
            as_printed, numbers = set(), {f"{name}.{gene}": number for gene, number in value.items()}
        elif name == "environment":
            as_printed = {ozone for _, ozone in printed.environment}
            numbers = {f"the ozone value of card {place}": ozone for place, (_, ozone) in enumerate(value, 1)}
        elif isinstance(value, list):
            if value != sorted(value):
                lines.append(f"{name} is {value}; in training more was never worth less")
            as_printed = set(getattr(printed, name))
            numbers = {f"number {place} of {name}": number for place, number in enumerate(value, 1)}
        else:
            numbers = {name: value}
        lines += [
            f"{what} is {number}; in training it was {low} to {high}"
            for what, number in numbers.items()
            if number not in as_printed and not low <= number <= high
        ]
    for name, lower in (("long_life_damage", "deadly_damage"), ("division_cost", "fast_division_cost")):
        if getattr(ruleset, name) < getattr(ruleset, lower):
            lines.append(f"{name} is less than {lower}; in training it never was")
    return lines


def varied_ruleset(players: int, generator: np.random.Generator, share: float | None = None) -> Ruleset:
    """A ruleset that differs from the printed ones.

    Args:
        players: 3 ... 6.
        generator: draws it.
        share: of its numbers and switches that are changed; None: one of ``SHARES``, drawn too.

    Raises:
        ValueError: there is no game for so many players.
    """
    printed = Ruleset(players=players, edition=EDITIONS[generator.integers(len(EDITIONS))])
    share = float(generator.choice(SHARES)) if share is None else share
    changes: dict[str, Any] = {}
    for name, variation in NUMBERS_THAT_VARY.items():
        before = getattr(printed, name)
        if name == "environment":
            changes[name] = _environment(printed, share, generator)
            continue
        if name == "amoeba_places":  # of fewer amoebas the last of the printed numbers; there are none for more
            before = before[-(changes["amoebas"] + 1) :]
        numbers = _varied(before, variation, share, generator)
        if name in ("amoeba_places", "gene_places"):  # more is never worth less
            numbers = np.maximum.accumulate(numbers)
        changes[name] = numbers.tolist()
        if name in PER_GENE:
            changes[name] = dict(zip(GENE_NAMES, changes[name], strict=True))
    for name in SWITCHES:
        changes[name] = bool(getattr(printed, name) ^ (generator.random() < share))
    _make_sense(changes, players)
    return Ruleset(players=players, edition=printed.edition, **changes)


def _make_sense(changes: dict[str, Any], players: int) -> None:
    """Pull numbers together that were drawn each by itself."""
    changes["cards"] = {gene: min(count, players) for gene, count in changes["cards"].items()}  # nobody needs two
    changes["amoebas"] = len(changes["amoeba_places"]) - 1
    changes["cubes"] = max(changes["cubes"], NUM_SPACES * changes["start_food"])
    changes["long_life_damage"] = max(changes["long_life_damage"], changes["deadly_damage"])
    changes["fast_division_cost"] = min(changes["fast_division_cost"], changes["division_cost"])


def _environment(printed: Ruleset, share: float, generator: np.random.Generator) -> list[tuple[str, int]]:
    """Environment cards: fewer or more than printed, some with another ozone value or direction."""
    there = len(printed.environment)
    number = int(_varied(there, NUM_ENVIRONMENT_CARDS, share, generator))
    order = generator.permutation(there)
    kept = [*sorted(order[:number]), *order[: max(number - there, 0)]]  # the first ones, and some of them twice
    cards = [printed.environment[place] for place in kept]
    ozone = _varied([value for _, value in cards], NUMBERS_THAT_VARY["environment"], share, generator)
    has_other = generator.random(number) < share
    others = generator.integers(len(CARD_DIRECTIONS), size=number)
    return [
        (CARD_DIRECTIONS[other] if is_other else direction, value)
        for (direction, _), value, is_other, other in zip(cards, ozone.tolist(), has_other, others, strict=True)
    ]


def _varied(printed: ArrayLike, variation: Variation, share: float, generator: np.random.Generator) -> NDArray[Any]:
    """Numbers, of any shape, of which about a share take another value."""
    before = np.asarray(printed)
    values = np.arange(variation.low, variation.high + 1)
    distance = np.abs(values - before[..., None])
    weights = np.where(distance == 0, 0, 0.5 ** (distance / variation.halving))
    reached = weights.cumsum(axis=-1)
    drawn = generator.random((*before.shape, 1)) * reached[..., -1:]
    others = values[(reached > drawn).argmax(axis=-1)]
    return np.where(generator.random(before.shape) < share, others, before)
