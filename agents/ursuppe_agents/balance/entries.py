"""Taking the entries of a TOML file one by one, with messages that name file and key."""

import difflib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ursuppe_agents.arena.lineups import Lineup
from ursuppe_agents.registry import check_module, module_of
from ursuppe_env import Ruleset


class Entries:
    """A table of a TOML file, from which entries are taken until none is left.

    Args:
        where: the file, and the table in it if it is not the whole file; begins all messages.
        table: the entries.
        allowed_modules: those that agents and measures may be from, beside what is registered.

    All methods that take an entry raise ``ValueError`` if it is missing or something else.
    """

    def __init__(self, where: str, table: Mapping[str, Any], allowed_modules: Collection[str] = ()) -> None:
        self.where = where
        self._allowed_modules = allowed_modules
        self._left = dict(table)
        self._known: list[str] = []

    def text(self, key: str) -> str:
        """A text that is not empty."""
        value = self._take(key)
        if not isinstance(value, str) or not value:
            raise self._wrong(key, value, "a text")
        return value

    def integer(self, key: str, default: int | None = None, least: int = 0) -> int:
        """An integer."""
        value = self._take(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise self._wrong(key, value, f"an integer of at least {least}")
        return value

    def truth(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self._take(key, default)
        if not isinstance(value, bool):
            raise self._wrong(key, value, "true or false")
        return value

    def texts(self, key: str, default: tuple[str, ...]) -> tuple[str, ...]:
        """Some texts, each once."""
        value = self._take(key, list(default))
        if not _are_texts(value) or len(set(value)) < len(value):
            raise self._wrong(key, value, "a list of texts, each once")
        return tuple(value)

    def integers(self, key: str) -> tuple[int, ...]:
        """Some integers of at least 1, each once."""
        value = self._take(key)
        is_right = isinstance(value, list) and value and all(type(number) is int and number > 0 for number in value)
        if not is_right or len(set(value)) < len(value):
            raise self._wrong(key, value, "a list of integers of at least 1, each once")
        return tuple(value)

    def bounds(self, key: str) -> tuple[int, int]:
        """Two integers, the second one greater: the lowest and the highest value of something."""
        value = self._take(key)
        if not isinstance(value, list) or [type(number) for number in value] != [int, int] or value[0] >= value[1]:
            raise self._wrong(key, value, "the lowest and the highest value, such as [2, 8]")
        return value[0], value[1]

    def lineups(self) -> tuple[Lineup, ...]:
        """Who plays: ``lineups``, each a list of agent specs."""
        value = self._take("lineups")
        if not isinstance(value, list) or not value or not all(_are_texts(lineup) for lineup in value):
            raise self._wrong("lineups", value, 'a list of lineups, each a list of agents, such as [["hunter"]]')
        for spec in (spec for lineup in value for spec in lineup):
            check_module(f"{self.where}: lineups: agent {spec!r}", module_of(spec), self._allowed_modules)
        return tuple(tuple(lineup) for lineup in value)

    def measures(self, registered: tuple[str, ...]) -> tuple[str, ...]:
        """``measures``, each a name or ``module:function``; all that are registered if there is no such entry."""
        names = self.texts("measures", registered)
        for name in names:
            module, is_function, _ = name.partition(":")
            if name not in registered and is_function:
                check_module(f"{self.where}: measures: {name!r}", module, self._allowed_modules)
        return names

    def inner(self, key: str, default: Mapping[str, Any] | None = None) -> "Entries":
        """A table inside this one."""
        value = self._take(key, default)
        if not isinstance(value, dict):
            raise self._wrong(key, value, "a table")
        return Entries(f"{self.where}: {key}", value)

    def ruleset(self, changed: Ruleset | None = None) -> Ruleset:
        """All entries that are left, as changes of a ruleset; None: of the printed one."""
        changes, self._left = self._left, {}
        with self.naming():
            return Ruleset(**changes) if changed is None else changed.replace(**changes)

    def values(self, key: str) -> list[Any]:
        """Some values of any kind."""
        value = self._take(key)
        if not isinstance(value, list) or not value:
            raise self._wrong(key, value, "a list of values")
        return value

    def names(self) -> list[str]:
        """What is left."""
        return list(self._left)

    def end(self) -> None:
        """Refuse what has not been taken.

        Raises:
            ValueError: there is such an entry.
        """
        for key in self._left:
            close = difflib.get_close_matches(key, self._known, 1)
            hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(self._known)}"
            raise ValueError(f"{self.where}: there is no key {key!r}; {hint}")

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Errors inside say where they come from."""
        try:
            yield
        except (TypeError, ValueError) as error:
            raise ValueError(f"{self.where}: {error}") from error

    def _take(self, key: str, default: Any = None) -> Any:
        self._known.append(key)
        if key not in self._left and default is None:
            raise ValueError(f"{self.where}: {key} is missing")
        return self._left.pop(key, default)

    def _wrong(self, key: str, value: Any, right: str) -> ValueError:
        return ValueError(f"{self.where}: {key} is {value!r}; it must be {right}")


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 0 and all(isinstance(text, str) for text in value)
