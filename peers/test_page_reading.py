"""What a reader does with the page: look at the drawing, read sentences and numbers, save tables, use keys and fingers."""

import csv
import io
import random
import re

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from test_report import open_arc, shown, text

# The lines that come within half a unit of a node that is not one of their ends, by points of the drawn paths.
BEHIND = """
const bad = [];
const nodes = boxes.map((box, node) => ({ box, node })).filter(({ box }) => box.group.style.display !== 'none');
let seen = 0;
arcGroups.forEach((group, index) => {
  if (group.style.display === 'none') return;
  seen++;
  const path = group.querySelector('.line'), arc = report.arcs[index], length = path.getTotalLength();
  for (let at = 0; at <= length; at += 2) {
    const { x, y } = path.getPointAtLength(at);
    const hit = nodes.find(({ box, node }) => node !== arc.from && node !== arc.to && Math.abs(x - box.x) < box.width / 2 + 0.5 && Math.abs(y - box.y) < box.height / 2 + 0.5);
    if (hit) { bad.push([names[arc.from], names[arc.to], names[hit.node]]); break; }
  }
});
return [seen, bad];
"""

# Everything that a CSV button would save, by the name of its file.
SAVED = """
const all = {}; window.save = (name, type, content) => { all[name] = content };
document.querySelectorAll('button.csv, #save-tables').forEach(button => button.click());
return all;
"""


# All words of the page, apart from settings and commands, which are as they were given.
WORDS = """
const all = []; const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) if (!walk.currentNode.parentElement.closest('script, style, #methods')) all.push(walk.currentNode.data);
return all.join(' ');
"""


def saved(browser):
    return {name: list(csv.DictReader(io.StringIO(content))) for name, content in browser.execute_script(SAVED).items()}


@pytest.mark.parametrize("name", ["clinics", "sixty", "hundred"])
def test_no_line_passes_behind_a_node(sized, made, name):
    browser = sized(made / f"{name}.html", 1280, 720)
    if name == "hundred":
        # Every neighbourhood, then all variables.
        for node in range(0, 100, 7):
            browser.execute_script("showAround(arguments[0])", node)
            assert browser.execute_script(BEHIND)[1] == [], node
        browser.execute_script("showWhole()")
    seen, bad = browser.execute_script(BEHIND)
    assert seen > 5 and bad == []
    # The measure finds a line that does.
    browser.execute_script("const line = arcGroups[0].querySelector('.line'); const other = boxes.findIndex((_, n) => n !== report.arcs[0].from && n !== report.arcs[0].to); line.setAttribute('d', `M0 0L${boxes[other].x} ${boxes[other].y}`)")
    assert browser.execute_script(BEHIND)[1] != []


@pytest.mark.parametrize("name", ["clinics", "sixty", "hundred", "none", "one"])
def test_no_page_shows_what_only_a_program_understands(sized, made, name):
    browser = sized(made / f"{name}.html", 1280, 720)
    browser.execute_script("openNode(1, false)")
    words = browser.execute_script(WORDS)
    if browser.execute_script("return report.arcs.length > 0"):
        browser.execute_script("openArc(0, false)")
        words += browser.execute_script(WORDS)
    else:
        assert "The network has no links." in words and "0 direct links" in text(browser, "#summary")
    assert not re.search(r"\b(undefined|null|NaN|Infinity)\b|\[object|\d\.\d{6,}|through +\.", words)


def test_borders_of_classes_have_the_digits_that_tell_them_apart(sized, kinfolk, pages):
    rows = ["site,dose,age,ill"]
    for n in range(240):
        rows.append(f"{'ab'[n % 2]},{1000 + n / 30},{20 + (n * 7) % 61},{(n * 5) % 3 % 2}")
    (pages / "cut.csv").write_text("\n".join(rows) + "\n")
    cuts = "dose=cuts:1002.00001,1002.00002,1006.3333333333333"
    kinfolk("report", pages / "cut.csv", "--group", "site", "--discretize", cuts, "--discretize", "age=quantile:3", "--out", pages / "cut.html")
    browser = sized(pages / "cut.html", 1280, 720)
    states = browser.execute_script("return [report.variables[0].states, shownStates[0]]")
    assert states[1] == ["<=1002.00001", "(1002.00001,1002.00002]", "(1002.00002,1006.33333]", ">1006.33333"]
    assert "1006.3333333333" in states[0][3]
    browser.execute_script("openNode(0, false)")
    assert "1006.33333" in text(browser, "#inspector") and "1006.333333" not in browser.execute_script(WORDS)
    # Files keep the names that other commands know.
    tables = next(rows for name, rows in saved(browser).items() if name.endswith("-tables.csv"))
    assert {row["state"] for row in tables if row["node"] == "dose"} == set(states[0])


def test_the_inspector_begins_with_a_sentence_and_says_why_a_row_is_borrowed(sized, made):
    browser = sized(made / "clinics.html", 1280, 720)
    browser.execute_script("openNode(2, false)")
    order = browser.execute_script("return ['.lead', '.cpt', '#states'].map(s => document.querySelector('#inspector ' + s).getBoundingClientRect().top)")
    assert order == sorted(order)
    assert re.match(r"In .+ \d.* % have V03 = .+; in .+ %\.$", shown(browser, "#inspector .lead").text)
    browser = sized(made / "none.html", 1280, 720)
    for node in range(3):
        browser.execute_script("openNode(arguments[0], false)", node)
        if browser.find_elements(By.ID, "borrowed"):
            # Sixty rows are not few: these data sets are drawn from one distribution.
            assert "are alike in this variable" in text(browser, "#borrowed")


def test_a_menu_sets_what_was_observed_with_its_warning(sized, made):
    browser = sized(made / "clinics.html", 1280, 720)
    browser.execute_script("observe(0, 1)")
    observed = browser.execute_script("return posteriorOf(0).marginals.map(m => [...m])")
    assert "only if the arrows are causes" not in text(browser, "#given")
    menu = shown(browser, "#given select")
    menu.send_keys("set")
    assert "only if the arrows are causes" in text(browser, "#given")
    assert browser.execute_script("return state.given.get(0).set")
    given = browser.execute_script("return posteriorOf(0).marginals.map(m => [...m])")
    assert given[0] == observed[0] == [0, 1]
    assert "given=0!1" in browser.current_url


def test_every_table_is_saved_with_all_its_columns(sized, made, kinfolk, clinics):
    kinfolk("bootstrap", *clinics, "-R", 4, "--score", "kin", "--leave-one-out", "--out", made / "saved.json")
    kinfolk("report", *clinics, "--explain", "full", "--bootstrap", made / "saved.json", "--out", made / "saved.html")
    browser = sized(made / "saved.html", 1280, 720)
    browser.execute_script("openNode(3, false)")
    files = saved(browser)
    browser.execute_script("openArc(0, false)")
    files |= saved(browser)
    tables = browser.execute_script("return document.querySelectorAll('main table, #inspector table').length")
    # One file for each table of the page, that of the node, and all tables together.
    assert len(files) == tables + 2
    columns = {name: list(rows[0]) for name, rows in files.items()}
    evidence = ["from", "to", "data_set", "gain", "given_others", "in_words", "total_gain", "total_in_words", "strength", "direction"]
    technical = ["s", "tau", "divergence", "total_variation", "bdeu_pooled", "bdeu_separate", "bhd"]
    assert columns["evidence.csv"] == evidence and columns["left-out.csv"] == [*evidence, "data_sets_for_it"]
    assert columns["pooling.csv"] == ["node", "probability_identical", "in_words", *technical, "farthest"]
    assert columns["data-sets.csv"] == ["data_set", "rows", "distance", "chance_low", "chance_high", "in_words", "mostly_through", "total_variation", "gain_from_others", "absent_from", "absent_to", "probability"]
    assert columns["similarity.csv"] == ["data_set", "other", "variable", "as_one_rather_than_two", "in_words"]
    assert columns["evidences.csv"] == ["network", "arcs", "shd", "identical", "related", "unrelated", "bdeu_pooled", "bdeu_separate", "bhd"]
    assert columns["posterior.csv"] == ["from", "to", "edge", "as_drawn", "reversed", "in_network"]
    assert columns["without-each.csv"] == ["without", "kept", "shd", "reversed", "lost", "gained"]
    assert columns["rows.csv"] == ["data_set", "rows", "dropped_rows", "sources"]
    assert columns["variables.csv"] == ["variable", "states", "source", "missing_values", "states_not_seen"]
    assert columns["settings.csv"] == ["setting", "value"]
    explained = kinfolk.json("explain", *clinics)
    arcs = [arc for arc in explained["arcs"] if arc["present"]]
    found = {(row["from"], row["to"], row["data_set"]): row for row in files["evidence.csv"]}
    assert len(found) == 3 * len(arcs)
    for arc in arcs:
        for name, value in arc["given_others"].items():
            row = found[arc["from"], arc["to"], name]
            assert float(row["given_others"]) == pytest.approx(value, abs=1e-12)
            assert float(row["total_gain"]) == pytest.approx(arc["total"], abs=1e-9) and "evidence" in row["in_words"]
    assert [row["states_not_seen"] for row in files["variables.csv"]] == ["", "", "", "", "", "s2: b"]


def test_probabilities_of_a_pooled_score_stand_beside_their_warning(sized, kinfolk, clinics, made):
    kinfolk("report", *clinics, "--score", "bdeu", "--out", made / "overconfident.html")
    browser = sized(made / "overconfident.html", 1280, 720)
    warning = "it is overconfident, and these numbers are too close to 0 and 1"
    open_arc(browser, 0)
    assert warning in text(browser, "#arc-caution") and warning in text(browser, "#posterior-caution")
    # Every place with the numbers has the sentence: nowhere else is a posterior shown.
    places = "return [...document.querySelectorAll('p, table')].filter(e => /in either direction/i.test(e.textContent)).map(e => e.closest('section, aside').id)"
    assert set(browser.execute_script(places)) == {"sure", "inspector"}


def test_one_finger_scrolls_the_page_and_two_move_the_figure(sized, browser, made):
    browser = sized(made / "hundred.html", 390, 844)
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 5})
    browser.execute_script("showSection('network'); document.querySelector('#figure').scrollIntoView({ block: 'center' })")
    x, y = browser.execute_script("const box = frame.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]")
    view = "return [Math.round(view.x), Math.round(view.y), Math.round(view.width)]"

    def drag(fingers):
        points = [{"x": x + 40 * finger, "y": y, "id": finger} for finger in range(fingers)]
        browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": points})
        for step in range(1, 9):
            moved = [{**point, "x": point["x"] - 6 * step, "y": point["y"] - 2 * step} for point in points]
            browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": moved})
        browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        browser.execute_async_script("setTimeout(arguments[0], 200)")

    before = browser.execute_script(view)
    drag(1)
    assert browser.execute_script(view) == before
    drag(2)
    after = browser.execute_script(view)
    assert after[0] > before[0] + 20
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


def test_tab_comes_to_everything_and_out_again(sized, made):
    browser = sized(made / "clinics.html", 1280, 720)
    browser.execute_script("openNode(3, false); document.body.focus()")
    reached, hidden = [], []
    shown(browser, "body").send_keys(Keys.HOME)
    for _ in range(400):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        one = browser.execute_script("""const e = document.activeElement; if (e === document.body) return null; const box = e.getBoundingClientRect();
            return [e.id || e.className.baseVal || e.className || e.tagName, box.width > 0 && box.height > 0, [...document.querySelectorAll('*')].indexOf(e)]""")
        if one is None:
            break
        if reached and one[2] == reached[0][2]:
            break
        reached.append(one)
        if not one[1]:
            hidden.append(one)
    else:
        pytest.fail("Tab does not come out of the page")
    assert hidden == []
    names = {one[0] for one in reached}
    for needed in ("search", "share", "print", "mode", "one", "zoom-in", "save-svg", "figure", "close", "csv", "sort", "filter-links", "similarity-of", "save-tables"):
        assert needed in names, needed
    controls = "return [...document.querySelectorAll('button, select, input, summary, a[href]')].filter(e => e.checkVisibility() && !e.closest('.skip')).length"
    assert len(reached) >= browser.execute_script(controls)


def test_paper_has_the_whole_network_and_every_pair(sized, made):
    browser = sized(made / "hundred.html", 1280, 720)
    browser.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    assert browser.execute_script("return [...document.querySelectorAll('#appendix svg .node')].filter(n => n.style.display !== 'none').length") == 100
    pairs = browser.execute_script("return [...document.querySelectorAll('#appendix p.run')].filter(p => p.textContent.includes(' and ')).reduce((all, p) => all + p.querySelectorAll('bdi').length - 1, 0)")
    assert pairs == 40 * 39 / 2


# The texts that are not wholly inside the figure, or inside their node.
CUT = """
const svg = document.documentElement; const whole = svg.getBoundingClientRect();
const outside = (inner, outer) => inner.left < outer.left - 0.5 || inner.right > outer.right + 0.5 || inner.top < outer.top - 0.5 || inner.bottom > outer.bottom + 0.5;
return [...svg.querySelectorAll('text')].filter(t => outside(t.getBoundingClientRect(), whole) || (t.closest('.node') && outside(t.getBoundingClientRect(), t.closest('.node').querySelector('rect').getBoundingClientRect()))).map(t => t.textContent);
"""


def test_figures_are_sorted_as_the_page_and_cut_no_label_off(sized, kinfolk, pages):
    names = ["HEART RATE (MAXIMUM) WWW", "W" * 300, "年齢と性別と血圧と心拍数と年齢と性別と血圧", "שלום שלום", "🫀 heart 🫁", "plain"]
    draw = random.Random(7)
    rows = []
    for site in ("MMMMMMMMMMMM WWWWWWWWWWWW", "z" * 300, "北海道大学病院", "s"):
        for _ in range(80):
            a = draw.random() < 0.5
            row = [a]
            for place in range(1, len(names)):
                row.append(draw.random() < (0.95 - 0.1 * place if row[place // 2] else 0.1 + 0.05 * place))
            rows.append([site, *(int(value) for value in row)])
    with open(pages / "wide.csv", "w", newline="") as file:
        csv.writer(file).writerows([["site", *names], *rows])
    kinfolk("report", pages / "wide.csv", "--group", "site", "--out", pages / "wide.html", "--figures", pages / "wide")
    browser = sized(pages / "wide.html", 1280, 720)
    ends = "return [...document.querySelectorAll('#matrix tbody th')].map(t => [...t.querySelectorAll('bdi')].map(b => b.textContent))"
    order, left_out = browser.execute_script(ends), browser.execute_script("return explained.left_out.map(a => [names[a.from], names[a.to]])")
    assert len(order) > 3 and left_out
    for figure in ("network", "evidence"):
        browser.get((pages / "wide" / f"{figure}.svg").as_uri())
        assert browser.execute_script(CUT) == [], figure
        assert browser.execute_script("return document.querySelectorAll('text').length") > 5
    titles = browser.execute_script("return [...document.querySelectorAll('text[text-anchor=end] > title')].map(t => t.textContent)")
    assert [re.split(" [→–] ", re.sub("[\u2068\u2069]", "", title)) for title in titles] == order + left_out
    # The data show no direction of a link that is not in the network.
    assert all("→" not in title for title in titles[len(order):])
    sized(pages / "wide.html", 1280, 720)
