// Whether the data sets are one, which of them are odd, and how sure the arcs are.

const givenOthers = report.explanation?.terms === "given-others";
const placeOf = new Map(names.map((name, index) => [name, index]));
/** The scores of the resamples and of this network, if they are not the same. */
const otherScore = (() => {
  const [resampled, own] = [report.bootstrap?.score_name, report.learned_with ?? report.search?.score_name];
  return resampled && own && resampled !== own ? { resampled, own } : null;
})();
const probability = (value) => (value < 0.001 ? "< 0.001" : value > 0.999 ? "> 0.999" : number(value));

/** A name that opens its node, if it has one. */
const named = (name) => (placeOf.has(name) ? nodeLink(placeOf.get(name)) : name);

function verdict() {
  const section = byId("verdict");
  if (!several) {
    section.hidden = true;
    return;
  }
  if (!report.explanation) {
    const why = report.description ? "There is no verdict on pooling: the explanation was switched off (--explain none), failed, or the search was interrupted." : "This page was made from a network file without the data, so it has no verdict on pooling. Make it with the data to get one: kinfolk report FILES --network FILE.";
    return section.append(make("p", { class: "small" }, why));
  }
  const { pooling, halted } = report.explanation;
  // The advice is a sentence of ours; names come later in the text.
  const end = pooling.verdict.indexOf(". ");
  const [headline, rest] = end < 0 ? [pooling.verdict, ""] : [pooling.verdict.slice(0, end + 1), pooling.verdict.slice(end + 2)];
  section.append(make("p", { class: "headline", id: "headline" }, headline), rest ? make("p", { id: "verdict-rest" }, rest) : "");
  if (halted) section.append(make("p", { class: "warning" }, "The explanation was stopped early: the arcs not in the network, or the networks of other scores, are missing."));
  section.append(make("p", {}, make("a", { href: "#pooling" }, "The numbers behind it, and where the data sets differ"), " · ", make("a", { href: "#odd" }, "Odd ones out")));
  byId("pooling").append(make("h2", {}, "Pooled, related or separate: the numbers"), evidences(pooling), ...poolingNodes(pooling));
}

/** The network, and each score's own best one if they were searched for, under three assumptions. */
function evidences(pooling) {
  const words = { explained: "this network", pooled: "best of pooled BDeu", separate: "best of separate BDeu", hierarchical: "best of BHD" };
  const rows = pooling.graphs.map((graph) => make("tr", { title: graph.structure }, make("th", { scope: "row" }, words[graph.best_of]), make("td", {}, whole(graph.arcs)), make("td", {}, whole(graph.shd)),
    ...[graph.evidence.identical, graph.evidence.related, graph.evidence.unrelated, graph.pooled, graph.separate, graph.hierarchical].map((value) => make("td", {}, number(value)))));
  const shown = table("Evidence of identical, related and unrelated data sets", [heads("Network", "#Arcs", "#SHD", "#If identical", "#If related", "#If unrelated", "#BDeu, pooled", "#BDeu, separate", "#BHD")], make("tbody", {}, ...rows), { id: "evidences" });
  const note = "Natural logarithms. The three columns “if …” are the probability of the same rows under each assumption, and the largest decides. BDeu and BHD are shown for comparison; the value of BHD is a score, not a marginal likelihood, because its centre is fitted to the same rows. SHD: the number of edges in which a network differs from this one.";
  return make("div", {}, shown, make("p", { class: "small" }, note));
}

/** Node by node: how alike the data sets are. */
function poolingNodes(pooling) {
  const body = make("tbody");
  const order = pooling.nodes.map((_, index) => index).sort((a, b) => pooling.nodes[b].divergence - pooling.nodes[a].divergence || a - b);
  const row = (place) => {
    const node = pooling.nodes[order[place]];
    const farthest = Object.entries(node.by_data_set).reduce((most, one) => (one[1] > most[1] ? one : most));
    const chance = make("td", { class: "bar" }, probability(node.identical));
    chance.style.setProperty("--p", node.identical);
    return make("tr", {}, make("th", { scope: "row" }, named(node.node)), chance, make("td", {}, number(node.s_mean, 1)), make("td", {}, number(node.tau, 1)), make("td", {}, number(node.divergence, 4)), make("td", {}, number(node.total_variation)),
      make("td", { class: "text" }, farthest[1] > 0 ? `${farthest[0]} (${number(farthest[1], 4)})` : ""),
      ...[node.pooled, node.separate, node.hierarchical].map((value) => make("td", {}, number(value))));
  };
  const more = inPortions(body, order.length, 25, row);
  const head = ["node", "probability_identical", "s", "tau", "divergence", "total_variation", "bdeu_pooled", "bdeu_separate", "bhd"];
  const lines = () => pooling.nodes.map((node) => [node.node, node.identical, node.s_mean, node.tau, node.divergence, node.total_variation, node.pooled, node.separate, node.hierarchical]);
  const note = "P(same table): the probability that all data sets have the same table here, rather than related ones. s: the concentration of their tables around the centre, in imaginary rows (posterior mean). τ: the concentration of the fitted centre. Distance: Kullback–Leibler divergence of the data sets' tables from the centre, in nats per row; TV: the same as total variation, from 0 to 1. A node's name opens it.";
  return [make("div", { class: "head" }, make("h3", {}, "Where the data sets differ, most first"), make("button", { click: () => saveCsv("pooling.csv", [head, ...lines()]) }, "CSV")),
    table("Similarity of the data sets by node", [heads("Node", "#P(same table)", "#s", "#τ", "#Distance", "#TV", "Farthest data set", "#BDeu, pooled", "#BDeu, separate", "#BHD")], body, { id: "pooling-nodes" }), more, make("p", { class: "small" }, note)];
}

/** The data sets, the farthest first, with the arcs that are absent in them. */
function oddOnes() {
  const section = byId("odd");
  if (!report.explanation || !several) return;
  const { data_sets: members, absence } = report.explanation;
  const farthest = Math.max(1e-12, ...members.map((member) => member.distance));
  const body = make("tbody");
  const row = (place) => {
    const member = members[place];
    const far = make("td", { class: "bar" }, number(member.distance, 4));
    far.style.setProperty("--p", member.distance / farthest);
    const absent = member.altered_arcs.map((arc) => {
      const index = report.arcs.findIndex((known) => names[known.from] === arc.from && names[known.to] === arc.to);
      const text = `${arc.from} → ${arc.to} (${probability(arc.probability)})`;
      return index < 0 ? text : make("button", { class: "link", click: () => openArc(index) }, text);
    });
    return make("tr", {}, make("th", { scope: "row" }, member.name), make("td", {}, whole(member.rows)), far, make("td", {}, number(member.total_variation)), make("td", {}, number(member.gain_from_others, 1)), make("td", { class: "text" }, ...(absent.length ? listed(absent) : ["–"])));
  };
  const more = inPortions(body, members.length, 60, row);
  const altered = members.filter((member) => member.altered_arcs.length).length;
  const found = altered ? `In ${plural(altered, "data set")} some arc of the network is probably absent.` : "No arc of the network is probably absent in any data set.";
  const head = ["data_set", "rows", "distance", "total_variation", "gain_from_others", "absent_from", "absent_to", "probability"];
  const lines = () => members.flatMap((member) => {
    const own = [member.name, member.rows, member.distance, member.total_variation, member.gain_from_others];
    return member.altered_arcs.length ? member.altered_arcs.map((arc) => [...own, arc.from, arc.to, arc.probability]) : [[...own, null, null, null]];
  });
  const note = `Distance: the divergence of the data set's tables from the common centre, in nats per row, summed over nodes; TV: as total variation, the mean over the nodes. Few rows make distances uncertain. Gain from others: the increase in the log evidence of its rows when the other data sets are known, in nats; below 0, it is better modelled alone. Absent arcs, with their probability: called so above one half, when before the data ${number(100 * absence.prior, 0)} in 100 are expected to be absent. On made-up data with a known structure this found about half of the absent arcs with 50 rows per data set, about nine in ten with 1,000. If absences are rarer than expected, many of those named are false; those above 0.99 are safer.`;
  section.append(make("div", { class: "head" }, make("h2", {}, "Odd ones out"), make("button", { click: () => saveCsv("data-sets.csv", [head, ...lines()]) }, "CSV")),
    make("p", {}, found), table("Data sets, farthest from the common centre first", [heads("Data set", "#Rows", "#Distance", "#TV", "#Gain from others", "Absent arcs")], body, { id: "odd-ones" }), more, make("p", { class: "small" }, note));
}

/** How sure: what a bootstrap says of this network, and what is learned without each data set. */
function sure() {
  const { bootstrap } = report;
  if (!bootstrap) return;
  const section = byId("sure");
  const drawn = { rows: "rows drawn within every data set", "data-sets": "whole data sets drawn" }[bootstrap.by] ?? "resampled";
  const has = new Set(report.arcs.flatMap(({ from, to }) => [`${from} ${to}`, `${to} ${from}`]));
  // As the averaged network has it: above the threshold, or in every resample.
  const isSure = (strength) => strength > bootstrap.threshold || strength === 1;
  const missing = bootstrap.arcs.filter((pair) => isSure(pair.strength) && !has.has(`${placeOf.get(pair.from)} ${placeOf.get(pair.to)}`));
  const weak = report.arcs.filter((arc) => !isSure(arc.strength));
  const score = bootstrap.score_name === null ? "" : `, each learned with ${bootstrap.score_name}`;
  const weakWords = otherScore ? `Below it: resamples learned with ${otherScore.resampled} do not confirm them, which says nothing about their stability under ${otherScore.own}` : "Below it, and therefore uncertain";
  section.append(make("h2", {}, "How sure"),
    make("p", {}, `${plural(bootstrap.replicates, "resample")}: ${drawn}${bootstrap.seed === null ? "" : `, seed ${bootstrap.seed}`}${score}. Strength is the share of resamples that contain an edge, direction the share of those in which it points as drawn; the evidence below lists both.`),
    otherScore ? make("p", { class: "warning", id: "other-score" }, `The resamples were learned with ${otherScore.resampled}, and this network is by ${otherScore.own}: the strengths measure the stability of the arcs of ${otherScore.resampled}. Where the two scores learn different arcs, they say little about this network.`) : "",
    make("p", { id: "unsure" }, `The threshold fitted to the strengths is ${number(bootstrap.threshold)}. `, weak.length ? `${weakWords}: ${weak.map((arc) => `${arcName(arc)} (${number(arc.strength, 2)})`).join(", ")}.` : "All arcs of this network are above it."),
    make("p", { id: "missing" }, missing.length ? `Above it but not in this network: ${missing.map((pair) => `${pair.from} – ${pair.to} (${number(pair.strength, 2)})`).join(", ")}.` : "No other edge is above it."),
    make("p", {}, "Averaged network"), make("pre", { id: "averaged" }, bootstrap.averaged));
  if (!bootstrap.leave_one_out) return;
  const arcs = (list) => (list.length ? list.map((arc) => `${arc.from} → ${arc.to}`).join(", ") : "–");
  const body = make("tbody");
  const row = (place) => {
    const one = bootstrap.leave_one_out[place];
    return make("tr", {}, make("th", { scope: "row" }, one.data_set), make("td", {}, `${one.kept.length} of ${one.kept.length + one.lost.length}`), make("td", {}, whole(one.shd)), make("td", { class: "text" }, one.reversed ? arcs(one.reversed) : ""), make("td", { class: "text" }, arcs(one.lost)), make("td", { class: "text" }, arcs(one.gained)));
  };
  const more = inPortions(body, bootstrap.leave_one_out.length, 60, row);
  section.append(make("h3", {}, "Learned without each data set"), table("Learned without each data set", [heads("Without", "#Edges kept", "#SHD", "Reversed", "Lost", "Gained")], body, { id: "without" }), more,
    make("p", { class: "small" }, `Beside what ${bootstrap.score_name ?? "the score of the resamples"} learns from all data sets: how many of its edges stay, in either direction, and in how many edges the two differ (SHD, between equivalence classes). ${bootstrap.leave_one_out.some((one) => one.reversed) ? "Reversed edges are among those kept; where SHD is 0 their direction was open." : "The file is of an earlier version, which called reversed arcs lost and gained."}`));
}

/** The strongest arcs that the network has not. */
function leftOut() {
  const arcs = report.explanation?.left_out ?? [];
  if (!arcs.length) return;
  const rows = arcs.map((arc) => {
    const evidence = evidenceOf(arc);
    return make("tr", {}, make("th", { scope: "row" }, arcName(arc)), make("td", {}, number(arc.gain)), several ? make("td", {}, `${support(arc)} of ${evidence.length}`) : null, ...(several ? heatCells(arc) : []));
  });
  const head = make("tr", {}, make("th", { scope: "col" }, "Arc"), make("th", { scope: "col", class: "value" }, "Change of the score"), several ? make("th", { scope: "col", class: "value" }, "Data sets for it") : null, ...(several ? heatHeads() : []));
  const csv = () => saveCsv("left-out.csv", [arcHead, ...arcs.flatMap(arcRows)]);
  byId("evidence").append(make("div", { class: "head" }, make("h3", {}, "Strongest arcs not in the network"), several ? make("button", { click: csv }, "CSV") : null),
    table("Strongest arcs not in the network", [head], make("tbody", {}, ...rows), { id: "left-out", class: several ? heatClass : null }),
    several ? make("p", { class: "small" }, "The change in score if the arc is added, in total and by data set, in the colours above.") : "");
}
