//! Which moves are legal from a graph: no cycle, no arc twice, and what the constraints allow.

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
    constraints.allows(from, to) && constraints.has_room(dag, to) && dag.can_apply(&Move::add(from, to))
}

/// The legal additions to one child of parents that are wanted, in the column order of the new parent.
pub(super) fn legal_additions<'a>(
    dag: &'a Dag,
    constraints: &'a Constraints,
    to: VariableId,
    is_wanted: impl Fn(VariableId) -> bool + 'a,
) -> impl Iterator<Item = VariableId> + 'a {
    let most = if constraints.has_room(dag, to) { usize::MAX } else { 0 };
    let candidates = constraints.allowed_parents(to).take(most);
    // Where none is wanted nobody needs to know which are taken.
    let mut taken = None;
    candidates.filter(move |&from| is_wanted(from)).filter(move |from| {
        let taken = taken.get_or_insert_with(|| {
            // Who is below would close a cycle.
            let mut taken = dag.with_descendants(to);
            taken.extend(dag.parents(to).iter().map(|parent| parent.index()));
            taken
        });
        !taken.contains(from.index())
    })
}

/// Whether an arc may be turned round.
pub(super) fn can_reverse(dag: &Dag, constraints: &Constraints, from: VariableId, to: VariableId) -> bool {
    !constraints.requires(from, to)
        && constraints.allows(to, from)
        && constraints.has_room(dag, from)
        && dag.can_apply(&Move::reverse(from, to))
}

/// Every legal move, in the order in which ties are broken: additions, then drops, then reversals; within each by the
/// column order of `from`, then of `to`. It is also the order of [`Move`].
pub(super) fn legal_moves(dag: &Dag, constraints: &Constraints) -> Vec<Move> {
    let additions = dag
        .nodes()
        .flat_map(|to| legal_additions(dag, constraints, to, |_| true).map(move |from| Move::add(from, to)));
    let drops = dag.arcs().filter(|&(from, to)| !constraints.requires(from, to));
    let reversals = dag.arcs().filter(|&(from, to)| can_reverse(dag, constraints, from, to));
    let mut moves: Vec<Move> = additions
        .chain(drops.map(|(from, to)| Move::drop(from, to)))
        .chain(reversals.map(|(from, to)| Move::reverse(from, to)))
        .collect();
    moves.sort_unstable();
    moves
}
