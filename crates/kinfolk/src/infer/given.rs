//! What is given in a question: variables observed, and variables set by intervention.

use super::InferError;
use crate::data::VariableId;
use crate::estimate::Network;

/// Variables whose states are given, each observed or set.
///
/// Observing tells about causes; setting a variable cuts the arcs into it, so that it tells nothing about them (Pearl's *do*).
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

    /// A row's values are observed, as far as they are known.
    ///
    /// # Panics
    /// If the row has not one value per variable, or a state that its variable does not have.
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

    /// The given state of a variable, if there is one.
    pub fn state(&self, id: VariableId) -> Option<u32> {
        self.states[id.index()]
    }

    /// Whether a variable was set by intervention.
    pub fn is_set(&self, id: VariableId) -> bool {
        self.set[id.index()]
    }

    /// Takes back what was said about a variable.
    pub(super) fn forget(&mut self, id: VariableId) {
        self.states[id.index()] = None;
        self.set[id.index()] = false;
    }

    /// Whether a variable's state is given.
    pub(super) fn is_given(&self, id: VariableId) -> bool {
        self.states[id.index()].is_some()
    }

    /// For every variable, whether it is given: what an order of elimination depends on.
    pub(super) fn pattern(&self) -> Vec<bool> {
        self.states.iter().map(Option::is_some).collect()
    }
}
