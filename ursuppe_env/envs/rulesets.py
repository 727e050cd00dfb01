"""What the games of an environment are played with: one ruleset, or one that is chosen for each game."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ursuppe_env.games import Games
from ursuppe_env.line import quoted
from ursuppe_env.observation import observation_bounds
from ursuppe_env.rules.board import NUM_SPACES
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.ruleset import MAX_AMOEBAS, MAX_CARDS, NUMBERS, PER_GENE, SWITCHES, Ruleset, players_of
from ursuppe_env.validation import checked_rulesets, checked_seed

DrawRuleset = Callable[[np.random.Generator], Ruleset]
"""``draw(generator)``: the ruleset of the game that begins. What it draws at random comes from this generator."""

RulesetArgument = Ruleset | Mapping[str, Any] | list[Ruleset] | tuple[Ruleset, ...] | DrawRuleset | None
"""One ruleset, as a ``Ruleset`` or a dict of its fields; or a list of rulesets, of which one is drawn for each game; or
a function that draws any. All are for the same number of players."""

_UINT64 = 2**64 - 1


class RulesetSource:
    """Where the rulesets of an environment's games come from.

    Where they differ, each game's is drawn by a generator that follows from the game's seed, index and episode alone:
    the same seed gives the same rulesets, whatever the other games are.

    ``given`` is a ``RulesetArgument``; a function is also asked when the environment is made, for the number of
    players. The other arguments are those of ``EnvironmentOptions``; ``ValueError``: they contradict each other.

    Attributes:
        rulesets: those of a list; one that stands for all, otherwise.
        varies: is a list or a function given?
    """

    def __init__(
        self,
        given: RulesetArgument,
        num_players: int | None = None,
        edition: str | None = None,
        players: int | None = None,
    ) -> None:
        num_players = players_of(players, num_players)
        self._draw: DrawRuleset | None = given if callable(given) else None
        self.varies = callable(given) or isinstance(given, (list, tuple))
        if given is None or isinstance(given, Mapping):
            given = {"num_players": num_players, "edition": "1998" if edition is None else edition, **(given or {})}
        self.rulesets = checked_rulesets(_drawn(given, np.random.default_rng(0), None) if callable(given) else given)
        for ruleset in self.rulesets:
            _refuse_contradiction(num_players, edition, ruleset)
        self._edition = edition
        self._numbers: dict[Ruleset, int] = {}
        self._numbered: tuple[Ruleset, ...] = ()  # those that have these numbers

    @property
    def players(self) -> int:
        """P, of all rulesets."""
        return self.rulesets[0].players

    def bounds(self, rules: bool = False, dtype: DTypeLike = np.float32) -> tuple[NDArray[Any], NDArray[Any]]:
        """``observation_bounds``, whatever the ruleset: the smallest and largest value of each number."""
        rulesets = self.rulesets if self._draw is None else _extremes(self.players)
        lows, highs = zip(*(observation_bounds(one, rules, dtype) for one in rulesets), strict=True)
        return np.min(lows, axis=0), np.max(highs, axis=0)

    def begin(self, games: Games, rows: NDArray[np.bool_] | None, seed: int | None) -> None:
        """Begin new games in the rows of this (N,) mask (None: all), each with its ruleset; ``seed`` as for ``reset``.

        ``ValueError``: an argument, or what a function gave, is none; nothing is changed then.
        """
        if not self.varies:
            games.reset(rows, seed)
            return
        mask = np.ones(len(games), np.bool_) if rows is None else rows
        drawn = {int(row): self._draw_for(games, int(row), seed) for row in np.flatnonzero(mask)}
        if self._numbered is not games.rulesets:
            self._numbers = {ruleset: number for number, ruleset in enumerate(games.rulesets)}
            self._numbered = games.rulesets
        going_on = games.ruleset_index[~mask]
        rulesets, numbers = _with_new(games.rulesets, self._numbers, list(dict.fromkeys(drawn.values())), going_on)
        index = np.zeros(len(games), np.int64)  # of those that go on it does not count
        index[mask] = [numbers[ruleset] for ruleset in drawn.values()]
        games.reset(mask, seed, ruleset_index=index, rulesets=None if rulesets is games.rulesets else rulesets)
        self._numbers, self._numbered = numbers, games.rulesets

    def _draw_for(self, games: Games, row: int, seed: int | None) -> Ruleset:
        game = games.state[row]
        begins = (int(game["seed"]), int(game["episode"]) + 1) if seed is None else (checked_seed("seed", seed), 0)
        generator = np.random.default_rng((begins[0], int(game["index"]) & _UINT64, begins[1]))
        if self._draw is None:
            return self.rulesets[generator.integers(len(self.rulesets))]
        drawn = _drawn(self._draw, generator, self.players)
        _refuse_contradiction(None, self._edition, drawn)
        return drawn


def _with_new(
    rulesets: tuple[Ruleset, ...], numbers: dict[Ruleset, int], drawn: list[Ruleset], going_on: NDArray[np.int32]
) -> tuple[tuple[Ruleset, ...], dict[Ruleset, int]]:
    """The rulesets of a batch and the number of each, with those that are drawn now, which are different.

    Games that are ``going_on`` keep their numbers; new rulesets take numbers that nobody needs, then further ones.
    """
    new = [ruleset for ruleset in drawn if ruleset not in numbers]
    if not new:
        return rulesets, numbers
    batch, numbers = list(rulesets), dict(numbers)
    needed = {*going_on.tolist(), *(numbers[ruleset] for ruleset in drawn if ruleset in numbers)}
    free = [number for number in range(len(batch)) if number not in needed]
    for ruleset in new:
        if free:
            number = free.pop()
            numbers.pop(batch[number], None)  # it may stand there twice
            batch[number] = ruleset
        else:
            number = len(batch)
            batch.append(ruleset)
        numbers[ruleset] = number
    return tuple(batch), numbers


def seed_from_system() -> int:
    """0 ... 2**64 - 1, another one each time."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])


def rulesets_of(games: Games) -> Ruleset | list[Ruleset]:
    """What each of these games is played with; the ruleset itself if they have one alone."""
    if len(games.rulesets) == 1:
        return games.rulesets[0]
    return [games.rulesets[number] for number in games.ruleset_index.tolist()]


def _refuse_contradiction(num_players: int | None, edition: str | None, ruleset: Ruleset) -> None:
    for name, given, has in (("num_players", num_players, ruleset.players), ("edition", edition, ruleset.edition)):
        if given is not None and given != has:
            raise ValueError(f"{name} is {quoted(given)}, but the ruleset has {quoted(has)}; give one of them")


def _drawn(draw: DrawRuleset, generator: np.random.Generator, players: int | None) -> Ruleset:
    """What the function gives for a game, of so many players."""
    ruleset = draw(generator)
    if isinstance(ruleset, Mapping):
        ruleset = Ruleset(**ruleset)
    if not isinstance(ruleset, Ruleset):
        raise ValueError(f"ruleset {quoted(draw)} gave {quoted(ruleset)}; it must give a Ruleset, such as Ruleset()")
    if players is not None and ruleset.players != players:
        right = f"all games of this environment have {players}"
        raise ValueError(f"ruleset {quoted(draw)} gave one for {ruleset.players} players; {right}")
    return ruleset


@cache
def _extremes(players: int) -> list[Ruleset]:
    """Rulesets at the ends of all limits: beyond the bounds of their observations no other one leads."""
    numbers: dict[str, Any] = {name: number["high"] for name, number in NUMBERS.items() if name not in PER_GENE}
    numbers |= {
        "start_food": NUMBERS["cubes"]["high"] // NUM_SPACES,
        "amoeba_places": [NUMBERS["amoeba_places"]["high"]] * (MAX_AMOEBAS + 1),
        "gene_places": [NUMBERS["gene_places"]["high"]],
        "environment": [["west", NUMBERS["environment"]["high"]]] * MAX_CARDS,
        "cards": dict.fromkeys(GENE_NAMES, NUMBERS["cards"]["high"]),
        **dict.fromkeys(SWITCHES, True),
    }
    return [
        Ruleset(players=players, mutation_points=dict.fromkeys(GENE_NAMES, points), **numbers)
        for points in (NUMBERS["mutation_points"]["low"], NUMBERS["mutation_points"]["high"])
    ]
