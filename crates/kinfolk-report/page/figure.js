// The figure: zoom, pan, and what is selected in it.

const frame = byId("figure");
const figure = frame.querySelector("svg");
const untouched = figure.cloneNode(true);
/** Where every node is drawn: its middle and its size. Moved by the neighbourhood view. */
const boxes = [...figure.querySelectorAll("[data-node]")].map((group) => {
  const [x, y] = group.dataset.at.split(" ").map(Number);
  const rect = group.querySelector("rect");
  return { group, x, y, home: { x, y }, width: Number(rect.getAttribute("width")), height: Number(rect.getAttribute("height")) };
});
const arcGroups = [...figure.querySelectorAll("[data-arc]")];
const homePaths = arcGroups.map((group) => [...group.querySelectorAll("path")].map((path) => path.getAttribute("d")));
/** The nodes that are shown: all, or the neighbourhood of one. */
let around = null;
const isShown = (node) => around === null || around.members.has(node);
/** The smallest frame around what is shown, without the room for the legend, which stands above the figure here. */
function extent() {
  const shown = boxes.filter((_, node) => isShown(node));
  if (!shown.length) return { x: 0, y: 0, width: 300, height: 60 };
  const left = Math.min(...shown.map((box) => box.x - box.width / 2)) - 20;
  const top = Math.min(...shown.map((box) => box.y - box.height / 2)) - 20;
  const right = Math.max(...shown.map((box) => box.x + box.width / 2)) + 20;
  const bottom = Math.max(...shown.map((box) => box.y + box.height / 2)) + 20;
  // Arcs may pass beside the outermost nodes.
  const drawn = figure.querySelector(".arcs").getBBox();
  const [start, end] = drawn.width > 0 ? [Math.min(left, drawn.x - 8), Math.max(right, drawn.x + drawn.width + 8)] : [left, right];
  return { x: start, y: top, width: end - start, height: bottom - top };
}
let full = extent();
let view = { ...full };

/** The frame is as high as the figure needs, within what a screen has; small figures are not blown up. */
function fitFrame() {
  setHeight(full.height * Math.min(frame.clientWidth / full.width, 1.1));
}
function setHeight(needed) {
  const most = Math.min(Math.max(0.72 * window.innerHeight, 260), 860);
  figure.style.height = `${Math.round(Math.min(Math.max(needed, 140), most))}px`;
}
/** The smallest letters of the figure, in its units, must not be smaller than this at first, in pixels. */
const READABLE = 9;
/** Larger networks begin with the neighbourhood of the variable with most links. */
const NEIGHBOURHOOD_ABOVE = 60;
const LETTERS = 11;
/** Shows all, or where names would be too small the part around the node with most arcs. Says whether it is a part. */
function startView() {
  // On a phone the figure may be in a section that is not shown yet.
  if (frame.clientWidth === 0) return false;
  wide = frame.clientWidth;
  fitFrame();
  show({ ...full });
  let box = figure.getBoundingClientRect();
  if (LETTERS * Math.min(box.width / full.width, box.height / full.height) >= READABLE) return false;
  const unit = LETTERS / (READABLE + 1);
  setHeight(full.height / unit);
  box = figure.getBoundingClientRect();
  const hub = boxes[around === null ? busiest() : around.node];
  const [width, height] = [box.width * unit, box.height * unit];
  // Not beyond the figure's border, where there is nothing to see.
  const within = (middle, size, start, length) => Math.min(Math.max(middle - size / 2, start), Math.max(start + length - size, start - (size - length) / 2));
  // From the top, if the node is seen then.
  const fromTop = hub.y + hub.height / 2 < full.y + height;
  show({ x: within(hub.x, width, full.x, full.width), y: fromTop ? full.y : within(hub.y, height, full.y, full.height), width, height });
  return true;
}
/** The node with most arcs. */
function busiest() {
  const degrees = report.nodes.map((_, index) => report.arcs.filter((arc) => arc.from === index || arc.to === index).length);
  return degrees.indexOf(Math.max(...degrees));
}

function show(next) {
  view = next;
  figure.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
}

const showsAll = () => view.width === full.width && view.height === full.height;
let zoomedIn = false;
let wide = 0;

/** After the frame's width has changed: all is still all, and a part is as large as before, around the same middle. */
function refit() {
  const before = wide;
  if (before === 0 && frame.clientWidth > 0) {
    zoomedIn = startView();
    return;
  }
  // A phone's bars come and go while it scrolls: only another width is another screen. On paper there may be none.
  if (frame.clientWidth === 0 || frame.clientWidth === before) return;
  wide = frame.clientWidth;
  if (showsAll()) return;
  const width = (view.width * wide) / before;
  show({ ...view, x: view.x + (view.width - width) / 2, width });
}
window.addEventListener("resize", () => {
  if (frame.clientWidth > 0 && frame.clientWidth !== wide && showsAll()) fitFrame();
  refit();
});

/** The place of a node or an arc in the figure. */
function placeIn(element) {
  if (element.dataset.node === undefined) return element.getBBox();
  const { x, y, width, height } = boxes[element.dataset.node];
  return { x: x - width / 2, y: y - height / 2, width, height };
}
/** Brings what is not to be seen to the middle. */
function reveal(element) {
  const at = placeIn(element);
  const [x, y] = [at.x + at.width / 2, at.y + at.height / 2];
  if (x > view.x && x < view.x + view.width && y > view.y && y < view.y + view.height) return;
  centre(element);
}

/** How many units of the figure a pixel of the screen is, and where the figure's corner is. */
function scale() {
  const box = figure.getBoundingClientRect();
  const unit = Math.max(view.width / box.width, view.height / box.height);
  const left = box.left + (box.width - view.width / unit) / 2;
  const top = box.top + (box.height - view.height / unit) / 2;
  return { box, unit, left, top };
}

/** Zooms about a point of the screen, or the middle. */
function zoom(factor, clientX, clientY) {
  const { box, unit, left, top } = scale();
  const x = view.x + ((clientX ?? box.left + box.width / 2) - left) * unit;
  const y = view.y + ((clientY ?? box.top + box.height / 2) - top) * unit;
  const bound = Math.min(Math.max(factor, 60 / view.width), (full.width * 2) / view.width);
  show({
    x: x - (x - view.x) * bound,
    y: y - (y - view.y) * bound,
    width: view.width * bound,
    height: view.height * bound,
  });
}

function pan(dx, dy) {
  const { unit } = scale();
  show({ ...view, x: view.x - dx * unit, y: view.y - dy * unit });
}

/** Brings a part of the figure to the middle, close enough to be read; a long arc as far away as it takes to see both its ends. */
function centre(element) {
  const { box } = scale();
  const at = placeIn(element);
  const large = Math.min(1, full.width / box.width, full.height / box.height);
  if (large === 1 || view.width < full.width) {
    const near = Math.min(view.width / box.width, 1.2);
    const unit = Math.max(near, (at.width + 140) / box.width, (at.height + 100) / box.height);
    const [width, height] = [box.width * unit, box.height * unit];
    show({ x: at.x + at.width / 2 - width / 2, y: at.y + at.height / 2 - height / 2, width, height });
  }
}

const pointers = new Map();
let dragged = false;
frame.addEventListener("pointerdown", (event) => {
  if (event.button !== 0) return;
  pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  if (pointers.size === 1) dragged = false;
});
frame.addEventListener("pointermove", (event) => {
  const last = pointers.get(event.pointerId);
  // One finger scrolls the page; two move and zoom the figure.
  if (!last || (event.pointerType === "touch" && pointers.size < 2)) return;
  const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
  if (!dragged && Math.hypot(dx, dy) < 4) return;
  dragged = true;
  frame.setPointerCapture(event.pointerId);
  if (pointers.size === 2) {
    const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
    const before = Math.hypot(last.x - other.x, last.y - other.y);
    const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
    zoom(before / Math.max(after, 1), other.x, other.y);
    pan(dx / 2, dy / 2);
  } else pan(dx, dy);
  pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
});
for (const end of ["pointerup", "pointercancel"]) {
  frame.addEventListener(end, (event) => pointers.delete(event.pointerId));
}
frame.addEventListener("wheel", (event) => {
  if (!event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  zoom(Math.exp(event.deltaY / 300), event.clientX, event.clientY);
}, { passive: false });
frame.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const moves = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  if (event.key === "+" || event.key === "=") zoom(1 / 1.25);
  else if (event.key === "-") zoom(1.25);
  else if (event.key === "0") show({ ...full });
  else if (moves[event.key]) pan(...moves[event.key]);
  else return;
  event.preventDefault();
});
byId("zoom-in").addEventListener("click", () => zoom(1 / 1.25));
byId("zoom-out").addEventListener("click", () => zoom(1.25));
byId("zoom-fit").addEventListener("click", () => show({ ...full }));
byId("around").addEventListener("click", () => state.opened?.kind === "node" && showAround(state.opened.index));
window.addEventListener("beforeprint", () => show({ ...full }));

/** Marks a node or an arc and what touches it; the rest steps back. */
function mark(kind, index) {
  figure.querySelectorAll(".near, .selected").forEach((element) => element.classList.remove("near", "selected"));
  figure.classList.toggle("focused", kind !== null);
  if (kind === null) return;
  const drawn = (what, which) => figure.querySelector(`[data-${what}="${which}"]`);
  drawn(kind, index).classList.add("selected", "near");
  report.arcs.forEach((arc, number) => {
    const touches = kind === "arc" ? number === index : arc.from === index || arc.to === index;
    if (!touches) return;
    drawn("arc", number).classList.add("near");
    drawn("node", arc.from).classList.add("near");
    drawn("node", arc.to).classList.add("near");
  });
}

/** The neighbourhood of a node, in the layers and the order of the whole drawing: parents, children and the children's other parents. */
function showAround(node) {
  const members = new Set([node]);
  const children = report.arcs.filter((arc) => arc.from === node).map((arc) => arc.to);
  report.arcs.forEach((arc) => {
    if (arc.from === node || arc.to === node || children.includes(arc.to)) [arc.from, arc.to].forEach((end) => members.add(end));
  });
  const layers = new Map();
  const placed = [];
  for (const member of members) layers.set(boxes[member].home.y, [...(layers.get(boxes[member].home.y) ?? []), member]);
  let top = 0;
  for (const layer of [...layers.keys()].sort((a, b) => a - b).map((y) => layers.get(y))) {
    layer.sort((a, b) => boxes[a].home.x - boxes[b].home.x);
    const width = layer.reduce((sum, member) => sum + boxes[member].width + 28, -28);
    const height = Math.max(...layer.map((member) => boxes[member].height));
    let left = -width / 2;
    for (const member of layer) {
      const box = boxes[member];
      [box.x, box.y] = [left + box.width / 2, top + height / 2];
      left += box.width + 28;
    }
    placed.push({ members: layer, top, bottom: top + height });
    top += height + 56;
  }
  around = { node, members, layers: placed };
  redraw();
}
/** The lines of the neighbourhood: through gaps of the layers between their ends, so that none passes behind a node. */
function linesAround() {
  const { layers } = around;
  const layerOf = new Map(layers.flatMap(({ members }, place) => members.map((member) => [member, place])));
  // Three lines fit between two nodes; beside the outermost, more do.
  const gaps = layers.map(({ members }) => {
    const ends = members.map((member) => [boxes[member].x - boxes[member].width / 2, boxes[member].x + boxes[member].width / 2]);
    const between = ends.slice(1).flatMap(([start], place) => [0, 7, -7].map((shift) => ({ x: (start + ends[place][1]) / 2 + shift, taken: false })));
    const beside = report.arcs.flatMap((_, count) => [{ x: ends[0][0] - 14 - 8 * count, taken: false }, { x: ends[ends.length - 1][1] + 14 + 8 * count, taken: false }]);
    return [...between, ...beside];
  });
  const port = (box, towards) => box.x + Math.min(Math.max((towards - box.x) * 0.3, 8 - box.width / 2), box.width / 2 - 8);
  return report.arcs.map((arc) => {
    if (!isShown(arc.from) || !isShown(arc.to)) return null;
    const [from, to] = [boxes[arc.from], boxes[arc.to]];
    const [first, last] = [layerOf.get(arc.from), layerOf.get(arc.to)];
    const passed = [];
    for (let place = first + 1; place < last; place++) {
      const before = passed[passed.length - 1] ?? from.x;
      const wanted = before + (to.x - before) / (last - place + 1);
      const gap = gaps[place].filter(({ taken }) => !taken).reduce((best, one) => (Math.abs(one.x - wanted) < Math.abs(best.x - wanted) ? one : best));
      gap.taken = true;
      passed.push(gap.x);
    }
    let x = port(from, passed[0] ?? to.x);
    let y = layers[first].bottom;
    let line = `M${x} ${from.y + from.height / 2}V${y}`;
    const tip = { x: port(to, passed[passed.length - 1] ?? from.x), y: to.y - to.height / 2 };
    [...passed, tip.x].forEach((next, place) => {
      const { top, bottom } = layers[first + 1 + place];
      line += `C${x} ${(y + top) / 2} ${next} ${(y + top) / 2} ${next} ${top}`;
      [x, y] = [next, bottom];
      if (place < passed.length) line += `V${bottom}`;
    });
    return { line: `${line}V${tip.y - (arc.directed ? 9 : 0)}`, head: `M${tip.x} ${tip.y}l-6 -12h12Z` };
  });
}
function showWhole() {
  around = null;
  boxes.forEach((box) => Object.assign(box, box.home));
  redraw();
}
/** Moves nodes and arcs to their places and fits the view. */
function redraw() {
  boxes.forEach((box, node) => {
    box.group.setAttribute("transform", `translate(${box.x} ${box.y})`);
    box.group.style.display = isShown(node) ? "" : "none";
  });
  const lines = around === null ? [] : linesAround();
  arcGroups.forEach((group, index) => {
    const arc = report.arcs[index];
    const paths = [...group.querySelectorAll("path")];
    group.style.display = isShown(arc.from) && isShown(arc.to) ? "" : "none";
    if (around === null) return paths.forEach((path, which) => path.setAttribute("d", homePaths[index][which]));
    if (lines[index]) paths.forEach((path) => path.setAttribute("d", path.classList.contains("head") ? lines[index].head : lines[index].line));
  });
  full = extent();
  zoomedIn = startView();
  const note = byId("part");
  note.replaceChildren(...(around === null ? [] : ["Shown: ", make("strong", {}, bdi(names[around.node])), " with its direct links", several || report.arcs.length ? " and the other parents of its children. " : ". ", make("button", { class: "link", click: showWhole }, `Show all ${names.length} variables`)]));
  byId("around").hidden = around !== null || state.opened?.kind !== "node";
}

/** A copy of the figure with all its nodes, also if a neighbourhood is shown. */
function wholeFigure() {
  const copy = figure.cloneNode(true);
  copy.querySelectorAll("[data-node]").forEach((group, node) => {
    group.style.display = "";
    group.setAttribute("transform", `translate(${boxes[node].home.x} ${boxes[node].home.y})`);
  });
  copy.querySelectorAll("[data-arc]").forEach((group, index) => {
    group.style.display = "";
    group.querySelectorAll("path").forEach((path, which) => path.setAttribute("d", homePaths[index][which]));
  });
  [copy, ...copy.querySelectorAll(".near, .selected")].forEach((element) => element.classList.remove("near", "selected", "focused"));
  copy.setAttribute("viewBox", untouched.getAttribute("viewBox"));
  copy.removeAttribute("style");
  return copy;
}

/** The figure as it is seen, as a file of its own: the page's styles become attributes. */
function svgText() {
  const copy = figure.cloneNode(true);
  const [seen, copied] = [figure, copy].map((root) => [root, ...root.querySelectorAll("rect, path, text")]);
  seen.forEach((element, place) => {
    const style = getComputedStyle(element);
    for (const property of ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "font-size", "font-family", "text-anchor"]) copied[place].setAttribute(property, style.getPropertyValue(property));
  });
  copy.querySelectorAll(".near, .selected, .focused").forEach((element) => element.classList.remove("near", "selected", "focused"));
  const { x, y, width, height } = around === null ? untouched.viewBox.baseVal : full;
  if (around !== null) copy.querySelector(".legend")?.remove();
  copy.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.removeAttribute("style");
  return { width, height, text: `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}` };
}
byId("save-svg").addEventListener("click", () => save(`${fileName(report.title)}.svg`, "image/svg+xml", svgText().text));
byId("save-png").addEventListener("click", () => {
  const { width, height, text } = svgText();
  const picture = new Image();
  picture.addEventListener("load", () => {
    // The whole picture, legend included. Twice as fine as the screen, but no larger than browsers can paint.
    const fine = Math.min(2, 8000 / Math.max(width, height));
    const canvas = make("canvas", { width: Math.round(width * fine), height: Math.round(height * fine) });
    const paint = canvas.getContext("2d");
    paint.fillStyle = getComputedStyle(document.body).backgroundColor;
    paint.fillRect(0, 0, canvas.width, canvas.height);
    paint.drawImage(picture, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(`${fileName(report.title)}.png`, "image/png", blob), "image/png");
  });
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
});
