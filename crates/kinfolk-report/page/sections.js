// How sure the links are, the data, the methods and how to reproduce the page.

/** How sure: what the posterior or a bootstrap says of this network, and what is learned without each data set. */
function sure() {
  const section = byId("sure");
  const { bootstrap } = report;
  section.append(make("h2", {}, "How sure"));
  if (explained?.posterior) ownPosterior(section, explained.posterior);
  if (bootstrap) ownBootstrap(section, bootstrap);
  if (bootstrap || explained?.posterior) return;
  const why = explained?.posterior_missing ? `There are no posterior probabilities of the links: ${visible(explained.posterior_missing)}. ` : "How sure the links are was not computed. ";
  section.append(make("p", {}, why, make("code", {}, "kinfolk posterior"), " computes their probabilities; ", make("code", {}, "kinfolk bootstrap"), " measures their stability, and ", make("code", {}, "kinfolk report --bootstrap FILE"), " shows it here."));
}

/** What must be read with the posterior probabilities: pooled scores are overconfident on related data sets. */
function cautionWords(posterior) {
  if (posterior.caution) return `Take these numbers with care: ${visible(posterior.caution)}.`;
  const pooled = several ? " Pooled scores such as BDeu are overconfident on related data sets: with them, the numbers would be too close to 0 and 1." : "";
  return `Probabilities under ${posterior.score_name}, over all networks${posterior.method === "exact" ? "" : ", by Markov chains"}.${pooled}`;
}

/** The posterior probability of every link, in either direction and in each. */
function ownPosterior(section, posterior) {
  const indexOf = (arc) => report.arcs.findIndex((drawn) => names[drawn.from] === arc.from && names[drawn.to] === arc.to);
  const doubtful = posterior.arcs.filter((arc) => arc.edge < 0.95).sort((a, b) => a.edge - b.edge);
  const others = posterior.left_out.filter((edge) => edge.probability > 0.05);
  const linkOf = (arc) => (indexOf(arc) < 0 ? [bdi(arc.from), " – ", bdi(arc.to)] : arcLink(indexOf(arc)));
  section.append(make("p", { id: "posterior-words" }, doubtful.length ? [`${plural(posterior.arcs.length - doubtful.length, "link")} of ${posterior.arcs.length} ${posterior.arcs.length - doubtful.length === 1 ? "has" : "have"} a probability above 95 %. Less sure: `, ...listed(some(doubtful.map((arc) => [linkOf(arc), ` (${percent(arc.edge)})`]), 5), ", "), "."] : [`Every link has a probability above 95 %.`],
    others.length ? [" Not in the network, but possible: ", ...listed(some(others.map((edge) => [bdi(edge.between[0]), " – ", bdi(edge.between[1]), ` (${percent(edge.probability)})`]), 5), ", "), "."] : " No other link has a probability above 5 %."));
  section.append(make("p", { class: posterior.caution ? "warning" : "small", id: "posterior-caution" }, cautionWords(posterior)));
  const body = make("tbody");
  const sorted = [...posterior.arcs].sort((a, b) => b.edge - a.edge);
  const row = (place) => {
    const arc = sorted[place];
    return make("tr", {}, rowHead(linkOf(arc)), barCell(arc.edge, percent(arc.edge)), cell(percent(arc.arc)), cell(percent(arc.reversed)));
  };
  const more = inPortions(body, sorted.length, 40, row);
  const csv = csvButton("posterior.csv", () => [["from", "to", "edge", "as_drawn", "reversed", "in_network"], ...posterior.arcs.map((arc) => [arc.from, arc.to, arc.edge, arc.arc, arc.reversed, "yes"]), ...posterior.left_out.map((edge) => [...edge.between, edge.probability, null, null, "no"])]);
  section.append(headLine("h3", "Probability of each link", csv), table("Posterior probability of each link", [heads("Link", "#In either direction", "#From left to right", "#From right to left")], body, { id: "posterior" }), more);
}

function ownBootstrap(section, bootstrap) {
  const drawn = { rows: "rows drawn within every data set", "data-sets": "whole data sets drawn" }[bootstrap.by] ?? "resampled";
  const score = bootstrap.score_name === null ? "" : `, each learned with ${bootstrap.score_name}`;
  section.append(make("p", {}, `${plural(bootstrap.replicates, "resample")}: ${drawn}${bootstrap.seed === null ? "" : `, seed ${bootstrap.seed}`}${score}.`));
  if (otherScore) {
    section.append(make("p", { class: "warning", id: "other-score" }, `The resamples were learned with ${otherScore.resampled}, and this network is by ${otherScore.own}. They say nothing about the stability of its links, so none is shown. “kinfolk bootstrap --score ${otherScore.own}” resamples with ${otherScore.own}.`));
  } else {
    const has = new Set(report.arcs.flatMap(({ from, to }) => [`${from} ${to}`, `${to} ${from}`]));
    // As the averaged network has it: above the threshold, or in every resample.
    const isSure = (strength) => strength > bootstrap.threshold || strength === 1;
    const missing = bootstrap.arcs.filter((pair) => isSure(pair.strength) && !has.has(`${placeOf.get(pair.from)} ${placeOf.get(pair.to)}`));
    const weak = report.arcs.flatMap((arc, index) => (isSure(arc.strength) ? [] : [[arcLink(index), ` (${percent(arc.strength)})`]]));
    section.append(make("p", {}, "Strength is the share of resamples that contain a link, direction the share of those in which it points as drawn; the evidence lists both."),
      make("p", { id: "unsure" }, ...(weak.length ? [`Uncertain, because fewer than ${percent(bootstrap.threshold)} of the resamples have them: `, ...listed(weak, ", "), "."] : ["All links of this network are above the threshold of the averaged network."])),
      make("p", { id: "missing" }, ...(missing.length ? ["Above it but not in this network: ", ...listed(missing.map((pair) => [bdi(pair.from), " – ", bdi(pair.to), ` (${percent(pair.strength)})`]), ", "), "."] : ["No other link is above it."])));
  }
  section.append(details("Averaged network", make("pre", { id: "averaged" }, ...prose(bootstrap.averaged)), small(`The links above a strength of ${number(bootstrap.threshold)}, a threshold fitted to the strengths.`)));
  if (!bootstrap.leave_one_out) return;
  const arcs = (list) => (list.length ? listed(list.map((arc) => [bdi(arc.from), " → ", bdi(arc.to)]), ", ") : ["–"]);
  const body = make("tbody");
  const row = (place) => {
    const one = bootstrap.leave_one_out[place];
    return make("tr", {}, rowHead(bdi(one.data_set)), cell(`${one.kept.length} of ${one.kept.length + one.lost.length}`), cell(whole(one.shd)), textCell(...(one.reversed ? arcs(one.reversed) : [""])), textCell(...arcs(one.lost)), textCell(...arcs(one.gained)));
  };
  const more = inPortions(body, bootstrap.leave_one_out.length, 60, row);
  const joined = (list) => (list ?? []).map((arc) => `${arc.from} -> ${arc.to}`).join("; ");
  const csv = csvButton("without-each.csv", () => [["without", "kept", "shd", "reversed", "lost", "gained"], ...bootstrap.leave_one_out.map((one) => [one.data_set, one.kept.length, one.shd, joined(one.reversed), joined(one.lost), joined(one.gained)])]);
  section.append(headLine("h3", "Learned without each data set", csv), table("Learned without each data set", [heads("Without", "#Edges kept", "#SHD", "Reversed", "Lost", "Gained")], body, { id: "without" }), more,
    small(`Beside what ${bootstrap.score_name ?? "the score of the resamples"} learns from all data sets: how many of its edges stay, in either direction, and in how many edges the two differ (SHD, between equivalence classes).`));
}

function kindWords(variable) {
  if (variable.kind.kind === "discretized") return `classes, cut at ${rounded(variable.kind.cuts).join(", ")}`;
  return variable.kind.kind === "declared" ? "declared" : "as found";
}

function data() {
  const section = byId("data");
  const { description } = report;
  section.append(make("h2", {}, "Data"));
  if (report.notes.length) section.append(make("ul", { class: "notes" }, ...report.notes.map((note) => make("li", {}, ...prose(note)))));
  const sets = make("tbody");
  const setRow = (place) => {
    const known = description?.data_sets[place];
    return make("tr", {}, rowHead(bdi(dataSets[place])), cell(whole(report.data_sets[place].rows)), ...(known ? [cell(known.dropped_rows ? `${whole(known.dropped_rows)} of ${whole(known.rows + known.dropped_rows)}` : "–"), textCell(...listed(known.sources.map(bdi), ", "))] : []));
  };
  const moreSets = inPortions(sets, dataSets.length, 60, setRow);
  const setsCsv = csvButton("rows.csv", () => [["data_set", "rows", "dropped_rows", "sources"], ...dataSets.map((name, place) => [name, report.data_sets[place].rows, description?.data_sets[place].dropped_rows ?? null, description?.data_sets[place].sources.join("; ") ?? null])]);
  section.append(headLine("h3", "Data sets", setsCsv), table("Data sets", [heads("Data set", "#Rows used", ...(description ? ["#Rows left out", "Read from"] : []))], sets), moreSets);
  const body = make("tbody");
  const row = (index) => {
    const known = description?.variables[index];
    const cells = [rowHead(nodeLink(index)), textCell(...listed(shownStates[index].map(bdi), ", "))];
    if (known) {
      const missing = known.missing.reduce((sum, count) => sum + count, 0);
      const absent = absences(index);
      const shown = absent.length > 4 ? [`in ${absent.length} of ${dataSets.length} data sets`] : absent.flatMap((words, place) => [place ? "; " : "", ...words]);
      cells.push(textCell(kindWords(known)), cell(missing ? whole(missing) : ""), textCell(...shown));
    }
    return make("tr", {}, ...cells);
  };
  const more = inPortions(body, names.length, 60, row);
  const ownRow = (known) => [kindWords(known), known.missing.reduce((sum, count) => sum + count, 0), known.absent.flatMap((states, place) => (states.length ? [`${dataSets[place]}: ${states.join(", ")}`] : [])).join("; ")];
  const csv = csvButton("variables.csv", () => [["variable", "states", "source", "missing_values", "states_not_seen"], ...names.map((name, index) => [name, report.variables[index].states.join("; "), ...(description ? ownRow(description.variables[index]) : [null, null, null])])]);
  section.append(headLine("h3", "Variables", csv), table("Variables", [heads("Variable", "States", ...(description ? ["Source", "#Missing values", "States not seen"] : []))], body), more);
  if (report.missing) missingTable(section, report.missing);
  if (!description) section.append(small("This page was made from a network file, without the data: missing values and differing states are not available."));
}

/** The missing values by variable and data set. */
function missingTable(section, { columns }) {
  const body = make("tbody");
  const row = (place) => {
    const { column, data_set: name, share, absent } = columns[place];
    return make("tr", {}, rowHead(named(column)), ...(several ? [textCell(bdi(name))] : []), cell(percent(share)), textCell(absent && several ? "none observed: results come from the other data sets" : ""));
  };
  const more = inPortions(body, columns.length, 60, row);
  const csv = csvButton("missing.csv", () => [["variable", "data_set", "share", "none_observed"], ...columns.map((one) => [one.column, one.data_set, one.share, one.absent ? "yes" : "no"])]);
  section.append(headLine("h3", "Missing values", csv), table("Missing values", [heads("Variable", several ? "Data set" : null, "#Share of rows", "Note")], body, { id: "missing-values" }), more);
}

const glossary = [
  ["link, arc", "a link joins two variables that are directly linked. In CSV tables and JSON it is an arc, with its direction: from, to"],
  ["directly linked", "two variables that carry information about each other also when all others are known"],
  ["gain, evidence", "a difference of natural logarithms (nats): 1 is about 3 to 1, 3 about 20 to 1, 7 about 1,000 to 1"],
  ["borrowed", "the part of a probability that comes from what all data sets have in common, not from the data set's own rows"],
  ["new data set", "what to expect of a data set that was not among these"],
  ["observe, set", "observe: it is seen to have this state. Set: somebody makes it so, which removes the links into it"],
  ["s, kinship", "how strongly the data sets are drawn to what they have in common, in imaginary rows"],
  ["τ", "how concentrated BHD's fitted centre is"],
  ["SHD", "structural Hamming distance: the number of edges in which two networks differ"],
  ["TV", "total variation: half the sum of the absolute differences of two distributions, from 0 to 1"],
];

/** A word as a shell takes it. */
const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

function methods() {
  const section = byId("methods");
  const csv = make("button", { id: "save-tables", click: () => saveCsv(`${fileName(report.title)}-tables.csv`, [tableHead, ...report.nodes.flatMap((node, index) => (node.tables ? tableCsv(index) : []))]) }, "All tables as CSV");
  section.append(headLine("h2", "Methods and reproduction", report.nodes.some((node) => node.tables) ? csv : ""));
  if (report.search) section.append(make("p", { id: "score" }, `Score of the network by ${report.search.score_name}: ${number(report.search.score)} (natural logarithm).`));
  const { provenance, network_from: before, bootstrap } = report;
  const command = (made) => make("pre", {}, ...prose([made.program, ...made.command].map(quoted).join(" ")));
  if (before) section.append(make("p", {}, "The network"), command(before));
  if (bootstrap?.provenance) section.append(make("p", {}, "Bootstrap of its links"), command(bootstrap.provenance));
  if (provenance) {
    if (before || bootstrap?.provenance) section.append(make("p", {}, report.description ? "The page" : "The network"));
    section.append(command(provenance), make("p", {}, `${provenance.program} ${provenance.version}${provenance.data_hash ? `, data ${provenance.data_hash}` : ""}`));
  }
  section.append(make("p", {}, "Structure"), make("pre", { id: "structure" }, ...prose(report.structure)));
  const words = (value) => (value === null ? "–" : typeof value === "string" ? value : JSON.stringify(value));
  const rows = Object.entries(report.settings).map(([key, value]) => make("tr", {}, rowHead(key), textCell(...prose(words(value)))));
  const settingsCsv = csvButton("settings.csv", () => [["setting", "value"], ...Object.entries(report.settings).map(([key, value]) => [key, words(value)])]);
  section.append(details("All settings", settingsCsv, table("Settings", [heads("Setting", "Value")], make("tbody", {}, ...rows))),
    details("Words", make("dl", {}, ...glossary.flatMap(([word, meaning]) => [make("dt", {}, word), make("dd", {}, meaning)]))));
}

/** All tables for paper, made when printing begins. */
function appendix() {
  const section = byId("appendix");
  const cells = report.nodes.reduce((sum, node) => sum + (node.tables ? node.tables.pooled.length * relatives.length : 0), 0);
  if (section.childElementCount) return;
  if (around !== null) section.append(make("h2", {}, "The whole network"), wholeFigure());
  if (several && explained?.similarity?.total.length > PAIRS_PRINTED) {
    const { total } = explained.similarity;
    section.append(make("h2", {}, "Pairs of data sets"), small("Natural logarithm of how much more probable the rows of two data sets are with one table per family than with two."));
    dataSets.slice(0, -1).forEach((name, first) => section.append(make("p", { class: "run" }, make("strong", {}, bdi(name)), " and ", ...listed(dataSets.slice(first + 1).map((other, place) => [bdi(other), ` ${number(total[pairIndex(first, first + 1 + place)], 1)}`]), ", "))));
  }
  // What the page shows as colours is printed as numbers.
  if (several && !fits && report.arcs.some(evidenceOf)) {
    section.append(make("h2", {}, "Evidence by link and data set"));
    report.arcs.filter(evidenceOf).forEach((arc) => section.append(make("p", { class: "run" }, make("strong", {}, ...arcWords(arc)), ": ", ...listed(dataSets.map((name, place) => [bdi(name), ` ${number(evidenceOf(arc)[place], 1)}`]), ", "))));
  }
  if (!hasTables) return;
  section.append(make("h2", {}, "All tables"));
  if (cells > 40000) return section.append(make("p", {}, `The tables have ${whole(cells)} probabilities, too many for paper; “All tables as CSV” has them.`));
  report.nodes.forEach(({ parents, tables }, index) => {
    const states = shownStates[index];
    const body = make("tbody");
    for (let place = 0; place < tables.pooled.length / states.length; place++) {
      const given = configuration(parents, place).flatMap((which, parent) => [parent ? ", " : "", bdi(names[parents[parent]]), " = ", bdi(shownStates[parents[parent]][which])]);
      tableRows(index, place).forEach((row, line) => body.append(make("tr", {}, textCell(...(line ? [] : given)), textCell(relativeName(row.relative)), cell(row.rows === null ? "" : whole(row.rows)), ...row.values.map((value) => cell(percent(value))))));
    }
    const head = make("tr", {}, make("th", {}, parents.length ? "Given" : ""), make("th", {}, "Data set"), make("th", { class: "value" }, "Rows"), ...states.map((name) => make("th", { class: "value" }, bdi(name))));
    // Columns for each table: over all of them, browsers take minutes.
    section.append(make("h3", {}, bdi(names[index])), make("div", { class: "columns" }, table("All probabilities", [head], body)));
  });
}
window.addEventListener("beforeprint", appendix);
