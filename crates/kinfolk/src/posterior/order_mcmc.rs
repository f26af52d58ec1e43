//! Posterior probabilities of arcs and other features by Markov chain Monte Carlo over orders of the variables.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::features::Feature;
use crate::data::VariableId;
use crate::search::parent_sets::bit;
use crate::search::{Constraints, ParentSet, ParentSets};

/// Terms of a sum this many nats below its largest do not change it: e^−36 is 2e-16.
const NEGLIGIBLE: f64 = -36.0;

/// The number of blocks of sweeps that a chain stores; twice as many are merged in pairs.
const BLOCKS: usize = 32;

/// One chain: an order of the variables, and the arc probabilities of the orders visited so far.
///
/// Given an order, the parents of different variables are independent, so that the probability of all networks
/// consistent with the order is a product of sums over parent sets among the predecessors (Friedman and Koller 2003,
/// Being Bayesian about network structure, Machine Learning 50, 95–125, <https://doi.org/10.1023/A:1020249912095>). One
/// update draws the position of one variable from its full conditional distribution. The prior is uniform over orders:
/// a network counts once for every order that it is consistent with.
///
/// Paths and Markov blankets are evaluated in one network per sweep, drawn given the order.
pub(super) struct Chain<'a> {
    sets: &'a ParentSets,
    order: Vec<VariableId>,
    random: ChaCha8Rng,
    /// Draws networks given orders; a separate stream, so that features that need networks do not change the chain.
    graph_random: ChaCha8Rng,
    features: &'a [Feature],
    blocks: Vec<Block>,
    /// Sweeps per block.
    block_length: usize,
    scratch: Scratch,
}

/// Sums over consecutive sweeps: of the probability of every arc given the order, then of every feature; and of its square.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) sweeps: usize,
    pub(super) sums: Vec<f64>,
    pub(super) squares: Vec<f64>,
}

/// Memory of one update and one record.
#[derive(Default)]
struct Scratch {
    /// Σ ln-sums of the variables before each position, without the moved variable among their predecessors.
    before: Vec<f64>,
    /// Σ ln-sums of the variables from each position on, with it.
    after: Vec<f64>,
    totals: Vec<f64>,
    values: Vec<f64>,
}

impl<'a> Chain<'a> {
    /// A chain that starts at a random order with every required parent before its child.
    pub(super) fn new(
        sets: &'a ParentSets,
        constraints: &Constraints,
        features: &'a [Feature],
        seed: u64,
        number: u64,
    ) -> Self {
        let stream = |stream| {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            random.set_stream(stream);
            random
        };
        let mut random = stream(number);
        let graph_random = stream(number | 1 << 32);
        let order = random_order(sets.variables(), constraints, &mut random);
        Self {
            sets,
            order,
            random,
            graph_random,
            features,
            blocks: Vec::new(),
            block_length: 1,
            scratch: Scratch::default(),
        }
    }

    /// Makes sweeps, each of one update per variable on average, and returns the order after each.
    pub(super) fn run(&mut self, sweeps: usize) -> Vec<String> {
        let mut visited = Vec::with_capacity(sweeps);
        for _ in 0..sweeps {
            for _ in 0..self.order.len() {
                self.update();
            }
            self.record();
            visited.push(format_order(&self.order));
        }
        visited
    }

    /// Replays sweeps of an earlier run: the order after each, and the position of the random stream. Returns false if
    /// they do not belong to these variables and parent sets.
    pub(super) fn replay(&mut self, orders: &[String], position: u128) -> bool {
        for order in orders {
            let Some(order) = parse_order(order, self.sets.variables()) else { return false };
            self.order = order;
            if !self.is_possible() {
                return false;
            }
            self.record();
        }
        self.random.set_word_pos(position);
        true
    }

    /// The position of the random stream.
    pub(super) fn position(&self) -> u128 {
        self.random.get_word_pos()
    }

    /// Whether every variable has a parent set among its predecessors.
    fn is_possible(&self) -> bool {
        let mut predecessors = 0;
        self.order.iter().all(|&child| {
            let is_possible = ln_sum(self.sets.of(child), predecessors).is_finite();
            predecessors |= bit(child);
            is_possible
        })
    }

    /// The records after the first half of all sweeps, which is discarded as burn-in.
    pub(super) fn kept(&self) -> &[Block] {
        &self.blocks[self.blocks.len() / 2..]
    }

    /// Draws a new position for one variable from its distribution given the order of the others.
    fn update(&mut self) {
        let variables = self.order.len();
        if variables < 2 {
            return;
        }
        let moved = self.order.remove(self.random.random_range(0..variables));
        let moved_bit = bit(moved);
        let Scratch { before, after, totals, .. } = &mut self.scratch;
        before.clear();
        before.push(0.0);
        after.clear();
        after.resize(variables, 0.0);
        totals.clear();
        // The predecessors at every position, ascending; then the sums with the moved variable among them, descending.
        let mut predecessors = 0;
        for &variable in &self.order {
            totals.push(ln_sum(self.sets.of(moved), predecessors));
            let sum = ln_sum(self.sets.of(variable), predecessors);
            before.push(before.last().copied().unwrap_or(0.0) + sum);
            predecessors |= bit(variable);
        }
        totals.push(ln_sum(self.sets.of(moved), predecessors));
        for (position, &variable) in self.order.iter().enumerate().rev() {
            predecessors &= !bit(variable);
            after[position] = after[position + 1] + ln_sum(self.sets.of(variable), predecessors | moved_bit);
        }
        for ((total, before), after) in totals.iter_mut().zip(before.iter()).zip(after.iter()) {
            *total += before + after;
        }
        let position = draw(totals, &mut self.random);
        self.order.insert(position, moved);
    }

    /// Adds the arc probabilities given the current order, and the features, to the last block.
    fn record(&mut self) {
        let variables = self.order.len();
        let values = &mut self.scratch.values;
        values.clear();
        values.resize(variables * variables + self.features.len(), 0.0);
        let mut predecessors = 0;
        for &child in &self.order {
            add_arcs(self.sets.of(child), predecessors, child, variables, values);
            predecessors |= bit(child);
        }
        let parents = if self.features.iter().any(|feature| feature.needs_graph()) {
            draw_graph(self.sets, &self.order, &mut self.graph_random)
        } else {
            vec![0; variables]
        };
        let (arcs, asked) = values.split_at_mut(variables * variables);
        for (value, feature) in asked.iter_mut().zip(self.features) {
            *value = feature.value(arcs, &parents);
        }
        if self.blocks.last().is_none_or(|block| block.sweeps == self.block_length) {
            if self.blocks.len() == 2 * BLOCKS {
                self.blocks = self.blocks.chunks(2).map(|pair| pair[0].merged(&pair[1])).collect();
                self.block_length *= 2;
            }
            let zeros = vec![0.0; values.len()];
            self.blocks.push(Block { sweeps: 0, sums: zeros.clone(), squares: zeros });
        }
        let block = self.blocks.last_mut().expect("one was just added");
        block.sweeps += 1;
        for ((sum, square), value) in block.sums.iter_mut().zip(&mut block.squares).zip(values.iter()) {
            *sum += value;
            *square += value * value;
        }
    }
}

impl Block {
    fn merged(&self, other: &Self) -> Self {
        let add = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect();
        Self {
            sweeps: self.sweeps + other.sweeps,
            sums: add(&self.sums, &other.sums),
            squares: add(&self.squares, &other.squares),
        }
    }
}

/// ln Σ e^score over the sets among the predecessors; minus infinity if there is none.
fn ln_sum(sets: &[ParentSet], predecessors: u128) -> f64 {
    let mut inside = sets.iter().filter(|set| set.parents & !predecessors == 0);
    let Some(first) = inside.next() else { return f64::NEG_INFINITY };
    let others: f64 = inside
        .map(|set| set.score - first.score)
        .take_while(|difference| *difference > NEGLIGIBLE)
        .map(f64::exp)
        .sum();
    first.score + others.ln_1p()
}

/// Adds the probability of every arc to a child, given its predecessors.
fn add_arcs(sets: &[ParentSet], predecessors: u128, child: VariableId, variables: usize, arcs: &mut [f64]) {
    let inside = || sets.iter().filter(|set| set.parents & !predecessors == 0);
    let total = ln_sum(sets, predecessors);
    for set in inside().take_while(|set| set.score - total > NEGLIGIBLE) {
        let probability = (set.score - total).exp();
        let mut left = set.parents;
        while left != 0 {
            arcs[left.trailing_zeros() as usize * variables + child.index()] += probability;
            left &= left - 1;
        }
    }
}

/// Draws a network consistent with an order: the parents of every variable.
fn draw_graph(sets: &ParentSets, order: &[VariableId], random: &mut ChaCha8Rng) -> Vec<u128> {
    let mut parents = vec![0; sets.variables()];
    let mut predecessors = 0;
    for &child in order {
        let inside: Vec<&ParentSet> =
            sets.of(child).iter().filter(|set| set.parents & !predecessors == 0).collect();
        let scores: Vec<f64> = inside.iter().map(|set| set.score).collect();
        parents[child.index()] = inside[draw(&scores, random)].parents;
        predecessors |= bit(child);
    }
    parents
}

/// The numbers of the variables in their order, separated by spaces.
fn format_order(order: &[VariableId]) -> String {
    order.iter().map(|variable| variable.index().to_string()).collect::<Vec<_>>().join(" ")
}

/// Parses the text of [`format_order`]; `None` if a variable is missing.
fn parse_order(text: &str, variables: usize) -> Option<Vec<VariableId>> {
    let numbers: Vec<usize> = text.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?;
    let mut sorted = numbers.clone();
    sorted.sort_unstable();
    sorted.into_iter().eq(0..variables).then(|| numbers.into_iter().map(VariableId::new).collect())
}

/// Draws an index with probability proportional to e^total.
fn draw(totals: &[f64], random: &mut ChaCha8Rng) -> usize {
    let best = totals.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = totals.iter().map(|total| (total - best).exp()).sum();
    let mut left = random.random::<f64>() * sum;
    let mut last = 0;
    for (position, total) in totals.iter().enumerate() {
        let weight = (total - best).exp();
        if weight > 0.0 {
            last = position;
            left -= weight;
            if left < 0.0 {
                break;
            }
        }
    }
    last
}

/// A random order in which every required parent comes before its child.
fn random_order(variables: usize, constraints: &Constraints, random: &mut ChaCha8Rng) -> Vec<VariableId> {
    let mut left: Vec<VariableId> = (0..variables).map(VariableId::new).collect();
    left.shuffle(random);
    let mut order = Vec::with_capacity(variables);
    while !left.is_empty() {
        let is_free = |&child: &VariableId| !left.iter().any(|&parent| constraints.requires(parent, child));
        let next = left.iter().position(is_free).expect("required arcs have no cycle");
        order.push(left.remove(next));
    }
    order
}
