"""When a run has been trained, its exploitability is measured, on dice of its own."""

import json
import math
import re

import pytest
import torch

from ursuppe_agents.policies.files import read_provenance, read_temperature
from ursuppe_env.line import in_minutes
from ursuppe_training.evaluation.evaluate import read_evaluation
from ursuppe_training.exploit import finished_run, speed
from ursuppe_training.exploit.finished_run import announcement, finish
from ursuppe_training.runs.run import Run

from support.training import A_GAME, EVALUATION_GAMES, SPEED, TINY, silent

CONFIG = TINY.changed(
    {"steps": 256, "envs": 8, "rollout": 16, "evaluation_games": 4, "exploit_percent": 5.0, "temperature": 0.5}
)


pytestmark = pytest.mark.usefixtures("short_measurements")


class Stopped(Exception):
    pass


@pytest.fixture(scope="module")
def whole(short_measurements, tmp_path_factory):
    """A run that was measured without an interruption, and what it said."""
    folder, said = tmp_path_factory.mktemp("runs") / "whole", []
    Run.begin(folder, CONFIG, said.append, threads=1).train(finish=finish)
    return folder, said


def test_a_run_ends_with_a_lower_bound_of_its_exploitability(whole):
    folder, said = whole
    assert read_temperature(folder / "best.zip") == 0.5
    assert read_provenance(folder / "best.zip").decisions >= 256
    found = json.loads((folder / "evaluation.json").read_text())["exploitability"]
    assert (found["is"], found["percent"], found["seeds"], found["games"]) == ("a lower bound", 5.0, [0], 4)
    assert found["wins"]["estimate"] - found["chance"] == pytest.approx(found["gain"]["estimate"])
    assert read_evaluation(folder / "evaluation.json").results
    assert (folder / "exploitability" / "report.html").exists()
    assert {path.name for path in (folder / "exploitability" / "runs").iterdir()} == {"own-weights-5-percent-seed-0"}
    assert any("an interval needs at least 10 seeds" in line for line in said)


def test_a_measurement_that_is_interrupted_again_and_again_goes_on(whole, tmp_path):
    folder = tmp_path / "run"
    run = Run.begin(folder, CONFIG, silent, threads=1)
    for doing in ("games of the best policy", "exploitability: best responses", "exploitability: games to report"):

        def stop(now, doing=doing):
            if now.doing.startswith(doing):
                raise Stopped

        with pytest.raises(Stopped):
            run.train(stop, finish)
        run = Run.resume(folder, silent, threads=1)
    run.train(finish=finish)
    for name in ("evaluation.json", "best.zip"):
        assert (folder / name).read_bytes() == (whole[0] / name).read_bytes(), name


def test_a_run_that_was_measured_has_nothing_left_to_do(whole, monkeypatch):
    def nothing(*_, **__):
        raise AssertionError("something was measured again")

    monkeypatch.setattr(finished_run, "measure_exploitability", nothing)
    Run.resume(whole[0], silent, threads=1).train(finish=finish)


@pytest.mark.parametrize("changes", [{"exploit_percent": 0.0}, {"report_games": 0}])
def test_nothing_is_measured_where_that_is_not_wanted(changes, tmp_path):
    run = Run.begin(tmp_path / "run", CONFIG.changed(changes), silent, threads=1)
    run.train(finish=finish)
    assert not (tmp_path / "run" / "exploitability").exists()
    assert (tmp_path / "run" / "evaluation.json").exists() == (run.config.report_games > 0)


def test_what_is_measured_after_training_is_announced_with_its_time(whole):
    evaluations = math.ceil(256 / max(CONFIG.evaluate_every, 8 * 16))
    on_the_way = evaluations * len(CONFIG.evaluation_pool) * CONFIG.evaluation_games
    training = in_minutes(256 / SPEED + A_GAME * on_the_way + 5)
    decisions, games = 0.05 * 256, 0
    for folder in ("selection", "report"):
        settings = json.loads((whole[0] / "exploitability" / folder / "settings.json").read_text())
        games += (4 if folder.endswith("report") else 2) * len(settings["lineups"])
    report = 4
    evaluated = 2 * EVALUATION_GAMES  # what the best response begins and ends with
    starts = 1 + 3  # a process beside it, and those for each of the three lots of games
    said = announcement(CONFIG, "cpu", 1)
    assert said.startswith(f"Training takes about {training}; then the best policy is measured for about ")
    learned, played = (int(re.search(rf"([\d,]+) {what}", said)[1].replace(",", "")) for what in ("decisions", "games"))
    assert learned == pytest.approx(decisions, abs=1)
    games += report
    assert games <= played - evaluated <= 2 * games  # at most: two checkpoints of a best response may be tried
    assert f"about {in_minutes(learned / SPEED + A_GAME * played + 5 * starts)}: " in said
    changes = {"steps": 10**9, "minutes": 2.0, "evaluate_every": 10**9, "exploit_percent": 0.0}
    by_time = announcement(CONFIG.changed(changes), "cpu", 1)
    assert by_time.startswith("Training takes about 2 minutes; ")
    assert "best responses" not in by_time
    assert announcement(CONFIG.changed({"report_games": 0}), "cpu", 1) == f"Training takes about {training}."


def test_the_first_trial_of_the_speed_may_spend_its_time_on_compiling(monkeypatch):
    rollouts = iter([1, 3])

    class Compiling:
        def __init__(self, *_):
            self.decisions, self.seconds = 0, 0.0

        def run(self, on_rollout):
            for _ in range(next(rollouts)):
                on_rollout()
                self.decisions, self.seconds = self.decisions + 100, self.seconds + 2.0

    monkeypatch.setattr(speed, "Trainer", Compiling)
    assert speed.tried_speed(CONFIG, "cpu") == 50


def test_the_speed_of_a_best_response_is_tried_with_one_learner_among_fixed_policies(monkeypatch):
    tried = []
    trial = [(0, 0.0), (100, 1.0), (300, 2.0)]
    monkeypatch.setattr(speed, "_trial", lambda config, *_: tried.append(config) or trial)
    assert speed.tried_speed(CONFIG, "cpu") == 200
    assert speed.tried_speed(CONFIG, "cpu", None, True) == 200
    assert [dict(config.opponents) == CONFIG.opponents for config in tried] == [True, False]
    [(opponent, weight)] = tried[1].opponents.items()
    assert (opponent.startswith("policy:"), weight, tried[1].teachers) == (True, 1.0, ())


@pytest.mark.parametrize("others", [None, "hunter"])
def test_the_time_of_a_game_is_tried_without_a_change_of_the_dice_of_training(others, monkeypatch):
    state, play, played = torch.random.get_rng_state(), speed.play_tournament, []
    monkeypatch.setattr(speed, "play_tournament", lambda one, **how: (played.append(one), play(one, **how)))
    assert 0 < speed.tried_seconds_a_game(CONFIG, others) < 1
    assert torch.equal(torch.random.get_rng_state(), state)
    [lone, *rest] = played[-1].lineups[0]
    assert lone.startswith("policy:")
    assert rest == [others or lone] * 3
