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
  refit();
  mark(kind, index);
  reveal(figure.querySelector(`[data-${kind}="${index}"]`));
  panel.querySelector("h2").focus({ preventScroll: true });
}

function closePanel() {
  panel.hidden = true;
  document.body.classList.remove("open");
  refit();
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

/** How the tables were made. A network file of `fit` has it among its settings. */
const tablesMade = report.settings.tables ?? report.settings;
/** Whose tables they are: those with a fitted τ are BHD's, those with a share of the centre alone are kin's. */
function modelOf(tables) {
  if (tables.tau !== null) return typeof tablesMade.s === "number" ? `BHD with s = ${tablesMade.s}` : "BHD";
  if (tables.shrinkage) return "kin";
  return { bayes: "Bayes, each data set alone", mle: "maximum likelihood, each data set alone" }[tablesMade.method] ?? "a method that the file does not record";
}
/** What the table of a data set never seen is, by the model of the tables. */
function newWords(tables) {
  if (tables.tau !== null) return "an unseen data set: the mean of BHD's fitted centre. If s is small, the rows have little weight in the centre, so it can be closer to uniform than the data sets are";
  if (tables.shrinkage) return "an unseen data set: the predictive distribution of kin, averaged over s and over the hypothesis that all data sets are identical";
  return "an unseen data set: these tables have no model for it, so this is the pooled table";
}

/** Whose tables there are: the data sets, all rows together, a data set never seen. */
function relatives(tables) {
  const own = dataSets.map((name, place) => ({ name, rows: report.data_sets[place].rows, values: tables.by_data_set[place], share: tables.shrinkage?.[place], behind: tables.rows?.[place], shares: tables.shrinkage_by_configuration?.[place] }));
  const sum = tables.rows?.[0].map((_, row) => tables.rows.reduce((all, rows) => all + rows[row], 0));
  return [...own, { name: "pooled", other: "all rows together", values: tables.pooled, behind: sum }, { name: "new", other: newWords(tables), values: tables.new }];
}

/** What of a table is the common centre's and not the data set's own: a number over a bar. */
function drawn(share, title, ...before) {
  const cell = make("td", { class: "bar drawn", title }, ...before, percent(share));
  cell.style.setProperty("--p", share);
  return cell;
}
/** What the share of the centre is, in words; kin does not have one s, but chances of many. */
const drawnWords = (node) => (node.tables.tau === null ? "the weight of the common centre, averaged over s and over the hypothesis that the data sets are identical" : "the weight of the common centre, s / (s + rows)");

/** Dots for the data sets on a line from 0 to 1; the bar is what a data set never seen should expect. */
function strip(tables, cell) {
  const at = (probability) => 4 + 112 * probability;
  const dots = tables.by_data_set.map((values) => draw("circle", { cx: at(values[cell]), cy: 8, r: 3 }));
  const line = draw("line", { class: "axis", x1: 4, x2: 116, y1: 8, y2: 8 });
  const centre = several ? [draw("line", { class: "centre", x1: at(tables.new[cell]), x2: at(tables.new[cell]), y1: 1, y2: 15 })] : [];
  return draw("svg", { class: "strip", width: 120, height: 16, viewBox: "0 0 120 16", "aria-hidden": "true" }, line, ...dots, ...centre);
}

function nodeTable(index) {
  const { parents, tables } = report.nodes[index];
  const { states } = report.variables[index];
  const all = several ? relatives(tables) : relatives(tables).slice(0, 1);
  const distances = several ? report.explanation?.pooling.nodes[index].by_data_set : undefined;
  const lead = [...parents.map((parent) => names[parent]), names[index], "0 – 1"];
  const shrunk = several && tables.shrinkage;
  const column = (cell) => make("th", { scope: "col", class: cell.other ? "value other" : "value", title: cell.other ?? cell.name }, cell.name);
  const line = (words, value) => make("tr", { class: "sub" }, make("th", { colspan: lead.length, scope: "row" }, words), ...all.map(value));
  const head = [
    make("tr", {}, ...lead.map((name, place) => make("th", { scope: "col", class: place === lead.length - 1 ? "axis-head" : null }, name)), ...all.map(column)),
    line("rows", (cell) => make("td", {}, cell.other ? "" : whole(cell.rows))),
    shrunk ? line("shrinkage to the centre", (cell) => (cell.other ? make("td", {}) : drawn(cell.share, `${cell.name}: ${drawnWords(report.nodes[index])}`))) : null,
    distances ? line("distance from the centre, by kin", (cell) => make("td", { title: "Kullback–Leibler divergence of the data set's table from the centre, both by kin, in nats per row" }, cell.other ? "" : number(distances[cell.name], 4))) : null,
  ].filter(Boolean);
  const body = make("tbody");
  const configurations = tables.pooled.length / states.length;
  // How many rows stand behind each row of the tables; without parents the head says it.
  const counted = parents.length > 0 && tables.rows;
  const behind = (place) => (counted ? [make("tr", { class: "first behind" }, ...givens(place), make("th", { scope: "row", class: "state" }, shrunk ? "rows · drawn" : "rows"), make("td", { class: "axis-cell" }), ...all.map((relative) => {
    if (!relative.behind) return make("td", {});
    const count = plural(relative.behind[place], "row");
    if (!shrunk || !relative.shares) return make("td", { title: `${count} with this configuration` }, whole(relative.behind[place]));
    return drawn(relative.shares[place], `${relative.name}: ${count} with this configuration; ${percent(relative.shares[place])} of the weight is that of the common centre`, `${whole(relative.behind[place])} · `);
  }))] : []);
  const givens = (place) => configuration(parents, place).map((text) => make("th", { rowspan: states.length + (counted ? 1 : 0), scope: "rowgroup", class: "given" }, text));
  const rows = (place) => [...behind(place), ...states.map((state, which) => {
    const cell = place * states.length + which;
    const given = which || counted ? [] : givens(place);
    const values = all.map((relative) => {
      const shown = make("td", { class: relative.other ? "bar other" : "bar" }, number(relative.values[cell]));
      shown.style.setProperty("--p", relative.values[cell]);
      return shown;
    });
    return make("tr", { class: which || counted ? null : "first" }, ...given, make("th", { scope: "row", class: "state" }, state), make("td", { class: "axis-cell" }, strip(tables, cell)), ...values);
  })];
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
  const alike = several ? report.explanation?.pooling.nodes[index] : undefined;
  const identical = alike?.identical ?? node.identical;
  const s = alike?.s_mean ?? node.s;
  if (several && identical !== null) fact("Same table in all data sets", `with probability ${probability(identical)}, by kin`);
  if (several && s !== null) fact("Kinship", `by kin, s = ${number(s, 1)}: the common centre has the weight of s rows`);
  if (alike) fact("Distance from the centre", `by kin, ${number(alike.divergence, 4)} nats per row, over all rows`);
  const absent = described ? absences(described) : [];
  if (absent.length) fact("States not seen", absent.join("; "));
  const missing = described?.missing.flatMap((count, place) => (count ? [`${dataSets[place]} ${whole(count)}`] : [])) ?? [];
  if (missing.length) fact("Missing values", missing.join("; "));
  if (!node.tables) return openPanel("node", index, ...content, make("p", {}, "No tables were estimated."));
  if (several && node.tables.tau !== null) fact("Concentration of the centre", `by ${modelOf(node.tables)}, τ = ${number(node.tables.tau, 2)}`);
  if (!node.tables.converged) content.push(make("p", { class: "warning" }, "The fit of the centre did not converge."));
  const csv = () => saveCsv(`${fileName(names[index])}.csv`, [tableHead, ...tableRows(index)]);
  const words = [
    several ? `Tables by ${modelOf(node.tables)}. Dots: the data sets. Bar: “new”, ${newWords(node.tables)}. “pooled”: all rows together.` : null,
    node.tables.rows && node.parents.length ? "“rows”: the number of rows with these states of the parents; few rows make the probabilities uncertain." : null,
    several && node.tables.shrinkage ? `“shrinkage to the centre”: ${drawnWords(node)}${node.tables.shrinkage_by_configuration && node.parents.length ? "; above for the whole table, within it for every row" : ""}. 0 %: all from the data set's own rows.` : null,
    several && alike ? `“distance from the centre”: in nats per row${modelOf(node.tables) === "kin" ? "" : "; it, s and the probability of one table are kin's, not those of the tables shown"}.` : null,
    "Probabilities are rounded to six digits; the network file has full precision.",
  ];
  openPanel("node", index, ...content, make("div", { class: "head" }, make("h3", {}, several ? "Probabilities by data set" : "Probabilities"), make("button", { click: csv }, "CSV")),
    ...nodeTable(index), make("p", { class: "small", id: "table-words" }, words.filter(Boolean).join(" ")));
}

function arcRows(arc) {
  return dataSets.map((name, place) => [names[arc.from], names[arc.to], name, arc.by_data_set?.[place] ?? null, arc.given_others?.[place] ?? null]);
}
const arcHead = ["from", "to", "data_set", "gain", "given_others"];

function openArc(index) {
  const arc = report.arcs[index];
  const content = [title(nodeLink(arc.from), " → ", nodeLink(arc.to))];
  const fact = (label, ...value) => content.push(make("p", { class: "fact" }, make("span", { class: "label" }, label), ...value));
  fact("Gain", make("strong", { id: "gain" }, number(arc.gain)), arc.gain === null ? " was not computed" : " is the loss in score if this arc is removed");
  if (arc.strength !== null) fact("Strength", `in ${number(100 * arc.strength, 1)} % of the resamples${otherScore ? `, which were learned with ${otherScore.resampled} and not with ${otherScore.own}` : ""}`, arc.direction === null ? "" : `, of these ${number(100 * arc.direction, 1)} % in this direction`);
  const evidence = evidenceOf(arc);
  if (!several) return openPanel("arc", index, ...content);
  if (!evidence) return openPanel("arc", index, ...content, make("p", {}, `The evidence by data set is not available: ${report.search?.score_name ?? "the score"} is not a sum over data sets, and no explanation was computed.`));
  fact("Support", `${plural(support(arc), "data set")} of ${dataSets.length} ${support(arc) === 1 ? "speaks" : "speak"} for it`);
  const absent = (report.explanation?.data_sets ?? []).flatMap((member) => member.altered_arcs.filter((one) => one.from === names[arc.from] && one.to === names[arc.to]).map((one) => `${member.name} (with probability ${probability(one.probability)})`));
  if (absent.length) fact("Absent in", absent.join(", "));
  const largest = Math.max(1e-9, ...evidence.map(Math.abs));
  const columns = [arc.by_data_set, arc.given_others].filter(Boolean);
  const body = make("tbody");
  const row = (place) => {
    const bar = make("div", { class: evidence[place] < 0 ? "gain against" : "gain for" });
    bar.style.setProperty("--w", Math.abs(evidence[place]) / largest);
    return make("tr", {}, make("th", { scope: "row" }, dataSets[place]), make("td", {}, whole(report.data_sets[place].rows)), ...columns.map((values) => make("td", {}, number(values[place]))), make("td", { class: "gains" }, bar));
  };
  const more = inPortions(body, dataSets.length, 200, row);
  const csv = () => saveCsv(`${fileName(arcName(arc))}.csv`, [arcHead, ...arcRows(arc)]);
  openPanel("arc", index, ...content, make("div", { class: "head" }, make("h3", {}, "Evidence by data set"), make("button", { click: csv }, "CSV")),
    table(`Evidence for ${arcName(arc)}`, [heads("Data set", "#Rows", ...(arc.by_data_set ? ["#Gain"] : []), ...(arc.given_others ? ["#Given others"] : []), "against | for")], body, { class: "evidence-by" }), more,
    make("p", { class: "small" }, `${arc.by_data_set ? "Gain: the difference in the data set's term of the score, with the arc minus without it. " : ""}${arc.given_others ? "Given others: the evidence of the data set's own rows for the arc (below 0: against it), given all other data sets; it decides whether an arc is reported as absent. " : ""}Natural logarithms. The bars show “${arc.by_data_set ? "Gain" : "Given others"}”.`));
}
