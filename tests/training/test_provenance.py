"""Where a policy comes from, as its file says, and what is said when it plays elsewhere."""

import json
import re
import warnings

import numpy as np
import pytest

from ursuppe_agents import make_agent
from ursuppe_agents.evaluator import TrainedElsewhereWarning
from ursuppe_agents.policies import agent as policy_agent
from ursuppe_agents.policies import files as policy_files
from ursuppe_agents.policies.files import read_provenance
from ursuppe_agents.policies.provenance import file_digest
from ursuppe_env import Games, Ruleset, cli
from ursuppe_lab.arena import Tournament, play_tournament
from ursuppe_training.config import NOT_LEARNED_BY, read_config
from ursuppe_training.exploit.evaluated import evaluated_agent
from ursuppe_training.exploit.study import budgets_of
from ursuppe_training.networks import files as models
from ursuppe_training.networks.files import save_policy
from ursuppe_training.provenance import OF_POLICIES, provenance_of, settings_digest
from ursuppe_training.runs.run import Run

from support.command import ursuppe
from support.policies import SMALL, announced, random_policy
from support.training import BRIEF, silent


@pytest.fixture
def policy_file(tmp_path):
    save_policy(random_policy(), SMALL, tmp_path / "policy.zip", provenance_of(SMALL, 1234))
    return tmp_path / "policy.zip"


@pytest.fixture(autouse=True)
def nothing_was_announced(monkeypatch):
    monkeypatch.setattr(policy_agent, "_announced", set())


def test_a_file_says_what_the_policy_was_trained_on(policy_file):
    found = read_provenance(policy_file)
    assert found == provenance_of(SMALL, 1234)
    assert (found.players, found.edition, found.ruleset, found.decisions, found.seed) == (4, "1998", {}, 1234, 0)
    assert (found.initial_policy, found.preset, found.settings) == (None, None, settings_digest(SMALL))
    assert found.played == SMALL.ruleset
    assert found.versions["numpy"] == np.__version__
    assert found.in_words() == (
        f"trained with 4 players on edition 1998 as printed, 1,234 decisions; settings {found.settings}, seed 0, "
        f"commit {found.commit}{' with changed files' if found.dirty else ''}"
    )
    assert "an unknown number of decisions" in found.changed({"decisions": None}).in_words()
    begun = found.changed({"initial_policy": file_digest(policy_file), "preset": "standard"})
    assert f"decisions, begun from policy {file_digest(policy_file)}; preset standard, seed 0" in begun.in_words()


def test_what_was_learned_before_counts_too(policy_file, tmp_path):
    settings = {"steps": 48, "envs": 4, "rollout": 4, "batch_size": 16, "evaluation_games": 4, "report_games": 0}
    first, config = policy_file, SMALL.changed(settings)
    for name, before in (("second", 1234), ("third", None)):
        Run.begin(tmp_path / name, config.changed({"initial_policy": str(first)}), silent).train()
        found, initial = read_provenance(tmp_path / name / "latest.zip"), read_provenance(first)
        assert found.decisions_before == initial.all_decisions == (before or initial.decisions + 1234)
        assert found.all_decisions == found.decisions + found.decisions_before
        assert f"begun from policy {file_digest(first)} of {found.decisions_before:,}; settings" in found.in_words()
        first = tmp_path / name / "latest.zip"
    evaluated = evaluated_agent(f"policy:{first}")
    assert evaluated.decisions == read_provenance(first).all_decisions
    [budget] = budgets_of(evaluated, percent=[10])
    assert budget.decisions == -(-evaluated.decisions // 10)


def test_the_policies_and_the_folder_of_a_run_tell_the_same(tmp_path):
    Run.begin(tmp_path / "run", BRIEF.changed({"evaluation_games": 4, "edition": "1997"}), silent).train()
    found = read_provenance(tmp_path / "run" / "best.zip").model_dump()
    of_policy = {name: found.pop(name) for name in OF_POLICIES}
    assert of_policy.pop("decisions") >= 48
    assert not any(of_policy.values())  # it is the mean of nothing, and as it was trained
    assert (found["edition"], found["seed"]) == ("1997", 3)
    of_run = json.loads((tmp_path / "run" / "provenance.json").read_text())
    assert {name: of_run[name] for name in found} == found


def test_the_digest_of_settings_is_that_of_what_is_learned():
    config = read_config("standard")
    for name in ("quick", "standard"):
        assert provenance_of(read_config(name)).preset == name
    same = {"seed": 7, "report_games": 3, "evaluation_pool": ["random"], "checkpoints": 1, "evaluate_every": 5}
    assert set(same) - {"seed"} <= NOT_LEARNED_BY
    assert settings_digest(config.changed(same)) == settings_digest(config)
    others = {"batch_size": 9, "edition": "1997", "opponents": {"self": 1, "greedy": 1}, "steps": 1, "gae_lambda": 0.9}
    for other in ({name: value} for name, value in others.items()):
        assert settings_digest(config.changed(other)) != settings_digest(config)
        assert provenance_of(config.changed(other)).preset is None


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"decisions": -1}, "decisions is -1; it must be an integer from 0 to 9223372036854775807 or nothing"),
        ({"decisions": 2**63}, "decisions is 9223372036854775808; it must be"),
        ({"decisions": "many"}, "decisions is 'many'"),
        ({"decisions": 1.5}, "decisions is 1.5"),
        ({"seed": 2**32}, "seed is 4294967296"),
        ({"preset": "\x1b[31m"}, "preset is '\\x1b[31m'; it must be a text, such as standard"),
        ({"preset": "s" * 41}, "preset is 'sss"),
        ({"settings": "ABCDEF0123456789"}, "settings is 'ABCDEF0123456789'; it must be a text, such as 0123456789"),
        ({"initial_policy": "../best.zip"}, "initial_policy is '../best.zip'"),
        ({"commit": "main"}, "commit is 'main'; it must be a text, such as 0123456789"),
        ({"dirty": 0}, "dirty is 0; it must be true or false"),
        ({"versions": {"numpy": "\n"}}, r"versions.numpy is '\n'"),
        ({"versions": {f"p{number}": "1" for number in range(17)}}, "versions is {"),
        ({"ruleset": {"speed": 3}}, "a ruleset has no field 'speed'"),
        ({"ruleset": {"players": 3}}, "'players' cannot be among the changes of a ruleset"),
        ({"ruleset": {"price": {"speed": 10**9}}}, "price of speed is 1000000000"),
        ({"ruleset": []}, "ruleset is \\[\\]; it must be a table"),
    ],
)
def test_what_no_training_would_say_is_refused(said, message, policy_file):
    message = message if message.startswith("ruleset") else re.escape(message)
    with pytest.raises(ValueError, match=message):
        provenance_of(SMALL).changed(said)
    change_description(policy_file, **said)
    for read in (read_provenance, models.load_policy):
        with pytest.raises(ValueError, match=r"policy\.zip is damaged, or no policy of `ursuppe train`: ") as error:
            read(policy_file)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["ruleset", "decisions", "seed", "settings", "versions"])
def test_a_file_that_does_not_say_where_it_comes_from_is_refused(name, policy_file):
    change_description(policy_file, **{name: ...})
    for read in (read_provenance, models.load_policy):
        with pytest.raises(ValueError, match=rf"ursuppe_policy\.json lacks {name}$"):
            read(policy_file)


def test_a_file_from_before_rulesets_varied_was_trained_with_the_given_one(policy_file):
    change_description(policy_file, rulesets=...)
    assert read_provenance(policy_file) == provenance_of(SMALL, 1234)


def change_description(path, **said):
    """Change what a policy's file says of it; ``...``: say nothing."""
    with policy_files.zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    description = {**json.loads(members[policy_files.DESCRIPTION]), **said}
    description = {name: value for name, value in description.items() if value is not ...}
    path.write_bytes(policy_files._archive({**members, policy_files.DESCRIPTION: json.dumps(description).encode()}))


def test_another_edition_or_ruleset_is_announced_once(policy_file):
    spec, trained = f"policy:{policy_file}", "was trained on edition 1998 as printed; here it plays"
    assert announced(spec, Ruleset()) == []
    assert announced(spec, Ruleset(edition="1997")) == [f"{spec} {trained} edition 1997 as printed"]
    assert announced(spec, Ruleset(edition="1997")) == []
    changed = Ruleset(income=12, price={"speed": 5})
    told = f"{spec} {trained} edition 1998 with changed income, price"
    assert announced(f"{spec},deterministic=true", changed) == [told]
    assert announced(spec, changed.replace(income=13)) == []  # said in the same words
    assert announced(spec, [Ruleset(), Ruleset(edition="1997")]) == []
    assert announced(spec, [Ruleset(edition="1997"), Ruleset(income=9)]) == [f"{spec} {trained} several other rulesets"]


def test_what_counts_is_what_the_policy_was_trained_on(tmp_path):
    path = tmp_path / "policy.zip"
    changes = {"income": 12}
    save_policy(random_policy(), SMALL, path, provenance_of(SMALL).changed({"edition": "1997", "ruleset": changes}))
    assert announced(f"policy:{path}", Ruleset(edition="1997", income=12)) == []
    [told] = announced(f"policy:{path}", Ruleset(edition="1997"))
    assert told.endswith("was trained on edition 1997 with changed income; here it plays edition 1997 as printed")


def test_who_gets_ready_announces_nothing(policy_file):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make_agent(f"policy:{policy_file}", 0).prepare(Games(1, Ruleset(edition="1997")))
    with pytest.raises(ValueError, match="the policy was trained with 4 players; these games have 3"):
        make_agent(f"policy:{policy_file}", 0).prepare(Games(1, Ruleset(players=3)))


def test_a_search_that_asks_a_policy_announces_it_too(policy_file):
    [text] = announced(f"search:sims=40,policy={policy_file}", Ruleset(edition="1997"))
    assert text.startswith(f"policy:{policy_file} was trained on edition 1998")


def test_the_arena_announces_it_once_for_all_its_workers(policy_file, capfd):
    spec = f"policy:{policy_file}"
    lineups = ((spec, "random", "random", "random"), ("random", spec, spec, spec))
    tournament = Tournament(lineups=lineups, num_games=16, ruleset=Ruleset(edition="1997"))
    with pytest.warns(TrainedElsewhereWarning) as caught:
        play_tournament(tournament, workers=2)
    assert len(caught) == 1
    assert "TrainedElsewhere" not in capfd.readouterr().err  # of the workers


def test_a_command_prints_it_as_one_line_on_stderr(policy_file, tmp_path, capsys, monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        monkeypatch.setattr(warnings, "showwarning", cli._show_warning)
        spec = f"policy:{policy_file}"
        options = ["--agents", spec, "--edition", "1997", "--games", "2", tmp_path / "games.jsonl"]
        status, out, err = ursuppe(capsys, "record", *options)
    assert err == f"ursuppe: {spec} was trained on edition 1998 as printed; here it plays edition 1997 as printed\n"
    assert (status, "trained" in out) == (0, False)
