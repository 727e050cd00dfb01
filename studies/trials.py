"""What all trials of genes of the studies have in common, and how studies tell how far they are."""

from collections.abc import Callable, Sequence

from rich.progress import Progress, TaskID

from ursuppe_env import Ruleset
from ursuppe_lab.balance import GeneStudy

#: In which purchases are interfered with: what is bought later hardly matters any more.
TRIAL_ROUNDS = (1, 2, 3, 4, 5, 6)
#: BP that are given to find out what a BP does.
BONUS = 5

OnProgress = Callable[[str, int, int], None]
"""Called with the name of a study, how many of its games are over, and how many it has."""


def gene_trials(
    name: str, agents: Sequence[str], variants: Sequence[tuple[str, Ruleset]], games: int, seed: int
) -> GeneStudy:
    """Trials of all genes, played to the end, with each agent in all seats."""
    return GeneStudy(
        name=name,
        lineups=tuple((agent,) for agent in agents),
        num_games=games,
        seed=seed,
        variants=tuple(variants),
        rounds=TRIAL_ROUNDS,
        bonus=BONUS,
    )


def shown_in(progress: Progress) -> OnProgress:
    """Shows each study in a line of its own, once it has begun."""
    lines: dict[str, TaskID] = {}

    def on_progress(name: str, over: int, total: int) -> None:
        if name not in lines:
            lines[name] = progress.add_task(name, total=total)
        progress.update(lines[name], completed=over)

    return on_progress
