"""Jobs in processes: those that tell how far they are, and the one that is done beside everything else."""

import itertools
import multiprocessing
import os
import signal
import time
from contextlib import closing
from multiprocessing.connection import Connection

import pytest

from ursuppe_env.files import atomic_file, atomic_folder
from ursuppe_env.jobs import Beside, run_in_order, run_jobs


def count(job, tell):
    for number in range(job):
        tell((job, number))
    return multiprocessing.parent_process() is not None


def fail(job, tell):
    tell(job)
    raise ValueError(f"job {job}")


@pytest.mark.parametrize("workers", [1, 2])
def test_what_jobs_tell_is_heard_before_their_results(workers):
    heard, done = [], []
    for job, in_worker in run_jobs(count, [3, 0, 2], workers, heard.append):
        assert [number for told, number in heard if told == job] == list(range(job))
        assert in_worker == (workers == 2)
        done.append(job)
    assert sorted(done) == [0, 2, 3]


@pytest.mark.parametrize("workers", [1, 2])
def test_what_a_job_told_before_it_failed_is_heard(workers):
    heard = []
    with (
        pytest.raises(ValueError, match="job 7"),
        closing(run_jobs(fail, [7, 7], workers, heard.append)) as all_,
    ):
        list(all_)
    assert 7 in heard


def write_for_long(folder, tell):
    with atomic_file(folder / "file") as file, atomic_folder(folder / "folder") as write:
        file.write(b"half")
        write("file", b"half")
        tell("writing")
        time.sleep(600)


def test_workers_that_are_ended_leave_nothing_half_written(tmp_path):
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()

    def end_all(_):
        assert list(tmp_path.rglob("*.unfinished"))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), closing(run_jobs(write_for_long, folders, 2, end_all)) as all_:
        list(all_)
    assert [list(folder.iterdir()) for folder in folders] == [[], []]


def done_beside(job):
    if job == "die":
        os._exit(1)
    if job == "wait":
        time.sleep(600)
    if job == "fail":
        raise KeyError(job)
    return job, os.getpid(), os.nice(0) if hasattr(os, "nice") else None


def test_a_process_beside_this_one_does_one_job_after_another_and_yields_to_it():
    with closing(Beside(done_beside, "the helper")) as beside:
        assert not beside.is_busy
        with pytest.raises(RuntimeError, match="there is no job"):
            beside.result()
        beside.begin("one")
        with pytest.raises(RuntimeError, match="whose result nobody has taken"):
            beside.begin("two")
        deadline = time.monotonic() + 60
        while not beside.is_ready and time.monotonic() < deadline:
            time.sleep(0.01)
        one, process, niceness = beside.result()
        beside.begin("two")
        assert beside.is_busy
        two, same_process, _ = beside.result()
        assert (one, two) == ("one", "two")
        assert process == same_process != os.getpid()
        if hasattr(os, "nice"):
            assert niceness == min(os.nice(0) + 5, 19)
        beside.begin("fail")
        with pytest.raises(KeyError, match="fail"):
            beside.result()
        assert not beside.is_busy
        beside.begin("wait")  # is ended in the midst of it
    assert (beside.is_busy, time.monotonic() < deadline) == (False, True)


def test_the_death_of_the_process_beside_is_told_once_and_by_name():
    with closing(Beside(done_beside, "the helper")) as beside:
        beside.begin("die")
        with pytest.raises(ChildProcessError, match=r"^the helper died; was there too little memory\? A script must"):
            beside.result()
        with pytest.raises(ChildProcessError, match=r"^the helper died"):
            beside.begin("one")


def tell_and_wait(job, tell):
    tell(job)
    time.sleep(600)


@pytest.mark.parametrize("moment", [(signal, "signal"), (Connection, "close")])
def test_a_second_interrupt_as_the_clean_up_begins_ends_the_workers_all_the_same(moment, monkeypatch, capfd):
    owner, name = moment
    original = getattr(owner, name)
    pressed = []

    def interrupted_at_first(*arguments):
        if not pressed:
            pressed.append(name)
            signal.raise_signal(signal.SIGINT)
        return original(*arguments)

    def tell(_):
        monkeypatch.setattr(owner, name, interrupted_at_first)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), closing(run_jobs(tell_and_wait, itertools.count(), 2, tell)) as all_:
        list(all_)
    assert pressed == [name]
    assert multiprocessing.active_children() == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert capfd.readouterr() == ("", "")


def sleep_for(seconds):
    time.sleep(seconds)
    return seconds


@pytest.mark.parametrize("workers", [1, 2])
def test_results_wait_for_those_of_earlier_jobs(workers):
    assert list(run_in_order(sleep_for, [0.3, 0.0, 0.1, 0.0], workers)) == [0.3, 0.0, 0.1, 0.0]
    assert list(run_in_order(sleep_for, [], workers)) == []


@pytest.mark.parametrize("workers", [0, 2.5])
def test_there_must_be_a_worker(workers):
    with pytest.raises(ValueError, match=f"workers is {workers}; it must be an integer of at least 1"):
        run_jobs(abs, [1], workers=workers)


def cores_beside_another(folder):
    """Of this process, once two are at work."""
    (folder / f"{os.getpid()}").touch()
    while len(list(folder.iterdir())) < 2:
        time.sleep(0.01)
    return sorted(os.sched_getaffinity(0))


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="the system does not say which cores a process has")
def test_each_worker_has_cores_of_its_own(tmp_path):
    everything = sorted(os.sched_getaffinity(0))
    seen = [mine for _, mine in run_jobs(cores_beside_another, [tmp_path] * 2, workers=2)]
    assert sorted(seen) == sorted([everything[0::2], everything[1 % len(everything) :: 2]])


def test_jobs_are_made_when_workers_are_about_to_need_them():
    made = []
    jobs = (made.append(job) or job for job in itertools.count())
    with closing(run_jobs(abs, jobs, workers=2)) as all_:
        for done in range(1, 11):
            next(all_)
            assert len(made) <= done + 4
