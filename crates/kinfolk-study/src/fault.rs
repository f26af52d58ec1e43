//! Data that violate kin's assumptions: what is done to simulated rows, or sampled instead of them.

use kinfolk::data::{Column, DataSetId, RelatedData, VariableId};
use kinfolk::graph::Dag;
use kinfolk::simulate::Simulated;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The stream of the random numbers of faults, apart from those of the problems.
const STREAMS: u64 = 1 << 40;

/// The share of rows that selection keeps if they do not have what it prefers.
const KEPT: f64 = 0.3;
/// The probability of an event without a cause: of a rare one, and of a common one.
const RARE: f64 = 0.01;
const COMMON: f64 = 0.3;
/// The probability that a cause has its effect, alone.
const EFFECT: f64 = 0.8;

/// What is wrong with the rows of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Every row occurs that many times.
    Copies(u64),
    /// In every second data set, rows in which two variables that are not adjacent have the same state are preferred; in the others, those
    /// in which they differ.
    Selection,
    /// Binary events with noisy-or effects, most of them as rare as one in a hundred rows, with the same probabilities in all data sets.
    RareEvents,
}

impl Fault {
    /// The rows with the fault; each replicate of a seed has random numbers of its own.
    pub fn apply(self, simulated: &Simulated, seed: u64, replicate: u64) -> RelatedData {
        let (data, truth) = (&simulated.data, simulated.truth.dag());
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(STREAMS + replicate);
        match self {
            Self::Copies(copies) => data.reweighted(&vec![copies; data.stored_rows()]),
            Self::Selection => {
                let Some((a, b)) = apart(truth) else { return data.clone() };
                let keep = |data_set: usize, row: usize, random: &mut ChaCha8Rng| {
                    let same = data.column(a).get(row) == data.column(b).get(row);
                    u64::from(same == data_set.is_multiple_of(2) || random.random::<f64>() < KEPT)
                };
                let data_sets = 0..data.schema().data_sets().len();
                let rows = data_sets.flat_map(|f| data.rows_of(DataSetId::new(f)).map(move |row| (f, row)));
                let kept: Vec<u64> = rows.map(|(f, row)| keep(f, row, &mut random)).collect();
                data.reweighted(&kept)
            }
            Self::RareEvents => events(data, truth, &mut random),
        }
    }
}

/// The first two variables that are neither adjacent nor parents of the same child.
fn apart(dag: &Dag) -> Option<(VariableId, VariableId)> {
    let married = |a, b| dag.nodes().any(|child| dag.has_arc(a, child) && dag.has_arc(b, child));
    let pairs = dag.nodes().flat_map(|a| dag.nodes().filter(move |&b| a < b).map(move |b| (a, b)));
    pairs.into_iter().find(|&(a, b)| !dag.adjacent(a, b) && !married(a, b))
}

/// As many rows, of binary events on the same structure. Every third root is common.
fn events(data: &RelatedData, truth: &Dag, random: &mut ChaCha8Rng) -> RelatedData {
    let schema = data.schema();
    let mut rows = vec![vec![0_u32; schema.variables().len()]; data.stored_rows()];
    let order = truth.topological_order();
    for cells in &mut rows {
        for &node in &order {
            let parents = truth.parents(node);
            let is_common = parents.is_empty() && node.index().is_multiple_of(3);
            let alone = if is_common { COMMON } else { RARE };
            let causes = parents.iter().filter(|parent| cells[parent.index()] == 1).count();
            let absent = (1.0 - alone) * (1.0 - EFFECT).powi(i32::try_from(causes).expect("few parents"));
            cells[node.index()] = u32::from(random.random::<f64>() >= absent);
        }
    }
    let columns = schema.ids().map(|id| {
        let mut column = Column::for_states(schema.states(id), data.stored_rows());
        rows.iter().for_each(|cells| column.push(cells[id.index()]));
        column
    });
    let mut starts: Vec<usize> =
        (0..schema.data_sets().len()).map(|f| data.rows_of(DataSetId::new(f)).start).collect();
    starts.push(data.stored_rows());
    RelatedData::new(schema.clone(), columns.collect(), starts, None)
}

#[cfg(test)]
mod tests {
    use kinfolk::simulate::{Design, Level, Parameters, Scenario, simulate};

    use super::*;

    #[test]
    fn faults_do_to_the_rows_what_they_say() {
        let design = Design {
            nodes: 6,
            arcs: 5,
            max_parents: None,
            states: vec![2],
            rows: vec![1000; 4],
            parameters: Parameters::Id,
            level: Level::Joint,
            s: 10.0,
            alpha0: 1.0,
            scenario: Scenario::A,
        };
        let made = simulate(&design, 3, 1).expect("a possible design");
        let copied = Fault::Copies(2).apply(&made, 3, 1);
        let first = DataSetId::new(0);
        assert_eq!((copied.rows(first), copied.stored_rows()), (2000, 4000));

        let selected = Fault::Selection.apply(&made, 3, 1);
        let (a, b) = apart(made.truth.dag()).expect("six variables with five arcs");
        let same = |data: &RelatedData, f: usize| {
            let rows = data.rows_of(DataSetId::new(f));
            let all = rows.len() as f64;
            rows.filter(|&row| data.column(a).get(row) == data.column(b).get(row)).count() as f64 / all
        };
        let before = same(&made.data, 0);
        assert!(same(&selected, 0) > before + 0.05 && same(&selected, 1) < before - 0.05);

        let events = Fault::RareEvents.apply(&made, 3, 1);
        let roots = made.truth.dag().nodes().filter(|&node| made.truth.dag().parents(node).is_empty());
        for root in roots {
            let share = events.column(root).iter().filter(|&code| code == 1).count() as f64 / 4000.0;
            let expected = if root.index() % 3 == 0 { COMMON } else { RARE };
            // Four standard deviations of 4,000 rows.
            assert!((share - expected).abs() < 0.064 * expected.sqrt(), "{root:?}: {share}");
        }
        assert_eq!(events, Fault::RareEvents.apply(&made, 3, 1));
    }
}
