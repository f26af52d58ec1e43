"""Live probabilities: what the page computes is what `kinfolk query` computes."""

import random

import pytest
from selenium.webdriver.common.by import By
from test_report import shown, text

POSTERIORS = "const found = posteriorOf(arguments[0]); return found && [found.marginals.map(m => [...m]), found.logProbability]"
GIVE = "state.given.clear(); for (const [v, s, set] of arguments[0]) state.given.set(v, { state: s, set }); changed()"


@pytest.mark.parametrize("seed", range(6))
def test_posteriors_equal_those_of_query_on_random_networks(open_page, kinfolk, pages, seed):
    nodes = [4, 8, 12, 20, 30, 40][seed]
    made = pages / f"random-{seed}"
    kinfolk("simulate", "--nodes", nodes, "--arcs", int(1.4 * nodes), "--data-sets", 3, "--rows", 60, "--seed", seed, "--out", made)
    network = made / "truth.json"
    kinfolk("report", "--network", network, "--out", pages / "random.html")
    browser = open_page(pages / "random.html")
    variables = browser.execute_script("return report.variables")
    relatives = browser.execute_script("return relatives.map(r => r.name)")
    draw = random.Random(seed)
    for count in (0, 1, 3):
        given = [(v, draw.randrange(len(variables[v]["states"])), count == 3 and place == 0) for place, v in enumerate(draw.sample(range(nodes), count))]
        browser.execute_script(GIVE, given)
        call = [word for v, s, is_set in given for word in ("--do" if is_set else "--evidence", f'{variables[v]["name"]}={variables[v]["states"][s]}')]
        targets = [v for v in range(nodes) if v not in {v for v, _, _ in given}]
        answer = kinfolk.json("query", network, *[word for v in targets for word in ("--target", variables[v]["name"])], *call)
        compared = 0
        for which, name in enumerate(relatives):
            name = {"all together": "pooled", "new data set": "new"}.get(name, name)
            expected = query_answer(answer, name)
            found = browser.execute_script(POSTERIORS, which)
            for v in targets:
                wanted = expected[variables[v]["name"]]
                assert found[0][v] == pytest.approx([wanted[state] for state in variables[v]["states"]], abs=1e-9), (name, variables[v]["name"])
                compared += 1
        assert compared == len(targets) * len(relatives)


def query_answer(answer, name):
    """Posteriors by variable and state of one data set, from the JSON of `query`."""
    return {one["target"]: one["data_sets"][name] for one in answer["targets"]}


def test_a_click_on_a_state_observes_it_in_every_data_set(open_page, kinfolk, clinics, pages):
    kinfolk("report", *clinics, "--out", pages / "click.html")
    kinfolk("learn", *clinics, "--out", pages / "click.json")
    browser = open_page(pages / "click.html")
    before = browser.execute_script(POSTERIORS, 0)
    state = shown(browser, '[data-node="0"] .state .area')
    browser.execute_script("arguments[0].dispatchEvent(new MouseEvent('click', { bubbles: true }))", state)
    after = browser.execute_script(POSTERIORS, 0)
    assert after[0][0][0] == 1 and before[0] != after[0]
    assert len(browser.find_elements(By.CSS_SELECTOR, "#given .chip")) == 1
    # The address keeps it: another reader sees the same.
    address = browser.current_url
    assert "given=0.0" in address
    browser.get("about:blank")
    browser.get(address)
    assert browser.execute_script(POSTERIORS, 0) == after
    for mode in ("two", "all", "one"):
        browser.execute_script("const m = document.querySelector('#mode'); m.value = arguments[0]; m.dispatchEvent(new Event('change'))", mode)
        browser.execute_async_script("setTimeout(arguments[0], 200)")
        assert "–" not in [share.text for share in browser.find_elements(By.CSS_SELECTOR, ".state-share")]


def test_what_cannot_happen_is_said_to_be_impossible(open_page, kinfolk, clinics, pages):
    kinfolk("report", *clinics, "--out", pages / "impossible.html")
    browser = open_page(pages / "impossible.html")
    browser.execute_script("for (const node of report.nodes) for (const t of node.tables.by_data_set) if (node === report.nodes[0]) { t.fill(0); t[0] = 1 } state.given.set(0, { state: 1, set: false }); changed()")
    browser.execute_async_script("setTimeout(arguments[0], 200)")
    assert "Impossible in" in text(browser, "#given")


def test_a_network_that_is_too_large_to_compute_with_is_refused_kindly(open_page, kinfolk, clinics, pages):
    kinfolk("report", *clinics, "--out", pages / "large.html")
    browser = open_page(pages / "large.html")
    sizes = browser.execute_script("const cards = report.variables.map(v => v.states.length); const families = report.nodes.map(n => n.parents); return [cliqueTree(cards, families, 3), cliqueTree(cards, families).cells]")
    assert sizes[0] is None and sizes[1] > 3
