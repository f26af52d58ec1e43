//! The grids of the paper's simulation studies (section 6) as plain data.

use kinfolk::search::SearchMethod;
use kinfolk::simulate::{Design, Level, Parameters, Removed, Scenario, Streams};

use crate::grids_kin;
use crate::methods::{LearningMethod, PAPER, SIZES};
use crate::replicate::{Replicate, removed};

/// The scale of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Every setting, but few replicates of each and no very large data: takes minutes.
    Quick,
    /// All replicates.
    Paper,
}

/// The studies that are grids of simulated problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Study {
    /// Varies variables, data sets, states and rows.
    One,
    /// Many data sets.
    Two,
    /// Many variables.
    Three,
    /// Data sets of different sizes.
    Four,
    /// Not in the paper: the kin score against all others, for all kinds of relations between the data sets.
    Kin,
}

/// Numbers of arcs per node, in every study.
pub const SPARSITIES: [f64; 3] = [1.0, 1.2, 1.5];
/// Parameter sets for every structure.
pub const PARAMETER_SETS: u64 = 10;
/// The concentration of the simulated tables: the paper's imaginary sample size of 10.
pub const CONCENTRATION: f64 = 10.0;

/// Study 1: three structures per sparsity.
pub const STUDY_1_NODES: [usize; 2] = [5, 10];
/// Data sets of study 1.
pub const STUDY_1_DATA_SETS: [usize; 3] = [2, 5, 10];
/// States of study 1.
pub const STUDY_1_STATES: [usize; 2] = [2, 5];
/// Rows per data set of study 1.
pub const STUDY_1_ROWS: [usize; 5] = [10, 100, 200, 500, 1000];
/// Structures per sparsity of study 1; the others have one.
pub const STUDY_1_STRUCTURES: u64 = 3;
/// Numbers of altered data sets and of arcs lost in study 1, scenario (b): all pairs.
pub const STUDY_1_ALTERED: [usize; 2] = [1, 2];

/// Data sets of study 2, with ten binary variables.
pub const STUDY_2_DATA_SETS: [usize; 6] = [2, 5, 10, 25, 50, 100];
/// Variables of study 3, with ten data sets of binary variables.
pub const STUDY_3_NODES: [usize; 5] = [5, 10, 25, 50, 100];
/// Rows per data set of studies 2 and 3.
pub const LARGE_ROWS: [usize; 8] = [10, 100, 200, 500, 1000, 2000, 5000, 10_000];
/// Probabilities that an altered data set of studies 2 and 3 loses an arc. The number of altered ones is 1, 2 or all.
pub const LOSSES: [f64; 2] = [0.01, 0.1];

/// Rows of a full data set of study 4, with ten binary variables in ten data sets.
pub const STUDY_4_ROWS: [usize; 3] = [100, 500, 1000];
/// Numbers of data sets with fewer rows in study 4. The paper names the cases 0 and 10 (the composite one) and shows
/// others without giving their numbers; these are our choice.
pub const STUDY_4_SHORTENED: [usize; 3] = [1, 2, 5];
/// The shares of rows that they keep.
pub const STUDY_4_SHARES: [f64; 3] = [0.1, 0.25, 0.5];
/// The composite case of study 4: the share of rows of each data set.
pub const COMPOSITE: [f64; 10] = [0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 0.75, 1.0, 1.0, 1.0];

/// With [`Scale::Quick`]: the number of parameter sets, of structures per sparsity, and the maximal rows per data set.
const QUICK: (u64, u64, usize) = (2, 1, 2000);
/// With [`Scale::Quick`]: the maximal number of variables of study 3.
const QUICK_NODES: usize = 50;

impl Study {
    /// Every study.
    pub const ALL: [Self; 5] = [Self::One, Self::Two, Self::Three, Self::Four, Self::Kin];

    /// Its name in commands and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::One => "study1",
            Self::Two => "study2",
            Self::Three => "study3",
            Self::Four => "study4",
            Self::Kin => "kin",
        }
    }

    /// All its replicates; the numbering is the same at every scale.
    pub fn replicates(self, scale: Scale) -> Vec<Replicate> {
        let mut grid =
            ReplicateList { study: self.name(), numbers: 0, structures: 0, replicates: Vec::new() };
        match self {
            Self::One => grid.study_1(),
            Self::Two => STUDY_2_DATA_SETS.iter().for_each(|&data_sets| grid.large(10, data_sets)),
            Self::Three => STUDY_3_NODES.iter().for_each(|&nodes| grid.large(nodes, 10)),
            Self::Four => grid.study_4(),
            Self::Kin => return grids_kin::replicates(scale),
        }
        let (sets, structures, rows) = QUICK;
        if scale == Scale::Quick {
            grid.replicates.retain(|replicate| {
                replicate.parameter_set < sets
                    && replicate.structure < structures
                    && replicate.rows <= rows
                    && replicate.design.nodes <= QUICK_NODES
            });
        }
        grid.replicates
    }
}

/// Builds the list of replicates.
struct ReplicateList {
    study: &'static str,
    numbers: u64,
    structures: u64,
    replicates: Vec<Replicate>,
}

/// The common settings of the replicates of one structure.
#[derive(Clone, Copy)]
struct StructureDesign {
    nodes: usize,
    data_sets: usize,
    states: usize,
    sparsity: f64,
    /// The index among the structures with these settings.
    index: u64,
    /// Its random stream.
    stream: u64,
}

/// A scenario, the rows of each data set, and how both are recorded.
struct GridPoint {
    scenario: Scenario,
    rows: Vec<usize>,
    full_rows: usize,
    altered: usize,
    by: f64,
    level: Level,
    /// The index of the scenario within its structure.
    alteration: u64,
}

/// The maximal number of scenarios of a structure.
const MOST_SCENARIOS: u64 = 8;

impl ReplicateList {
    fn structure(
        &mut self,
        nodes: usize,
        data_sets: usize,
        states: usize,
        sparsity: f64,
        index: u64,
    ) -> StructureDesign {
        let stream = self.structures;
        self.structures += 1;
        StructureDesign { nodes, data_sets, states, sparsity, index, stream }
    }

    fn study_1(&mut self) {
        let mut structures = Vec::new();
        for nodes in STUDY_1_NODES {
            for data_sets in STUDY_1_DATA_SETS {
                for states in STUDY_1_STATES {
                    for sparsity in SPARSITIES {
                        for index in 0..STUDY_1_STRUCTURES {
                            structures.push(self.structure(nodes, data_sets, states, sparsity, index));
                        }
                    }
                }
            }
        }
        let mut scenarios = vec![Scenario::A];
        for altered in STUDY_1_ALTERED {
            for arcs in STUDY_1_ALTERED {
                scenarios.push(Scenario::B { altered, removed: Removed::Arcs(arcs) });
            }
        }
        for &structure in &structures {
            for scenario in (0..).zip(scenarios.iter().copied()) {
                for rows in STUDY_1_ROWS {
                    let setting = GridPoint::even(structure, scenario, rows, Level::Joint);
                    for parameters in [Parameters::Hier, Parameters::Iid, Parameters::Id] {
                        self.parameter_sets(structure, parameters, &setting, PARAMETER_SETS);
                    }
                }
            }
        }
        // The other reading of the text: parameters drawn in each configuration.
        for &structure in structures.iter().filter(|structure| structure.index == 0) {
            for rows in STUDY_1_ROWS {
                let setting = GridPoint::even(structure, (0, Scenario::A), rows, Level::Configuration);
                for parameters in [Parameters::Hier, Parameters::Iid, Parameters::Id] {
                    self.parameter_sets(structure, parameters, &setting, 2);
                }
            }
        }
    }

    /// Studies 2 and 3, for one number of variables and data sets.
    fn large(&mut self, nodes: usize, data_sets: usize) {
        for sparsity in SPARSITIES {
            let structure = self.structure(nodes, data_sets, 2, sparsity, 0);
            let mut scenarios = vec![Scenario::A];
            for altered in [1, 2, data_sets] {
                for loss in LOSSES {
                    scenarios.push(Scenario::B { altered, removed: Removed::Probability(loss) });
                }
            }
            for scenario in (0..).zip(scenarios) {
                for rows in LARGE_ROWS {
                    let setting = GridPoint::even(structure, scenario, rows, Level::Joint);
                    for parameters in [Parameters::Hier, Parameters::Iid] {
                        self.parameter_sets(structure, parameters, &setting, PARAMETER_SETS);
                    }
                }
            }
        }
    }

    fn study_4(&mut self) {
        for sparsity in SPARSITIES {
            let structure = self.structure(10, 10, 2, sparsity, 0);
            for rows in STUDY_4_ROWS {
                let mut settings = vec![GridPoint::even(structure, (0, Scenario::A), rows, Level::Joint)];
                for altered in STUDY_4_SHORTENED {
                    for share in STUDY_4_SHARES {
                        let shares: Vec<f64> =
                            (0..10).map(|data_set| if data_set < altered { share } else { 1.0 }).collect();
                        settings.push(GridPoint::uneven(rows, &shares, altered, share));
                    }
                }
                settings.push(GridPoint::uneven(rows, &COMPOSITE, 10, 1.0));
                for setting in &settings {
                    for parameters in [Parameters::Hier, Parameters::Iid] {
                        self.parameter_sets(structure, parameters, setting, PARAMETER_SETS);
                    }
                }
            }
        }
    }

    fn parameter_sets(
        &mut self,
        structure: StructureDesign,
        parameters: Parameters,
        setting: &GridPoint,
        sets: u64,
    ) {
        for parameter_set in 0..sets {
            let number = self.numbers;
            self.numbers += 1;
            let main = setting.level == Level::Joint;
            let kind = match parameters {
                Parameters::Hier => 0,
                Parameters::Iid => 1,
                Parameters::Id => 2,
            };
            self.replicates.push(Replicate {
                study: self.study,
                number,
                design: Design {
                    nodes: structure.nodes,
                    arcs: arcs(structure.nodes, structure.sparsity),
                    max_parents: None,
                    states: vec![structure.states],
                    rows: setting.rows.clone(),
                    parameters,
                    level: setting.level,
                    s: CONCENTRATION,
                    alpha0: 1.0,
                    scenario: setting.scenario,
                },
                // A structure has the same parameter sets in every scenario. In a scenario, data sets lose the same
                // arcs for every number of rows. Rows are always new.
                streams: Streams {
                    structure: structure.stream,
                    alteration: structure.stream * MOST_SCENARIOS + setting.alteration,
                    parameters: (structure.stream * 3 + kind) * PARAMETER_SETS + parameter_set,
                    rows: number,
                },
                methods: self.methods(setting, main, parameter_set),
                sparsity: structure.sparsity,
                rows: setting.full_rows,
                altered: setting.altered,
                by: setting.by,
                structure: structure.index,
                parameter_set,
                regime: "",
                search: SearchMethod::Climb,
                fault: None,
            });
        }
    }

    /// In study 1, the first parameter set of scenario (a) is also learned with other imaginary sample sizes.
    fn methods(&self, setting: &GridPoint, main: bool, parameter_set: u64) -> Vec<LearningMethod> {
        let mut methods = PAPER.to_vec();
        if self.study == "study1" && main && setting.scenario == Scenario::A && parameter_set == 0 {
            methods.extend(SIZES);
        }
        methods
    }
}

impl GridPoint {
    /// Every data set has the same number of rows.
    fn even(
        structure: StructureDesign,
        (alteration, scenario): (u64, Scenario),
        rows: usize,
        level: Level,
    ) -> Self {
        assert!(
            alteration < MOST_SCENARIOS,
            "scenarios of one structure do not share their alterations with another's"
        );
        let (altered, by) = match scenario {
            Scenario::A => (0, 0.0),
            Scenario::B { altered, removed: arcs } => (altered, removed(arcs)),
        };
        Self {
            scenario,
            rows: vec![rows; structure.data_sets],
            full_rows: rows,
            altered,
            by,
            level,
            alteration,
        }
    }

    /// Every data set has its own share of the rows.
    fn uneven(rows: usize, shares: &[f64], altered: usize, by: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of few rows")]
        let rows_of = |share: &f64| (share * rows as f64).round() as usize;
        Self {
            scenario: Scenario::A,
            rows: shares.iter().map(rows_of).collect(),
            full_rows: rows,
            altered,
            by,
            level: Level::Joint,
            alteration: 0,
        }
    }
}

/// Exactly this many arcs.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number of arcs")]
fn arcs(nodes: usize, sparsity: f64) -> usize {
    (sparsity * nodes as f64).round() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_studies_have_as_many_problems_as_the_paper_says() {
        let count = |study: Study, level: Level| {
            let replicates = study.replicates(Scale::Paper);
            replicates.iter().filter(|replicate| replicate.design.level == level).count()
        };
        assert_eq!(count(Study::One, Level::Joint), 81_000);
        assert_eq!(count(Study::One, Level::Configuration), 1_080);
        assert_eq!(count(Study::Two, Level::Joint), 20_160);
        assert_eq!(count(Study::Three, Level::Joint), 16_800);
        assert_eq!(count(Study::Four, Level::Joint), 1_980);
    }

    #[test]
    fn numbers_are_the_same_at_every_scale_and_designs_are_possible() {
        for study in Study::ALL {
            let paper = study.replicates(Scale::Paper);
            assert!(paper.iter().enumerate().all(|(index, replicate)| replicate.number == index as u64));
            let quick = study.replicates(Scale::Quick);
            assert!(!quick.is_empty() && quick.len() * 5 <= paper.len());
            for replicate in &quick {
                let index = usize::try_from(replicate.number).expect("a position");
                assert_eq!(replicate, &paper[index]);
                assert_eq!(replicate.design.check(), Ok(()));
            }
        }
    }
}
