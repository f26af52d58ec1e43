"""Shared fixtures: the example files, as paths and as frames, and the command kinfolk."""

import json
import os
import subprocess
from pathlib import Path

import pandas
import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def command():
    """Calls the command kinfolk and reads its JSON."""

    def call(*arguments):
        done = subprocess.run([os.environ["KINFOLK"], *map(str, arguments), "--json"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return call


@pytest.fixture(scope="session")
def paths():
    """The example files."""
    return sorted((ROOT / "examples" / "clinics").glob("*.csv"))


@pytest.fixture(scope="session")
def frames(paths):
    """The example files as frames, by data set."""
    return {path.stem: pandas.read_csv(path) for path in paths}


@pytest.fixture(scope="session")
def stacked(frames):
    """The example files as one frame with the column `clinic`."""
    return pandas.concat([frame.assign(clinic=name) for name, frame in frames.items()], ignore_index=True)
