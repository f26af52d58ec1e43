//! Looks up variables, states and relatives by name.

use super::InferError;
use crate::data::{Coding, VariableId};
use crate::estimate::{Network, Relative};

/// The variable with this name.
pub fn find_variable(network: &Network, name: &str) -> Result<VariableId, InferError> {
    let schema = network.schema();
    schema
        .find(name)
        .ok_or_else(|| InferError::UnknownVariable { name: name.to_owned(), variables: schema.names() })
}

/// The state that a text denotes: the same spelling, the same number or, for interval states, the interval that contains the
/// number.
pub fn find_state(network: &Network, variable: VariableId, text: &str) -> Result<u32, InferError> {
    let variable = network.schema().variable(variable);
    Coding::new(&variable.states).find(text).ok_or_else(|| InferError::UnknownState {
        variable: variable.name.clone(),
        state: text.to_owned(),
        states: variable.states.clone(),
    })
}

/// The relative with this name: a data set, `pooled` or `new`.
pub fn find_relative(network: &Network, name: &str) -> Result<Relative, InferError> {
    network.find_relative(name).ok_or_else(|| InferError::UnknownRelative {
        name: name.to_owned(),
        relatives: network.relatives().map(|relative| network.relative_name(relative).to_owned()).collect(),
    })
}
