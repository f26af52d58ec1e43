//! How well resampling schemes and the exact posterior estimate the probability of edges, on simulated problems: the table of
//! `docs/resampling.md`. Run it with `cargo run --profile test --example resampling [PROBLEMS PER DESIGN] [REPLICATES]`.

#![expect(clippy::print_stdout, reason = "a program whose result is what it prints")]

use std::ops::ControlFlow;

use kinfolk::bootstrap::{Bootstrap, By};
use kinfolk::counts::MemoryTally;
use kinfolk::data::VariableId;
use kinfolk::posterior::{PosteriorOptions, arc_posterior};
use kinfolk::score::{NamedChoice, ScoreName, ScoreSpec, Scorer};
use kinfolk::search::SearchSpec;
use kinfolk::simulate::{Design, Level, Parameters, Scenario, Simulated, simulate};

const SEED: u64 = 25;
const NODES: usize = 8;

/// A stated probability of an edge, and whether the true network has it.
type Case = (f64, bool);

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|text| text.parse::<u64>().ok());
    let (problems, replicates) = (numbers.next().unwrap_or(17), numbers.next().unwrap_or(40));
    let mut made = Vec::new();
    for parameters in [Parameters::Hier, Parameters::Iid, Parameters::Id] {
        for (data_sets, rows) in [(3, 60), (3, 250), (10, 40), (10, 120)] {
            let design = design(rows, data_sets, parameters);
            made.extend((0..problems).map(|stream| {
                (parameters, simulate(&design, SEED, stream).expect("the design is possible"))
            }));
        }
    }
    println!("{} problems of {NODES} variables, seed {SEED}, {replicates} replicates", made.len());
    println!("score  scheme      Brier   ECE     Brier by parameters (hier, iid, id)");
    for score in ["kin", "bhd", "bdeu"] {
        for by in [Some(By::Rows), Some(By::HalfRows), Some(By::DataSets), None] {
            let cases: Vec<(Parameters, Vec<Case>)> = made
                .iter()
                .map(|(parameters, made)| (*parameters, cases(made, score, by, replicates)))
                .collect();
            let all: Vec<Case> = cases.iter().flat_map(|(_, cases)| cases.clone()).collect();
            let each = [Parameters::Hier, Parameters::Iid, Parameters::Id].map(|parameters| {
                let own = cases.iter().filter(|(of, _)| *of == parameters);
                format!("{:.4}", brier(&own.flat_map(|(_, cases)| cases.clone()).collect::<Vec<_>>()))
            });
            let scheme = by.map_or_else(|| "posterior".to_owned(), |by| format!("{by:?}"));
            println!(
                "{score:<6} {scheme:<11} {:.4}  {:.4}  {}",
                brier(&all),
                calibration_error(&all),
                each.join(" ")
            );
        }
    }
}

fn design(rows: usize, data_sets: usize, parameters: Parameters) -> Design {
    Design {
        nodes: NODES,
        arcs: 9,
        max_parents: Some(3),
        states: vec![2, 3],
        rows: vec![rows; data_sets],
        parameters,
        level: Level::Joint,
        s: 10.0,
        alpha0: 1.0,
        scenario: Scenario::A,
    }
}

/// The probability of every edge by a scheme, or exact if none is given.
fn cases(made: &Simulated, score: &str, by: Option<By>, replicates: u64) -> Vec<Case> {
    let (data, truth) = (&made.data, made.truth.dag());
    let name = ScoreName::from_name(score).expect("the score exists");
    let built = ScoreSpec::named(name).build(data.schema().data_sets().len()).expect("default options");
    let search = SearchSpec::default().prepare(data.schema()).expect("default options");
    let ids = || (0..NODES).map(VariableId::new);
    let pairs = || ids().flat_map(|a| ids().skip(a.index() + 1).map(move |b| (a, b)));
    let Some(by) = by else {
        let pooled = built.score.is_pooled();
        let tally = if pooled { MemoryTally::pooled(data) } else { MemoryTally::new(data) };
        let options = PosteriorOptions::new(search.climb.constraints);
        let mut scorer = Scorer::new(&tally, built.score.as_ref());
        let posterior = arc_posterior(&mut scorer, &options, &mut |_| ControlFlow::Continue(()));
        let posterior = posterior.expect("eight variables are few");
        return pairs().map(|(a, b)| (posterior.edge(a, b), truth.adjacent(a, b))).collect();
    };
    let bootstrap = Bootstrap {
        score: built.score.as_ref(),
        climb: search.climb,
        start: search.start,
        keep_scores: None,
        by,
        replicates,
        leave_one_out: false,
        seed: SEED,
        memory: None,
        tables: kinfolk::estimate::Method::Kin(kinfolk::score::Kin::default()),
    };
    let found = bootstrap.run(data, &[], &|_| ControlFlow::Continue(())).expect("the data can be drawn");
    let names = data.schema().names();
    let strength = |a: VariableId, b: VariableId| {
        let ends = [&names[a.index()], &names[b.index()]];
        let arc = found.arcs.iter().find(|arc| ends.contains(&&arc.from) && ends.contains(&&arc.to));
        arc.map_or(0.0, |arc| arc.strength)
    };
    pairs().map(|(a, b)| (strength(a, b), truth.adjacent(a, b))).collect()
}

fn brier(cases: &[Case]) -> f64 {
    let error = |&(probability, is_true): &Case| (probability - f64::from(u8::from(is_true))).powi(2);
    cases.iter().map(error).sum::<f64>() / cases.len() as f64
}

/// The expected calibration error: the distance between stated probability and share of true edges, over ten bins.
fn calibration_error(cases: &[Case]) -> f64 {
    let mut bins = [(0.0, 0.0); 10];
    for &(probability, is_true) in cases {
        let above = (1..10).filter(|&bound| probability * 10.0 >= f64::from(bound)).count();
        let bin = &mut bins[above];
        *bin = (bin.0 + probability, bin.1 + f64::from(u8::from(is_true)));
    }
    bins.iter().map(|(stated, found)| (stated - found).abs()).sum::<f64>() / cases.len() as f64
}
