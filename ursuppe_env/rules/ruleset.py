"""The printed numbers of the game, and rulesets that change them (rules.md sections 3-5, rulesets.md)."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from ursuppe_env.rules.board import DIRECTION_NAMES, NUM_SPACES
from ursuppe_env.rules.genes import GENE_NAMES, NUM_GENES

EDITIONS = ("1998", "1997")
MIN_PLAYERS, MAX_PLAYERS = 3, 6
MAX_AMOEBAS = 7
MAX_CARDS = 32
MAX_GENE_PLACES = 40
_NO_DRIFT = "none"
_CARD_DIRECTIONS = (*DIRECTION_NAMES[:4], _NO_DRIFT)

# rules.md section 3
_ENVIRONMENT = (
    *(("west", ozone) for ozone in (6, 9, 12)),
    *(("east", ozone) for ozone in (8, 10, 10)),
    *(("north", ozone) for ozone in (9, 11)),
    *(("south", ozone) for ozone in (10, 13)),
    (_NO_DRIFT, 14),
)

# rules.md section 4: price, MP 1998, MP 1997, cards with 3 and with 4 players, score
_GENES = {
    "intelligence": (2, 3, 3, 1, 2, 1),
    "movement_1": (3, 2, 2, 2, 2, 1),
    "spores": (3, 3, 3, 1, 1, 1),
    "speed": (4, 3, 3, 1, 2, 1),
    "defense": (4, 4, 3, 1, 1, 1),
    "escape": (4, 4, 4, 1, 2, 1),
    "substitution": (4, 4, 4, 1, 1, 1),
    "ray_protection": (5, -2, -2, 1, 2, 0),
    "streamlining": (5, 4, 4, 1, 1, 1),
    "tentacle": (5, 4, 4, 1, 2, 1),
    "holding": (5, 4, 4, 1, 1, 1),
    "life_expectancy": (5, 5, 5, 1, 2, 1),
    "frugality": (6, 5, 5, 0, 1, 1),
    "struggle_for_survival": (6, 4, 4, 2, 2, 1),
    "parasitism": (6, 5, 5, 0, 1, 1),
    "division_rate": (6, 5, 6, 1, 2, 1),
    "endurance": (4, 4, 4, 1, 1, 2),
    "movement_2": (5, 5, 5, 1, 2, 2),
    "aggression": (5, 5, 6, 1, 1, 2),
    "armour": (6, 6, 5, 1, 1, 2),
}
_SUBSTITUTION_CARDS_1997 = 2  # from 4 players on
# One card more of each with 5 and 6 players [R2].
_MORE_CARDS = (
    "intelligence",
    "movement_1",
    "spores",
    "defense",
    "substitution",
    "streamlining",
    "struggle_for_survival",
    "frugality",
    "parasitism",
)


def _printed_cards(players: int, edition: str) -> tuple[int, ...]:
    cards = {gene: numbers[3] if players == 3 else numbers[4] for gene, numbers in _GENES.items()}
    if players > 3 and edition == "1997":
        cards["substitution"] = _SUBSTITUTION_CARDS_1997
    if players > 4:
        for gene in _MORE_CARDS:
            cards[gene] += 1
    return tuple(cards.values())


def _printed(players: int, edition: str) -> dict[str, Any]:
    """All numbers of an edition for this many players (rules.md sections 4 and 5)."""
    many = players > 4
    return {
        "amoebas": 6 if many else 7,
        "cubes": 55,
        "start_food": 2,
        "start_bp": 4,
        "first_damage": 0 if players == 3 else 1,
        "excretion": 2,
        "carry": 2 if players == 3 else 3,
        "income": 11 if many else 10,
        "move_cost": 1,
        "attack_cost": 1,
        "defense_cost": 1,
        "tap_cost": 1,
        "division_cost": 6,
        "fast_division_cost": 4,
        "deadly_damage": 2,
        "long_life_damage": 3,
        "death_food": 2,
        "kill_food": 1,
        "ray_protection_payment": 4,
        "amoeba_places": (0, 0, 1, 2, 4, 5, 6) if many else (0, 0, 0, 1, 2, 4, 5, 6),
        "gene_places": (0, 0, 0, 1, 2, 3, 4),
        "end_zone": 42,
        "environment": _ENVIRONMENT,
        "price": tuple(numbers[0] for numbers in _GENES.values()),
        "mutation_points": tuple(numbers[1 if edition == "1998" else 2] for numbers in _GENES.values()),
        "cards": _printed_cards(players, edition),
        "gene_score": tuple(numbers[5] for numbers in _GENES.values()),
    }


_PER_GENE = ("price", "mutation_points", "cards", "gene_score")
_PLACES = ("amoeba_places", "gene_places")
# Limits of rulesets.md; every other number is 0 ... 99.
_LIMITS = {
    "amoebas": (2, MAX_AMOEBAS),
    "cubes": (0, 120),
    "end_zone": (2, 250),
    "deadly_damage": (1, 99),
    "long_life_damage": (1, 99),
    "carry": (0, 9),
    "mutation_points": (-9, 99),
}

#: The ruleset as the engine reads it: one record for all games of a batch.
RULES = np.dtype(
    [
        ("players", np.int64),
        ("first_edition", np.int64),  # 1 for edition 1997
        ("amoebas", np.int64),
        ("cubes", np.int64),
        ("start_food", np.int64),
        ("start_bp", np.int64),
        ("first_damage", np.int64),
        ("excretion", np.int64),
        ("carry", np.int64),
        ("income", np.int64),
        ("move_cost", np.int64),
        ("attack_cost", np.int64),
        ("defense_cost", np.int64),
        ("tap_cost", np.int64),
        ("division_cost", np.int64),
        ("fast_division_cost", np.int64),
        ("deadly_damage", np.int64),
        ("long_life_damage", np.int64),
        ("death_food", np.int64),
        ("kill_food", np.int64),
        ("ray_protection_payment", np.int64),
        ("end_zone", np.int64),
        ("amoeba_places", np.int64, (MAX_AMOEBAS + 1,)),
        ("num_gene_places", np.int64),
        ("gene_places", np.int64, (MAX_GENE_PLACES,)),
        ("num_cards", np.int64),
        ("card_direction", np.int64, (MAX_CARDS,)),  # Direction; STAY for no drift
        ("card_ozone", np.int64, (MAX_CARDS,)),
        ("price", np.int64, (NUM_GENES,)),
        ("mutation_points", np.int64, (NUM_GENES,)),
        ("cards", np.int64, (NUM_GENES,)),
        ("gene_score", np.int64, (NUM_GENES,)),
    ],
    align=True,
)


@dataclass(frozen=True, kw_only=True, init=False)
class Ruleset:
    """The numbers that a game is played with: an edition's, or changed ones.

    ``Ruleset(players=4, edition="1998", price={"speed": 5}, income=12)``: every field may be given; those left
    out are the printed ones for that edition and number of players. The fields by gene take a mapping that
    names only the genes changed, and are read as tuples in the order of the gene ids. Rulesets are immutable
    and hashable; two are equal if all their numbers are.

    Source: rules.md sections 3-5; the limits are those of rulesets.md.

    Raises:
        ValueError: an unknown field or gene, or a number out of its limits; the message names field and value.
    """

    players: int  # 3 ... 6
    edition: str  # "1998" or "1997"
    amoebas: int  # a player
    cubes: int  # of each colour
    start_food: int  # cubes of each colour a space
    start_bp: int
    first_damage: int  # DP of the first amoeba
    excretion: int  # cubes
    carry: int  # cubes that Tentacle carries
    income: int  # BP in phase 4
    move_cost: int  # BP, also of an escape
    attack_cost: int  # BP, both kinds of attack
    defense_cost: int  # BP
    tap_cost: int  # BP that a host pays
    division_cost: int  # BP
    fast_division_cost: int  # BP, with Division Rate
    deadly_damage: int  # DP
    long_life_damage: int  # DP, with Life Expectancy
    death_food: int  # cubes of each colour after a death in phase 5
    kill_food: int  # cubes of each colour after a successful attack in phase 1
    ray_protection_payment: int  # MP that Ray Protection pays
    amoeba_places: tuple[int, ...]  # places on the track for 0, 1, 2, ... amoebas
    gene_places: tuple[int, ...]  # places for 0, 1, 2, ... gene points; the last value holds for all higher totals
    end_zone: int  # its first place
    environment: tuple[tuple[str, int], ...]  # the cards: (direction, ozone)
    price: tuple[int, ...]  # BP, by gene id
    mutation_points: tuple[int, ...]  # MP, by gene id
    cards: tuple[int, ...]  # how many of each gene there are
    gene_score: tuple[int, ...]  # gene points for phase 6, by gene id

    def __init__(self, *, players: int = 4, edition: str = "1998", **changes: Any) -> None:
        players = _integer("players", players, MIN_PLAYERS, MAX_PLAYERS)
        if not isinstance(edition, str) or edition not in EDITIONS:
            raise ValueError(f"edition is {edition!r}; it must be '1998' or '1997'")
        numbers = {"players": players, "edition": edition, **_printed(players, edition)}
        for name, value in changes.items():
            numbers[name] = _checked(name, value, numbers)
        for name, value in numbers.items():
            object.__setattr__(self, name, value)
        self._check_together()

    def _check_together(self) -> None:
        if len(self.amoeba_places) != self.amoebas + 1:
            raise ValueError(
                f"amoeba_places has {len(self.amoeba_places)} values; with amoebas = {self.amoebas} it must have "
                f"{self.amoebas + 1}, for 0 ... {self.amoebas} amoebas"
            )
        if self.cubes < NUM_SPACES * self.start_food:
            raise ValueError(
                f"cubes is {self.cubes}; with start_food = {self.start_food} it must be at least "
                f"{NUM_SPACES * self.start_food} (19 spaces)"
            )

    @classmethod
    def from_changes(cls, players: int, edition: str, changes: Mapping[str, Any]) -> "Ruleset":
        """The ruleset of a record: an edition and the numbers that differ from it (records.md).

        Raises:
            ValueError: as the class itself does.
        """
        if not isinstance(changes, Mapping):
            raise ValueError(f"the changes of a ruleset are {changes!r}; they must be a mapping of field to value")
        for name in changes:
            if not isinstance(name, str) or name in ("players", "edition"):
                raise ValueError(f"{name!r} cannot be among the changes of a ruleset; {_known_fields()}")
        return cls(players=players, edition=edition, **changes)

    def replace(self, **changes: Any) -> "Ruleset":
        """A copy with these fields changed; fields by gene change only the genes that are named.

        With another number of players or edition, what was printed becomes what is printed there.
        """
        players = changes.pop("players", self.players)
        edition = changes.pop("edition", self.edition)
        kept = self.changes()
        for name, value in changes.items():
            if name in _PER_GENE and isinstance(value, Mapping):
                value = {**kept.get(name, {}), **value}
            kept[name] = value
        return Ruleset(players=players, edition=edition, **kept)

    def changes(self) -> dict[str, Any]:
        """The numbers that differ from the edition's, as records.md writes them (JSON types only)."""
        changed: dict[str, Any] = {}
        for name, printed in _printed(self.players, self.edition).items():
            value = getattr(self, name)
            if value == printed:
                continue
            if name in _PER_GENE:
                changed[name] = {
                    gene: mine for gene, mine, theirs in zip(GENE_NAMES, value, printed, strict=True) if mine != theirs
                }
            elif name == "environment":
                changed[name] = [list(card) for card in value]
            else:
                changed[name] = list(value) if isinstance(value, tuple) else value
        return changed

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies are made anew, without the record of the engine that wrote them."""
        return Ruleset.from_changes, (self.players, self.edition, self.changes())

    def __repr__(self) -> str:
        arguments = {"players": self.players, "edition": self.edition, **self.changes()}
        return f"Ruleset({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"

    @cached_property
    def record(self) -> np.ndarray:
        """The numbers as the engine reads them: (1,) array of dtype RULES, read-only."""
        record = np.zeros(1, RULES)
        rules = record[0]
        for field in fields(self):
            if field.name in ("edition", "environment", *_PLACES):
                continue
            rules[field.name] = getattr(self, field.name)
        rules["first_edition"] = self.edition == "1997"
        rules["amoeba_places"][: len(self.amoeba_places)] = self.amoeba_places
        rules["num_gene_places"] = len(self.gene_places)
        rules["gene_places"][: len(self.gene_places)] = self.gene_places
        rules["num_cards"] = len(self.environment)
        for number, (direction, ozone) in enumerate(self.environment):
            rules["card_direction"][number] = _CARD_DIRECTIONS.index(direction)
            rules["card_ozone"][number] = ozone
        record.flags.writeable = False
        return record


_FIELDS = tuple(field.name for field in fields(Ruleset))


def _known_fields() -> str:
    return "known are " + ", ".join(_FIELDS[2:])


def _integer(name: str, value: Any, low: int, high: int) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
        raise ValueError(f"{name} is {value!r}; it must be an integer from {low} to {high}")
    return int(value)


def _sequence(name: str, value: Any, shortest: int, longest: int, what: str) -> Sequence[Any]:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, (list, tuple)) or not shortest <= len(value) <= longest:
        raise ValueError(f"{name} is {value!r}; it must be a list of {shortest} to {longest} {what}")
    return value


def _checked(name: str, value: Any, numbers: Mapping[str, Any]) -> Any:
    """A field's value in the form that it is kept in; ``numbers`` are those that a mapping by gene changes."""
    low, high = _LIMITS.get(name, (0, 99))
    if name in _PER_GENE:
        return _by_gene(name, value, numbers[name], low, high)
    if name in _PLACES:
        longest = MAX_AMOEBAS + 1 if name == "amoeba_places" else MAX_GENE_PLACES
        values = _sequence(name, value, 1, longest, "numbers")
        return tuple(_integer(f"{name}[{i}]", number, low, high) for i, number in enumerate(values))
    if name == "environment":
        cards = _sequence(name, value, 2, MAX_CARDS, "cards [direction, ozone]")
        return tuple(_card(f"environment[{i}]", card) for i, card in enumerate(cards))
    if name not in _FIELDS:
        close = difflib.get_close_matches(name, _FIELDS, 1)
        hint = f"did you mean {close[0]}?" if close else _known_fields()
        raise ValueError(f"a ruleset has no field {name!r}; {hint}")
    return _integer(name, value, low, high)


def _by_gene(name: str, value: Any, current: tuple[int, ...], low: int, high: int) -> tuple[int, ...]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} is {value!r}; it must be a mapping of gene to number, like {{'speed': 5}}")
    numbers = list(current)
    for gene, number in value.items():
        if gene not in GENE_NAMES:
            raise ValueError(f"{name} names the gene {gene!r}; genes are {', '.join(GENE_NAMES)}")
        numbers[GENE_NAMES.index(gene)] = _integer(f"{name} of {gene}", number, low, high)
    return tuple(numbers)


def _card(name: str, card: Any) -> tuple[str, int]:
    if not isinstance(card, (list, tuple)) or len(card) != 2 or card[0] not in _CARD_DIRECTIONS:
        raise ValueError(
            f"{name} is {card!r}; it must be [direction, ozone] with a direction of {', '.join(_CARD_DIRECTIONS)}"
        )
    return card[0], _integer(f"ozone of {name}", card[1], 0, 99)
