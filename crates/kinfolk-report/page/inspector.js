// The inspector: a variable with its probabilities by data set, or an arc with its evidence.

const inspector = byId("inspector");
let opener = null;
const nodeLink = (index) => make("button", { class: "link", click: () => openNode(index) }, bdi(names[index]));
/** A name that opens its variable, if it has one. */
const named = (name) => (placeOf.has(name) ? nodeLink(placeOf.get(name)) : bdi(name));
const arcLink = (index) => make("button", { class: "link", click: () => openArc(index) }, ...arcWords(report.arcs[index]));

function openInspector(kind, index, content, focus = true) {
  if (!state.opened) opener = document.activeElement;
  state.opened = { kind, index };
  keepInAddress();
  const close = make("button", { class: "close", title: "Close (Escape)", "aria-label": "Close", click: closeInspector }, "×");
  inspector.replaceChildren(make("div", { class: "corner" }, close), ...content);
  inspector.scrollTop = 0;
  document.body.classList.add("open");
  refit();
  if (around !== null && kind === "node" && !around.members.has(index)) showAround(index);
  mark(kind, index);
  if (frame.clientWidth > 0) reveal(figure.querySelector(`[data-${kind}="${index}"]`));
  byId("around").hidden = kind !== "node" || around?.node === index || names.length < 12;
  if (focus) inspector.querySelector("h2").focus({ preventScroll: true });
  if (focus && narrow.matches) inspector.scrollIntoView({ block: "start" });
}
function closeInspector() {
  state.opened = null;
  keepInAddress();
  document.body.classList.remove("open");
  showGuide();
  refit();
  mark(null);
  byId("around").hidden = true;
  if (opener && opener.isConnected) opener.focus({ preventScroll: true });
}
/** What the inspector says before anything is opened. */
function showGuide() {
  const busy = report.nodes.map((_, index) => index).sort((a, b) => degree(b) - degree(a) || a - b).slice(0, 8);
  inspector.replaceChildren(make("h2", { id: "inspector-title" }, "Look closer"),
    make("p", {}, "Click a variable’s name for its probabilities", several ? " in every data set" : "", ", a line for its evidence", noInference ? "." : ", a state to ask “what if?”."),
    make("p", {}, "Start with: ", ...listed(busy.map(nodeLink), ", "), "."));
}
const degree = (node) => report.arcs.filter((arc) => arc.from === node || arc.to === node).length;
const title = (...parts) => make("h2", { id: "inspector-title", tabindex: -1 }, ...parts);

/** The parents' states in one configuration; the first parent varies slowest. */
function configuration(parents, number) {
  const states = [];
  for (const parent of [...parents].reverse()) {
    const { length } = report.variables[parent].states;
    states.unshift(number % length);
    number = Math.floor(number / length);
  }
  return states;
}
const configurationNumber = (parents, states) => parents.reduce((number, parent, place) => number * report.variables[parent].states.length + states[place], 0);

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
  if (tables.tau !== null) return "the mean of BHD's fitted centre; if s is small, the rows have little weight in it, so it can be closer to uniform than the data sets are";
  if (tables.shrinkage) return "the predictive distribution of kin, averaged over s and over the hypothesis that all data sets are identical";
  return "these tables have no model for it, so it is the same as “all together”";
}

/** The rows of a variable's table for one configuration: all together and new first, then the data sets. */
function tableRows(index, place) {
  const { tables } = report.nodes[index];
  const { length } = report.variables[index].states;
  const of = (values) => Array.from(values.slice(place * length, (place + 1) * length));
  const sum = tables.rows?.reduce((all, rows) => all + rows[place], 0);
  const own = dataSets.map((name, which) => ({ relative: relatives[which], rows: tables.rows?.[which][place] ?? null, borrowed: tables.shrinkage_by_configuration?.[which][place] ?? tables.shrinkage?.[which] ?? null, values: of(tables.by_data_set[which]) }));
  if (!several) return own;
  return [{ relative: relatives[dataSets.length], rows: sum ?? null, values: of(tables.pooled) }, { relative: relatives[dataSets.length + 1], rows: null, values: of(tables.new) }, ...own];
}

/** "In Cleveland 23 % have …; in Switzerland 1 %", for the state in which the data sets differ most. */
function sentence(index, place) {
  const states = shownStates[index];
  const own = tableRows(index, place).filter(({ relative }) => !relative.other);
  if (!several) {
    const { values } = own[0];
    const most = values.indexOf(Math.max(...values));
    return make("p", { class: "lead" }, `${percent(values[most])} have `, bdi(names[index]), " = ", bdi(states[most]), ".");
  }
  const spread = states.map((_, which) => Math.max(...own.map(({ values }) => values[which])) - Math.min(...own.map(({ values }) => values[which])));
  const which = spread.indexOf(Math.max(...spread));
  const sorted = [...own].sort((a, b) => b.values[which] - a.values[which]);
  const [high, low] = [sorted[0], sorted[sorted.length - 1]];
  if (spread[which] < 0.005) return make("p", { class: "lead" }, "All data sets agree: ", percent(high.values[which]), " have ", bdi(names[index]), " = ", bdi(states[which]), ".");
  return make("p", { class: "lead" }, "In ", relativeName(high.relative), ` ${percent(high.values[which])} have `, bdi(names[index]), " = ", bdi(states[which]), "; in ", relativeName(low.relative), ` ${percent(low.values[which])}.`);
}

/** The sentence and the table for one configuration of the parents, which menus choose; columns sort, a box filters. */
function probabilities(index) {
  const { parents } = report.nodes[index];
  const states = shownStates[index];
  const chosen = parents.map((parent) => state.given.get(parent)?.state ?? 0);
  const first = make("div");
  const area = make("div", { class: "probabilities" });
  let sort = null;
  let filter = "";
  function fill() {
    const place = configurationNumber(parents, chosen);
    const all = tableRows(index, place);
    const [pinned, own] = [all.filter(({ relative }) => relative.other), all.filter(({ relative }) => !relative.other)];
    const key = (row) => (sort.column === "rows" ? row.rows ?? 0 : sort.column === "name" ? row.relative.name : row.values[sort.column]);
    if (sort) own.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (sort.down ? -1 : 1));
    const kept = own.filter(({ relative }) => relative.name.toLowerCase().includes(filter));
    const borrowed = several ? kept.filter((row) => row.borrowed > 0.5) : [];
    const head = (column, ...words) => {
      const active = sort?.column === column;
      return make("th", { scope: "col", class: column === "name" ? null : "value", "aria-sort": active ? (sort.down ? "descending" : "ascending") : null },
        make("button", { class: "sort", click: () => { sort = { column, down: active ? !sort.down : column !== "name" }; fill(); } }, ...words, active ? (sort.down ? " ↓" : " ↑") : ""));
    };
    const body = make("tbody");
    const row = (which) => {
      const { relative, rows, borrowed: share, values } = [...pinned, ...kept][which];
      const mostly = several && share > 0.5;
      return make("tr", { class: relative.other ? "pinned" : mostly ? "borrowed" : null }, rowHead(relativeName(relative)), make("td", { class: "count", "data-label": "rows" }, rows === null ? "" : whole(rows)),
        ...values.map((value, which) => barCell(value, percent(value), { "data-label": visible(states[which]), "data-value": value })));
    };
    const more = inPortions(body, pinned.length + kept.length, 200, row);
    const lines = [make("tr", {}, head("name", several ? "Data set" : "Data"), head("rows", "Rows"), ...states.map((name, which) => head(which, make("bdi", {}, ...visible(name).split(/(?<=,|<=|>)/).flatMap((part, place) => [place ? make("wbr") : "", part])))))];
    const alike = (report.explanation?.pooling.nodes[index]?.p_identical ?? report.nodes[index].identical ?? 0) > 0.5;
    const why = alike ? ["the data sets are alike in this variable"] : [...listed(some(borrowed.map((row) => relativeName(row.relative)))), borrowed.length === 1 ? " has" : " have", " few rows here"];
    first.replaceChildren(sentence(index, place));
    area.replaceChildren(table("Probabilities by data set", lines, body, { class: "cpt" }), more, borrowed.length ? make("p", { class: "small", id: "borrowed" }, "Hatched: mostly borrowed from the other data sets, because ", ...why, ".") : "");
  }
  const menus = parents.map((parent, place) => select(`parent-${place}`, [bdi(names[parent]), " ="], chosen[place], shownStates[parent].map((name, which) => [which, isolated(name)]), (which) => { chosen[place] = Number(which); fill(); }));
  const box = several && dataSets.length > 8 ? make("input", { type: "search", placeholder: "Filter data sets", "aria-label": "Filter data sets", input: (event) => { filter = event.target.value.toLowerCase(); fill(); } }) : "";
  fill();
  const csv = csvButton(`${fileName(names[index])}.csv`, () => [tableHead, ...tableCsv(index)]);
  return [parents.length ? make("div", { class: "menus" }, "Among those with ", ...menus) : "", first, headLine("h3", several ? "Probabilities by data set" : "Probabilities", csv), box, area];
}

const tableHead = ["node", "given", "state", "data_set", "probability", "rows", "borrowed"];
function tableCsv(index) {
  const { parents, tables } = report.nodes[index];
  const { states } = report.variables[index];
  const lines = [];
  for (let place = 0; place < tables.pooled.length / states.length; place++) {
    const given = configuration(parents, place).map((which, parent) => `${names[parents[parent]]}=${report.variables[parents[parent]].states[which]}`).join("; ");
    for (const { relative, rows, borrowed, values } of tableRows(index, place)) values.forEach((value, which) => lines.push([names[index], given, states[which], relative.name, value, rows, borrowed ?? null]));
  }
  return lines;
}

/** The states as buttons: what the keyboard and a finger use to observe or to set. */
function stateButtons(index) {
  if (noInference) return "";
  const states = shownStates[index];
  const known = state.given.get(index);
  const found = posteriorOf(state.one);
  const line = (name, which) => {
    const here = known?.state === which;
    const share = found?.marginals[index][which];
    const bar = make("span", { class: "state-bar" });
    bar.style.setProperty("--p", share ?? 0);
    return make("div", { class: "state-line" }, make("span", { class: "state-label" }, bdi(name)), bar, make("span", { class: "state-value", "data-value": share }, share === undefined ? "–" : percent(share)),
      make("button", { "aria-pressed": Boolean(here && !known.set), click: () => observe(index, which) }, "observe"), make("button", { "aria-pressed": Boolean(here && known.set), click: () => observe(index, which, true) }, "set"));
  };
  return make("div", { id: "states", class: "states" }, make("h3", {}, "What if?"), small(state.given.size ? "Given what is chosen, in " : "In ", relativeName(relatives[state.one]), ":"), ...states.map(line));
}

function openNode(index, focus = true) {
  const node = report.nodes[index];
  const children = report.arcs.filter((arc) => arc.from === index).map((arc) => arc.to);
  const described = report.description?.variables[index];
  const content = [title(bdi(names[index]))];
  const fact = (label, ...value) => make("p", { class: "fact" }, make("span", { class: "label" }, label), ...value);
  if (!node.tables) content.push(make("p", {}, node.too_large ? tooLargeWords(names[index]) : "No tables were estimated."));
  else if (!node.tables.converged) content.push(make("p", { class: "warning" }, "The fit of the centre did not converge."));
  if (node.tables) content.push(...probabilities(index));
  content.push(stateButtons(index));
  const links = [...node.parents, ...children];
  content.push(fact("Directly linked with", ...(links.length ? listed(links.map(nodeLink)) : ["nothing"])));
  const alike = several ? report.explanation?.pooling.nodes[index] : undefined;
  const identical = alike?.p_identical ?? node.identical;
  if (several && identical !== null && identical !== undefined) content.push(fact("One table for all?", `with probability ${probability(identical)}`, identical > 0.9 ? ": the data sets may share it" : identical < 0.1 ? ": the data sets differ" : ": open"));
  const absent = described ? absences(index) : [];
  if (absent.length) content.push(fact("States not seen", ...(absent.length > 4 ? [`in ${absent.length} of ${dataSets.length} data sets`] : absent.flatMap((words, place) => [place ? "; " : "", ...words]))));
  const missing = described?.missing.flatMap((count, place) => (count ? [[bdi(dataSets[place]), ` ${whole(count)}`]] : [])) ?? [];
  if (missing.length) content.push(fact("Missing values", ...listed(missing, ", ")));
  if (!node.tables) return openInspector("node", index, content, focus);
  const s = alike?.s_mean ?? node.s;
  content.push(details("How these numbers are made", make("div", { id: "table-words" },
    small(`Tables by ${modelOf(node.tables)}.`, several ? ` “New data set”: ${newWords(node.tables)}. “All together”: all rows as one.` : ""),
    several && node.tables.shrinkage ? small(node.tables.tau === null ? "Borrowed: the weight of the common centre, averaged over s and over the hypothesis that the data sets are identical." : "Borrowed: the weight of the common centre, s / (s + rows).") : "",
    several && s !== null && s !== undefined ? small(`Kinship s = ${number(s, 1)}, by kin: the common centre has the weight of so many rows.`) : "",
    several && node.tables.tau !== null ? small(`Concentration of the centre, by ${modelOf(node.tables)}: τ = ${number(node.tables.tau, 2)}.`) : "",
    alike ? small(`Distance of the data sets from the centre, by kin: ${number(alike.divergence, 4)} nats per row.`) : "")));
  openInspector("node", index, content, focus);
}

/** An arc's evidence by data set, and in each row what is known of the whole arc. */
const arcHead = ["from", "to", "data_set", "gain", "given_others", "in_words", "total_gain", "total_in_words", "strength", "direction"];
const inWords = (gain) => (gain === null || gain === undefined ? null : strengthWords(gain));
const arcCsv = (arc) => (evidenceOf(arc) ? [...dataSets.keys()] : [null]).map((place) => [names[arc.from], names[arc.to], place === null ? "all" : dataSets[place], arc.by_data_set?.[place] ?? null, arc.given_others?.[place] ?? null,
  inWords(evidenceOf(arc)?.[place]), arc.gain, inWords(arc.gain), arc.strength, arc.direction]);

/** Why a line has an arrowhead or none. */
function directionWords(arc) {
  if (arc.reversal === null) return arc.directed ? "all equivalent networks have this direction" : "an equivalent network has the other direction";
  if (arc.directed) return `the data prefer this direction: the reverse scores ${number(-arc.reversal, 1)} nats less`;
  return Math.abs(arc.reversal) < 0.05 ? "the reverse scores the same: the data do not show a direction" : `the reverse scores ${number(Math.abs(arc.reversal), 1)} nats ${arc.reversal < 0 ? "less" : "more"}: the data do not show a direction`;
}

function openArc(index, focus = true) {
  const arc = report.arcs[index];
  const content = [title(nodeLink(arc.from), ` ${arrow(arc)} `, nodeLink(arc.to))];
  const fact = (label, ...value) => content.push(make("p", { class: "fact" }, make("span", { class: "label" }, label), ...value));
  content.push(make("p", { class: "lead" }, bdi(names[arc.from]), " and ", bdi(names[arc.to]), " are directly linked", arc.gain === null ? "." : `: ${strengthWords(arc.gain)}.`));
  fact("Direction", directionWords(arc));
  fact("Gain", make("strong", { id: "gain" }, number(arc.gain)), arc.gain === null ? " was not computed" : " nats: the loss in score without this link");
  if (arc.strength !== null) fact("Strength", `in ${number(100 * arc.strength, 1)} % of the resamples`, arc.direction === null ? "" : `, of these ${number(100 * arc.direction, 1)} % in this direction`);
  const sure = explained?.posterior?.arcs.find((one) => one.from === names[arc.from] && one.to === names[arc.to]);
  if (sure) fact("Probability", `${percent(sure.edge)} in either direction, ${percent(sure.arc)} in this one. `, make("span", { class: "small", id: "arc-caution" }, cautionWords(explained.posterior)));
  const evidence = evidenceOf(arc);
  if (!several) return openInspector("arc", index, content, focus);
  if (!evidence) return openInspector("arc", index, [...content, make("p", {}, `The evidence by data set is not available: ${report.search?.score_name ?? "the score"} is not a sum over data sets, and no explanation was computed.`)], focus);
  fact("Support", `${plural(support(arc), "data set")} of ${dataSets.length} ${support(arc) === 1 ? "speaks" : "speak"} for it`);
  const absent = (report.explanation?.data_sets ?? []).flatMap((member) => member.altered_arcs.filter((one) => one.from === names[arc.from] && one.to === names[arc.to]).map((one) => [bdi(member.name), ` (with probability ${probability(one.probability)})`]));
  if (absent.length) fact("Absent in", ...listed(absent, ", "));
  const largest = Math.max(1e-9, ...evidence.map(Math.abs));
  const body = make("tbody");
  const row = (place) => {
    const bar = make("div", { class: evidence[place] < 0 ? "gain against" : "gain for" });
    bar.style.setProperty("--w", Math.abs(evidence[place]) / largest);
    return make("tr", { title: strengthWords(evidence[place]) }, rowHead(bdi(dataSets[place])), ...[arc.by_data_set, arc.given_others].filter(Boolean).map((values) => cell(number(values[place], 2))), make("td", { class: "gains" }, bar));
  };
  const more = inPortions(body, dataSets.length, 200, row);
  content.push(headLine("h3", "Evidence by data set", csvButton(`${fileName(arcText(arc))}.csv`, () => [arcHead, ...arcCsv(arc)])),
    table("Evidence by data set", [heads("Data set", arc.by_data_set ? "#Gain" : null, arc.given_others ? "#Given others" : null, "against | for")], body, { class: "evidence-by" }), more,
    small(`${arc.by_data_set ? "Gain: the data set's term of the score, with the link minus without it. " : ""}${arc.given_others ? "Given others: the evidence of the data set's own rows for the link, given all other data sets. " : ""}Natural logarithms: 3 is about 20 to 1.`));
  openInspector("arc", index, content, focus);
}
/** After a change of what is given, the opened variable shows the new numbers. */
function refreshInspector() {
  if (state.opened?.kind !== "node") return;
  const old = byId("states");
  if (old) old.replaceWith(stateButtons(state.opened.index));
}
