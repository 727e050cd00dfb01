"""What the tests of training share: tiny settings, and the weights of policies."""

import sys
from pathlib import Path

import numpy as np

from ursuppe_env import Games
from ursuppe_lab.statistics import Interval
from ursuppe_training.config import TrainingConfig
from ursuppe_training.evaluation import job
from ursuppe_training.evaluation.evaluate import Evaluation, MatchupResult
from ursuppe_training.networks.files import new_policy
from ursuppe_training.opponents import OpponentPool, SeatedOpponents
from ursuppe_training.runs import run as runs
from ursuppe_training.runs.run import Run

TINY = TrainingConfig(
    seed=3,
    steps=1000,
    envs=16,
    rollout=32,
    batch_size=128,
    epochs=1,
    evaluation_pool=("random",),
    report_games=4,
    exploit_percent=0.0,
)

#: A run that is over at once.
BRIEF = TINY.changed({"steps": 48, "envs": 4, "rollout": 4, "batch_size": 16})

#: What is said of the speed where nobody tries it: decisions a second, and seconds.
SPEED, A_GAME = 400.0, 0.01

#: Of a best response.
EVALUATION_GAMES = 4

#: Settings of who plays together.
TEAMS = {
    "each seat for itself": {},
    "the duel": {"teams": "0+2,1+3"},
    "three teams": {"players": 6, "teams": "0+3,1+4,2+5", "score": "sum"},
}

MIXED = {"self": 0.4, "snapshots": 0.3, "random": 0.2, "grow": 0.1}


def weights(policy):
    return {name: tensor.cpu().numpy().copy() for name, tensor in policy.state_dict().items()}


def are_equal(one, other):
    return all(np.array_equal(one[name], other[name]) for name in one | other)


def silent(line):
    pass


def under_way(num_games, decisions, rulesets=None, seed=4):
    """Games in which so many decisions were taken at random, without those that are over."""
    games = Games(num_games, rulesets, seed=seed)
    games.play_random(decisions)
    return games.copy(np.flatnonzero(~games.finished))


class Table:
    """Who plays in these games.

    Attributes:
        pool: of the opponents that these settings name.
        seated: those in the seats of the games.
    """

    def __init__(self, config, games, pool=None):
        self.pool = OpponentPool(config, new_policy(config)) if pool is None else pool
        self.games = games
        self.seated = SeatedOpponents(len(games), self.pool)
        self.see()

    def see(self):
        return self.seated.see_who_acts(self.games.state).copy()

    def everyone(self):
        """(N, P) the number of the player in each seat."""
        player = self.games._states["player"]
        before, seats = player.copy(), []
        for seat in range(self.games.num_players):
            player[:] = seat
            seats.append(self.see())
        player[:] = before
        return np.stack(seats, axis=1)


class Here:
    """In place of a process beside this one: does a job at once, where the process would take longer to begin."""

    def __init__(self, work, name):
        self.work, self.name = work, name
        self.is_busy = self.is_ready = False

    def begin(self, job):
        assert not self.is_busy
        self.found = self.work(job)
        self.is_busy = self.is_ready = True

    def result(self):
        self.is_busy = self.is_ready = False
        return self.found

    def close(self):
        pass


RUN = TINY.changed(
    {"steps": 3000, "checkpoint_every": 600, "checkpoints": 2, "evaluate_every": 1500, "evaluation_games": 8}
)


def stop_after(run, decisions):
    """Ctrl-C when so many decisions of a rollout are collected, before they are learned from."""
    update = run.trainer.ppo.update

    def interrupted(*arguments):
        if run.trainer.decisions >= decisions:
            raise KeyboardInterrupt
        return update(*arguments)

    run.trainer.ppo.update = interrupted


def stop_begun(monkeypatch, number, decisions):
    """Ctrl-C when so many decisions of the run with this number, of all that are begun from now on, are collected.

    Returns a list that has the runs as soon as they are begun.
    """
    begin, begun = Run.begin, []

    def begin_and_stop(*arguments):
        begun.append(begin(*arguments))
        if len(begun) == number:
            stop_after(begun[-1], decisions)
        return begun[-1]

    monkeypatch.setattr(Run, "begin", begin_and_stop)
    return begun


def set_options(**settings):
    """Options of ``ursuppe train``."""
    return [f"--set={name}={value}" for name, value in settings.items()]


SMALL_OPTIONS = set_options(steps=600, envs=8, rollout=32, evaluation_games=8, report_games=4)


def evaluate_by(monkeypatch, evaluate):
    """Let runs call this in place of ``evaluate_policy``."""
    for module in (runs, job):
        monkeypatch.setattr(module, "evaluate_policy", evaluate)


def evaluation_of(share, opponent="grow", games=8, seed=0):
    """One in which the policy won this share of its games."""
    return Evaluation(seed, 0.25, (MatchupResult(opponent, games, Interval(share, None, None), (share,) * 4),))


#: Bots that do what their name says, in another process and when ``is_due``.
BOTS = """
import time
from pathlib import Path

from ursuppe_agents import Agent
from multiprocessing import parent_process


class First(Agent):
    def __init__(self, generator):
        super().__init__(generator)
        self.drawn_from = generator.bit_generator.seed_seq.entropy

    def act(self, games, rows):
        if parent_process() and self.is_due():
            self.misbehave()
        return games.copy(rows).legal().argmax(axis=1)

    def is_due(self):
        return True


class Crashing(First):
    def misbehave(self):
        raise ValueError("no food")


class Slow(First):
    def misbehave(self):
        Path("playing").touch()
        time.sleep(600)
"""


def repair_bots():
    """The bots of the module in the current folder do nothing wrong from now on."""
    Path("bots.py").write_text(BOTS.replace("parent_process()", "False"))
    sys.modules.pop("bots")
