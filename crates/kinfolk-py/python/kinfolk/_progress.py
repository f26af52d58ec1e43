"""Progress of long calls: a bar if tqdm is installed, one line on standard error otherwise, or whatever the caller does."""

from __future__ import annotations

import sys
from contextlib import contextmanager


@contextmanager
def watch(progress, title):
    """What the compiled module calls now and then: nothing, the caller's own function, or a bar."""
    if progress is None or progress is False:
        yield None
    elif callable(progress):
        yield progress
    else:
        show, close = _bar(title)
        try:
            yield show
        finally:
            close()


def _bar(title):
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _line, lambda: print(file=sys.stderr)
    bar = tqdm(desc=title, unit="part")

    def show(moves, score, done, of):
        bar.total, bar.n = of or None, done
        if score is not None:
            bar.set_postfix({"moves": moves, "score": f"{score:.3f}"}, refresh=False)
        bar.refresh()

    return show, bar.close


def _line(moves, score, done, of):
    text = f"{done} of {of}" if score is None else f"{moves} moves, score {score:.3f}, {done} of {of}"
    print(f"\r{text}\033[K", end="", file=sys.stderr, flush=True)
