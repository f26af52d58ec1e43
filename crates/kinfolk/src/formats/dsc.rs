//! Reader and writer for DSC (Microsoft Belief Networks). It resembles BIF, but indexes rows by state numbers from 0.
//!
//! The format has no field that every other program ignores, so the file does not store original names; the renamings list the
//! replacements. The node attribute `name` holds a readable name.

use super::draft::Draft;
use super::names::{Names, NamingRules};
use super::table_builder::TableBuilder;
use super::tokens::{Lexicon, Tokens};
use super::{FormatError, Written, label, numbers};
use crate::estimate::{Network, Relative};

const LEXICON: Lexicon = Lexicon { symbols: "{}()[],;:|=", remarks: &["//"], blocks: true, escapes: false };

/// Writes a network as DSC.
pub(super) fn write(network: &Network, relative: Relative) -> Written {
    let schema = network.schema();
    let names = Names::new(schema, &NamingRules::IDENTIFIERS);
    let mut lines = vec!["belief network \"unknown\"".to_owned()];
    for node in schema.ids() {
        let states = names.states(node);
        lines.push(format!("node {} {{", names.variable(node)));
        lines.extend(label(&schema.variable(node).name).map(|label| format!("  name : \"{label}\";")));
        lines.push(format!("  type : discrete [ {} ] = {{ \"{}\" }};", states.len(), states.join("\", \"")));
        lines.push("}".to_owned());
    }
    for node in schema.ids() {
        let parents = network.dag().parents(node);
        let table = network.table_of(node, relative);
        let name = names.variable(node);
        if parents.is_empty() {
            lines.push(format!("probability ( {name} ) {{"));
            lines.push(format!("  {};", numbers(table.values(), ", ")));
        } else {
            lines.push(format!("probability ( {name} | {} ) {{", names.variables(parents).join(", ")));
            let sizes: Vec<usize> = parents.iter().map(|&parent| schema.states(parent)).collect();
            for (index, row) in table.rows().enumerate() {
                let positions: Vec<String> = positions(index, &sizes).iter().map(usize::to_string).collect();
                lines.push(format!("  ({}) : {};", positions.join(", "), numbers(row, ", ")));
            }
        }
        lines.push("}".to_owned());
    }
    Written { text: lines.join("\n") + "\n", renamed: names.renamed }
}

/// The state numbers of the parents in a row; the first parent varies slowest.
fn positions(mut row: usize, sizes: &[usize]) -> Vec<usize> {
    let mut positions = vec![0; sizes.len()];
    for (position, size) in positions.iter_mut().zip(sizes).rev() {
        *position = row % size;
        row /= size;
    }
    positions
}

/// Reads a network.
pub(super) fn read(text: &str, data_set: &str) -> Result<Network, FormatError> {
    let mut tokens = Tokens::new(text, &LEXICON)?;
    let mut draft = Draft::default();
    let mut tables = Vec::new();
    while tokens.peek().is_some() {
        if tokens.accept_word("belief") {
            if !tokens.accept_word("network") {
                return Err(tokens.unexpected("`network`"));
            }
            if matches!(tokens.peek(), Some(super::tokens::Token::Quoted(_))) {
                tokens.next();
            }
        } else if tokens.accept_word("properties") {
            tokens.expect('{')?;
            tokens.skip_block()?;
        } else if tokens.accept_word("node") {
            node(&mut tokens, &mut draft)?;
        } else if tokens.accept_word("probability") {
            // Parsed after all nodes are declared.
            tables.push(tokens.mark());
            tokens.take_until('{')?;
            tokens.skip_block()?;
        } else {
            return Err(tokens.unexpected("`belief network`, `node` or `probability`"));
        }
    }
    for mark in tables {
        tokens.reset(mark);
        probability(&mut tokens, &mut draft)?;
    }
    draft.finish(data_set)
}

fn node(tokens: &mut Tokens, draft: &mut Draft) -> Result<(), FormatError> {
    let line = tokens.line();
    let name = tokens.name("the name of a node")?;
    tokens.expect('{')?;
    let mut states = None;
    while !tokens.accept('}') {
        let line = tokens.line();
        if !tokens.accept_word("type") {
            tokens.take_until(';')?;
            continue;
        }
        tokens.accept(':');
        if !tokens.accept_word("discrete") {
            let what = format!("the type of node `{name}`");
            return Err(FormatError::Unsupported { line, what, instead: "discretise the variable first" });
        }
        tokens.expect('[')?;
        let declared = tokens.count("the number of states")?;
        tokens.expect(']')?;
        tokens.expect('=')?;
        tokens.expect('{')?;
        let mut names = Vec::new();
        while !tokens.accept('}') {
            names.push(tokens.name("a state, or `}`")?);
            tokens.accept(',');
        }
        tokens.accept(';');
        if names.len() != declared {
            let what = format!("states of node `{name}`");
            return Err(FormatError::Number {
                line,
                what,
                expected: declared.to_string(),
                found: names.len(),
            });
        }
        if states.replace(names).is_some() {
            let what = format!("in node `{name}` the attribute");
            return Err(FormatError::Duplicate { line, what, name: "type".to_owned() });
        }
    }
    let Some(states) = states else {
        let expected = format!("`type : discrete [ … ] = {{ … }};` in node `{name}`");
        return Err(FormatError::Syntax { line, expected, found: "none".to_owned() });
    };
    draft.declare(line, name, states).map(|_| ())
}

fn probability(tokens: &mut Tokens, draft: &mut Draft) -> Result<(), FormatError> {
    tokens.expect('(')?;
    let line = tokens.line();
    let child = draft.find(line, &tokens.name("the name of a node")?)?;
    let mut parents = Vec::new();
    if !tokens.accept(')') {
        tokens.expect('|')?;
        while !tokens.accept(')') {
            parents.push(draft.find(tokens.line(), &tokens.name("the name of a parent, or `)`")?)?);
            tokens.accept(',');
        }
    }
    tokens.expect('{')?;
    let mut rows = TableBuilder::new(draft, line, child, parents)?;
    while !tokens.accept('}') {
        let line = tokens.line();
        if tokens.accept_word("function") {
            let what = format!("the function of `{}`", draft.variables[child].id);
            return Err(FormatError::Unsupported { line, what, instead: "give the full table" });
        }
        if tokens.accept_word("default") {
            tokens.accept(':');
            let values = tokens.numbers_until(';')?;
            rows.fill_others(draft, line, values)?;
            continue;
        }
        let mut configuration = Vec::new();
        if tokens.accept('(') {
            while !tokens.accept(')') {
                configuration.push(tokens.count("the number of a parent's state, counted from 0")?);
                tokens.accept(',');
            }
            tokens.accept(':');
        }
        let values = tokens.numbers_until(';')?;
        rows.fill(draft, line, &configuration, &values)?;
    }
    rows.finish(draft, line)
}
