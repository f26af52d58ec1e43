//! Arcs that a network lacks and that single data sets have.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::versions::{Versions, means};
use super::{ExplainObserver, OwnArc, PRIOR_ABSENT};
use crate::counts::{Counts, Family};
use crate::data::VariableId;
use crate::graph::{Dag, Move};
use crate::score::{BdeuSeparate, Progress, Score, ScoreError};
use crate::search::Event;

/// The arcs scored at a time; between them the observer may stop the work.
const AT_A_TIME: usize = 256;

/// For every data set the arcs that its own rows support and all other rows together do not, the strongest first.
///
/// The evidence is the difference of BDeu (imaginary sample size 1 per data set) with and without the arc, given the node's parents
/// in the network. The prior expects [`PRIOR_ABSENT`] such arcs per data set, in equal parts among all pairs; an arc is reported if
/// its posterior probability exceeds one half. Of both directions of a pair the one with more evidence is reported.
pub(super) fn own_arcs(
    versions: Versions<'_>,
    dag: &Dag,
    observe: ExplainObserver<'_>,
) -> Result<Vec<Vec<OwnArc>>, ScoreError> {
    let schema = versions.tally.schema();
    let mut found: Vec<Vec<(OwnArc, [VariableId; 2])>> = vec![Vec::new(); schema.data_sets().len()];
    let pairs = dag.nodes().flat_map(|from| dag.nodes().map(move |to| (from, to)));
    let additions: Vec<(VariableId, VariableId)> =
        pairs.filter(|&(from, to)| dag.can_apply(&Move::add(from, to))).collect();
    let prior = PRIOR_ABSENT / additions.len().max(1) as f64;
    let threshold = ((1.0 - prior) / prior).ln();
    let score = BdeuSeparate::default();
    for (number, some) in additions.chunks(AT_A_TIME).enumerate() {
        let progress = Progress { done: number * AT_A_TIME, of: additions.len() };
        if let ControlFlow::Break(halt) = observe(&Event::Scoring(progress)) {
            return Err(ScoreError::Halted(halt));
        }
        let families: Vec<Family> = some
            .iter()
            .flat_map(|&(from, to)| [Family::of(dag, to).with(from), Family::of(dag, to)])
            .collect();
        let terms = |counts: &Counts| score.family_score(counts).by_data_set.unwrap_or_default();
        let counts = versions.counts(&families)?;
        let terms: Vec<Vec<f64>> =
            counts.par_iter().map(|all| means(&all.iter().map(terms).collect::<Vec<_>>())).collect();
        for (&(from, to), terms) in some.iter().zip(terms.chunks_exact(2)) {
            let evidence: Vec<f64> =
                terms[0].iter().zip(&terms[1]).map(|(with, without)| with - without).collect();
            let all: f64 = evidence.iter().sum();
            for (own, found) in evidence.iter().zip(&mut found) {
                let others = all - own;
                if *own <= threshold || others >= 0.0 {
                    continue;
                }
                let name = |id: VariableId| schema.variable(id).name.clone();
                let arc = OwnArc { from: name(from), to: name(to), evidence: *own, others };
                match found.iter_mut().find(|(_, ends)| *ends == [to, from]) {
                    Some(reversed) if reversed.0.evidence >= *own => {}
                    Some(reversed) => *reversed = (arc, [from, to]),
                    None => found.push((arc, [from, to])),
                }
            }
        }
    }
    let sorted = found.into_iter().map(|mut arcs| {
        // The sort is stable.
        arcs.sort_by(|a, b| b.0.evidence.total_cmp(&a.0.evidence));
        arcs.into_iter().map(|(arc, _)| arc).collect()
    });
    Ok(sorted.collect())
}
