"""Settings from files, from the command line and in Python: declared once, checked, and refused in one line."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

_NOUNS = {"integer": "integer", "number": "number", "string": "text", "array": "list", "object": "table"}


class Settings(BaseModel):
    """Settings that cannot be changed; numbers and texts are what they are declared to be, not what can become one.

    Raises:
        ValueError: a setting is unknown, missing or out of its range; one line that names it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    if not TYPE_CHECKING:  # for mypy, the constructor takes the fields

        def __init__(self, /, **settings: Any) -> None:
            try:
                super().__init__(**settings)
            except ValidationError as error:
                raise ValueError(first_error(error, type(self))) from None

    def changed(self, settings: Mapping[str, Any]) -> Self:
        """These settings with some others; unlike those of ``model_copy`` they are checked."""
        return type(self)(**{**dict(self), **settings})


def first_error(error: ValidationError, model: type[BaseModel], noun: str = "setting") -> str:
    """The first thing that is wrong with the settings of a model, in one line.

    Such as ``steps is -1; it must be an integer of at least 1``: what is right is read from the model's declaration. A
    validator raises ``ValueError`` with the rest of the line: that of a field without its name, that of the whole model
    all of it. ``noun`` says what a field is called.
    """
    first = error.errors(include_url=False)[0]
    *outer, last = path = first["loc"] or ("",)
    name = _text_of(path)
    match first["type"]:
        case "value_error":
            reason = str(first["ctx"]["error"])
            name = _text_of(path[:-2] if last == "[key]" else path)
            return f"{name}: {reason}" if name else reason
        case "missing":
            return f"{name} is missing"
        case "extra_forbidden":
            known = _schema_at(outer, model)["properties"]
            close = get_close_matches(str(last), known, 1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(known)}"
            return f"{_text_of(outer)}{': ' if outer else ''}there is no {noun} {last!r}; {hint}"
    schema = _schema_at(path, model)
    if not schema and "anyOf" in (union := _schema_at(path[:-1], model)):  # the path ends in one of its types
        name, schema = _text_of(path[:-1]), union
    right = _what_is_right(schema) if schema else first["msg"].removeprefix("Input should be ")
    return f"{name} is {first['input']!r}; it must be {right}"


def _text_of(path: Sequence[int | str]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _schema_at(path: Sequence[int | str], model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a field, or of what is in it."""
    whole = schema = model.model_json_schema()
    for step in path:
        if step == "[key]":
            schema = {"type": "string"}
        elif isinstance(step, int):
            schema = schema.get("items", {})
        else:
            schema = schema.get("properties", {}).get(step) or schema.get("additionalProperties") or {}
        if "$ref" in schema:
            schema = whole["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema


def _what_is_right(schema: Mapping[str, Any], plural: bool = False) -> str:
    """A JSON schema in words."""
    match schema:
        case {"enum": values}:
            return f"one of {', '.join(map(repr, values))}"
        case {"const": value}:
            return repr(value)
        case {"anyOf": schemas}:
            return " or ".join(_what_is_right(one, plural) for one in schemas)
        case {"type": "boolean"}:
            return "true or false"
        case {"type": "null"}:
            return "nothing"
    noun = _NOUNS[schema.get("type", "object")]  # a reference is to another model
    text = f"{noun}s" if plural else f"{'an' if noun == 'integer' else 'a'} {noun}"
    inner = schema.get("items") or schema.get("additionalProperties")
    if isinstance(inner, Mapping) and inner:  # else anything may be in it
        text += f" of {_what_is_right(inner, plural=True)}"
    match schema:
        case {"minimum": least, "maximum": most}:
            text += f" from {least} to {most}"
        case {"exclusiveMinimum": low, "exclusiveMaximum": high}:
            text += f" between {low} and {high}"
        case {"minimum": least}:
            text += f" of at least {least}"
        case {"exclusiveMinimum": low}:
            text += f" greater than {low}"
        case {"minItems": 1} | {"minLength": 1} | {"minProperties": 1}:
            text += ", not empty"
    return text + "".join(f", such as {example}" for example in schema.get("examples", ()))
