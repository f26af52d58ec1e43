//! Reader and writer for BIF, the interchange format of the Bayesian network repository.
//!
//! The writer uses identifiers, `table` for variables without parents and one row per configuration for the others. It stores
//! original names in properties. The reader accepts the files of the repository, bnlearn, pgmpy, pyAgrum and JavaBayes: comments,
//! properties, quoted names, names of several words, `default` rows, and `table` with parents, in which the child varies slowest.

use super::draft::Draft;
use super::names::{Names, NamingRules};
use super::table_builder::TableBuilder;
use super::tokens::{Lexicon, Token, Tokens};
use super::{FormatError, Written, numbers};
use crate::estimate::{Network, Relative};

const LEXICON: Lexicon = Lexicon { symbols: "{}()[],;|", remarks: &["//"], blocks: true, escapes: false };

/// Writes a network as BIF.
pub(super) fn write(network: &Network, relative: Relative) -> Written {
    let names = Names::new(network.schema(), &NamingRules::IDENTIFIERS);
    let mut lines = vec!["network unknown {".to_owned(), "}".to_owned()];
    for node in network.schema().ids() {
        let states = names.states(node);
        lines.push(format!("variable {} {{", names.variable(node)));
        lines.push(format!("  type discrete [ {} ] {{ {} }};", states.len(), states.join(", ")));
        let fields = names.fields(node).into_iter();
        lines.extend(fields.map(|(field, value)| format!("  property {field} = \"{value}\";")));
        lines.push("}".to_owned());
    }
    for node in network.schema().ids() {
        let parents = network.dag().parents(node);
        let table = network.table_of(node, relative);
        let name = names.variable(node);
        if parents.is_empty() {
            lines.push(format!("probability ( {name} ) {{"));
            lines.push(format!("  table {};", numbers(table.values(), ", ")));
        } else {
            lines.push(format!("probability ( {name} | {} ) {{", names.variables(parents).join(", ")));
            let configurations = super::configurations(&names, parents);
            for (configuration, row) in configurations.iter().zip(table.rows()) {
                lines.push(format!("  ({}) {};", configuration.join(", "), numbers(row, ", ")));
            }
        }
        lines.push("}".to_owned());
    }
    Written { text: lines.join("\n") + "\n", renamed: names.renamed }
}

/// Reads a network.
pub(super) fn read(text: &str, data_set: &str) -> Result<Network, FormatError> {
    let mut tokens = Tokens::new(text, &LEXICON)?;
    let mut draft = Draft::default();
    let mut tables = Vec::new();
    while tokens.peek().is_some() {
        if tokens.accept_word("network") {
            words_until(&mut tokens, '{', "the name of the network")?;
            tokens.skip_block()?;
        } else if tokens.accept_word("variable") {
            variable(&mut tokens, &mut draft)?;
        } else if tokens.accept_word("probability") {
            // Parsed after all variables are declared.
            tables.push(tokens.mark());
            tokens.take_until('{')?;
            tokens.skip_block()?;
        } else {
            return Err(tokens.unexpected("`network`, `variable` or `probability`"));
        }
    }
    for mark in tables {
        tokens.reset(mark);
        probability(&mut tokens, &mut draft)?;
    }
    draft.finish(data_set)
}

/// Parses one or several words up to a symbol and joins them with spaces.
fn words_until(tokens: &mut Tokens, end: char, what: &str) -> Result<String, FormatError> {
    let mut words = Vec::new();
    while !tokens.accept(end) {
        words.push(tokens.name(what)?);
    }
    Ok(words.join(" "))
}

fn variable(tokens: &mut Tokens, draft: &mut Draft) -> Result<(), FormatError> {
    let line = tokens.line();
    let name = words_until(tokens, '{', "the name of a variable, or `{`")?;
    let mut states = None;
    let mut properties = Vec::new();
    while !tokens.accept('}') {
        let line = tokens.line();
        if tokens.accept_word("type") {
            if states.replace(kind(tokens, &name)?).is_some() {
                let what = format!("in variable `{name}` the attribute");
                return Err(FormatError::Duplicate { line, what, name: "type".to_owned() });
            }
        } else if tokens.accept_word("property") {
            properties.push((line, tokens.take_until(';')?));
        } else {
            return Err(tokens.unexpected("`type`, `property` or `}`"));
        }
    }
    let Some(states) = states else {
        let expected = format!("`type discrete [ … ] {{ … }};` in variable `{name}`");
        return Err(FormatError::Syntax { line, expected, found: "none".to_owned() });
    };
    let place = draft.declare(line, name, states)?;
    for (line, property) in properties {
        if let [Token::Word(field), Token::Word(equals), Token::Quoted(value)] = property.as_slice()
            && equals == "="
        {
            draft.restore(place, line, field, value)?;
        }
    }
    Ok(())
}

/// Parses the declaration after `type`. States are separated by commas or, in old files, by whitespace.
fn kind(tokens: &mut Tokens, name: &str) -> Result<Vec<String>, FormatError> {
    let line = tokens.line();
    if !tokens.accept_word("discrete") {
        let Some(Token::Word(kind)) = tokens.next() else {
            return Err(tokens.unexpected("`discrete`"));
        };
        let what = format!("the type `{kind}` of variable `{name}`");
        return Err(FormatError::Unsupported { line, what, instead: "discretise the variable first" });
    }
    tokens.expect('[')?;
    let declared = tokens.count("the number of states")?;
    tokens.expect(']')?;
    tokens.expect('{')?;
    let mut items: Vec<Vec<String>> = vec![Vec::new()];
    while !tokens.accept('}') {
        if tokens.accept(',') {
            items.push(Vec::new());
        } else if let Some(item) = items.last_mut() {
            item.push(tokens.name("a state")?);
        }
    }
    tokens.accept(';');
    items.retain(|item| !item.is_empty());
    let states: Vec<String> = if items.len() == declared {
        items.iter().map(|words| words.join(" ")).collect()
    } else {
        items.concat()
    };
    if states.len() == declared {
        return Ok(states);
    }
    let what = format!("states of variable `{name}`");
    Err(FormatError::Number { line, what, expected: declared.to_string(), found: states.len() })
}

/// Parses a child with its parents: `( child | parent, parent )`, or in old files `( child parent parent )`.
fn family(tokens: &mut Tokens, draft: &Draft) -> Result<(usize, Vec<usize>), FormatError> {
    tokens.expect('(')?;
    let line = tokens.line();
    let mut items: Vec<Vec<String>> = vec![Vec::new()];
    while !tokens.accept(')') {
        if tokens.accept(',') || tokens.accept('|') {
            items.push(Vec::new());
        } else if let Some(item) = items.last_mut() {
            item.push(tokens.name("the name of a variable, or `)`")?);
        }
    }
    let mut places = Vec::new();
    for words in items {
        let joined = words.join(" ");
        if words.len() < 2 || draft.knows(&joined) {
            places.push(draft.find(line, &joined)?);
        } else {
            for word in words {
                places.push(draft.find(line, &word)?);
            }
        }
    }
    let parents = places.split_off(1);
    Ok((places[0], parents))
}

fn probability(tokens: &mut Tokens, draft: &mut Draft) -> Result<(), FormatError> {
    let line = tokens.line();
    let (child, parents) = family(tokens, draft)?;
    tokens.expect('{')?;
    let mut rows = TableBuilder::new(draft, line, child, parents)?;
    while !tokens.accept('}') {
        let line = tokens.line();
        if tokens.accept_word("table") {
            let values = tokens.numbers_until(';')?;
            tokens.expect('}')?;
            rows.expect_empty(draft, line)?;
            let parents = rows.parents().to_vec();
            let values = child_fastest(&values, draft.variables[child].states.len());
            return draft.set_table(line, child, parents, values);
        } else if tokens.accept_word("default") {
            let values = tokens.numbers_until(';')?;
            rows.fill_others(draft, line, values)?;
        } else if tokens.accept_word("property") {
            tokens.take_until(';')?;
        } else if tokens.accept('(') {
            let configuration = configuration(tokens, draft, rows.parents())?;
            let values = tokens.numbers_until(';')?;
            rows.fill(draft, line, &configuration, &values)?;
        } else {
            return Err(tokens.unexpected("`table`, `default`, `property`, `(` or `}`"));
        }
    }
    rows.finish(draft, line)
}

/// Parses the states of the parents up to the closing bracket, as indices.
fn configuration(tokens: &mut Tokens, draft: &Draft, parents: &[usize]) -> Result<Vec<usize>, FormatError> {
    let line = tokens.line();
    let mut items: Vec<Vec<String>> = vec![Vec::new()];
    while !tokens.accept(')') {
        if tokens.accept(',') {
            items.push(Vec::new());
        } else if let Some(item) = items.last_mut() {
            item.push(tokens.name("the state of a parent, or `)`")?);
        }
    }
    let names: Vec<String> = if items.len() == parents.len() {
        items.iter().map(|words| words.join(" ")).collect()
    } else {
        items.concat()
    };
    let mut positions = Vec::new();
    for (index, name) in names.into_iter().enumerate() {
        let Some(&parent) = parents.get(index) else {
            // One state too many; filling the row reports the wrong number.
            positions.push(0);
            continue;
        };
        let parent = &draft.variables[parent];
        let position = parent.states.iter().position(|state| *state == name);
        positions.push(position.ok_or_else(|| FormatError::Unknown {
            line,
            what: format!("state of `{}` called", parent.id),
            name,
            known: parent.states.clone(),
        })?);
    }
    Ok(positions)
}

/// Transposes a table whose child varies slowest into one whose child varies fastest.
fn child_fastest(values: &[f64], states: usize) -> Vec<f64> {
    let rows = values.len() / states;
    if rows * states != values.len() {
        // The size is wrong; the caller reports it.
        return values.to_vec();
    }
    (0..rows).flat_map(|row| (0..states).map(move |state| values[state * rows + row])).collect()
}
