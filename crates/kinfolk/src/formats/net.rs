//! Reader and writer for NET (Hugin): nodes with states, and potentials with nested brackets.
//!
//! The writer uses identifiers, stores readable names as labels and original names in custom attributes. The reader accepts
//! discrete chance nodes with full tables. Brackets in the data only group numbers, so the reader accepts flat data as well.

use super::draft::Draft;
use super::names::{Names, NamingRules};
use super::tokens::{Lexicon, Token, Tokens};
use super::{FormatError, Written, label, numbers};
use crate::data::VariableId;
use crate::estimate::{Network, Relative};

const LEXICON: Lexicon = Lexicon { symbols: "{}()=;|,", remarks: &["%", "//"], blocks: true, escapes: false };

/// Writes a network as NET.
pub(super) fn write(network: &Network, relative: Relative) -> Written {
    let schema = network.schema();
    let names = Names::new(schema, &NamingRules::IDENTIFIERS);
    let mut lines = vec!["net".to_owned(), "{".to_owned(), "}".to_owned()];
    for node in schema.ids() {
        lines.push(format!("node {}", names.variable(node)));
        lines.push("{".to_owned());
        lines.push(format!("  states = (\"{}\");", names.states(node).join("\" \"")));
        lines.extend(label(&schema.variable(node).name).map(|label| format!("  label = \"{label}\";")));
        let fields = names.fields(node).into_iter();
        lines.extend(fields.map(|(field, value)| format!("  {field} = \"{value}\";")));
        lines.push("}".to_owned());
    }
    for node in schema.ids() {
        let parents = network.dag().parents(node);
        let given = if parents.is_empty() { "" } else { " | " };
        let given = format!("{given}{}", names.variables(parents).join(" "));
        lines.push(format!("potential ( {}{given} )", names.variable(node)));
        lines.push("{".to_owned());
        lines.push(format!("  data = {};", nested(network, node, relative)));
        lines.push("}".to_owned());
    }
    Written { text: lines.join("\n") + "\n", renamed: names.renamed }
}

/// The table with one level of brackets per parent, in order, and one for the child.
fn nested(network: &Network, node: VariableId, relative: Relative) -> String {
    let rows = network.table_of(node, relative).rows();
    let mut groups: Vec<String> = rows.map(|row| format!("({})", numbers(row, " "))).collect();
    for &parent in network.dag().parents(node).iter().rev() {
        let size = network.schema().states(parent);
        groups = groups.chunks(size).map(|group| format!("({})", group.concat())).collect();
    }
    groups.concat()
}

/// Reads a network.
pub(super) fn read(text: &str, data_set: &str) -> Result<Network, FormatError> {
    let mut tokens = Tokens::new(text, &LEXICON)?;
    let mut draft = Draft::default();
    let mut potentials = Vec::new();
    while tokens.peek().is_some() {
        if tokens.accept_word("net") {
            tokens.expect('{')?;
            tokens.skip_block()?;
        } else if tokens.accept_word("potential") {
            // Parsed after all nodes are declared.
            potentials.push(tokens.mark());
            tokens.take_until('{')?;
            tokens.skip_block()?;
        } else {
            let line = tokens.line();
            for kind in ["continuous", "decision", "utility", "function", "class"] {
                if tokens.accept_word(kind) {
                    let what = format!("a node of kind `{kind}`");
                    return Err(FormatError::Unsupported {
                        line,
                        what,
                        instead: "take it out of the network first",
                    });
                }
            }
            tokens.accept_word("discrete");
            if !tokens.accept_word("node") {
                return Err(tokens.unexpected("`net`, `node` or `potential`"));
            }
            node(&mut tokens, &mut draft)?;
        }
    }
    for mark in potentials {
        tokens.reset(mark);
        potential(&mut tokens, &mut draft)?;
    }
    draft.finish(data_set)
}

fn node(tokens: &mut Tokens, draft: &mut Draft) -> Result<(), FormatError> {
    let line = tokens.line();
    let name = tokens.name("the name of a node")?;
    tokens.expect('{')?;
    let mut states = None;
    let mut fields = Vec::new();
    while !tokens.accept('}') {
        let line = tokens.line();
        let field = tokens.name("an attribute such as `states`, or `}`")?;
        tokens.expect('=')?;
        if field.eq_ignore_ascii_case("states") {
            tokens.expect('(')?;
            let mut names = Vec::new();
            while !tokens.accept(')') {
                names.push(tokens.name("a state, or `)`")?);
                tokens.accept(',');
            }
            tokens.expect(';')?;
            if states.replace(names).is_some() {
                let what = format!("in node `{name}` the attribute");
                return Err(FormatError::Duplicate { line, what, name: field });
            }
        } else {
            let value = tokens.take_until(';')?;
            if let [Token::Quoted(value)] = value.as_slice() {
                fields.push((line, field, value.clone()));
            }
        }
    }
    let Some(states) = states else {
        let expected = format!("`states = ( … );` in node `{name}`");
        return Err(FormatError::Syntax { line, expected, found: "none".to_owned() });
    };
    let place = draft.declare(line, name, states)?;
    fields.into_iter().try_for_each(|(line, field, value)| draft.restore(place, line, &field, &value))
}

fn potential(tokens: &mut Tokens, draft: &mut Draft) -> Result<(), FormatError> {
    tokens.expect('(')?;
    let line = tokens.line();
    let child = draft.find(line, &tokens.name("the name of a node")?)?;
    let mut parents = Vec::new();
    if !tokens.accept(')') {
        if !tokens.accept('|') {
            let instead = "give one child before the bar";
            return Err(FormatError::Unsupported {
                line,
                what: "a potential of several nodes".to_owned(),
                instead,
            });
        }
        while !tokens.accept(')') {
            parents.push(draft.find(tokens.line(), &tokens.name("the name of a parent, or `)`")?)?);
            tokens.accept(',');
        }
    }
    tokens.expect('{')?;
    let mut values = None;
    while !tokens.accept('}') {
        let line = tokens.line();
        let field = tokens.name("an attribute such as `data`, or `}`")?;
        tokens.expect('=')?;
        if field.eq_ignore_ascii_case("data") {
            let mut numbers = Vec::new();
            while !tokens.accept(';') {
                if !(tokens.accept('(') || tokens.accept(')') || tokens.accept(',')) {
                    numbers.push(tokens.number()?);
                }
            }
            if values.replace((line, numbers)).is_some() {
                let what = format!("in the potential of `{}` the attribute", draft.variables[child].id);
                return Err(FormatError::Duplicate { line, what, name: field });
            }
        } else if field.eq_ignore_ascii_case("model_data") {
            let what = format!("the formula for `{}`", draft.variables[child].id);
            return Err(FormatError::Unsupported {
                line,
                what,
                instead: "have the table generated and saved",
            });
        } else {
            tokens.take_until(';')?;
        }
    }
    match values {
        Some((line, values)) => draft.set_table(line, child, parents, values),
        None => Err(FormatError::NoTable { line, name: draft.variables[child].id.clone() }),
    }
}
