//! Laws of the search: constraints hold, gains are differences of scores, threads and seeds decide nothing they should not.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

mod random;
mod related;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use kinfolk::counts::{Counts, Family, MemoryTally, Tally, TallyError, Visit};
use kinfolk::data::{RelatedData, Schema, Variable};
use kinfolk::dirichlet::{Centre, Prior};
use kinfolk::graph::{Dag, Kind, Move, modelstring};
use kinfolk::learned::{learn, score_structure};
use kinfolk::score::{Bdeu, Bhd, FamilyScore, Halt, Judged, Kin, Score, Scorer, StructurePrior};
use kinfolk::search::{Climb, ConstraintError, Constraints, Event, HillClimb, Rules, Stop};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use random::{id, random_data};
use related::read_related;
use serde_json::Map;

fn run(data: &RelatedData, score: &dyn Score, search: &HillClimb) -> Climb {
    let tally = MemoryTally::new(data);
    let start = search.constraints.start(&Dag::empty(data.schema().variables().len())).unwrap();
    search.run(&mut Scorer::new(&tally, score), start, &mut |_| ControlFlow::Continue(())).unwrap()
}

fn plain(data: &RelatedData) -> HillClimb {
    HillClimb::new(Constraints::none(data.schema()))
}

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
    Constraints::new(&letters(), rules).unwrap_err().to_string()
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
            prop_assert!(climb.score >= run(&data, score, &plain(&data)).score);
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

/// A score that does not tell its ceiling, so that a search must work out all of it.
struct WithoutCeiling<'a>(&'a dyn Score);

impl Score for WithoutCeiling<'_> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn family_score(&self, counts: &Counts) -> FamilyScore {
        self.0.family_score(counts)
    }

    fn structure_prior(&self) -> StructurePrior {
        self.0.structure_prior()
    }

    fn is_score_equivalent(&self) -> bool {
        self.0.is_score_equivalent()
    }

    fn is_pooled(&self) -> bool {
        self.0.is_pooled()
    }
}

#[test]
fn a_ceiling_spares_work_and_changes_no_bit() {
    let far = Bhd { prior: Prior::new(20.0, Centre::PerCell(1.0)).unwrap() };
    let made = random_data(&[2, 3, 2, 4, 2, 3, 2, 2], &[40, 25, 60, 10], false, 7);
    let data = [read_related("clinics"), read_related("valleys"), read_related("cohorts"), made];
    for (data, tabu) in data.iter().zip([0, 8, 0, 20]) {
        for score in [&Bhd::default() as &dyn Score, &far, &Kin::default()] {
            let mut search = plain(data);
            (search.tabu, search.restarts, search.perturb, search.seed) = (tabu, 2, 3, 11);
            search.escapes = 4;
            let tally = MemoryTally::new(data);
            let climb = |score: &dyn Score| {
                let mut scorer = Scorer::new(&tally, score);
                let start = Dag::empty(data.schema().variables().len());
                let climb = search.run(&mut scorer, start, &mut |_| ControlFlow::Continue(())).unwrap();
                (climb, scorer.work())
            };
            let ((climbed, work), (plain, all)) = (climb(score), climb(&WithoutCeiling(score)));
            assert_eq!(climbed, plain, "{}", score.name());
            // Moves that gain nothing ask for nearly all.
            let spared = all.families_scored - work.families_scored;
            assert!(spared > 0 || tabu > 0, "{}: {work:?}, {all:?}", score.name());
            assert!(work.families_bounded > 0 && all.families_bounded == 0);
        }
    }
}

/// A score that means nothing: many families score the same, or nearly, and its ceilings are right, but some say little.
struct Arbitrary {
    spread: f64,
}

impl Arbitrary {
    fn digest(counts: &Counts) -> u64 {
        let entries = counts.cells().flat_map(|cell| cell.entries.iter().map(|entry| entry.count));
        entries.fold(7, |digest: u64, count| {
            (digest ^ count).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
        })
    }
}

impl Score for Arbitrary {
    fn name(&self) -> &'static str {
        "arbitrary"
    }

    fn family_score(&self, counts: &Counts) -> FamilyScore {
        let digest = Self::digest(counts);
        let total = (digest % 3) as f64 + (digest / 3 % 40) as f64 * self.spread;
        FamilyScore { total, by_data_set: None, fit: None, kin: None, structure_prior: None }
    }

    fn score_unless_below(&self, counts: &Counts, least: f64) -> Judged {
        let score = self.family_score(counts);
        let part = [0.0, 0.5, 0.99, 1.0][(Self::digest(counts) / 960 % 4) as usize];
        let most = score.total + part * (least - score.total);
        if score.total < least && most < least { Judged::AtMost(most) } else { Judged::Scored(score) }
    }

    fn ceiling(&self, counts: &Counts) -> f64 {
        let more = [0.0, 0.0, 1e-9, 1.1e-8, 0.3, 1.0, f64::INFINITY, f64::NAN];
        self.family_score(counts).total + more[(Self::digest(counts) / 120 % 8) as usize]
    }

    fn has_ceiling(&self) -> bool {
        true
    }

    fn is_score_equivalent(&self) -> bool {
        false
    }

    fn is_pooled(&self) -> bool {
        false
    }
}

/// A graph with many arcs that keeps the constraints.
fn crowded(constraints: &Constraints, size: usize, seed: usize) -> Dag {
    let mut dag = constraints.start(&Dag::empty(size)).unwrap();
    for (from, to) in (0..size * size).map(|pair| (id(pair / size), id(pair % size))) {
        let wanted = !(seed + from.index() + 5 * to.index()).is_multiple_of(3);
        let step = Move::add(from, to);
        if wanted && constraints.allows(from, to) && constraints.has_room(&dag, to) && dag.can_apply(&step) {
            dag.apply(&step).unwrap();
        }
    }
    dag
}

/// The moves of a climb that scores every legal move in every step.
fn naive(data: &RelatedData, score: &dyn Score, constraints: &Constraints, start: &Dag) -> Vec<Move> {
    let tally = MemoryTally::new(data);
    let mut scorer = Scorer::new(&tally, score);
    let mut total = |dag: &Dag| -> f64 {
        let families: Vec<Family> = dag.nodes().map(|node| Family::of(dag, node)).collect();
        let scores = scorer.scores(&families, &mut |_| ControlFlow::Continue(())).unwrap();
        scores.iter().map(|known| known.total).sum()
    };
    let mut dag = start.clone();
    let mut made = Vec::new();
    loop {
        let pairs = dag.nodes().flat_map(|from| dag.nodes().map(move |to| (from, to)));
        let mut moves: Vec<Move> = pairs
            .flat_map(|(from, to)| [Move::add(from, to), Move::drop(from, to), Move::reverse(from, to)])
            .filter(|step| {
                let Move { kind, from, to } = *step;
                let joins = |from, to| constraints.allows(from, to) && constraints.has_room(&dag, to);
                dag.can_apply(step)
                    && match kind {
                        Kind::Add => joins(from, to),
                        Kind::Drop => !constraints.requires(from, to),
                        Kind::Reverse => !constraints.requires(from, to) && joins(to, from),
                    }
            })
            .collect();
        moves.sort_unstable();
        let (mut best, mut most, here) = (None, 0.0, total(&dag));
        for step in moves {
            let mut after = dag.clone();
            after.apply(&step).unwrap();
            let gain = total(&after) - here;
            if gain > most + 1.5e-8 {
                (best, most) = (Some(step), gain);
            }
        }
        let Some(step) = best else { return made };
        dag.apply(&step).unwrap();
        made.push(step);
    }
}

#[test]
fn every_step_is_the_best_of_all_legal_moves() {
    let mut kinds = [0, 0, 0];
    for case in 0..120_usize {
        let data = random_data(&[2, 3, 2, 2, 3, 2, 2], &[30, 12], false, case as u64);
        let apart = |&(from, to): &(usize, usize)| from != to;
        let forbidden = [(case % 7, 3), (1, 2), (case % 5, 6)];
        let rules = Rules {
            max_parents: (case % 4 > 0).then_some(case % 4),
            forbidden: forbidden.iter().filter(|arc| apart(arc)).map(|&(a, b)| (id(a), id(b))).collect(),
            required: if case % 3 == 0 { vec![(id(0), id(4))] } else { vec![] },
            ..Rules::default()
        };
        let constraints = Constraints::new(data.schema(), &rules).unwrap();
        let score = Arbitrary { spread: 10.0 };
        let start = crowded(&constraints, 7, case);
        let expected = naive(&data, &score, &constraints, &start);
        let search = HillClimb::new(constraints);
        let scores: [&dyn Score; 2] = [&score, &WithoutCeiling(&score)];
        for score in scores {
            let tally = MemoryTally::new(&data);
            let mut scorer = Scorer::new(&tally, score);
            let climb = search.run(&mut scorer, start.clone(), &mut |_| ControlFlow::Continue(())).unwrap();
            assert_eq!(climb.steps.iter().map(|step| step.made).collect::<Vec<_>>(), expected, "{case}");
        }
        expected.iter().for_each(|step| kinds[step.kind as usize] += 1);
    }
    assert!(kinds.iter().all(|&number| number > 90), "{kinds:?}");
}

#[test]
fn escapes_that_can_change_nothing_end_and_others_can_be_stopped() {
    let data = read_related("valleys");
    let once = run(&data, &Bdeu::default(), &plain(&data));
    let rules = Rules { required: once.dag.arcs().collect(), ..Rules::default() };
    let mut search = HillClimb::new(Constraints::new(data.schema(), &rules).unwrap());
    search.escapes = usize::MAX;
    assert_eq!(run(&data, &Bdeu::default(), &search).dag, once.dag);
    // Who is only asked between attempts can stop as well.
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
fn moves_that_gain_nearly_the_same_are_chosen_as_if_all_were_scored() {
    for case in 0..40_usize {
        let seed = case as u64;
        let data = random_data(&[2, 3, 2, 2, 3, 2, 2], &[30, 12], false, seed);
        // Gaps from far below to just above the tolerance.
        for spread in [1e-10, 5e-9, 1.45e-8, 1.6e-8] {
            let rules = Rules {
                max_parents: Some(1 + case % 3),
                forbidden: vec![(id(case % 7), id(3)), (id(1), id(2))]
                    .into_iter()
                    .filter(|(a, b)| a != b)
                    .collect(),
                ..Rules::default()
            };
            let mut search = HillClimb::new(Constraints::new(data.schema(), &rules).unwrap());
            (search.tabu, search.restarts, search.perturb, search.seed) = (case % 4, 1, 2, seed);
            (search.escapes, search.max_steps) = (case % 3, Some(60));
            let score = Arbitrary { spread };
            assert_eq!(
                run(&data, &score, &search),
                run(&data, &WithoutCeiling(&score), &search),
                "{seed}, {spread}"
            );
        }
    }
}

#[test]
fn what_is_bounded_is_scored_when_asked_for_and_a_halt_leaves_nothing_half_done() {
    let data = read_related("clinics");
    let tally = MemoryTally::new(&data);
    let score = Bhd::default();
    let pairs = (0..6).flat_map(|from| (0..6).map(move |to| (from, to))).filter(|(from, to)| from != to);
    let families: Vec<Family> = pairs.map(|(from, to)| Family::new(id(to), [id(from)])).collect();
    let mut go_on = |_| ControlFlow::Continue(());
    let scores = Scorer::new(&tally, &score).scores(&families, &mut go_on).unwrap();
    let mut scorer = Scorer::new(&tally, &score);
    let halted = scorer.bounds(&families, &mut |_| ControlFlow::Break(Halt::TimeLimit));
    assert!(halted.is_err());
    // One of them is asked for twice in one call.
    let twice: Vec<Family> = families.iter().chain(&families[..1]).cloned().collect();
    let bounds = scorer.bounds(&twice, &mut go_on).unwrap();
    assert!(bounds.iter().zip(&scores).all(|(bound, known)| !bound.exact && bound.total >= known.total));
    assert_eq!((scorer.work().families_bounded, scorer.work().cache_hits, scorer.scored()), (30, 1, 0));
    let halted = scorer.scores(&families[..3], &mut |_| ControlFlow::Break(Halt::TimeLimit));
    assert!(halted.is_err());
    assert_eq!(scorer.scores(&twice[28..], &mut go_on).unwrap(), [scores[28], scores[29], scores[0]]);
    let bounds = scorer.bounds(&families, &mut go_on).unwrap();
    assert_eq!((bounds[29].total, bounds[29].exact), (scores[29].total, true));
    assert_eq!((scorer.scored(), scorer.looked_at()), (3, 30));
    assert_eq!(scorer.scores(&families, &mut go_on).unwrap(), scores);
}

#[test]
fn restarts_never_make_it_worse_and_a_seed_repeats_itself() {
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
fn escapes_never_make_it_worse_end_at_an_optimum_and_a_seed_repeats_itself() {
    let mut higher = 0;
    for name in ["valleys", "clinics", "cohorts"] {
        let data = read_related(name);
        let (plain, search) = (plain(&data), HillClimb { escapes: 10, seed: 5, ..plain(&data) });
        for score in [&Bdeu::default() as &dyn Score, &Bhd::default(), &Kin::default()] {
            let (once, climb) = (run(&data, score, &plain), run(&data, score, &search));
            assert_eq!(climb, run(&data, score, &search));
            // The plain climb comes first.
            assert_eq!(climb.steps[..once.steps.len()], once.steps, "{name}, {}", score.name());
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

#[test]
fn an_escape_that_is_stopped_leaves_the_optimum_before_it() {
    let data = read_related("valleys");
    let once = run(&data, &Bdeu::default(), &plain(&data));
    let mut search = HillClimb { escapes: 1_000_000, ..plain(&data) };
    search.max_steps = Some(once.steps.len() + 3);
    let short = run(&data, &Bdeu::default(), &search);
    assert_eq!((short.stop, &short.dag, &short.steps), (Stop::MaxSteps, &once.dag, &once.steps));
    search.max_steps = None;
    for halt in [Halt::TimeLimit, Halt::Interrupted] {
        let tally = MemoryTally::new(&data);
        let score = Bdeu::default();
        let mut observe = |event: &Event<'_>| match event {
            Event::Stepped { steps, .. } if *steps > 5_000 => ControlFlow::Break(halt),
            _ => ControlFlow::Continue(()),
        };
        let start = Dag::empty(data.schema().variables().len());
        let climb = search.run(&mut Scorer::new(&tally, &score), start, &mut observe).unwrap();
        assert_eq!(climb.stop, halt.into());
        assert!(climb.score >= once.score);
        let mut dag = climb.start.clone();
        climb.steps.iter().for_each(|step| dag.apply(&step.made).unwrap());
        assert_eq!(dag, climb.dag);
    }
}

#[test]
fn the_reason_for_stopping_is_told() {
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
    let learned = learn(&mut scorer, &plain(&data), Dag::empty(6), Map::new(), &mut halt).unwrap();
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
    assert!(refusal(&twice).contains("`A` stands in more than one tier"));
    let many = Rules { max_parents: Some(1), ..arcs(&[(a, c), (b, c)]) };
    assert!(refusal(&many).contains("gives `C` more parents (2) than --max-parents allows (1)"));
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
    assert!(refused(&required, &[(b, a)]).to_string().contains("the other way round"));
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
fn an_arc_is_worth_the_difference_of_two_full_scores() {
    let data = read_related("clinics");
    let names = data.schema().names();
    let tally = MemoryTally::new(&data);
    let score = Bhd::default();
    let mut scorer = Scorer::new(&tally, &score);
    let learned =
        learn(&mut scorer, &plain(&data), Dag::empty(6), Map::new(), &mut |_| ControlFlow::Continue(()))
            .unwrap();
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

/// A tally that takes its time, and how many families it was asked for at once.
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

    fn visit_many(&self, families: &[Family], visit: Visit<'_>) -> Result<(), TallyError> {
        self.largest.fetch_max(families.len(), Ordering::Relaxed);
        self.tally.visit_many(families, visit)
    }
}

#[test]
fn where_families_take_long_the_search_asks_after_each_whether_to_stop() {
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
    // Even then what was found is told, but not what would take as long again.
    let slow = Slow { tally: MemoryTally::new(&data), largest: AtomicUsize::new(0) };
    let start = modelstring::parse("[V01][V02|V01][V03][V04][V05][V06]", &data.schema().names()).unwrap();
    let mut scorer = Scorer::new(&slow, &score);
    let learned = learn(&mut scorer, &plain(&data), start.clone(), Map::new(), &mut |_| {
        ControlFlow::Break(Halt::TimeLimit)
    });
    assert!(learned.unwrap().arcs[0].gain.is_some(), "one arc is quick enough");
    let start = Dag::from_arcs(6, (1..6).map(|to| (id(0), id(to)))).unwrap();
    let learned =
        learn(&mut scorer, &plain(&data), start, Map::new(), &mut |_| ControlFlow::Break(Halt::TimeLimit));
    let learned = learned.unwrap();
    assert!(learned.score.is_finite() && learned.arcs.iter().all(|arc| arc.gain.is_none()));
}
