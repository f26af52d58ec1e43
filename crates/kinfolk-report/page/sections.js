// The sections below the network: the evidence of all arcs, the data, how to reproduce the result.

function summary() {
  const rows = report.data_sets.every((dataSet) => dataSet.rows !== null) ? report.data_sets.reduce((sum, dataSet) => sum + dataSet.rows, 0) : null;
  const parts = [plural(dataSets.length, "data set"), rows === null ? null : plural(rows, "row"), plural(names.length, "variable"), plural(report.arcs.length, "arc")];
  const line = byId("summary");
  line.append(parts.filter(Boolean).join(" · "));
  const { search } = report;
  if (search === null) return;
  line.append(` · ${search.score_name} score ${number(search.score)}`);
  const early = { "max-steps": "The search was stopped at its limit of moves", "time-limit": "The search was stopped at its time limit", interrupted: "The search was interrupted" }[search.stop];
  if (early) line.after(make("p", { class: "warning" }, `${early}: the score may still improve.`));
  if (search.not_converged) line.after(make("p", { class: "warning" }, `${whole(search.not_converged)} of ${whole(search.families_scored)} families had a fit that did not converge.`));
}

/** The figure's own legend in the size of the page's text, however large the figure is. */
function legend() {
  const words = untouched.querySelector(".width-words");
  if (words) byId("legend").append(make("span", { class: "legend-line" }, words.textContent));
  untouched.querySelectorAll(".legend path").forEach((path) => {
    const line = draw("line", { class: path.getAttribute("class"), x1: 0, x2: 36, y1: 6, y2: 6, "stroke-dasharray": path.getAttribute("stroke-dasharray") });
    const sample = draw("svg", { width: 36, height: 12, "aria-hidden": "true" }, line);
    byId("legend").append(make("span", { class: "legend-line" }, sample, path.nextElementSibling.textContent));
  });
}

function reading() {
  const gains = report.arcs.some((arc) => arc.gain !== null);
  const colour = !several ? "" : !report.arcs.some(evidenceOf) ? "The evidence by data set is not available here, so all arcs have one colour. " : "Colour and dashes show in how many data sets the evidence supports the arc. ";
  const bayesian = /^(bhd|kin|bd|k2)/.test(report.search?.score_name ?? "");
  const odds = gains && bayesian ? "Gains are natural logarithms of odds: 3 is about 20 to 1, 7 about 1,000 to 1. " : "";
  const handling = make("span", { class: "screen" }, `${zoomedIn ? "The view starts with a readable part; “Fit” shows the whole network. " : ""}${names.length > 40 ? "The search box above moves the figure to a variable. " : ""}Drag to move, Ctrl and wheel (or two fingers) to zoom.`);
  byId("reading").append(`${report.arcs.length ? colour : ""}${odds}An arc means direct dependence; by itself it does not prove causation. `, handling);
}

/** Whose numbers stand by data set, or why there are none. */
function evidenceWords(by) {
  const name = report.search?.score_name ?? "This score";
  if (!several) return ".";
  if (!by) return `. ${name} is not a sum over data sets, and no explanation was computed.`;
  if (givenOthers) return `. ${name} is not a sum over data sets: the coloured numbers are the evidence of each data set for the arc, given the others (blue: for, orange: against); they need not add up to the gain.`;
  return ", in total and by data set (blue: for the arc, orange: against it).";
}

/** Where numbers by data set fit; otherwise colours alone. */
const heatNumbers = dataSets.length <= 14;
const heatClass = heatNumbers ? "heats" : "heats many";
const heatHeads = () => dataSets.map((name) => make("th", { scope: "col", class: heatNumbers ? "value" : "tall", title: name }, make("span", {}, name)));
const heatCells = (arc) => dataSets.map((name, which) => {
  const gain = evidenceOf(arc)?.[which] ?? null;
  const cell = make("td", { class: `heat ${gain < 0 ? "against" : "for"}${share(gain) > 0.55 ? " strong" : ""}`, title: `${name}: ${number(gain)}` }, heatNumbers ? number(gain, 1) : "");
  cell.style.setProperty("--s", share(gain));
  return cell;
});

function evidence() {
  const section = byId("evidence");
  if (!report.arcs.length) return section.append(make("h2", {}, "Evidence"), make("p", {}, "The network has no arc."));
  const by = several && report.arcs.some(evidenceOf);
  const order = report.arcs.map((_, index) => index).sort((a, b) => (report.arcs[b].gain ?? 0) - (report.arcs[a].gain ?? 0) || a - b);
  const strengths = report.arcs.some((arc) => arc.strength !== null);
  const head = make("tr", {}, make("th", { scope: "col" }, "Arc"), make("th", { scope: "col", class: "value" }, "Gain"), ...(strengths ? ["Strength", "Direction"].map((word) => make("th", { scope: "col", class: "value" }, word)) : []),
    ...(by ? heatHeads() : []));
  const body = make("tbody");
  const row = (place) => {
    const arc = report.arcs[order[place]];
    const link = make("button", { class: "link", click: () => openArc(order[place]) }, arcName(arc));
    const cells = by ? heatCells(arc) : [];
    return make("tr", {}, make("th", { scope: "row" }, link), make("td", {}, number(arc.gain)), ...(strengths ? [arc.strength, arc.direction].map((value) => make("td", {}, number(value, 2))) : []), ...cells);
  };
  const more = inPortions(body, order.length, 40, row);
  const csv = () => saveCsv("evidence.csv", [arcHead, ...report.arcs.flatMap((arc) => (evidenceOf(arc) ? arcRows(arc) : [[names[arc.from], names[arc.to], "all", arc.gain, null]]))]);
  section.append(make("div", { class: "head" }, make("h2", {}, "Evidence"), make("button", { click: csv }, "CSV")),
    make("p", { class: "small" }, `Gain: the loss in score if the arc is removed${evidenceWords(by)}`),
    by ? colourScale() : "", table("Evidence by arc and data set", [head], body, { class: heatClass }), more);
}

/** Which colour is how much evidence; the figure of the evidence has the same scale. */
function colourScale() {
  const steps = [-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1].map((place) => Math.sign(place) * Math.expm1(Math.abs(place) * Math.log1p(most)));
  const swatch = (gain) => {
    const cell = make("span", { class: `heat ${gain < 0 ? "against" : "for"}${share(gain) > 0.55 ? " strong" : ""}` }, number(gain, most < 10 ? 1 : 0));
    cell.style.setProperty("--s", share(gain));
    return cell;
  };
  return make("p", { class: "scale small", id: "scale" }, "against ", make("span", { class: "swatches" }, ...steps.map(swatch)), " for the arc, in nats");
}

function kindWords(variable) {
  if (variable.kind.kind === "discretized") return `bins, cut at ${variable.kind.cuts.map((cut) => +cut.toPrecision(6)).join(", ")}`;
  return variable.kind.kind === "declared" ? "declared" : "as found";
}

function data() {
  const section = byId("data");
  const { description } = report;
  section.append(make("div", { class: "head" }, make("h2", {}, "Data")));
  if (report.notes.length) section.append(make("ul", { class: "notes" }, ...report.notes.map((note) => make("li", {}, note))));
  const sets = make("tbody");
  const setRow = (place) => {
    const known = description?.data_sets[place];
    return make("tr", {}, make("th", { scope: "row" }, dataSets[place]), make("td", {}, whole(report.data_sets[place].rows)),
      ...(known ? [make("td", {}, whole(known.dropped_rows)), make("td", { class: "text" }, known.sources.join(", "))] : []));
  };
  const moreSets = inPortions(sets, dataSets.length, 60, setRow);
  section.append(table("Data sets", [heads("Data set", "#Rows", ...(description ? ["#Rows left out", "Read from"] : []))], sets), moreSets);
  const body = make("tbody");
  const row = (index) => {
    const known = description?.variables[index];
    const cells = [make("th", { scope: "row" }, nodeLink(index)), make("td", { class: "text" }, report.variables[index].states.join(", "))];
    if (known) {
      const missing = known.missing.reduce((sum, count) => sum + count, 0);
      const absent = absences(known);
      const shown = absent.length > 4 ? `in ${absent.length} of ${dataSets.length} data sets` : absent.join("; ");
      cells.push(make("td", { class: "text" }, kindWords(known)), make("td", {}, missing ? whole(missing) : ""), make("td", { class: "text", title: absent.join("; ") || null }, shown));
    }
    return make("tr", {}, ...cells);
  };
  const more = inPortions(body, names.length, 60, row);
  section.append(table("Variables", [heads("Variable", "States", ...(description ? ["Source", "#Missing values", "States not seen"] : []))], body), more);
  if (!description) section.append(make("p", { class: "small" }, "This page was made from a network file, without the data: missing values and differing states are not available."));
}

/** A word as a shell takes it. */
const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

function reproduce() {
  const section = byId("reproduce");
  const csv = () => saveCsv(`${fileName(report.title)}-tables.csv`, [tableHead, ...report.nodes.flatMap((node, index) => (node.tables ? tableRows(index) : []))]);
  section.append(make("div", { class: "head" }, make("h2", {}, "How to reproduce this"), report.nodes.some((node) => node.tables) ? make("button", { id: "save-tables", click: csv }, "All tables as CSV") : null));
  const { provenance, network_from: before, bootstrap } = report;
  const command = (made) => make("pre", {}, [made.program, ...made.command].map(quoted).join(" "));
  if (before) section.append(make("p", {}, "The network"), command(before));
  if (bootstrap?.provenance) section.append(make("p", {}, "Bootstrap of its arcs"), command(bootstrap.provenance));
  if (provenance) {
    if (before || bootstrap?.provenance) section.append(make("p", {}, report.description ? "The page" : "The network"));
    section.append(command(provenance));
    section.append(make("p", {}, `${provenance.program} ${provenance.version}${provenance.data_hash ? `, data ${provenance.data_hash}` : ""}`));
  }
  section.append(make("p", {}, "Structure"), make("pre", {}, report.structure));
  const words = (value) => (value === null ? "–" : typeof value === "string" ? value : JSON.stringify(value));
  const rows = Object.entries(report.settings).map(([key, value]) => make("tr", {}, make("th", { scope: "row" }, key), make("td", { class: "text" }, words(value))));
  section.append(make("details", {}, make("summary", {}, "All settings"), table("Settings", [heads("Setting", "Value")], make("tbody", {}, ...rows))));
}
