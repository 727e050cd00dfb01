"""Settings: what is wrong with them is one line that names the setting, its value and what would be right."""

from typing import Annotated, Literal

import pytest
from pydantic import Field, field_validator, model_validator

from ursuppe_agents.settings import Settings


class Game(Settings):
    name: Annotated[str, Field(min_length=1)]
    players: Annotated[int, Field(ge=3, le=6)] = 4


class Example(Settings):
    games: tuple[Game, ...] = ()
    bounds: Annotated[dict[str, float], Field(min_length=1, examples=["{low = 2}"])] = {"low": 0.0}
    kind: Literal["rulesets"] = "rulesets"
    paired: bool = True
    limit: Annotated[float, Field(gt=0)] | None = None

    @field_validator("games")
    @classmethod
    def _check_games(cls, games: tuple[Game, ...]) -> tuple[Game, ...]:
        if len(games) > 2:
            raise ValueError("too many")
        return games

    @model_validator(mode="after")
    def _check_together(self) -> "Example":
        if not self.paired and self.limit is None:
            raise ValueError("paired is False; it needs a limit")
        return self


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"nme": 1}, "there is no setting 'nme'; there are games, bounds, kind, paired, limit"),
        ({"kind": "genes"}, "kind is 'genes'; it must be 'rulesets'"),
        ({"paired": 1}, "paired is 1; it must be true or false"),
        ({"limit": 0}, "limit is 0; it must be a number greater than 0 or nothing"),
        ({"bounds": {}}, "bounds is {}; it must be a table of numbers, not empty, such as {low = 2}"),
        ({"bounds": {"low": "1"}}, "bounds.low is '1'; it must be a number"),
        ({"bounds": {1: 1.0}}, "bounds[1].[key] is 1; it must be a text"),
        ({"games": (3,)}, "games[0] is 3; it must be a table"),
        ({"games": ({},)}, "games[0]: name is missing"),
        ({"games": ({"name": ""},)}, "games[0]: name is ''; it must be a text, not empty"),
        ({"games": ({"name": "a", "players": 7},)}, "games[0]: players is 7; it must be an integer from 3 to 6"),
        ({"games": ({"name": "a", "seats": 7},)}, "games[0]: there is no setting 'seats'; there are name, players"),
        ({"games": []}, "games is []; it must be a list of tables"),
        ({"games": tuple(Game(name=str(number)) for number in range(3))}, "games: too many"),
        ({"paired": False}, "paired is False; it needs a limit"),
    ],
)
def test_what_is_wrong_is_one_line(settings, message):
    with pytest.raises(ValueError) as raised:  # noqa: PT011  # the whole message is compared
        Example(**settings)
    assert str(raised.value) == message


def test_changed_settings_are_checked_and_the_others_stay():
    game = Game(name="a").changed({"players": 5})
    assert (game.name, game.players) == ("a", 5)
    with pytest.raises(ValueError, match=r"^players is 9; "):
        game.changed({"players": 9})
