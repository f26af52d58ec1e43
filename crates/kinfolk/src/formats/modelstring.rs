//! Reader and writer for modelstrings, the notation of [`crate::graph::modelstring`].

use super::names::{NamingRules, safe_variables};
use super::{FormatError, Structure, Written};
use crate::graph::{Dag, modelstring};

/// A modelstring accepts every non-empty name.
const RULES: NamingRules = NamingRules { variable: is_given, state: is_given };

fn is_given(name: &str) -> bool {
    !name.is_empty()
}

/// Writes a structure as a modelstring.
pub(super) fn write(names: &[String], dag: &Dag) -> Written {
    let (names, renamed) = safe_variables(names, &RULES);
    Written { text: modelstring::format(dag, &names) + "\n", renamed }
}

/// Reads a structure. Nodes keep their order of first appearance.
pub(super) fn read(text: &str) -> Result<Structure, FormatError> {
    let (names, dag) = modelstring::parse_free(text)?;
    if names.is_empty() {
        return Err(FormatError::Empty);
    }
    Ok(Structure { names, dag })
}
