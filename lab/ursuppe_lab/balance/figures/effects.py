"""The answer to a question: each figure before and after the change, and which differences count."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from ursuppe_env.render.svg.tables import gene_title
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance.figures.comparison import Comparison
from ursuppe_lab.balance.figures.verdicts import FEWEST_PAID
from ursuppe_lab.balance.figures.worth import GeneWorth, bootstrapped, by_game
from ursuppe_lab.balance.question import Question
from ursuppe_lab.balance.trials import GeneStudy
from ursuppe_lab.reports.text import as_json, plain
from ursuppe_lab.statistics import Interval
from ursuppe_lab.statistics.discoveries import about_differences, adjusted, clearness, counts, p_value
from ursuppe_lab.statistics.quotients import Quotient
from ursuppe_lab.statistics.ratios import MOST_CLUSTERS, Bootstrapped

#: The figures of genes that are predicted; all others are called as the measures that give them.
NEUTRAL_PRICE, PAID = "neutral_price", "paid"

#: What an effect is in words, by figure or by figure and name: what it is now, and what it was; decimals, and factor.
_SENTENCES = {
    NEUTRAL_PRICE: ("{name} is worth {} BP in place of {}", 1, 1),
    PAID: ("Buying {name} at a random moment changes the chance of winning by {} points in place of {}", 1, 100),
    "genes_bought": ("{name} is bought by {} % of players in place of {} %", 0, 100),
    "wins_by_start_place": ("The player who starts on {name} wins {} % of games in place of {} %", 0, 100),
    "rounds": ("A game has {} rounds in place of {}", 1, 1),
    "decisions": ("A game has {} decisions in place of {}", 0, 1),
    "wins_of_leader": ("Who leads after {name} wins {} % of games in place of {} %", 0, 100),
    "wins_of_last": ("Who is last after {name} wins {} % of games in place of {} %", 0, 100),
    "wins_of_last/winner was ever last": ("The winner was once last in {} % of games in place of {} %", 0, 100),
}
_WHOLES = {"given": "bp", "paid": "payable"}  # *given* divided by what a BP does


@dataclass(frozen=True)
class Effect:
    """A figure before and after the change.

    Attributes:
        figure: ``neutral_price`` (BP) or ``paid`` of a gene, as in ``GeneFigures``; or the name of a measure.
        name: of the gene, or of what the measure gives.
        before: None if it was seen too rarely to say, or is a neutral price where BP are no currency.
        after: likewise.
        difference: after minus before; None where either is unknown, or a neutral price that is not bounded.
        p: p-value of the difference by itself; None if it has no interval.
        adjusted_p: the same, adjusted for all figures of the question.
    """

    figure: str
    name: str
    before: Interval | Quotient | None
    after: Interval | Quotient | None
    difference: Interval | None
    p: float | None
    adjusted_p: float | None = None

    @property
    def is_different(self) -> bool:
        """Does the change do anything to it, beyond what chance gives to one of so many figures?"""
        return counts(self.adjusted_p)

    @property
    def in_words(self) -> str:
        """``Speed is bought by 31 % of players in place of 6 %``, with decimals until both numbers differ."""
        said, least, factor = _SENTENCES.get(f"{self.figure}/{self.name}") or _SENTENCES[self.figure]
        name = gene_title(self.name) if self.name in GENE_NAMES else self.name
        known = [found.estimate * factor for found in (self.after, self.before) if found and found.estimate is not None]
        texts = ([plain(number, f".{decimals}f") for number in known] for decimals in range(least, least + 3))
        return said.format(*next((both for both in texts if len(set(both)) > 1), known), name=name)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        figures = {name: as_json(value) for name, value in vars(self).items() if name != "p"}
        return figures | {"is_different": self.is_different}


@dataclass(frozen=True)
class Effects:
    """All effects of a change.

    Attributes:
        question: what was asked.
        unfamiliar: what of the two rulesets lies outside what the agent was trained on, in words.
        effects: by figure; those of genes first.
    """

    question: Question
    unfamiliar: tuple[str, ...]
    effects: list[Effect]

    def of(self, figure: str) -> dict[str, Effect]:
        """Those of a figure, by name."""
        return {effect.name: effect for effect in self.effects if effect.figure == figure}

    @property
    def in_short(self) -> list[str]:
        """What differs, in a sentence each, the clearest difference first."""
        different = [effect for effect in self.effects if effect.is_different]
        return [f"{one.in_words}." for one in sorted(different, key=lambda one: -clearness(one.difference))]

    @property
    def about_differences(self) -> str:
        """How many of the differences count, and what that means."""
        return about_differences([effect.adjusted_p for effect in self.effects], "after the change")

    @property
    def about_intervals(self) -> str:
        """Which figures have intervals."""
        return self.question.trials.about_intervals

    @property
    def about_predictions(self) -> str:
        """What neutral prices and *paid* rest on."""
        return f"Neutral prices and paid: {self.question.trials.about_predictions}"

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON; where there is no interval, its ends are null."""
        return {
            "question": self.question.as_dict(),
            "unfamiliar": list(self.unfamiliar),
            "intervals": self.about_intervals,
            "predictions": self.about_predictions,
            "title": self.question.title,
            "in_short": self.in_short,
            "differences": self.about_differences,
            "effects": as_json(self.effects),
        }


def effects_of(
    question: Question, trials: pl.DataFrame, worth: GeneWorth, comparison: Comparison, unfamiliar: Sequence[str] = ()
) -> Effects:
    """Put together what was found by ``question.trials`` (their rows, and what came out) and ``question.ordinary``."""
    found = _gene_effects(trials, worth)
    for measure in comparison.study.measures:
        before, after = (comparison.of(0, variant, measure) for variant in range(2))
        for name, figure in after.items():
            there = before[name].value if name in before else None
            found.append(Effect(measure, name, there, figure.value, figure.difference, figure.p))
    p_values = adjusted([effect.p for effect in found])
    adjusted_effects = [replace(effect, adjusted_p=p) for effect, p in zip(found, p_values, strict=True)]
    return Effects(question, tuple(unfamiliar), adjusted_effects)


def _gene_effects(trials: pl.DataFrame, worth: GeneWorth) -> list[Effect]:
    """Neutral price and *paid* of each gene, with the second variant of a study beside the first one."""
    study = worth.study
    before, after = ({gene.gene: gene for gene in figures.genes} for figures in worth.trials)
    resampled = [
        bootstrapped(study, by_game(trials.filter(variant=variant), study, variant), variant, 0, _WHOLES)
        for variant in range(2)
    ]
    prices, paid = [], []
    for gene in GENE_NAMES:
        then, now = before[gene], after[gene]
        old, new = (figures.neutral_price if figures.is_currency else None for figures in (then, now))
        is_known = old is not None and new is not None and old.interval() is not None and new.interval() is not None
        is_tried = min(then.trials, now.trials) >= FEWEST_PAID
        given = _difference(study, resampled, f"given_{gene}") if is_known and is_tried else (None, None)
        prices.append(Effect(NEUTRAL_PRICE, gene, old, new, *given))
        is_paid = min(then.payable, now.payable) >= FEWEST_PAID
        bought = _difference(study, resampled, f"paid_{gene}") if is_paid else (None, None)
        paid.append(Effect(PAID, gene, then.paid, now.paid, *bought))
    return [*prices, *paid]


def _difference(
    study: GeneStudy, resampled: Sequence[dict[str, Bootstrapped]], name: str
) -> tuple[Interval | None, float | None]:
    """After minus before, and its p-value."""
    before, after = (figures[name] for figures in resampled)
    difference = after.minus(before)
    clusters = min(*(study.num_seeds(variant, 0) for variant in range(2)), MOST_CLUSTERS)
    return difference.interval(), p_value(difference, clusters)
