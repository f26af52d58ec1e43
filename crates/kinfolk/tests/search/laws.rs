//! Laws of the search: constraints hold, gains are differences of scores, threads and seeds decide nothing they should not.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::climbing::{plain, run};
use crate::random::{id, random_data};
use crate::related::read_related;
use kinfolk::counts::{Batch, Family, MemoryTally, Tally, TallyError, Visit};
use kinfolk::data::{RelatedData, Schema, Variable, VariableId};
use kinfolk::graph::{Dag, Move, modelstring};
use kinfolk::learned::{learn, score_structure};
use kinfolk::remedy::{Actionable, Neutral};
use kinfolk::score::{Bdeu, Bhd, Halt, ImaginarySampleSize, Kin, Score, Scorer};
use kinfolk::search::{Climb, ConstraintError, Constraints, Event, HillClimb, Rules, Search, Stop};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::Map;

/// Five binary variables A…E; E is constant.
fn letters() -> Schema {
    let variables = ["A", "B", "C", "D", "E"].map(|name| Variable {
        name: name.to_owned(),
        states: vec!["no".to_owned(), "yes".to_owned()],
        constant: name == "E",
    });
    Schema::new(variables.to_vec(), vec!["all".to_owned()])
}

fn refusal(rules: &Rules) -> String {
    Constraints::new(&letters(), rules).unwrap_err().message(&Neutral)
}

/// A plain hill-climb from this graph, without constraints.
fn plain_from(data: &RelatedData, start: Dag) -> Search {
    Search::plain(Constraints::none(data.schema()), start)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60, failure_persistence: None, rng_seed: RngSeed::Fixed(4), ..ProptestConfig::default()
    })]

    #[test]
    fn constraints_hold_at_every_step(
        seed in any::<u64>(),
        required in 0_usize..4,
        forbidden in prop::collection::vec((0_usize..6, 0_usize..6), 0..8),
        max_parents in 1_usize..4,
        cut in 1_usize..6,
        tabu in 0_usize..6,
        escapes in 0_usize..4,
    ) {
        let data = random_data(&[2, 3, 2, 2, 3, 2], &[30, 30], false, seed);
        let forbidden: Vec<_> =
            forbidden.into_iter().filter(|(from, to)| from != to && (*from, *to) != (required, 5)).collect();
        let rules = Rules {
            max_parents: Some(max_parents),
            required: vec![(id(required), id(5))],
            forbidden: forbidden.iter().map(|&(from, to)| (id(from), id(to))).collect(),
            tiers: vec![(0..cut).map(id).collect(), (cut..6).map(id).collect()],
        };
        let mut search = HillClimb::new(Constraints::new(data.schema(), &rules).unwrap());
        (search.tabu, search.restarts, search.perturb, search.seed) = (tabu, 2, 3, seed);
        search.escapes = escapes;
        let climb = run(&data, &kinfolk::score::LogLikelihood, &search);
        let mut dag = climb.start.clone();
        let steps = climb.steps.iter().map(|step| Some(step.made));
        for made in std::iter::once(None).chain(steps) {
            if let Some(made) = made {
                dag.apply(&made).unwrap();
            }
            prop_assert!(dag.has_arc(id(required), id(5)));
            prop_assert!(rules.forbidden.iter().all(|&(from, to)| !dag.has_arc(from, to)));
            prop_assert!(dag.nodes().all(|node| dag.parents(node).len() <= max_parents));
            prop_assert!(dag.arcs().all(|(from, to)| !(from.index() >= cut && to.index() < cut)));
        }
        prop_assert_eq!(dag, climb.dag);
    }

    #[test]
    fn every_gain_is_the_difference_of_two_full_scores(
        seed in any::<u64>(),
        tabu in 0_usize..6,
        escapes in 0_usize..4,
    ) {
        let data = random_data(&[2, 3, 2, 2], &[20, 30, 10], false, seed);
        let tally = MemoryTally::new(&data);
        let scores: [&dyn Score; 2] = [&Bhd::default(), &Bdeu::default()];
        for score in scores {
            let search = HillClimb { tabu, escapes, seed, ..plain(&data) };
            let climb = run(&data, score, &search);
            // Turning arcs on the way leads to other optima, mostly but not always to higher ones.
            prop_assert!(escapes > 0 || climb.score >= run(&data, score, &plain(&data)).score);
            let total = |dag: &Dag| score_structure(&Scorer::new(&tally, score), dag, Map::new()).unwrap().total;
            let mut dag = climb.start.clone();
            for step in &climb.steps {
                let before = total(&dag);
                dag.apply(&step.made).unwrap();
                prop_assert!((total(&dag) - before - step.gain).abs() < 1e-9);
            }
            prop_assert!((total(&climb.dag) - climb.score).abs() < 1e-9);
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    // Large enough that every step is shared out.
    let data = random_data(&[2, 3, 4, 9, 2, 3, 2, 2, 5, 3], &[9000, 4000, 7000], false, 12);
    let mut search = plain(&data);
    (search.restarts, search.perturb, search.seed, search.escapes) = (3, 4, 11, 3);
    for score in [&Bhd::default() as &dyn Score, &Kin::default(), &Bdeu::default()] {
        let climbs: Vec<Climb> = [1, 2, 5]
            .iter()
            .map(|&threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| run(&data, score, &search))
            })
            .collect();
        assert!(climbs.windows(2).all(|pair| pair[0] == pair[1]), "{}", score.name());
    }
}

#[test]
fn escapes_that_can_change_nothing_end_and_others_can_be_stopped() {
    let data = read_related("clinics");
    let once = run(&data, &Bdeu::default(), &plain(&data));
    let rules = Rules { required: once.dag.arcs().collect(), ..Rules::default() };
    let mut search = HillClimb::new(Constraints::new(data.schema(), &rules).unwrap());
    search.escapes = usize::MAX;
    assert_eq!(run(&data, &Bdeu::default(), &search).dag, once.dag);
    // An observer that is only called between attempts can stop the search, too.
    let (tally, score) = (MemoryTally::new(&data), Bdeu::default());
    let search = HillClimb { escapes: usize::MAX, ..plain(&data) };
    let mut attempts = 0;
    let mut observe = |event: &Event<'_>| match event {
        Event::Scoring(progress) if progress.of == 0 && attempts == 50 => ControlFlow::Break(Halt::TimeLimit),
        Event::Scoring(progress) => {
            attempts += usize::from(progress.of == 0);
            ControlFlow::Continue(())
        }
        _ => ControlFlow::Continue(()),
    };
    let start = Dag::empty(data.schema().variables().len());
    let climb = search.run(&mut Scorer::new(&tally, &score), start, &mut observe).unwrap();
    assert_eq!((climb.stop, attempts), (Stop::TimeLimit, 50));
    assert!(climb.score >= once.score);
}

#[test]
fn restarts_never_lower_the_score_and_are_reproducible() {
    let data = read_related("valleys");
    let once = run(&data, &Bdeu::default(), &plain(&data));
    let mut search = plain(&data);
    (search.restarts, search.perturb, search.seed) = (12, 6, 5);
    let again = run(&data, &Bdeu::default(), &search);
    assert!(again.score > once.score, "twelve restarts improve on the first optimum of these data");
    assert_eq!(again.restarts.len(), 12);
    assert_eq!(again, run(&data, &Bdeu::default(), &search));
    search.seed = 6;
    assert_ne!(again.restarts, run(&data, &Bdeu::default(), &search).restarts);
}

#[test]
fn escapes_end_at_an_optimum_and_are_reproducible() {
    let mut higher = 0;
    for name in ["valleys", "clinics", "cohorts"] {
        let data = read_related(name);
        let (plain, search) = (plain(&data), HillClimb { escapes: 10, seed: 5, ..plain(&data) });
        for score in [&Bdeu::default() as &dyn Score, &Bhd::default(), &Kin::default()] {
            let (once, climb) = (run(&data, score, &plain), run(&data, score, &search));
            assert_eq!(climb, run(&data, score, &search));
            assert!(climb.score >= once.score, "{name}, {}", score.name());
            higher += usize::from(climb.score > once.score);
            let tally = MemoryTally::new(&data);
            let mut scorer = Scorer::new(&tally, score);
            let on = plain.run(&mut scorer, climb.dag.clone(), &mut |_| ControlFlow::Continue(())).unwrap();
            assert_eq!((on.steps.len(), climb.stop), (0, Stop::Optimum), "no move gains at its end");
        }
    }
    assert!(higher > 0, "some of these optima can be left");
}

/// The gain of an edge reversal with greedy re-selection of both endpoints' parents from their former ones, without increasing the total
/// number of parents; `None` if there are none. Every network is scored as a whole.
fn gain_of_turning(dag: &Dag, from: VariableId, to: VariableId, total: &dyn Fn(&Dag) -> f64) -> Option<f64> {
    let mut pool: Vec<VariableId> = dag.parents(from).to_vec();
    let mut turned = dag.clone();
    for &parent in dag.parents(to).iter().filter(|&&parent| parent != from) {
        if dag.is_ancestor(from, parent) {
            turned.apply(&Move::drop(parent, to)).unwrap();
        } else {
            pool.push(parent);
        }
    }
    turned.apply(&Move::reverse(from, to)).unwrap();
    pool.sort_unstable();
    pool.dedup();
    if pool.is_empty() {
        return None;
    }
    loop {
        let here = total(&turned);
        let toggles = [to, from].into_iter().flat_map(|end| pool.iter().map(move |&parent| (parent, end)));
        let mut best: Option<(f64, Dag)> = None;
        for (parent, end) in toggles {
            if !turned.has_arc(parent, end) && turned.arc_count() == dag.arc_count() {
                continue;
            }
            let mut toggled = turned.clone();
            let toggle = if turned.has_arc(parent, end) { Move::drop } else { Move::add };
            toggled
                .apply(&toggle(parent, end))
                .expect("whoever was a parent of either end may be one of both");
            let gain = total(&toggled) - here;
            if gain > best.as_ref().map_or(0.0, |(best, _)| *best) + 1e-7 {
                best = Some((gain, toggled));
            }
        }
        match best {
            Some((_, better)) => turned = better,
            None => return Some(here - total(dag)),
        }
    }
}

#[test]
fn no_edge_reversal_gains_where_a_climb_with_escapes_ends() {
    let (mut turned, mut gained) = (0, 0);
    for seed in 0..30 {
        let data = random_data(&[2, 3, 2, 2, 3, 2], &[80], false, seed);
        // So much is imagined that arcs are added between variables that have nothing to do with each other.
        let score = Bdeu { iss: ImaginarySampleSize::new(20.0).unwrap() };
        let tally = MemoryTally::new(&data);
        let total = |dag: &Dag| score_structure(&Scorer::new(&tally, &score), dag, Map::new()).unwrap().total;
        let search = HillClimb { escapes: 1, ..plain(&data) };
        let gains = |dag: &Dag| -> Vec<f64> {
            dag.arcs().filter_map(|(from, to)| gain_of_turning(dag, from, to, &total)).collect()
        };
        let ended = gains(&run(&data, &score, &search).dag);
        assert!(ended.iter().all(|&gain| gain < 1e-6), "{seed}: {ended:?}");
        turned += ended.len();
        gained += usize::from(gains(&run(&data, &score, &plain(&data)).dag).iter().any(|&gain| gain > 1e-6));
    }
    assert!(turned > 20 && gained > 0, "{turned} arcs were tried, and in {gained} plain optima one gained");
}

#[test]
fn an_escape_that_is_stopped_leaves_the_optimum_before_it() {
    let data = read_related("clinics");
    let (tally, score) = (MemoryTally::new(&data), Bdeu::default());
    let start = || Dag::empty(data.schema().variables().len());
    let mut search = HillClimb { escapes: 1_000_000, ..plain(&data) };
    // Its state at the start of each attempt.
    let until = |attempts: usize, halt: Halt| {
        let (mut begun, mut steps) = (0, 0);
        let mut observe = |event: &Event<'_>| {
            match event {
                Event::Scoring(progress) => begun += usize::from(progress.of == 0),
                Event::Stepped { steps: so_far, .. } => steps = *so_far,
                Event::Restarted { .. } | Event::Exact(_) | Event::Improved { .. } | Event::Round { .. } => {}
            }
            if begun == attempts { ControlFlow::Break(halt) } else { ControlFlow::Continue(()) }
        };
        let climb = search.run(&mut Scorer::new(&tally, &score), start(), &mut observe).unwrap();
        assert_eq!(climb.stop, halt.into());
        let mut dag = climb.start.clone();
        climb.steps.iter().for_each(|step| dag.apply(&step.made).unwrap());
        assert_eq!(dag, climb.dag);
        (climb, steps)
    };
    let (first, steps) = until(1, Halt::TimeLimit);
    let (later, _) = until(300, Halt::Interrupted);
    assert!(later.score >= first.score && steps == first.steps.len());
    search.max_steps = Some(steps + 1);
    let short = run(&data, &score, &search);
    assert_eq!((short.stop, &short.dag, &short.steps), (Stop::MaxSteps, &first.dag, &first.steps));
}

#[test]
fn a_perturbation_that_is_stopped_leaves_the_best_network_before_it() {
    let data = read_related("clinics");
    let (tally, score) = (MemoryTally::new(&data), Bdeu::default());
    let found = run(&data, &score, &plain(&data));
    // More moves than anybody waits for.
    let search = HillClimb { restarts: 1, perturb: usize::MAX, ..plain(&data) };
    let mut asked = 0;
    let mut observe = |event: &Event<'_>| {
        asked += usize::from(matches!(event, Event::Scoring(progress) if progress.of == 0));
        if asked == 100 { ControlFlow::Break(Halt::TimeLimit) } else { ControlFlow::Continue(()) }
    };
    let start = Dag::empty(data.schema().variables().len());
    let climb = search.run(&mut Scorer::new(&tally, &score), start, &mut observe).unwrap();
    assert_eq!(climb, Climb { stop: Stop::TimeLimit, ..found });
}

#[test]
fn the_reason_for_stopping_is_reported() {
    let data = read_related("clinics");
    let mut search = plain(&data);
    assert_eq!(run(&data, &Bhd::default(), &search).stop, Stop::Optimum);
    search.max_steps = Some(2);
    let short = run(&data, &Bhd::default(), &search);
    assert_eq!((short.stop, short.steps.len()), (Stop::MaxSteps, 2));
    for (halt, stop) in [(Halt::TimeLimit, Stop::TimeLimit), (Halt::Interrupted, Stop::Interrupted)] {
        let tally = MemoryTally::new(&data);
        let score = Bhd::default();
        let mut scorer = Scorer::new(&tally, &score);
        let mut observe = |event: &Event<'_>| match event {
            Event::Stepped { steps: 3, .. } => ControlFlow::Break(halt),
            _ => ControlFlow::Continue(()),
        };
        let climb = plain(&data).run(&mut scorer, Dag::empty(6), &mut observe).unwrap();
        assert_eq!((climb.stop, climb.steps.len()), (stop, 3));
        assert!(climb.score.is_finite());
    }
}

#[test]
fn a_stop_before_the_first_move_returns_the_start_with_its_score() {
    let data = read_related("clinics");
    let tally = MemoryTally::new(&data);
    let score = Bdeu::default();
    let mut scorer = Scorer::new(&tally, &score);
    let mut halt = |_: &Event<'_>| ControlFlow::Break(Halt::Interrupted);
    let learned = learn(&mut scorer, &plain_from(&data, Dag::empty(6)), Map::new(), &mut halt).unwrap();
    assert_eq!(
        (learned.structure.as_str(), learned.stop),
        ("[V01][V02][V03][V04][V05][V06]", Stop::Interrupted)
    );
    // The sum of bnlearn's scores of the empty network.
    assert!((learned.score - -3_457.749_180_054_22).abs() < 1e-8, "{}", learned.score);
}

#[test]
fn contradictions_are_named() {
    let (a, b, c) = (id(0), id(1), id(2));
    let arcs = |arcs: &[_]| Rules { required: arcs.to_vec(), ..Rules::default() };
    assert!(refusal(&arcs(&[(a, a)])).contains("`A` to itself"));
    assert!(refusal(&arcs(&[(a, b), (b, a)])).contains("both `A` → `B` and `B` → `A`"));
    assert!(refusal(&arcs(&[(a, b), (b, c), (c, a)])).contains("cycle: `"));
    let both = Rules { forbidden: vec![(a, b)], ..arcs(&[(a, b)]) };
    assert!(refusal(&both).contains("`A` → `B` is on the whitelist and on the blacklist"));
    let tiers = Rules { tiers: vec![vec![b], vec![a]], ..arcs(&[(a, b)]) };
    assert!(refusal(&tiers).contains("tiers put `A` after `B`"));
    let twice = Rules { tiers: vec![vec![a], vec![a, b]], ..Rules::default() };
    assert!(refusal(&twice).contains("`A` is in more than one tier"));
    let many = Rules { max_parents: Some(1), ..arcs(&[(a, c), (b, c)]) };
    assert!(
        refusal(&many)
            .contains("gives `C` more parents (2) than max_parents allows (1); raise the limit on parents")
    );
    assert!(refusal(&arcs(&[(id(4), a)])).contains("`E` has the same state in every row"));
}

#[test]
fn a_start_graph_that_breaks_the_rules_is_refused() {
    let schema = letters();
    let (a, b) = (id(0), id(1));
    let refused = |rules: &Rules, arcs: &[_]| {
        let start = Dag::from_arcs(5, arcs.iter().copied()).unwrap();
        Constraints::new(&schema, rules).unwrap().start(&start).unwrap_err()
    };
    let forbidden = Rules { forbidden: vec![(a, b)], ..Rules::default() };
    assert!(refused(&forbidden, &[(a, b)]).to_string().contains("is on the blacklist"));
    let required = Rules { required: vec![(a, b)], ..Rules::default() };
    assert!(refused(&required, &[(b, a)]).to_string().contains("in the other direction"));
    assert!(matches!(
        refused(&required, &[(b, id(2)), (id(2), a)]),
        ConstraintError::StartCycle(cycle) if cycle.contains("`A`")
    ));
    let one = Rules { max_parents: Some(1), ..Rules::default() };
    assert!(matches!(
        refused(&one, &[(a, id(2)), (b, id(2))]),
        ConstraintError::StartTooMany { parents: 2, allowed: 1, .. }
    ));
    assert!(refused(&Rules::default(), &[(id(4), a)]).to_string().contains("same state in every row"));
}

#[test]
fn a_constant_column_is_never_a_parent() {
    let constraints = Constraints::none(&letters());
    for other in 0..4 {
        assert!(!constraints.allows(id(4), id(other)));
        assert!(constraints.allows(id(other), id(4)));
    }
}

#[test]
fn a_small_memory_for_scores_changes_nothing_but_the_work() {
    let data = read_related("valleys");
    let tally = MemoryTally::new(&data);
    let score = Bhd::default();
    let mut roomy = Scorer::new(&tally, &score);
    let mut narrow = Scorer::new(&tally, &score).keep_at_most(20);
    let start = Dag::empty(10);
    let run = |scorer: &mut Scorer<'_>| {
        plain(&data).run(scorer, start.clone(), &mut |_| ControlFlow::Continue(())).unwrap()
    };
    assert_eq!(run(&mut roomy), run(&mut narrow));
    assert!(narrow.scored() > roomy.scored());
}

#[test]
fn the_gain_of_an_arc_is_the_difference_of_two_full_scores() {
    let data = read_related("clinics");
    let names = data.schema().names();
    let tally = MemoryTally::new(&data);
    let score = Bhd::default();
    let mut scorer = Scorer::new(&tally, &score);
    let search = plain_from(&data, Dag::empty(6));
    let learned = learn(&mut scorer, &search, Map::new(), &mut |_| ControlFlow::Continue(())).unwrap();
    let full = modelstring::parse(&learned.structure, &names).unwrap();
    assert_eq!(learned.arcs.len(), full.arc_count());
    for arc in &learned.arcs {
        let find = |name: &str| data.schema().find(name).unwrap();
        let mut without = full.clone();
        without.apply(&Move::drop(find(&arc.from), find(&arc.to))).unwrap();
        let without = score_structure(&scorer, &without, Map::new()).unwrap();
        assert!((learned.score - without.total - arc.gain.unwrap()).abs() < 1e-9);
        let (with, without) = (learned.by_data_set.clone().unwrap().0, without.by_data_set.unwrap().0);
        for ((gain, with), without) in arc.by_data_set.as_ref().unwrap().0.iter().zip(with).zip(without) {
            assert_eq!(gain.0, with.0);
            assert!((gain.1 - (with.1 - without.1)).abs() < 1e-9);
        }
    }
}

/// A slow tally that records the number of families per request.
struct Slow<'a> {
    tally: MemoryTally<'a>,
    largest: AtomicUsize,
}

impl Tally for Slow<'_> {
    fn schema(&self) -> &Schema {
        self.tally.schema()
    }

    fn cost(&self, _: &Family) -> f64 {
        3e8
    }

    fn visit_many(&self, batch: &Batch, visit: Visit<'_>) -> Result<(), TallyError> {
        self.largest.fetch_max(batch.len(), Ordering::Relaxed);
        self.tally.visit_many(batch, visit)
    }
}

#[test]
fn expensive_families_are_scored_one_at_a_time_between_calls_of_the_observer() {
    let data = read_related("clinics");
    let slow = Slow { tally: MemoryTally::new(&data), largest: AtomicUsize::new(0) };
    let score = Bdeu::default();
    let mut asked = 0;
    let mut scorer = Scorer::new(&slow, &score);
    let mut observe = |_: &Event<'_>| {
        asked += 1;
        if asked == 9 { ControlFlow::Break(Halt::TimeLimit) } else { ControlFlow::Continue(()) }
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let start = Dag::empty(6);
    let climb = plain(&data);
    let climb = pool.scope(|_| climb.run(&mut scorer, start, &mut observe)).unwrap();
    assert_eq!((climb.stop, climb.steps.len(), scorer.scored()), (Stop::TimeLimit, 0, 8));
    assert_eq!(slow.largest.load(Ordering::Relaxed), 1);
    // Even then the result is reported, without the parts that would take as long again.
    let slow = Slow { tally: MemoryTally::new(&data), largest: AtomicUsize::new(0) };
    let start = modelstring::parse("[V01][V02|V01][V03][V04][V05][V06]", &data.schema().names()).unwrap();
    let mut scorer = Scorer::new(&slow, &score);
    let mut halt = |_: &Event<'_>| ControlFlow::Break(Halt::TimeLimit);
    let learned = learn(&mut scorer, &plain_from(&data, start), Map::new(), &mut halt);
    assert!(learned.unwrap().arcs[0].gain.is_some(), "one arc is quick enough");
    let start = Dag::from_arcs(6, (1..6).map(|to| (id(0), id(to)))).unwrap();
    let learned = learn(&mut scorer, &plain_from(&data, start), Map::new(), &mut halt);
    let learned = learned.unwrap();
    assert!(learned.score.is_finite() && learned.arcs.iter().all(|arc| arc.gain.is_none()));
}
