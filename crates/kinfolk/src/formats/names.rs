//! Maps names to those that other programs can read, and restores the original names.
//!
//! Most formats restrict names: no spaces, no quotes, no characters beyond ASCII. A name that a format does not allow is replaced
//! by a unique safe name, and the replacement is reported. If the format has a field for remarks, the writer stores the original
//! name there. It is encoded with letters, digits, `_`, `.`, `-`, and `%XX` for all other bytes, which every program preserves.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use crate::data::{Schema, VariableId};

/// The field that stores a variable's original name.
pub(super) const NAME_FIELD: &str = "kinfolk_name";

/// The field that stores the original names of a variable's states, separated by spaces.
pub(super) const STATES_FIELD: &str = "kinfolk_states";

/// The kind of object that was renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NameKind {
    /// A variable.
    Variable,
    /// A state of a variable.
    State,
}

/// A name that a format does not allow, and its replacement in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Renaming {
    /// The kind of object that was renamed.
    pub kind: NameKind,
    /// The variable of a renamed state; `None` for a renamed variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// The original name.
    pub from: String,
    /// The name in the file.
    pub to: String,
}

/// The naming rules of a format.
pub(super) struct NamingRules {
    pub(super) variable: fn(&str) -> bool,
    pub(super) state: fn(&str) -> bool,
}

impl NamingRules {
    /// Identifiers for variables; states can also be integers and contain points and hyphens.
    pub(super) const IDENTIFIERS: Self = Self { variable: is_identifier, state: is_label };

    /// Identifiers for variables and states.
    pub(super) const STRICT: Self = Self { variable: is_identifier, state: is_identifier };

    /// Every text that an XML element preserves.
    pub(super) const XML: Self = Self { variable: is_xml_text, state: is_xml_text };
}

/// Keywords of the formats; some readers treat them as keywords in any position.
const RESERVED: [&str; 24] = [
    "belief",
    "class",
    "continuous",
    "data",
    "decision",
    "default",
    "digraph",
    "discrete",
    "edge",
    "function",
    "graph",
    "net",
    "network",
    "node",
    "potential",
    "probability",
    "property",
    "states",
    "strict",
    "subgraph",
    "table",
    "type",
    "utility",
    "variable",
];

fn is_word(name: &str, also: &str) -> bool {
    name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || also.contains(letter))
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && is_word(name, "")
        && !RESERVED.contains(&name.to_ascii_lowercase().as_str())
}

/// Words, possibly with points and hyphens, and numbers that no reader parses as decimals: pyAgrum fails on `0.5` and `1e5`.
fn is_label(name: &str) -> bool {
    let after_digits = name.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let good = if after_digits.len() < name.len() {
        is_word(name, "") && !after_digits.starts_with(['e', 'E'])
    } else {
        name.starts_with(|letter: char| letter.is_ascii_alphabetic()) && is_word(name, ".-")
    };
    good && !RESERVED.contains(&name.to_ascii_lowercase().as_str())
}

/// Whether XML preserves the text and no reader trims it.
pub(super) fn is_xml_text(name: &str) -> bool {
    !name.is_empty()
        && name.trim() == name
        && name.chars().all(|letter| !letter.is_control() && is_xml(letter))
}

/// Whether XML allows the character.
pub(super) fn is_xml(letter: char) -> bool {
    !matches!(letter, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// The names of a schema in the file.
pub(super) struct Names<'a> {
    schema: &'a Schema,
    pub(super) variables: Vec<String>,
    pub(super) states: Vec<Vec<String>>,
    pub(super) renamed: Vec<Renaming>,
}

impl<'a> Names<'a> {
    /// Applies the naming rules of a format. Valid names stay; the others are mapped in column order.
    pub(super) fn new(schema: &'a Schema, rules: &NamingRules) -> Self {
        let originals = schema.names();
        let (variables, mut renamed) = safe_variables(&originals, rules);
        let mut states = Vec::new();
        for variable in schema.variables() {
            let safe = safe_names(&variable.states, rules.state, "s");
            let changes = variable.states.iter().zip(&safe).filter(|(from, to)| from != to);
            renamed.extend(changes.map(|(from, to)| Renaming {
                kind: NameKind::State,
                variable: Some(variable.name.clone()),
                from: from.clone(),
                to: to.clone(),
            }));
            states.push(safe);
        }
        Self { schema, variables, states, renamed }
    }

    /// The name of a variable in the file.
    pub(super) fn variable(&self, id: VariableId) -> &str {
        &self.variables[id.index()]
    }

    /// The names of several variables in the file.
    pub(super) fn variables(&self, ids: &[VariableId]) -> Vec<&str> {
        ids.iter().map(|&id| self.variable(id)).collect()
    }

    /// The state names of a variable in the file.
    pub(super) fn states(&self, id: VariableId) -> &[String] {
        &self.states[id.index()]
    }

    /// The fields and values from which a reader restores a variable; empty if nothing was renamed.
    pub(super) fn fields(&self, id: VariableId) -> Vec<(&'static str, String)> {
        let original = self.schema.variable(id);
        let mut fields = Vec::new();
        if original.name != self.variable(id) {
            fields.push((NAME_FIELD, encode(&original.name)));
        }
        if original.states != self.states(id) {
            let states: Vec<String> = original.states.iter().map(|state| encode(state)).collect();
            fields.push((STATES_FIELD, states.join(" ")));
        }
        fields
    }
}

/// Maps the names of variables and records the renamings.
pub(super) fn safe_variables(originals: &[String], rules: &NamingRules) -> (Vec<String>, Vec<Renaming>) {
    let safe = safe_names(originals, rules.variable, "v");
    let changes = originals.iter().zip(&safe).filter(|(from, to)| from != to);
    let renamed = changes.map(|(from, to)| Renaming {
        kind: NameKind::Variable,
        variable: None,
        from: from.clone(),
        to: to.clone(),
    });
    let renamed = renamed.collect();
    (safe, renamed)
}

/// Keeps valid names. Replaces invalid characters in the others by `_` and appends a number if the result is not unique.
fn safe_names(originals: &[String], is_good: fn(&str) -> bool, stem: &str) -> Vec<String> {
    let good: Vec<&String> = originals.iter().filter(|name| is_good(name)).collect();
    let mut taken: FxHashSet<String> = good.into_iter().cloned().collect();
    let mut kept: FxHashSet<&str> = FxHashSet::default();
    let mut numbers: FxHashMap<String, usize> = FxHashMap::default();
    originals
        .iter()
        .map(|original| {
            if is_good(original) && kept.insert(original) {
                return original.clone();
            }
            let plain = plain_name(original, is_good, stem);
            let number = numbers.entry(plain.clone()).or_insert(1);
            let mut name = plain.clone();
            while !taken.insert(name.clone()) {
                *number += 1;
                name = format!("{plain}_{number}");
            }
            name
        })
        .collect()
}

/// The letters, digits and underscores of a name, with a prefix where they alone are invalid. An interval never becomes a bare
/// number, which could be mistaken for a value in another interval.
fn plain_name(original: &str, is_good: fn(&str) -> bool, stem: &str) -> String {
    let signs = [
        ("<=", "le"),
        (">=", "ge"),
        ("≤", "le"),
        ("≥", "ge"),
        ("<", "lt"),
        (">", "gt"),
        ("(", stem),
        ("[", stem),
    ];
    let sign = signs.iter().find_map(|(sign, word)| Some((*word, original.strip_prefix(sign)?)));
    if let Some((word, rest)) =
        sign.filter(|(_, rest)| rest.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '-'))
    {
        return format!("{word}_{}", plain_name(rest, |_| true, stem));
    }
    let words =
        original.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let plain = words.collect::<Vec<_>>().join("_");
    match plain.as_str() {
        "" => stem.to_owned(),
        good if is_good(good) => plain,
        _ => format!("{stem}_{plain}"),
    }
}

/// Encodes a name with letters, digits, `_`, `.`, `-`, and `%XX` for every other byte. The empty name becomes a single `%`.
pub(super) fn encode(name: &str) -> String {
    if name.is_empty() {
        return "%".to_owned();
    }
    let letters = name.bytes().map(|byte| match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'.' | b'-' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    });
    letters.collect()
}

/// Inverse of [`encode`]; `None` if the text is not a valid encoding.
pub(super) fn decode(text: &str) -> Option<String> {
    if text == "%" {
        return Some(String::new());
    }
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let mut digit =
                || char::from(rest.next()?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
            let (high, low) = (digit()?, digit()?);
            bytes.push(high * 16 + low);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn valid_names_stay_and_replacements_never_collide() {
        let names = owned(&["a b", "a_b", "a\nb", "1", "", "é", "node", "a_b_2", "v", "_x"]);
        let (safe, renamed) = safe_variables(&names, &NamingRules::IDENTIFIERS);
        assert_eq!(safe, owned(&["a_b_3", "a_b", "a_b_4", "v_1", "v_2", "v_3", "v_node", "a_b_2", "v", "x"]));
        assert_eq!(renamed.len(), 7);
    }

    #[test]
    fn states_may_be_integers_but_not_decimals() {
        let states = owned(&["0", "007", "1a", "a-b.c", "0.5", "1e5", "5-12", "-1", "Data"]);
        let safe = owned(&["0", "007", "1a", "a-b.c", "0_5", "s_1e5", "5_12", "1", "s_Data"]);
        assert_eq!(safe_names(&states, is_label, "s"), safe);
    }

    #[test]
    fn encoded_names_are_decoded() {
        for name in ["", "%", "a b", "é\n\0", "<script>", "100%", "plain"] {
            let encoded = encode(name);
            assert!(!encoded.is_empty() && is_word(&encoded, ".-%"), "{encoded}");
            assert_eq!(decode(&encoded).as_deref(), Some(name));
        }
        assert_eq!([decode("%4"), decode("%zz"), decode("%FF")], [None, None, None]);
    }
}
