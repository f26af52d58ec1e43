// What the reader chose: what is given, whose probabilities are shown, what is opened. The address keeps it, so that it can be shared.

/** Whose tables there are: the data sets, all rows together, a data set never seen. */
const relatives = [
  ...dataSets.map((name, place) => ({ name, tables: (node) => node.tables.by_data_set[place] })),
  ...(several ? [{ name: "all together", other: true, tables: (node) => node.tables.pooled }, { name: "new data set", other: true, tables: (node) => node.tables.new }] : []),
];
const state = { given: new Map(), mode: "one", one: 0, other: Math.min(1, dataSets.length - 1), opened: null };
const listeners = [];
const onChange = (listener) => listeners.push(listener);
function changed() {
  computed.clear();
  keepInAddress();
  listeners.forEach((listener) => listener());
}
/** A relative as an element; those that are no data set stand in italics. */
const relativeName = (relative) => (relative.other ? make("i", {}, relative.name) : bdi(relative.name));

const tree = hasTables ? cliqueTree(report.variables.map((variable) => variable.states.length), report.nodes.map((node) => node.parents)) : null;
const computed = new Map();
/** The posteriors by one relative's tables given the present evidence; `null` if it is impossible there. */
function posteriorOf(which) {
  if (!computed.has(which)) {
    const own = report.nodes.map((node) => relatives[which].tables(node));
    computed.set(which, posteriors(tree, own, state.given));
  }
  return computed.get(which);
}

function observe(variable, which, set = false) {
  const known = state.given.get(variable);
  if (known && known.state === which && known.set === set) state.given.delete(variable);
  else state.given.set(variable, { state: which, set });
  changed();
}

/** The state as the part of the address after the hash: variables, states and data sets by their numbers. */
function keepInAddress() {
  const parts = [];
  if (state.given.size) parts.push("given=" + [...state.given].map(([variable, known]) => `${variable}${known.set ? "!" : "."}${known.state}`).join(","));
  if (state.mode !== "one" || state.one !== 0) parts.push(`show=${state.mode}.${state.one}.${state.other}`);
  if (state.opened) parts.push(`open=${state.opened.kind}.${state.opened.index}`);
  const hash = parts.length ? "#" + parts.join("&") : " ";
  history.replaceState(null, "", hash === " " ? location.pathname + location.search : hash);
}
/** Reads the address; what does not belong to this page is ignored. */
function readAddress() {
  const parts = Object.fromEntries(decodeURIComponent(location.hash.slice(1)).split("&").map((part) => part.split("=")));
  state.given.clear();
  for (const item of (parts.given ?? "").split(",")) {
    const found = /^(\d+)([.!])(\d+)$/.exec(item);
    if (found && report.variables[found[1]]?.states[found[3]] !== undefined) state.given.set(Number(found[1]), { state: Number(found[3]), set: found[2] === "!" });
  }
  const shown = /^(one|two|all)\.(\d+)\.(\d+)$/.exec(parts.show ?? "");
  if (shown && relatives[shown[2]] && relatives[shown[3]]) Object.assign(state, { mode: shown[1], one: Number(shown[2]), other: Number(shown[3]) });
  const opened = /^(node|arc)\.(\d+)$/.exec(parts.open ?? "");
  if (opened && (opened[1] === "node" ? report.nodes : report.arcs)[opened[2]]) return { kind: opened[1], index: Number(opened[2]) };
  return null;
}
