//! Modelstrings: graphs as one line of text, `[A][B|A][C|A:B]`, with one bracket per node and its parents after the bar.
//!
//! The notation is bnlearn's. Names can contain spaces and any Unicode character. The five characters `[`, `]`, `|`, `:` and `\`
//! need a backslash inside a name (`[ratio a\:b]`). White space between brackets is ignored, so that long strings can have line
//! breaks. A name is never empty.

mod error;
mod syntax;

use rustc_hash::{FxHashMap, FxHashSet};

pub use error::ModelstringError;
use syntax::Bracket;

use super::{Dag, GraphError};
use crate::data::VariableId;

/// Formats a graph over nodes with these names (distinct, not empty, in column order).
///
/// Nodes are ordered by depth (the longest path from a root), then by column; parents by column. Equal graphs therefore give
/// equal strings.
///
/// Complexity: that of [`Dag::topological_order`], and linear in the length of the text.
///
/// # Panics
/// If the number of nodes differs from the number of names.
pub fn format<S: AsRef<str>>(dag: &Dag, names: &[S]) -> String {
    assert_eq!(dag.len(), names.len(), "a modelstring needs one name per node");
    let depths = dag.depths();
    let mut nodes: Vec<VariableId> = dag.nodes().collect();
    nodes.sort_by_key(|node| (depths[node.index()], *node));
    let mut text = String::new();
    for node in nodes {
        text.push('[');
        syntax::escape(names[node.index()].as_ref(), &mut text);
        let mut separator = '|';
        for parent in dag.parents(node) {
            text.push(separator);
            syntax::escape(names[parent.index()].as_ref(), &mut text);
            separator = ':';
        }
        text.push(']');
    }
    text
}

/// Parses a graph over nodes with these names (distinct, in column order), each of which must occur once.
///
/// Complexity: linear in the length of the text, and that of [`Dag::from_arcs`].
///
/// ```
/// use kinfolk::graph::modelstring;
///
/// let names = ["rain", "sprinkler", "wet grass"];
/// let dag = modelstring::parse("[wet grass|rain:sprinkler][rain][sprinkler|rain]", &names)?;
/// assert_eq!(modelstring::format(&dag, &names), "[rain][sprinkler|rain][wet grass|rain:sprinkler]");
/// # Ok::<(), modelstring::ModelstringError>(())
/// ```
pub fn parse<S: AsRef<str>>(text: &str, names: &[S]) -> Result<Dag, ModelstringError> {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    resolve(&syntax::read(text)?, &names)
}

/// Parses a graph over the nodes that the text names, in their order of first appearance.
pub fn parse_free(text: &str) -> Result<(Vec<String>, Dag), ModelstringError> {
    let brackets = syntax::read(text)?;
    let names: Vec<&str> = brackets.iter().map(|bracket| bracket.node.name.as_str()).collect();
    let dag = resolve(&brackets, &names)?;
    Ok((names.into_iter().map(String::from).collect(), dag))
}

/// Parses a second graph for a comparison with a first over nodes with these names.
///
/// Like [`parse`], but the error lists all nodes that only one of the two graphs has.
pub fn parse_second<S: AsRef<str>>(text: &str, names: &[S]) -> Result<Dag, ModelstringError> {
    let brackets = syntax::read(text)?;
    let first: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let second: Vec<&str> = brackets.iter().map(|bracket| bracket.node.name.as_str()).collect();
    let only_first = absent_from(&second, &first);
    let only_second = absent_from(&first, &second);
    if !only_first.is_empty() || !only_second.is_empty() {
        return Err(ModelstringError::DifferentNodes { only_first, only_second });
    }
    resolve(&brackets, &first)
}

/// The elements of `names` that are not in `others`.
fn absent_from(others: &[&str], names: &[&str]) -> Vec<String> {
    let others: FxHashSet<&str> = others.iter().copied().collect();
    names.iter().filter(|name| !others.contains(*name)).map(ToString::to_string).collect()
}

/// Resolves names to nodes and validates the graph.
fn resolve(brackets: &[Bracket], names: &[&str]) -> Result<Dag, ModelstringError> {
    let mut ids: FxHashMap<&str, VariableId> = FxHashMap::default();
    for (index, name) in names.iter().enumerate() {
        ids.entry(name).or_insert(VariableId::new(index));
    }
    let known = || names.iter().map(ToString::to_string).collect();
    let mut seen: Vec<Option<usize>> = vec![None; names.len()];
    let mut arcs = Vec::new();
    for Bracket { node, parents } in brackets {
        let &to = ids.get(node.name.as_str()).ok_or_else(|| ModelstringError::UnknownNode {
            node: node.name.clone(),
            position: node.position,
            known: known(),
        })?;
        if let Some(first) = seen[to.index()].replace(node.position) {
            return Err(ModelstringError::DuplicateNode {
                node: node.name.clone(),
                position: node.position,
                first,
            });
        }
        let mut distinct = FxHashSet::default();
        for parent in parents {
            let position = parent.position;
            if parent.name == node.name {
                return Err(ModelstringError::SelfParent { node: node.name.clone(), position });
            }
            let &from = ids.get(parent.name.as_str()).ok_or_else(|| ModelstringError::UnknownParent {
                node: node.name.clone(),
                parent: parent.name.clone(),
                position,
                known: known(),
            })?;
            if !distinct.insert(from) {
                return Err(ModelstringError::DuplicateParent {
                    node: node.name.clone(),
                    parent: parent.name.clone(),
                    position,
                });
            }
            arcs.push((from, to));
        }
    }
    let missing: Vec<String> =
        names.iter().zip(&seen).filter(|(_, at)| at.is_none()).map(|(name, _)| name.to_string()).collect();
    if !missing.is_empty() {
        return Err(ModelstringError::MissingNodes { nodes: missing });
    }
    Dag::from_arcs(names.len(), arcs).map_err(|error| match error {
        GraphError::Cycle { nodes } => ModelstringError::Cycle {
            nodes: nodes.into_iter().map(|node| names[node.index()].to_string()).collect(),
        },
        other => unreachable!("arcs are between known nodes, distinct, and no self-loops: {other}"),
    })
}
