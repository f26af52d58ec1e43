"""Long calls: they stop on Ctrl-C, tell their progress, leave the interpreter free and survive a fork."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import kinfolk

LONG = {"nodes": 60, "arcs": 100, "rows": [3000] * 4, "states": [3, 4], "max_parents": 3, "seed": 1}


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_ctrl_c_stops_a_search_soon():
    program = textwrap.dedent(
        f"""
        import kinfolk, time
        data = kinfolk.read(kinfolk.simulate(**{LONG!r}).frames)
        print("ready", flush=True)
        try:
            kinfolk.learn(data, restarts=100_000, perturb=20)
        except KeyboardInterrupt:
            print("stopped", flush=True)
        """
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "stopped\n"
    assert process.wait() == 0


def test_the_interpreter_is_free_meanwhile_and_a_time_limit_ends_the_search():
    data = kinfolk.read(kinfolk.simulate(**LONG).frames)
    ticks, over = [], threading.Event()

    def tick():
        while not over.wait(0.01):
            ticks.append(1)

    ticking = threading.Thread(target=tick)
    ticking.start()
    learned = kinfolk.learn(data, restarts=100_000, perturb=20, time_limit=1)
    over.set()
    ticking.join()
    assert learned.stop == "time-limit"
    assert len(ticks) > 3


def test_progress_is_told_and_may_stop_the_work(capsys):
    data = kinfolk.read(kinfolk.simulate(**LONG).frames)
    told = []

    def note(moves, score, done, of):
        told.append((moves, score, done, of))
        if len(told) == 3:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        kinfolk.learn(data, restarts=100_000, perturb=20, progress=note)
    assert len(told) == 3
    assert told[0][3] >= told[0][2] >= 0
    kinfolk.learn(data, time_limit=0.3, progress=True)
    assert "learn" in capsys.readouterr().err


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_number_of_threads_changes_nothing(frames, threads):
    assert kinfolk.learn(frames, threads=threads).document == kinfolk.learn(frames).document


def score_in_child(frames):
    return kinfolk.learn(frames).score


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forked_processes_work(frames):
    expected = score_in_child(frames)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(score_in_child, [frames, frames]).get(timeout=600) == [expected, expected]
