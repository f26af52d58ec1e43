"""The page in a real browser: it opens quietly, answers clicks and keys with the right numbers, and never runs a name."""

import csv
import json
import tempfile

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync --window-size=1300,900""".split()
HOSTILE = "<script>document.title='ran'</script>\"'<img src=x onerror=\"document.title='ran'\">"


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
    """Opens a page; at the end of the test the console must be empty and nothing but the file must have been asked for."""
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
    # What the browser's own start page asks for is none of ours.
    asked = {request["request"]["url"] for request in sent if request["documentURL"] in opened}
    assert set(opened) & asked
    assert {url for url in asked if not url.startswith(("data:", "blob:"))} <= set(opened)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


def shown(browser, selector):
    return browser.find_element(By.CSS_SELECTOR, selector)


def test_a_click_on_an_arc_shows_its_numbers(open_page, kinfolk, clinics, pages):
    kinfolk("report", *clinics, "--out", pages / "clinics.html")
    learned = kinfolk.json("learn", *clinics)
    browser = open_page(pages / "clinics.html")
    for index, arc in enumerate(learned["arcs"]):
        shown(browser, f'[data-arc="{index}"] .head').click()
        assert shown(browser, "#panel-title").text == f'{arc["from"]} → {arc["to"]}'
        assert shown(browser, "#gain").text == f'{arc["gain"]:.3f}'.replace("-", "−")
        rows = browser.find_elements(By.CSS_SELECTOR, ".evidence-by tbody tr")
        found = {row.find_element(By.TAG_NAME, "th").text: row.find_elements(By.TAG_NAME, "td")[1].text for row in rows}
        assert found == {name: f"{gain:.3f}".replace("-", "−") for name, gain in arc["by_data_set"].items()}


def test_a_click_on_a_node_shows_its_tables_side_by_side(open_page, kinfolk, clinics, pages):
    kinfolk("report", *clinics, "--out", pages / "nodes.html")
    learned = kinfolk.json("learn", *clinics)
    browser = open_page(pages / "nodes.html")
    node = learned["nodes"][3]
    shown(browser, '[data-node="3"]').click()
    assert shown(browser, "#panel-title").text == node["node"]
    expected = [node["tables"][name] for name in learned["data_sets"]] + [node["pooled"], node["new"]]
    flat = [[value for row in table for value in row] for table in expected]
    script = "return [...document.querySelectorAll('.cpt tbody tr')].map(r => [...r.querySelectorAll('.bar')].map(c => c.textContent))"
    cells = browser.execute_script(script)
    assert len(cells) == len(flat[0])
    # The page keeps six digits, so the third decimal may round the other way.
    for row, line in enumerate(cells):
        assert [float(cell) for cell in line] == pytest.approx([table[row] for table in flat], abs=0.00051)
    shares = browser.execute_script("return [...document.querySelectorAll('.cpt thead .bar')].map(c => c.textContent)")
    assert shares == [f"{100 * share:.1f} %" for share in node["shrinkage"].values()]


def test_the_page_is_worked_from_the_keyboard(open_page, kinfolk, clinics, pages):
    kinfolk("report", *clinics, "--out", pages / "keys.html")
    browser = open_page(pages / "keys.html")
    body = shown(browser, "body")
    body.send_keys("/")
    assert browser.switch_to.active_element.get_attribute("id") == "search"
    browser.switch_to.active_element.send_keys("v05", Keys.ENTER)
    assert shown(browser, "#panel-title").text == "V05"
    browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert not shown(browser, "#panel").is_displayed()
    shown(browser, '[data-arc="0"]').send_keys(Keys.ENTER)
    assert shown(browser, "#gain").is_displayed()
    browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    shown(browser, "#search").clear()
    shown(browser, "#search").send_keys("no such name")
    assert shown(browser, "#found").text == "Nothing has this name"


def test_names_that_look_like_code_are_text_and_never_run(open_page, kinfolk, pages):
    for name, states in (("one", ["x", HOSTILE]), ("two", ["x", HOSTILE])):
        with open(pages / f"{name}.csv", "w", newline="") as file:
            rows = [[states[n % 2], states[n % 2 if n % 9 else 0]] for n in range(80)]
            csv.writer(file).writerows([[HOSTILE, "plain"], *rows])
    files = [pages / "one.csv", pages / "two.csv"]
    kinfolk("report", *files, "--title", HOSTILE, "--out", pages / "hostile.html", "--figures", pages / "figures")
    browser = open_page(pages / "hostile.html")
    assert browser.title == HOSTILE == shown(browser, "h1").text
    shown(browser, '[data-node="0"]').click()
    assert shown(browser, "#panel-title").text == HOSTILE
    assert HOSTILE in shown(browser, ".cpt").text
    shown(browser, '[data-arc="0"] .head').click()
    assert HOSTILE in shown(browser, "#panel-title").text
    shown(browser, "#search").send_keys("<script>")
    assert HOSTILE in shown(browser, "#found").text
    assert browser.find_elements(By.CSS_SELECTOR, "img") == []
    assert browser.title == HOSTILE
    browser.get((pages / "figures" / "network.svg").as_uri())
    assert browser.execute_script("return document.documentElement.tagName") == "svg"
    open_page(pages / "hostile.html")


def test_a_phone_and_paper_have_room(open_page, kinfolk, clinics, pages):
    kinfolk("report", *clinics, "--out", pages / "phone.html")
    browser = open_page(pages / "phone.html")
    phone = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    shown(browser, '[data-node="0"]').click()
    assert browser.execute_script("return document.documentElement.scrollWidth") == 390
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert not shown(browser, "#search").is_displayed() and shown(browser, "#figure svg").is_displayed()
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_figures_and_tables_can_be_saved(open_page, kinfolk, clinics, pages):
    kinfolk("report", *clinics, "--out", pages / "saved.html", "--title", "saved")
    downloads = pages / "downloads"
    browser = open_page(pages / "saved.html")
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)})
    for button in ("#save-svg", "#save-png", "#save-tables", "#evidence .head button"):
        browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", shown(browser, button))
        shown(browser, button).click()
    names = ["saved.svg", "saved.png", "saved-tables.csv", "evidence.csv"]
    WebDriverWait(browser, 20).until(lambda _: all((downloads / name).exists() for name in names))
    assert (downloads / "saved.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (downloads / "saved.svg").read_text()
    learned = kinfolk.json("learn", *clinics)
    rows = list(csv.DictReader((downloads / "evidence.csv").open(newline="")))
    assert len(rows) == len(learned["arcs"]) * 3
    assert float(rows[0]["gain"]) == learned["arcs"][0]["by_data_set"][rows[0]["data_set"]]
    tables = list(csv.DictReader((downloads / "saved-tables.csv").open(newline="")))
    per_table = sum(len(node["pooled"]) * len(node["pooled"][0]) for node in learned["nodes"])
    assert len(tables) == per_table * 5
