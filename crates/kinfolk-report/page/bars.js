// Probabilities in the nodes: bars for the chosen data set, marks for the others; a click on a state observes it.

/** The parts of a node's row for one state, from the left: its label, its bar, its number. */
const ROW = { top: 24, height: 15, label: 62, number: 40 };
/** The most rows in a node; Rust leaves room for as many. */
const MOST_ROWS = 6;
const cut = (text, letters) => (text.length > letters ? text.slice(0, letters - 1) + "…" : text);

/** Why there are no live probabilities, or nothing. */
const tooLarge = report.nodes.flatMap((node, index) => (node.too_large ? [names[index]] : []));
const tooLargeWords = (name) => `The tables of ${isolated(name)} are too large for a page; “kinfolk query” and “kinfolk fit --json” work with them.`;
const noInference = tooLarge.length ? `No probabilities are computed in this page. ${tooLargeWords(tooLarge[0])}` : !hasTables ? "This page has no tables, so it shows no probabilities." : tree === null ? `This network is too large to compute with in the page: its cliques have more than ${whole(MOST_CELLS)} cells. “kinfolk query” computes the same from the network file.` : null;

const rows = [];
/** Draws the rows of all nodes once; their bars change later. */
function makeBars() {
  if (noInference) return;
  boxes.forEach((box, variable) => {
    const states = shownStates[variable];
    const shown = states.length > MOST_ROWS ? MOST_ROWS - 1 : states.length;
    const left = -box.width / 2 + 8;
    const barLeft = left + ROW.label;
    const barWidth = box.width - 16 - ROW.label - ROW.number;
    const lines = states.slice(0, shown).map((name, which) => {
      const y = -box.height / 2 + ROW.top + which * ROW.height;
      const label = draw("text", { class: "state-name", x: left, y: y + 11 }, cut(visible(name), 9));
      const track = draw("rect", { class: "track", x: barLeft, y: y + 2, width: barWidth, height: ROW.height - 4 });
      const bar = draw("rect", { class: "share", x: barLeft, y: y + 2, width: 0, height: ROW.height - 4 });
      const marks = draw("path", { class: "marks", d: "" });
      const unseen = draw("path", { class: "unseen", d: "" });
      const words = draw("text", { class: "state-share", x: -left, y: y + 11 }, "");
      const area = draw("rect", { class: "area", x: -box.width / 2 + 2, y, width: box.width - 4, height: ROW.height, rx: 3 });
      const group = draw("g", { class: "state" }, draw("title", {}, `${isolated(names[variable])} = ${isolated(name)}: click to observe it, again to take it back`), area, label, track, bar, marks, unseen, words);
      group.addEventListener("click", (event) => {
        if (dragged) return;
        event.stopPropagation();
        observe(variable, which);
      });
      return { variable, which, group, bar, marks, unseen, words, x: barLeft, y: y + 2, width: barWidth };
    });
    box.group.append(...lines.map((line) => line.group));
    if (shown < states.length) box.group.append(draw("text", { class: "state-name", x: left, y: -box.height / 2 + ROW.top + shown * ROW.height + 11 }, `${states.length - shown} more: click the name`));
    rows.push(...lines);
  });
}

const tick = (line, share) => `M${(line.x + share * line.width).toFixed(1)} ${line.y - 1}v${ROW.height - 2}`;
/** A percentage without its sign, for a narrow place. */
const short = (share) => (share > 0 && share < 0.005 ? "<1" : share < 1 && share > 0.995 ? ">99" : number(100 * share, 0));

/** The bars of the nodes for what is chosen and given. */
function showBars() {
  if (noInference) return;
  const { mode, one, other } = state;
  const first = posteriorOf(one);
  const second = mode === "two" ? posteriorOf(other) : null;
  for (const line of rows) {
    const { variable, which, group, bar, words } = line;
    const known = state.given.get(variable);
    group.classList.toggle("given", known?.state === which);
    group.classList.toggle("set", Boolean(known?.set && known.state === which));
    const share = first?.marginals[variable][which];
    group.classList.remove("differs");
    if (mode === "two") {
      // Mirrored: the first to the left of the middle, the second to the right.
      const opposite = second?.marginals[variable][which];
      const half = line.width / 2;
      const [a, b] = [share ?? 0, opposite ?? 0];
      bar.setAttribute("x", line.x + half * (1 - a));
      bar.setAttribute("width", half * (a + b));
      words.textContent = share === undefined || opposite === undefined ? "–" : `${b >= a ? "+" : "−"}${number(100 * Math.abs(b - a), 0)}`;
      group.classList.toggle("differs", Math.abs(b - a) >= 0.1);
      line.marks.setAttribute("d", `M${line.x + half} ${line.y - 1}v${ROW.height - 2}`);
      line.unseen.setAttribute("d", "");
      continue;
    }
    bar.setAttribute("x", line.x);
    bar.setAttribute("width", mode === "all" ? 0 : line.width * (share ?? 0));
    words.textContent = share === undefined ? "–" : mode === "all" ? "…" : `${short(share)} %`;
    if (mode === "all") {
      line.marks.setAttribute("d", "");
      line.unseen.setAttribute("d", "");
    }
  }
  showOthers();
}

let others = 0;
/** Marks for all data sets, a few of them at a time, so that the page answers meanwhile. */
function showOthers() {
  const turn = ++others;
  if (!several || state.mode === "two") return;
  const wanted = [...dataSets.keys(), relatives.length - 1];
  const step = () => {
    const end = performance.now() + 12;
    while (wanted.length && performance.now() < end) posteriorOf(wanted.shift());
    if (turn !== others) return;
    if (wanted.length) return setTimeout(step);
    for (const line of rows) {
      const of = (which) => posteriorOf(which)?.marginals[line.variable][line.which];
      const shares = dataSets.map((_, which) => of(which)).filter((share) => share !== undefined);
      line.marks.setAttribute("d", shares.map((share) => tick(line, share)).join(""));
      const unseen = of(relatives.length - 1);
      line.unseen.setAttribute("d", unseen === undefined ? "" : `M${(line.x + unseen * line.width).toFixed(1)} ${line.y - 3}l4 -4h-8Z`);
      if (state.mode !== "all" || !shares.length) continue;
      const [least, most] = [Math.min(...shares), Math.max(...shares)];
      line.bar.setAttribute("x", line.x + least * line.width);
      line.bar.setAttribute("width", Math.max(1, (most - least) * line.width));
      line.words.textContent = short(least) === short(most) ? `${short(least)} %` : `${short(least)}–${short(most)}`;
    }
    showGiven();
  };
  step();
}

const select = (id, label, chosen, options, change) => make("label", { class: "pick" }, make("span", {}, label), make("select", { id, change: (event) => change(event.target.value) },
  ...options.map(([value, text]) => make("option", { value, selected: String(value) === String(chosen) }, text))));

/** Whose probabilities the nodes show. */
function makePicker() {
  const place = byId("picker");
  if (noInference) return place.replaceChildren(small(noInference));
  if (!several) return place.replaceChildren();
  const all = relatives.map((relative, which) => [which, isolated(relative.name)]);
  const parts = [select("mode", "Show", state.mode, [["one", "one data set"], ["two", "two, mirrored"], ["all", "all: range and marks"]], (mode) => { state.mode = mode; changed(); makePicker(); })];
  if (state.mode !== "all") parts.push(select("one", state.mode === "two" ? "left" : "of", state.one, all, (which) => { state.one = Number(which); changed(); }));
  if (state.mode === "two") parts.push(select("other", "right", state.other, all, (which) => { state.other = Number(which); changed(); }));
  place.replaceChildren(...parts);
}

/** Chips of what is given, each of which takes it back; and how probable it is. */
function showGiven() {
  const place = byId("given");
  if (noInference) return;
  if (!state.given.size) return place.replaceChildren(make("span", { class: "hint" }, "What if? Click a state to observe it: every bar then shows the probability given that."));
  const chips = [...state.given].map(([variable, known]) => {
    const words = [bdi(names[variable]), known.set ? " set to " : " = ", bdi(shownStates[variable][known.state])];
    const how = make("select", { "aria-label": `How ${isolated(names[variable])} is given`, change: (event) => { known.set = event.target.value === "set"; changed(); } },
      ...["observed", "set"].map((word) => make("option", { value: word, selected: (word === "set") === known.set }, word)));
    return make("span", { class: "one-given" }, make("button", { class: known.set ? "chip set" : "chip", "aria-label": `Take back ${isolated(names[variable])}`, click: () => { state.given.delete(variable); changed(); } }, ...words, " ×"), how);
  });
  const impossible = [...computed].filter(([, found]) => found === null).map(([which]) => relativeName(relatives[which]));
  const shownOne = state.mode === "all" ? null : posteriorOf(state.one);
  const observed = [...state.given.values()].some((known) => !known.set);
  place.replaceChildren(make("span", {}, "Given "), ...chips, make("button", { click: () => { state.given.clear(); changed(); } }, "Clear"),
    shownOne && observed ? make("span", { class: "hint", id: "chance" }, `probability of this: ${percent(Math.exp(shownOne.logProbability))} in `, relativeName(relatives[state.one])) : "",
    impossible.length ? make("span", { class: "warning" }, "Impossible in ", ...listed(some(impossible)), ".") : "",
    [...state.given.values()].some((known) => known.set) ? make("p", { class: "warning" }, "“Set to” removes the links into the variable. It answers “what if we set it?” only if the arrows are causes, which data alone do not show.") : "");
}
