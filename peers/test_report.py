"""The page in a real browser: its numbers are those of the commands, and keys, files and names work as they should."""

import csv

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

HOSTILE = "<script>document.title='ran'</script>\"'<img src=x onerror=\"document.title='ran'\">"


def shown(browser, selector):
    return browser.find_element(By.CSS_SELECTOR, selector)


def text(browser, selector):
    """The whole text of an element, also of what is folded or scrolled away."""
    return browser.execute_script("return document.querySelector(arguments[0]).textContent", selector)


def written(number, decimals=3):
    """A number as the page writes it."""
    return f"{number:.{decimals}f}".replace("-", "−")


def cells(browser, selector):
    """The rows of a table as texts, also of what is scrolled out of sight."""
    script = "return [...document.querySelectorAll(arguments[0] + ' tbody tr')].map(r => [...r.children].map(c => c.textContent))"
    return browser.execute_script(script, selector)


def open_arc(browser, index):
    shown(browser, f'[data-arc="{index}"]').send_keys(Keys.ENTER)


def open_node(browser, index):
    shown(browser, f'[data-node="{index}"]').send_keys(Keys.ENTER)


def arc_name(browser, index):
    return browser.execute_script("const a = report.arcs[arguments[0]]; return `${names[a.from]} ${a.directed ? '→' : '–'} ${names[a.to]}`", index)


def test_an_opened_link_shows_its_numbers(open_page, kinfolk, clinics, pages):
    kinfolk("report", *clinics, "--score", "bhd", "--out", pages / "clinics.html")
    learned = kinfolk.json("learn", *clinics, "--score", "bhd")
    browser = open_page(pages / "clinics.html")
    for index, arc in enumerate(learned["arcs"]):
        open_arc(browser, index)
        assert shown(browser, "#inspector-title").text == arc_name(browser, index)
        assert shown(browser, "#gain").text == written(arc["gain"])
        found = {row[0]: row[1] for row in cells(browser, ".evidence-by")}
        assert found == {name: written(gain, 2) for name, gain in arc["by_data_set"].items()}


@pytest.mark.parametrize("score", ["bhd", "kin"])
def test_an_opened_variable_shows_its_tables_by_data_set(open_page, kinfolk, clinics, pages, score):
    kinfolk("report", *clinics, "--score", score, "--out", pages / "nodes.html")
    learned = kinfolk.json("learn", *clinics, "--score", score)
    browser = open_page(pages / "nodes.html")
    node = learned["nodes"][3]
    open_node(browser, 3)
    assert shown(browser, "#inspector-title").text == node["node"]
    tables = {"all together": node["pooled"], "new data set": node["new"], **node["tables"]}
    values = "return [...document.querySelectorAll('.cpt tbody tr')].map(r => [r.querySelector('th').textContent, ...[...r.querySelectorAll('.bar')].map(c => c.dataset.value)])"
    states = [[state for state in range(len(next(v["states"] for v in learned["variables"] if v["name"] == parent)))] for parent in node["parents"]]
    for place, configuration in enumerate(configurations(states)):
        for parent, state in enumerate(configuration):
            browser.execute_script("const m = document.querySelector('#parent-' + arguments[0]); m.value = arguments[1]; m.dispatchEvent(new Event('change'))", parent, state)
        rows = browser.execute_script(values)
        assert [row[0] for row in rows] == list(tables)
        for name, *shares in rows:
            # The page keeps every bit of the tables.
            assert [float(share) for share in shares] == tables[name][place]
        counts = {row[0]: row[1] for row in cells(browser, ".cpt")}
        for name in learned["data_sets"]:
            assert counts[name] == str(node["rows"][name][place])
    assert ("s / (s + rows)" in text(browser, "#table-words")) == (score == "bhd")


def configurations(states):
    """All joint states, the first varying slowest."""
    if not states:
        return [()]
    return [(first, *rest) for first in states[0] for rest in configurations(states[1:])]


def test_the_page_is_worked_from_the_keyboard(open_page, kinfolk, clinics, pages):
    kinfolk("report", *clinics, "--out", pages / "keys.html")
    browser = open_page(pages / "keys.html")
    shown(browser, "body").send_keys("/")
    assert browser.switch_to.active_element.get_attribute("id") == "search"
    browser.switch_to.active_element.send_keys("v05", Keys.ENTER)
    assert shown(browser, "#inspector-title").text == "V05"
    # A state is observed, and taken back, without a mouse.
    button = shown(browser, "#states button")
    button.send_keys(Keys.ENTER)
    assert "V05 = " in shown(browser, "#given").text
    shown(browser, "#given .chip").send_keys(Keys.ENTER)
    assert "Click a state" in shown(browser, "#given").text
    shown(browser, "body").send_keys(Keys.ESCAPE)
    assert shown(browser, "#inspector-title").text == "Look closer"
    open_arc(browser, 0)
    assert shown(browser, "#gain").is_displayed()
    shown(browser, "body").send_keys(Keys.ESCAPE)
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
    # Links as they can be typed, or their two ends in any order.
    for typed in ("V02 → V04", "v02->v04", "V02 -> V04", "v04 v02", "V02, V04"):
        shown(browser, "#search").clear()
        shown(browser, "#search").send_keys(typed, Keys.ENTER)
        assert shown(browser, "#inspector-title").text in ("V02 → V04", "V02 – V04"), typed


def test_names_that_look_like_code_are_text_and_never_run(open_page, kinfolk, pages):
    with open(pages / "hostile.csv", "w", newline="") as file:
        states = ["x", HOSTILE]
        rows = [[site, states[n % 2], states[n % 2 if n % 9 else 0]] for site in ("one", HOSTILE) for n in range(80)]
        csv.writer(file).writerows([["site", HOSTILE, "plain"], *rows])
    call = [pages / "hostile.csv", "--group", "site"]
    kinfolk("bootstrap", *call, "-R", 3, "--score", "kin", "--out", pages / "hostile.json")
    kinfolk("report", *call, "--title", HOSTILE, "--bootstrap", pages / "hostile.json", "--explain", "full",
            "--out", pages / "hostile.html", "--figures", pages / "figures")
    browser = open_page(pages / "hostile.html")
    assert browser.title == HOSTILE == text(browser, "h1")
    open_node(browser, 0)
    assert shown(browser, "#inspector-title").text == HOSTILE
    assert HOSTILE in text(browser, ".cpt")
    open_arc(browser, 0)
    assert HOSTILE in shown(browser, "#inspector-title").text
    shown(browser, "#search").send_keys("<script>")
    assert HOSTILE in shown(browser, "#found").text
    for table in ("#pooling-nodes", "#odd-ones", "#without", "#averaged"):
        assert HOSTILE in text(browser, table)
    browser.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    assert HOSTILE in text(browser, "#appendix")
    assert browser.find_elements(By.CSS_SELECTOR, "img") == []
    assert browser.title == HOSTILE
    browser.get((pages / "figures" / "network.svg").as_uri())
    assert browser.execute_script("return document.documentElement.tagName") == "svg"
    open_page(pages / "hostile.html")


def test_figures_and_tables_can_be_saved(open_page, kinfolk, clinics, pages):
    kinfolk("report", *clinics, "--score", "bhd", "--out", pages / "saved.html", "--title", "saved")
    downloads = pages / "downloads"
    browser = open_page(pages / "saved.html")
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)})
    for button in ("#save-svg", "#save-png", "#save-tables", "#evidence .csv"):
        browser.execute_script("arguments[0].click()", shown(browser, button))
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
def test_the_findings_have_the_numbers_of_explain(open_page, kinfolk, clinics, pages, score):
    kinfolk("learn", *clinics, "--score", score, "--report", pages / "verdict.html", "--explain", "full")
    explained = kinfolk.json("explain", *clinics, "--score", score)
    pooling = explained["pooling"]
    browser = open_page(pages / "verdict.html")
    headline = {"pool": "look the same", "relate": "are related but not the same", "separate": "have little in common"}[pooling["choice"]]
    assert headline in shown(browser, "#headline").text
    assert pooling["verdict"] in text(browser, "#findings details")

    keys = ("pooled", "separate", "hierarchical")
    for row, graph in zip(cells(browser, "#evidences"), pooling["graphs"], strict=True):
        evidence = [graph["evidence"][key] for key in ("identical", "related", "unrelated")]
        assert row[1:] == [str(graph["arcs"]), str(graph["shd"]), *map(written, evidence), *(written(graph[key]) for key in keys)]
    nodes = {node["node"]: node for node in pooling["nodes"]}
    rows = cells(browser, "#pooling-nodes")
    assert {row[0] for row in rows} == set(nodes)
    for row in rows:
        node = nodes[row[0]]
        chance = node["p_identical"]
        assert row[1] == ("< 0.001" if chance < 0.001 else "> 0.999" if chance > 0.999 else written(chance))
        assert row[4:6] == [written(node["s_mean"], 1), written(node["tau"], 1)]
        assert row[6:8] == [written(node["divergence"], 4), written(node["total_variation"])]
        assert row[8:] == [written(node[key]) for key in keys]
    for row, member in zip(cells(browser, "#odd-ones"), explained["data_sets"], strict=True):
        assert row[:2] == [member["name"], str(member["rows"])]
        assert row[3] == written(member["distance"]) and row[-1] == written(member["gain_from_others"], 1)
    left_out = [arc for arc in explained["arcs"] if not arc["present"]]
    key = "by_data_set" if score == "bhd" else "given_others"
    for row, arc in zip(cells(browser, "#left-out"), left_out, strict=True):
        assert row[:2] == [f'{arc["from"]} – {arc["to"]}', written(arc["total"], 1)]
        assert row[3:] == [written(value, 1) for value in arc[key].values()]
    # Scores that are no sum over the data sets say whose numbers they show instead.
    arc = next(arc for arc in explained["arcs"] if arc["present"])
    open_arc(browser, 0)
    assert [row[-2] for row in cells(browser, ".evidence-by")] == [written(value, 2) for value in arc["given_others"].values()]
    assert ("is not a sum over data sets" in text(browser, "#evidence")) == (score != "bhd")
    assert browser.find_elements(By.CSS_SELECTOR, "#figure .arc.unknown") == []
    open_node(browser, 0)
    assert text(browser, "#table-words").startswith("Tables by kin." if score == "kin" else "Tables by BHD with s = ")


def test_absent_links_are_named_and_open_their_evidence(open_page, kinfolk, pages):
    made = pages / "made"
    kinfolk("simulate", "--nodes", 5, "--arcs", 5, "--data-sets", 6, "--rows", 600, "--scenario", "b", "--altered", 2, "--removed", 2,
            "--seed", 4, "--out", made)
    files = sorted(made.glob("data_*.csv"))
    kinfolk("report", *files, "--out", pages / "absent.html")
    members = kinfolk.json("explain", *files)["data_sets"]
    absent = [(member["name"], arc) for member in members for arc in member["altered_arcs"]]
    assert absent
    browser = open_page(pages / "absent.html")
    ends = "return [...document.querySelectorAll('#odd-ones tr td:nth-last-child(2) .link')].map(l => [...l.querySelectorAll('bdi')].map(b => b.textContent))"
    assert browser.execute_script(ends) == [[arc["from"], arc["to"]] for _, arc in absent]
    browser.execute_script("document.querySelector('#odd-ones tr td:nth-last-child(2) .link').click()")
    name, arc = absent[0]
    facts = [fact.text for fact in browser.find_elements(By.CSS_SELECTOR, "#inspector .fact")]
    assert any(fact.startswith("Absent in") and name in fact for fact in facts), facts


def test_a_bootstrap_of_the_same_score_shows_how_sure_the_links_are(open_page, kinfolk, clinics, pages):
    kinfolk("bootstrap", *clinics, "-R", 12, "--seed", 3, "--score", "bhd", "--by", "rows", "--leave-one-out", "--out", pages / "sure.json")
    sure = kinfolk.json("bootstrap", *clinics, "-R", 12, "--seed", 3, "--score", "bhd", "--by", "rows", "--leave-one-out")
    kinfolk("report", *clinics, "--score", "bhd", "--bootstrap", pages / "sure.json", "--out", pages / "sure.html")
    learned = kinfolk.json("learn", *clinics, "--score", "bhd")
    browser = open_page(pages / "sure.html")
    strengths = {frozenset((pair["from"], pair["to"])): pair["strength"] for pair in sure["arcs"]}
    for index, arc in enumerate(learned["arcs"]):
        open_arc(browser, index)
        strength = strengths.get(frozenset((arc["from"], arc["to"])), 0.0)
        facts = [fact.text for fact in browser.find_elements(By.CSS_SELECTOR, ".fact")]
        assert any(f"in {100 * strength:.1f} % of the resamples" in fact for fact in facts), facts
    assert text(browser, "#averaged") == sure["averaged"]
    assert "bootstrap strength" in shown(browser, "#legend").text
    for row, one in zip(cells(browser, "#without"), sure["leave_one_out"], strict=True):
        assert row[:3] == [one["data_set"], f'{len(one["kept"])} of {len(one["kept"]) + len(one["lost"])}', str(one["shd"])]


def test_one_data_set_is_not_compared(open_page, kinfolk, clinics, pages):
    kinfolk("report", clinics[0], "--out", pages / "one.html")
    browser = open_page(pages / "one.html")
    assert not shown(browser, "#compare").is_displayed()
    open_node(browser, 0)
    assert [row[0] for row in cells(browser, ".cpt")] == ["s1"]
    for part in ("main", "#inspector"):
        words = browser.execute_script("return document.querySelector(arguments[0]).innerText", part)
        assert "data sets" not in words and "null" not in words and "undefined" not in words, words
    open_arc(browser, 0)
    assert shown(browser, "#gain").is_displayed() and "data sets" not in shown(browser, "#inspector").text


def test_a_given_network_has_its_page_and_says_how_all_of_it_was_made(open_page, kinfolk, clinics, pages):
    kinfolk("learn", *clinics, "--out", pages / "given.json")
    sure = pages / "given-sure.json"
    kinfolk("bootstrap", *clinics, "-R", 3, "--score", "kin", "--out", sure)
    kinfolk("report", *clinics, "--network", pages / "given.json", "--bootstrap", sure, "--out", pages / "given.html")
    browser = open_page(pages / "given.html")
    explained = kinfolk.json("explain", *clinics, "--network", pages / "given.json", "--no-rivals")
    assert explained["pooling"]["verdict"] in text(browser, "#findings details")
    commands = browser.execute_script("return [...document.querySelectorAll('#methods > pre')].map(p => p.textContent)")
    files = " ".join(clinic.name for clinic in clinics)
    assert commands[0] == f"kinfolk learn {files}"
    assert commands[1] == f"kinfolk bootstrap {files} -R 3 --score kin"
    assert commands[2] == f"kinfolk report {files} --network given.json --bootstrap given-sure.json --out given.html"
