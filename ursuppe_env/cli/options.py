"""Options that several commands share, and how a ruleset is put together from them."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ursuppe_env.parsing import read_toml
from ursuppe_env.rules.ruleset import PRESETS, Ruleset
from ursuppe_env.teams import Teams, read_teams, teams_or_none

Players = Annotated[int | None, typer.Option(help="Number of players, 3 ... 6.", show_default="4, or a file's")]
Edition = Annotated[str | None, typer.Option(help="Edition: 1998 or 1997.", show_default="1998, or a file's")]
RulesetFile = Annotated[
    Path | None,
    typer.Option(
        "--ruleset",
        help="A TOML file with the rules that differ from the edition (players and edition may stand there, too), or "
        f"the name of a preset: {', '.join(PRESETS)}.",
        show_default=False,
    ),
]
TeamsOption = Annotated[
    str | None,
    typer.Option(
        "--teams",
        metavar="SEATS",
        help="The seats of each team, such as 0+2,1+3. Each agent, or person, plays all colours of a team.",
        show_default=False,
    ),
]
ScoreOption = Annotated[
    str | None,
    typer.Option(
        "--score", help="How a team is placed: by its worst or best marker, or by the sum of all.", show_default="worst"
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of the random streams; the same seed gives the same result.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite a file that exists.")]


def check_new(file: Path, force: bool) -> None:
    """Raise ``ValueError`` before anything is done for a file that has no folder, or exists, unless by ``force``."""
    if not file.parent.is_dir():
        raise ValueError(f"{file}: there is no folder {file.parent}")
    if file.exists() and not force:
        raise ValueError(f"{file} exists already; give another name, or --force to write over it")


def make_ruleset(
    players: int | None, edition: str | None, file: Path | None, otherwise: Ruleset | None = None
) -> Ruleset:
    """The ruleset that the options describe; what they leave open is as in another one, by default the printed game.

    What differs there from its edition holds if neither file nor edition is given. ``ValueError``: the file is not
    TOML, a number is out of its limits, or option and file contradict each other; ``OSError``: it cannot be read.
    """
    otherwise = Ruleset() if otherwise is None else otherwise
    kept = otherwise.changes() if edition is None else {}
    changes = kept if file is None else _changes_in(file)
    given: dict[str, Any] = {"players": players, "edition": edition}
    for name, value in given.items():
        in_file = changes.pop(name, None)
        if value is not None and in_file is not None and in_file != value:
            raise ValueError(f"{name} is {value!r} on the command line and {in_file!r} in {file}; give one of them")
        found = in_file if value is None else value
        given[name] = getattr(otherwise, name) if found is None else found
    try:
        return Ruleset.from_changes(given["players"], given["edition"], changes)
    except ValueError as error:
        raise ValueError(f"{file}: {error}" if file else str(error)) from None


def _changes_in(file: Path) -> dict[str, Any]:
    """What the option of a ruleset says: a preset or, where there is a file of that name or no such preset, a file."""
    if str(file) not in PRESETS or file.exists():
        return read_toml(file)
    preset = PRESETS[str(file)]
    return {"edition": preset.edition, **preset.changes}


def make_teams(teams: str | None, score: str | None, players: int) -> Teams | None:
    """The teams that the options describe; ``ValueError``: no partition of the seats, or no such score."""
    return teams_or_none(None if teams is None else read_teams(teams), "worst" if score is None else score, players)
