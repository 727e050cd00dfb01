"""The command ``ursuppe train``."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ursuppe_agents.commands.options import AllowCommand, AllowModule, allowed_code
from ursuppe_env.cli.options import Edition, Players, RulesetFile, make_ruleset
from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.line import in_one_line
from ursuppe_env.parsing import parse_toml
from ursuppe_lab.commands.options import say
from ursuppe_training.commands.shared import Threads, numbers, run_bar, seed_bars
from ursuppe_training.config import TrainingConfig, changed_settings, preset_names, read_config

_DEFAULT = "standard"


def train(
    config: Annotated[
        str, typer.Argument(help=f"A preset ({', '.join(preset_names())}), or a TOML file with settings.")
    ] = _DEFAULT,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A setting in place of the one in the config, as in TOML. Can be repeated.",
        ),
    ] = None,
    players: Players = None,
    edition: Edition = None,
    ruleset: RulesetFile = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the run.", show_default="runs/ and the name")] = None,
    seeds: Annotated[
        str | None,
        typer.Option(
            help="Train one run for each of these seeds, such as 0,1,2, and report them together.",
            show_default=False,
        ),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Continue the run (or runs) in this folder from the last checkpoint.")
    ] = None,
    device: Annotated[str, typer.Option(help="Where to compute: auto, cpu, cuda, cuda:1, ...")] = "auto",
    threads: Threads = None,
    workers: Annotated[
        int | None,
        typer.Option(
            help="With --seeds: number of runs at a time; by default one per core, or one if their minutes are "
            "limited.",
            show_default=False,
            min=1,
        ),
    ] = None,
    allow_module: AllowModule = None,
    allow_command: AllowCommand = None,
) -> None:
    """Train a policy in self-play with PPO.

    The preset finetune adapts the policy of the package to a ruleset: ursuppe train finetune --ruleset mine.toml

    Example: ursuppe train quick --out runs/quick
    """
    of_a_new_run = (out, seeds, players, edition, ruleset)
    if resume is not None and (settings or config != _DEFAULT or any(given is not None for given in of_a_new_run)):
        raise ValueError(
            "--resume continues a run with its own settings; give no config, --set, --players, --edition, --ruleset, "
            "--seeds or --out beside it"
        )
    if seeds is not None and any(setting.partition("=")[0].strip() == "seed" for setting in settings or ()):
        raise ValueError("--seeds and --set seed=... contradict each other; give one of them")
    of_training = numbers("--seeds", seeds, int)
    allowed = allowed_code(allow_module, allow_command)
    changed = None
    if resume is None:
        given = read_config(config, allowed)
        rules = make_ruleset(players, edition, ruleset, given.ruleset)
        played = {"players": rules.players, "edition": rules.edition, "ruleset_changes": rules.changes()}
        if ruleset is not None or edition is not None or rules.changes():
            played["rulesets"] = "given"  # who gives one wants no others
        changed = changed_config(given, settings or [], played)
    from ursuppe_training.devices import started_together
    from ursuppe_training.exploit.finished_run import announcement, finish
    from ursuppe_training.runs.evaluations import BEST
    from ursuppe_training.runs.run import CONFIG, Run
    from ursuppe_training.runs.trainer import follow
    from ursuppe_training.several_seeds.report import REPORT
    from ursuppe_training.several_seeds.runs import SEEDS, SeedRuns

    is_several = seeds is not None if resume is None else (resume / SEEDS).exists()
    if workers is not None and not is_several:
        raise ValueError(f"--workers is {workers}, but there is one run; --threads says how many cores it has")
    processes = started_together()
    if processes.count > 1 and is_several:
        raise ValueError(f"torchrun has started {processes.count} processes for one run; --seeds has runs of their own")
    folder = resume or out or Path("runs") / Path(config).stem
    if not processes.is_first:
        follow(changed or read_config(str(folder / CONFIG), allowed), processes, device, threads)
        return
    run: Run | SeedRuns
    if changed is None and is_several:
        run = SeedRuns.resume(folder, say, device, threads, workers, allowed)
    elif changed is None:
        run = Run.resume(folder, say, device, threads, allowed)
    elif of_training is None:
        run = Run.begin(folder, changed, say, device, threads)
    else:
        run = SeedRuns.begin(folder, changed, of_training, say, device, threads, workers)
    try:
        if changed is not None and processes.count == 1:
            say(("" if of_training is None else "For each seed: ") + announcement(run.config, device, threads))
        with progress_bar() as progress:
            if isinstance(run, Run):
                run.train(run_bar(progress), finish)
            else:
                run.train(seed_bars(progress, run.seeds, run.config.steps))
    except KeyboardInterrupt:
        say(run.said_when_interrupted())
        raise
    told = f"policy: {run.folder / BEST}" if isinstance(run, Run) else f"report: {run.folder / REPORT}"
    typer.echo(in_one_line(told))


def changed_config(config: TrainingConfig, settings: list[str], played: dict[str, Any] | None = None) -> TrainingConfig:
    """The config with the settings of ``--set``, and before them those of what is played.

    Raises:
        ValueError: one is no NAME=VALUE, or not possible.
    """
    changes = dict(played or {})
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise ValueError(f"--set {setting!r} is no NAME=VALUE")
        try:
            changes[name.strip()] = parse_toml(f"value = {value}")["value"]
        except ValueError:
            changes[name.strip()] = value.strip()  # a text without quotation marks
    return changed_settings(config, changes)
