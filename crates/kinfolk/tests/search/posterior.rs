//! Exact search and posterior probabilities against the enumeration of all graphs.

use std::ops::ControlFlow;

use crate::random::{id, random_data};
use kinfolk::counts::{Batch, Family, MemoryTally};
use kinfolk::data::{RelatedData, VariableId};
use kinfolk::graph::Dag;
use kinfolk::posterior::{
    Feature, FinishedSweeps, NamedPosterior, NetworkPosterior, PosteriorError, PosteriorEvent,
    PosteriorMethod, PosteriorOptions, arc_posterior, resumed_posterior,
};
use kinfolk::score::{Aic, Bdeu, Bhd, Halt, Kin, Score, ScoreError, Scorer};
use kinfolk::search::{Constraints, ExactError, HillClimb, Rules, optimum};
use kinfolk::simulate::{Design, Level, Parameters, Scenario, simulate};
use serde_json::Map;

/// All acyclic graphs on the variables: 543 of four, 29,281 of five.
fn all_graphs(variables: usize) -> Vec<Dag> {
    let pairs: Vec<(usize, usize)> =
        (0..variables).flat_map(|a| (a + 1..variables).map(move |b| (a, b))).collect();
    let number = 3_usize.pow(u32::try_from(pairs.len()).unwrap());
    let graph = |mut code: usize| {
        let mut arcs = Vec::new();
        for &(a, b) in &pairs {
            match code % 3 {
                1 => arcs.push((id(a), id(b))),
                2 => arcs.push((id(b), id(a))),
                _ => {}
            }
            code /= 3;
        }
        Dag::from_arcs(variables, arcs).ok()
    };
    (0..number).filter_map(graph).collect()
}

/// The scores of all graphs that keep the constraints.
fn enumerated(scorer: &mut Scorer<'_>, constraints: &Constraints) -> Vec<(Dag, f64)> {
    let variables = scorer.schema().variables().len();
    let keeps = |dag: &Dag| {
        dag.arcs().all(|(from, to)| constraints.allows(from, to) || constraints.requires(from, to))
            && dag.nodes().all(|node| dag.parents(node).len() <= constraints.max_parents())
            && dag.nodes().all(|to| {
                dag.nodes()
                    .filter(|&from| from != to && constraints.requires(from, to))
                    .all(|from| dag.has_arc(from, to))
            })
    };
    let graphs: Vec<Dag> = all_graphs(variables).into_iter().filter(keeps).collect();
    graphs
        .into_iter()
        .map(|dag| {
            let families: Vec<Family> = dag.nodes().map(|node| Family::of(&dag, node)).collect();
            let scores = scorer.scores(&Batch::of(&families), &mut |_| ControlFlow::Continue(())).unwrap();
            let total = scores.iter().map(|score| score.total).sum();
            (dag, total)
        })
        .collect()
}

/// The probability of a feature by enumeration, with a weight per graph in addition to its score.
fn feature_probability(
    graphs: &[(Dag, f64)],
    weight: impl Fn(&Dag) -> f64,
    has: impl Fn(&Dag) -> bool,
) -> f64 {
    let best = graphs.iter().map(|(_, score)| *score).fold(f64::NEG_INFINITY, f64::max);
    let sum = |of: &dyn Fn(&Dag) -> bool| -> f64 {
        graphs.iter().filter(|(dag, _)| of(dag)).map(|(dag, score)| weight(dag) * (score - best).exp()).sum()
    };
    sum(&has) / sum(&|_| true)
}

/// The probability of an arc by enumeration.
fn probability(graphs: &[(Dag, f64)], weight: impl Fn(&Dag) -> f64, from: VariableId, to: VariableId) -> f64 {
    feature_probability(graphs, weight, |dag| dag.has_arc(from, to))
}

/// The number of orders that a graph agrees with.
fn orders(dag: &Dag) -> f64 {
    fn count(dag: &Dag, left: &[VariableId]) -> f64 {
        if left.is_empty() {
            return 1.0;
        }
        let free = left.iter().filter(|&&node| !dag.parents(node).iter().any(|parent| left.contains(parent)));
        free.map(|node| count(dag, &left.iter().copied().filter(|other| other != node).collect::<Vec<_>>()))
            .sum()
    }
    count(dag, &dag.nodes().collect::<Vec<_>>())
}

/// Five related variables with some dependence, so that probabilities are neither 0 nor 1.
fn related(rows: usize, seed: u64) -> RelatedData {
    simulated(5, 5, vec![rows; 3], seed)
}

fn simulated(nodes: usize, arcs: usize, rows: Vec<usize>, seed: u64) -> RelatedData {
    let design = Design {
        nodes,
        arcs,
        max_parents: None,
        states: vec![2],
        rows,
        parameters: Parameters::Hier,
        level: Level::Configuration,
        s: 10.0,
        alpha0: 1.0,
        scenario: Scenario::A,
    };
    simulate(&design, seed, 0).unwrap().data
}

fn scores() -> Vec<Box<dyn Score>> {
    vec![Box::new(Kin::default()), Box::new(Bhd::default()), Box::new(Bdeu::default())]
}

fn rules() -> Vec<Rules> {
    vec![
        Rules::default(),
        Rules { max_parents: Some(2), ..Rules::default() },
        Rules {
            required: vec![(id(3), id(1)), (id(1), id(0))],
            forbidden: vec![(id(2), id(4))],
            ..Rules::default()
        },
        Rules { tiers: vec![vec![id(4)], vec![id(0), id(2)]], ..Rules::default() },
    ]
}

#[test]
fn exact_search_finds_the_best_of_all_graphs() {
    for (seed, rows) in [(1, 20), (2, 60), (3, 200)] {
        let data = related(rows, seed);
        let tally = MemoryTally::new(&data);
        for score in scores() {
            for rules in rules() {
                let constraints = Constraints::new(data.schema(), &rules).unwrap();
                let mut scorer = Scorer::new(&tally, score.as_ref());
                let graphs = enumerated(&mut scorer, &constraints);
                let best = graphs.iter().map(|(_, score)| *score).fold(f64::NEG_INFINITY, f64::max);
                let found = optimum(&mut scorer, &constraints, &mut |_| ControlFlow::Continue(())).unwrap();
                assert!((found.score - best).abs() < 1e-9, "{}: {} and {best}", score.name(), found.score);
                let (_, own) =
                    graphs.iter().find(|(dag, _)| *dag == found.dag).expect("it keeps the constraints");
                assert!((own - best).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn exact_probabilities_equal_those_of_all_graphs() {
    for (seed, rows) in [(4, 15), (5, 80), (6, 2000)] {
        let data = related(rows, seed);
        let tally = MemoryTally::new(&data);
        for score in scores() {
            for rules in rules() {
                let constraints = Constraints::new(data.schema(), &rules).unwrap();
                let mut scorer = Scorer::new(&tally, score.as_ref());
                let graphs = enumerated(&mut scorer, &constraints);
                let options = PosteriorOptions::new(constraints);
                let found = arc_posterior(&mut scorer, &options, &mut |_| ControlFlow::Continue(())).unwrap();
                for from in data.schema().ids() {
                    for to in data.schema().ids().filter(|&to| to != from) {
                        let expected = probability(&graphs, |_| 1.0, from, to);
                        let error = (found.arc(from, to) - expected).abs();
                        assert!(error < 1e-10, "{} {from:?} {to:?}: {error:e} of {expected}", score.name());
                    }
                }
            }
        }
    }
}

#[test]
fn chains_approach_the_posterior_that_is_uniform_over_orders() {
    let mut open = 0;
    for (seed, rows) in [(7, 15), (8, 60)] {
        let data = related(rows, seed);
        let tally = MemoryTally::new(&data);
        for rules in rules() {
            let constraints = Constraints::new(data.schema(), &rules).unwrap();
            let kin = Kin::default();
            let mut scorer = Scorer::new(&tally, &kin);
            let graphs = enumerated(&mut scorer, &constraints);
            let mut options = PosteriorOptions::new(constraints);
            options.method = PosteriorMethod::Mcmc;
            let found = arc_posterior(&mut scorer, &options, &mut |_| ControlFlow::Continue(())).unwrap();
            assert!(found.chains.unwrap().converged, "{:?}", found.chains);
            for from in data.schema().ids() {
                for to in data.schema().ids().filter(|&to| to != from) {
                    let expected = probability(&graphs, orders, from, to);
                    let error = (found.arc(from, to) - expected).abs();
                    assert!(error < 0.02, "{from:?} {to:?}: {} instead of {expected}", found.arc(from, to));
                    open += usize::from((0.05..0.95).contains(&expected));
                }
            }
        }
    }
    assert!(open > 40, "only {open} arcs were uncertain enough to test anything");
}

/// The exact arc probabilities with a prior uniform over orders, by sums over the sets of variables that come first (Koivisto and Sood 2004).
fn exact_over_orders(scorer: &mut Scorer<'_>) -> Vec<Vec<f64>> {
    let variables = scorer.schema().variables().len();
    let subsets = 1_usize << variables;
    let parents = |set: usize| (0..variables).filter(move |&v| set >> v & 1 == 1).map(id);
    // For every variable and set of possible parents, the sum over its parent sets within; with an arc, over those that have it.
    let mut within = vec![vec![0.0_f64; subsets]; variables];
    for (variable, sums) in within.iter_mut().enumerate() {
        let sets: Vec<usize> = (0..subsets).filter(|set| set >> variable & 1 == 0).collect();
        let families: Vec<Family> = sets.iter().map(|&set| Family::new(id(variable), parents(set))).collect();
        let scores = scorer.scores(&Batch::of(&families), &mut |_| ControlFlow::Continue(())).unwrap();
        let highest = scores.iter().map(|score| score.total).fold(f64::NEG_INFINITY, f64::max);
        for (&set, score) in sets.iter().zip(&scores) {
            sums[set] = (score.total - highest).exp();
        }
    }
    let summed = |weights: &[f64], must: usize| -> Vec<f64> {
        let kept = |set: usize| if set & must == must { weights[set] } else { 0.0 };
        let mut sums: Vec<f64> = (0..subsets).map(kept).collect();
        for bit in 0..variables {
            (0..subsets)
                .filter(|set| set >> bit & 1 == 1)
                .for_each(|set| sums[set] += sums[set ^ (1 << bit)]);
        }
        sums
    };
    let all: Vec<Vec<f64>> = within.iter().map(|weights| summed(weights, 0)).collect();
    // The sums over all orders of the variables in a set, and over all orders of the others after it.
    let (mut first, mut last) = (vec![0.0; subsets], vec![0.0; subsets]);
    (first[0], last[subsets - 1]) = (1.0, 1.0);
    for set in 0..subsets {
        for v in (0..variables).filter(|v| set >> v & 1 == 0) {
            first[set | 1 << v] += first[set] * all[v][set];
        }
    }
    for set in (0..subsets).rev() {
        for v in (0..variables).filter(|v| set >> v & 1 == 0) {
            last[set] += last[set | 1 << v] * all[v][set];
        }
    }
    let arc = |from: usize, to: usize| {
        let having = summed(&within[to], 1 << from);
        let sets = (0..subsets).filter(|set| set >> to & 1 == 0);
        sets.map(|set| first[set] * having[set] * last[set | 1 << to]).sum::<f64>() / last[0]
    };
    (0..variables)
        .map(|from| (0..variables).map(|to| if from == to { 0.0 } else { arc(from, to) }).collect())
        .collect()
}

#[test]
fn chains_are_on_average_within_a_hundredth_of_the_exact_sums_over_orders() {
    let mut open = 0;
    for nodes in [5, 6, 8] {
        for (stream, parameters) in (0..).zip([Parameters::Hier, Parameters::Iid, Parameters::Id]) {
            let design = Design {
                nodes,
                arcs: nodes + 1,
                max_parents: Some(3),
                states: vec![2, 3],
                rows: vec![100; 5],
                parameters,
                level: Level::Joint,
                s: 10.0,
                alpha0: 1.0,
                scenario: Scenario::A,
            };
            let data = simulate(&design, 7701, stream).unwrap().data;
            let tally = MemoryTally::new(&data);
            let kin = Kin::default();
            let mut scorer = Scorer::new(&tally, &kin);
            let exact = exact_over_orders(&mut scorer);
            let mut options = PosteriorOptions::new(Constraints::none(data.schema()));
            options.method = PosteriorMethod::Mcmc;
            let found = arc_posterior(&mut scorer, &options, &mut |_| ControlFlow::Continue(())).unwrap();
            let pairs = (0..nodes).flat_map(|a| (0..nodes).filter(move |&b| a != b).map(move |b| (a, b)));
            let arcs: Vec<(f64, f64)> = pairs.map(|(a, b)| (exact[a][b], found.arc(id(a), id(b)))).collect();
            open += arcs.iter().filter(|(exact, _)| (0.05..0.95).contains(exact)).count();
            let error =
                arcs.iter().map(|(exact, found)| (exact - found).abs()).sum::<f64>() / arcs.len() as f64;
            assert!(error <= 0.01, "{nodes} variables, {parameters:?}: {error}");
        }
    }
    assert!(open > 20, "only {open} arcs were uncertain enough to test anything");
}

/// All paths and all memberships in Markov blankets, with functions that test a graph for them.
fn paths_and_blankets(data: &RelatedData) -> Vec<Feature> {
    let pairs = data.schema().ids().flat_map(|a| data.schema().ids().map(move |b| (a, b)));
    pairs.filter(|(a, b)| a != b).flat_map(|(a, b)| [Feature::Path(a, b), Feature::InBlanket(a, b)]).collect()
}

/// Whether a graph has a path or a member of a Markov blanket, by definition.
fn has(dag: &Dag, feature: Feature) -> bool {
    fn reaches(dag: &Dag, from: VariableId, to: VariableId) -> bool {
        dag.parents(to).iter().any(|&parent| parent == from || reaches(dag, from, parent))
    }
    match feature {
        Feature::Path(from, to) => reaches(dag, from, to),
        Feature::InBlanket(a, b) => {
            dag.adjacent(a, b) || dag.nodes().any(|child| dag.has_arc(a, child) && dag.has_arc(b, child))
        }
        _ => unreachable!("only these are asked for"),
    }
}

#[test]
fn exact_paths_and_blankets_equal_those_of_all_graphs() {
    for (seed, rows) in [(4, 15), (5, 80)] {
        let data = related(rows, seed);
        let tally = MemoryTally::new(&data);
        let kin = Kin::default();
        for rules in rules() {
            let constraints = Constraints::new(data.schema(), &rules).unwrap();
            let mut scorer = Scorer::new(&tally, &kin);
            let graphs = enumerated(&mut scorer, &constraints);
            let mut options = PosteriorOptions::new(constraints);
            options.features = paths_and_blankets(&data);
            let found = arc_posterior(&mut scorer, &options, &mut |_| ControlFlow::Continue(())).unwrap();
            for (feature, found) in options.features.iter().zip(&found.features) {
                let expected = feature_probability(&graphs, |_| 1.0, |dag| has(dag, *feature));
                let error = (found.probability - expected).abs();
                assert!(error < 1e-10, "{feature:?}: {error:e} of {expected}");
                assert_eq!(found.standard_error, None);
            }
        }
    }
}

#[test]
fn sampled_paths_and_blankets_are_within_their_standard_errors_of_those_uniform_over_orders() {
    let data = related(30, 12);
    let tally = MemoryTally::new(&data);
    let kin = Kin::default();
    let mut scorer = Scorer::new(&tally, &kin);
    let mut options = PosteriorOptions::new(Constraints::none(data.schema()));
    options.features = paths_and_blankets(&data);
    let graphs = enumerated(&mut scorer, &options.constraints);
    options.method = PosteriorMethod::Mcmc;
    let sampled = arc_posterior(&mut scorer, &options, &mut |_| ControlFlow::Continue(())).unwrap();
    let mut open = 0;
    for (feature, sampled) in options.features.iter().zip(&sampled.features) {
        let error = sampled.standard_error.unwrap();
        let expected = feature_probability(&graphs, orders, |dag| has(dag, *feature));
        let apart = (expected - sampled.probability).abs();
        assert!(apart <= 5.0 * error + 1e-3, "{feature:?}: {expected} and {sampled:?}");
        open += usize::from((0.05..0.95).contains(&expected) && error > 0.0);
    }
    assert!(open > 10, "only {open} features were uncertain enough to test anything");
    // Features do not change the chains.
    options.features.clear();
    let alone = arc_posterior(&mut scorer, &options, &mut |_| ControlFlow::Continue(())).unwrap();
    for from in data.schema().ids() {
        assert!(data.schema().ids().all(|to| alone.arc(from, to) == sampled.arc(from, to)));
    }
}

#[test]
fn chains_that_were_stopped_continue_as_if_they_had_not_been() {
    let data = related(40, 13);
    let tally = MemoryTally::new(&data);
    let kin = Kin::default();
    let mut options = PosteriorOptions::new(Constraints::none(data.schema()));
    options.method = PosteriorMethod::Mcmc;
    options.features = vec![Feature::Path(id(0), id(3))];
    // Runs until that many sweeps are made, and returns the result with all new records.
    let run = |stop_at: usize, done: Option<&[FinishedSweeps]>| {
        let mut records = Vec::new();
        let found =
            resumed_posterior(&mut Scorer::new(&tally, &kin), &options, done, &mut |event| match event {
                PosteriorEvent::Sampling { sweeps, finished, .. } => {
                    records.extend_from_slice(finished);
                    if sweeps >= stop_at {
                        ControlFlow::Break(Halt::Interrupted)
                    } else {
                        ControlFlow::Continue(())
                    }
                }
                _ => ControlFlow::Continue(()),
            });
        (found, records)
    };
    let (whole, all) = run(usize::MAX, None);
    let whole = whole.unwrap();
    let (_, first) = run(40, Some(&[]));
    assert_eq!(first.len(), 4 * 40 / 8);
    let (continued, second) = run(usize::MAX, Some(&first));
    assert_eq!(continued.unwrap(), whole);
    assert_eq!([first.clone(), second].concat(), all);
    // A kill may leave the records of some chains alone, and another damage none that fit.
    let (continued, _) = run(usize::MAX, Some(&first[..first.len() - 3]));
    assert_eq!(continued.unwrap(), whole);
    let mut damaged = first;
    damaged[5].orders[0] = "0 0 7".to_owned();
    let (refused, _) = run(usize::MAX, Some(&damaged));
    assert_eq!(refused.unwrap_err(), PosteriorError::Record { chain: 1, sweeps: 8 });
    options.method = PosteriorMethod::Exact;
    let mut scorer = Scorer::new(&tally, &kin);
    let refused = resumed_posterior(&mut scorer, &options, Some(&[]), &mut |_| panic!("nothing is begun"));
    assert_eq!(refused.unwrap_err(), PosteriorError::NothingToResume);
}

#[test]
fn a_network_gets_the_probabilities_of_its_arcs_and_of_absent_edges() {
    let data = related(60, 14);
    let tally = MemoryTally::new(&data);
    let bdeu = Bdeu::default();
    let mut scorer = Scorer::new(&tally, &bdeu);
    let options = PosteriorOptions::new(Constraints::none(data.schema()));
    let posterior = arc_posterior(&mut scorer, &options, &mut |_| ControlFlow::Continue(())).unwrap();
    let dag = Dag::from_arcs(5, [(id(0), id(1)), (id(3), id(2))]).unwrap();
    let told = NetworkPosterior::new(&scorer, data.schema(), &posterior, &dag, 4);
    assert_eq!((told.arcs.len(), told.left_out.len()), (2, 4));
    let arc = &told.arcs[1];
    assert_eq!((arc.arc, arc.reversed), (posterior.arc(id(3), id(2)), posterior.arc(id(2), id(3))));
    assert_eq!(arc.edge, posterior.edge(id(2), id(3)));
    assert!(told.left_out.is_sorted_by(|a, b| a.probability >= b.probability));
    let names = data.schema().names();
    assert!(told.left_out.iter().all(|edge| edge.between != [names[0].clone(), names[1].clone()]));
    // Three data sets and a pooled score: the numbers come with the sentence.
    assert!(told.summary.caution.unwrap().contains("overconfident"));
}

#[test]
fn the_posterior_does_not_depend_on_threads_and_the_seed_decides_it() {
    let data = related(40, 9);
    let tally = MemoryTally::new(&data);
    let kin = Kin::default();
    let run = |threads, seed| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut options = PosteriorOptions::new(Constraints::none(data.schema()));
            (options.method, options.seed) = (PosteriorMethod::Mcmc, seed);
            arc_posterior(&mut Scorer::new(&tally, &kin), &options, &mut |_| ControlFlow::Continue(()))
                .unwrap()
        })
    };
    assert_eq!(run(1, 3), run(4, 3));
    assert_ne!(run(1, 3), run(1, 4));
}

#[test]
fn the_default_search_reaches_the_optimum_of_most_problems_and_exceeds_it_in_none() {
    let mut reached = 0;
    for seed in 0..10 {
        let data = simulated(8, 10, vec![100; 4], seed);
        let tally = MemoryTally::new(&data);
        let kin = Kin::default();
        let mut scorer = Scorer::new(&tally, &kin);
        let constraints = Constraints::none(data.schema());
        let best = optimum(&mut scorer, &constraints, &mut |_| ControlFlow::Continue(())).unwrap().score;
        let search = HillClimb { escapes: 20, ..HillClimb::new(constraints) };
        let climb = search.run(&mut scorer, Dag::empty(8), &mut |_| ControlFlow::Continue(())).unwrap();
        assert!(climb.score <= best + 1e-9);
        reached += usize::from(climb.score > best - 1e-6);
    }
    assert!(reached >= 5, "only {reached} of 10");
}

#[test]
fn the_averaged_network_has_every_probable_edge_and_is_named() {
    let data = related(2000, 10);
    let tally = MemoryTally::new(&data);
    let kin = Kin::default();
    let mut scorer = Scorer::new(&tally, &kin);
    let constraints = Constraints::none(data.schema());
    let options = PosteriorOptions::new(constraints.clone());
    let posterior = arc_posterior(&mut scorer, &options, &mut |_| ControlFlow::Continue(())).unwrap();
    let (dag, left_out) = posterior.averaged(0.5, &constraints);
    let probable = data.schema().ids().flat_map(|a| data.schema().ids().map(move |b| (a, b)));
    for (a, b) in probable.filter(|&(a, b)| a < b && posterior.edge(a, b) >= 0.5) {
        assert!(dag.adjacent(a, b) || left_out.contains(&(a, b)) || left_out.contains(&(b, a)));
    }
    assert_eq!(left_out, []);
    let named = NamedPosterior::new(&scorer, data.schema(), &posterior, &constraints, 0.5, Map::new());
    assert!(named.edges.is_sorted_by(|a, b| a.probability >= b.probability));
    assert_eq!(
        (named.summary.method, named.summary.caution, named.arcs.len(), named.edges.len()),
        ("exact", None, 20, 10)
    );
}

#[test]
fn impossible_posteriors_are_refused_before_scoring() {
    let data = random_data(&[2; 31], &[10], false, 1);
    let tally = MemoryTally::new(&data);
    let bdeu = Bdeu::default();
    let mut scorer = Scorer::new(&tally, &bdeu);
    let constraints = Constraints::none(data.schema());
    let error = optimum(&mut scorer, &constraints, &mut |_| panic!("nothing is begun")).unwrap_err();
    assert_eq!(error, ExactError::TooManyVariables { variables: 31, most: 30 });
    let mut options = PosteriorOptions::new(constraints);
    options.method = PosteriorMethod::Exact;
    let error = arc_posterior(&mut scorer, &options, &mut |_| panic!("nothing is begun")).unwrap_err();
    assert_eq!(error, PosteriorError::TooManyForExact { variables: 31, most: 16 });
    (options.method, options.chains) = (PosteriorMethod::Mcmc, 1);
    let error = arc_posterior(&mut scorer, &options, &mut |_| panic!("nothing is begun")).unwrap_err();
    assert_eq!(error, PosteriorError::TooFewChains(1));
    let aic = Aic;
    let mut scorer = Scorer::new(&tally, &aic);
    let error = arc_posterior(&mut scorer, &options, &mut |_| panic!("nothing is begun")).unwrap_err();
    assert_eq!(error, PosteriorError::NoEvidence("aic"));
    let data = random_data(&[2; 28], &[10], false, 1);
    let tally = MemoryTally::new(&data);
    let mut scorer = Scorer::new(&tally, &bdeu);
    let constraints = Constraints::none(data.schema());
    let error = optimum(&mut scorer, &constraints, &mut |_| panic!("nothing is begun")).unwrap_err();
    assert!(matches!(error, ExactError::TooManyFamilies { .. }), "{error}");
}

#[test]
fn a_requested_stop_ends_exact_search_and_keeps_samples() {
    let data = related(40, 11);
    let tally = MemoryTally::new(&data);
    let kin = Kin::default();
    let mut scorer = Scorer::new(&tally, &kin);
    let constraints = Constraints::none(data.schema());
    let halted =
        optimum(&mut scorer, &constraints, &mut |_| ControlFlow::Break(Halt::TimeLimit)).unwrap_err();
    assert_eq!(halted, ExactError::Score(ScoreError::Halted(Halt::TimeLimit)));
    let mut options = PosteriorOptions::new(constraints);
    options.method = PosteriorMethod::Mcmc;
    let mut calls = 0;
    let found = arc_posterior(&mut scorer, &options, &mut |event| {
        calls += usize::from(matches!(event, PosteriorEvent::Sampling { .. }));
        if calls == 3 { ControlFlow::Break(Halt::Interrupted) } else { ControlFlow::Continue(()) }
    })
    .unwrap();
    let chains = found.chains.unwrap();
    assert_eq!((chains.sweeps, chains.halted, chains.converged), (24, Some(Halt::Interrupted), false));
}
