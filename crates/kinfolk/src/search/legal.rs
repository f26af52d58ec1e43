//! Legal moves of a graph: no cycles, no duplicate arcs, within the constraints.

use fixedbitset::FixedBitSet;

use super::Constraints;
use crate::data::VariableId;
use crate::graph::{Dag, Move};

/// Whether an arc may be added.
pub(super) fn is_legal_addition(
    dag: &Dag,
    constraints: &Constraints,
    from: VariableId,
    to: VariableId,
) -> bool {
    constraints.allows(from, to)
        && constraints.allows_another_parent(dag, to)
        && dag.can_apply(&Move::add(from, to))
}

/// The parents that may be added to one child, as bits.
pub(super) fn legal_additions(dag: &Dag, constraints: &Constraints, to: VariableId) -> FixedBitSet {
    if !constraints.allows_another_parent(dag, to) {
        return FixedBitSet::new();
    }
    let mut legal = constraints.allowed_parents(to).clone();
    // A descendant as parent would close a cycle.
    legal.difference_with(&dag.with_descendants(to));
    dag.parents(to).iter().for_each(|parent| legal.set(parent.index(), false));
    legal
}

/// Whether an arc may be reversed.
pub(super) fn can_reverse(dag: &Dag, constraints: &Constraints, from: VariableId, to: VariableId) -> bool {
    !constraints.requires(from, to)
        && constraints.allows(to, from)
        && constraints.allows_another_parent(dag, from)
        && dag.can_apply(&Move::reverse(from, to))
}

/// All legal moves in the order that breaks ties, that of [`Move`]: additions, then drops, then reversals; within each,
/// by the column order of `from`, then of `to`.
pub(super) fn legal_moves(dag: &Dag, constraints: &Constraints) -> Vec<Move> {
    let additions = dag.nodes().flat_map(|to| {
        let parents = legal_additions(dag, constraints, to).into_ones();
        parents.map(move |from| Move::add(VariableId::new(from), to))
    });
    let drops = dag.arcs().filter(|&(from, to)| !constraints.requires(from, to));
    let reversals = dag.arcs().filter(|&(from, to)| can_reverse(dag, constraints, from, to));
    let mut moves: Vec<Move> = additions
        .chain(drops.map(|(from, to)| Move::drop(from, to)))
        .chain(reversals.map(|(from, to)| Move::reverse(from, to)))
        .collect();
    moves.sort_unstable();
    moves
}
