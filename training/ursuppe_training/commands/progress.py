"""Progress bars of trainings."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.markup import escape

from ursuppe_env.cli.progress import InterruptibleProgress
from ursuppe_env.counts import counted

if TYPE_CHECKING:
    from rich.progress import TaskID

    from ursuppe_training.runs.run import RunProgress


def run_bar(progress: InterruptibleProgress) -> Callable[["RunProgress"], None]:
    """A bar for one run: what shows how far it is."""
    task = progress.add_task("beginning", total=None)

    def show(now: "RunProgress") -> None:
        progress.update(task, description=escape(now.doing), completed=now.over, total=now.total)

    return show


def seed_bars(
    progress: InterruptibleProgress, seeds: Sequence[int], steps: int
) -> Callable[[int, "RunProgress | None"], None]:
    """A bar for all runs, and one for each that is trained now: what shows how far a run is (None: it is done).

    Args:
        progress: that has the bars.
        seeds: of the runs.
        steps: decisions of each.
    """
    trained = dict.fromkeys(seeds, 0.0)
    bars: dict[int, TaskID] = {}
    done: set[int] = set()
    of_all = progress.add_task("", total=steps * len(seeds))

    def show(seed: int, now: "RunProgress | None") -> None:
        if now is None:
            done.add(seed)
            trained[seed] = 1.0
            if seed in bars:
                progress.remove_task(bars.pop(seed))
        else:
            description = escape(f"seed {seed}: {now.doing}")
            if seed not in bars:
                bars[seed] = progress.add_task(description, total=now.total)
            progress.update(bars[seed], description=description, completed=now.over, total=now.total)
            trained[seed] = now.trained
        description = f"{len(done)} of {counted(len(seeds), 'seed')}"
        progress.update(of_all, description=description, completed=round(steps * sum(trained.values())))

    return show
