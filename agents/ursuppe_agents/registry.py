"""Agents by specs, such as the command line takes: ``greedy``, ``search:ms=20``, ``my_bots:MyBot:depth=3``.

A spec is a registered name or ``module:Class``, then, after a colon, parameters as ``name=value`` with commas between
them. The first parameter may be given without its name. A value in quotation marks, written as in JSON, may have any
characters: ``policy:"lr=1,e=2/best.zip"``; ``agent_spec`` writes one so where it must. Names are registered as entry
points of the group ``ursuppe.agents``, so that a package brings its agents along by being installed.

``module:Class`` imports a module, ``process:COMMAND`` starts a program, and what ``sb3:FILE`` loads may run one: they
can do anything. So a person may give such a spec, or a program; what reads specs from a file, or gets them from
elsewhere, asks ``foreign_code`` first, or ``check_foreign_code``.
"""

import inspect
import json
import re
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import cache, partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from shlex import quote
from typing import Any, get_args, get_type_hints

import numpy as np

from ursuppe_agents.agent import Agent
from ursuppe_agents.asking import CRASHES
from ursuppe_env import Games
from ursuppe_env.extras import MissingExtraError
from ursuppe_env.rules.ruleset import MAX_PLAYERS, MIN_PLAYERS
from ursuppe_env.validation import checked_count

GROUP = "ursuppe.agents"
PROCESS = "process"  # runs what its spec says
SB3 = "sb3"  # loads a file of pickled objects
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_EXAMPLES = {int: "an integer", float: "a number", bool: "true or false"}
_QUOTED = r'(?:^|(?<=[:=]))"(?:[^"\\]|\\.)*"'  # a value, or what could be one
_DOTTED = re.compile(r"\w+(\.\w+)*")


def make_agent(spec: str, seed: int | np.random.Generator) -> Agent:
    """The agent that a spec describes.

    Args:
        spec: a registered name or ``module:Class``, with or without parameters; a module is also found in the
            current folder.
        seed: of its random choices, an integer of at least 0; or the generator to take them from.

    Raises:
        ValueError: there is no such agent or parameter, or a value does not fit; the message says what exists.
    """
    if not isinstance(spec, str):
        raise ValueError(f"spec is {spec!r}; it must be a text such as 'greedy' or 'search:ms=20'")
    if not isinstance(seed, np.random.Generator):
        seed = checked_count("seed", seed, 0, ", or a generator")
    _, agent_class, parameters = _resolved(spec)
    try:
        return agent_class(np.random.default_rng(seed), **parameters)
    except CRASHES as error:
        if isinstance(error, MissingExtraError) or (isinstance(error, ValueError | OSError) and not _module_of(spec)):
            raise  # a message of ours, which says what is wrong
        raise ValueError(f"agent {spec!r} cannot be made: {type(error).__name__}: {error}") from error


def prepare_agent(spec: str) -> None:
    """Let an agent load and compile what its decisions need, with any number of players.

    Raises:
        ValueError: the spec describes no agent.
    """
    agent = make_agent(spec, 0)
    for players in range(MIN_PLAYERS, MAX_PLAYERS + 1):
        with suppress(ValueError):  # a policy is for one number of players
            agent.prepare(Games(1, {"players": players}))


def pieces_to_compile() -> dict[str, Callable[[], None]]:
    """What prepares one of each kind of agents that have compiled code, by spec."""
    return {spec: partial(prepare_agent, spec) for spec in ("policy:default", "greedy", "hunter", "search")}


def parameters_of(spec: str) -> tuple[str, dict[str, Any]]:
    """The name of the agent in a spec, and the parameters that it gives, by name; ``agent_spec`` puts them together.

    Raises:
        ValueError: there is no such agent or parameter, or a value does not fit.
    """
    name, _, parameters = _resolved(spec)
    return name, parameters


def agent_names() -> tuple[str, ...]:
    """The registered names, in alphabetical order."""
    return tuple(sorted(registered(GROUP)))


def agent_spec(name: str, /, **parameters: str | float | bool) -> str:
    """The spec of an agent with these parameters, whatever characters the values have.

    Args:
        name: registered, or ``module:Class``.
        parameters: by name.
    """
    texts = (f"{parameter}={_text_of(value)}" for parameter, value in parameters.items())
    return f"{name}:{','.join(texts)}" if parameters else name


def split_specs(text: str) -> list[str]:
    """The specs in a list with commas; one between two parameters, or in quotation marks, does not separate."""
    return _split(text, r",(?!\w+=)")


def foreign_code(spec: str) -> str | None:
    """What ``make_agent`` would run because a spec names it: a module, a program, or what is in a file of ``sb3:FILE``.

    Returns:
        ``my_bots``, ``process:python bot.py`` or ``sb3``; None for registered agents that run nothing else.

    Raises:
        ValueError: it is a process without a command, or with wrong parameters.
    """
    if spec.partition(":")[0] == PROCESS:
        return allowed_command(parameters_of(spec)[1]["command"])
    return SB3 if spec.partition(":")[0] == SB3 else _module_of(spec)


def allowed_command(command: str) -> str:
    """The program that a command starts, as ``foreign_code`` tells it from a module."""
    return f"{PROCESS}:{command}"


def option_to_allow(code: str) -> str:
    """The option by which a person trusts such code: ``--allow-module my_bots``."""
    kind, is_command, command = code.partition(":")
    return f"--allow-command {quote(command)}" if is_command else f"--allow-module {kind}"


def check_foreign_code(what: str, code: str | None, allowed: Collection[str]) -> None:
    """Refuse to import a module or to start a program because a file names it, unless the user has allowed it.

    ``what`` names it, for the message; code, None if there is none, and all that is allowed are as ``foreign_code``
    tells them.

    Raises:
        ValueError: it is not allowed.
    """
    if code is None or code in allowed:
        return
    kind, is_command, command = code.partition(":")
    if is_command:
        does = f"starts the program {command!r}, which a file alone cannot have started"
    elif kind == SB3:
        does = "loads a file that may run a program, which a file alone cannot have loaded"
    else:
        does = f"is from the module {kind}, which a file alone cannot have imported"
    raise ValueError(f"{what} {does}; if you trust it, say so with {option_to_allow(code)}")


def _module_of(spec: str) -> str | None:
    """The module that ``make_agent`` would import because a spec names it; None for registered agents."""
    name, _, rest = spec.partition(":")
    class_name = rest.partition(":")[0]
    is_one = name not in agent_names() and _DOTTED.fullmatch(name) and _DOTTED.fullmatch(class_name)
    return name if is_one else None


def _resolved(spec: str) -> tuple[str, type[Agent], dict[str, Any]]:
    """The name of the agent in a spec, its class, and its parameters."""
    if not spec.isprintable():
        raise ValueError(
            f"{spec!r} has characters that cannot be printed; in the spec of an agent they are written as in JSON, "
            r'in quotation marks: policy:"two\nlines.zip"'
        )
    name, _, rest = spec.partition(":")
    if name not in agent_names():
        if _module_of(spec) is None:
            known = ", ".join(agent_names())
            raise ValueError(f"there is no agent {spec!r}; known are {known}, and module:Class for one of your own")
        class_name, _, rest = rest.partition(":")
        name = f"{name}:{class_name}"
    agent_class = load_entry("agent", name, GROUP)
    if not (isinstance(agent_class, type) and issubclass(agent_class, Agent)) or inspect.isabstract(agent_class):
        raise ValueError(f"{name!r} is no agent; it must be a class derived from ursuppe_agents.Agent with act()")
    return name, agent_class, _parameters(name, agent_class, rest)


@cache  # to look through all that is installed takes milliseconds
def registered(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name."""
    return {entry.name: entry for entry in entry_points(group=group)}


def load_entry(what: str, name: str, group: str) -> Any:
    """What is registered under a name in a group of entry points, or ``module:name``, which is loaded directly.

    The module is also found in the current folder. ``what`` it is, messages say.

    Raises:
        ValueError: it cannot be loaded.
    """
    is_registered = name in registered(group)
    entry = registered(group)[name] if is_registered else EntryPoint(name, name, group)
    try:
        # What is installed finds nothing in the current folder, where a file may have the name of a missing library.
        with nullcontext() if is_registered else _current_folder_importable():
            import_module(entry.module)
        return entry.load()
    except (MissingExtraError, AttributeError) as error:
        raise ValueError(f"{what} {name!r} cannot be loaded: {error}") from error
    except ModuleNotFoundError as error:
        missing = "there is no module" if entry.module in (error.name, f"{error.name}.py") else "it needs the module"
        where = "installed" if is_registered else "installed or here"
        if entry.module.endswith(".py"):
            where += f"; did you mean {entry.module.removesuffix('.py')}:{entry.attr}?"
        raise ValueError(f"{what} {name!r} cannot be loaded: {missing} {error.name}, {where}") from error
    except CRASHES as error:  # whatever a module raises while it is imported
        raise ValueError(f"{what} {name!r} cannot be loaded: {type(error).__name__}: {error}") from error


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
    for position, part in enumerate(_split(text, ",") if text else ()):
        named = re.match(r"(\w+)=", part)
        parameter, value = (named[1], part[named.end() :]) if named else (part, "")
        if not named and position == 0 and names:
            parameter, value = names[0], part
        if parameter not in names:
            has = f"it has {', '.join(names)}" if names else "it has none"
            if parameter in [*inspect.signature(agent_class).parameters][1:]:
                has = "in its __init__ it must stand after *"
            raise ValueError(f"agent {name!r} has no parameter {parameter!r}; {has}")
        if parameter in values:
            raise ValueError(f"agent {name!r}: {parameter} is given twice")
        values[parameter] = _value(f"{parameter} of agent {name!r}", value, types.get(parameter))
    for wanted in known:
        if wanted.default is wanted.empty and wanted.name not in values:
            raise ValueError(f"agent {name!r} needs a value for {wanted.name}, as in {name}:{wanted.name}=...")
    return values


def _value(what: str, text: str, type_: Any) -> Any:
    """The text as a value of this type, or of the first one of a union such as ``int | None``."""
    type_ = next(iter(get_args(type_)), type_)
    if text.startswith('"'):
        try:
            text = json.loads(text)
        except ValueError:
            raise ValueError(f"{what} is {text}; what begins with a quotation mark must be a text as in JSON") from None
    try:
        return _TRUTH[text.lower()] if type_ is bool else type_(text)
    except TypeError:
        raise ValueError(f"{what} cannot be in a spec; annotate it with int, float, str or bool") from None
    except (KeyError, ValueError):
        raise ValueError(f"{what} is {text!r}; it must be {_EXAMPLES.get(type_, type_.__name__)}") from None


def _split(text: str, comma: str) -> list[str]:
    """The text between the commas, a regular expression, that are not in a quoted value."""
    pieces, start = [], 0
    for found in re.finditer(rf"{_QUOTED}|({comma})", text):
        if found[1] is not None:
            pieces.append(text[start : found.start()])
            start = found.end()
    return [*pieces, text[start:]]


def _text_of(value: str | float | bool) -> str:
    """A value as specs have it, in quotation marks if it needs them."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if text.isprintable() and "," not in text and '"' not in text:
        return text
    return json.dumps(text, ensure_ascii=not text.isprintable())
