"""The printed numbers and the switches of the game, and rulesets that change them (rules.md sections 3-5 and 10)."""

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ursuppe_env.line import quoted
from ursuppe_env.parsing import checked_integer
from ursuppe_env.rules.board import CARD_DIRECTIONS, NUM_SPACES
from ursuppe_env.rules.genes import GENE_NAMES, NUM_GENES

EDITIONS = ("1998", "1997")
MIN_PLAYERS, MAX_PLAYERS = 3, 6
MAX_AMOEBAS = 7
MAX_CARDS = 32
MAX_GENE_PLACES = 40

# rules.md section 3
_ENVIRONMENT = (
    *(("west", ozone) for ozone in (6, 9, 12)),
    *(("east", ozone) for ozone in (8, 10, 10)),
    *(("north", ozone) for ozone in (9, 11)),
    *(("south", ozone) for ozone in (10, 13)),
    ("none", 14),
)

# rules.md section 4: price, MP 1998, MP 1997, score, cards with 3, with 4, and with 5 and 6 players [R2]
_GENES = {
    "intelligence": (2, 3, 3, 1, 1, 2, 3),
    "movement_1": (3, 2, 2, 1, 2, 2, 3),
    "spores": (3, 3, 3, 1, 1, 1, 2),
    "speed": (4, 3, 3, 1, 1, 2, 2),
    "defense": (4, 4, 3, 1, 1, 1, 2),
    "escape": (4, 4, 4, 1, 1, 2, 2),
    "substitution": (4, 4, 4, 1, 1, 1, 2),
    "ray_protection": (5, -2, -2, 0, 1, 2, 2),
    "streamlining": (5, 4, 4, 1, 1, 1, 2),
    "tentacle": (5, 4, 4, 1, 1, 2, 2),
    "holding": (5, 4, 4, 1, 1, 1, 1),
    "life_expectancy": (5, 5, 5, 1, 1, 2, 2),
    "frugality": (6, 5, 5, 1, 0, 1, 2),
    "struggle_for_survival": (6, 4, 4, 1, 2, 2, 3),
    "parasitism": (6, 5, 5, 1, 0, 1, 2),
    "division_rate": (6, 5, 6, 1, 1, 2, 2),
    "endurance": (4, 4, 4, 2, 1, 1, 1),
    "movement_2": (5, 5, 5, 2, 1, 2, 2),
    "aggression": (5, 5, 6, 2, 1, 1, 1),
    "armour": (6, 6, 5, 2, 1, 1, 1),
}


def _printed_cards(players: int, edition: str) -> tuple[int, ...]:
    cards = {gene: numbers[min(players, 5) + 1] for gene, numbers in _GENES.items()}
    if players > 3 and edition == "1997":
        cards["substitution"] += 1
    return tuple(cards.values())


class Preset(NamedTuple):
    """A ruleset with a name, for any number of players."""

    edition: str
    changes: dict[str, Any]  # the fields that differ from the edition's
    evidence: str  # what it is, and where that comes from; for the documentation


PRESETS = {
    "1998": Preset("1998", {}, "the corrected print of the gene sheet: the default"),
    "1997": Preset("1997", {}, "the first print of the gene sheet, with its five mistakes and eight other switches"),
    "2004": Preset(
        "1998",
        {"kill_food": 0, "clinging_carries": True},
        "what a summary tells of these English rules: no cubes after a kill in phase 1, and an amoeba that clings may "
        "carry cubes; everything else is assumed to be as in 1998",
    ),
    "short": Preset("1998", {"end_zone": 30}, "an earlier end, as later English rules suggest; 30 is our own number"),
}


def _number(meaning: str, printed: Any, low: int = 0, high: int = 99) -> Any:
    """A field of the ruleset that is a number from ``low`` to ``high``, or has one for each place or each gene.

    ``printed`` is its value in the printed game, or a function of the number of players and the edition.
    """
    return field(metadata={"meaning": meaning, "printed": printed, "low": low, "high": high})


def _switch(meaning: str, only: str) -> Any:
    """A field of the ruleset that is true or false (rules.md section 10); true in this edition only."""
    return field(metadata={"meaning": meaning, "printed": lambda players, edition: edition == only})


def _from_players(least: int, many: Any, *, fewer: Any) -> Callable[[int, str], Any]:
    """One value with at least so many players, another one with fewer."""
    return lambda players, edition: many if players >= least else fewer


def _column(column: int) -> tuple[int, ...]:
    return tuple(numbers[column] for numbers in _GENES.values())


def players_of(players: Any, num_players: Any) -> Any:
    """The number of players by whichever of its two names it is given; ``ValueError``: by both, in contradiction."""
    if players is not None and num_players is not None and players != num_players:
        raise ValueError(f"players is {quoted(players)}, but num_players is {quoted(num_players)}; give one of them")
    return num_players if players is None else players


@dataclass(frozen=True, kw_only=True, init=False)
class Ruleset:
    """The numbers and switches that a game is played with: an edition's, or changed ones.

    ``Ruleset(players=4, edition="1998", price={"speed": 5}, income=12, own_clinging=True)``: every field may be given;
    those left out are the printed ones for that edition and number of players. ``players`` may also be called
    ``num_players``, as environments call it. Fields by gene take a mapping of the genes that are changed, and are read
    as tuples in the order of the gene ids. Rulesets are immutable and hashable; two are equal if all their fields are.

    Each field is declared here alone: the engine's record, the checks and the documentation derive from that.

    Source: rules.md sections 3-5 and 10; the limits are those of rulesets.md.

    Raises:
        ValueError: an unknown field or gene, a number out of its limits, a switch that is neither true nor false; the
            message names field and value.
    """

    players: int  # 3 ... 6
    edition: str  # "1998" or "1997"
    amoebas: int = _number("amoebas of a player", _from_players(5, 6, fewer=7), 2, MAX_AMOEBAS)
    cubes: int = _number(f"cubes of each colour; at least {NUM_SPACES} × `start_food`", 55, high=120)
    start_food: int = _number("cubes of each colour on each space at the start", 2)
    start_bp: int = _number("BP at the start", 4)
    first_damage: int = _number("DP of each player's first amoeba", _from_players(4, 1, fewer=0))
    excretion: int = _number("own cubes left behind after a meal", 2)
    carry: int = _number("cubes that a Tentacle carries", _from_players(4, 3, fewer=2), high=9)
    income: int = _number("BP in phase 4", _from_players(5, 11, fewer=10))
    move_cost: int = _number("BP for a move, and for an escape", 1)
    attack_cost: int = _number("BP for an attack, in phase 1 and in phase 5", 1)
    defense_cost: int = _number("BP for an answer with Defense", 1)
    tap_cost: int = _number("BP that a host pays; players with less cannot be hosts", 1)
    division_cost: int = _number("BP for a division", 6)
    fast_division_cost: int = _number("the same with Division Rate", 4)
    deadly_damage: int = _number("DP at which an amoeba dies", 2, 1)
    long_life_damage: int = _number("the same with Life Expectancy", 3, 1)
    death_food: int = _number("cubes of each colour after a death in phase 5", 2)
    kill_food: int = _number("cubes of each colour after a successful attack in phase 1", 1)
    ray_protection_payment: int = _number("MP that Ray Protection pays when it is discarded", 4)
    amoeba_places: tuple[int, ...] = _number(
        "places on the track for 0, 1, 2, … amoebas: `amoebas` + 1 numbers",
        _from_players(5, (0, 0, 1, 2, 4, 5, 6), fewer=(0, 0, 0, 1, 2, 4, 5, 6)),
    )
    gene_places: tuple[int, ...] = _number(
        "places for 0, 1, 2, … gene points; the last number holds for more, too", (0, 0, 0, 1, 2, 3, 4)
    )
    end_zone: int = _number("first place of the end zone", 42, 2, 250)
    environment: tuple[tuple[str, int], ...] = _number(
        "the cards, `[direction, ozone]`; a game has at most one round fewer than cards", _ENVIRONMENT
    )
    price: tuple[int, ...] = _number("BP", _column(0))
    mutation_points: tuple[int, ...] = _number("MP", lambda _, edition: _column(1 if edition == "1998" else 2), low=-9)
    cards: tuple[int, ...] = _number("how many there are with 3, 4, 5, 6 players", _printed_cards)
    gene_score: tuple[int, ...] = _number("gene points", _column(3))
    even_substitution: bool = _switch("with 4 players Substitution is 2:2:0 only", "1997")
    early_clinging: bool = _switch("clinging is asked before dice, direction and the cubes of the mover", "1997")
    own_clinging: bool = _switch("the other amoebas of the mover's owner may cling, too", "1997")
    clinging_carries: bool = _switch("an amoeba that clings may carry cubes with Tentacle", "1997")
    paired_answers_once: bool = _switch("the owner of Defense and Escape may use each only once a round", "1997")
    free_stay: bool = _switch("Movement II may stay in every space, not only at an obstacle", "1998")
    same_victim: bool = _switch("an aggressor's second attempt must be against its first victim", "1998")
    hungry_aggressor: bool = _switch("an aggressor that is beaten off gets 1 DP", "1997")

    def __init__(
        self, *, players: int | None = None, edition: str = "1998", num_players: int | None = None, **changes: Any
    ) -> None:
        players = players_of(players, num_players)
        players = checked_integer("players", 4 if players is None else players, MIN_PLAYERS, MAX_PLAYERS)
        if not isinstance(edition, str) or edition not in EDITIONS:
            raise ValueError(f"edition is {quoted(edition)}; it must be '1998' or '1997'")
        values = {"players": players, "edition": edition, **_printed(players, edition)}
        for name, value in changes.items():
            values[name] = _checked(name, value, values)
        for name, value in values.items():
            object.__setattr__(self, name, value)
        self._check_together()

    def _check_together(self) -> None:
        if len(self.amoeba_places) != self.amoebas + 1:
            right = f"with amoebas = {self.amoebas} it must have {self.amoebas + 1}, for 0 ... {self.amoebas} amoebas"
            raise ValueError(f"amoeba_places has {len(self.amoeba_places)} values; {right}")
        needed = NUM_SPACES * self.start_food
        if self.cubes < needed:
            right = f"with start_food = {self.start_food} it must be at least {needed} (19 spaces)"
            raise ValueError(f"cubes is {self.cubes}; {right}")

    @classmethod
    def preset(cls, name: str, *, players: int | None = None, **changes: Any) -> "Ruleset":
        """The ruleset with this name, such as "short", for this many players, and with these fields changed on top.

        ``ValueError``: there is no such preset; and as the class itself.
        """
        if not isinstance(name, str) or name not in PRESETS:
            raise ValueError(f"there is no preset {quoted(name)}; known are {', '.join(PRESETS)}")
        preset = PRESETS[name]
        players = players_of(players, changes.pop("num_players", None))
        return cls.from_changes(players, preset.edition, {**preset.changes, **changes})

    @staticmethod
    def presets() -> dict[str, str]:
        """The names of all presets, with what each of them is."""
        return {name: preset.evidence for name, preset in PRESETS.items()}

    @classmethod
    def from_changes(cls, players: int | None, edition: str, changes: Mapping[str, Any]) -> "Ruleset":
        """The ruleset of a record: an edition and what differs from it (records.md). ``ValueError``: as the class."""
        if not isinstance(changes, Mapping):
            raise ValueError(f"changes of a ruleset are {quoted(changes)}; they must be a mapping of field to value")
        for name in changes:
            if not isinstance(name, str) or name in ("players", "num_players", "edition"):
                raise ValueError(f"{quoted(name)} cannot be among the changes of a ruleset; {_known_fields()}")
        return cls(players=players, edition=edition, **changes)

    def replace(self, **changes: Any) -> "Ruleset":
        """A copy with these fields changed; fields by gene change only the genes that are named.

        With another number of players or edition, what was printed becomes what is printed there.
        """
        given = players_of(changes.pop("players", None), changes.pop("num_players", None))
        players = self.players if given is None else given
        edition = changes.pop("edition", self.edition)
        kept = self.changes()
        for name, value in changes.items():
            if name in PER_GENE and isinstance(value, Mapping):
                value = {**kept.get(name, {}), **value}
            kept[name] = value
        return Ruleset(players=players, edition=edition, **kept)

    def changes(self) -> dict[str, Any]:
        """The fields that differ from the edition's, as records.md writes them (JSON types only)."""
        changed: dict[str, Any] = {}
        for name, printed in _printed(self.players, self.edition).items():
            value = getattr(self, name)
            if value == printed:
                continue
            if name in PER_GENE:
                numbers = zip(GENE_NAMES, value, printed, strict=True)
                changed[name] = {gene: mine for gene, mine, theirs in numbers if mine != theirs}
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
        """The fields as the engine reads them: (1,) array of dtype RULES, read-only."""
        record = np.zeros(1, RULES)
        rules = record[0]
        rules["players"] = self.players
        for name in (*NUMBERS, *SWITCHES):
            value = getattr(self, name)
            if name in _MOST_PLACES:
                rules[f"num_{name}"] = len(value)
                rules[name][: len(value)] = value
            elif name != "environment":
                rules[name] = value
        rules["num_cards"] = len(self.environment)
        for number, (direction, ozone) in enumerate(self.environment):
            rules["card_direction"][number] = CARD_DIRECTIONS.index(direction)
            rules["card_ozone"][number] = ozone
        record.flags.writeable = False
        return record


_FIELDS = tuple(field.name for field in fields(Ruleset))
#: The declarations of all numbers, by the names of their fields: meaning, printed, low and high.
NUMBERS = {field.name: field.metadata for field in fields(Ruleset) if "low" in field.metadata}
#: Those of all switches: meaning and printed.
SWITCHES = {field.name: field.metadata for field in fields(Ruleset) if field.metadata and "low" not in field.metadata}
PER_GENE = ("price", "mutation_points", "cards", "gene_score")
#: The fields with a number for each place, and how many they can have.
_MOST_PLACES = {"amoeba_places": MAX_AMOEBAS + 1, "gene_places": MAX_GENE_PLACES}


def _columns(name: str) -> list[tuple[Any, ...]]:
    """The fields of the engine's record that hold a field of the ruleset."""
    if name == "environment":
        # directions as ``Direction``, STAY for no drift
        return [("num_cards", np.int64), ("card_direction", np.int64, MAX_CARDS), ("card_ozone", np.int64, MAX_CARDS)]
    if name in _MOST_PLACES:
        return [(f"num_{name}", np.int64), (name, np.int64, _MOST_PLACES[name])]
    return [(name, np.int64, NUM_GENES) if name in PER_GENE else (name, np.int64)]


#: A ruleset as the engine reads it; a batch of games has one record for each of its rulesets. Switches are 0 or 1.
RULES = np.dtype([("players", np.int64), *(part for name in NUMBERS | SWITCHES for part in _columns(name))], align=True)


def _printed(players: int, edition: str) -> dict[str, Any]:
    """All fields of an edition for this many players (rules.md sections 4, 5 and 10)."""
    return {
        name: declared["printed"](players, edition) if callable(declared["printed"]) else declared["printed"]
        for name, declared in {**NUMBERS, **SWITCHES}.items()
    }


def _known_fields() -> str:
    return "known are " + ", ".join(_FIELDS[2:])


def _sequence(name: str, value: Any, shortest: int, longest: int, what: str) -> Sequence[Any]:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, (list, tuple)) or not shortest <= len(value) <= longest:
        raise ValueError(f"{name} is {quoted(value)}; it must be a list of {shortest} to {longest} {what}")
    return value


def _checked(name: str, value: Any, values: Mapping[str, Any]) -> Any:
    """A field's value in the form that it is kept in; ``values`` are those that a mapping by gene changes."""
    if name in SWITCHES:
        if not isinstance(value, (bool, np.bool_)):
            raise ValueError(f"{name} is {quoted(value)}; it must be true or false")
        return bool(value)
    if name not in NUMBERS:
        close = difflib.get_close_matches(name, _FIELDS, 1)
        hint = f"did you mean {close[0]}?" if close else _known_fields()
        raise ValueError(f"a ruleset has no field {quoted(name)}; {hint}")
    low, high = NUMBERS[name]["low"], NUMBERS[name]["high"]
    if name in PER_GENE:
        return _by_gene(name, value, values[name], low, high)
    if name in _MOST_PLACES:
        places = _sequence(name, value, 1, _MOST_PLACES[name], "numbers")
        return tuple(checked_integer(f"{name}[{i}]", number, low, high) for i, number in enumerate(places))
    if name == "environment":
        cards = _sequence(name, value, 2, MAX_CARDS, "cards [direction, ozone]")
        return tuple(_card(f"environment[{i}]", card) for i, card in enumerate(cards))
    return checked_integer(name, value, low, high)


def _by_gene(name: str, value: Any, current: tuple[int, ...], low: int, high: int) -> tuple[int, ...]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} is {quoted(value)}; it must be a mapping of gene to number, like {{'speed': 5}}")
    numbers = list(current)
    for gene, number in value.items():
        if not isinstance(gene, str) or gene not in GENE_NAMES:
            close = difflib.get_close_matches(str(gene).lower(), GENE_NAMES, 1)
            hint = f"did you mean {close[0]}?" if close else f"genes are {', '.join(GENE_NAMES)}"
            raise ValueError(f"{name} names the gene {quoted(gene)}; {hint}")
        numbers[GENE_NAMES.index(gene)] = checked_integer(f"{name} of {gene}", number, low, high)
    return tuple(numbers)


def _card(name: str, card: Any) -> tuple[str, int]:
    is_pair = isinstance(card, (list, tuple)) and len(card) == 2 and isinstance(card[0], str)
    if not is_pair or card[0] not in CARD_DIRECTIONS:
        right = f"it must be [direction, ozone] with a direction of {', '.join(CARD_DIRECTIONS)}"
        raise ValueError(f"{name} is {quoted(card)}; {right}")
    return card[0], checked_integer(f"ozone of {name}", card[1], 0, 99)
