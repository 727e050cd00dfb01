"""Studies as TOML files: what is asked, of which rulesets and agents, with how many games (docs/balance-lab.md)."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from ursuppe_agents.balance.entries import Entries
from ursuppe_agents.balance.measures import measure_names
from ursuppe_agents.balance.variants import BASE, VariantStudy
from ursuppe_env import Ruleset
from ursuppe_env.cli.options import read_toml

Study = VariantStudy


def study_names() -> tuple[str, ...]:
    """The studies that come with the package."""
    return tuple(sorted(file.name.removesuffix(".toml") for file in _included() if file.name.endswith(".toml")))


def read_study(name: str, games: int | None = None) -> Study:
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
    study = _READERS[kind](entries)
    entries.end()
    return study


def _included() -> list[Traversable]:
    return list((files("ursuppe_agents.balance") / "studies").iterdir())


def _variants(entries: Entries) -> VariantStudy:
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
    name, tables, num_games = entries.text("name"), entries.tables(), entries.integer("games", least=1)
    seed, measures = entries.integer("seed", 0), entries.texts("measures", measure_names())
    paired = entries.truth("paired", True)
    with entries.naming():
        return VariantStudy(
            name=name,
            tables=tables,
            num_games=num_games,
            seed=seed,
            variants=tuple(variants.items()),
            measures=measures,
            paired=paired,
        )


def change(field: str, value: Any) -> dict[str, Any]:
    """The change of a ruleset that gives a field, or ``field.gene``, a value."""
    name, dot, gene = field.partition(".")
    return {name: {gene: value} if dot else value}


_READERS = {"variants": _variants}
