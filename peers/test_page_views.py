"""Every view of the page: widths, dark, print, few and many data sets, large networks, hostile names, contrast, keyboard."""

import base64
import random

import pytest
from conftest import SIZES, resize, write
from selenium.webdriver.common.keys import Keys
from test_report import shown, text

# Contrast of all visible texts with what is behind them (WCAG 2): colours are composed with the backgrounds of all ancestors; for a
# gradient, the worst of its colours counts. In the figure, texts stand on the inside of a node or on a chosen state.
CONTRAST = r"""
const parse = (text) => { const n = text.match(/[\d.]+/g).map(Number); const s = text.startsWith("color(") ? 255 : 1; return [n[0] * s, n[1] * s, n[2] * s, n[3] ?? 1]; };
const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
const light = (c) => { const l = c.slice(0, 3).map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2]; };
const ratio = (a, b) => { const [x, y] = [light(a) + 0.05, light(b) + 0.05]; return Math.max(x, y) / Math.min(x, y); };
const colours = (text) => (text.match(/(rgba?|color)\([^)]*\)/g) ?? []).map(parse);
const paper = parse(getComputedStyle(document.body).backgroundColor);
const behind = (element) => {
  const chain = []; for (let e = element; e; e = e.parentElement) chain.unshift(e);
  let under = [paper];
  for (const e of chain) {
    const style = getComputedStyle(e);
    if (e.namespaceURI.endsWith("svg")) {
      const box = e.classList.contains("node") ? e.querySelector(":scope > rect") : e.classList.contains("state") ? e.querySelector(".area") : null;
      if (box && getComputedStyle(box).fill !== "none") under = under.map((u) => over(parse(getComputedStyle(box).fill), u));
      continue;
    }
    under = under.map((u) => over(parse(style.backgroundColor), u));
    const images = colours(style.backgroundImage);
    if (images.length) under = under.flatMap((u) => [u, ...images.map((c) => over(c, u))]);
  }
  return under;
};
const bad = []; let seen = 0;
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
  const element = walk.currentNode.parentElement;
  if (!walk.currentNode.data.trim() || element.closest("script, style, noscript, title, option")) continue;
  const range = document.createRange(); range.selectNodeContents(walk.currentNode);
  if (!range.getClientRects().length || !element.checkVisibility({ checkVisibilityCSS: true })) continue;
  const svg = element.namespaceURI.endsWith("svg");
  const ink = parse(svg ? getComputedStyle(element).fill : getComputedStyle(element).color);
  const least = Math.min(...behind(element).map((under) => ratio(over(ink, under), under)));
  seen++;
  if (least < 4.5) bad.push([walk.currentNode.data.slice(0, 40), element.className.baseVal ?? element.className, Number(least.toFixed(2))]);
}
return [seen, bad];
"""


ALL = ("clinics", "sixty", "hundred", "none", "one")


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("dark", [False, True])
def test_every_text_has_a_contrast_of_4_5_to_1(sized, made, name, dark):
    browser = sized(made / f"{name}.html", 1280, 720, dark)
    browser.execute_script("openNode(0, false); document.querySelectorAll('details').forEach(d => { d.open = true })")
    seen, bad = browser.execute_script(CONTRAST)
    assert seen > 50 and bad == []
    # The measure finds what is too pale.
    browser.execute_script("document.querySelector('#headline').style.color = '#777'")
    assert len(browser.execute_script(CONTRAST)[1]) == 1
    browser.execute_script("document.querySelector('#headline').style.color = ''")
    if report_has_arcs(browser):
        browser.execute_script("openArc(0, false); observe(1, 0); observe(2, 1, true)")
        assert browser.execute_script(CONTRAST)[1] == []


def report_has_arcs(browser):
    return browser.execute_script("return report.arcs.length > 0")


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("size", SIZES)
def test_no_view_scrolls_sideways_and_names_in_nodes_are_readable(sized, made, name, size):
    width, height = SIZES[size]
    browser = sized(made / f"{name}.html", width, height)
    for section in ("findings", "network", "compare", "evidence", "sure", "data", "methods"):
        browser.execute_script("showSection(arguments[0])", section)
        assert browser.execute_script("return document.scrollingElement.scrollWidth") <= width, section
    browser.execute_script("showSection('network')")
    smallest = """return Math.min(...[...document.querySelectorAll('#figure .node text')].filter(t => t.closest('.node').style.display !== 'none')
        .map(t => parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a))"""
    assert browser.execute_script(smallest) >= 9
    if size == "laptop":
        for seen in ("#headline", "#caveat", "#legend"):
            assert browser.execute_script("return document.querySelector(arguments[0]).getBoundingClientRect().bottom", seen) <= 720, seen
    if size == "phone":
        browser.execute_script("openNode(0, false)")
        table = browser.execute_script("const s = document.querySelector('#inspector .scroll'); return [s.scrollWidth, s.clientWidth]")
        assert table[0] <= table[1] + 1


def test_a_large_network_begins_with_a_neighbourhood_and_its_file_is_below_3_mb(sized, made):
    assert (made / "hundred.html").stat().st_size < 3e6
    browser = sized(made / "hundred.html", 1280, 720)
    drawn = "return [...document.querySelectorAll('#figure .node')].filter(n => n.style.display !== 'none').length"
    assert 1 < browser.execute_script(drawn) < 60
    assert "with its direct links" in text(browser, "#part")
    browser.execute_script("document.querySelector('#part button').click()")
    assert browser.execute_script(drawn) == 100
    # Live probabilities also here: nothing is undefined after an observation.
    browser.execute_script("observe(0, 0)")
    browser.execute_async_script("setTimeout(arguments[0], 300)")
    assert "–" not in browser.execute_script("return [...document.querySelectorAll('.state-share')].map(t => t.textContent)")


@pytest.mark.parametrize("name", ALL)
def test_print_loses_nothing(sized, made, name):
    browser = sized(made / f"{name}.html", 1280, 720)
    if name in ("clinics", "sixty"):
        pdf = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
        assert pdf.startswith(b"%PDF") and pdf.count(b"/Type /Page\n") >= 3
    resize(browser, 1280, 720, media="print")
    browser.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    hidden = "return [...document.querySelectorAll('main > section:not([hidden])')].filter(s => !s.checkVisibility()).map(s => s.id)"
    assert browser.execute_script(hidden) == []
    # Every probability of every table, or where they are if they are too many for paper.
    cells = browser.execute_script("return report.nodes.reduce((sum, node) => sum + node.tables.pooled.length * relatives.length, 0)")
    printed = browser.execute_script("return [...document.querySelectorAll('#appendix tbody td')].filter(c => c.textContent.endsWith('%')).length")
    assert printed == cells if cells <= 40000 else "All tables as CSV" in text(browser, "#appendix")
    # Evidence that the screen shows as colours is printed as numbers.
    if name in ("sixty", "hundred"):
        sets, arcs = browser.execute_script("return [dataSets.length, report.arcs.length]")
        numbers = browser.execute_script("return [...document.querySelectorAll('#appendix p')].reduce((all, p) => all + p.querySelectorAll('bdi').length, 0)")
        assert numbers >= sets * arcs
    # Nothing is cut off at the side.
    assert browser.execute_script("return [...document.querySelectorAll('.scroll')].filter(s => getComputedStyle(s).overflowX !== 'visible').length") == 0


def test_the_value_of_every_cell_is_reached_with_the_arrow_keys(sized, made):
    browser = sized(made / "sixty.html", 1280, 720)
    first = shown(browser, "#matrix .heat")
    browser.execute_script("arguments[0].focus()", first)
    words = [text(browser, "#cell-value")]
    for key in (Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ARROW_LEFT):
        browser.switch_to.active_element.send_keys(key)
        words.append(text(browser, "#cell-value"))
    assert len(set(words)) == 4 and all("evidence" in line for line in words)
    assert browser.execute_script("return document.querySelectorAll('#matrix .heat[tabindex=\"0\"]').length") == 1
    labels = browser.execute_script("return [...document.querySelectorAll('#matrix .heat')].map(c => c.getAttribute('aria-label'))")
    assert labels and all("evidence" in label for label in labels)


def test_distances_stand_beside_the_range_by_chance_and_only_what_is_outside_is_odd(sized, kinfolk, pages):
    # Ten relatives, and one data set in which the two variables are unrelated to what the others have.
    draw = random.Random(5)
    rows = []
    for place in range(11):
        for _ in range(200):
            a = draw.random() < (0.95 if place == 10 else 0.3)
            b = draw.random() < (0.1 if a else 0.9) if place == 10 else draw.random() < (0.8 if a else 0.2)
            rows.append([f"site{place}", int(a), int(b)])
    write(pages / "odd.csv", ["site", "A", "B"], rows)
    kinfolk("report", pages / "odd.csv", "--group", "site", "--out", pages / "odd.html")
    members = kinfolk.json("explain", pages / "odd.csv", "--group", "site", "--no-rivals")["data_sets"]
    odd = {member["name"] for member in members if member["distance"] > member["chance"]["high"]}
    assert "site10" in odd and len(odd) <= 2
    browser = sized(pages / "odd.html", 1280, 720)
    marked = browser.execute_script("return [...document.querySelectorAll('#odd-ones tr.odd th')].map(t => t.textContent)")
    assert set(marked) == odd
    assert "site10 stands out" in text(browser, "#stands-out")
    points = browser.execute_script("return [document.querySelectorAll('#scatter circle').length, document.querySelectorAll('#scatter rect.chance').length]")
    assert points == [11, 11]
    table = browser.execute_script("const s = document.querySelector('#odd-ones').parentElement; return [s.scrollWidth, s.clientWidth]")
    assert table[0] <= table[1]


def test_posterior_probabilities_of_links_are_those_of_explain(sized, kinfolk, clinics, made):
    posterior = kinfolk.json("explain", *clinics, "--no-rivals")["posterior"]
    browser = sized(made / "clinics.html", 1280, 720)
    shares = {tuple(arc.values())[:2]: arc["edge"] for arc in posterior["arcs"]}
    script = "return [...document.querySelectorAll('#posterior tbody tr')].map(r => [[...r.querySelectorAll('bdi')].map(b => b.textContent), parseFloat(r.children[1].style.getPropertyValue('--p'))])"
    found = {tuple(names): share for names, share in browser.execute_script(script)}
    assert found == pytest.approx(shares)
    assert "overconfident" in text(browser, "#posterior-caution")
    kinfolk("report", *clinics, "--score", "bdeu", "--out", made / "pooled.html")
    browser.get((made / "pooled.html").as_uri())
    assert "overconfident" in text(browser, "#posterior-caution") and "warning" in shown(browser, "#posterior-caution").get_attribute("class")


def test_hostile_names_are_inert_readable_and_stay_in_their_places(sized, kinfolk, pages):
    names = ["<b onmouseover=alert(1)>&amp;", "שלום \u202egnol", "🫀 heart 🫁", "x" * 300, "quote\"'`,;"]
    draw = random.Random(2)
    rows = [[site, *(draw.choice(["<i>", "\u202eno", "y" * 300]) for _ in names)] for site in ("</script><h1>", "ب" * 40, "z" * 300) for _ in range(40)]
    write(pages / "hostile.csv", ["site", *names], rows)
    kinfolk("report", pages / "hostile.csv", "--group", "site", "--out", pages / "hostile.html")
    for width, height in SIZES.values():
        browser = sized(pages / "hostile.html", width, height)
        browser.execute_script("openNode(3, false)")
        for section in ("findings", "network", "compare", "evidence", "data", "methods"):
            browser.execute_script("showSection(arguments[0])", section)
            assert browser.execute_script("return document.scrollingElement.scrollWidth") <= width, (width, section)
    assert browser.execute_script("return document.querySelectorAll('main h1, main b, main i:not(table i, option i)').length") == 0
    words = text(browser, "main")
    assert "🫀 heart 🫁" in words and names[0] in words and "\u202e" not in words
