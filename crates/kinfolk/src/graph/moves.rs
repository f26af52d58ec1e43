//! The moves of a search: adding, dropping or reversing one arc, and when each is legal.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{Dag, GraphError};
use crate::data::VariableId;

/// What a move does to its arc.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Adds an arc that is not there.
    Add,
    /// Drops an arc that is there.
    Drop,
    /// Turns an arc that is there the other way round.
    Reverse,
}

/// One step of a search: something done to the arc `from → to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Move {
    /// What is done.
    pub kind: Kind,
    /// Where the arc starts, before the move.
    pub from: VariableId,
    /// Where the arc ends, before the move.
    pub to: VariableId,
}

impl Move {
    /// Adds `from → to`.
    pub fn add(from: VariableId, to: VariableId) -> Self {
        Self { kind: Kind::Add, from, to }
    }

    /// Drops `from → to`.
    pub fn drop(from: VariableId, to: VariableId) -> Self {
        Self { kind: Kind::Drop, from, to }
    }

    /// Turns `from → to` into `to → from`.
    pub fn reverse(from: VariableId, to: VariableId) -> Self {
        Self { kind: Kind::Reverse, from, to }
    }

    /// The nodes whose parents it changes.
    pub fn changed(self) -> impl Iterator<Item = VariableId> + use<> {
        let other = (self.kind == Kind::Reverse).then_some(self.from);
        std::iter::once(self.to).chain(other)
    }

    /// The move that takes this one back.
    #[must_use]
    pub fn inverse(self) -> Self {
        match self.kind {
            Kind::Add => Self::drop(self.from, self.to),
            Kind::Drop => Self::add(self.from, self.to),
            Kind::Reverse => Self::reverse(self.to, self.from),
        }
    }
}

impl Dag {
    /// Whether the move is legal: it changes an arc that is there (or adds one that is not) and closes no cycle.
    ///
    /// Reversing `from → to` is legal when no other directed path leads from `from` to `to`.
    ///
    /// Complexity: a binary search among the parents of `to`, and for a reversal one bit test per parent.
    pub fn can_apply(&self, step: &Move) -> bool {
        let Move { kind, from, to } = *step;
        if from.index() >= self.len() || to.index() >= self.len() {
            return false;
        }
        match kind {
            Kind::Add => !self.creates_cycle(from, to) && !self.has_arc(from, to),
            Kind::Drop => self.has_arc(from, to),
            Kind::Reverse => {
                self.has_arc(from, to)
                    && !self.parents(to).iter().any(|&parent| self.is_ancestor(from, parent))
            }
        }
    }

    /// Whether the move is legal and, if it is not, why.
    ///
    /// Complexity: as [`Dag::can_apply`] when it is; a breadth-first search names the cycle when it is not.
    pub fn check(&self, step: &Move) -> Result<(), GraphError> {
        if self.can_apply(step) { Ok(()) } else { Err(self.objection(*step)) }
    }

    /// Makes the move, or says why it cannot be made and leaves the graph as it is.
    ///
    /// Complexity: for n nodes and k descendants of the arc's ends, O(n + k·n/64) words to add; to drop or
    /// reverse, the sum of n/64 words over the parents of those descendants.
    pub fn apply(&mut self, step: &Move) -> Result<(), GraphError> {
        self.check(step)?;
        let Move { kind, from, to } = *step;
        if kind != Kind::Add {
            self.remove(from, to);
        }
        match kind {
            Kind::Add => self.insert(from, to),
            Kind::Drop => {}
            Kind::Reverse => self.insert(to, from),
        }
        Ok(())
    }

    /// Why an illegal move is one.
    fn objection(&self, Move { kind, from, to }: Move) -> GraphError {
        for node in [from, to] {
            if node.index() >= self.len() {
                return GraphError::UnknownNode { node, nodes: self.len() };
            }
        }
        match kind {
            _ if from == to => GraphError::SelfLoop { node: from },
            Kind::Add if self.has_arc(from, to) => GraphError::DuplicateArc { from, to },
            Kind::Drop | Kind::Reverse if !self.has_arc(from, to) => GraphError::AbsentArc { from, to },
            // The arc itself leaves, so the cycle that its reversal closes goes another way.
            Kind::Reverse => GraphError::Cycle { nodes: self.cycle_through(to, from, true) },
            Kind::Add | Kind::Drop => GraphError::Cycle { nodes: self.cycle_through(from, to, false) },
        }
    }

    /// The cycle that a new arc `from → to` would close: from, to, and on to the last before `from`.
    fn cycle_through(&self, from: VariableId, to: VariableId, detour: bool) -> Vec<VariableId> {
        std::iter::once(from).chain(self.path(to, from, detour)).collect()
    }

    /// A shortest directed path from `start` to just before `end`, of those the one with the smallest ids; a
    /// detour does not use the arc `start → end`. Empty when there is none.
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
