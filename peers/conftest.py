"""What every check against other programs needs: the command kinfolk, as a user would call it."""

import json
import os
import subprocess
from pathlib import Path

import pytest

BINARY = Path(os.environ["KINFOLK"])
ROOT = Path(__file__).resolve().parent.parent


def run(*arguments, cwd=None):
    """Runs kinfolk and gives what it printed on standard output; a failure carries its complaint."""
    call = [str(BINARY), *map(str, arguments)]
    done = subprocess.run(call, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(call)}\n{done.stderr}"
    return done.stdout


@pytest.fixture
def kinfolk():
    """Calls kinfolk with arguments; `kinfolk.json(...)` reads its JSON."""

    def call(*arguments, cwd=None):
        return run(*arguments, cwd=cwd)

    call.json = lambda *arguments, cwd=None: json.loads(run(*arguments, "--json", cwd=cwd))
    return call


@pytest.fixture
def clinics():
    """The example files."""
    return sorted((ROOT / "examples" / "clinics").glob("*.csv"))
