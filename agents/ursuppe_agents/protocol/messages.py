"""The messages of the line protocol, version 1: one JSON object a line, told apart by their ``type``.

The host sends ``Hello``, ``Game``, ``Decide``, ``Over`` and ``Bye``; the bot answers ``Hello`` by ``Ready`` and
``Decide`` by ``Action``, and may say instead why it cannot: ``Error``. The JSON Schemas in ``version_1/`` are written
from these declarations by ``python -m ursuppe_agents.protocol.messages``.
"""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ursuppe_agents.settings import first_error
from ursuppe_env.files import write_atomically
from ursuppe_env.parsing import parse_json

VERSION = 1
#: Where the JSON Schemas are.
FOLDER = Path(__file__).with_name(f"version_{VERSION}")
#: Bytes in a line that a host sends: of some thousand positions. A bot's lines have limits of their own (``pipe.py``).
LONGEST_FROM_HOST = 1 << 26

Seen = Literal["position", "observation", "text"]
SEEN: tuple[Seen, ...] = ("position", "observation", "text")

_Count = Annotated[int, Field(ge=0)]
_GameId = Annotated[
    int, Field(ge=0, description="Of this game; each seat that the bot has in it is a game of its own.")
]
_Milliseconds = Annotated[float | None, Field(strict=False)]


class Message(BaseModel):
    """A message; keys that are not declared are from a later version, and ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    def line(self) -> bytes:
        """The message as it is sent."""
        return self.model_dump_json().encode() + b"\n"


class FromBot(Message):
    """A message of a bot: what is not declared is a mistake, of which it should hear."""

    model_config = ConfigDict(extra="forbid")


class Hello(Message):
    """The first line. The bot answers by ``ready``, or by ``error`` if it does not know this version."""

    type: Literal["hello"] = "hello"
    protocol: Annotated[int, Field(ge=1, description="The version of the protocol.")] = VERSION
    host: Annotated[str, Field(description="The name of the program.")]
    version: Annotated[str, Field(description="Of the program.")]
    sees: Annotated[list[str], Field(description="What it can show of a game, for the bot to choose from.")]


class Ready(FromBot):
    """The bot's answer to ``hello``."""

    type: Literal["ready"] = "ready"
    name: Annotated[str, Field(min_length=1, max_length=200, description="The name of the bot.")]
    version: Annotated[str, Field(max_length=200, description="Of the bot.")] = ""
    sees: Annotated[
        list[Seen],
        Field(max_length=len(SEEN), description="What each decision is to show, beside the legal actions."),
    ] = ["position"]


class Teams(Message):
    """Who plays together (docs/teams.md)."""

    seats: Annotated[list[list[_Count]], Field(description="The seats of each team.")]
    score: Annotated[str, Field(description='Which of their markers counts: "worst", "best" or "sum".')]


class Game(Message):
    """A game begins, for one seat. It needs no answer."""

    type: Literal["game"] = "game"
    game: _GameId
    seat: Annotated[int, Field(ge=0, description="Of the bot, from 0.")]
    players: Annotated[int, Field(ge=3, le=6)]
    edition: Annotated[str, Field(description='"1998" or "1997".')]
    ruleset: Annotated[dict[str, Any], Field(description="All numbers and switches (docs/rulesets.md).")]
    teams: Annotated[Teams | None, Field(description="null: each seat for itself.")] = None
    seed: Annotated[int, Field(ge=0, lt=1 << 53, description="For the bot's own random choices in this game.")]
    ms: Annotated[_Milliseconds, Field(description="Milliseconds for a decision; null: without a limit.")] = None
    observation_layout: Annotated[
        dict[str, Annotated[tuple[int, int], Field(strict=False)]] | None,
        Field(description="Where the parts of an observation begin and end, if the bot sees any."),
    ] = None


class Decision(Message):
    """One of the decisions that are asked for."""

    game: _GameId
    decision: Annotated[str, Field(description="What is to be decided: a name of section 8 of docs/rules.md.")]
    legal: Annotated[list[str], Field(min_length=2, description="The legal actions as texts.")]
    ids: Annotated[list[_Count], Field(min_length=2, description="Their ids, in the same order.")]
    position: Annotated[
        dict[str, Any] | None, Field(description="As in docs/positions.md, without the random streams.")
    ] = None
    observation: Annotated[
        list[Annotated[int, Field(ge=0, le=255)]] | None,
        Field(description="What the player sees as numbers (docs/observation.md, uint8)."),
    ] = None
    text: Annotated[str | None, Field(description="The position and what the actions mean, in English.")] = None


class Decide(Message):
    """Decisions in different games, to be answered by one ``action``."""

    type: Literal["decide"] = "decide"
    request: Annotated[int, Field(ge=1, description="Counts the requests; the answer repeats it.")]
    ms: Annotated[
        _Milliseconds,
        Field(description="Milliseconds for all of them, the first time a minute more; null: without a limit."),
    ] = None
    decisions: Annotated[list[Decision], Field(min_length=1)]


class Choice(FromBot):
    """The action in one of the games."""

    game: _GameId
    action: Annotated[int | str, Field(description="One of the legal actions: its id or its text.")]
    comment: Annotated[str | None, Field(description="For people; it is written into the log.")] = None


class Action(FromBot):
    """The bot's answer to ``decide``: an action for each of its games, in any order."""

    type: Literal["action"] = "action"
    request: Annotated[int, Field(ge=1, description="That of the ``decide``.")]
    actions: Annotated[list[Choice], Field(min_length=1)]


class Result(Message):
    """How a game ended."""

    markers: Annotated[list[int], Field(description="By seat: the place on the track.")]
    ranks: Annotated[list[int], Field(description="By seat: 1 for the winner; with teams the rank of the seat's team.")]
    rounds: Annotated[int, Field(description="That were played.")]


class Over(Message):
    """A game will not be asked about again. It needs no answer."""

    type: Literal["over"] = "over"
    game: _GameId
    result: Annotated[Result | None, Field(description="null: the host has not followed the game to its end.")] = None


class Bye(Message):
    """The last line: the bot is to end. Its input ends, too."""

    type: Literal["bye"] = "bye"


class Error(FromBot):
    """The bot cannot answer, and says why."""

    type: Literal["error"] = "error"
    message: Annotated[str, Field(min_length=1)]


FROM_HOST: dict[str, type[Message]] = {"hello": Hello, "game": Game, "decide": Decide, "over": Over, "bye": Bye}
FROM_BOT: dict[str, type[Message]] = {"ready": Ready, "action": Action, "error": Error}


def read_message(line: bytes, types: dict[str, type[Message]]) -> Message:
    """The message in a line; ``types`` has those that it can be, by type.

    Raises:
        ValueError: it is none of them; the message says what is wrong with it.
    """
    content = parse_json(line)
    if not isinstance(content, dict):
        raise ValueError("it is no JSON object")
    type_ = content.get("type")
    if not isinstance(type_, str) or type_ not in types:
        raise ValueError(f"its type is {type_!r}; it must be {' or '.join(map(repr, types))}")
    try:
        return types[type_].model_validate(content)
    except ValidationError as error:
        raise ValueError(f"{type_}: {first_error(error, types[type_], 'key')}") from None


def schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schema of each message, by type, for programs in other languages."""
    found = {}
    for type_, model in {**FROM_HOST, **FROM_BOT}.items():
        schema = model.model_json_schema()
        # The type has a default in Python, but no line may leave it out.
        required = ["type", *schema.get("required", ())]
        found[type_] = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "required": required}
    return found


if __name__ == "__main__":
    for name, written in schemas().items():
        write_atomically(FOLDER / f"{name}.json", (json.dumps(written, indent=2, ensure_ascii=False) + "\n").encode())
