"""What is wrong with settings within settings is one line that names it; single ones: tests/training/test_config.py."""

from typing import Annotated, Literal

import pytest
from pydantic import Field

from ursuppe_agents.settings import Settings


class Game(Settings):
    name: Annotated[str, Field(min_length=1)]
    players: Annotated[int, Field(ge=3, le=6)] = 4


class Example(Settings):
    games: tuple[Game, ...] = ()
    bounds: Annotated[dict[str, float], Field(min_length=1, examples=["{low = 2}"])] = {"low": 0.0}
    kind: Literal["rulesets"] = "rulesets"
    action: int | str = 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kind": "genes"}, "kind is 'genes'; it must be 'rulesets'"),
        ({"bounds": {}}, "bounds is {}; it must be a table of numbers, not empty, such as {low = 2}"),
        ({"bounds": {1: 1.0}}, "bounds[1].[key] is 1; it must be a text"),
        ({"games": (3,)}, "games[0] is 3; it must be a table"),
        ({"games": ({},)}, "games[0]: name is missing"),
        ({"games": ({"name": ""},)}, "games[0]: name is ''; it must be a text, not empty"),
        ({"games": ({"name": "a", "players": 7},)}, "games[0]: players is 7; it must be an integer from 3 to 6"),
        ({"games": ({"name": "a", "seats": 7},)}, "games[0]: there is no setting 'seats'; there are name, players"),
        ({"action": 1.5}, "action is 1.5; it must be an integer or a text"),
        ({"games": []}, "games is []; it must be a list of tables"),
    ],
)
def test_what_is_wrong_is_one_line(settings, message):
    with pytest.raises(ValueError) as raised:  # noqa: PT011  # the whole message is compared
        Example(**settings)
    assert str(raised.value) == message
