"""What a policy is for and how big it is, as plain checked data."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from ursuppe_agents.settings import Settings
from ursuppe_env import Ruleset
from ursuppe_env.teams import Score, Teams, read_teams, teams_or_none

_Width = Annotated[int, Field(ge=1)]


class PolicyDescription(Settings):
    """What a policy is for, what it sees, and the sizes of its layers.

    Raises:
        ValueError: one of them is out of its range; the message begins with its name.
    """

    players: int = 4
    edition: str = "1998"
    # The seats of each team, such as "0+2,1+3": whoever plays a team plays all its colours. Nothing: each seat for
    # itself.
    teams: str = ""
    score: Score = "worst"  # which place is a team's: of its worst or best marker, or the sum of all
    observe_rules: bool = False  # the policy sees the ruleset, too
    layers: Annotated[tuple[_Width, ...], Field(strict=False)] = (128, 128)  # of the actor; a list will do
    critic_width: _Width = 64  # of the critic's layers, which look at every seat

    @model_validator(mode="after")
    def _check_table(self) -> Self:
        """Refuse a table that there is not, and teams that the critic could not look at alike."""
        Ruleset(players=self.players, edition=self.edition)
        seen = self.sides.own_seats
        if (seen != seen[0]).any():
            raise ValueError(
                f"teams is {self.teams!r}; teams that learn must have as many seats each, which follow each other at "
                "the same distances, such as 0+2,1+3"
            )
        return self

    @property
    def partition(self) -> Teams | None:
        """Who plays together, if there are teams."""
        return partition_of(self.teams, self.score, self.players)

    @property
    def sides(self) -> Teams:
        """Who plays together; where there are no teams, each seat is a team of its own."""
        return self.partition or Teams(tuple((seat,) for seat in range(self.players)))


def partition_of(teams: str, score: str, players: int) -> Teams | None:
    """The teams of such settings.

    Args:
        teams: the seats of each team, such as ``0+2,1+3``; nothing: there are none.
        score: which place is a team's.
        players: P.

    Raises:
        ValueError: they are no partition of the seats of so many players, or there is no such score.
    """
    return teams_or_none(read_teams(teams) if teams else None, score, players)
