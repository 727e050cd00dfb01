"""What a page may ask for: a new game, another player in a seat; and how it is told that it does not get it."""

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from ursuppe_agents.settings import Settings
from ursuppe_env.rules.ruleset import MAX_PLAYERS, MIN_PLAYERS
from ursuppe_env.teams import Teams
from ursuppe_play.names import spec_title
from ursuppe_play.session import OPPONENT, PERSON, own_seats
from ursuppe_play.web.offers import checked_spec

LONGEST_NAME = 40  # characters of a person's name


class Refusal(Exception):
    """A request that is not carried out.

    Args:
        status: of HTTP: 400 wrong input, 403 no right to it, 404 not there, 409 the game has gone on, 413 too large,
            429 too many.
        sentence: what is wrong, and what would be right.
    """

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class SeatForm(Settings):
    """Who plays a seat."""

    who: Literal["person", "agent", "recorded"] = "agent"  # recorded: nobody but the events of a record
    # Of a person, as people call it; of a recorded player, as the record calls it.
    name: str = Field(default="", max_length=LONGEST_NAME)
    link: bool = False  # has the person a link of the own, so that nobody else decides in this seat?
    agent: str = OPPONENT  # its registered name
    parameters: dict[str, bool | int | float | str] = Field(default={}, max_length=10)  # of the agent, by name

    @field_validator("name")
    @classmethod
    def _printable(cls, name: str) -> str:
        return "".join(char if char.isprintable() else " " for char in name).strip()

    @model_validator(mode="after")
    def _that_there_is_such_an_agent(self) -> "SeatForm":
        if self.who == "agent":
            checked_spec(self.agent, self.parameters)
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
        """One form a player.

        Raises:
            ValueError: there are more, somebody who is only in records, or a team has several.
        """
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
