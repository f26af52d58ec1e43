// Findings: whether the data sets are the same, related or different, who stands out, what was left out; in sentences made from numbers.

const explained = report.explanation;
/** The scores of the resamples and of this network, if they are not the same. */
const otherScore = (() => {
  const [resampled, own] = [report.bootstrap?.score_name, report.learned_with ?? report.search?.score_name];
  return resampled && own && resampled !== own ? { resampled, own } : null;
})();

/** The probabilities of identical, related and unrelated data sets, if all three were equally probable before. */
function threeChances({ identical, related, unrelated }) {
  const most = Math.max(identical, related, unrelated);
  const weights = [identical, related, unrelated].map((value) => Math.exp(value - most));
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight) => weight / sum);
}
const headlines = {
  pool: (count) => [`These ${count} data sets look the same.`, "Their rows may be treated as one sample."],
  relate: (count) => [`These ${count} data sets are related but not the same.`, "Each keeps its own probabilities and borrows strength from the others."],
  separate: (count) => [`These ${count} data sets have little in common.`, "Each is better described on its own; they share the links only."],
};

function findings() {
  const place = byId("findings-text");
  const say = (id, ...content) => place.append(make("p", { id }, ...content));
  if (several && explained) {
    const { pooling } = explained;
    const chances = threeChances(pooling.evidence);
    const [headline, rest] = pooling.decided === false ? ["The data do not decide how alike these " + dataSets.length + " data sets are.", ""] : headlines[pooling.choice](dataSets.length);
    place.append(make("p", { class: "headline", id: "headline" }, headline), meter(chances, pooling.choice));
    if (rest) say("verdict-rest", rest, " ", ...differences(pooling));
    else say("verdict-rest", ...differences(pooling));
    say("stands-out", ...standsOut());
    place.append(details("Show numbers", small(...prose(pooling.verdict)), evidenceTable(pooling)));
    if (explained.halted) place.append(make("p", { class: "warning" }, "The explanation was stopped early: links not in the network, or the networks of other scores, are missing."));
  } else if (several) {
    say("headline", report.description ? "There is no verdict on the data sets: the explanation was switched off (--explain none), failed, or the search was interrupted." : "This page was made from a network file without the data, so it does not say how alike the data sets are. Make it with the data: kinfolk report FILES --network FILE.");
  } else {
    place.append(make("p", { class: "headline", id: "headline" }, `${plural(report.arcs.length, "direct link")} between ${plural(names.length, "variable")}.`));
  }
  leftOutRows().forEach((line) => say(null, ...line));
  for (const line of warnings()) place.append(make("p", { class: "warning" }, line));
  const rows = report.data_sets.every((dataSet) => dataSet.rows !== null) ? report.data_sets.reduce((sum, dataSet) => sum + dataSet.rows, 0) : null;
  byId("summary").append([several ? plural(dataSets.length, "data set") : null, rows === null ? null : plural(rows, "row"), plural(names.length, "variable"), plural(report.arcs.length, "direct link")].filter(Boolean).join(" · "));
}

/** Where on the way from identical over related to unrelated the evidence is. */
function meter(chances, choice) {
  const words = ["the same", "related", "unrelated"];
  const place = { pool: 0, relate: 1, separate: 2 }[choice];
  // A probability that is too small for a number is not zero.
  const shares = chances.map((chance) => percent(Math.min(Math.max(chance, 1e-9), 1 - 1e-9)));
  const parts = words.map((word, which) => make("span", { class: which === place ? "part here" : "part" }, `${word} ${shares[which]}`));
  return make("div", { class: "meter", id: "meter", role: "img", "aria-label": words.map((word, which) => `${word}: ${shares[which]}`).join(", ") }, ...parts);
}

function differences({ nodes }) {
  const differ = nodes.filter((node) => node.p_identical < 0.1).sort((a, b) => b.divergence - a.divergence).map((node) => named(node.node));
  const share = nodes.filter((node) => node.p_identical > 0.9).map((node) => named(node.node));
  const words = [];
  if (differ.length) words.push("They differ most in ", ...listed(differ.slice(0, 3)), share.length ? "; they may share one table for " : ".");
  else if (share.length) words.push("They may share one table for ");
  if (share.length) words.push(...(share.length === nodes.length ? ["every variable"] : listed(some(share, 3))), ".");
  return words;
}

/** The variables through which a data set differs from the others, most first. */
function through(name) {
  const nodes = explained.pooling.nodes.map((node) => [node.node, node.by_data_set[name]]).sort((a, b) => b[1] - a[1]);
  const all = nodes.reduce((sum, [, distance]) => sum + distance, 0);
  // With many variables, even the largest part may be a small one.
  return nodes.slice(0, 3).filter(([, distance], place) => distance > (place ? 0.1 * all : 0)).map(([node]) => node);
}
const mostly = ({ name }) => (through(name).length ? [", mostly through ", ...listed(through(name).map(named))] : []);
/** Those farther from the others than chance makes a relative; without that range, nobody can be called odd. */
const isOdd = (member) => member.chance && member.distance > member.chance.high;
function standsOut() {
  const members = explained.data_sets;
  const odd = members.filter(isOdd);
  if (!members.some((member) => member.chance)) return [make("strong", {}, bdi(members[0].name)), " is farthest from the others", ...mostly(members[0]), "."];
  if (!odd.length) return ["No data set stands out more than chance would make it. Farthest: ", bdi(members[0].name), ...mostly(members[0]), "."];
  return some(odd, 3).flatMap((member) => (typeof member === "string" ? [member, " stand out too. "] : [make("strong", {}, bdi(member.name)), " stands out", ...mostly(member), ". "]));
}

/** What was left out or changed, for the first screen. */
function leftOutRows() {
  const lines = [];
  const sets = report.description?.data_sets ?? [];
  const dropped = sets.reduce((sum, set) => sum + set.dropped_rows, 0);
  if (dropped) {
    const rows = sets.reduce((sum, set) => sum + set.rows, 0);
    const worst = sets.filter((set) => set.dropped_rows).sort((a, b) => b.dropped_rows / (b.rows + b.dropped_rows) - a.dropped_rows / (a.rows + a.dropped_rows));
    const words = worst.map((set) => [bdi(set.name), ` ${whole(set.dropped_rows)} of ${whole(set.rows + set.dropped_rows)}`]);
    lines.push([make("strong", { id: "left-out-rows" }, `${whole(dropped)} of ${whole(dropped + rows)} rows were left out`), " because a value was missing", several ? [": ", ...listed(some(words, 4), ", ")] : "", "."]);
  }
  if (report.missing) lines.push(filledIn(report.missing));
  const missing = (report.description?.variables ?? []).filter((variable) => !dropped && !report.missing && variable.missing.some((count) => count > 0));
  if (missing.length) lines.push([make("strong", {}, `Values were missing in ${plural(missing.length, "variable")}`), ": ", ...listed(some(missing.map((variable) => named(variable.name)), 4)), ". ", make("a", { href: "#data" }, "How they were treated"), "."]);
  const changedColumns = (report.description?.variables ?? []).filter((variable) => variable.kind.kind === "discretized").map((variable) => named(variable.name));
  if (changedColumns.length) lines.push(["Numbers were put into classes in ", ...listed(some(changedColumns, 4)), ". ", report.notes.length ? make("a", { href: "#data" }, "All changes to the data") : "", report.notes.length ? "." : ""]);
  return lines;
}
/** How many missing values were filled in, where and how. */
function filledIn({ treatment, versions, rounds, settled, share, columns }) {
  const count = (report.description?.variables ?? []).flatMap((variable) => variable.missing).reduce((sum, values) => sum + values, 0);
  const filled = treatment === "impute";
  const cells = `${percent(share)} of all cells`;
  const many = count ? [make("strong", { id: "filled-in" }, `${plural(count, "value")} ${count === 1 ? "was" : "were"} ${filled ? "filled in" : "missing"}`), ` (${cells})`] : [make("strong", { id: "filled-in" }, `${cells} ${filled ? "were filled in" : "were missing"}`)];
  const lacking = new Set(columns.map((cell) => cell.column));
  const by = names.filter((name) => lacking.has(name)).map((column) => {
    const sets = columns.filter((cell) => cell.column === column).map((cell) => [bdi(cell.data_set), ` ${cell.absent ? "all" : percent(cell.share)}`]);
    return [named(column), ...(several ? [" (", ...listed(some(sets, 3), ", "), ")"] : [])];
  });
  const how = !filled ? "Each link was scored on the rows that are complete for it." : rounds.length ? `Filled in ${plural(versions, "time")} after ${plural(rounds.length, "round")} of structural EM${settled ? "" : ", which did not converge"}; numbers are means.` : `Filled in ${plural(versions, "time")} for this network; numbers are means.`;
  return [...many, ": ", ...listed(some(by, 3)), `. ${how} `, make("a", { href: "#data" }, "All missing values"), "."];
}
function warnings() {
  const { search } = report;
  const early = { "max-steps": "The search was stopped at its limit of moves", "time-limit": "The search was stopped at its time limit", interrupted: "The search was interrupted" }[search?.stop];
  return [early ? `${early}: the network may still improve.` : null, search?.not_converged ? `${whole(search.not_converged)} of ${whole(search.families_scored)} families had a fit that did not converge.` : null].filter(Boolean);
}

/** The network, and each score's own best one if they were searched for, under three assumptions. */
function evidenceTable(pooling) {
  const words = { explained: "this network", pooled: "best of pooled BDeu", separate: "best of separate BDeu", hierarchical: "best of BHD" };
  const values = (graph) => [graph.evidence.identical, graph.evidence.related, graph.evidence.unrelated, graph.pooled, graph.separate, graph.hierarchical];
  const rows = pooling.graphs.map((graph) => make("tr", {}, rowHead(words[graph.best_of]), cell(whole(graph.arcs)), cell(whole(graph.shd)), ...values(graph).map((value) => cell(number(value)))));
  const csv = csvButton("evidences.csv", () => [["network", "arcs", "shd", "identical", "related", "unrelated", "bdeu_pooled", "bdeu_separate", "bhd"], ...pooling.graphs.map((graph) => [graph.best_of, graph.arcs, graph.shd, ...values(graph)])]);
  const shown = table("Evidence of identical, related and unrelated data sets", [heads("Network", "#Links", "#SHD", "#If identical", "#If related", "#If unrelated", "#BDeu, pooled", "#BDeu, separate", "#BHD")], make("tbody", {}, ...rows), { id: "evidences" });
  return make("div", {}, csv, shown, small("Natural logarithms of the probability of the same rows under each assumption; the largest decides. BDeu and BHD for comparison: BHD is a score, not a marginal likelihood. SHD: the number of edges in which a network differs from this one."));
}

/** The figure's legend and the one sentence that must be seen, above the figure. */
function legend() {
  const place = byId("legend");
  untouched.querySelectorAll(".legend path").forEach((path) => {
    const line = draw("line", { class: path.getAttribute("class"), x1: 0, x2: 30, y1: 6, y2: 6, "stroke-dasharray": path.getAttribute("stroke-dasharray") });
    place.append(make("span", { class: "legend-line" }, draw("svg", { width: 30, height: 12, "aria-hidden": "true" }, line), path.nextElementSibling.textContent));
  });
  const words = untouched.querySelector(".width-words");
  if (words) place.append(make("span", { class: "legend-line" }, words.textContent));
  if (several && !noInference) place.append(make("span", { class: "legend-line" }, draw("svg", { width: 12, height: 14, "aria-hidden": "true" }, draw("path", { class: "marks", d: "M6 1v12" })), "a data set"), make("span", { class: "legend-line" }, draw("svg", { width: 12, height: 12, "aria-hidden": "true" }, draw("path", { class: "unseen", d: "M6 10l5 -7h-10Z" })), "a new data set"));
  const open = report.arcs.some((arc) => !arc.directed);
  byId("caveat").append("Lines and arrows show which variables carry information about each other; they are not causes.", open ? " A line without arrowhead: the data do not show a direction." : "");
}
