"""What a designer asks: what does this change of the rules do, before anything is printed?

One agent plays both rulesets, in every seat: a policy that was trained on varied rulesets sees the change. Genes are
asked about by predicted trials (``trials.py``), which say the same from far fewer games; places, length and lead by
ordinary games, played to their end.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from ursuppe_env import Ruleset, __version__
from ursuppe_env.parsing import parse_toml
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.ruleset import PER_GENE
from ursuppe_lab.balance.study import AFTER, BEFORE, change, described
from ursuppe_lab.balance.trials import GeneStudy
from ursuppe_lab.balance.variants import VariantStudy

#: Rounds that are played after that of a trial; ``studies/predictions.py`` of commit dc6bfe1 compared them.
HORIZON = 1
#: What is measured in ordinary games.
MEASURES = ("genes_bought", "wins_by_start_place", "rounds", "decisions", "wins_of_leader", "wins_of_last")
#: Ordinary games for each game with trials: they are quicker, and who wins says less than a prediction.
GAMES_A_TRIAL = 2
_MOST_FIELDS = 3  # in a title
_ROUNDS = 6  # the first ones: what is bought later hardly matters any more
_BONUS = 5


@dataclass(frozen=True, kw_only=True)
class Question:
    """A change of the rules.

    Args:
        before: the ruleset as it was.
        after: as it would be, for as many players.
        agent: spec of who plays in every seat: a policy, or a search with one.
        games: with trials of genes, for each ruleset; twice as many ordinary ones are played.
        seed: of the games, and of the agent's own choices.

    Raises:
        ValueError: the rulesets are the same or for different numbers of players, or a value is out of its range.
    """

    kind: ClassVar[str] = "ask"

    before: Ruleset
    after: Ruleset
    agent: str
    games: int
    seed: int = 0

    def __post_init__(self) -> None:
        then, now = self.before.players, self.after.players
        if then != now:
            both = f"the ruleset to compare with is for {then} players and the changed one for {now}"
            raise ValueError(f"{both}; they must be for as many")
        if self.before == self.after:
            raise ValueError(
                "nothing is changed; give changes such as price.speed=5, a ruleset, or what to compare with"
            )
        _ = self.trials, self.ordinary  # are they possible?

    @property
    def title(self) -> str:
        """The change in short: ``price.speed 4 → 6, income 10 → 12``; of many fields the first ones."""
        then, now = _fields(self.before), _fields(self.after)
        said = [
            f"{field} changed" if isinstance(old, tuple) else f"{field} {str(old).lower()} → {str(now[field]).lower()}"
            for field, old in then.items()
            if old != now[field]
        ]
        more = f" and {len(said) - _MOST_FIELDS} more" if len(said) > _MOST_FIELDS else ""
        return f"{', '.join(said[:_MOST_FIELDS])}{more}"

    @property
    def trials(self) -> GeneStudy:
        """The predicted trials of genes."""
        last = min(len(ruleset.environment) - 1 for ruleset in (self.before, self.after))
        trial: dict[str, Any] = {"rounds": tuple(range(1, min(_ROUNDS, last) + 1)), "bonus": _BONUS, "horizon": HORIZON}
        return GeneStudy(name="Genes", num_games=self.games, **trial, **self._common())

    @property
    def ordinary(self) -> VariantStudy:
        """The ordinary games."""
        return VariantStudy(name="Games", num_games=GAMES_A_TRIAL * self.games, measures=MEASURES, **self._common())

    @property
    def total_games(self) -> int:
        """All games with both rulesets."""
        return self.trials.total_games + self.ordinary.total_games

    def as_dict(self) -> dict[str, Any]:
        """All that decides what is played, as JSON can write it."""
        return {
            "version": __version__,
            "kind": self.kind,
            BEFORE: described(self.before),
            AFTER: described(self.after),
            "agent": self.agent,
            "games": self.games,
            "seed": self.seed,
        }

    def _common(self) -> dict[str, Any]:
        variants = ((BEFORE, self.before), (AFTER, self.after))
        return {"lineups": ((self.agent,),), "seed": self.seed, "variants": variants}


def _fields(ruleset: Ruleset) -> dict[str, Any]:
    """All that a change can name, genes after a dot."""
    found: dict[str, Any] = {}
    for field in fields(ruleset):
        value = getattr(ruleset, field.name)
        by_gene = zip(GENE_NAMES, value, strict=True) if field.name in PER_GENE else ()
        found |= {f"{field.name}.{gene}": number for gene, number in by_gene} or {field.name: value}
    return found


def changed(ruleset: Ruleset, changes: Iterable[str]) -> Ruleset:
    """The ruleset with changes such as ``price.speed=5``, ``own_clinging=true`` or ``gene_places=[0, 1, 2]``.

    Args:
        ruleset: as it is.
        changes: each a field, or ``field.gene``, and its value as in TOML.

    Raises:
        ValueError: one is not of that form, given twice, or impossible; the message says which and why.
    """
    merged: dict[str, Any] = {}
    given: set[str] = set()
    for text in changes:
        field, is_change, value = (part.strip() for part in text.partition("="))
        if not is_change or not field:
            raise ValueError(f"change {text!r} is no FIELD=VALUE, such as price.speed=5 or own_clinging=true")
        if field in given:
            raise ValueError(f"{field} is changed twice")
        given.add(field)
        try:
            found = parse_toml(f"value = {value}")["value"]
        except ValueError:
            said = f"change {text!r}: {value!r} is no value as in TOML, such as 5, true or [0, 1, 2]"
            raise ValueError(said) from None
        found = str(found) if field == "edition" else found  # the shell has eaten its quotes
        for name, content in change(field, found).items():
            is_by_gene = isinstance(content, dict) and isinstance(merged.get(name, {}), dict)
            merged[name] = {**merged.get(name, {}), **content} if is_by_gene else content
    return ruleset.replace(**merged)
