"""What the commands of training share: options, and progress bars."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from rich.markup import escape

from ursuppe_env.cli.progress import InterruptibleProgress
from ursuppe_env.line import counted

if TYPE_CHECKING:
    from rich.progress import TaskID

    from ursuppe_training.runs.run import RunProgress

_Number = TypeVar("_Number", int, float)

Threads = Annotated[
    int | None,
    typer.Option(
        help="Cores for each run; by default all, or an equal share. They do not change what is learned.",
        show_default=False,
        min=1,
    ),
]


def numbers(option: str, text: str | None, kind: type[_Number]) -> list[_Number] | None:
    """The integers, or numbers, that an option lists with commas between them; None if it is not given.

    Raises:
        ValueError: they are none.
    """
    try:
        return None if text is None else [kind(number) for number in text.split(",")]
    except ValueError:
        what = "integers with commas between them, such as 0,1,2" if kind is int else "numbers with commas between them"
        raise ValueError(f"{option} is {text!r}; it must be {what}") from None


def run_bar(progress: InterruptibleProgress) -> Callable[["RunProgress"], None]:
    """A bar for one run: what shows how far it is."""
    task = progress.add_task("beginning", total=None)

    def show(now: "RunProgress") -> None:
        progress.update(task, description=escape(now.doing), completed=now.over, total=now.total)

    return show


def seed_bars(
    progress: InterruptibleProgress, seeds: Sequence[int], steps: int
) -> Callable[[int, "RunProgress | None"], None]:
    """A bar for all runs of so many steps, and one for each that is trained now: what shows how far a run is.

    None instead of that says that the run is done.
    """
    trained = dict.fromkeys(seeds, 0.0)
    bars: dict[int, TaskID] = {}
    done: set[int] = set()
    of_all = progress.add_task(f"0 of {counted(len(seeds), 'seed')}", total=steps * len(seeds))

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
