"""Fixtures of the tests: the command kinfolk, and a browser for its page."""

import csv
import json
import os
import random
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


#: Windows in which pages are looked at.
SIZES = {"phone": (390, 844), "laptop": (1280, 720), "screen": (1440, 900)}


def resize(browser, width, height, dark=False, media=""):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
    features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})


@pytest.fixture
def sized(open_page, browser):
    """Opens a page in a window of this size."""

    def go(path, width, height, dark=False):
        resize(browser, width, height, dark)
        return open_page(path)

    yield go
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """The pages that several tests look at, made once."""
    pages = tmp_path_factory.mktemp("made")
    clinics = sorted((ROOT / "examples" / "clinics").glob("*.csv"))
    run("report", *clinics, "--out", pages / "clinics.html")
    run("simulate", "--nodes", 6, "--arcs", 6, "--data-sets", 60, "--rows", 40, "--seed", 2, "--out", pages / "sixty")
    run("report", *sorted((pages / "sixty").glob("data_*.csv")), "--structure", pages / "sixty" / "truth.json", "--out", pages / "sixty.html")
    run("simulate", "--nodes", 100, "--arcs", 120, "--data-sets", 40, "--rows", 30, "--seed", 3, "--out", pages / "hundred")
    files = sorted((pages / "hundred").glob("data_*.csv"))
    run("report", *files, "--structure", pages / "hundred" / "truth.json", "--score", "bic", "--out", pages / "hundred.html")
    draw = random.Random(1)
    write(pages / "apart.csv", ["site", "A", "B", "C"], [[site, *(draw.choice("xyz") for _ in "ABC")] for site in "pq" for _ in range(60)])
    run("report", pages / "apart.csv", "--group", "site", "--out", pages / "none.html")
    run("report", clinics[0], "--out", pages / "one.html")
    return pages
