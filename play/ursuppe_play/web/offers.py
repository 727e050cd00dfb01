"""What a page can choose from: agents of the registry with parameters within limits, and the numbers of rulesets.

A page is not a person at a terminal: what it sends may come from anywhere. So an agent is a registered name, a policy
is one of those that come with the package, and numbers have limits.
"""

import inspect
from collections.abc import Mapping
from itertools import product
from typing import Annotated, Any, Literal, get_args, get_type_hints

from pydantic import Field, create_model

from ursuppe_agents.agent import Agent
from ursuppe_agents.registry import GROUP, PROCESS, SB3, agent_names, agent_spec, load_entry
from ursuppe_agents.settings import Settings
from ursuppe_env import Ruleset
from ursuppe_env.render.svg.tables import gene_title
from ursuppe_env.render.svg.theme import PLAYERS
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.ruleset import EDITIONS, MAX_PLAYERS, MIN_PLAYERS, NUMBERS, PER_GENE, PRESETS, SWITCHES

#: The policies that come with the package, by name: in place of the files that a person at the terminal may give.
POLICIES = ("default", "duel")
_OF_POLICIES = ("model", "policy")  # parameters that name one
#: The smallest and the largest value of parameters that cost time or memory. A search takes a little longer than its
#: budget, and must be done in the time that agents have.
_LIMITS = {"ms": (1, 8000), "sims": (1, 20_000), "temperature": (0.01, 100)}
_OTHER_LIMIT = 1_000_000  # of numbers whose meaning is not known here
_KINDS = {int: "integer", float: "number", bool: "truth"}


def offered_agents() -> list[str]:
    """The names of all registered agents but those whose specs can run anything."""
    return [name for name in agent_names() if name not in (PROCESS, SB3)]


def offered_parameters(name: str) -> dict[str, dict[str, Any]]:
    """The parameters of an agent that a page may give: for each its kind, default, and limits or choices, as JSON.

    Raises:
        ValueError: there is no such agent, or it cannot be loaded.
    """
    if name not in offered_agents():
        raise ValueError(f"there is no agent {name!r} here; there are {', '.join(offered_agents())}")
    agent_class: type[Agent] = load_entry("agent", name, GROUP)
    offered = {}
    types = get_type_hints(agent_class.__init__)
    for parameter in inspect.signature(agent_class).parameters.values():
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
            continue
        default = None if parameter.default is parameter.empty else parameter.default
        type_ = next(iter(get_args(types[parameter.name])), types[parameter.name])
        if parameter.name in _OF_POLICIES:
            first = POLICIES[0] if parameter.default is parameter.empty else default
            offered[parameter.name] = {"kind": "choice", "default": first, "choices": list(POLICIES)}
        elif type_ in _KINDS:
            offered[parameter.name] = {"kind": _KINDS[type_], "default": default}
            if type_ is not bool:
                low, high = _LIMITS.get(parameter.name, (-_OTHER_LIMIT, _OTHER_LIMIT))
                offered[parameter.name] |= {"low": low, "high": high}
    return offered


def checked_spec(name: str, parameters: Mapping[str, Any]) -> str:
    """The spec of an agent with these parameters, if a page may name it.

    Raises:
        ValueError: it is not registered, has no such parameter, or a value is out of its limits.
    """
    offered = offered_parameters(name)
    fields: dict[str, Any] = {parameter: (_type_of(offer), offer["default"]) for parameter, offer in offered.items()}
    try:
        create_model("Parameters", __base__=Settings, **fields)(**parameters)
    except ValueError as error:
        raise ValueError(f"agent {name!r}: {error}") from None
    needed = {key: offered[key]["default"] for key in offered if key in _OF_POLICIES and offered[key]["default"]}
    return agent_spec(name, **{**needed, **parameters})


def _type_of(offer: Mapping[str, Any]) -> Any:
    match offer:
        case {"choices": choices}:
            return Literal[*choices]
        case {"low": low, "high": high, "kind": kind}:
            number = int if kind == "integer" else float
            return Annotated[number, Field(ge=low, le=high)]
    return bool


def fields_of_rulesets() -> dict[str, Any]:
    """Every number and switch: meaning, limits, and what is printed by edition and number of players; and the presets.

    Genes have titles and players colours, for people.
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
        "genes": {name: gene_title(gene) for gene, name in enumerate(GENE_NAMES)},
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
