"""What the tests of training share: tiny settings, and the weights of policies."""

import numpy as np

from ursuppe_env.teams import SCORES, Teams
from ursuppe_training.config import TrainingConfig
from ursuppe_training.kernels.outcome import write_outcomes
from ursuppe_training.networks.files import new_policy
from ursuppe_training.opponents.pool import OpponentPool
from ursuppe_training.opponents.seated import SeatedOpponents

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

MIXED = {"self": 0.4, "snapshots": 0.3, "random": 0.2, "grow": 0.1}


def weights(policy):
    return {name: tensor.cpu().numpy().copy() for name, tensor in policy.state_dict().items()}


def are_equal(one, other):
    return all(np.array_equal(one[name], other[name]) for name in one | other)


def silent(line):
    pass


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


def outcomes_of(games, teams=None):
    """(N, P, P, 3) what became of each seat of games that are over, seen from each."""
    players = games.num_players
    sides = Teams(tuple((seat,) for seat in range(players))) if teams is None else teams
    score = SCORES.index(sides.score)
    outcomes = np.empty((len(games), players, 3), np.float32)
    for row, game in enumerate(games.state):
        ruleset = games.rules[games.ruleset_index[row]]
        write_outcomes(game, ruleset, sides.team_of, len(sides), score, outcomes[row])
    return outcomes[:, (np.arange(players)[:, np.newaxis] + np.arange(players)) % players]


class Here:
    """In place of a process beside this one: does a job at once, where the process would take longer to begin."""

    def __init__(self, work, name):
        self.work = work
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


SMALL_OPTIONS = [
    "--set",
    "steps=600",
    "--set",
    "envs=8",
    "--set",
    "rollout=32",
    "--set",
    "evaluation_games=8",
    "--set",
    "report_games=4",
]
