"""How much stronger a search makes the policy that guides it, by what a decision may cost.

``python benchmarks/search_strength.py POLICY``, a file of ``ursuppe train`` or ``default``: ``search`` with this policy
alone against three of the policy, with each budget in the same games; and the policy itself by its likeliest actions,
as a search does not draw either. Chance is 25 %. 400 games with 20 ms take ten minutes of one core, with more ms as
much more. ``--sims`` counts simulations in place of milliseconds, so that other load on the machine does not matter.

Prints a table; ``runs/search-strength`` (``--out``) has the picture ``strength.svg``, and the games that were played,
so that the same command goes on where it was interrupted.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

from ursuppe_agents.arena import Tournament, play_tournament
from ursuppe_agents.registry import agent_spec
from ursuppe_agents.reports.plotting import COLOURS, INK, STYLE, as_file, draw_intervals
from ursuppe_agents.reports.text import about_intervals, value
from ursuppe_agents.statistics import Interval
from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.files import write_atomically

_PLAYERS = 4
_SEED = 2**61 + 19  # of no training, and of no other measurement
_BUDGETS = {"ms": (10.0, 20.0, 50.0, 100.0, 200.0, 400.0), "sims": (32, 64, 128, 256, 512, 1024)}


class Strength(NamedTuple):
    """Of one that plays alone against three policies.

    Attributes:
        budget: of a decision; None: the policy itself.
        wins: parts of its games.
        milliseconds: a decision, as measured.
        games: that it played.
        seeds: of these.
    """

    budget: float | None
    wins: Interval
    milliseconds: float
    games: int
    seeds: int


def main() -> None:
    """Play, print a table, and write the picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("policy", help="a file of `ursuppe train`, or default")
    budgets = parser.add_mutually_exclusive_group()
    for unit, default in _BUDGETS.items():
        budgets.add_argument(f"--{unit}", type=type(default[0]), nargs="+", help="budgets of a decision")
    parser.add_argument("--games", type=int, default=400, help="with each budget")
    parser.add_argument("--workers", type=int, default=1, help="processes; budgets of time need a core for each")
    parser.add_argument("--out", type=Path, default=Path("runs/search-strength"), help="folder of what comes out")
    given = parser.parse_args()
    unit = "ms" if given.sims is None else "sims"
    strengths = measure(
        given.policy, unit, getattr(given, unit) or _BUDGETS[unit], given.games, given.out, given.workers
    )
    write_atomically(given.out / "strength.svg", draw(strengths, unit))
    Console(width=100).print(table(strengths, unit))


def measure(
    policy: str, unit: str, budgets: Sequence[float], num_games: int, folder: Path, workers: int | None = 1
) -> list[Strength]:
    """The policy itself, and the search with each budget; what was played is kept in the folder.

    Args:
        policy: a file, or "default".
        unit: of the budgets, "ms" or "sims".
        budgets: of a decision.
        num_games: with each.
        folder: for the games.
        workers: processes; None: one per core.

    Raises:
        OSError: the policy's file or the folder cannot be read or written.
        ValueError: it is no policy, a budget is not positive, or the folder has other games.
    """
    agents: dict[str, float | None] = {agent_spec("policy", model=policy, deterministic=True): None}
    agents |= {agent_spec("search", policy=policy, **{unit: budget}): budget for budget in budgets}
    rest = [agent_spec("policy", model=policy)] * (_PLAYERS - 1)
    strengths = []
    with progress_bar() as progress:
        task = progress.add_task("games", total=len(agents) * num_games)
        for number, (agent, budget) in enumerate(agents.items()):
            tournament = Tournament(lineups=((agent, *rest),), num_games=num_games, seed=_SEED)
            place = folder / ("policy" if budget is None else f"{unit}-{budget:g}")
            _, summary = play_tournament(
                tournament,
                place,
                workers,
                on_progress=lambda over, before=number * num_games: progress.update(task, completed=before + over),
            )
            figures = next(figures for figures in summary.agents if figures.agent == agent)
            wins = summary.lineups[0].win_rates[agent]
            strengths.append(
                Strength(budget, wins, figures.milliseconds, summary.lineups[0].games, tournament.num_seeds)
            )
    return strengths


def table(strengths: Sequence[Strength], unit: str) -> Table:
    """What is printed; wins in per cent."""
    found = Table(f"budget, {unit}", "wins alone against three, %", "ms a decision", "games")
    found.caption = about_intervals([strengths[0].seeds])
    for one in strengths:
        name = "likeliest actions" if one.budget is None else f"{one.budget:g}"
        found.add_row(name, value(one.wins, ".1f", 100), f"{one.milliseconds:.2g}", f"{one.games:,}")
    return found


def draw(strengths: Sequence[Strength], unit: str) -> bytes:
    """An SVG: wins by budget, with that of the likeliest actions and of chance as lines."""
    policy, *searches = strengths
    budgets = np.array([one.budget for one in searches])
    wins = [one.wins.times(100) for one in searches]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(6, 3.5), layout="constrained")
        axes = figure.subplots()
        draw_intervals(axes, wins, budgets, COLOURS[0], width=1.6, upright=True)
        axes.plot(budgets, [one.estimate for one in wins], "o-", color=COLOURS[0], markersize=4)
        for name, height in (("likeliest actions", 100 * policy.wins.estimate), ("chance", 100 / _PLAYERS)):
            axes.axhline(height, color=INK, linewidth=0.8, linestyle="--")
            axes.annotate(name, (budgets.max(), height), (0, 3), textcoords="offset points", ha="right", fontsize=8)
        axes.set_xscale("log")
        axes.set_xticks(budgets, [f"{budget:g}" for budget in budgets], minor=False)
        axes.minorticks_off()
        axes.set_xlabel(f"{unit} for a decision")
        axes.set_ylabel("wins alone against three, %")
        return as_file(figure, "strength", "Wins of a search alone against three of its policy, by budget")


if __name__ == "__main__":
    main()
