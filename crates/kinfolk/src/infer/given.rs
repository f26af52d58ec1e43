//! The given variables of a query: evidence and interventions.

use super::InferError;
use crate::data::VariableId;
use crate::estimate::Network;

/// Variables with given states, each observed or set by intervention.
///
/// An intervention cuts the arcs into the variable, so that it is not evidence about its causes (Pearl's *do*).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    states: Vec<Option<u32>>,
    set: Vec<bool>,
}

impl Given {
    /// Nothing is given.
    pub fn nothing(network: &Network) -> Self {
        let variables = network.schema().variables().len();
        Self { states: vec![None; variables], set: vec![false; variables] }
    }

    /// Observes the known values of a row.
    ///
    /// # Panics
    /// If the row does not have one value per variable, or has a state that its variable does not have.
    pub fn row(network: &Network, row: &[Option<u32>]) -> Self {
        let schema = network.schema();
        assert_eq!(row.len(), schema.variables().len(), "a row has one value per variable");
        for (id, state) in schema.ids().zip(row) {
            assert!(
                state.is_none_or(|state| (state as usize) < schema.states(id)),
                "a state of the variable"
            );
        }
        Self { states: row.to_vec(), set: vec![false; row.len()] }
    }

    /// Observes a variable.
    ///
    /// # Panics
    /// If the variable does not have the state.
    pub fn observe(&mut self, network: &Network, id: VariableId, state: u32) -> Result<(), InferError> {
        self.give(network, id, state, false)
    }

    /// Sets a variable by intervention.
    ///
    /// # Panics
    /// If the variable does not have the state.
    pub fn set(&mut self, network: &Network, id: VariableId, state: u32) -> Result<(), InferError> {
        self.give(network, id, state, true)
    }

    fn give(&mut self, network: &Network, id: VariableId, state: u32, set: bool) -> Result<(), InferError> {
        assert!((state as usize) < network.schema().states(id), "a state of the variable");
        if self.states[id.index()].is_some() {
            let variable = network.schema().variable(id).name.clone();
            return Err(InferError::GivenTwice { variable });
        }
        self.states[id.index()] = Some(state);
        self.set[id.index()] = set;
        Ok(())
    }

    /// The given state of a variable, if any.
    pub fn state(&self, id: VariableId) -> Option<u32> {
        self.states[id.index()]
    }

    /// Whether a variable is set by intervention.
    pub fn is_set(&self, id: VariableId) -> bool {
        self.set[id.index()]
    }

    /// Removes the given state of a variable.
    pub(super) fn remove(&mut self, id: VariableId) {
        self.states[id.index()] = None;
        self.set[id.index()] = false;
    }

    /// Whether a variable's state is given.
    pub(super) fn is_given(&self, id: VariableId) -> bool {
        self.states[id.index()].is_some()
    }

    /// For every variable, whether it is given; the elimination order depends on this.
    pub(super) fn pattern(&self) -> Vec<bool> {
        self.states.iter().map(Option::is_some).collect()
    }
}
