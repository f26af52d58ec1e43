// The figure: zoom, pan, and what is selected in it.

const frame = byId("figure");
const figure = frame.querySelector("svg");
const untouched = figure.cloneNode(true);
/** What is drawn, without the room for the legend, which stands under the figure here. */
const full = (() => {
  const { x, y, width, height } = figure.viewBox.baseVal;
  const boxes = [...figure.querySelectorAll(".arcs, .nodes")].map((group) => group.getBBox()).filter((box) => box.width > 0);
  if (!boxes.length) return { x, y, width, height };
  const [left, top] = [Math.min(...boxes.map((box) => box.x)) - 16, Math.min(...boxes.map((box) => box.y)) - 16];
  return { x: left, y: top, width: Math.max(...boxes.map((box) => box.x + box.width)) + 16 - left, height: Math.max(...boxes.map((box) => box.y + box.height)) + 16 - top };
})();
let view = { ...full };

/** The frame is as high as the figure needs, within what a screen has; small figures are not blown up. */
function fitFrame() {
  setHeight(full.height * Math.min(frame.clientWidth / full.width, 1.3));
}
function setHeight(needed) {
  const most = Math.min(Math.max(0.66 * window.innerHeight, 260), 832);
  figure.style.height = `${Math.round(Math.min(Math.max(needed, 120), most))}px`;
}
/** Letters that are smaller than this at first, in pixels, are not read; on a large screen an overview has its use. */
const readable = () => (frame.clientWidth < 800 ? 8.5 : 6);
/** Shows all, or where names would be too small the part around the node with most arcs. Says whether it is a part. */
function startView() {
  fitFrame();
  show({ ...full });
  let box = figure.getBoundingClientRect();
  if (13 * Math.min(box.width / full.width, box.height / full.height) >= readable()) return false;
  const unit = 13 / 11;
  setHeight(full.height / unit);
  box = figure.getBoundingClientRect();
  const degrees = report.nodes.map((_, index) => report.arcs.filter((arc) => arc.from === index || arc.to === index).length);
  const hub = figure.querySelector(`[data-node="${degrees.indexOf(Math.max(...degrees))}"]`).getBBox();
  const [width, height] = [box.width * unit, box.height * unit];
  // Not beyond the figure's border, where there is nothing to see.
  const within = (middle, size, start, length) => Math.min(Math.max(middle - size / 2, start), Math.max(start + length - size, start - (size - length) / 2));
  show({ x: within(hub.x + hub.width / 2, width, full.x, full.width), y: within(hub.y + hub.height / 2, height, full.y, full.height), width, height });
  return true;
}

function show(next) {
  view = next;
  figure.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
}

const showsAll = () => view.width === full.width && view.height === full.height;
const zoomedIn = startView();
let wide = frame.clientWidth;

/** After the frame's width has changed: all is still all, and a part is as large as before, around the same middle. */
function refit() {
  const before = wide;
  // A phone's bars come and go while it scrolls: only another width is another screen. On paper there may be none.
  if (frame.clientWidth === 0 || frame.clientWidth === before) return;
  wide = frame.clientWidth;
  if (showsAll()) return;
  const width = (view.width * wide) / before;
  show({ ...view, x: view.x + (view.width - width) / 2, width });
}
window.addEventListener("resize", () => {
  if (frame.clientWidth > 0 && frame.clientWidth !== wide && showsAll() && !document.body.classList.contains("open")) fitFrame();
  refit();
});

/** Brings what is not to be seen to the middle. */
function reveal(element) {
  const at = element.getBBox();
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
  const at = element.getBBox();
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
  if (!last) return;
  const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
  if (!dragged && Math.hypot(dx, dy) < 4) return;
  dragged = true;
  frame.setPointerCapture(event.pointerId);
  if (pointers.size === 2) {
    const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
    const before = Math.hypot(last.x - other.x, last.y - other.y);
    const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
    zoom(before / Math.max(after, 1), other.x, other.y);
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

const svgText = () => `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(untouched)}`;
byId("save-svg").addEventListener("click", () => save(`${fileName(report.title)}.svg`, "image/svg+xml", svgText()));
byId("save-png").addEventListener("click", () => {
  const picture = new Image();
  picture.addEventListener("load", () => {
    // Twice as fine as the screen, but no larger than browsers can paint.
    const fine = Math.min(2, 8000 / Math.max(full.width, full.height));
    const canvas = make("canvas", { width: Math.round(full.width * fine), height: Math.round(full.height * fine) });
    const paint = canvas.getContext("2d");
    paint.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--saved-paper");
    paint.fillRect(0, 0, canvas.width, canvas.height);
    paint.drawImage(picture, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(`${fileName(report.title)}.png`, "image/png", blob), "image/png");
  });
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText())}`;
});
