"""Studies as TOML files: what is asked, of which rulesets and agents, with how many games (docs/balance-lab.md)."""

from collections.abc import Callable
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from ursuppe_agents.balance.entries import Entries
from ursuppe_agents.balance.measures import measure_names
from ursuppe_agents.balance.trials import GeneStudy
from ursuppe_agents.balance.variants import VariantStudy
from ursuppe_env import Ruleset
from ursuppe_env.cli.options import read_toml

BASE = "base"  # the name of the ruleset that the others differ from


def study_names() -> tuple[str, ...]:
    """The studies that come with the package."""
    return tuple(sorted(file.name.removesuffix(".toml") for file in _included() if file.name.endswith(".toml")))


def read_study(name: str, games: int | None = None) -> VariantStudy | GeneStudy:
    """A study from a TOML file.

    Args:
        name: path of the file, or the name of a study that comes with the package.
        games: in place of the number that the file says.

    Raises:
        ValueError: there is no such study, or the file describes none; the message names file, key and value.
        OSError: the file cannot be read.
    """
    if name in study_names():
        path = Path(str(files("ursuppe_agents.balance") / "studies" / f"{name}.toml"))
    elif name.endswith(".toml"):
        path = Path(name)
    else:
        raise ValueError(f"there is no study {name!r}; known are {', '.join(study_names())}, and FILE.toml")
    content = read_toml(path)
    if games is not None:
        content["games"] = games
    entries = Entries(name, content)
    kind = entries.text("kind")
    if kind not in _READERS:
        raise ValueError(f"{name}: kind is {kind!r}; it must be {' or '.join(map(repr, _READERS))}")
    common = _common(entries)
    with entries.naming():
        study = _READERS[kind](entries, common)
    entries.end()
    return study


def _included() -> list[Traversable]:
    return list((files("ursuppe_agents.balance") / "studies").iterdir())


def _variants(entries: Entries) -> tuple[tuple[str, Ruleset], ...]:
    """The base, and what differs from it."""
    base = entries.inner("base", {}).ruleset()
    variants: dict[str, Ruleset] = {BASE: base}
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
    return VariantStudy(measures=entries.texts("measures", measure_names()), **common)


def _gene_study(entries: Entries, common: dict[str, Any]) -> GeneStudy:
    return GeneStudy(rounds=entries.integers("rounds"), bonus=entries.integer("bonus", 5, least=1), **common)


def _common(entries: Entries) -> dict[str, Any]:
    """What all studies have."""
    return {
        "name": entries.text("name"),
        "tables": entries.tables(),
        "num_games": entries.integer("games", least=1),
        "seed": entries.integer("seed", 0),
        "variants": _variants(entries),
        "paired": entries.truth("paired", True),
    }


def change(field: str, value: Any) -> dict[str, Any]:
    """The change of a ruleset that gives a field, or ``field.gene``, a value."""
    name, dot, gene = field.partition(".")
    return {name: {gene: value} if dot else value}


_READERS: dict[str, Callable[[Entries, dict[str, Any]], VariantStudy | GeneStudy]] = {
    VariantStudy.kind: _variant_study,
    GeneStudy.kind: _gene_study,
}
