//! How well rules find the arcs that are absent in some data sets, on made-up data of the paper's scenario (b): the tables of
//! `docs/odd-ones-out.md`.

#![expect(clippy::print_stdout, reason = "a program whose result is what it prints")]

use kinfolk::counts::MemoryTally;
use kinfolk::explain::{Rule, absences};
use kinfolk::simulate::{Design, Level, Parameters, Removed, Scenario, simulate};

fn main() {
    let replicates: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(10);
    for rows in [50, 100, 200, 500, 1000] {
        for data_sets in [3, 10] {
            for (s, parameters) in [(10.0, Parameters::Hier), (10.0, Parameters::Iid)] {
                let design = Design {
                    nodes: 10,
                    arcs: 12,
                    max_parents: Some(3),
                    states: vec![2, 3],
                    rows: vec![rows; data_sets],
                    parameters,
                    level: Level::Joint,
                    s,
                    alpha0: 1.0,
                    scenario: Scenario::B { altered: data_sets.div_ceil(3), removed: Removed::Arcs(3) },
                };
                let mut found: Vec<Vec<(f64, bool)>> = vec![Vec::new(); Rule::ALL.len()];
                for stream in 0..replicates {
                    let made = simulate(&design, 1, stream).expect("possible");
                    let tally = MemoryTally::new(&made.data);
                    let dag = made.truth.dag();
                    for (rule, found) in Rule::ALL.iter().zip(&mut found) {
                        let against = absences(&tally, dag, *rule).expect("counts");
                        for (arc, against) in dag.arcs().zip(against) {
                            for (data_set, evidence) in against.into_iter().enumerate() {
                                found.push((evidence, !made.structures[data_set].has_arc(arc.0, arc.1)));
                            }
                        }
                    }
                }
                println!("n {rows} F {data_sets} {parameters:?}");
                for (rule, found) in Rule::ALL.iter().zip(&mut found) {
                    let at = |t: f64| {
                        let hit = found.iter().filter(|f| f.0 > t && f.1).count() as f64;
                        let said = found.iter().filter(|f| f.0 > t).count() as f64;
                        let lost = found.iter().filter(|f| f.1).count() as f64;
                        (hit / said.max(1.0), hit / lost)
                    };
                    print!("  {:14}", rule.name());
                    for t in [0.0, 1.0, 2.0, 3.0] {
                        let (p, r) = at(t);
                        print!("  >{t}: {p:.2}/{r:.2}");
                    }
                    let best = (-100..100)
                        .map(|i| {
                            let t = f64::from(i) * 0.1;
                            let (p, r) = at(t);
                            (2.0 * p * r / (p + r).max(1e-9), t)
                        })
                        .fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
                    let auc = {
                        let (mut pos, mut neg) = (vec![], vec![]);
                        for f in found.iter() {
                            if f.1 { pos.push(f.0) } else { neg.push(f.0) }
                        }
                        let mut w = 0.0;
                        for p in &pos {
                            for n in &neg {
                                if p > n {
                                    w += 1.0
                                } else if p == n {
                                    w += 0.5
                                }
                            }
                        }
                        w / (pos.len() * neg.len()) as f64
                    };
                    println!("  F1 {:.2} at {:.1}  AUC {auc:.3}", best.0, best.1);
                }
            }
        }
    }
}
