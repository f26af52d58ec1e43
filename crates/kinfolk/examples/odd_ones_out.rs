//! Measures how well rules find arcs that are absent in some data sets, on simulated data of the paper's scenario (b): the tables of
//! `docs/odd-ones-out.md`. Run it with `cargo run --profile test --example odd_ones_out [REPLICATES]`.

#![expect(clippy::print_stdout, reason = "a program whose result is what it prints")]

use std::ops::ControlFlow;

use kinfolk::counts::MemoryTally;
use kinfolk::explain::{AbsenceRule, PRIOR_ABSENT, absences};
use kinfolk::graph::Dag;
use kinfolk::score::{Kin, Scorer};
use kinfolk::search::{Constraints, HillClimb};
use kinfolk::simulate::{Design, Level, Parameters, Removed, Scenario, Simulated, simulate};

/// Differs from the seeds on which rule and prior were chosen.
const SEED: u64 = 7;

/// Evidence that an arc is absent in a data set, and whether it is.
type Case = (f64, bool);

fn main() {
    let replicates = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(30);
    println!("{replicates} replicates each, seed {SEED}; precision/recall, and the area under the ROC curve");
    for learned in [false, true] {
        println!("\n{}", if learned { "structure learned with kin" } else { "structure known" });
        for parameters in [Parameters::Hier, Parameters::Iid] {
            for data_sets in [3, 10, 25] {
                for rows in [50, 100, 200, 500, 1000] {
                    report(&design(rows, data_sets, parameters), replicates, learned);
                }
            }
        }
    }
}

fn design(rows: usize, data_sets: usize, parameters: Parameters) -> Design {
    Design {
        nodes: 10,
        arcs: 12,
        max_parents: Some(3),
        states: vec![2, 3],
        rows: vec![rows; data_sets],
        parameters,
        level: Level::Joint,
        s: 10.0,
        alpha0: 1.0,
        scenario: Scenario::B { altered: data_sets.div_ceil(3), removed: Removed::Arcs(3) },
    }
}

fn report(design: &Design, replicates: u64, learned: bool) {
    let made: Vec<Simulated> = (0..replicates)
        .map(|stream| simulate(design, SEED, stream).expect("the design is possible"))
        .collect();
    let odds = ((1.0 - PRIOR_ABSENT) / PRIOR_ABSENT).ln();
    let numbers = AbsenceRule::ALL.map(|rule| {
        let (mut cases, mut missed) = (Vec::new(), 0);
        for made in &made {
            missed += weigh(made, rule, learned, &mut cases);
        }
        let (zero, prior) = (quality(&cases, missed, 0.0), quality(&cases, missed, odds));
        format!("{} {}/{} {}/{} {:.3}", rule.name(), zero.0, zero.1, prior.0, prior.1, area(&cases))
    });
    println!(
        "{:?} F={} n={}  [rule >0 >{odds:.1} area]  {}",
        design.parameters,
        design.data_sets(),
        design.rows[0],
        numbers.join(" | ")
    );
}

/// Collects the evidence for every arc and data set; returns the number of absent arcs whose edge the structure lacks.
fn weigh(made: &Simulated, rule: AbsenceRule, learned: bool, cases: &mut Vec<Case>) -> usize {
    let tally = MemoryTally::new(&made.data);
    let truth = made.truth.dag();
    let dag = if learned {
        let climb = HillClimb::new(Constraints::none(made.data.schema()));
        let mut go_on = |_: &kinfolk::search::Event<'_>| ControlFlow::Continue(());
        let kin = Kin::default();
        let found = climb.run(&mut Scorer::new(&tally, &kin), Dag::empty(truth.len()), &mut go_on);
        found.expect("counting cannot fail here").dag
    } else {
        truth.clone()
    };
    let evidence = absences(&tally, &dag, rule).expect("counting cannot fail here");
    for ((from, to), evidence) in dag.arcs().zip(evidence) {
        for (structure, evidence) in made.structures.iter().zip(evidence) {
            // Reporting an edge that the true structure lacks is a false positive.
            cases.push((evidence, truth.adjacent(from, to) && !structure.adjacent(from, to)));
        }
    }
    let lost = |structure: &Dag| {
        truth.arcs().filter(|&(a, b)| !structure.adjacent(a, b) && !dag.adjacent(a, b)).count()
    };
    made.structures.iter().map(lost).sum()
}

/// Precision and recall, in hundredths.
fn quality(cases: &[Case], missed: usize, threshold: f64) -> (String, String) {
    let named = cases.iter().filter(|(evidence, _)| *evidence > threshold);
    let hits = named.clone().filter(|(_, absent)| *absent).count() as f64;
    let absent = cases.iter().filter(|(_, absent)| *absent).count() + missed;
    (format!("{:.2}", hits / named.count() as f64), format!("{:.2}", hits / absent as f64))
}

/// The area under the ROC curve: the probability that an absent arc has more evidence of absence than a present one.
fn area(cases: &[Case]) -> f64 {
    let mut sorted = cases.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut present, mut pairs) = (0.0, 0.0);
    for (_, absent) in &sorted {
        if *absent { pairs += present } else { present += 1.0 }
    }
    pairs / (present * (cases.len() as f64 - present))
}
