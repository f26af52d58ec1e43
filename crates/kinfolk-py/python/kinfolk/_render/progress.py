"""Progress of long calls: a tqdm bar if installed, otherwise one line on standard error, or a callback."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Callable, Optional

if TYPE_CHECKING:
    from .._typing import Progress

#: Seconds before a notebook shows a bar; shorter calls need none.
DELAY_SECONDS = 1.0

Show = Callable[[int, Optional[float], int, int], object]


@contextmanager
def watch(progress: Progress, title: str) -> Iterator[Optional[Show]]:
    """The function that the compiled module reports progress to: the caller's, that of a bar, or None.

    By default only notebooks show a bar, after :data:`DELAY_SECONDS` seconds.
    """
    if callable(progress):
        yield progress
    elif progress or (progress is None and _in_notebook()):
        bar = _Bar(title, 0.0 if progress else DELAY_SECONDS)
        try:
            yield bar.show
        finally:
            bar.close()
    else:
        yield None


def _in_notebook() -> bool:
    """Whether this runs in a notebook kernel."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and getattr(shell, "kernel", None) is not None


class _Bar:
    """A progress bar that appears after a delay."""

    def __init__(self, title: str, after: float):
        self.title = title
        self.start = time.monotonic() + after
        self.shown: Optional[tuple[Show, Callable[[], object]]] = None

    def show(self, moves: int, score: Optional[float], done: int, of: int) -> None:
        if self.shown is None and time.monotonic() >= self.start:
            self.shown = _make_bar(self.title)
        if self.shown is not None:
            self.shown[0](moves, score, done, of)

    def close(self) -> None:
        if self.shown is not None:
            self.shown[1]()


def _make_bar(title: str) -> tuple[Show, Callable[[], object]]:
    """Functions that update and close a new bar."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Line().show, lambda: print(file=sys.stderr)
    bar = tqdm(desc=title, unit="part")

    def show(moves: int, score: Optional[float], done: int, of: int) -> None:
        bar.total, bar.n = of or None, done
        if score is not None:
            bar.set_postfix({"moves": moves, "score": f"{score:.3f}"}, refresh=False)
        bar.refresh()

    return show, bar.close


class _Line:
    """One line on standard error, with an estimate of the time left for the parts that are counted."""

    def __init__(self) -> None:
        # When the count began, what was done then, and of how many.
        self.began = (time.monotonic(), 0, 0)
        self.last = -1

    def show(self, moves: int, score: Optional[float], done: int, of: int) -> None:
        if of != self.began[2] or done < self.last:
            self.began = (time.monotonic(), done, of)
        self.last = done
        found = "" if score is None else f"{moves} moves, score {score:.3f}, "
        print(f"\r{found}{done} of {of}{self._left(done, of)}\033[K", end="", file=sys.stderr, flush=True)

    def _left(self, done: int, of: int) -> str:
        start, before, _ = self.began
        if done <= before or done >= of:
            return ""
        return f", about {int((time.monotonic() - start) * (of - done) / (done - before))} s left"
