"""Fixtures of the tests: the command kinfolk, and a browser for its page."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

BINARY = Path(os.environ["KINFOLK"])
ROOT = Path(__file__).resolve().parent.parent
FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync --window-size=1300,900""".split()


def run(*arguments, cwd=None):
    """Runs kinfolk and returns its standard output; a failure includes its message."""
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


@pytest.fixture(scope="module")
def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        for flag in [*FLAGS, f"--user-data-dir={profile}"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        yield driver
        driver.quit()


@pytest.fixture
def open_page(browser):
    """Opens a page; at the end of the test the console must be empty and only the file may have been requested."""
    opened = []

    def go(path):
        browser.get_log("browser"), browser.get_log("performance")
        opened.append(path.as_uri())
        browser.get(opened[-1])
        return browser

    yield go
    assert browser.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
    # Requests of the browser's own start page are ignored.
    asked = {request["request"]["url"] for request in sent if request["documentURL"] in opened}
    assert set(opened) & asked
    assert {url for url in asked if not url.startswith(("data:", "blob:"))} <= set(opened)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")
