//! The cells of the study of missing values: ten variables with twelve arcs and two or three states.

use kinfolk::simulate::{Design, Level, Parameters, Scenario};

use super::{Mechanism, MissingReplicate};
use crate::grids::{CONCENTRATION, Scale};

/// Replicates of each cell, each with a structure and parameters of its own.
const REPLICATES: u64 = 100;
/// The same at quick scale.
const QUICK_REPLICATES: u64 = 2;

/// What is simulated: data sets of equal size.
pub(super) fn design(parameters: Parameters, data_sets: usize, rows: usize) -> Design {
    Design {
        nodes: 10,
        arcs: 12,
        max_parents: None,
        states: vec![2, 3],
        rows: vec![rows; data_sets],
        parameters,
        level: Level::Joint,
        s: CONCENTRATION,
        alpha0: 1.0,
        scenario: Scenario::A,
    }
}

/// The settings: how tables are related, data sets, rows of each, and which cells are removed.
const CELLS: [(Parameters, usize, usize, Mechanism); 19] = [
    (Parameters::Hier, 8, 100, Mechanism::Random(0.05)),
    (Parameters::Hier, 8, 100, Mechanism::Random(0.2)),
    (Parameters::Hier, 8, 100, Mechanism::Random(0.4)),
    (Parameters::Hier, 8, 100, Mechanism::GivenOthers(0.2)),
    (Parameters::Hier, 8, 100, Mechanism::AbsentColumns),
    (Parameters::Hier, 8, 100, Mechanism::NotAtRandom(0.2)),
    (Parameters::Hier, 8, 300, Mechanism::Random(0.2)),
    (Parameters::Hier, 8, 300, Mechanism::Random(0.4)),
    (Parameters::Hier, 8, 300, Mechanism::GivenOthers(0.2)),
    (Parameters::Hier, 3, 100, Mechanism::Random(0.2)),
    (Parameters::Hier, 20, 100, Mechanism::Random(0.2)),
    (Parameters::Hier, 20, 100, Mechanism::AbsentColumns),
    (Parameters::Iid, 8, 100, Mechanism::Random(0.2)),
    (Parameters::Iid, 8, 100, Mechanism::Random(0.4)),
    (Parameters::Iid, 8, 100, Mechanism::GivenOthers(0.2)),
    (Parameters::Id, 8, 100, Mechanism::Random(0.2)),
    (Parameters::Id, 8, 100, Mechanism::Random(0.4)),
    (Parameters::Id, 8, 100, Mechanism::GivenOthers(0.2)),
    (Parameters::Id, 8, 100, Mechanism::AbsentColumns),
];

/// All replicates, numbered the same at every scale.
pub fn replicates(scale: Scale) -> Vec<MissingReplicate> {
    let of_each = if scale == Scale::Quick { QUICK_REPLICATES } else { REPLICATES };
    let mut replicates = Vec::new();
    for (index, (parameters, data_sets, rows, mechanism)) in (0_u64..).zip(CELLS) {
        for parameter_set in 0..of_each {
            replicates.push(MissingReplicate {
                number: index * REPLICATES + parameter_set,
                design: design(parameters, data_sets, rows),
                mechanism,
                parameter_set,
            });
        }
    }
    replicates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_possible_and_numbers_are_the_same_at_every_scale() {
        let paper = replicates(Scale::Paper);
        assert_eq!(paper.len(), CELLS.len() * 100);
        assert!(paper.iter().all(|replicate| replicate.design.check().is_ok()));
        for quick in replicates(Scale::Quick) {
            assert_eq!(paper[usize::try_from(quick.number).expect("a position")], quick);
        }
    }
}
