// Evidence: links by data sets, as a matrix that sorts, filters and clusters.

const givenOthers = explained?.terms === "given-others";
const allArcs = [...report.arcs, ...(explained?.left_out ?? [])];
/** The same scale as that of the figure of the evidence: paper at 0, then by the logarithm. */
const mostEvidence = Math.max(1e-9, ...allArcs.flatMap((arc) => evidenceOf(arc) ?? []).map(Math.abs));
const shareOf = (gain) => Math.log1p(Math.abs(gain ?? 0)) / Math.log1p(mostEvidence);
/** Where numbers by data set fit; otherwise colours, with the numbers in the inspector, in the file and on request. */
const fits = dataSets.length <= 14;

function heatCell(gain, name, withNumber) {
  const shown = make("td", { class: `heat ${gain < 0 ? "against" : "for"}`, title: `${isolated(name)}: ${number(gain, 1)}, ${strengthWords(gain ?? 0)}`, "aria-label": `${isolated(name)}: ${number(gain, 1)}, ${strengthWords(gain ?? 0)}` }, make("span", {}, withNumber ? number(gain, 1) : ""));
  shown.style.setProperty("--s", shareOf(gain));
  return shown;
}
/** Says the value of a cell: one is reached by Tab, the others by the arrow keys, a click or a finger. */
function cellReader(shown) {
  const words = make("output", { class: "small", id: "cell-value" }, "Choose a cell, or move through the cells with the arrow keys, to read its value here.");
  const rows = () => [...shown.querySelectorAll("tbody tr")].map((row) => [...row.querySelectorAll(".heat")]);
  const choose = (cell, focus) => {
    shown.querySelectorAll(".heat[tabindex='0']").forEach((other) => other.setAttribute("tabindex", -1));
    cell.setAttribute("tabindex", 0);
    words.replaceChildren(...[...cell.closest("tr").querySelectorAll("th bdi")].flatMap((name, place) => [place ? " – " : "", bdi(name.textContent)]), `, ${cell.title}`);
    if (focus) cell.focus();
  };
  shown.querySelector(".heat")?.setAttribute("tabindex", 0);
  shown.addEventListener("click", (event) => event.target.closest(".heat") && choose(event.target.closest(".heat"), true));
  shown.addEventListener("focusin", (event) => event.target.matches(".heat") && choose(event.target, false));
  shown.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!step || !event.target.matches(".heat")) return;
    event.preventDefault();
    const all = rows();
    const row = all.findIndex((cells) => cells.includes(event.target));
    const next = all[row + step[0]]?.[all[row].indexOf(event.target) + step[1]];
    if (next) choose(next, true);
  });
  return words;
}
/** How much the data sets disagree on a link: the smaller of what speaks for it and against it. */
function disagreement(arc) {
  const gains = evidenceOf(arc) ?? [];
  const sum = (sign) => gains.reduce((all, gain) => all + Math.max(0, sign * gain), 0);
  return Math.min(sum(1), sum(-1));
}

function evidence() {
  const section = byId("evidence");
  if (!report.arcs.length) return section.append(make("h2", {}, "Evidence"), make("p", {}, "The network has no links."));
  const by = several && report.arcs.some(evidenceOf);
  const strengths = report.arcs.some((arc) => arc.strength !== null);
  const sorts = { gain: (a, b) => (b.gain ?? 0) - (a.gain ?? 0), disagreement: (a, b) => disagreement(b) - disagreement(a), name: (a, b) => arcText(a).localeCompare(arcText(b)) };
  const options = { sort: "gain", filter: "", cluster: false, numbers: fits };
  const area = make("div", { id: "matrix" });
  function fill() {
    const columns = options.cluster && explained?.similarity ? explained.similarity.order : [...dataSets.keys()];
    const order = report.arcs.map((arc, index) => ({ arc, index })).filter(({ arc }) => arcText(arc).toLowerCase().includes(options.filter)).sort((a, b) => sorts[options.sort](a.arc, b.arc) || a.index - b.index);
    const head = make("tr", {}, make("th", { scope: "col" }, "Link"), make("th", { scope: "col", class: "value" }, "Gain"), make("th", { scope: "col" }, "In words"), ...(strengths ? ["Strength", "Direction"].map((word) => make("th", { scope: "col", class: "value" }, word)) : []),
      ...(by ? columns.map((which) => make("th", { scope: "col", class: options.numbers ? "value" : "tall", title: isolated(dataSets[which]) }, make("span", {}, bdi(dataSets[which])))) : []));
    const body = make("tbody");
    const row = (place) => {
      const { arc, index } = order[place];
      return make("tr", {}, rowHead(arcLink(index)), cell(number(arc.gain, 1)), textCell(arc.gain === null ? "" : strengthWords(arc.gain)), ...(strengths ? [arc.strength, arc.direction].map((value) => cell(number(value, 2))) : []),
        ...(by ? columns.map((which) => heatCell(evidenceOf(arc)?.[which] ?? null, dataSets[which], options.numbers)) : []));
    };
    const more = inPortions(body, order.length, 40, row);
    const shown = table("Evidence by link and data set", [head], body, { class: options.numbers ? "heats" : "heats many" });
    area.replaceChildren(shown, more, ...(by ? [cellReader(shown)] : []));
  }
  const again = (change) => { change(); fill(); };
  const tools = [select("sort", "sort by", "gain", [["gain", "gain"], ["disagreement", "disagreement"], ["name", "name"]], (sort) => again(() => { options.sort = sort; })),
    make("input", { id: "filter-links", type: "search", placeholder: "Filter links", "aria-label": "Filter links", input: (event) => again(() => { options.filter = event.target.value.toLowerCase(); }) })];
  const toggle = (words, key) => {
    const button = make("button", { "aria-pressed": options[key], click: () => again(() => { options[key] = !options[key]; button.setAttribute("aria-pressed", options[key]); }) }, words);
    return button;
  };
  if (by && explained?.similarity && dataSets.length > 2) tools.push(toggle("Alike side by side", "cluster"));
  if (by && !fits) tools.push(toggle("Numbers", "numbers"));
  tools.push(csvButton("evidence.csv", () => [arcHead, ...report.arcs.flatMap(arcCsv)]));
  section.append(headLine("h2", "Evidence", ...tools), small(`Gain: the loss in score without the link, in nats${evidenceWords(by)}`), by ? colourScale() : "", area);
  fill();
  leftOut();
}

/** Whose numbers stand by data set, or why there are none. */
function evidenceWords(by) {
  const name = report.search?.score_name ?? "This score";
  if (!several) return ".";
  if (!by) return `. ${name} is not a sum over data sets, and no explanation was computed.`;
  if (givenOthers) return `. ${name} is not a sum over data sets: the coloured numbers are the evidence of each data set for the link, given the others (blue: for, orange: against); they need not add up to the gain.`;
  return ", in total and by data set (blue: for the link, orange: against it).";
}

/** Which colour is how much evidence; the figure of the evidence has the same scale. */
function colourScale() {
  const steps = [-1, -0.5, 0, 0.5, 1].map((place) => Math.sign(place) * Math.expm1(Math.abs(place) * Math.log1p(mostEvidence)));
  const swatch = (gain) => {
    const shown = make("span", { class: `heat ${gain < 0 ? "against" : "for"}` }, make("span", {}, number(gain, mostEvidence < 10 ? 1 : 0)));
    shown.style.setProperty("--s", shareOf(gain));
    return shown;
  };
  return make("p", { class: "scale small", id: "scale" }, "against ", make("span", { class: "swatches" }, ...steps.map(swatch)), " for the link, in nats");
}

/** The strongest links that the network has not. */
function leftOut() {
  const arcs = explained?.left_out ?? [];
  if (!arcs.length) return;
  const rows = arcs.map((arc) => make("tr", {}, rowHead(bdi(names[arc.from]), " – ", bdi(names[arc.to])), cell(number(arc.gain, 1)), several ? cell(`${support(arc)} of ${dataSets.length}`) : null, ...(several ? dataSets.map((name, which) => heatCell(evidenceOf(arc)?.[which] ?? null, name, fits)) : [])));
  const head = make("tr", {}, ...["Link", "Change of the score"].map((word, place) => make("th", { scope: "col", class: place ? "value" : null }, word)), several ? make("th", { scope: "col", class: "value" }, "Data sets for it") : null, ...(several ? dataSets.map((name) => make("th", { scope: "col", class: fits ? "value" : "tall" }, make("span", {}, bdi(name)))) : []));
  byId("evidence").append(details(`The ${arcs.length} strongest links that are not in the network`, csvButton("left-out.csv", () => [[...arcHead, "data_sets_for_it"], ...arcs.flatMap((arc) => arcCsv(arc).map((line) => [...line, support(arc)]))]),
    table("Strongest links not in the network", [head], make("tbody", {}, ...rows), { id: "left-out", class: fits ? "heats" : "heats many" }), small("The change in score if the link is added, in total and by data set.")));
}
