// Compare data sets: which are alike, which are far from the others and through which variables.

function compare() {
  const section = byId("compare");
  if (!several || !explained) {
    section.hidden = true;
    return;
  }
  section.append(make("h2", {}, "Compare data sets"));
  if (explained.similarity) section.append(...similarity(explained.similarity));
  section.append(...distances(), ...alikeNodes(explained.pooling));
}

/** The place of a pair of data sets, the first before the second, in a list of all pairs. */
const pairIndex = (a, b) => a * dataSets.length - (a * (a + 1)) / 2 + (b - a - 1);
/** More pairs are printed as text: as a table they would take more paper than all probabilities. */
const PAIRS_PRINTED = 120;

/** A heat map of pairs, ordered and joined by a tree of the most alike. */
function similarity({ total, nodes, order, merges }) {
  const count = dataSets.length;
  const value = (values, a, b) => values[a < b ? pairIndex(a, b) : pairIndex(b, a)];
  const size = Math.max(9, Math.min(30, 560 / count));
  const treeWidth = 90;
  const label = count > 40 ? 9 : 12;
  const longest = Math.min(16, Math.max(...dataSets.map((name) => name.length)));
  const left = treeWidth + longest * label * 0.62 + 10;
  const svg = draw("svg", { class: "similarity", role: "img", "aria-label": "How alike pairs of data sets are; the table below has the numbers" });
  function fill(values) {
    const most = Math.max(1e-9, ...values.map(Math.abs));
    const cells = order.flatMap((a, y) => order.flatMap((b, x) => {
      if (a === b) return [];
      const gain = value(values, a, b);
      const rect = draw("rect", { class: gain < 0 ? "against" : "for", x: left + x * size, y: y * size, width: size - 1, height: size - 1, "fill-opacity": Math.sqrt(Math.abs(gain) / most).toFixed(3) });
      rect.append(draw("title", {}, `${isolated(dataSets[a])} and ${isolated(dataSets[b])}: ${pairWords(gain)}`));
      return [rect];
    }));
    const labels = order.map((which, y) => draw("text", { x: left - 6, y: y * size + size / 2 + label / 3, "font-size": label, "text-anchor": "end" }, cut(visible(dataSets[which]), 16)));
    svg.replaceChildren(...dendrogram(order, merges, size, treeWidth), ...labels, ...cells);
  }
  const [width, height] = [left + count * size + 4, count * size + 4];
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("width", width);
  fill(total);
  const menu = select("similarity-of", "by", "all", [["all", "all variables"], ...names.map((name, which) => [which, isolated(name)])], (which) => fill(which === "all" ? total : nodes[which]));
  const pairs = order.flatMap((a, y) => order.slice(y + 1).map((b) => [a, b])).sort((p, q) => value(total, ...q) - value(total, ...p));
  const body = make("tbody");
  const more = inPortions(body, pairs.length, 10, (which) => make("tr", {}, rowHead(bdi(dataSets[pairs[which][0]]), " and ", bdi(dataSets[pairs[which][1]])), cell(number(value(total, ...pairs[which]), 1)), textCell(pairWords(value(total, ...pairs[which])))), PAIRS_PRINTED);
  const csv = csvButton("similarity.csv", () => [["data_set", "other", "variable", "as_one_rather_than_two", "in_words"], ...pairs.flatMap((pair) => [[null, total], ...nodes.map((values, which) => [which, values])].map(([which, values]) => [dataSets[pair[0]], dataSets[pair[1]], which === null ? "(all)" : names[which], value(values, ...pair), pairWords(value(values, ...pair))]))]);
  return [headLine("h3", "Which are alike", menu, csv), make("div", { class: "wide" }, svg),
    small(make("span", { class: "swatch for" }), " more probable as one table than as two; ", make("span", { class: "swatch against" }), " more probable as two. The tree joins the most alike first (average of the pairs)."),
    details("Pairs as a table", table("Pairs of data sets", [heads("Pair", "#As one rather than two", "In words")], body, { id: "pairs" }), more, small("Natural logarithm of how much more probable the rows of two data sets are with one table per family than with two."))];
}
const pairWords = (gain) => (Math.abs(gain) < 1 ? "no difference" : `${gain > 0 ? "alike" : "different"}: ${Math.abs(gain) > 7 ? "more than 1,000" : whole(Math.round(Math.exp(Math.abs(gain))))} to 1`);

/** The tree of the merges, with its leaves at the rows of the heat map. */
function dendrogram(order, merges, size, width) {
  if (!merges.length) return [];
  const at = new Map(order.map((which, y) => [which, { x: width, y: y * size + size / 2 }]));
  const count = order.length;
  return merges.map(({ first, second }, step) => {
    const [a, b] = [at.get(first), at.get(second)];
    const x = width - ((step + 1) / merges.length) * (width - 6);
    at.set(count + step, { x, y: (a.y + b.y) / 2 });
    return draw("path", { class: "branch", d: `M${a.x} ${a.y}H${x}V${b.y}H${b.x}` });
  });
}

/** Where a data set's distance is beside the range that chance gives to a relative. */
function placeWords(member) {
  if (!member.chance) return null;
  return isOdd(member) ? "stands out" : member.distance < member.chance.low ? "nearer than expected" : "as expected";
}

/** Distance against rows, with the range that chance gives to a relative. */
function distances() {
  const members = explained.data_sets;
  const known = members.some((member) => member.chance);
  const farthest = Math.max(1e-12, ...members.map((member) => Math.max(member.distance, member.chance?.high ?? 0)));
  const body = make("tbody");
  const row = (place) => {
    const member = members[place];
    const line = draw("svg", { class: "range", viewBox: "0 0 160 16", width: 160, height: 16, "aria-hidden": "true" });
    const at = (distance) => 4 + (152 * distance) / farthest;
    if (member.chance) line.append(draw("rect", { class: "chance", x: at(member.chance.low), y: 3, width: Math.max(1, at(member.chance.high) - at(member.chance.low)), height: 10 }));
    line.append(draw("circle", { class: isOdd(member) ? "odd" : "usual", cx: at(member.distance), cy: 8, r: 4 }));
    const absent = member.altered_arcs.map((arc) => {
      const index = report.arcs.findIndex((drawn) => names[drawn.from] === arc.from && names[drawn.to] === arc.to);
      return [index < 0 ? [bdi(arc.from), " – ", bdi(arc.to)] : arcLink(index), ` (${probability(arc.probability)})`];
    });
    const range = member.chance ? `: ${isOdd(member) ? "beyond " : ""}${number(member.chance.low, 2)} to ${number(member.chance.high, 2)}` : "";
    return make("tr", { class: isOdd(member) ? "odd" : null }, rowHead(bdi(member.name)), cell(whole(member.rows)), make("td", { class: "text range-cell" }, line, known ? make("span", {}, placeWords(member), range) : ""), cell(number(member.distance, 3)),
      textCell(...listed(through(member.name).map(named), ", ")), textCell(...(absent.length ? absent.map((link) => make("div", {}, ...link)) : ["–"])), cell(number(member.gain_from_others, 1)));
  };
  const more = inPortions(body, members.length, 60, row);
  const head = ["data_set", "rows", "distance", "chance_low", "chance_high", "in_words", "mostly_through", "total_variation", "gain_from_others", "absent_from", "absent_to", "probability"];
  const lines = () => members.flatMap((member) => {
    const own = [member.name, member.rows, member.distance, member.chance?.low ?? null, member.chance?.high ?? null, placeWords(member), through(member.name).join("; "), member.total_variation, member.gain_from_others];
    return member.altered_arcs.length ? member.altered_arcs.map((arc) => [...own, arc.from, arc.to, arc.probability]) : [[...own, null, null, null]];
  });
  return [headLine("h3", "Which stand out", csvButton("data-sets.csv", () => [head, ...lines()])), known ? make("div", { class: "wide" }, scatter(members, farthest)) : "",
    table("Data sets, farthest from the others first", [heads("Data set", "#Rows", known ? "Range by chance" : "Place", "#Distance", "Mostly through", "Links probably absent", "#Gain from others")], body, { id: "odd-ones" }), more,
    small(`Distance: how far its probabilities are from what all have in common (Kullback–Leibler divergence in nats per row, summed over variables). ${known ? "The range is that of 99 simulated relatives with as many rows; only what is beyond it is called odd. " : ""}Gain from others: the log evidence that the other data sets add to its rows; below 0 it is better described alone. Absent links: with their probability; before the data, ${number(100 * explained.absence.prior, 0)} in 100 are expected to be absent.`)];
}

/** Distance against rows: a point for every data set over the range that chance gives to a relative with as many rows. */
function scatter(members, farthest) {
  const [width, height, left, bottom] = [640, 210, 46, 36];
  const rows = members.map((member) => Math.log(Math.max(1, member.rows)));
  const [least, most] = [Math.min(...rows), Math.max(...rows)];
  // Data sets of one size stand side by side, farthest first.
  const equal = least === most;
  const share = (member) => (equal ? (members.indexOf(member) + 0.5) / members.length : (Math.log(Math.max(1, member.rows)) - least) / (most - least));
  const x = (member) => left + 24 + (width - left - 130) * share(member);
  const y = (distance) => height - bottom - ((height - bottom - 14) * distance) / farthest;
  const odd = members.filter(isOdd);
  const label = new Set((members.length <= 12 ? members : odd.slice(0, 8)).map((member) => member.name));
  const ranges = members.filter((member) => member.chance).map((member) => draw("rect", { class: "chance", x: x(member) - 4, y: y(member.chance.high), width: 8, height: Math.max(1, y(member.chance.low) - y(member.chance.high)) }));
  const points = members.map((member) => draw("circle", { class: isOdd(member) ? "odd" : "usual", cx: x(member), cy: y(member.distance), r: 4 }, draw("title", {}, `${isolated(member.name)}: ${plural(member.rows, "row")}, distance ${number(member.distance, 2)}`)));
  const labels = members.filter((member) => label.has(member.name)).map((member) => draw("text", { x: x(member) + 8, y: y(member.distance) + 4 }, cut(visible(member.name), 16)));
  const axis = [0, farthest / 2, farthest].map((value) => draw("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, number(value, farthest < 1 ? 2 : 1)));
  const bySize = [...members].sort((a, b) => a.rows - b.rows);
  const ticks = equal ? [] : [bySize[0], bySize[bySize.length - 1]].map((member) => draw("text", { x: x(member), y: height - bottom + 16, "text-anchor": "middle" }, whole(member.rows)));
  return draw("svg", { class: "range scatter", id: "scatter", viewBox: `0 0 ${width} ${height}`, width, role: "img", "aria-label": "Distance from the others against rows, with the range by chance; the table below has the numbers" },
    draw("path", { class: "branch", d: `M${left} 10V${height - bottom}H${width - 60}` }), ...axis, ...ticks, ...ranges, ...points, ...labels, draw("text", { x: (left + width - 60) / 2, y: height - 4, "text-anchor": "middle" }, `${equal ? `all have ${plural(members[0].rows, "row")}` : "rows (logarithmic)"}; bars: distances of simulated relatives`));
}

const alikeWords = (node) => (node.p_identical > 0.9 ? "may share one table" : node.p_identical < 0.1 ? "differ" : "open");
/** Variable by variable: how alike the data sets are. */
function alikeNodes(pooling) {
  const order = pooling.nodes.map((_, index) => index).sort((a, b) => pooling.nodes[b].divergence - pooling.nodes[a].divergence || a - b);
  const body = make("tbody");
  const technical = ["s_mean", "tau", "divergence", "total_variation", "pooled", "separate", "hierarchical"];
  const row = (place) => {
    const node = pooling.nodes[order[place]];
    const farthest = Object.entries(node.by_data_set).reduce((most, one) => (one[1] > most[1] ? one : most));
    return make("tr", {}, rowHead(named(node.node)), barCell(node.p_identical, probability(node.p_identical)), textCell(alikeWords(node)), textCell(farthest[1] > 0 ? bdi(farthest[0]) : ""), ...technical.map((key) => make("td", { class: "technical" }, number(node[key], key === "divergence" ? 4 : key === "s_mean" || key === "tau" ? 1 : 3))));
  };
  const more = inPortions(body, order.length, 25, row);
  const head = ["node", "probability_identical", "in_words", ...technical.map((key) => ({ s_mean: "s", pooled: "bdeu_pooled", separate: "bdeu_separate", hierarchical: "bhd" })[key] ?? key), "farthest"];
  const lines = () => pooling.nodes.map((node) => [node.node, node.p_identical, alikeWords(node), ...technical.map((key) => node[key]), Object.entries(node.by_data_set).reduce((most, one) => (one[1] > most[1] ? one : most))[0]]);
  const shown = table("Similarity of the data sets by variable", [heads("Variable", "#One table for all", "In words", "Farthest data set", "#s", "#τ", "#Distance", "#TV", "#BDeu, pooled", "#BDeu, separate", "#BHD")], body, { id: "pooling-nodes", class: "short" });
  const toggle = make("button", { "aria-pressed": false, click: () => toggle.setAttribute("aria-pressed", !shown.querySelector("table").classList.toggle("short")) }, "Technical columns");
  shown.querySelectorAll("thead th").forEach((cell, place) => place > 3 && cell.classList.add("technical"));
  return [headLine("h3", "Where they differ", toggle, csvButton("pooling.csv", () => [head, ...lines()])), shown, more,
    small("One table for all: the probability that all data sets have the same table for this variable, rather than related ones.")];
}
