//! Move selection: the best of all legal moves, even if not all are scored.

use std::ops::ControlFlow;

use crate::climbing::{plain, run};
use crate::random::{id, random_data};
use crate::related::read_related;
use kinfolk::counts::{Batch, Counts, Family, MemoryTally};
use kinfolk::data::RelatedData;
use kinfolk::graph::{Dag, Move, MoveKind};
use kinfolk::score::{Bhd, FamilyScore, Halt, Kin, Score, ScoreOrBound, Scorer, StructurePrior, UpperBounds};
use kinfolk::search::{Constraints, HillClimb, Rules};
use kinfolk::variational::{Centre, Prior};

/// A score without upper bounds, so that a search must score every family.
struct WithoutBounds<'a>(&'a dyn Score);

impl Score for WithoutBounds<'_> {
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
fn upper_bounds_save_work_and_change_no_bit() {
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
            let ((climbed, work), (plain, all)) = (climb(score), climb(&WithoutBounds(score)));
            assert_eq!(climbed, plain, "{}", score.name());
            // If no move gains, nearly all must be scored.
            let spared = all.families_scored - work.families_scored;
            assert!(spared > 0 || tabu > 0, "{}: {work:?}, {all:?}", score.name());
            assert!(work.families_bounded > 0 && all.families_bounded == 0);
        }
    }
}

/// An arbitrary score: many families score the same, or nearly; its upper bounds are valid, but some are loose.
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

    fn upper_bounds(&self) -> Option<&dyn UpperBounds> {
        Some(self)
    }

    fn is_score_equivalent(&self) -> bool {
        false
    }

    fn is_pooled(&self) -> bool {
        false
    }
}

impl UpperBounds for Arbitrary {
    fn upper_bound(&self, counts: &Counts) -> f64 {
        let more = [0.0, 0.0, 1e-9, 1.1e-8, 0.3, 1.0, f64::INFINITY, f64::NAN];
        self.family_score(counts).total + more[(Self::digest(counts) / 120 % 8) as usize]
    }

    fn score_unless_below(&self, counts: &Counts, least: f64) -> ScoreOrBound {
        let score = self.family_score(counts);
        let part = [0.0, 0.5, 0.99, 1.0][(Self::digest(counts) / 960 % 4) as usize];
        let most = score.total + part * (least - score.total);
        if score.total < least && most < least {
            ScoreOrBound::AtMost(most)
        } else {
            ScoreOrBound::Score(score)
        }
    }
}

/// A graph with many arcs that keeps the constraints.
fn crowded(constraints: &Constraints, size: usize, seed: usize) -> Dag {
    let mut dag = constraints.start(&Dag::empty(size)).unwrap();
    for (from, to) in (0..size * size).map(|pair| (id(pair / size), id(pair % size))) {
        let wanted = !(seed + from.index() + 5 * to.index()).is_multiple_of(3);
        let step = Move::add(from, to);
        if wanted
            && constraints.allows(from, to)
            && constraints.allows_another_parent(&dag, to)
            && dag.can_apply(&step)
        {
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
        let scores = scorer.scores(&Batch::of(&families), &mut |_| ControlFlow::Continue(())).unwrap();
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
                let joins =
                    |from, to| constraints.allows(from, to) && constraints.allows_another_parent(&dag, to);
                dag.can_apply(step)
                    && match kind {
                        MoveKind::Add => joins(from, to),
                        MoveKind::Drop => !constraints.requires(from, to),
                        MoveKind::Reverse => !constraints.requires(from, to) && joins(to, from),
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
        let scores: [&dyn Score; 2] = [&score, &WithoutBounds(&score)];
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
                run(&data, &WithoutBounds(&score), &search),
                "{seed}, {spread}"
            );
        }
    }
}

#[test]
fn bounded_families_are_scored_on_request_and_a_halt_leaves_a_consistent_cache() {
    let data = read_related("clinics");
    let tally = MemoryTally::new(&data);
    let score = Bhd::default();
    let pairs = (0..6).flat_map(|from| (0..6).map(move |to| (from, to))).filter(|(from, to)| from != to);
    let families: Vec<Family> = pairs.map(|(from, to)| Family::new(id(to), [id(from)])).collect();
    let mut go_on = |_| ControlFlow::Continue(());
    let scores = Scorer::new(&tally, &score).scores(&Batch::of(&families), &mut go_on).unwrap();
    let mut scorer = Scorer::new(&tally, &score);
    let halted = scorer.bounds(&Batch::of(&families), &mut |_| ControlFlow::Break(Halt::TimeLimit));
    assert!(halted.is_err());
    // One of them is requested twice in one call.
    let twice: Vec<Family> = families.iter().chain(&families[..1]).cloned().collect();
    let bounds = scorer.bounds(&Batch::of(&twice), &mut go_on).unwrap();
    assert!(bounds.iter().zip(&scores).all(|(bound, known)| !bound.exact && bound.total >= known.total));
    assert_eq!((scorer.work().families_bounded, scorer.work().cache_hits, scorer.scored()), (30, 1, 0));
    let halted = scorer.scores(&Batch::of(&families[..3]), &mut |_| ControlFlow::Break(Halt::TimeLimit));
    assert!(halted.is_err());
    assert_eq!(
        scorer.scores(&Batch::of(&twice[28..]), &mut go_on).unwrap(),
        [scores[28], scores[29], scores[0]]
    );
    let bounds = scorer.bounds(&Batch::of(&families), &mut go_on).unwrap();
    assert_eq!((bounds[29].total, bounds[29].exact), (scores[29].total, true));
    assert_eq!((scorer.scored(), scorer.families_requested()), (3, 30));
    assert_eq!(scorer.scores(&Batch::of(&families), &mut go_on).unwrap(), scores);
}
