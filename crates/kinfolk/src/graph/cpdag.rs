//! The completed partially directed acyclic graph (CPDAG) of a Markov equivalence class.

use super::Dag;
use crate::data::VariableId;

/// The link between two nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Link {
    /// No link.
    None,
    /// An arc from the first to the second node.
    Forward,
    /// An arc from the second to the first node.
    Backward,
    /// An undirected edge.
    Undirected,
}

/// The completed partially directed acyclic graph (CPDAG), which represents a Markov equivalence class.
///
/// An edge is directed if every member of the class has it in that direction, and undirected otherwise. Two graphs are Markov
/// equivalent if and only if their CPDAGs are equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cpdag {
    nodes: usize,
    directed: Vec<(VariableId, VariableId)>,
    undirected: Vec<(VariableId, VariableId)>,
}

impl Cpdag {
    /// The CPDAG of a graph's equivalence class.
    ///
    /// Chickering's labelling: it visits the nodes in topological order and labels the arcs into a node as compelled or
    /// reversible according to its last parent in this order. The result equals the v-structures closed under Meek's rules R1
    /// to R3. (R4 applies only with background knowledge.)
    ///
    /// Complexity: O(n·d ln n) for n nodes with at most d parents, including the topological order.
    ///
    /// Reference: Chickering (1995), A transformational characterization of equivalent Bayesian network
    /// structures, <https://doi.org/10.48550/arXiv.1302.4938>; Meek (1995), Causal inference and causal
    /// explanation with background knowledge, <https://doi.org/10.48550/arXiv.1302.4972>.
    pub fn of(dag: &Dag) -> Self {
        let order = dag.topological_order();
        let mut rank = vec![0; dag.len()];
        for (place, node) in order.iter().enumerate() {
            rank[node.index()] = place;
        }
        // compelled[v][i]: whether the arc from the i-th parent of v has the same direction in the whole class.
        let mut compelled: Vec<Vec<bool>> = vec![Vec::new(); dag.len()];
        for node in order {
            if let Some(&latest) = dag.parents(node).iter().max_by_key(|parent| rank[parent.index()]) {
                compelled[node.index()] = compelled_into(dag, node, latest, &compelled[latest.index()]);
            }
        }
        let mut directed = Vec::new();
        let mut undirected = Vec::new();
        for node in dag.nodes() {
            for (&parent, &fixed) in dag.parents(node).iter().zip(&compelled[node.index()]) {
                if fixed {
                    directed.push((parent, node));
                } else {
                    undirected.push((parent.min(node), parent.max(node)));
                }
            }
        }
        directed.sort_unstable();
        undirected.sort_unstable();
        Self { nodes: dag.len(), directed, undirected }
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes
    }

    /// Whether the graph has no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes == 0
    }

    /// The directed edges `(from, to)`, in order.
    pub fn directed(&self) -> &[(VariableId, VariableId)] {
        &self.directed
    }

    /// The undirected edges, each once with the earlier column first, in order.
    pub fn undirected(&self) -> &[(VariableId, VariableId)] {
        &self.undirected
    }

    /// The link between two nodes. Complexity: three binary searches among the edges.
    pub fn link(&self, a: VariableId, b: VariableId) -> Link {
        if self.directed.binary_search(&(a, b)).is_ok() {
            Link::Forward
        } else if self.directed.binary_search(&(b, a)).is_ok() {
            Link::Backward
        } else if self.undirected.binary_search(&(a.min(b), a.max(b))).is_ok() {
            Link::Undirected
        } else {
            Link::None
        }
    }
}

/// Labels the arcs into `node` as compelled or not, given the labels of the arcs into its topologically last parent.
fn compelled_into(dag: &Dag, node: VariableId, latest: VariableId, into_latest: &[bool]) -> Vec<bool> {
    let parents = dag.parents(node);
    let mut compelled = vec![false; parents.len()];
    for (grandparent, _) in dag.parents(latest).iter().zip(into_latest).filter(|(_, fixed)| **fixed) {
        match parents.binary_search(grandparent) {
            Ok(place) => compelled[place] = true,
            // Reversing `latest → node` would create a v-structure with `grandparent → latest`.
            Err(_) => return vec![true; parents.len()],
        }
    }
    if parents.iter().any(|&parent| parent != latest && !dag.has_arc(parent, latest)) {
        // That parent is not adjacent to `latest`, which comes after it: a v-structure at `node`.
        return vec![true; parents.len()];
    }
    compelled
}
