//! PC-stable: results with unambiguous tests, constraints, and early stops.

use std::ops::ControlFlow;

use crate::climbing::run;
use crate::random::id;
use kinfolk::counts::MemoryTally;
use kinfolk::data::RelatedData;
use kinfolk::graph::{Cpdag, Dag};
use kinfolk::score::{Bdeu, Bhd, Halt, Kin, Score, Scorer};
use kinfolk::search::{Constraints, Event, HillClimb, Rules, SearchMethod, SearchSpec, Stop};
use kinfolk::simulate::{Design, Level, Parameters, Scenario, Simulated, simulate};

fn pc(data: &RelatedData, rules: &Rules) -> HillClimb {
    let mut spec = SearchSpec::default();
    (spec.method, spec.rules) = (SearchMethod::Pc, rules.clone());
    spec.prepare(data.schema()).unwrap().climb
}

/// Identical data sets of many rows.
fn problem(nodes: usize, arcs: usize, seed: u64) -> Simulated {
    let design = Design {
        nodes,
        arcs,
        max_parents: Some(2),
        states: vec![3],
        rows: vec![4000; 2],
        parameters: Parameters::Id,
        level: Level::Joint,
        s: 10.0,
        alpha0: 1.0,
        scenario: Scenario::A,
    };
    simulate(&design, seed, 0).unwrap()
}

#[test]
fn with_many_rows_pc_finds_most_edges_of_the_truth_and_their_directions() {
    let (mut wrong, mut edges) = (0, 0);
    for seed in 0..8 {
        let made = problem(6, 5, seed);
        for score in [&Kin::default() as &dyn Score, &Bhd::default(), &Bdeu::default()] {
            let found = run(&made.data, score, &pc(&made.data, &Rules::default()));
            assert_eq!((found.stop, found.optimal, found.steps.len()), (Stop::Optimum, false, 0));
            wrong += kinfolk::graph::compare(&found.dag, made.truth.dag()).shd.cpdag;
            edges += made.truth.dag().arc_count();
        }
    }
    assert!(wrong * 3 <= edges, "{wrong} errors of {edges} edges");
}

#[test]
fn a_collider_and_a_chain_are_distinguished() {
    // Both ends cause the middle; then the middle lies between them.
    for (truth, directed) in [(vec![(0, 2), (1, 2)], 2), (vec![(0, 2), (2, 1)], 0)] {
        let dag = Dag::from_arcs(3, truth.iter().map(|&(from, to)| (id(from), id(to)))).unwrap();
        assert_eq!(Cpdag::of(&dag).directed().len(), directed);
        let found = (0..40)
            .map(|seed| problem(3, 2, 500 + seed))
            .filter(|made| Cpdag::of(made.truth.dag()) == Cpdag::of(&dag))
            .filter(|made| {
                let found = run(&made.data, &Bdeu::default(), &pc(&made.data, &Rules::default()));
                Cpdag::of(&found.dag) == Cpdag::of(&dag)
            });
        assert!(found.count() > 0, "{truth:?}");
    }
}

#[test]
fn pc_honours_required_and_forbidden_arcs_tiers_and_the_limit_on_parents() {
    for seed in 0..6 {
        let made = problem(7, 10, 100 + seed);
        let rules = Rules {
            max_parents: Some(1 + usize::try_from(seed).unwrap() % 2),
            required: vec![(id(5), id(1)), (id(6), id(5))],
            forbidden: vec![(id(0), id(4)), (id(4), id(0))],
            tiers: vec![vec![id(2), id(3)], vec![id(0), id(4)]],
        };
        let constraints = Constraints::new(made.data.schema(), &rules).unwrap();
        let found = run(&made.data, &Kin::default(), &pc(&made.data, &rules)).dag;
        assert!(found.has_arc(id(5), id(1)) && found.has_arc(id(6), id(5)));
        assert!(found.nodes().all(|node| found.parents(node).len() <= rules.max_parents.unwrap()));
        assert!(found.arcs().all(|(from, to)| constraints.allows(from, to)));
    }
}

#[test]
fn a_stopped_pc_leaves_untested_edges_in_and_threads_change_nothing() {
    let made = problem(6, 7, 3);
    let search = pc(&made.data, &Rules::default());
    let (tally, score) = (MemoryTally::new(&made.data), Bdeu::default());
    let mut stopping = |_: &Event<'_>| ControlFlow::Break(Halt::TimeLimit);
    let stopped = search.run(&mut Scorer::new(&tally, &score), Dag::empty(6), &mut stopping).unwrap();
    assert_eq!((stopped.stop, stopped.dag.arc_count()), (Stop::TimeLimit, 15));
    let found = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&made.data, &Kin::default(), &search))
    };
    assert_eq!(found(1), found(3));
}
