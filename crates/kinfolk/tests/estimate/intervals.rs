//! Credible intervals contain the truth as often as they say, in simulated data sets.

use kinfolk::counts::MemoryTally;
use kinfolk::data::{Column, DataSetId, RelatedData, Schema, Variable, VariableId};
use kinfolk::estimate::{CredibleMass, Method, Network, Relative, TableMethod, TableSpec, estimate};
use kinfolk::graph::Dag;
use kinfolk::infer::{Given, InferError, Limits, Question};
use kinfolk::score::{ImaginarySampleSize, Kin};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::dirichlet::dirichlet;

const DATA_SETS: usize = 8;
const STATES: [usize; 2] = [2, 3];

/// Data sets with a → b, drawn from the model of `kin`: in half of the families they are identical, in the others s is log-uniform
/// between 1 and 100. The tables of the last, unobserved data set come after the others.
struct Drawn {
    data: RelatedData,
    /// By family, data set and configuration.
    tables: [Vec<Vec<Vec<f64>>>; 2],
}

impl Drawn {
    fn new(seed: u64) -> Self {
        let random = &mut ChaCha8Rng::seed_from_u64(seed);
        let tables = [1, 2].map(|configurations| {
            let states = STATES[configurations - 1];
            let s = random.random_bool(0.5).then(|| 100_f64.powf(random.random::<f64>()));
            let centres: Vec<Vec<f64>> =
                (0..configurations).map(|_| dirichlet(&vec![1.0; states], random)).collect();
            let mut around = |centre: &Vec<f64>| match s {
                None => centre.clone(),
                Some(s) => dirichlet(&centre.iter().map(|share| s * share).collect::<Vec<_>>(), random),
            };
            (0..=DATA_SETS).map(|_| centres.iter().map(&mut around).collect()).collect::<Vec<Vec<_>>>()
        });
        let mut columns = STATES.map(|states| Column::for_states(states, 0));
        let mut starts = vec![0];
        for data_set in 0..DATA_SETS {
            let rows = random.random_range(20..200);
            for _ in 0..rows {
                let a = state_of(&tables[0][data_set][0], random);
                columns[0].push(u32::try_from(a).unwrap());
                let b = state_of(&tables[1][data_set][a], random);
                columns[1].push(u32::try_from(b).unwrap());
            }
            starts.push(starts[data_set] + rows);
        }
        let variable = |(name, states): (&str, usize)| Variable {
            name: name.to_owned(),
            states: (0..states).map(|state| state.to_string()).collect(),
            constant: false,
        };
        let variables = ["a", "b"].into_iter().zip(STATES).map(variable).collect();
        let schema = Schema::new(variables, (0..DATA_SETS).map(|f| format!("s{f}")).collect());
        Self { data: RelatedData::new(schema, columns.into(), starts, None), tables }
    }

    fn network(&self, method: Method) -> Network {
        let dag = Dag::from_arcs(2, [(VariableId::new(0), VariableId::new(1))]).unwrap();
        estimate(&MemoryTally::new(&self.data), &dag, method).unwrap()
    }

    /// P(a = 0 | b = 2) in a data set.
    fn posterior(&self, data_set: usize) -> f64 {
        let joint = |a: usize| self.tables[0][data_set][0][a] * self.tables[1][data_set][a][2];
        joint(0) / (joint(0) + joint(1))
    }
}

fn state_of(row: &[f64], random: &mut ChaCha8Rng) -> usize {
    let mut left = random.random::<f64>();
    row.iter()
        .position(|share| {
            left -= share;
            left < 0.0
        })
        .unwrap_or(row.len() - 1)
}

fn question(network: &Network, relatives: Vec<Relative>) -> Question {
    let mut given = Given::nothing(network);
    given.observe(network, VariableId::new(1), 2).unwrap();
    Question {
        targets: vec![VariableId::new(0)],
        given,
        relatives,
        joint: false,
        explanation: false,
        limits: Limits::default(),
    }
}

/// The share of intervals that contain the truth.
#[derive(Default)]
struct Coverage {
    inside: f64,
    all: f64,
}

impl Coverage {
    fn add(&mut self, [low, high]: [f64; 2], truth: f64) {
        self.inside += f64::from(u8::from(low <= truth && truth <= high));
        self.all += 1.0;
    }

    fn share(&self) -> f64 {
        self.inside / self.all
    }
}

#[test]
fn nine_of_ten_intervals_contain_the_truth() {
    let mass = CredibleMass::new(0.9).unwrap();
    let (child, own) = (VariableId::new(1), Relative::DataSet(DataSetId::new(0)));
    let [mut of_data_sets, mut of_new, mut of_queries, mut of_new_queries, mut without_spread] =
        [(); 5].map(|()| Coverage::default());
    for seed in 0..150 {
        let drawn = Drawn::new(seed);
        let network = drawn.network(Method::Kin(Kin::default()));
        for (data_set, tables) in drawn.tables[1].iter().enumerate() {
            let (relative, coverage) = if data_set == DATA_SETS {
                (Relative::New, &mut of_new)
            } else {
                (Relative::DataSet(DataSetId::new(data_set)), &mut of_data_sets)
            };
            let intervals = network.intervals_of(child, relative, mass).unwrap();
            for (&interval, &truth) in intervals.concat().iter().zip(&tables.concat()) {
                coverage.add(interval, truth);
            }
        }
        // The uncertainty of the mean of all data sets does not include their spread.
        let pooled = network.intervals_of(child, Relative::Pooled, mass).unwrap().concat();
        for (interval, &truth) in pooled.into_iter().zip(&drawn.tables[1][DATA_SETS].concat()) {
            without_spread.add(interval, truth);
        }
        let question = question(&network, vec![own, Relative::New]);
        let answer = question.ask(&network).unwrap().with_intervals(&network, &question, mass).unwrap();
        let intervals = &answer.targets[0].intervals.as_ref().unwrap().0;
        for ((_, intervals), (data_set, coverage)) in
            intervals.iter().zip([(0, &mut of_queries), (DATA_SETS, &mut of_new_queries)])
        {
            coverage.add(intervals.as_ref().unwrap().0[0].1, drawn.posterior(data_set));
        }
    }
    for (name, coverage) in [
        ("tables of data sets", &of_data_sets),
        ("tables of a new data set", &of_new),
        ("queries to a data set", &of_queries),
        ("queries to a new data set", &of_new_queries),
    ] {
        let share = coverage.share();
        // Two standard errors of 150 independent trials are 0.05.
        assert!((0.85..0.95).contains(&share), "{name}: {share}");
    }
    assert!(without_spread.share() < 0.75, "{}", without_spread.share());
}

#[test]
fn separate_tables_have_the_posterior_of_their_own_rows() {
    let drawn = Drawn::new(1);
    let network = drawn.network(Method::Bayes(ImaginarySampleSize::new(6.0).unwrap()));
    let tables = network.tables(VariableId::new(1));
    let (rows, of) = (tables.rows.as_ref().unwrap(), tables.concentration.as_ref().unwrap());
    for (rows, concentrations) in rows.iter().zip(&of.by_data_set) {
        // Six imaginary rows, three in every configuration.
        let expected: Vec<f64> = rows.iter().map(|&rows| rows as f64 + 3.0).collect();
        assert_eq!(&expected, concentrations);
    }
    // The method does not say how data sets differ.
    assert_eq!(of.new, None);
    // mpmath: betainc(12, 4, 0, x, regularized=True) is 0.05 and 0.95.
    let [low, high] = CredibleMass::new(0.9).unwrap().interval(0.75, 16.0);
    assert!(
        (low - 0.560_215_564_018).abs() < 1e-9 && (high - 0.903_341_666_008).abs() < 1e-9,
        "{low} {high}"
    );
}

#[test]
fn hierarchical_tables_are_more_certain_with_rows_and_least_for_a_new_data_set() {
    let drawn = Drawn::new(2);
    let mut spec = TableSpec::default();
    spec.method = Some(TableMethod::Hierarchical);
    let network = drawn.network(spec.build(DATA_SETS).unwrap().0);
    let tables = network.tables(VariableId::new(1));
    let (rows, of) = (tables.rows.as_ref().unwrap(), tables.concentration.as_ref().unwrap());
    let new = of.new.as_ref().unwrap();
    for (rows, concentrations) in rows.iter().zip(&of.by_data_set) {
        for ((&rows, &concentration), &new) in rows.iter().zip(concentrations).zip(new) {
            assert!(
                concentration > rows as f64 && concentration < rows as f64 + 1.5,
                "{concentration} {rows}"
            );
            assert!(new < concentration, "{new} {concentration}");
        }
    }
}

#[test]
fn intervals_of_queries_agree_with_tables_and_do_not_depend_on_threads() {
    let mass = CredibleMass::new(0.8).unwrap();
    let drawn = Drawn::new(3);
    let network = drawn.network(Method::Kin(Kin::default()));
    let mut question = question(&network, network.relatives().collect());
    question.given = Given::nothing(&network);
    let answer = question.ask(&network).unwrap().with_intervals(&network, &question, mass).unwrap();
    for (relative, (_, found)) in network.relatives().zip(&answer.targets[0].intervals.as_ref().unwrap().0) {
        let tables = network.intervals_of(VariableId::new(0), relative, mass).unwrap();
        for (found, expected) in found.as_ref().unwrap().0.iter().zip(&tables[0]) {
            for (found, expected) in found.1.iter().zip(expected) {
                assert!((found - expected).abs() < 0.02, "{relative:?}: {found} {expected}");
            }
        }
    }
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let again = one.install(|| question.ask(&network).unwrap().with_intervals(&network, &question, mass));
    assert_eq!(again.unwrap(), answer);
}

#[test]
fn tables_without_a_posterior_have_no_intervals() {
    let network = Drawn::new(4).network(Method::MaximumLikelihood);
    let mass = CredibleMass::new(0.9).unwrap();
    assert!(network.intervals(mass).is_none());
    let question = question(&network, vec![Relative::Pooled]);
    let answer = question.ask(&network).unwrap().with_intervals(&network, &question, mass);
    assert_eq!(answer, Err(InferError::NoCertainty));
    for wrong in [0.0, 1.0, -1.0, f64::NAN] {
        assert!(CredibleMass::new(wrong).is_err(), "{wrong}");
    }
}
