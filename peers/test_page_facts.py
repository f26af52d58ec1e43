"""Facts about the page: figures keep their shape, names their order, links their direction, and no private information is shown."""

import struct

from conftest import write
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait
from test_report import shown, text


def test_the_saved_picture_has_the_shape_of_the_figure(open_page, kinfolk, clinics, pages):
    kinfolk("report", *clinics, "--out", pages / "shape.html", "--title", "shape")
    downloads = pages / "shapes"
    browser = open_page(pages / "shape.html")
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)})
    for button in ("#save-svg", "#save-png"):
        browser.execute_script("arguments[0].click()", shown(browser, button))
    WebDriverWait(browser, 20).until(lambda _: all((downloads / f"shape.{kind}").exists() for kind in ("svg", "png")))
    width, height = struct.unpack(">II", (downloads / "shape.png").read_bytes()[16:24])
    size = browser.execute_script("const box = new DOMParser().parseFromString(arguments[0], 'image/svg+xml').documentElement.viewBox.baseVal; return [box.width, box.height]",
                                  (downloads / "shape.svg").read_text())
    assert abs(width / height - size[0] / size[1]) < 0.01


def test_names_in_right_to_left_scripts_do_not_turn_a_link_round(open_page, kinfolk, pages):
    first, second = "גיל", "لون\u202e"
    rows = [[site, n % 2, (n % 2) if n % 7 else 1 - n % 2] for site in ("א", "ב") for n in range(90)]
    write(pages / "rtl.csv", ["site", first, second], rows)
    kinfolk("report", pages / "rtl.csv", "--group", "site", "--score", "bhd", "--out", pages / "rtl.html")
    browser = open_page(pages / "rtl.html")
    assert "\u202e" not in text(browser, "main")
    ends = "const cell = document.querySelector(arguments[0]); const range = document.createRange(); return [...cell.querySelectorAll('bdi')].slice(0, 2).map(b => { range.selectNodeContents(b); return range.getBoundingClientRect().left })"
    open_first = shown(browser, '[data-arc="0"]')
    open_first.send_keys(Keys.ENTER)
    for place in ("#matrix tbody th", "#inspector-title"):
        left, right = browser.execute_script(ends, place)
        assert left < right, place
    # No name of the data stands in a text without being isolated.
    loose = """const all = []; const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (walk.nextNode()) { const n = walk.currentNode; if (/[\\u0590-\\u06ff]/.test(n.data) && !n.parentElement.closest('bdi, script, svg') && !/^\u2068[^\u2069]*\u2069$/.test(n.data)) all.push(n.data) } return all"""
    assert browser.execute_script(loose) == []


def test_links_that_the_data_cannot_direct_have_no_arrowhead_and_nothing_is_called_a_cause(open_page, kinfolk, clinics, pages):
    kinfolk("report", *clinics, "--score", "bic", "--out", pages / "direction.html")
    explained = kinfolk.json("explain", *clinics, "--score", "bic", "--no-rivals")
    arcs = [arc for arc in explained["arcs"] if arc["present"]]
    browser = open_page(pages / "direction.html")
    heads = browser.execute_script("return [...document.querySelectorAll('#figure [data-arc]')].map(a => a.querySelector('.head') !== null)")
    assert heads == [arc["directed"] for arc in arcs]
    assert not all(heads)
    # Score-equivalent: reversing within the class changes nothing.
    assert all(abs(arc["reversal"]) < 1e-6 for arc in arcs if not arc["directed"])
    caveat = shown(browser, "#caveat")
    assert "not causes" in caveat.text and caveat.is_displayed()
    shown(browser, '[data-node="0"]').send_keys(Keys.ENTER)
    for words in (text(browser, "main"), text(browser, "#inspector")):
        assert "eads to" not in words
    assert "Directly linked with" in text(browser, "#inspector")


def test_rows_that_were_left_out_are_on_the_first_screen(open_page, kinfolk, pages):
    rows = [[site, n % 2, (n % 2) if n % 7 else 1 - n % 2] for site in ("one", "two") for n in range(90)]
    for n in range(30):
        rows[90 + n][1] = ""
    write(pages / "holes.csv", ["site", "A", "B"], rows)
    kinfolk("report", pages / "holes.csv", "--group", "site", "--missing", "drop-rows", "--out", pages / "holes.html")
    browser = open_page(pages / "holes.html")
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 1280, "height": 720, "deviceScaleFactor": 1, "mobile": False})
    line = shown(browser, "#left-out-rows").find_element(By.XPATH, "..")
    assert "30 of 180 rows were left out" in line.text and "two 30 of 90" in line.text
    for seen in (line, shown(browser, "#headline"), shown(browser, "#caveat"), shown(browser, "#legend")):
        assert browser.execute_script("return arguments[0].getBoundingClientRect().bottom", seen) <= 720
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_filled_in_values_are_on_the_first_screen(open_page, kinfolk, pages):
    rows = [[n % 2, n % 2 if n % 5 else 1 - n % 2, (n // 2) % 2] for n in range(120)]
    one = [[a, "" if n % 4 == 1 else b, c] for n, (a, b, c) in enumerate(rows)]
    write(pages / "one.csv", ["A", "B", "C"], one)
    write(pages / "two.csv", ["A", "B"], [row[:2] for row in rows])
    files = [pages / "one.csv", pages / "two.csv", "--missing", "impute"]
    made = kinfolk.json("learn", *files)["missing"]
    said = kinfolk("report", *files, "--out", pages / "filled.html")
    rounds = f"{len(made['rounds'])} rounds"
    assert f"missing  150 values, 20.8 % of the cells, filled in 5 times after {rounds}" in said
    assert "in       B (one 25.0 %), C (two 100.0 %)" in said
    browser = open_page(pages / "filled.html")
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 1280, "height": 720, "deviceScaleFactor": 1, "mobile": False})
    line = shown(browser, "#filled-in").find_element(By.XPATH, "..")
    words = text(browser, "#findings p:has(#filled-in)")
    assert "150 values were filled in (21 % of all cells): B (one 25 %) and C (two all)" in words
    assert f"Filled in 5 times after {rounds} of structural EM" in words
    assert "Values were missing" not in text(browser, "#findings")
    for seen in (line, shown(browser, "#caveat"), shown(browser, "#legend")):
        assert browser.execute_script("return arguments[0].getBoundingClientRect().bottom", seen) <= 720
    shares = browser.execute_script("return [...document.querySelectorAll('#missing-values tbody tr')].map(row => row.innerText)")
    assert len(shares) == 2 and "25" in shares[0] and "none observed" in shares[1]
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    # The network file has the treatment, but not the number of values.
    kinfolk("learn", *files, "--out", pages / "filled.json")
    kinfolk("report", "--network", pages / "filled.json", "--out", pages / "filled.html")
    assert "21 % of all cells were filled in" in text(open_page(pages / "filled.html"), "#findings")


def test_strengths_of_another_score_are_not_shown_as_those_of_the_network(open_page, kinfolk, clinics, pages):
    kinfolk("bootstrap", *clinics, "-R", 5, "--score", "bhd", "--out", pages / "other.json")
    kinfolk("report", *clinics, "--score", "kin", "--bootstrap", pages / "other.json", "--out", pages / "other.html")
    browser = open_page(pages / "other.html")
    assert "learned with bhd, and this network is by kin" in text(browser, "#other-score")
    assert browser.execute_script("return report.arcs.every(a => a.strength === null && a.direction === null)")
    assert "Strength" not in text(browser, "#matrix thead")
    assert "bootstrap" not in text(browser, "#legend")


def test_a_page_does_not_tell_the_folders_of_its_maker(open_page, kinfolk, clinics, pages):
    kinfolk("learn", *clinics, "--out", pages / "secret.json")
    kinfolk("bootstrap", *clinics, "-R", 3, "--out", pages / "secret-sure.json")
    kinfolk("report", *clinics, "--network", pages / "secret.json", "--bootstrap", pages / "secret-sure.json", "--out", pages / "secret.html")
    browser = open_page(pages / "secret.html")
    page = (pages / "secret.html").read_text()
    for folder in (str(pages), str(clinics[0].parent)):
        assert folder not in page
    assert clinics[0].name in text(browser, "#methods")
