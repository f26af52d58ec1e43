"use strict";
// What the other parts need: the data, elements made from text, numbers in words, files to save.
// Text from the data becomes text nodes only; nothing is ever parsed as HTML.

const report = JSON.parse(document.getElementById("report").textContent);
const names = report.variables.map((variable) => variable.name);
const dataSets = report.data_sets.map((dataSet) => dataSet.name);
/** With one data set there is nothing to compare, and nothing is said of it. */
const several = dataSets.length > 1;
const byId = (id) => document.getElementById(id);

/** An element with attributes (or listeners, if they are functions) and children: elements or text. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

const svgTag = "http://www.w3.org/2000/svg";
function draw(tag, attributes, ...children) {
  const element = document.createElementNS(svgTag, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** A number with so many decimals, with a true minus; a dash for what is not known. */
function number(value, decimals = 3) {
  if (value === null || value === undefined) return "–";
  return value.toFixed(decimals).replace("-", "−");
}
const whole = (value) => (value === null || value === undefined ? "–" : value.toLocaleString("en"));
const percent = (share) => `${number(100 * share, share > 0 && share < 0.0995 ? 1 : 0)} %`;
const plural = (count, word, words = word + "s") => `${whole(count)} ${count === 1 ? word : words}`;
const arcName = (arc) => `${names[arc.from]} → ${names[arc.to]}`;
/** What the data sets say of an arc: the score's own terms, or what each adds given the others. */
const evidenceOf = (arc) => arc.by_data_set ?? arc.given_others;
const support = (arc) => (evidenceOf(arc) ? evidenceOf(arc).filter((gain) => gain > 0).length : null);

/** The same scale as that of the figure of the evidence: white at 0, then by the logarithm. */
const most = Math.max(1e-9, ...[...report.arcs, ...(report.explanation?.left_out ?? [])].flatMap((arc) => evidenceOf(arc) ?? []).map(Math.abs));
const share = (gain) => Math.log1p(Math.abs(gain ?? 0)) / Math.log1p(most);

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

/** Rows of a table so many at a time, with a button for more: a page must stay quick with many of them. */
function inPortions(body, count, portion, row) {
  let done = 0;
  const more = make("button", { class: "more", click: () => next(portion) });
  function next(wanted) {
    for (const end = Math.min(count, done + wanted); done < end; done++) body.append(...[row(done)].flat());
    more.hidden = done === count;
    more.textContent = `Show more (${whole(count - done)} left)`;
  }
  next(portion);
  window.addEventListener("beforeprint", () => body.isConnected && count <= 2000 && next(count));
  return more;
}

/** A table in a frame that scrolls by itself. */
function table(caption, head, body, attributes = {}) {
  const all = make("table", attributes, make("caption", {}, caption), make("thead", {}, ...head), body);
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, all);
}
/** A row of column heads; those of numbers begin with a hash, which is not shown. */
const heads = (...cells) => make("tr", {}, ...cells.map((text) => make("th", { scope: "col", class: text.startsWith("#") ? "value" : null }, text.replace("#", ""))));

/** The states of a variable that a data set does not have, in words; that nothing is missing there is no lack. */
function absences(variable) {
  const some = variable.missing.some((count) => count > 0);
  return variable.absent.flatMap((states, place) => {
    const lacking = states.filter((state) => !(some && state === "(missing)"));
    return lacking.length ? [`${dataSets[place]} has no ${lacking.join(", ")}`] : [];
  });
}
