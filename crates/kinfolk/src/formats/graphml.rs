//! Reader and writer for GraphML (yEd, Gephi, igraph, networkx). States and tables are stored as node data.
//!
//! A node's states are a JSON list and its probabilities a JSON list of rows, one row per parent configuration. The parents have
//! the order of the incoming edges; the first varies slowest. A file that has both for every node is a network. Any other file is
//! a structure, whose node names are the `name` data or, without it, the node ids.

use roxmltree::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::json;

use super::draft::{Draft, MOST_VARIABLES, graph};
use super::names::{NAME_FIELD, NamingRules, decode, encode, is_xml, safe_variables};
use super::xml::{self, attribute, child, children, content, escape, line};
use super::{Content, FormatError, Structure, Written};
use crate::data::VariableId;
use crate::estimate::{Network, Relative};
use crate::graph::Dag;

/// Writes a network with its states and tables.
pub(super) fn write(network: &Network, relative: Relative) -> Written {
    let data = |node: VariableId| {
        let states = json!(network.schema().variable(node).states).to_string();
        let rows = json!(network.table_of(node, relative)).to_string();
        vec![("states", visible(&states)), ("probabilities", rows)]
    };
    written(&network.schema().names(), network.dag(), &["states", "probabilities"], data)
}

/// Writes a structure without probabilities.
pub(super) fn write_structure(structure: &Structure) -> Written {
    written(&structure.names, &structure.dag, &[], |_| Vec::new())
}

/// Serialises to JSON and escapes the characters that XML does not allow.
fn visible(json: &str) -> String {
    let letters = json.chars().map(|letter| {
        if is_xml(letter) { letter.to_string() } else { format!("\\u{:04x}", u32::from(letter)) }
    });
    letters.collect()
}

fn written(
    originals: &[String],
    dag: &Dag,
    keys: &[&str],
    data: impl Fn(VariableId) -> Vec<(&'static str, String)>,
) -> Written {
    let (names, renamed) = safe_variables(originals, &NamingRules::XML);
    let mut lines = vec![xml::DECLARATION.to_owned()];
    lines.push("<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">".to_owned());
    for key in ["name", NAME_FIELD].iter().chain(keys) {
        lines.push(format!("  <key id=\"{key}\" for=\"node\" attr.name=\"{key}\" attr.type=\"string\"/>"));
    }
    lines.push("  <graph id=\"network\" edgedefault=\"directed\">".to_owned());
    for node in dag.nodes() {
        let (index, name) = (node.index(), &names[node.index()]);
        lines.push(format!("    <node id=\"n{index}\">"));
        let mut entries = vec![("name", name.clone())];
        if *name != originals[index] {
            entries.push((NAME_FIELD, encode(&originals[index])));
        }
        entries.extend(data(node));
        let entries = entries.iter();
        lines.extend(
            entries.map(|(key, value)| format!("      <data key=\"{key}\">{}</data>", escape(value))),
        );
        lines.push("    </node>".to_owned());
    }
    for node in dag.nodes() {
        for parent in dag.parents(node) {
            let (from, to) = (parent.index(), node.index());
            lines.push(format!("    <edge source=\"n{from}\" target=\"n{to}\"/>"));
        }
    }
    lines.push("  </graph>\n</graphml>\n".to_owned());
    Written { text: lines.join("\n"), renamed }
}

/// A node as declared in the file.
struct NodeData {
    line: usize,
    name: String,
    states: Option<Vec<String>>,
    rows: Option<Vec<Vec<f64>>>,
    parents: Vec<usize>,
}

/// Reads a network or a structure.
pub(super) fn read(text: &str, data_set: &str) -> Result<Content, FormatError> {
    let document = xml::parse(text)?;
    let root = document.root_element();
    let keys: FxHashMap<&str, &str> = children(root, "key")
        .filter_map(|key| Some((key.attribute("id")?, key.attribute("attr.name")?)))
        .collect();
    let graph_element = child(root, "graph")?;
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    let mut entries = Vec::new();
    for node in children(graph_element, "node") {
        let id = attribute(node, "id")?;
        if places.insert(id, entries.len()).is_some() {
            let (line, what) = (line(node), "node".to_owned());
            return Err(FormatError::Duplicate { line, what, name: id.to_owned() });
        }
        if entries.len() == MOST_VARIABLES {
            let (line, what) = (line(node), "the graph".to_owned());
            return Err(FormatError::TooLarge { line, what, most: MOST_VARIABLES, of: "nodes" });
        }
        entries.push(entry(node, id, &keys)?);
    }
    let undirected = graph_element.attribute("edgedefault") == Some("undirected");
    for edge in children(graph_element, "edge") {
        let line = line(edge);
        let directed = edge.attribute("directed").map_or(!undirected, |directed| directed == "true");
        if !directed {
            let what = "an edge without direction".to_owned();
            return Err(FormatError::Unsupported { line, what, instead: "direct all edges" });
        }
        let find = |id: &str| {
            places.get(id).copied().ok_or_else(|| FormatError::Unknown {
                line,
                what: "node".to_owned(),
                name: id.to_owned(),
                known: entries.iter().map(|entry| entry.name.clone()).collect(),
            })
        };
        let (from, to) = (find(attribute(edge, "source")?)?, find(attribute(edge, "target")?)?);
        entries[to].parents.push(from);
    }
    if entries.is_empty() {
        return Err(FormatError::Empty);
    }
    if entries.iter().all(|entry| entry.states.is_some() && entry.rows.is_some()) {
        network(entries, data_set).map(Content::Network)
    } else {
        structure(&entries).map(Content::Structure)
    }
}

fn entry(node: Node, id: &str, keys: &FxHashMap<&str, &str>) -> Result<NodeData, FormatError> {
    let mut entry =
        NodeData { line: line(node), name: id.to_owned(), states: None, rows: None, parents: Vec::new() };
    let mut original = None;
    let mut keys_seen = FxHashSet::default();
    for data in children(node, "data") {
        let key = attribute(data, "key")?;
        if !keys_seen.insert(key) {
            let what = format!("in node `{id}` the key");
            return Err(FormatError::Duplicate { line: line(data), what, name: key.to_owned() });
        }
        let text = content(data);
        let wrong = |expected: &str| FormatError::Syntax {
            line: line(data),
            expected: expected.to_owned(),
            found: format!("`{}`", text.chars().take(40).collect::<String>()),
        };
        match keys.get(key).copied().unwrap_or(key) {
            "name" => entry.name.clone_from(&text),
            NAME_FIELD => original = Some(decode(&text).ok_or_else(|| wrong("a name written by kinfolk"))?),
            "states" => {
                let states = serde_json::from_str(&text).map_err(|_| wrong("a JSON list of states"))?;
                entry.states = Some(states);
            }
            "probabilities" => {
                let rows =
                    serde_json::from_str(&text).map_err(|_| wrong("a JSON list of lists of numbers"))?;
                entry.rows = Some(rows);
            }
            _ => {}
        }
    }
    entry.name = original.unwrap_or(entry.name);
    Ok(entry)
}

fn network(entries: Vec<NodeData>, data_set: &str) -> Result<Network, FormatError> {
    let mut draft = Draft::default();
    for entry in &entries {
        draft.declare(entry.line, entry.name.clone(), entry.states.clone().unwrap_or_default())?;
    }
    for (place, entry) in entries.into_iter().enumerate() {
        let states = draft.variables[place].states.len();
        if let Some(row) = entry.rows.iter().flatten().find(|row| row.len() != states) {
            let what = format!("probabilities in a row of `{}`", entry.name);
            return Err(FormatError::Number {
                line: entry.line,
                what,
                expected: states.to_string(),
                found: row.len(),
            });
        }
        draft.set_table(entry.line, place, entry.parents, entry.rows.unwrap_or_default().concat())?;
    }
    draft.finish(data_set)
}

fn structure(entries: &[NodeData]) -> Result<Structure, FormatError> {
    let names: Vec<String> = entries.iter().map(|entry| entry.name.clone()).collect();
    let mut seen = FxHashSet::default();
    if let Some(twice) = entries.iter().find(|entry| !seen.insert(entry.name.as_str())) {
        let (line, what) = (twice.line, "node".to_owned());
        return Err(FormatError::Duplicate { line, what, name: twice.name.clone() });
    }
    let arcs = entries.iter().enumerate().flat_map(|(to, entry)| {
        entry.parents.iter().map(move |&from| (VariableId::new(from), VariableId::new(to)))
    });
    let dag = graph(&names, arcs.collect())?;
    Ok(Structure { names, dag })
}
