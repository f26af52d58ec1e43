//! Order search: finds the best network consistent with an order of the variables and improves the order one variable
//! at a time.
//!
//! Given an order, each variable selects its parents among those before it, independently of the others, so that no
//! choice can close a cycle. Order search leaves optima at which no single arc gains (Teyssier and Koller 2005,
//! <https://arxiv.org/abs/1207.1429>). It follows a climb, starts from an order of its network, and every optimum that
//! it reaches is improved by a climb. `order_parents` selects parents.

use std::ops::ControlFlow;

use fixedbitset::FixedBitSet;
use rand::{Rng, RngExt};

use super::gain_table::is_above;
use super::hill_climb::SearchObserver;
use super::order_parents::{ParentChoice, ParentChoices};
use super::{Climb, Constraints, Event, HillClimb, Restart, Stop};
use crate::data::VariableId;
use crate::graph::Dag;
use crate::score::{Progress, ScoreError, Scorer};

/// The first random stream of the order search; see `ESCAPE_STREAMS` for the others.
const ORDER_STREAMS: u64 = 1 << 62;

/// An order with the parents selected by every variable.
#[derive(Debug, Clone)]
struct VariableOrder {
    variables: Vec<VariableId>,
    /// The choice of each variable, by column.
    choices: Vec<ParentChoice>,
    total: f64,
}

/// The best position of one variable among the others, whose order stays the same.
struct Insertion {
    order: VariableOrder,
    /// The total of the unchanged order, computed in the same way.
    before: f64,
}

impl HillClimb {
    /// Improves the best network of a climb by rounds of order search: the first from its own order, `restarts` others from the best
    /// order after random insertions. A requested stop ends it with the best network so far.
    ///
    /// Complexity: an insertion selects the parents of each variable up to three times, usually from cached choices;
    /// each new choice scores at most N families, in one batch.
    pub(super) fn search_orders(
        &self,
        scorer: &mut Scorer<'_>,
        best: &mut Climb,
        taken: &mut usize,
        observe: &mut SearchObserver<'_>,
    ) -> Result<(), ScoreError> {
        match self.rounds(scorer, best, taken, observe) {
            Err(ScoreError::Halted(halt)) => {
                best.stop = halt.into();
                Ok(())
            }
            outcome => outcome,
        }
    }

    fn rounds(
        &self,
        scorer: &mut Scorer<'_>,
        best: &mut Climb,
        taken: &mut usize,
        observe: &mut SearchObserver<'_>,
    ) -> Result<(), ScoreError> {
        // Two variables have one edge, which the climb has already decided.
        if best.dag.len() < 3 {
            return Ok(());
        }
        let mut parents = ParentChoices::new(scorer, &self.constraints, self.most_pairs, observe)?;
        let mut number = 0;
        while best.stop == Stop::Optimum && number <= self.restarts {
            let mut random = self.random(ORDER_STREAMS + number as u64);
            let mut variables = best.dag.topological_order();
            if number > 0 {
                for _ in 0..self.perturb {
                    insert_at_random(&mut variables, &self.constraints, &mut random);
                }
            }
            let (before, moves) = (best.score, *taken);
            let mut order = VariableOrder::of(variables, scorer, &mut parents, observe)?;
            let reached = self.climb_orders(
                scorer,
                &mut parents,
                &mut order,
                (number, &mut random),
                best,
                taken,
                observe,
            )?;
            if number > 0 {
                let improved = is_above(best.score, before);
                let restart = Restart { score: reached, steps: *taken - moves, improved };
                best.restarts.push(restart);
                if let ControlFlow::Break(halt) = observe(&Event::Restarted { number, restart: &restart }) {
                    best.stop = halt.into();
                }
            }
            number += 1;
        }
        Ok(())
    }

    /// Applies insertions until none gains, improves the network by a climb, and repeats while that climb raises the
    /// score. Returns the score reached; `best` is replaced as soon as a network scores higher.
    #[expect(
        clippy::too_many_arguments,
        reason = "the state of the search, of the round and of the observer"
    )]
    fn climb_orders(
        &self,
        scorer: &mut Scorer<'_>,
        parents: &mut ParentChoices<'_>,
        order: &mut VariableOrder,
        (number, random): (usize, &mut impl Rng),
        best: &mut Climb,
        taken: &mut usize,
        observe: &mut SearchObserver<'_>,
    ) -> Result<f64, ScoreError> {
        let mut reached = f64::NEG_INFINITY;
        loop {
            best.improve(order, parents, observe)?;
            self.sweep(scorer, parents, order, random, best, taken, observe)?;
            if best.stop != Stop::Optimum {
                return Ok(order.total.max(reached));
            }
            let climbed = self.ascend(scorer, order.dag(parents), number + 1, taken, observe)?;
            best.replace(&climbed.dag, climbed.score);
            if climbed.stop != Stop::Optimum {
                best.stop = climbed.stop;
            }
            if best.stop != Stop::Optimum || !is_above(climbed.score, reached.max(order.total)) {
                return Ok(climbed.score.max(reached));
            }
            reached = climbed.score;
            *order = VariableOrder::of(climbed.dag.topological_order(), scorer, parents, observe)?;
        }
    }

    /// Moves variables, one after the other in random order, to their best positions, until none gains.
    #[expect(
        clippy::too_many_arguments,
        reason = "the state of the search, of the round and of the observer"
    )]
    fn sweep(
        &self,
        scorer: &mut Scorer<'_>,
        parents: &mut ParentChoices<'_>,
        order: &mut VariableOrder,
        random: &mut impl Rng,
        best: &mut Climb,
        taken: &mut usize,
        observe: &mut SearchObserver<'_>,
    ) -> Result<(), ScoreError> {
        let size = order.variables.len();
        let mut turns: Vec<VariableId> = best.dag.nodes().collect();
        let mut failed = 0;
        loop {
            shuffle(&mut turns, random);
            for &variable in &turns {
                if self.max_steps.is_some_and(|most| *taken >= most) {
                    best.stop = Stop::MaxSteps;
                    return Ok(());
                }
                // The scorer does not call the observer if all choices are cached.
                if let ControlFlow::Break(halt) = observe(&Event::Scoring(Progress { done: 0, of: 0 })) {
                    return Err(ScoreError::Halted(halt));
                }
                let insertion = order.insert(variable, scorer, &self.constraints, parents, observe)?;
                if is_above(insertion.order.total, insertion.before) {
                    *order = insertion.order;
                    *taken += 1;
                    failed = 0;
                    best.improve(order, parents, observe)?;
                } else {
                    failed += 1;
                    if failed == size {
                        return Ok(());
                    }
                }
            }
        }
    }
}

impl Climb {
    /// Adopts the network of an order if it scores higher, and reports it.
    fn improve(
        &mut self,
        order: &VariableOrder,
        parents: &ParentChoices<'_>,
        observe: &mut SearchObserver<'_>,
    ) -> Result<(), ScoreError> {
        if !is_above(order.total, self.score) {
            return Ok(());
        }
        self.replace(&order.dag(parents), order.total);
        match observe(&Event::Improved { score: self.score }) {
            ControlFlow::Break(halt) => Err(ScoreError::Halted(halt)),
            ControlFlow::Continue(()) => Ok(()),
        }
    }

    /// Adopts a network if it scores higher. It does not result from the recorded moves.
    fn replace(&mut self, dag: &Dag, score: f64) {
        if is_above(score, self.score) {
            (self.dag, self.score) = (dag.clone(), score);
            self.steps.clear();
        }
    }
}

impl VariableOrder {
    /// Selects the parents of every variable.
    fn of(
        variables: Vec<VariableId>,
        scorer: &mut Scorer<'_>,
        parents: &mut ParentChoices<'_>,
        observe: &mut SearchObserver<'_>,
    ) -> Result<Self, ScoreError> {
        let mut before = FixedBitSet::with_capacity(variables.len());
        let mut choices = vec![ParentChoice::NONE; variables.len()];
        for &variable in &variables {
            choices[variable.index()] = parents.best(scorer, variable, &before, observe)?;
            before.insert(variable.index());
        }
        let total = choices.iter().map(|choice| choice.score).sum();
        Ok(Self { variables, choices, total })
    }

    fn dag(&self, parents: &ParentChoices<'_>) -> Dag {
        let arcs = self.variables.iter().flat_map(|&child| {
            let family = parents.family(child, self.choices[child.index()]);
            family.parents().iter().map(move |&parent| (parent, child))
        });
        Dag::from_arcs(self.variables.len(), arcs).expect("parents come before their children")
    }

    /// The best position of a variable. The total of a position sums the choices of the variables before it without it,
    /// of those after it with it, and its own choice. Ties go to the current position, then to the first.
    fn insert(
        &self,
        variable: VariableId,
        scorer: &mut Scorer<'_>,
        constraints: &Constraints,
        parents: &mut ParentChoices<'_>,
        observe: &mut SearchObserver<'_>,
    ) -> Result<Insertion, ScoreError> {
        let mut others = self.variables.clone();
        let current = others.iter().position(|&other| other == variable).expect("an order has all variables");
        others.remove(current);
        let size = others.len();
        let (mut own, mut without, mut with) =
            (Vec::with_capacity(size + 1), Vec::with_capacity(size), Vec::with_capacity(size));
        let mut before = FixedBitSet::with_capacity(size + 1);
        for &other in &others {
            own.push(parents.best(scorer, variable, &before, observe)?);
            without.push(parents.best(scorer, other, &before, observe)?);
            before.insert(variable.index());
            with.push(parents.best(scorer, other, &before, observe)?);
            before.remove(variable.index());
            before.insert(other.index());
        }
        own.push(parents.best(scorer, variable, &before, observe)?);
        let (first, last) = legal_positions(&others, constraints, variable);
        let mut total = with.iter().map(|choice| choice.score).sum::<f64>();
        let mut totals = Vec::with_capacity(size + 1);
        for position in 0..=size {
            totals.push(total + own[position].score);
            if position < size {
                total += without[position].score - with[position].score;
            }
        }
        let mut best = current;
        for position in first..=last {
            if is_above(totals[position], totals[best]) {
                best = position;
            }
        }
        let mut choices = vec![ParentChoice::NONE; size + 1];
        choices[variable.index()] = own[best];
        for (position, &other) in others.iter().enumerate() {
            choices[other.index()] = if position < best { without[position] } else { with[position] };
        }
        others.insert(best, variable);
        let order = Self { variables: others, choices, total: totals[best] };
        Ok(Insertion { order, before: totals[current] })
    }
}

/// The first and the last position of a variable among the others: after its required parents and before its required children.
fn legal_positions(others: &[VariableId], constraints: &Constraints, variable: VariableId) -> (usize, usize) {
    let is_parent = |other: &VariableId| constraints.requires(*other, variable);
    let is_child = |other: &VariableId| constraints.requires(variable, *other);
    let first = others.iter().rposition(is_parent).map_or(0, |position| position + 1);
    let last = others.iter().position(is_child).unwrap_or(others.len());
    (first, last)
}

/// Moves a random variable to a random legal position.
fn insert_at_random(order: &mut Vec<VariableId>, constraints: &Constraints, random: &mut impl Rng) {
    let variable = order.remove(random.random_range(0..order.len()));
    let (first, last) = legal_positions(order, constraints, variable);
    order.insert(random.random_range(first..=last), variable);
}

/// The Fisher–Yates shuffle.
fn shuffle(variables: &mut [VariableId], random: &mut impl Rng) {
    for last in (1..variables.len()).rev() {
        variables.swap(last, random.random_range(0..=last));
    }
}
