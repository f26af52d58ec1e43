//! Reader and writer for UAI, the format of the inference competitions. It holds numbers and no names.
//!
//! The writer replaces variables and states by their positions and reports every renaming. The reader names variables `X0`, `X1`,
//! … and states `0`, `1`, …. The scope of a function is the parents followed by the child; the last variable varies fastest.

use super::draft::Draft;
use super::names::{NameKind, Renaming};
use super::tokens::{Lexicon, Tokens};
use super::{FormatError, Written, numbers};
use crate::estimate::{Network, Relative};

const LEXICON: Lexicon = Lexicon { symbols: "", remarks: &["#"], blocks: false, escapes: false };

/// The name of a variable that has only a number.
fn variable_name(index: usize) -> String {
    format!("X{index}")
}

/// Writes a network as UAI.
pub(super) fn write(network: &Network, relative: Relative) -> Written {
    let schema = network.schema();
    let sizes: Vec<String> = schema.ids().map(|node| schema.states(node).to_string()).collect();
    let nodes = schema.variables().len().to_string();
    let mut lines = vec!["BAYES".to_owned(), nodes.clone(), sizes.join(" "), nodes];
    for node in schema.ids() {
        let family = network.dag().parents(node).iter().chain([&node]);
        let scope: Vec<String> = family.map(|variable| variable.index().to_string()).collect();
        lines.push(format!("{} {}", scope.len(), scope.join(" ")));
    }
    for node in schema.ids() {
        let table = network.table_of(node, relative);
        lines.push(format!("\n{}", table.values().len()));
        lines.extend(table.rows().map(|row| numbers(row, " ")));
    }
    Written { text: lines.join("\n") + "\n", renamed: renamings(network) }
}

fn renamings(network: &Network) -> Vec<Renaming> {
    let mut renamed = Vec::new();
    for (index, variable) in network.schema().variables().iter().enumerate() {
        let (kind, from) = (NameKind::Variable, variable.name.clone());
        renamed.push(Renaming { kind, variable: None, from, to: variable_name(index) });
        renamed.extend(variable.states.iter().enumerate().map(|(position, state)| Renaming {
            kind: NameKind::State,
            variable: Some(variable.name.clone()),
            from: state.clone(),
            to: position.to_string(),
        }));
    }
    renamed.retain(|renaming| renaming.from != renaming.to);
    renamed
}

/// Reads a network.
pub(super) fn read(text: &str, data_set: &str) -> Result<Network, FormatError> {
    let mut tokens = Tokens::new(text, &LEXICON)?;
    if !tokens.accept_word("BAYES") {
        return Err(tokens.unexpected("`BAYES`, with which networks begin (`MARKOV` is for undirected ones)"));
    }
    let mut draft = Draft::default();
    let variables = tokens.count("the number of variables")?;
    let mut total = 0_usize;
    for index in 0..variables {
        let line = tokens.line();
        let states = tokens.count(&format!("the number of states of variable {index}"))?;
        // Every state needs a probability, so a valid file has more characters than states.
        total = total.saturating_add(states);
        if total > text.len() {
            let what = format!("the network up to variable {index}");
            return Err(FormatError::TooLarge { line, what, most: text.len(), of: "states" });
        }
        draft.declare(line, variable_name(index), (0..states).map(|state| state.to_string()).collect())?;
    }
    let functions = tokens.count("the number of functions")?;
    let mut scopes = Vec::new();
    for _ in 0..functions {
        let line = tokens.line();
        let size = tokens.count("the size of a function's scope")?;
        let mut scope = Vec::new();
        for _ in 0..size {
            let line = tokens.line();
            let variable = tokens.count("the number of a variable")?;
            scope.push(draft.find(line, &variable_name(variable))?);
        }
        let Some(child) = scope.pop() else {
            let what = "variables of a function".to_owned();
            return Err(FormatError::Number { line, what, expected: "at least 1".to_owned(), found: 0 });
        };
        scopes.push((child, scope));
    }
    for (child, parents) in scopes {
        let line = tokens.line();
        let size = tokens.count("the size of a function's table")?;
        let mut values = Vec::new();
        for _ in 0..size {
            values.push(tokens.number()?);
        }
        draft.set_table(line, child, parents, values)?;
    }
    if tokens.peek().is_some() {
        return Err(tokens.unexpected("the end of the file"));
    }
    draft.finish(data_set)
}
