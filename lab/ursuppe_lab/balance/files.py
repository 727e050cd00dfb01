"""Studies as TOML files: what is asked, of which rulesets and agents, with how many games (docs/balance-lab.md)."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, Field

from ursuppe_agents.registry import check_foreign_code, foreign_code
from ursuppe_agents.settings import Settings
from ursuppe_env import Ruleset
from ursuppe_env.parsing import read_toml
from ursuppe_lab.balance.fairer import FairerSearch
from ursuppe_lab.balance.measures import measure_names
from ursuppe_lab.balance.study import change
from ursuppe_lab.balance.trials import GeneStudy
from ursuppe_lab.balance.variants import VariantStudy

AnyStudy = VariantStudy | GeneStudy | FairerSearch

BASE = "base"  # the name of the ruleset that the others differ from
_ENDING = ".toml"
_INCLUDED = files("ursuppe_lab.balance") / "studies"

T = TypeVar("T")


def _each_once(values: tuple[T, ...]) -> tuple[T, ...]:
    for value in values:
        if values.count(value) > 1:
            raise ValueError(f"{value!r} is given twice")
    return values


_Count = Annotated[int, Field(ge=1)]
_Lineup = Annotated[tuple[str, ...], Field(min_length=1, strict=False)]


class _File(Settings):
    """What the files of all studies have."""

    name: Annotated[str, Field(min_length=1)]
    lineups: Annotated[tuple[_Lineup, ...], Field(min_length=1, strict=False, examples=['[["hunter"]]'])]
    games: _Count
    seed: Annotated[int, Field(ge=0)] = 0
    paired: bool = True
    base: dict[str, Any] = {}
    variants: dict[str, dict[str, Any]] = {}
    sweeps: dict[str, Annotated[list[Any], Field(min_length=1)]] = {}

    def study(self) -> AnyStudy:
        """What the file describes."""
        raise NotImplementedError

    def common(self) -> dict[str, Any]:
        """The arguments that all studies have."""
        alike = {name: getattr(self, name) for name in ("name", "lineups", "seed", "paired")}
        return alike | {"num_games": self.games, "variants": self._variants()}

    def check_code(self, allowed: Collection[str]) -> None:
        """Refuse agents of other modules and programs than these, beside those that are registered."""
        for spec in (spec for lineup in self.lineups for spec in lineup):
            check_foreign_code(f"lineups: agent {spec!r}", foreign_code(spec), allowed)

    def _variants(self) -> tuple[tuple[str, Ruleset], ...]:
        """The base, and what differs from it."""
        with _naming(BASE):
            base = Ruleset(**self.base)
        variants = {BASE: base}
        for name, changes in self.variants.items():
            if name == BASE:
                raise ValueError(f"variants: a variant is named {BASE!r}; that is the one that the others differ from")
            with _naming(f"variants: {name}"):
                variants[name] = base.replace(**changes)
        for field, values in self.sweeps.items():
            for value in values:
                told = str(value).lower() if isinstance(value, bool) else value  # as the file writes it
                with _naming("sweeps"):
                    variants[f"{field} = {told}"] = base.replace(**change(field, value))
        return tuple(variants.items())


class _VariantFile(_File):
    measures: Annotated[tuple[str, ...], Field(min_length=1, strict=False), AfterValidator(_each_once)] = Field(
        default_factory=measure_names
    )

    def study(self) -> VariantStudy:
        return VariantStudy(measures=self.measures, **self.common())

    def check_code(self, allowed: Collection[str]) -> None:
        super().check_code(allowed)
        for name in self.measures:
            module, is_function, _ = name.partition(":")
            if name not in measure_names() and is_function:
                check_foreign_code(f"measures: {name!r}", module, allowed)


class _GeneFile(_File):
    rounds: Annotated[tuple[_Count, ...], Field(min_length=1, strict=False), AfterValidator(_each_once)]
    bonus: Annotated[int, Field(ge=1, le=100)] = 5
    horizon: Annotated[int, Field(ge=0)] | None = None

    def study(self) -> AnyStudy:
        return self.trials()

    def trials(self) -> GeneStudy:
        """Those with which genes are measured."""
        return GeneStudy(rounds=self.rounds, bonus=self.bonus, horizon=self.horizon, **self.common())


class _FairerFile(_GeneFile):
    numbers: dict[str, Annotated[tuple[int | bool, int | bool], Field(strict=False, examples=["[2, 8]"])]]
    candidates: _Count
    check_games: _Count

    def study(self) -> FairerSearch:
        if self.variants or self.sweeps:
            raise ValueError("there are variants or sweeps; a search for a fairer game begins with the base alone")
        numbers = tuple((field, low, high) for field, (low, high) in self.numbers.items())
        return FairerSearch(
            trials=self.trials(), numbers=numbers, candidates=self.candidates, check_games=self.check_games
        )


_FILES: dict[str, type[_File]] = {
    VariantStudy.kind: _VariantFile,
    GeneStudy.kind: _GeneFile,
    FairerSearch.kind: _FairerFile,
}


def study_names() -> tuple[str, ...]:
    """The studies that come with the package."""
    return tuple(sorted(file.name.removesuffix(_ENDING) for file in _INCLUDED.iterdir() if file.name.endswith(_ENDING)))


def read_study(name: str, games: int | None = None, allowed_code: Collection[str] = ()) -> AnyStudy:
    """A study from a TOML file.

    Args:
        name: path of the file, ``*.toml``, or the name of a study that comes with the package.
        games: in place of the number that the file says.
        allowed_code: beside what is registered, code that the file may have run, which can do anything: modules of
            agents and measures, as ``module:name``, and programs of ``process:COMMAND``.

    Raises:
        ValueError: there is no such study, or the file describes none, or names something of another module; the
            message names file, key and value.
        OSError: the file cannot be read.
    """
    if name in study_names():
        with as_file(_INCLUDED / f"{name}{_ENDING}") as path:
            content = read_toml(path)
    elif name.endswith(_ENDING):
        content = read_toml(Path(name))
    else:
        raise ValueError(f"there is no study {name!r}; known are {', '.join(study_names())}, and FILE{_ENDING}")
    if games is not None:
        content["games"] = games
    with _naming(name):
        kind = content.pop("kind", None)
        if not isinstance(kind, str) or kind not in _FILES:
            raise ValueError(f"kind is {kind!r}; it must be {' or '.join(map(repr, _FILES))}")
        file = _FILES[kind](**content)
        file.check_code(allowed_code)
        return file.study()


@contextmanager
def _naming(where: str) -> Iterator[None]:
    """Errors inside say where they come from."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: {error}") from error
