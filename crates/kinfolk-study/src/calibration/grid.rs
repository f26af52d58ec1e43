//! The problems of the study of calibration: eight variables, where the posterior is exact, and twenty.

use std::ops::Range;

use kinfolk::simulate::{Design, Level, Parameters, Scenario};

use super::CalibrationReplicate;
use crate::grids::{CONCENTRATION, Scale};

/// Replicates of every setting are numbered in blocks of this size.
const BLOCK: u64 = 100;
/// Chains and resampling are computed for replicates from this number on: the cheap ones run first, so that a study that is stopped has most
/// problems.
pub(super) const WITH_ALL: u64 = 14;
/// The replicates of each setting at quick scale: one of each kind.
const QUICK: [u64; 2] = [0, WITH_ALL];

/// Variables, arcs, data sets, rows of each, and the numbers of the replicates of each relation between the data sets.
const SETTINGS: [(usize, usize, usize, usize, Range<u64>); 6] = [
    (8, 9, 3, 60, 0..17),
    (8, 9, 3, 250, 0..17),
    (8, 9, 10, 40, 0..17),
    (8, 9, 10, 120, 0..17),
    (20, 24, 5, 100, 17..19),
    (20, 24, 10, 200, 17..19),
];

/// All replicates, numbered the same at every scale.
pub fn replicates(scale: Scale) -> Vec<CalibrationReplicate> {
    let mut replicates = Vec::new();
    let mut block = 0;
    for (nodes, arcs, data_sets, rows, of_each) in SETTINGS {
        for parameters in [Parameters::Hier, Parameters::Iid, Parameters::Id] {
            for parameter_set in of_each.clone() {
                replicates.push(CalibrationReplicate {
                    number: block * BLOCK + parameter_set,
                    design: Design {
                        nodes,
                        arcs,
                        max_parents: Some(3),
                        states: vec![2, 3],
                        rows: vec![rows; data_sets],
                        parameters,
                        level: Level::Joint,
                        s: CONCENTRATION,
                        alpha0: 1.0,
                        scenario: Scenario::A,
                    },
                    parameter_set,
                });
            }
            block += 1;
        }
    }
    if scale == Scale::Quick {
        let few = |replicate: &CalibrationReplicate| QUICK.contains(&replicate.parameter_set);
        replicates.retain(|replicate| few(replicate) && replicate.design.nodes <= super::scheme::EXACT_UP_TO);
    }
    replicates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_is_possible_and_has_a_number_of_its_own() {
        let all = replicates(Scale::Paper);
        assert!(all.iter().all(|replicate| replicate.design.check().is_ok()));
        let mut numbers: Vec<u64> = all.iter().map(|replicate| replicate.number).collect();
        numbers.dedup();
        assert_eq!((numbers.len(), numbers.is_sorted()), (all.len(), true));
        assert_eq!(replicates(Scale::Quick).len(), 4 * 3 * 2);
        assert!(replicates(Scale::Quick).iter().all(|quick| all.contains(quick)));
    }
}
