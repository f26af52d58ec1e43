//! A family: a child and its parents, the unit that is counted, scored and cached.

use smallvec::SmallVec;

use super::Change;
use crate::data::VariableId;
use crate::graph::Dag;

/// A child and its parents. Parents are sorted and distinct, so that equal families compare and hash equal.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Family {
    child: VariableId,
    parents: Parents,
}

/// Parents, stored inline up to six.
type Parents = SmallVec<[VariableId; 6]>;

impl Clone for Family {
    /// Copies the parents as one slice; the derived implementation copies them one by one.
    fn clone(&self) -> Self {
        Self { child: self.child, parents: SmallVec::from_slice(&self.parents) }
    }
}

impl Family {
    /// The family of `child` with `parents` in any order.
    ///
    /// # Panics
    /// If a parent repeats or is the child.
    pub fn new(child: VariableId, parents: impl IntoIterator<Item = VariableId>) -> Self {
        let mut parents: Parents = parents.into_iter().collect();
        parents.sort_unstable();
        assert!(parents.windows(2).all(|pair| pair[0] != pair[1]), "parents are distinct");
        assert!(!parents.contains(&child), "a variable is not its own parent");
        Self { child, parents }
    }

    /// The family of a node in a graph.
    pub fn of(dag: &Dag, node: VariableId) -> Self {
        // The parents in a DAG are sorted and distinct and do not contain the node.
        Self { child: node, parents: SmallVec::from_slice(dag.parents(node)) }
    }

    /// The family of a child with ascending parents.
    pub(super) fn from_ascending(child: VariableId, parents: &[VariableId]) -> Self {
        Self { child, parents: SmallVec::from_slice(parents) }
    }

    /// The child.
    pub fn child(&self) -> VariableId {
        self.child
    }

    /// The parents, in column order.
    pub fn parents(&self) -> &[VariableId] {
        &self.parents
    }

    /// The family with one more parent.
    #[must_use]
    pub fn with(&self, parent: VariableId) -> Self {
        Self::extended(self.child, &self.parents, parent)
    }

    /// The family after a change; removing a variable that is not a parent changes nothing.
    ///
    /// # Panics
    /// If the change adds the child or an existing parent.
    #[must_use]
    pub fn changed(&self, change: Change) -> Self {
        match change {
            Change::Keep => self.clone(),
            Change::With(parent) => self.with(parent),
            Change::Without(parent) => self.without(parent),
        }
    }

    /// The family of a node in a graph with one more parent.
    pub(crate) fn of_with(dag: &Dag, node: VariableId, parent: VariableId) -> Self {
        Self::extended(node, dag.parents(node), parent)
    }

    /// The family of a child with ascending parents and one more.
    fn extended(child: VariableId, others: &[VariableId], parent: VariableId) -> Self {
        assert!(parent != child, "a variable is not its own parent");
        let (before, after) = others.split_at(others.partition_point(|other| *other < parent));
        assert!(after.first() != Some(&parent), "parents are distinct");
        let mut parents = Parents::from_slice(before);
        parents.push(parent);
        parents.extend_from_slice(after);
        Self { child, parents }
    }

    /// The family with one parent fewer.
    #[must_use]
    pub fn without(&self, parent: VariableId) -> Self {
        let mut family = self.clone();
        family.parents.retain(|other| *other != parent);
        family
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(parents: &[usize]) -> Family {
        Family::new(VariableId::new(9), parents.iter().map(|&parent| VariableId::new(parent)))
    }

    #[test]
    fn an_added_parent_is_sorted_among_the_others() {
        // The last case has more parents than are stored inline.
        for (parents, more, all) in [
            (vec![], 4, vec![4]),
            (vec![2, 5], 1, vec![1, 2, 5]),
            (vec![2, 5], 3, vec![2, 3, 5]),
            (vec![2, 5], 8, vec![2, 5, 8]),
            (vec![0, 1, 2, 4, 5, 6], 3, vec![0, 1, 2, 3, 4, 5, 6]),
        ] {
            assert_eq!(family(&parents).with(VariableId::new(more)), family(&all));
        }
    }

    #[test]
    #[should_panic(expected = "parents are distinct")]
    fn a_parent_cannot_be_added_twice() {
        let _ = family(&[2, 5]).with(VariableId::new(5));
    }
}
