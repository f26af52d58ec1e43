//! The paper's complexity study: the time to compute one BHD score, by parents, states, data sets and rows.
//!
//! Tables of up to 5^17 cells cannot be drawn, but rows can: the predictive distribution of a Dirichlet is a Pólya urn,
//! so the rows of θ_f ~ Dir(s·a) with a ~ Dir(1, …, 1) are drawn exactly, cell by cell, without θ_f and a.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Instant;

use kinfolk::counts::{Family, MemoryTally, Tally};
use kinfolk::data::{Column, RelatedData, Schema, Variable, VariableId};
use kinfolk::score::{Bhd, Centre, Prior, Score, ScoreError};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::ThreadPoolBuilder;
use serde::{Deserialize, Serialize};

use crate::grids::{CONCENTRATION, Scale};
use crate::run::{RunError, StudyProgress};
use crate::store::{Record, Store};

/// Sizes of the parent set.
pub const PARENTS: [usize; 9] = [2, 3, 4, 6, 8, 10, 12, 14, 16];
/// Numbers of data sets.
pub const DATA_SETS: [usize; 4] = [5, 10, 20, 40];
/// Numbers of states of every variable.
pub const STATES: [usize; 4] = [2, 3, 4, 5];
/// Numbers of rows per data set.
pub const ROWS: [usize; 3] = [5_000, 10_000, 20_000];
/// Parameter sets per setting.
pub const PARAMETER_SETS: u64 = 10;
/// The number of measurements of each time; the smallest is used.
const MEASURED: usize = 3;

/// The measurement of one family.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ComplexityRow {
    /// The study.
    pub study: String,
    /// The number of the replicate.
    pub replicate: u64,
    /// `hier` or `iid`.
    pub parameters: String,
    /// The number of parents.
    pub parents: usize,
    /// The number of states of every variable.
    pub states: usize,
    /// The number of data sets.
    pub data_sets: usize,
    /// The number of rows of each data set.
    pub rows: usize,
    /// The index of the parameter set.
    pub parameter_set: u64,
    /// The number of cells of the table.
    pub possible_cells: f64,
    /// The number of cells with rows in some data set.
    pub observed_cells: usize,
    /// Seconds to count the rows.
    pub seconds_counting: f64,
    /// Seconds to fit and score the counts.
    pub seconds_scoring: f64,
    /// Newton steps of the fit.
    pub iterations: usize,
    /// Whether the fit converged.
    pub converged: bool,
    /// The seed of the study.
    pub seed: u64,
    /// The version of kinfolk.
    pub version: String,
}

impl ComplexityRow {
    /// Seconds for counting and scoring, as measured in the paper.
    pub fn seconds(&self) -> f64 {
        self.seconds_counting + self.seconds_scoring
    }
}

impl Record for ComplexityRow {
    fn study(&self) -> &str {
        &self.study
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn replicate(&self) -> u64 {
        self.replicate
    }
}

/// The rows to measure, without measurements; the numbering is the same at every scale.
pub fn replicates(scale: Scale, seed: u64) -> Vec<ComplexityRow> {
    let mut all = Vec::new();
    for parents in PARENTS {
        for states in STATES {
            for data_sets in DATA_SETS {
                for rows in ROWS {
                    for parameters in ["hier", "iid"] {
                        for parameter_set in 0..PARAMETER_SETS {
                            all.push(ComplexityRow {
                                study: "complexity".to_owned(),
                                replicate: all.len() as u64,
                                parameters: parameters.to_owned(),
                                parents,
                                states,
                                data_sets,
                                rows,
                                parameter_set,
                                seed,
                                version: env!("CARGO_PKG_VERSION").to_owned(),
                                ..ComplexityRow::default()
                            });
                        }
                    }
                }
            }
        }
    }
    if scale == Scale::Quick {
        all.retain(|row| {
            row.parameter_set == 0 && row.data_sets != 40 && row.states != 4 && row.rows != 10_000
        });
    }
    all
}

/// Measures the rows that are not in the store yet, one after the other on one core; returns whether all are done.
pub fn run(
    replicates: &[ComplexityRow],
    store: &mut Store<ComplexityRow>,
    observe: &mut dyn FnMut(StudyProgress) -> ControlFlow<()>,
) -> Result<bool, RunError> {
    let alone = ThreadPoolBuilder::new().num_threads(1).build();
    let alone = alone.map_err(|error| RunError::Threads(error.to_string()))?;
    let of = replicates.len();
    let mut done = replicates.iter().filter(|row| store.done().contains(&row.replicate)).count();
    let mut progress = || {
        let progress = StudyProgress { done, of, share: done as f64 / of as f64 };
        done += 1;
        progress
    };
    if observe(progress()).is_break() {
        return Ok(replicates.iter().all(|row| store.done().contains(&row.replicate)));
    }
    for row in replicates {
        if store.done().contains(&row.replicate) {
            continue;
        }
        let measured = alone
            .install(|| measure(row))
            .map_err(|error| RunError::Replicate { number: row.replicate, error: error.into() })?;
        store.append(&[measured])?;
        if observe(progress()).is_break() {
            break;
        }
    }
    Ok(replicates.iter().all(|row| store.done().contains(&row.replicate)))
}

/// Draws the rows of one replicate and scores the family of the first variable with all others as parents.
fn measure(row: &ComplexityRow) -> Result<ComplexityRow, ScoreError> {
    let data = draw(row);
    let family = [Family::new(VariableId::new(0), (1..=row.parents).map(VariableId::new))];
    let (mut counting, mut counts) = (f64::INFINITY, Vec::new());
    for _ in 0..MEASURED {
        let tally = MemoryTally::new(&data);
        let started = Instant::now();
        counts = tally.tally_many(&family)?;
        counting = counting.min(started.elapsed().as_secs_f64());
    }
    let counts = &counts[0];
    let prior = Prior::new(1.0 / row.data_sets as f64, Centre::PerCell(1.0)).expect("a share of one row");
    let score = Bhd { prior };
    let (mut scoring, mut fit) = (f64::INFINITY, None);
    for _ in 0..MEASURED {
        let started = Instant::now();
        fit = black_box(score.family_score(counts)).fit;
        scoring = scoring.min(started.elapsed().as_secs_f64());
    }
    let fit = fit.expect("BHD has a fit");
    Ok(ComplexityRow {
        possible_cells: counts.possible_cells(),
        observed_cells: counts.observed_cells(),
        seconds_counting: counting,
        seconds_scoring: scoring,
        iterations: fit.iterations,
        converged: fit.converged,
        ..row.clone()
    })
}

/// Draws the rows of all data sets from urns.
fn draw(row: &ComplexityRow) -> RelatedData {
    let mut random = ChaCha8Rng::seed_from_u64(row.seed);
    random.set_stream(row.replicate);
    let variables = row.parents + 1;
    let cells = (row.states as u64).pow(u32::try_from(variables).expect("few variables"));
    let total = row.data_sets * row.rows;
    let mut columns: Vec<Column> = (0..variables).map(|_| Column::for_states(row.states, total)).collect();
    // The centre's urn: a new cell, drawn uniformly, or one of the earlier draws.
    let mut centre: Vec<u64> = Vec::new();
    for _ in 0..row.data_sets {
        let mut urn: Vec<u64> = Vec::with_capacity(row.rows);
        for drawn in 0..row.rows {
            let fresh = random.random::<f64>() * (CONCENTRATION + drawn as f64) < CONCENTRATION;
            let cell = if !fresh {
                urn[random.random_range(0..drawn)]
            } else if row.parameters == "hier" {
                let before = centre.len();
                let even = random.random::<f64>() * (cells as f64 + before as f64) < cells as f64;
                let cell =
                    if even { random.random_range(0..cells) } else { centre[random.random_range(0..before)] };
                centre.push(cell);
                cell
            } else {
                random.random_range(0..cells)
            };
            urn.push(cell);
        }
        for mut cell in urn {
            for column in &mut columns {
                let state = cell % row.states as u64;
                column.push(u32::try_from(state).expect("a state"));
                cell /= row.states as u64;
            }
        }
    }
    let states: Vec<String> = (1..=row.states).map(|state| state.to_string()).collect();
    let variable = |number| Variable { name: format!("V{number}"), states: states.clone(), constant: false };
    let data_sets = (1..=row.data_sets).map(|number| number.to_string()).collect();
    let schema = Schema::new((1..=variables).map(variable).collect(), data_sets);
    RelatedData::new(schema, columns, (0..=row.data_sets).map(|set| set * row.rows).collect(), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urns_have_few_cells_however_many_are_possible() {
        let wanted = |row: &&ComplexityRow| row.parents == 16 && row.states == 5 && row.data_sets == 5;
        let all = replicates(Scale::Quick, 1);
        let row = all.iter().find(wanted).expect("the quick scale has it");
        let measured = measure(row).expect("it can be counted");
        // An urn with parameter 10 gives about 10 ln(1 + rows / 10) distinct draws: 62 in each of five data sets of
        // 5,000 rows.
        assert!((150..500).contains(&measured.observed_cells), "{}", measured.observed_cells);
        assert_eq!(measured.possible_cells, 5_f64.powi(17));
        assert_eq!(measure(row).expect("again").observed_cells, measured.observed_cells);
    }

    #[test]
    fn numbers_are_the_same_at_every_scale() {
        let paper = replicates(Scale::Paper, 1);
        assert_eq!(paper.len(), 864 * 10);
        for row in replicates(Scale::Quick, 1) {
            assert_eq!(paper[usize::try_from(row.replicate).expect("a position")], row);
        }
    }
}
