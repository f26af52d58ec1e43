//! Reader and writer for Graphviz DOT. The format holds the structure without probabilities.
//!
//! The reader accepts one `digraph` with statements such as `a -> b -> c;`, `a -> { b c }` and `"a name" [label="…"];`. It skips
//! attributes. It rejects named subgraphs and ports.

use rustc_hash::FxHashMap;

use super::draft::{MOST_VARIABLES, graph};
use super::names::{NamingRules, safe_variables};
use super::tokens::{Lexicon, Token, Tokens};
use super::{FormatError, Structure, Written};
use crate::data::VariableId;
use crate::graph::Dag;

const LEXICON: Lexicon =
    Lexicon { symbols: "{}[]=;,:->", remarks: &["//", "#"], blocks: true, escapes: true };

/// DOT accepts every name without a NUL character.
const RULES: NamingRules = NamingRules { variable: has_no_zero, state: has_no_zero };

fn has_no_zero(name: &str) -> bool {
    !name.contains('\0')
}

/// Writes a structure as DOT.
pub(super) fn write(names: &[String], dag: &Dag) -> Written {
    let (names, renamed) = safe_variables(names, &RULES);
    let quoted: Vec<String> = names.iter().map(|name| quote(name)).collect();
    let mut lines = vec!["digraph network {".to_owned()];
    lines.extend(quoted.iter().map(|name| format!("  {name};")));
    for node in dag.nodes() {
        let parents = dag.parents(node).iter();
        lines.extend(
            parents.map(|parent| format!("  {} -> {};", quoted[parent.index()], quoted[node.index()])),
        );
    }
    lines.push("}\n".to_owned());
    Written { text: lines.join("\n"), renamed }
}

/// Quotes a name. Backslashes are doubled and newlines become `\n`, so that Graphviz displays the original text.
fn quote(name: &str) -> String {
    let escaped = name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

/// Inverse of [`quote`]. Other escape sequences stay unchanged.
fn unquote(text: &str) -> String {
    let mut name = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            name.push(letter);
            continue;
        }
        match letters.next() {
            Some(plain @ ('\\' | '"')) => name.push(plain),
            Some('n') => name.push('\n'),
            // A backslash at the end of a line continues the line.
            Some('\n') => {}
            other => {
                name.push('\\');
                name.extend(other);
            }
        }
    }
    name
}

/// Reads a structure. Nodes keep their order of first appearance.
pub(super) fn read(text: &str) -> Result<Structure, FormatError> {
    let mut tokens = Tokens::new(text, &LEXICON)?;
    tokens.accept_word("strict");
    if !tokens.accept_word("digraph") {
        return Err(tokens.unexpected("`digraph`, with which directed graphs begin"));
    }
    if !tokens.accept('{') {
        tokens.name("the name of the graph, or `{`")?;
        tokens.expect('{')?;
    }
    let mut nodes = Nodes::default();
    while !tokens.accept('}') {
        if !tokens.accept(';') {
            statement(&mut tokens, &mut nodes)?;
        }
    }
    if tokens.peek().is_some() {
        return Err(tokens.unexpected("the end of the file after one graph"));
    }
    if nodes.names.is_empty() {
        return Err(FormatError::Empty);
    }
    let dag = graph(&nodes.names, nodes.arcs)?;
    Ok(Structure { names: nodes.names, dag })
}

#[derive(Default)]
struct Nodes {
    names: Vec<String>,
    places: FxHashMap<String, usize>,
    arcs: Vec<(VariableId, VariableId)>,
}

impl Nodes {
    fn place(&mut self, line: usize, name: String) -> Result<usize, FormatError> {
        let next = self.names.len();
        if let Some(&place) = self.places.get(&name) {
            return Ok(place);
        }
        if next == MOST_VARIABLES {
            let what = "the graph".to_owned();
            return Err(FormatError::TooLarge { line, what, most: MOST_VARIABLES, of: "nodes" });
        }
        self.names.push(name.clone());
        self.places.insert(name, next);
        Ok(next)
    }
}

fn statement(tokens: &mut Tokens, nodes: &mut Nodes) -> Result<(), FormatError> {
    let line = tokens.line();
    for setting in ["graph", "node", "edge"] {
        if tokens.accept_word(setting) {
            return attributes(tokens);
        }
    }
    if tokens.accept_word("subgraph") {
        let what = "a subgraph".to_owned();
        return Err(FormatError::Unsupported { line, what, instead: "write its nodes and arcs directly" });
    }
    let mark = tokens.mark();
    if tokens.next().is_some() && tokens.accept('=') {
        // A graph attribute, such as `rankdir = LR`.
        tokens.accept('-');
        tokens.name("the value of a setting")?;
        return Ok(());
    }
    tokens.reset(mark);
    let mut from = group(tokens, nodes)?;
    while accept_arrow(tokens)? {
        let to = group(tokens, nodes)?;
        for &parent in &from {
            nodes.arcs.extend(to.iter().map(|&node| (VariableId::new(parent), VariableId::new(node))));
        }
        from = to;
    }
    attributes(tokens)
}

/// Consumes `->` if it is the next token.
fn accept_arrow(tokens: &mut Tokens) -> Result<bool, FormatError> {
    let line = tokens.line();
    if !tokens.accept('-') {
        return Ok(false);
    }
    if tokens.accept('-') {
        let what = "an edge without direction".to_owned();
        return Err(FormatError::Unsupported { line, what, instead: "direct all edges with `->`" });
    }
    tokens.expect('>')?;
    Ok(true)
}

/// Parses one node, or several nodes in braces.
fn group(tokens: &mut Tokens, nodes: &mut Nodes) -> Result<Vec<usize>, FormatError> {
    if !tokens.accept('{') {
        return Ok(vec![node(tokens, nodes)?]);
    }
    let mut places = Vec::new();
    while !tokens.accept('}') {
        if !(tokens.accept(';') || tokens.accept(',')) {
            places.push(node(tokens, nodes)?);
        }
    }
    Ok(places)
}

fn node(tokens: &mut Tokens, nodes: &mut Nodes) -> Result<usize, FormatError> {
    let line = tokens.line();
    let name = match tokens.peek() {
        Some(Token::Quoted(text)) => unquote(text),
        Some(Token::Word(word)) => word.clone(),
        _ => return Err(tokens.unexpected("the name of a node")),
    };
    tokens.next();
    nodes.place(line, name)
}

/// Skips every `[ … ]` attribute list.
fn attributes(tokens: &mut Tokens) -> Result<(), FormatError> {
    while tokens.accept('[') {
        tokens.take_until(']')?;
    }
    Ok(())
}
