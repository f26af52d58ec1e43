//! The problems of the study of searches, from 10 variables, where the optimum is known, to 200.

use kinfolk::simulate::{Design, Level, Parameters, Scenario};

use super::SearchingReplicate;
use crate::grids::{CONCENTRATION, Scale};

/// Replicates of every setting are numbered in blocks of this size.
const BLOCK: u64 = 100;
/// The largest problems at quick scale.
const QUICK_NODES: usize = 20;

/// What is simulated with one number of variables.
struct Size {
    nodes: usize,
    arcs: usize,
    states: &'static [usize],
    /// The maximal number of parents. Children of five and more parents that act only together are found by no search.
    max_parents: Option<usize>,
    data_sets: usize,
    rows: usize,
    /// Replicates of each relation between the data sets.
    replicates: u64,
}

const SIZES: [Size; 6] = [
    Size { nodes: 10, arcs: 15, states: &[2, 3], max_parents: None, data_sets: 5, rows: 100, replicates: 20 },
    Size { nodes: 12, arcs: 18, states: &[2, 3], max_parents: None, data_sets: 5, rows: 200, replicates: 8 },
    Size { nodes: 20, arcs: 24, states: &[3], max_parents: None, data_sets: 10, rows: 200, replicates: 10 },
    Size {
        nodes: 50,
        arcs: 75,
        states: &[2, 3],
        max_parents: Some(4),
        data_sets: 5,
        rows: 100,
        replicates: 4,
    },
    Size {
        nodes: 100,
        arcs: 120,
        states: &[2, 3],
        max_parents: Some(4),
        data_sets: 5,
        rows: 200,
        replicates: 2,
    },
    Size {
        nodes: 200,
        arcs: 240,
        states: &[2, 3],
        max_parents: Some(4),
        data_sets: 5,
        rows: 200,
        replicates: 1,
    },
];

/// All replicates, numbered the same at every scale.
pub fn replicates(scale: Scale) -> Vec<SearchingReplicate> {
    let mut replicates = Vec::new();
    let mut block = 0;
    for size in &SIZES {
        for parameters in [Parameters::Hier, Parameters::Iid, Parameters::Id] {
            for parameter_set in 0..size.replicates {
                replicates.push(SearchingReplicate {
                    number: block * BLOCK + parameter_set,
                    design: Design {
                        nodes: size.nodes,
                        arcs: size.arcs,
                        max_parents: size.max_parents,
                        states: size.states.to_vec(),
                        rows: vec![size.rows; size.data_sets],
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
        replicates.retain(|replicate| replicate.parameter_set == 0 && replicate.design.nodes <= QUICK_NODES);
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
        assert!(replicates(Scale::Quick).iter().all(|quick| all.contains(quick)));
    }
}
