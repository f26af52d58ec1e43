//! A family: a child and its set of parents, the unit that is counted, scored and cached.

use crate::data::VariableId;
use crate::graph::Dag;

/// A child with its parents, which are sorted and distinct, so that equal families compare and hash equal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Family {
    child: VariableId,
    parents: Box<[VariableId]>,
}

impl Family {
    /// The family of `child` with `parents` in any order.
    ///
    /// # Panics
    /// If a parent repeats or is the child.
    pub fn new(child: VariableId, parents: impl IntoIterator<Item = VariableId>) -> Self {
        let mut parents: Vec<VariableId> = parents.into_iter().collect();
        parents.sort_unstable();
        assert!(parents.windows(2).all(|pair| pair[0] != pair[1]), "parents are distinct");
        assert!(!parents.contains(&child), "a variable is not its own parent");
        Self { child, parents: parents.into_boxed_slice() }
    }

    /// The family of a node in a graph.
    pub fn of(dag: &Dag, node: VariableId) -> Self {
        Self::new(node, dag.parents(node).iter().copied())
    }

    /// The child.
    pub fn child(&self) -> VariableId {
        self.child
    }

    /// The parents, in column order.
    pub fn parents(&self) -> &[VariableId] {
        &self.parents
    }

    /// The family with one parent more.
    #[must_use]
    pub fn with(&self, parent: VariableId) -> Self {
        Self::new(self.child, self.parents.iter().copied().chain([parent]))
    }

    /// The family with one parent fewer.
    #[must_use]
    pub fn without(&self, parent: VariableId) -> Self {
        Self::new(self.child, self.parents.iter().copied().filter(|&other| other != parent))
    }
}
