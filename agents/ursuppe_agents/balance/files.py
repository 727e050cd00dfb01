"""Studies as TOML files: what is asked, of which rulesets and agents, with how many games (docs/balance-lab.md)."""

from collections.abc import Callable, Collection
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from ursuppe_agents.balance.entries import Entries
from ursuppe_agents.balance.fairer import FairerSearch
from ursuppe_agents.balance.measures import measure_names
from ursuppe_agents.balance.study import change
from ursuppe_agents.balance.trials import GeneStudy
from ursuppe_agents.balance.variants import VariantStudy
from ursuppe_env import Ruleset
from ursuppe_env.cli.options import read_toml

AnyStudy = VariantStudy | GeneStudy | FairerSearch

BASE = "base"  # the name of the ruleset that the others differ from
_ENDING = ".toml"
_INCLUDED = files("ursuppe_agents.balance") / "studies"


def study_names() -> tuple[str, ...]:
    """The studies that come with the package."""
    return tuple(sorted(file.name.removesuffix(_ENDING) for file in _INCLUDED.iterdir() if file.name.endswith(_ENDING)))


def read_study(name: str, games: int | None = None, allowed_modules: Collection[str] = ()) -> AnyStudy:
    """A study from a TOML file.

    Args:
        name: path of the file, ``*.toml``, or the name of a study that comes with the package.
        games: in place of the number that the file says.
        allowed_modules: those that the file may name agents and measures of, as ``module:name``: the module is
            imported, and that can do anything. A file alone names what is registered.

    Raises:
        ValueError: there is no such study, or the file describes none, or names something of another module; the
            message names file, key and value.
        OSError: the file cannot be read.
    """
    content = _content(name)
    if games is not None:
        content["games"] = games
    entries = Entries(name, content, allowed_modules)
    kind = entries.text("kind")
    if kind not in _READERS:
        raise ValueError(f"{name}: kind is {kind!r}; it must be {' or '.join(map(repr, _READERS))}")
    common = {
        "name": entries.text("name"),
        "lineups": entries.lineups(),
        "num_games": entries.integer("games", least=1),
        "seed": entries.integer("seed", 0),
        "variants": _variants(entries),
        "paired": entries.truth("paired", True),
    }
    with entries.naming():
        study = _READERS[kind](entries, common)
    entries.end()
    return study


def _content(name: str) -> dict[str, Any]:
    if name in study_names():
        with as_file(_INCLUDED / f"{name}{_ENDING}") as file:
            return read_toml(file)
    if not name.endswith(_ENDING):
        raise ValueError(f"there is no study {name!r}; known are {', '.join(study_names())}, and FILE{_ENDING}")
    return read_toml(Path(name))


def _variants(entries: Entries) -> tuple[tuple[str, Ruleset], ...]:
    """The base, and what differs from it."""
    base = entries.inner("base", {}).ruleset()
    variants = {BASE: base}
    named = entries.inner("variants", {})
    for name in named.names():
        if name == BASE:
            raise ValueError(f"{named.where}: a variant is named {BASE!r}; that is the one that the others differ from")
        variants[name] = named.inner(name).ruleset(base)
    sweeps = entries.inner("sweeps", {})
    for field in sweeps.names():
        for value in sweeps.values(field):
            with sweeps.naming():
                variants[f"{field} = {value}"] = base.replace(**change(field, value))
    return tuple(variants.items())


def _variant_study(entries: Entries, common: dict[str, Any]) -> VariantStudy:
    return VariantStudy(measures=entries.measures(measure_names()), **common)


def _gene_study(entries: Entries, common: dict[str, Any]) -> GeneStudy:
    return GeneStudy(rounds=entries.integers("rounds"), bonus=entries.integer("bonus", 5, least=1), **common)


def _fairer_search(entries: Entries, common: dict[str, Any]) -> FairerSearch:
    if len(common["variants"]) > 1:
        raise ValueError("there are variants or sweeps; a search for a fairer game begins with the base alone")
    numbers = entries.inner("numbers")
    bounds = tuple((field, *numbers.bounds(field)) for field in numbers.names())
    return FairerSearch(
        trials=_gene_study(entries, common),
        numbers=bounds,
        candidates=entries.integer("candidates", least=1),
        check_games=entries.integer("check_games", least=1),
    )


_READERS: dict[str, Callable[[Entries, dict[str, Any]], AnyStudy]] = {
    VariantStudy.kind: _variant_study,
    GeneStudy.kind: _gene_study,
    FairerSearch.kind: _fairer_search,
}
