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


def written(number, decimals=3):
    """A number as the page writes it."""
    return f"{number:.{decimals}f}".replace("-", "−")


def percent(share):
    """A share as the page writes it."""
    return f"{100 * share:.{1 if 0 < share < 0.0995 else 0}f} %"


def cells(browser, selector):
    """The rows of a table as texts, also of what is scrolled out of sight."""
    script = "return [...document.querySelectorAll(arguments[0] + ' tbody tr')].map(r => [...r.children].map(c => c.textContent))"
    return browser.execute_script(script, selector)


def test_a_click_on_an_arc_shows_its_numbers(open_page, kinfolk, clinics, pages):
    kinfolk("report", *clinics, "--score", "bhd", "--out", pages / "clinics.html")
    learned = kinfolk.json("learn", *clinics, "--score", "bhd")
    browser = open_page(pages / "clinics.html")
    for index, arc in enumerate(learned["arcs"]):
        shown(browser, f'[data-arc="{index}"] .head').click()
        assert shown(browser, "#panel-title").text == f'{arc["from"]} → {arc["to"]}'
        assert shown(browser, "#gain").text == f'{arc["gain"]:.3f}'.replace("-", "−")
        rows = browser.find_elements(By.CSS_SELECTOR, ".evidence-by tbody tr")
        found = {row.find_element(By.TAG_NAME, "th").text: row.find_elements(By.TAG_NAME, "td")[1].text for row in rows}
        assert found == {name: written(gain) for name, gain in arc["by_data_set"].items()}


@pytest.mark.parametrize("score", ["bhd", "kin"])
def test_a_click_on_a_node_shows_its_tables_side_by_side(open_page, kinfolk, clinics, pages, score):
    kinfolk("report", *clinics, "--score", score, "--out", pages / "nodes.html")
    learned = kinfolk.json("learn", *clinics, "--score", score)
    browser = open_page(pages / "nodes.html")
    node = learned["nodes"][3]
    shown(browser, '[data-node="3"]').click()
    assert shown(browser, "#panel-title").text == node["node"]
    expected = [node["tables"][name] for name in learned["data_sets"]] + [node["pooled"], node["new"]]
    flat = [[value for row in table for value in row] for table in expected]
    script = "return [...document.querySelectorAll('.cpt tbody tr:not(.behind)')].map(r => [...r.querySelectorAll('.bar')].map(c => c.textContent))"
    cells = browser.execute_script(script)
    assert len(cells) == len(flat[0])
    # The page keeps six digits, so the third decimal may round the other way.
    for row, line in enumerate(cells):
        assert [float(cell) for cell in line] == pytest.approx([table[row] for table in flat], abs=0.00051)
    shares = browser.execute_script("return [...document.querySelectorAll('.cpt thead .bar')].map(c => c.textContent)")
    assert shares == [percent(share) for share in node["shrinkage"].values()]
    # Each row of the tables has the rows behind it, and what of it is the centre's.
    behind = browser.execute_script("return [...document.querySelectorAll('.cpt .behind')].map(r => [...r.querySelectorAll('td')].map(c => c.textContent))")
    assert len(behind) == len(node["configurations"])
    for place, line in enumerate(behind):
        rows = [node["rows"][name][place] for name in learned["data_sets"]]
        shares = [node["shrinkage_by_configuration"][name][place] for name in learned["data_sets"]]
        expected = [f"{count} · {percent(share)}" for count, share in zip(rows, shares, strict=True)]
        assert line[1:] == [*expected, str(sum(rows)), ""]
    words = shown(browser, "#table-words").text
    assert "few rows make the probabilities uncertain" in words and ("s / (s + rows)" in words) == (score == "bhd")


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
    assert shown(browser, "#found").text == "No match"
    # Tab comes to what is drawn, or past it.
    browser.execute_script("document.querySelector('#save-png').focus()")
    browser.switch_to.active_element.send_keys(Keys.TAB)
    assert browser.switch_to.active_element.text == "Skip past the figure"
    browser.switch_to.active_element.send_keys(Keys.TAB)
    assert browser.switch_to.active_element.get_attribute("id") == "figure"
    browser.switch_to.active_element.send_keys(Keys.TAB)
    assert browser.switch_to.active_element.get_attribute("data-arc") == "0"
    # Arcs as they can be typed, or their two ends in any order.
    for typed in ("V02 → V04", "v02->v04", "V02 -> V04", "v04 v02", "V02, V04"):
        shown(browser, "#search").clear()
        shown(browser, "#search").send_keys(typed, Keys.ENTER)
        assert shown(browser, "#panel-title").text == "V02 → V04", typed


def test_names_that_look_like_code_are_text_and_never_run(open_page, kinfolk, pages):
    with open(pages / "hostile.csv", "w", newline="") as file:
        states = ["x", HOSTILE]
        rows = [[site, states[n % 2], states[n % 2 if n % 9 else 0]] for site in ("one", HOSTILE) for n in range(80)]
        csv.writer(file).writerows([["site", HOSTILE, "plain"], *rows])
    call = [pages / "hostile.csv", "--group", "site"]
    kinfolk("bootstrap", *call, "-R", 3, "--out", pages / "hostile.json")
    kinfolk("report", *call, "--title", HOSTILE, "--bootstrap", pages / "hostile.json", "--explain", "full",
            "--out", pages / "hostile.html", "--figures", pages / "figures")
    browser = open_page(pages / "hostile.html")
    assert browser.title == HOSTILE == shown(browser, "h1").text
    shown(browser, '[data-node="0"]').click()
    assert shown(browser, "#panel-title").text == HOSTILE
    assert HOSTILE in shown(browser, ".cpt").text
    shown(browser, '[data-arc="0"] .head').click()
    assert HOSTILE in shown(browser, "#panel-title").text
    shown(browser, "#search").send_keys("<script>")
    assert HOSTILE in shown(browser, "#found").text
    for table in ("#pooling-nodes", "#odd-ones", "#without", "#averaged"):
        assert HOSTILE in browser.execute_script("return document.querySelector(arguments[0]).textContent", table)
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
    # Large networks begin with a part that can be read.
    kinfolk("simulate", "--nodes", 60, "--arcs", 80, "--data-sets", 2, "--rows", 5, "--seed", 2, "--out", pages / "sixty")
    kinfolk("report", "--network", pages / "sixty" / "truth.json", "--out", pages / "sixty.html")
    browser.get((pages / "sixty.html").as_uri())
    sizes = "const box = (e) => e.getBoundingClientRect(); const frame = box(document.querySelector('#figure'));"
    visible = sizes + "return [...document.querySelectorAll('#figure .node')].filter(n => box(n).left > frame.left && box(n).right < frame.right && box(n).top > frame.top && box(n).bottom < frame.bottom).map(n => box(n.querySelector('text')).height)"
    heights = browser.execute_script(visible)
    assert 1 < len(heights) < 60 and min(heights) > 10
    # A node that is out of sight is brought there by the keyboard.
    inside = sizes + "const node = box(document.querySelector('[data-node=\"' + arguments[0] + '\"]')); return node.left > frame.left && node.right < frame.right && node.top > frame.top && node.bottom < frame.bottom"
    hidden = next(node for node in range(60) if not browser.execute_script(inside, node))
    previous = browser.execute_script("return arguments[0] ? document.querySelector(`[data-node=\"${arguments[0] - 1}\"]`) : document.querySelector(`[data-arc=\"79\"]`)", hidden)
    previous.send_keys(Keys.TAB)
    assert browser.switch_to.active_element.get_attribute("data-node") == str(hidden)
    assert browser.execute_script(inside, hidden)
    browser.find_element(By.ID, "zoom-fit").click()
    assert len(browser.execute_script(visible)) == 60
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    # The frame has no empty band under a small network.
    open_page(pages / "phone.html")
    gap = sizes + "return [...document.querySelectorAll('#figure .node')].reduce((least, n) => Math.min(least, frame.bottom - box(n).bottom), 1e9)"
    assert 0 < browser.execute_script(gap) < 30
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert not shown(browser, "#search").is_displayed() and shown(browser, "#figure svg").is_displayed()
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_figures_and_tables_can_be_saved(open_page, kinfolk, clinics, pages):
    kinfolk("report", *clinics, "--score", "bhd", "--out", pages / "saved.html", "--title", "saved")
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
    learned = kinfolk.json("learn", *clinics, "--score", "bhd")
    rows = list(csv.DictReader((downloads / "evidence.csv").open(newline="")))
    assert len(rows) == len(learned["arcs"]) * 3
    assert float(rows[0]["gain"]) == learned["arcs"][0]["by_data_set"][rows[0]["data_set"]]
    tables = list(csv.DictReader((downloads / "saved-tables.csv").open(newline="")))
    per_table = sum(len(node["pooled"]) * len(node["pooled"][0]) for node in learned["nodes"])
    assert len(tables) == per_table * 5


@pytest.mark.parametrize("score", ["bhd", "kin", "bic"])
def test_the_verdict_has_the_numbers_of_explain(open_page, kinfolk, clinics, pages, score):
    kinfolk("learn", *clinics, "--score", score, "--report", pages / "verdict.html", "--explain", "full")
    explained = kinfolk.json("explain", *clinics, "--score", score)
    pooling = explained["pooling"]
    browser = open_page(pages / "verdict.html")
    said = shown(browser, "#headline").text + " " + shown(browser, "#verdict-rest").text
    assert said == pooling["verdict"]

    keys = ("pooled", "separate", "hierarchical")
    for row, graph in zip(cells(browser, "#evidences"), pooling["graphs"], strict=True):
        evidence = [graph["evidence"][key] for key in ("identical", "related", "unrelated")]
        assert row[1:] == [str(graph["arcs"]), str(graph["shd"]), *map(written, evidence), *(written(graph[key]) for key in keys)]
    nodes = {node["node"]: node for node in pooling["nodes"]}
    rows = cells(browser, "#pooling-nodes")
    assert {row[0] for row in rows} == set(nodes)
    for row in rows:
        node = nodes[row[0]]
        chance = node["identical"]
        assert row[1] == ("< 0.001" if chance < 0.001 else "> 0.999" if chance > 0.999 else written(chance))
        assert row[2:4] == [written(node["s_mean"], 1), written(node["tau"], 1)]
        assert row[4:6] == [written(node["divergence"], 4), written(node["total_variation"])]
        assert row[7:] == [written(node[key]) for key in keys]
    for row, member in zip(cells(browser, "#odd-ones"), explained["data_sets"], strict=True):
        assert row[:2] == [member["name"], str(member["rows"])]
        assert row[2:5] == [written(member["distance"], 4), written(member["total_variation"]), written(member["gain_from_others"], 1)]
    left_out = [arc for arc in explained["arcs"] if not arc["present"]]
    key = "by_data_set" if score == "bhd" else "given_others"
    for row, arc in zip(cells(browser, "#left-out"), left_out, strict=True):
        assert row[:2] == [f'{arc["from"]} → {arc["to"]}', written(arc["total"])]
        assert row[3:] == [written(value, 1) for value in arc[key].values()]

    # Every number of a node says whose it is.
    shown(browser, '[data-node="0"]').click()
    facts = {fact.text.split("\n")[0] if "\n" in fact.text else fact.text for fact in browser.find_elements(By.CSS_SELECTOR, ".fact")}
    for label in ("Same table", "Kinship", "Distance"):
        assert any(fact.startswith(label) and "by kin" in fact for fact in facts), facts
    words = shown(browser, "#table-words").text
    assert words.startswith("Tables by kin." if score == "kin" else "Tables by BHD with s = ")
    assert ("not those of the tables shown" in words) == (score != "kin")
    assert ("closer to uniform" in words) == (score != "kin")

    # Scores that are no sum over the data sets say whose numbers they show instead.
    arc = next(arc for arc in explained["arcs"] if arc["present"])
    shown(browser, '[data-arc="0"] .head').click()
    by_data_set = [row[-2] for row in cells(browser, ".evidence-by")]
    assert by_data_set == [written(value) for value in arc["given_others"].values()]
    assert ("is not a sum over data sets" in shown(browser, "#evidence").text) == (score != "bhd")
    assert browser.find_elements(By.CSS_SELECTOR, "#figure .arc.unknown") == []


def test_absent_arcs_are_named_and_open_their_evidence(open_page, kinfolk, pages):
    made = pages / "made"
    kinfolk("simulate", "--nodes", 5, "--arcs", 5, "--data-sets", 6, "--rows", 600, "--scenario", "b", "--altered", 2, "--removed", 2,
            "--seed", 4, "--out", made)
    files = sorted(made.glob("data_*.csv"))
    kinfolk("report", *files, "--out", pages / "absent.html")
    members = kinfolk.json("explain", *files)["data_sets"]
    absent = [(member["name"], arc) for member in members for arc in member["altered_arcs"]]
    assert absent
    browser = open_page(pages / "absent.html")
    links = browser.find_elements(By.CSS_SELECTOR, "#odd-ones .link")
    assert [link.text.split(" (")[0] for link in links] == [f'{arc["from"]} → {arc["to"]}' for _, arc in absent]
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", links[0])
    links[0].send_keys(Keys.ENTER)
    name, arc = absent[0]
    assert shown(browser, "#panel-title").text == f'{arc["from"]} → {arc["to"]}'
    assert name in next(fact.text for fact in browser.find_elements(By.CSS_SELECTOR, ".fact") if fact.text.startswith("Absent in"))


def test_strengths_are_shown_and_decide_the_width(open_page, kinfolk, clinics, pages):
    sure = kinfolk.json("bootstrap", *clinics, "-R", 12, "--out", pages / "sure.json")
    kinfolk("report", *clinics, "--bootstrap", pages / "sure.json", "--out", pages / "sure.html")
    learned = kinfolk.json("learn", *clinics)
    browser = open_page(pages / "sure.html")
    strengths = {frozenset((pair["from"], pair["to"])): pair["strength"] for pair in sure["arcs"]}
    for index, arc in enumerate(learned["arcs"]):
        strength = strengths.get(frozenset((arc["from"], arc["to"])), 0)
        line = shown(browser, f'[data-arc="{index}"] .line')
        assert float(line.get_attribute("stroke-width")) == pytest.approx(1.25 + 4.75 * strength, abs=0.051)
        shown(browser, f'[data-arc="{index}"] .head').click()
        facts = [fact.text for fact in browser.find_elements(By.CSS_SELECTOR, ".fact")]
        assert any(f"in {100 * strength:.1f} % of the resamples" in fact for fact in facts)
    assert shown(browser, "#averaged").text == sure["averaged"]
    ends = {frozenset((arc["from"], arc["to"])) for arc in learned["arcs"]}
    averaged = {frozenset((pair["from"], pair["to"])) for pair in sure["arcs"] if pair["averaged"]}
    assert ("No other edge" in shown(browser, "#missing").text) == (averaged <= ends)
    assert ("All arcs of this network" in shown(browser, "#unsure").text) == (ends <= averaged)
    assert "bootstrap strength" in shown(browser, "#legend").text
    assert "learned with bhd, and this network is by kin" in shown(browser, "#other-score").text
    assert "therefore uncertain" not in shown(browser, "#unsure").text
    for row, one in zip(cells(browser, "#without"), sure["leave_one_out"], strict=True):
        arcs = [", ".join(f'{arc["from"]} → {arc["to"]}' for arc in one[key]) or "–" for key in ("reversed", "lost", "gained")]
        assert row == [one["data_set"], f'{len(one["kept"])} of {len(one["kept"]) + len(one["lost"])}', str(one["shd"]), *arcs]
    kinfolk("report", *clinics, "--score", "bhd", "--bootstrap", pages / "sure.json", "--out", pages / "same.html")
    browser = open_page(pages / "same.html")
    assert browser.find_elements(By.CSS_SELECTOR, "#other-score") == []


def test_one_data_set_is_not_compared(open_page, kinfolk, clinics, pages):
    kinfolk("report", clinics[0], "--out", pages / "one.html")
    browser = open_page(pages / "one.html")
    assert not shown(browser, "#verdict").is_displayed()
    shown(browser, '[data-node="0"]').click()
    assert browser.execute_script("return [...document.querySelectorAll('.cpt thead tr:first-child .value')].map(c => c.textContent)") == ["s1"]
    for part in ("main", "#panel"):
        text = browser.execute_script("return document.querySelector(arguments[0]).innerText", part)
        assert "data sets" not in text and "null" not in text and "centre" not in text, text
    shown(browser, '[data-arc="0"] .head').click()
    assert shown(browser, "#gain").is_displayed() and "data sets" not in shown(browser, "#panel").text


def test_a_given_network_has_its_page_and_says_how_all_of_it_was_made(open_page, kinfolk, clinics, pages):
    kinfolk("learn", *clinics, "--out", pages / "given.json")
    sure = pages / "given-sure.json"
    kinfolk("bootstrap", *clinics, "-R", 3, "--out", sure)
    kinfolk("report", *clinics, "--network", pages / "given.json", "--bootstrap", sure, "--out", pages / "given.html")
    browser = open_page(pages / "given.html")
    explained = kinfolk.json("explain", *clinics, "--network", pages / "given.json", "--no-rivals")
    assert shown(browser, "#headline").text + " " + shown(browser, "#verdict-rest").text == explained["pooling"]["verdict"]
    commands = [line.text for line in browser.find_elements(By.CSS_SELECTOR, "#reproduce > pre")]
    files = " ".join(map(str, clinics))
    assert commands[0] == f"kinfolk learn {files}"
    assert commands[1] == f"kinfolk bootstrap {files} -R 3"
    assert commands[2] == f"kinfolk report {files} --network {pages}/given.json --bootstrap {sure} --out {pages}/given.html"
    assert "each learned with bhd" in shown(browser, "#sure").text
    assert "bhd" in shown(browser, "#summary").text
