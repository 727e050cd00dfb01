"""The command ``ursuppe train``."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ursuppe_agents.commands.options import AllowModule
from ursuppe_env.cli.line import in_one_line
from ursuppe_env.parsing import parse_toml
from ursuppe_training.config import TrainingConfig, preset_names, read_config

# torch takes seconds to import: only the functions that need it do, so that `ursuppe --help` stays fast.

_DEFAULT = "standard"


def train(
    config: Annotated[
        str, typer.Argument(help=f"A preset ({', '.join(preset_names())}), or a TOML file with settings.")
    ] = _DEFAULT,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A setting in place of the config's, as in TOML; may come repeatedly."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the run.", show_default="runs/ and the name")] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Continue the run in this folder from its last checkpoint.")
    ] = None,
    device: Annotated[str, typer.Option(help="Where to compute: auto, cpu, cuda, cuda:1, ...")] = "auto",
    allow_module: AllowModule = None,
) -> None:
    """Train a policy in self-play with MaskablePPO."""
    if resume is not None and (settings or out is not None or config != _DEFAULT):
        raise ValueError("--resume continues a run with its own settings; give no config, --set or --out beside it")
    changed = None if resume is not None else changed_config(read_config(config, allow_module or ()), settings or [])
    from ursuppe_training.runs import BEST, Run

    def say(line: str) -> None:
        typer.echo(in_one_line(line), err=True)

    if changed is None:
        assert resume is not None
        run = Run.resume(resume, say, device, allow_module or ())
    else:
        run = Run.begin(out or Path("runs") / Path(config).stem, changed, say, device)
    try:
        run.train()
    except KeyboardInterrupt:
        say(run.said_when_interrupted())
        raise
    typer.echo(in_one_line(f"policy: {run.folder / BEST}"))


def changed_config(config: TrainingConfig, settings: list[str]) -> TrainingConfig:
    """The config with the settings of ``--set``.

    Raises:
        ValueError: one is no NAME=VALUE, or not possible.
    """
    changes: dict[str, Any] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise ValueError(f"--set {setting!r} is no NAME=VALUE")
        try:
            changes[name.strip()] = parse_toml(f"value = {value}")["value"]
        except ValueError:
            changes[name.strip()] = value.strip()  # a text without quotation marks
    return config.changed(changes)
