"""Atomic writes of text files."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Optional


def write(path: Path, text: str) -> None:
    """Writes a file atomically: readers see the old or the new content."""
    try:
        handle, temporary = tempfile.mkstemp(prefix=".kinfolk-", dir=path.parent, text=False)
    except OSError as error:
        # Name the file that the caller asked for, not the temporary one.
        raise type(error)(error.errno, error.strerror, str(path)) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def write_figures(folder: Path, network: str, evidence: Optional[str]) -> None:
    """Writes the figures that exist into a folder, and creates it if needed."""
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "network.svg", network)
    if evidence is not None:
        write(folder / "evidence.svg", evidence)
