"""Where the policies come from that played: told in results, and another policy under the same name is another run."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from ursuppe_agents.policies.provenance import file_digest
from ursuppe_env import Ruleset
from ursuppe_lab.arena import Tournament, play_tournament
from ursuppe_lab.balance import GeneStudy, VariantStudy, compare_variants, measure_genes
from ursuppe_lab.jobs.folder import origin_of, origins_of
from ursuppe_training.networks.files import save_policy
from ursuppe_training.provenance import provenance_of

from support.policies import SMALL, random_policy


@pytest.fixture
def policy_file(tmp_path):
    """Of a policy of random weights."""
    path = tmp_path / "policy.zip"
    save_policy(random_policy(), SMALL, path, provenance_of(SMALL, 1234))
    return path


def files_of(folder):
    """What is in a folder, and when it was written."""
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}


def test_policies_and_searches_that_they_guide_come_from_a_file_others_do_not(policy_file):
    policy, guided = f"policy:{policy_file}", f"search:sims=4,policy={policy_file}"
    origins = origins_of([policy, "hunter", guided, "greedy", policy], [4, 4])
    assert list(origins) == [f"{policy} with 4 players", f"{guided} with 4 players"]
    for origin in origins.values():
        assert origin.digest == file_digest(policy_file)
        assert "1,234 decisions" in origin.in_words
    assert origin_of("policy:default", 3) != origin_of("policy:default", 4)
    with pytest.raises(ValueError, match="there is no agent"):
        origin_of("nobody", 4)


def play(what, spec, folder):
    """A run of each kind with one policy, or what is left of it."""
    if what == "arena":
        tournament = Tournament(lineups=((spec, "random", "random", "random"),), num_games=4)
        play_tournament(tournament, folder, workers=1)
        return
    settings = {"name": "one", "lineups": ((spec,),), "num_games": 4, "seed": 1, "variants": (("printed", Ruleset()),)}
    if what == "variants":
        compare_variants(VariantStudy(**settings, measures=("rounds",)), folder, workers=1)
    else:
        measure_genes(GeneStudy(**settings, rounds=(1,), bonus=5), folder, workers=1)


@pytest.mark.parametrize("what", ["arena", "variants", "genes"])
def test_results_tell_which_policy_played_and_another_one_is_another_run(what, policy_file, tmp_path):
    folder, spec = tmp_path / "out", f"policy:{policy_file},deterministic=true"
    play(what, spec, folder)
    name, digest = f"{spec} with 4 players", file_digest(policy_file)
    [(told, origin)] = json.loads((folder / "summary.json").read_text())["policies"].items()
    assert (told, origin["digest"]) == (name, digest)
    page = (folder / "report.html").read_text()
    assert "<h2>Trained policies</h2>" in page
    assert f"file {digest}, trained with 4 players on edition 1998 as printed, 1,234 decisions" in page
    play(what, spec, folder)  # nothing is left to do
    before = files_of(folder)
    save_policy(random_policy(seed=1), SMALL, policy_file)
    now = file_digest(policy_file)
    another = f"out holds the games of another policy: .* was file {digest}, and now it is {now}; give another folder"
    with pytest.raises(ValueError, match=another):
        play(what, spec, folder)
    assert files_of(folder) == before


EXAMPLES = Path(__file__).parents[2] / "examples"
BOT = """
from ursuppe_agents import Agent

class Bot(Agent):
    def __init__(self, generator, *, model: str = ""):
        super().__init__(generator)

    def act(self, games, rows):
        return games.copy(rows).legal().argmax(axis=1)
"""


@pytest.mark.parametrize(
    ("spec", "file"),
    [
        ("changed_bot:Bot", "changed_bot.py"),
        ("changed_bot:Bot:model=weights.npy", "weights.npy"),
        ("changed_bot:Bot:model=weights.npy", "changed_bot.py"),
        (f"process:{Path(sys.executable).name} bot.py", "bot.py"),
    ],
)
def test_a_bot_that_was_changed_is_another_run(spec, file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("changed_bot.py").write_text(BOT)
    Path("weights.npy").write_bytes(b"old")
    shutil.copy(EXAMPLES / "bot.py", "bot.py")
    monkeypatch.delitem(sys.modules, "changed_bot", raising=False)
    play("arena", spec, Path("out"))
    before = files_of(Path("out"))
    Path(file).write_bytes(Path(file).read_bytes() + b"\n")
    says = re.escape(f"out holds the games of another version of an agent: {file} of {spec} was file ")
    with pytest.raises(ValueError, match=says):
        play("arena", spec, Path("out"))
    assert files_of(Path("out")) == before


def test_without_policies_nothing_is_told_of_them(tmp_path):
    play("arena", "hunter", tmp_path / "out")
    assert "policies" not in json.loads((tmp_path / "out/settings.json").read_text())
    assert "policies" not in json.loads((tmp_path / "out/summary.json").read_text())
    assert "Trained policies" not in (tmp_path / "out/report.html").read_text()
