"""One ``Games`` in several threads at once: refused, and never corrupted."""

import copy
import pickle
import threading
from collections.abc import Callable
from operator import methodcaller

import numpy as np
import pytest

from ursuppe_env import Games, UrsuppeVector

WHAT_THEY_ASK: dict[str, Callable[[Games], object]] = {
    "step": lambda games: games.step(np.zeros(2, int)),
    "step in rows": lambda games: games.step([0], rows=[0]),
    "resolve": lambda games: games.resolve([None, None]),
    "to_dict": lambda games: games.to_dict(0),
    "chance": lambda games: games.chance(0),
    "svg": lambda games: games.svg(0),
    "pickle": pickle.dumps,
    "deepcopy": copy.deepcopy,
    **{name: methodcaller(name) for name in ("step_random", "play_random", "reset", "draw", "resume")},
    **{name: methodcaller(name) for name in ("legal", "observe", "copy")},
}


@pytest.fixture
def busy(monkeypatch):
    """Games in the middle of a step that another thread takes."""
    games = Games(2, seed=1)
    inside, go_on = threading.Event(), threading.Event()
    run = Games._run

    def run_slowly(self: Games, *arguments: object) -> None:
        if self is games:
            inside.set()
            go_on.wait(60)
        run(self, *arguments)

    monkeypatch.setattr(Games, "_run", run_slowly)
    thread = threading.Thread(target=games.step_random)
    thread.start()
    assert inside.wait(60)
    yield games
    go_on.set()
    thread.join()
    twin = Games(2, seed=1)
    twin.step_random()
    assert (games.state == twin.state).all()
    games.step_random()


@pytest.mark.parametrize("what", WHAT_THEY_ASK)
def test_what_comes_during_a_change_is_refused_and_changes_nothing(busy: Games, what: str):
    before = busy.state.tobytes()
    with pytest.raises(RuntimeError, match="another thread is changing this Games; it is for one thread at a time"):
        WHAT_THEY_ASK[what](busy)
    assert busy.state.tobytes() == before


def in_threads(number: int, work: Callable[[], None]) -> None:
    barrier = threading.Barrier(number)

    def begin() -> None:
        barrier.wait()
        work()

    threads = [threading.Thread(target=begin) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_eight_threads_cannot_corrupt_games():
    games, twin = Games(3000, seed=2, threads=1), Games(3000, seed=2, threads=1)
    taken, refused = [], []

    def work() -> None:
        for _ in range(40):
            try:
                games.step_random()
                taken.append(1)
            except RuntimeError:
                refused.append(1)

    in_threads(8, work)
    for _ in taken:
        twin.step_random()
    assert (games.state == twin.state).all()
    assert refused, "or this test shows nothing"


def test_each_thread_has_games_of_its_own():
    alone = Games(2, seed=3)
    alone.play_random()
    ends: list[np.ndarray] = []

    def work() -> None:
        env = UrsuppeVector(2, autoreset=False)
        env.reset(seed=3)
        env.games.play_random()
        ends.append(env.games.markers)

    in_threads(4, work)
    assert len(ends) == 4
    assert all((end == alone.markers).all() for end in ends)


def test_after_an_error_in_the_middle_the_games_are_free_again(monkeypatch):
    games = Games(2, seed=5)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Games, "_run", interrupt)
        for call in (games.step_random, lambda: games.step([np.flatnonzero(row)[0] for row in games.legal()])):
            with pytest.raises(KeyboardInterrupt):
                call()
    games.step_random()
