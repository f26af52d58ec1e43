//! A structure as a modelstring, the notation of [`crate::graph::modelstring`].

use super::names::{Rules, safe_variables};
use super::{FormatError, Structure, Written};
use crate::graph::{Dag, modelstring};

/// Any name but the empty one.
const RULES: Rules = Rules { variable: is_given, state: is_given };

fn is_given(name: &str) -> bool {
    !name.is_empty()
}

/// Writes a structure.
pub(super) fn write(names: &[String], dag: &Dag) -> Written {
    let (names, renamed) = safe_variables(names, &RULES);
    Written { text: modelstring::format(dag, &names) + "\n", renamed }
}

/// Reads a structure; nodes come in their order of appearance.
pub(super) fn read(text: &str) -> Result<Structure, FormatError> {
    let (names, dag) = modelstring::parse_free(text)?;
    if names.is_empty() {
        return Err(FormatError::Empty);
    }
    Ok(Structure { names, dag })
}
