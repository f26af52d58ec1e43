// The panel: a node with its tables across the data sets, or an arc with its evidence.

const panel = byId("panel");
let opener = null;

function openPanel(kind, index, ...content) {
  if (panel.hidden) opener = document.activeElement;
  const close = make("button", { class: "close", title: "Close (Escape)", "aria-label": "Close", click: closePanel }, "×");
  const widen = make("button", { class: "widen", "aria-pressed": document.body.classList.contains("wide"), click: () => widen.setAttribute("aria-pressed", document.body.classList.toggle("wide")) }, "Wide");
  panel.replaceChildren(make("div", { class: "corner" }, widen, close), ...content);
  panel.hidden = false;
  panel.scrollTop = 0;
  document.body.classList.add("open");
  mark(kind, index);
  panel.querySelector("h2").focus({ preventScroll: true });
}

function closePanel() {
  panel.hidden = true;
  document.body.classList.remove("open");
  mark(null);
  if (opener && opener.isConnected) opener.focus({ preventScroll: true });
}

const title = (...parts) => make("h2", { id: "panel-title", tabindex: -1 }, ...parts);
const nodeLink = (index) => make("button", { class: "link", click: () => openNode(index) }, names[index]);
const listed = (items) => items.flatMap((item, place) => (place ? [", ", item] : [item]));

/** The parents' states in one configuration; the first parent varies slowest. */
function configuration(parents, number) {
  const states = [];
  for (const parent of [...parents].reverse()) {
    const all = report.variables[parent].states;
    states.unshift(all[number % all.length]);
    number = Math.floor(number / all.length);
  }
  return states;
}

/** Whose tables there are: the data sets, all rows together, a data set never seen. */
function relatives(tables) {
  const own = dataSets.map((name, place) => ({ name, rows: report.data_sets[place].rows, values: tables.by_data_set[place], share: tables.shrinkage?.[place] }));
  return [...own, { name: "pooled", other: "all rows together", values: tables.pooled }, { name: "new", other: "a data set never seen", values: tables.new }];
}

/** Dots for the data sets on a line from 0 to 1; the bar is what a data set never seen should expect. */
function strip(tables, cell) {
  const at = (probability) => 4 + 112 * probability;
  const dots = tables.by_data_set.map((values) => draw("circle", { cx: at(values[cell]), cy: 8, r: 3 }));
  const line = draw("line", { class: "axis", x1: 4, x2: 116, y1: 8, y2: 8 });
  const centre = draw("line", { class: "centre", x1: at(tables.new[cell]), x2: at(tables.new[cell]), y1: 1, y2: 15 });
  return draw("svg", { class: "strip", width: 120, height: 16, viewBox: "0 0 120 16", "aria-hidden": "true" }, line, ...dots, centre);
}

function nodeTable(index) {
  const { parents, tables } = report.nodes[index];
  const { states } = report.variables[index];
  const all = relatives(tables);
  const lead = [...parents.map((parent) => names[parent]), names[index], "0 – 1"];
  const column = (cell) => make("th", { scope: "col", class: cell.other ? "value other" : "value", title: cell.other ?? cell.name }, cell.name);
  const line = (words, value) => make("tr", { class: "sub" }, make("th", { colspan: lead.length, scope: "row" }, words), ...all.map(value));
  const head = [
    make("tr", {}, ...lead.map((name, place) => make("th", { scope: "col", class: place === lead.length - 1 ? "axis-head" : null }, name)), ...all.map(column)),
    line("rows", (cell) => make("td", {}, cell.other ? "" : whole(cell.rows))),
    tables.shrinkage ? line("drawn to the centre", (cell) => {
      if (cell.other) return make("td", {});
      const shown = make("td", { class: "bar", title: "The share of the common centre: s / (s + rows)" }, `${number(100 * cell.share, 1)} %`);
      shown.style.setProperty("--p", cell.share);
      return shown;
    }) : null,
  ].filter(Boolean);
  const body = make("tbody");
  const configurations = tables.pooled.length / states.length;
  const rows = (place) => states.map((state, which) => {
    const cell = place * states.length + which;
    const given = which ? [] : configuration(parents, place).map((text) => make("th", { rowspan: states.length, scope: "rowgroup", class: "given" }, text));
    const values = all.map((relative) => {
      const shown = make("td", { class: relative.other ? "bar other" : "bar" }, number(relative.values[cell]));
      shown.style.setProperty("--p", relative.values[cell]);
      return shown;
    });
    return make("tr", { class: which ? null : "first" }, ...given, make("th", { scope: "row", class: "state" }, state), make("td", { class: "axis-cell" }, strip(tables, cell)), ...values);
  });
  const portion = Math.max(1, Math.floor(2500 / (states.length * all.length)));
  const more = inPortions(body, configurations, portion, rows);
  return [table(`P(${names[index]}${parents.length ? " | " + parents.map((parent) => names[parent]).join(", ") : ""})`, head, body, { class: "cpt" }), more];
}

function tableRows(index) {
  const { parents, tables } = report.nodes[index];
  const { states } = report.variables[index];
  return relatives(tables).flatMap((relative) => Array.from(relative.values, (value, cell) => {
    const given = configuration(parents, Math.floor(cell / states.length)).map((state, place) => `${names[parents[place]]}=${state}`);
    return [names[index], given.join("; "), states[cell % states.length], relative.name, value];
  }));
}
const tableHead = ["node", "given", "state", "data_set", "probability"];

function openNode(index) {
  const node = report.nodes[index];
  const children = report.arcs.filter((arc) => arc.from === index).map((arc) => arc.to);
  const described = report.description?.variables[index];
  const content = [title(names[index])];
  const fact = (label, ...value) => content.push(make("p", { class: "fact" }, make("span", { class: "label" }, label), ...value));
  fact("States", report.variables[index].states.join(", "));
  fact("Depends on", ...(node.parents.length ? listed(node.parents.map(nodeLink)) : ["nothing"]));
  fact("Leads to", ...(children.length ? listed(children.map(nodeLink)) : ["nothing"]));
  if (node.identical !== null) fact("Same table in all data sets", node.identical < 0.001 ? "with probability below 0.001" : `with probability ${number(node.identical)}`);
  if (node.s !== null) fact("Kinship", `s = ${number(node.s, 1)}: each data set holds to the centre as if with so many rows`);
  const absent = described ? absences(described) : [];
  if (absent.length) fact("States not seen", absent.join("; "));
  const missing = described?.missing.flatMap((count, place) => (count ? [`${dataSets[place]} ${whole(count)}`] : [])) ?? [];
  if (missing.length) fact("Missing values", missing.join("; "));
  if (!node.tables) return openPanel("node", index, ...content, make("p", {}, "No tables were estimated."));
  if (node.tables.tau !== null) fact("Concentration of the centre", `τ = ${number(node.tables.tau, 2)}`);
  if (!node.tables.converged) content.push(make("p", { class: "warning" }, "The fit of the centre did not reach its maximum."));
  const csv = () => saveCsv(`${fileName(names[index])}.csv`, [tableHead, ...tableRows(index)]);
  openPanel("node", index, ...content, make("div", { class: "head" }, make("h3", {}, "Probabilities, side by side"), make("button", { click: csv }, "CSV")),
    ...nodeTable(index), make("p", { class: "small" }, "Dots: the data sets. Bar: a data set never seen (“new”). “pooled”: all rows together. “drawn to the centre”: the share of what all data sets have in common, s / (s + rows). Six digits are kept here; the network file has them all."));
}

function arcRows(arc) {
  return dataSets.map((name, place) => [names[arc.from], names[arc.to], name, arc.by_data_set?.[place] ?? null]);
}
const arcHead = ["from", "to", "data_set", "gain"];

function openArc(index) {
  const arc = report.arcs[index];
  const content = [title(nodeLink(arc.from), " → ", nodeLink(arc.to))];
  const fact = (label, ...value) => content.push(make("p", { class: "fact" }, make("span", { class: "label" }, label), ...value));
  fact("Gain", make("strong", { id: "gain" }, number(arc.gain)), arc.gain === null ? " was not computed" : " is what the score would lose without this arc");
  if (arc.strength !== null) fact("Strength", `in ${number(100 * arc.strength, 1)} % of the resamples`);
  if (!arc.by_data_set) return openPanel("arc", index, ...content, make("p", {}, "This score has no terms by data set."));
  fact("Support", `${plural(support(arc), "data set")} of ${dataSets.length} ${support(arc) === 1 ? "speaks" : "speak"} for it`);
  const largest = Math.max(1e-9, ...arc.by_data_set.map(Math.abs));
  const body = make("tbody");
  const row = (place) => {
    const gain = arc.by_data_set[place];
    const bar = make("div", { class: gain < 0 ? "gain against" : "gain for" });
    bar.style.setProperty("--w", Math.abs(gain) / largest);
    return make("tr", {}, make("th", { scope: "row" }, dataSets[place]), make("td", {}, whole(report.data_sets[place].rows)), make("td", {}, number(gain)), make("td", { class: "gains" }, bar));
  };
  const more = inPortions(body, dataSets.length, 200, row);
  const csv = () => saveCsv(`${fileName(arcName(arc))}.csv`, [arcHead, ...arcRows(arc)]);
  openPanel("arc", index, ...content, make("div", { class: "head" }, make("h3", {}, "Evidence by data set"), make("button", { click: csv }, "CSV")),
    table(`Evidence for ${arcName(arc)}`, [heads("Data set", "#Rows", "#Gain", "against | for")], body, { class: "evidence-by" }), more);
}
