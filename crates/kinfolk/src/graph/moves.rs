//! The search moves: adding, deleting or reversing one arc, with their legality checks.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{Dag, GraphError};
use crate::data::VariableId;

/// The effect of a move on its arc.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MoveKind {
    /// Adds an absent arc.
    Add,
    /// Deletes a present arc.
    Drop,
    /// Reverses a present arc.
    Reverse,
}

/// A search move on the arc `from → to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Move {
    /// The effect.
    pub kind: MoveKind,
    /// The tail of the arc before the move.
    pub from: VariableId,
    /// The head of the arc before the move.
    pub to: VariableId,
}

impl Move {
    /// Adds `from → to`.
    pub fn add(from: VariableId, to: VariableId) -> Self {
        Self { kind: MoveKind::Add, from, to }
    }

    /// Deletes `from → to`.
    pub fn drop(from: VariableId, to: VariableId) -> Self {
        Self { kind: MoveKind::Drop, from, to }
    }

    /// Reverses `from → to` into `to → from`.
    pub fn reverse(from: VariableId, to: VariableId) -> Self {
        Self { kind: MoveKind::Reverse, from, to }
    }

    /// The nodes whose parents change.
    pub fn changed(self) -> impl Iterator<Item = VariableId> + use<> {
        let other = (self.kind == MoveKind::Reverse).then_some(self.from);
        std::iter::once(self.to).chain(other)
    }

    /// The inverse move.
    #[must_use]
    pub fn inverse(self) -> Self {
        match self.kind {
            MoveKind::Add => Self::drop(self.from, self.to),
            MoveKind::Drop => Self::add(self.from, self.to),
            MoveKind::Reverse => Self::reverse(self.to, self.from),
        }
    }
}

impl Dag {
    /// Whether the move is legal: it adds an absent arc or changes a present one, and creates no cycle.
    ///
    /// Reversing `from → to` is legal if there is no other directed path from `from` to `to`.
    ///
    /// Complexity: a binary search among the parents of `to`, and for a reversal one bit test per parent.
    pub fn can_apply(&self, step: &Move) -> bool {
        let Move { kind, from, to } = *step;
        if from.index() >= self.len() || to.index() >= self.len() {
            return false;
        }
        match kind {
            MoveKind::Add => !self.creates_cycle(from, to) && !self.has_arc(from, to),
            MoveKind::Drop => self.has_arc(from, to),
            MoveKind::Reverse => {
                self.has_arc(from, to)
                    && !self.parents(to).iter().any(|&parent| self.is_ancestor(from, parent))
            }
        }
    }

    /// Checks that the move is legal and explains why it is not.
    ///
    /// Complexity: that of [`Dag::can_apply`] for a legal move; a breadth-first search finds the cycle of an illegal one.
    pub fn check(&self, step: &Move) -> Result<(), GraphError> {
        if self.can_apply(step) { Ok(()) } else { Err(self.objection(*step)) }
    }

    /// Applies the move. An illegal move returns an error and leaves the graph unchanged.
    ///
    /// Complexity: for n nodes and k descendants of the arc's endpoints, O(n + k·n/64) words to add; to delete or reverse, the
    /// sum of n/64 words over the parents of those descendants.
    pub fn apply(&mut self, step: &Move) -> Result<(), GraphError> {
        self.check(step)?;
        let Move { kind, from, to } = *step;
        if kind != MoveKind::Add {
            self.remove(from, to);
        }
        match kind {
            MoveKind::Add => self.insert(from, to),
            MoveKind::Drop => {}
            MoveKind::Reverse => self.insert(to, from),
        }
        Ok(())
    }

    /// Why an illegal move is illegal.
    fn objection(&self, Move { kind, from, to }: Move) -> GraphError {
        for node in [from, to] {
            if node.index() >= self.len() {
                return GraphError::UnknownNode { node, nodes: self.len() };
            }
        }
        match kind {
            _ if from == to => GraphError::SelfLoop { node: from },
            MoveKind::Add if self.has_arc(from, to) => GraphError::DuplicateArc { from, to },
            MoveKind::Drop | MoveKind::Reverse if !self.has_arc(from, to) => {
                GraphError::AbsentArc { from, to }
            }
            // The arc itself is removed, so the cycle that its reversal creates uses another path.
            MoveKind::Reverse => GraphError::Cycle { nodes: self.cycle_through(to, from, true) },
            MoveKind::Add | MoveKind::Drop => {
                GraphError::Cycle { nodes: self.cycle_through(from, to, false) }
            }
        }
    }

    /// The cycle that a new arc `from → to` would create: from, to, and on to the last node before `from`.
    fn cycle_through(&self, from: VariableId, to: VariableId, detour: bool) -> Vec<VariableId> {
        std::iter::once(from).chain(self.path(to, from, detour)).collect()
    }

    /// A shortest directed path from `start` to the node before `end`; ties are resolved by the smallest ids. A detour does not
    /// use the arc `start → end`. Empty if there is no path.
    fn path(&self, start: VariableId, end: VariableId, detour: bool) -> Vec<VariableId> {
        let mut came_from: Vec<Option<VariableId>> = vec![None; self.len()];
        let mut waiting = VecDeque::from([start]);
        while let Some(node) = waiting.pop_front() {
            for &child in self.children(node) {
                if child == end && !(detour && node == start) {
                    let mut path: Vec<VariableId> =
                        std::iter::successors(Some(node), |at| came_from[at.index()]).collect();
                    path.reverse();
                    return path;
                }
                if child != end && came_from[child.index()].is_none() {
                    came_from[child.index()] = Some(node);
                    waiting.push_back(child);
                }
            }
        }
        Vec::new()
    }
}
