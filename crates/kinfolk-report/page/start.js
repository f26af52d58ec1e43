// The start: fill the page, make the figure answer to mouse and keys, search, tabs on a phone, sharing.

const narrow = window.matchMedia("(max-width: 1099px)");
const opened = readAddress();
makeBars();
legend();
findings();
compare();
evidence();
sure();
data();
methods();
showGuide();
makePicker();
if (names.length > NEIGHBOURHOOD_ABOVE && opened?.kind !== "arc") showAround(opened?.kind === "node" ? opened.index : busiest());
else redraw();
onChange(showBars);
onChange(showGiven);
onChange(refreshInspector);
showBars();
showGiven();
if (opened?.kind === "node") openNode(opened.index, false);
if (opened?.kind === "arc") openArc(opened.index, false);

/** On a phone one section is seen at a time. */
function showSection(id) {
  document.querySelectorAll("main > section").forEach((section) => section.classList.toggle("current", section.id === id));
  refit();
  document.querySelectorAll("#contents a").forEach((link) => link.setAttribute("aria-current", link.getAttribute("href") === `#${id}`));
}
showSection("findings");
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  if (!link) return;
  const target = byId(link.getAttribute("href").slice(1));
  if (!target) return;
  // The address keeps what is chosen, so links within the page do not change it.
  event.preventDefault();
  showSection(target.closest("main > section")?.id ?? target.id);
  target.scrollIntoView({ block: "start" });
  if (target.hasAttribute("tabindex")) target.focus({ preventScroll: true });
  refit();
});
window.addEventListener("hashchange", () => {
  const next = readAddress();
  changed();
  makePicker();
  if (next?.kind === "node") openNode(next.index, false);
  else if (next?.kind === "arc") openArc(next.index, false);
});
byId("share").addEventListener("click", async () => {
  let words = "Copied: the address of this view";
  try {
    await navigator.clipboard.writeText(location.href);
  } catch {
    words = "Copy the address above: it keeps this view";
  }
  byId("shared").textContent = words;
  setTimeout(() => { byId("shared").textContent = ""; }, 4000);
});
byId("print").addEventListener("click", () => window.print());

figure.setAttribute("role", "group");
figure.querySelectorAll("[data-node], [data-arc]").forEach((element) => {
  const { node, arc } = element.dataset;
  element.setAttribute("tabindex", 0);
  element.setAttribute("role", "button");
  element.setAttribute("aria-label", node === undefined ? `Link ${arcText(report.arcs[arc])}` : `Variable ${isolated(names[node])}`);
});

function openDrawn(event) {
  const drawn = event.target.closest("[data-node], [data-arc]");
  if (!drawn || dragged) return;
  opener = drawn;
  if (drawn.dataset.node !== undefined) openNode(Number(drawn.dataset.node));
  else openArc(Number(drawn.dataset.arc));
}
figure.addEventListener("click", openDrawn);
figure.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  dragged = false;
  openDrawn(event);
});

// What the keyboard comes to is to be seen. A listener on the drawing itself would make it one more stop of the Tab key.
frame.addEventListener("focusin", (event) => {
  const drawn = event.target.closest("[data-node], [data-arc]");
  if (drawn?.matches(":focus-visible")) reveal(drawn);
});

const search = byId("search");
const found = byId("found");
const searchable = [
  ...names.map((name, index) => ({ text: name, words: () => [bdi(name)], open: () => openNode(index), drawn: `[data-node="${index}"]` })),
  ...report.arcs.map((arc, index) => ({ text: `${names[arc.from]} → ${names[arc.to]}`, words: () => arcWords(arc), ends: [arc.from, arc.to], open: () => openArc(index), drawn: `[data-arc="${index}"]` })),
];

/** One way to write arrows, which few keyboards have. */
const plain = (text) => text.toLowerCase().replace(/\s*(->|=>|→|⇒|➔)\s*/g, " → ").replace(/\s+/g, " ").trim();

/** How well something answers what was typed: 0 best, nothing if not at all. Two names, in any order, mean the arc between them. */
function rank({ text, ends }, wanted) {
  const has = plain(text);
  if (has === wanted) return 0;
  if (has.startsWith(wanted)) return 1;
  if (has.includes(wanted)) return 2;
  if (!ends) return null;
  const words = wanted.split(/ → |[\s,;]+/).filter(Boolean);
  if (words.length < 2) return null;
  const [from, to] = ends.map((end) => plain(names[end]));
  // A name may be several words: every way to divide them.
  const between = words.slice(1).map((_, place) => [words.slice(0, place + 1).join(" "), words.slice(place + 1).join(" ")]);
  if (between.some(([first, second]) => from.includes(first) && to.includes(second))) return 3;
  return between.some(([first, second]) => to.includes(first) && from.includes(second)) ? 4 : null;
}

function matches() {
  const wanted = plain(search.value);
  if (!wanted) return [];
  const ranked = searchable.map((item, place) => ({ item, place, rank: rank(item, wanted) })).filter((hit) => hit.rank !== null);
  return ranked.sort((a, b) => a.rank - b.rank || a.place - b.place).map(({ item }) => item);
}

function choose(item) {
  found.hidden = true;
  opener = search;
  showSection("network");
  item.open();
  centre(figure.querySelector(item.drawn));
}

search.addEventListener("input", () => {
  const hits = matches();
  const shown = hits.slice(0, 12).map((item) => make("li", {}, make("button", { click: () => choose(item) }, ...item.words())));
  if (search.value.trim() && !hits.length) shown.push(make("li", { class: "none" }, "No match"));
  if (hits.length > 12) shown.push(make("li", { class: "none" }, `and ${hits.length - 12} more`));
  found.replaceChildren(...shown);
  found.hidden = !shown.length;
});
byId("search").parentElement.addEventListener("keydown", (event) => {
  const buttons = [...found.querySelectorAll("button")];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Enter" && event.target === search && matches().length) choose(matches()[0]);
  else if (step && buttons.length && !found.hidden) {
    const place = buttons.indexOf(document.activeElement) + step;
    (buttons[place] ?? search).focus();
  } else return;
  event.preventDefault();
});
document.addEventListener("click", (event) => {
  if (!event.target.closest(".find")) found.hidden = true;
});
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, select");
  if (event.key === "Escape") {
    if (!found.hidden) {
      found.hidden = true;
      search.focus();
    } else if (state.opened) closeInspector();
    else if (typing) search.blur();
  } else if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    search.focus();
    search.select();
  }
});
