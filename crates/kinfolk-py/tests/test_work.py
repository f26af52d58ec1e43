"""Long calls: they stop on Ctrl-C, report progress, release the interpreter and survive a fork."""

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
from kinfolk._render import progress as _progress

LONG = {"nodes": 60, "arcs": 100, "rows": [3000] * 4, "states": [3, 4], "max_parents": 3, "seed": 1}


CALLS = {
    "learn": "kinfolk.learn(data, restarts=100_000, perturb=20)",
    "explain": "kinfolk.explain(data, structure=empty, restarts=100_000, perturb=20)",
    "bootstrap": "kinfolk.bootstrap(data, replicates=100_000)",
    "validate": "kinfolk.validate(data, folds=100, restarts=1000, perturb=20)",
    "simulate": "kinfolk.simulate(nodes=1000, arcs=1000, rows=[10**6] * 4)",
}


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
@pytest.mark.parametrize("call", CALLS)
def test_ctrl_c_stops_long_calls_soon(call):
    program = textwrap.dedent(
        f"""
        import kinfolk, os, signal, threading, time
        # Tests started in the background may ignore the signal.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        data = kinfolk.read(kinfolk.simulate(**{LONG!r}).frames)
        empty = "".join(f"[{{name}}]" for name in data.variables)

        def interrupt():
            sent.append(time.monotonic())
            signal.raise_signal(signal.SIGINT)

        waits = []
        # A busy machine may be late; one that is never in time is not busy.
        while len(waits) < 20 and min(waits, default=9) > 1:
            sent = []
            timer = threading.Timer(1, interrupt)
            timer.start()
            try:
                {CALLS[call]}
            except KeyboardInterrupt:
                waits.append(time.monotonic() - sent[0])
        print(min(waits) <= 1, flush=True)
        # The interrupted work may still be running; it is not waited for.
        os._exit(0)
        """
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr


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


def test_notebooks_show_a_bar_without_being_asked(capsys, monkeypatch):
    data = kinfolk.read(kinfolk.simulate(**LONG).frames)
    monkeypatch.setattr(_progress, "_in_notebook", lambda: True)
    monkeypatch.setattr(_progress, "DELAY_SECONDS", 0.2)
    kinfolk.learn(data, restarts=100_000, time_limit=1, progress=False)
    assert capsys.readouterr().err == ""
    kinfolk.learn(data, restarts=100_000, time_limit=1)
    assert "learn" in capsys.readouterr().err
    monkeypatch.setattr(_progress, "DELAY_SECONDS", 3600)
    kinfolk.learn(data, restarts=100_000, time_limit=1)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("call", [kinfolk.bootstrap, kinfolk.validate, kinfolk.explain])
def test_other_long_calls_tell_their_progress_and_keep_to_a_time_limit(call):
    data = kinfolk.read(kinfolk.simulate(**LONG).frames)
    told = []
    options = {"structure": "".join(f"[{name}]" for name in data.variables), "restarts": 1000} if call is kinfolk.explain else {}
    found = call(data, time_limit=1, progress=lambda *progress: told.append(progress), **options)
    assert told and any(of > 0 for *_, of in told)
    assert (found.halted if call is kinfolk.explain else found.document["stop"]) == "time-limit"


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


def test_the_line_without_tqdm_estimates_the_time_left_of_each_count(capsys, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(_progress.time, "monotonic", lambda: now[0])
    line = _progress._Line()
    shown = []
    for later, *progress in [(0, 0, None, 2, 8), (10, 0, None, 4, 8), (10, 0, None, 8, 8), (0, 3, -1.5, 0, 8), (4, 3, -1.5, 2, 8)]:
        now[0] += later
        line.show(*progress)
        shown.append(capsys.readouterr().err.strip("\r").removesuffix("\033[K"))
    assert shown == [
        "2 of 8",
        "4 of 8, about 20 s left",
        "8 of 8",
        "3 moves, score -1.500, 0 of 8",
        "3 moves, score -1.500, 2 of 8, about 12 s left",
    ]
