"""What a page can choose from and may ask for: agents within limits, rulesets, a new game, another player in a seat.

A page is not a person at a terminal: what it sends may come from anywhere. So an agent is a registered name, a policy
is one of those that come with the package, and numbers have limits.
"""

import inspect
from collections.abc import Mapping
from itertools import product
from typing import Annotated, Any, Literal, get_args, get_type_hints

from pydantic import Field, create_model, field_validator, model_validator

from ursuppe_agents.agent import Agent
from ursuppe_agents.registry import GROUP, PROCESS, SB3, agent_names, agent_spec, load_entry
from ursuppe_agents.settings import Settings
from ursuppe_env import Ruleset
from ursuppe_env.render.svg.tables import gene_title
from ursuppe_env.render.svg.theme import PLAYERS
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.ruleset import EDITIONS, MAX_PLAYERS, MIN_PLAYERS, NUMBERS, PER_GENE, PRESETS, SWITCHES
from ursuppe_env.teams import Teams
from ursuppe_play.names import spec_title
from ursuppe_play.session import OPPONENT, PERSON, own_seats

LONGEST_NAME, LONGEST_SPEC = 40, 200  # characters of a person's name, and of what a record calls a player
#: The policies that come with the package, by name: in place of the files that a person at the terminal may give.
POLICIES = ("default", "duel")
_OF_POLICIES = ("model", "policy")  # parameters that name one
#: The smallest and the largest value of parameters that cost time or memory. A search takes a little longer than its
#: budget, and must be done in the time that agents have.
_LIMITS = {"ms": (1, 8000), "sims": (1, 5000), "temperature": (0.01, 100)}
_OTHER_LIMIT = 1_000_000  # of numbers whose meaning is not known here


class Refusal(Exception):
    """A request that is not carried out: with a status of HTTP, and a sentence that says what would be right.

    400 wrong input, 403 no right to it, 404 not there, 409 the game has gone on, 413 too large, 429 too many.
    """

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def offered_agents() -> list[str]:
    """The names of all registered agents but those whose specs can run anything."""
    return [name for name in agent_names() if name not in (PROCESS, SB3)]


def offered_parameters(name: str) -> dict[str, dict[str, Any]]:
    """The parameters of an agent that a page may give, each with kind, default, and limits or choices, as JSON."""
    return {parameter: offer for parameter, (_, offer) in _offers(name).items()}


def _offers(name: str) -> dict[str, tuple[Any, dict[str, Any]]]:
    """For each parameter of an agent its type, for Pydantic, and what is told of it."""
    if name not in offered_agents():
        raise ValueError(f"there is no agent {name!r} here; there are {', '.join(offered_agents())}")
    agent_class: type[Agent] = load_entry("agent", name, GROUP)
    offers: dict[str, tuple[Any, dict[str, Any]]] = {}
    types = get_type_hints(agent_class.__init__)
    for parameter in inspect.signature(agent_class).parameters.values():
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
            continue
        default = None if parameter.default is parameter.empty else parameter.default
        type_ = next(iter(get_args(types[parameter.name])), types[parameter.name])
        if parameter.name in _OF_POLICIES:
            first = POLICIES[0] if parameter.default is parameter.empty else default
            offer = {"kind": "choice", "default": first, "choices": list(POLICIES)}
            offers[parameter.name] = Literal[*POLICIES], offer
        elif type_ is bool:
            offers[parameter.name] = bool, {"kind": "truth", "default": default}
        elif type_ in (int, float):
            low, high = _LIMITS.get(parameter.name, (-_OTHER_LIMIT, _OTHER_LIMIT))
            offer = {"kind": "integer" if type_ is int else "number", "default": default, "low": low, "high": high}
            offers[parameter.name] = Annotated[type_, Field(ge=low, le=high)], offer
    return offers


def checked_spec(name: str, parameters: Mapping[str, Any]) -> str:
    """The spec of an agent with these parameters; a ``ValueError`` if a page may not name it."""
    offers = _offers(name)
    fields: dict[str, Any] = {key: (type_, offer["default"]) for key, (type_, offer) in offers.items()}
    try:
        create_model("Parameters", __base__=Settings, **fields)(**parameters)
    except ValueError as error:
        raise ValueError(f"agent {name!r}: {error}") from None
    defaults = {key: offer["default"] for key, (_, offer) in offers.items()}
    needed = {key: default for key, default in defaults.items() if key in _OF_POLICIES and default}
    return agent_spec(name, **{**needed, **parameters})


def fields_of_rulesets() -> dict[str, Any]:
    """Every number and switch, with what is printed by edition and number of players; presets, and names for people.

    A number by gene has the kind "genes"; the numbers of places and the environment cards are a "list".
    """
    told = ("meaning", "low", "high")
    all_fields = {**NUMBERS, **SWITCHES}
    printed = {}
    for edition, players in product(EDITIONS, range(MIN_PLAYERS, MAX_PLAYERS + 1)):
        ruleset = Ruleset(players=players, edition=edition)
        printed[f"{edition}-{players}"] = {name: getattr(ruleset, name) for name in all_fields}
    return {
        "fields": [
            {"name": name, "kind": _kind_of_field(name), **{key: field[key] for key in told if key in field}}
            for name, field in all_fields.items()
        ],
        "genes": {name: gene_title(name) for name in GENE_NAMES},
        "colours": [colour.name.capitalize() for colour in PLAYERS],
        "printed": printed,
        "presets": {name: {"edition": preset.edition, "ruleset": preset.changes} for name, preset in PRESETS.items()},
    }


def _kind_of_field(name: str) -> str:
    if name in PER_GENE:
        return "genes"
    if name in SWITCHES:
        return "switch"
    return "list" if name in ("environment", "amoeba_places", "gene_places") else "number"


class SeatForm(Settings):
    """Who plays a seat."""

    who: Literal["person", "agent", "recorded"] = "agent"  # recorded: nobody but the events of a record
    # Of a person, as people call it; of a recorded player, as the record calls it.
    name: str = Field(default="", max_length=LONGEST_SPEC)
    link: bool = False  # has the person a link of the own, so that nobody else decides in this seat?
    agent: str = OPPONENT  # its registered name
    parameters: dict[str, bool | int | float | str] = Field(default={}, max_length=10)  # of the agent, by name

    @field_validator("name")
    @classmethod
    def _printable(cls, name: str) -> str:
        return "".join(char if char.isprintable() else " " for char in name).strip()

    @model_validator(mode="after")
    def _that_there_is_such_a_player(self) -> "SeatForm":
        if self.who == "agent":
            checked_spec(self.agent, self.parameters)
        if self.who == "person" and len(self.name) > LONGEST_NAME:
            raise ValueError(f"name has {len(self.name)} characters; it must have at most {LONGEST_NAME}")
        return self

    @property
    def spec(self) -> str:
        """What a record calls the player."""
        if self.who == "agent":
            return checked_spec(self.agent, self.parameters)
        return PERSON if self.who == "person" else self.name

    @property
    def title(self) -> str:
        """What people call the player."""
        return spec_title(self.spec) if self.who != "person" else self.name or PERSON.capitalize()


class GameForm(Settings):
    """A new game."""

    players: int = Field(default=4, ge=MIN_PLAYERS, le=MAX_PLAYERS)
    edition: Literal["1998", "1997"] = "1998"
    ruleset: dict[str, Any] = {}  # what differs from the edition, as records write it (docs/rulesets.md)
    seed: int | None = Field(default=None, ge=0, lt=2**64)  # of dice, cards and agents; None: any
    # That the game begins from, in place of the set-up; it has the ruleset, and it may have the streams of dice, which
    # take the place of the seed.
    position: dict[str, Any] | None = None
    # The seats of each, whose worst place counts; None: each seat for itself.
    teams: list[list[int]] | None = Field(default=None, max_length=MAX_PLAYERS)
    # One a player; in a team all the same. Those left out are played by the usual opponent, those of the first player
    # by a person.
    seats: list[SeatForm] = Field(default=[], max_length=MAX_PLAYERS)

    def all_seats(self, players: int, teams: Teams | None) -> list[SeatForm]:
        """One form a player; a ``ValueError`` if there are more, one who is only in records, or a team has several."""
        if len(self.seats) > players:
            raise ValueError(f"seats has {len(self.seats)} entries; there are {players} players")
        if any(seat.who == "recorded" for seat in self.seats):
            raise ValueError("seats has who = 'recorded'; in a new game it must be 'person' or 'agent'")
        own = own_seats(0, teams)
        usual = [SeatForm(who="person") if player in own else SeatForm() for player in range(players)]
        seats = [*self.seats, *usual[len(self.seats) :]]
        for team in () if teams is None else teams.seats:
            if any(seats[seat] != seats[team[0]] for seat in team):
                raise ValueError(f"seats has several players for the team of seats {team}; one plays all its seats")
        return seats
