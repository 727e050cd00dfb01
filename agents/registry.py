"""Agents by short codes, such as the command line takes: ``greedy``, ``search:ms=20``, ``my_bots:MyBot:depth=3``.

A code is a registered name or ``module:Class``, then, after a colon, parameters as ``name=value`` with commas between
them. The first parameter may be given without its name. Names are registered as entry points of the group
``ursuppe.agents``, so that a package brings its agents along by being installed.
"""

import inspect
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np

from ursuppe_agents.agent import Agent
from ursuppe_env.extras import MissingExtraError

GROUP = "ursuppe.agents"
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_EXAMPLES = {int: "an integer", float: "a number", bool: "true or false"}


def make_agent(code: str, seed: int | np.random.Generator) -> Agent:
    """The agent that a code describes.

    Args:
        code: a registered name or ``module:Class``, with or without parameters; a module is also found in the
            current folder.
        seed: of its random choices, an integer of at least 0; or the generator to take them from.

    Raises:
        ValueError: there is no such agent or parameter, or a value does not fit; the message says what exists.
    """
    if not isinstance(seed, np.random.Generator) and (isinstance(seed, bool) or seed < 0):
        raise ValueError(f"seed is {seed!r}; it must be an integer of at least 0")
    name, agent_class, text = _resolved(code)
    return agent_class(np.random.default_rng(seed), **_parameters(name, agent_class, text))


def agent_names() -> tuple[str, ...]:
    """The registered names, in alphabetical order."""
    return tuple(sorted(registered(GROUP)))


def split_codes(text: str) -> list[str]:
    """The codes in a list with commas; a comma between two parameters of one code does not separate."""
    return re.split(r",(?!\w+=)", text)


def _resolved(code: str) -> tuple[str, type[Agent], str]:
    """The name of the agent in a code, its class, and the text of its parameters."""
    name, _, rest = code.partition(":")
    if name in agent_names():
        return name, _loaded(name), rest
    class_name, _, parameters = rest.partition(":")
    if not name or not class_name:
        raise ValueError(
            f"there is no agent {code!r}; known are {', '.join(agent_names())}, and module:Class for one of your own"
        )
    name = f"{name}:{class_name}"
    return name, _loaded(name), parameters


@cache  # to look through all that is installed takes milliseconds
def registered(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name."""
    return {entry.name: entry for entry in entry_points(group=group)}


def load_entry(what: str, name: str, group: str) -> Any:
    """What is registered under a name in a group of entry points, or ``module:name``, which is loaded directly.

    Args:
        what: it is, for messages.
        name: registered, or ``module:name``; the module is also found in the current folder.
        group: of entry points.

    Raises:
        ValueError: it cannot be loaded.
    """
    entry = registered(group).get(name, EntryPoint(name, name, group))
    try:
        with _current_folder_importable():
            import_module(entry.module)
        return entry.load()
    except MissingExtraError as error:
        raise ValueError(f"{what} {name!r} cannot be loaded: {error}") from error
    except ModuleNotFoundError as error:
        missing = "there is no module" if error.name == entry.module else "it needs the module"
        raise ValueError(f"{what} {name!r} cannot be loaded: {missing} {error.name}, installed or here") from error
    except AttributeError as error:
        raise ValueError(f"{what} {name!r} cannot be loaded: {error}") from error
    except Exception as error:  # whatever somebody's module raises while it is imported
        raise ValueError(f"{what} {name!r} cannot be loaded: {type(error).__name__}: {error}") from error


def _loaded(name: str) -> type[Agent]:
    agent_class = load_entry("agent", name, GROUP)
    if not (isinstance(agent_class, type) and issubclass(agent_class, Agent)) or inspect.isabstract(agent_class):
        raise ValueError(f"{name!r} is no agent; it must be a class derived from ursuppe_agents.Agent with act()")
    return agent_class


@contextmanager
def _current_folder_importable() -> Iterator[None]:
    """``ursuppe`` as a command does not look into the current folder, as ``python -m`` would."""
    folder = str(Path.cwd())
    sys.path.append(folder)
    try:
        yield
    finally:
        sys.path.remove(folder)


def _parameters(name: str, agent_class: type[Agent], text: str) -> dict[str, Any]:
    """The keyword arguments in ``name=value,name=value``."""
    known = [
        parameter
        for parameter in inspect.signature(agent_class).parameters.values()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    ]
    names = [parameter.name for parameter in known]
    types = get_type_hints(agent_class.__init__)
    values: dict[str, Any] = {}
    for position, part in enumerate(text.split(",") if text else ()):
        parameter, equals, value = part.partition("=")
        if not equals and position == 0 and names:
            parameter, value = names[0], part
        if parameter not in names:
            has = f"has {', '.join(names)}" if names else "has none"
            raise ValueError(f"agent {name!r} has no parameter {parameter!r}; it {has}")
        if parameter in values:
            raise ValueError(f"agent {name!r}: {parameter} is given twice")
        values[parameter] = _value(f"{parameter} of agent {name!r}", value, types[parameter])
    for wanted in known:
        if wanted.default is wanted.empty and wanted.name not in values:
            raise ValueError(f"agent {name!r} needs a value for {wanted.name}, as in {name}:{wanted.name}=...")
    return values


def _value(what: str, text: str, type_: Any) -> Any:
    """The text as a value of this type, or of the first one of a union such as ``int | None``."""
    type_ = next(iter(get_args(type_)), type_)
    try:
        return _TRUTH[text.lower()] if type_ is bool else type_(text)
    except (KeyError, ValueError):
        raise ValueError(f"{what} is {text!r}; it must be {_EXAMPLES.get(type_, type_.__name__)}") from None
