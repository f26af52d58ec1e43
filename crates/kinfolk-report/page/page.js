"use strict";
// What the other parts need: the data, elements made from text, numbers in words, tables, files to save.
// Text from the data becomes text nodes only; nothing is ever parsed as HTML.

const report = JSON.parse(document.getElementById("report").textContent);
/** Numbers written as base64 of little-endian doubles, to keep every bit in little room. */
function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Float64Array(bytes.buffer);
}
for (const { tables } of report.nodes) {
  if (!tables) continue;
  tables.by_data_set = tables.by_data_set.map(unpacked);
  tables.pooled = unpacked(tables.pooled);
  tables.new = unpacked(tables.new);
}
const names = report.variables.map((variable) => variable.name);
const dataSets = report.data_sets.map((dataSet) => dataSet.name);
const placeOf = new Map(names.map((name, index) => [name, index]));
/** With one data set there is nothing to compare, and nothing is said of it. */
const several = dataSets.length > 1;
const hasTables = report.nodes.every((node) => node.tables);
const byId = (id) => document.getElementById(id);

/** An element with attributes (or listeners, if they are functions) and children: elements or text. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}
function draw(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Text without marks that reorder what stands around it: they are shown as the sign for what cannot be shown. */
const visible = (text) => text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
/** A name as an element that does not reorder the text around it, whatever its script. */
const bdi = (text) => make("bdi", {}, visible(text));
/** The same for attributes, which hold text only. */
const isolated = (text) => `\u2068${visible(text)}\u2069`;
/** Parts of a text in right-to-left letters. */
const rightToLeft = /([\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+(?:[\s\d_-]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+)*)/;
/** A text of kinfolk with names in it, as parts that do not reorder each other. */
const prose = (text) => visible(text).split(rightToLeft).map((part, place) => (place % 2 ? make("bdi", {}, part) : part));
const arrow = (arc) => (arc.directed ? "→" : "–");
const arcWords = (arc) => [bdi(names[arc.from]), ` ${arrow(arc)} `, bdi(names[arc.to])];
const arcText = (arc) => `${isolated(names[arc.from])} ${arrow(arc)} ${isolated(names[arc.to])}`;

/** A number with so many decimals, with a true minus; a dash for what is not known. */
function number(value, decimals = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  return value.toFixed(decimals).replace("-", "−");
}
const whole = (value) => (value === null || value === undefined ? "–" : value.toLocaleString("en"));
/** A share for people: more digits only near the ends, and never a rounded certainty. */
function percent(share) {
  if (share > 0 && share < 0.001) return "< 0.1 %";
  if (share < 1 && share > 0.999) return "> 99.9 %";
  const near = Math.min(share, 1 - share);
  return `${number(100 * share, near > 0 && near < 0.0995 ? 1 : 0)} %`;
}
/** Numbers with four digits, or as many as tell them apart. */
function rounded(values) {
  const distinct = (shown) => new Set(shown).size;
  for (let digits = 4; digits < 17; digits++) {
    const shown = values.map((value) => String(Number(Number(value).toPrecision(digits))));
    if (distinct(shown) === distinct(values.map(Number))) return shown;
  }
  return values.map(String);
}
/** The states of a variable for people: the borders of intervals without digits that nobody needs. */
function shortIntervals(states) {
  const border = "-?\\d+(?:\\.\\d+)?(?:e[-+]?\\d+)?";
  const interval = new RegExp(`^(?:(?:<=|>)${border}|\\(${border},${border}\\])$`);
  if (!states.some((state) => interval.test(state))) return states;
  const borders = [...new Set(states.filter((state) => interval.test(state)).flatMap((state) => state.match(new RegExp(border, "g"))))];
  const shown = rounded(borders);
  return states.map((state) => (interval.test(state) ? state.replace(new RegExp(border, "g"), (value) => shown[borders.indexOf(value)]) : state));
}
const shownStates = report.variables.map((variable) => shortIntervals(variable.states));
const plural = (count, word, words = word + "s") => `${whole(count)} ${count === 1 ? word : words}`;
const probability = (value) => (value < 0.001 ? "< 0.001" : value > 0.999 ? "> 0.999" : number(value));
/** Items with commas, the last after "and". */
function listed(items, last = " and ") {
  return items.flatMap((item, place) => [place === 0 ? "" : place === items.length - 1 ? last : ", ", ...[item].flat()]);
}
/** The first few of many names, and how many more there are. */
const some = (items, most = 4) => (items.length > most + 1 ? [...items.slice(0, most), `${items.length - most} more`] : items);

/** What the data sets say of an arc: the score's own terms, or what each adds given the others. */
const evidenceOf = (arc) => arc.by_data_set ?? arc.given_others;
const support = (arc) => (evidenceOf(arc) ? evidenceOf(arc).filter((gain) => gain > 0).length : null);
/** Words for the strength of evidence, a difference of natural logarithms (Kass and Raftery, 1995). */
function strengthWords(gain) {
  const size = Math.abs(gain);
  const word = size < 1 ? "hardly any" : size < 3 ? "some" : size < 5 ? "strong" : "very strong";
  return size < 1 ? "hardly any evidence" : `${word} evidence ${gain > 0 ? "for" : "against"} it`;
}

function save(name, type, content) {
  const link = make("a", { download: name, href: URL.createObjectURL(new Blob([content], { type })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
/** Rows as a CSV file; every text is quoted, so that no name can break a line. */
function saveCsv(name, rows) {
  const cell = (value) => {
    if (value === null || value === undefined) return "";
    return typeof value === "number" ? String(value) : `"${String(value).replaceAll('"', '""')}"`;
  };
  save(name, "text/csv", rows.map((row) => row.map(cell).join(",") + "\r\n").join(""));
}
const fileName = (text) => text.replace(/[^\p{L}\p{N}_.-]+/gu, "_").slice(0, 80) || "kinfolk";
const csvButton = (name, rows) => make("button", { class: "csv", click: () => saveCsv(name, rows()) }, "CSV");

/** Rows of a table so many at a time, with a button for more: a page must stay quick with many of them. */
function inPortions(body, count, portion, row, printed = 5000) {
  let done = 0;
  const more = make("button", { class: "more", click: () => next(portion) });
  function next(wanted) {
    for (const end = Math.min(count, done + wanted); done < end; done++) body.append(...[row(done)].flat());
    more.hidden = done === count;
    more.textContent = `Show more (${whole(count - done)} left)`;
  }
  next(portion);
  window.addEventListener("beforeprint", () => body.isConnected && count <= printed && next(count));
  return more;
}

/** A table in a frame that scrolls by itself. */
function table(caption, head, body, attributes = {}) {
  const all = make("table", attributes, make("caption", {}, caption), make("thead", {}, ...head), body);
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, all);
}
/** A row of column heads; those of numbers begin with a hash, which is not shown. */
const heads = (...cells) => make("tr", {}, ...cells.filter(Boolean).map((text) => make("th", { scope: "col", class: text.startsWith("#") ? "value" : null }, text.replace("#", ""))));
const rowHead = (...content) => make("th", { scope: "row" }, ...content);
const cell = (...content) => make("td", {}, ...content);
const textCell = (...content) => make("td", { class: "text" }, ...content);
/** A number over a bar from 0 to 1. */
function barCell(share, text, attributes = {}) {
  const shown = make("td", { class: "bar", ...attributes }, text);
  shown.style.setProperty("--p", share);
  return shown;
}
/** Technical numbers behind a line that opens them. */
const details = (words, ...content) => make("details", {}, make("summary", {}, words), ...content);
const small = (...content) => make("p", { class: "small" }, ...content);
const headLine = (level, words, ...tools) => make("div", { class: "head" }, make(level, {}, words), make("div", { class: "tools" }, ...tools));

/** The states of a variable that a data set does not have; that nothing is missing there is no lack. */
function absences(index) {
  const variable = report.description.variables[index];
  const missing = variable.missing.some((count) => count > 0);
  const { states } = report.variables[index];
  return variable.absent.flatMap((absent, place) => {
    const lacking = absent.filter((state) => !(missing && state === "(missing)"));
    return lacking.length ? [[bdi(dataSets[place]), " has no ", ...listed(lacking.map((state) => bdi(shownStates[index][states.indexOf(state)] ?? state)), ", ")]] : [];
  });
}
