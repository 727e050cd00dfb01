"""The policies that come with the package: one for each kind of table, as far as they are there.

| name | file in ``default/`` | plays |
| --- | --- | --- |
| ``default`` | ``3.zip`` ... ``6.zip`` | among 3 ... 6 players, each for itself |
| ``duel`` | ``duel.zip`` | one of two players with two colours each (``ursuppe_env.teams.DUEL``) |

A folder of the same name beside a file has what its run left: settings, provenance, the evaluations on the way and the
report; of a mean of several policies that of the one that had learned most, and the report of the mean. Games do not
say who plays together, so the policy for two players has a name of its own.

``replay-1`` ... ``replay-10``, in ``replay/`` with the settings, are what one run from nothing was after some 1 ... 10
million decisions; they play among 4, and are much weaker. The benchmark makes games of them to learn from.
"""

import re
from pathlib import Path

from ursuppe_env.rules.ruleset import MAX_PLAYERS, MIN_PLAYERS

DEFAULT = "default"  # in place of a path: the policy for as many players as there are
DUEL = "duel"  # that for two players with two colours each

FOLDER = Path(__file__).with_name("default")
_REPLAY = re.compile(r"replay-(10|[1-9])")


def policy_path(model: str, players: int = 4) -> Path:
    """The file of a policy.

    Args:
        model: its path, ``default``, ``duel`` or ``replay-1`` ... ``replay-10``.
        players: in the games that it is to play; they matter to ``default`` alone.

    Raises:
        ValueError: it is one of these names, and none comes with this installation for such games.
        FileNotFoundError: it is neither one of these names nor a file, and has no ending as files have.
    """
    if replayed := _REPLAY.fullmatch(model):
        return FOLDER.with_name("replay") / f"{replayed[1]}.zip"
    if model not in (DEFAULT, DUEL):
        if "." not in model and not Path(model).exists():
            names = f"{DEFAULT}, {DUEL}, replay-1 ... replay-10"
            raise FileNotFoundError(f"there is no policy {model!r}; known are {names}, and files of your own")
        return Path(model)
    path = FOLDER / f"{DUEL if model == DUEL else players}.zip"
    if not path.exists():
        wanted = "" if model == DUEL else f" for {players} players"
        there = default_policies()
        counts = ", ".join(name for name in there if name != DUEL)
        said = [f"policy:{DEFAULT} for {counts} players"] if counts else []
        said += [f"policy:{DUEL}"] if DUEL in there else []
        has = f"this installation of ursuppe-env has {' and '.join(said) or 'no trained policy'}"
        raise ValueError(f"policy:{model} is not there{wanted}: {has}")
    return path


def default_policies() -> dict[str, Path]:
    """The files of all that are there, by the kind of table: ``3`` ... ``6`` and ``duel``."""
    files = {name: FOLDER / f"{name}.zip" for name in (*map(str, range(MIN_PLAYERS, MAX_PLAYERS + 1)), DUEL)}
    return {name: file for name, file in files.items() if file.exists()}
