//! In which order variables are eliminated, and how large the tables become on the way.

use fixedbitset::FixedBitSet;

use super::Size;
use crate::data::VariableId;

/// Variables to be eliminated one after another.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Order {
    pub(super) steps: Vec<Step>,
    pub(super) size: Size,
}

/// One variable, and the others that its table then has: those it shares a factor with, now or through what went before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) variable: VariableId,
    pub(super) separator: Vec<VariableId>,
}

/// What is small about the variable that goes next; the other number breaks ties, then the column order does.
#[derive(Debug, Clone, Copy)]
enum Rule {
    /// The arcs that its neighbours then lack.
    Fill,
    /// The cells of its table.
    Weight,
}

/// Below this many cells a second order is not worth looking for.
const SMALL: f64 = 10_000.0;

impl Order {
    /// Eliminates the variables of the scopes but for those kept: greedily by min-fill and, if that is not small, by
    /// min-weight, whichever gives fewer cells.
    pub(super) fn choose(scopes: &[Vec<VariableId>], keep: &[VariableId], states: &[usize]) -> Self {
        let by_fill = Self::greedy(scopes, keep, states, Rule::Fill);
        if by_fill.size.cells <= SMALL {
            return by_fill;
        }
        let by_weight = Self::greedy(scopes, keep, states, Rule::Weight);
        if by_weight.size.cells < by_fill.size.cells { by_weight } else { by_fill }
    }

    fn greedy(scopes: &[Vec<VariableId>], keep: &[VariableId], states: &[usize], rule: Rule) -> Self {
        let mut graph = Graph::new(scopes, states, rule);
        let mut waiting: Vec<usize> =
            (0..graph.variables.len()).filter(|&at| !keep.contains(&graph.variables[at])).collect();
        let mut steps = Vec::with_capacity(waiting.len());
        let mut size = Size { cells: 0.0, largest: 0.0, width: 0 };
        let mut enlarge = |variables: &mut dyn Iterator<Item = VariableId>| {
            let (count, cells) =
                variables.fold((0, 1.0), |(count, cells), id| (count + 1, cells * states[id.index()] as f64));
            size.cells += cells;
            size.largest = size.largest.max(cells);
            size.width = size.width.max(count - 1);
        };
        while !waiting.is_empty() {
            waiting.iter().for_each(|&at| graph.refresh(at));
            let costs = &graph.costs;
            let best = (0..waiting.len()).min_by(|&a, &b| {
                let (a, b) = (costs[waiting[a]], costs[waiting[b]]);
                a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
            });
            let at = waiting.remove(best.expect("somebody is waiting"));
            let variable = graph.variables[at];
            let separator = graph.eliminate(at);
            enlarge(&mut separator.iter().copied().chain([variable]));
            steps.push(Step { variable, separator });
        }
        if !keep.is_empty() {
            enlarge(&mut keep.iter().copied());
        }
        Self { steps, size }
    }
}

/// Who shares a factor with whom.
struct Graph {
    /// The variables of the scopes, in column order.
    variables: Vec<VariableId>,
    neighbours: Vec<FixedBitSet>,
    /// log2 of the states.
    weights: Vec<f64>,
    rule: Rule,
    costs: Vec<(f64, f64)>,
    stale: FixedBitSet,
}

impl Graph {
    fn new(scopes: &[Vec<VariableId>], states: &[usize], rule: Rule) -> Self {
        let mut variables: Vec<VariableId> = scopes.iter().flatten().copied().collect();
        variables.sort_unstable();
        variables.dedup();
        let n = variables.len();
        let mut place = vec![0; states.len()];
        variables.iter().enumerate().for_each(|(at, variable)| place[variable.index()] = at);
        let mut neighbours = vec![FixedBitSet::with_capacity(n); n];
        for scope in scopes {
            for a in scope.iter().map(|variable| place[variable.index()]) {
                neighbours[a]
                    .extend(scope.iter().map(|variable| place[variable.index()]).filter(|&b| b != a));
            }
        }
        let weights = variables.iter().map(|variable| (states[variable.index()] as f64).log2()).collect();
        let mut stale = FixedBitSet::with_capacity(n);
        stale.insert_range(..);
        Self { variables, neighbours, weights, rule, costs: vec![(0.0, 0.0); n], stale }
    }

    /// Computes the cost of a variable again if its surroundings have changed.
    fn refresh(&mut self, at: usize) {
        if !self.stale.contains(at) {
            return;
        }
        self.stale.set(at, false);
        let around = &self.neighbours[at];
        let degree = around.count_ones(..);
        let absent: usize =
            around.ones().map(|other| degree - 1 - self.neighbours[other].intersection_count(around)).sum();
        let fill = (absent / 2) as f64;
        let weight = self.weights[at] + around.ones().map(|other| self.weights[other]).sum::<f64>();
        self.costs[at] = match self.rule {
            Rule::Fill => (fill, weight),
            Rule::Weight => (weight, fill),
        };
    }

    /// Takes a variable out, makes its neighbours neighbours of each other, and names them in column order.
    fn eliminate(&mut self, at: usize) -> Vec<VariableId> {
        let around = std::mem::take(&mut self.neighbours[at]);
        for other in around.ones() {
            // Whoever has two neighbours newly joined has another fill.
            self.stale.union_with(&self.neighbours[other]);
            self.stale.insert(other);
            self.neighbours[other].union_with(&around);
            self.neighbours[other].set(other, false);
            self.neighbours[other].set(at, false);
        }
        around.ones().map(|other| self.variables[other]).collect()
    }
}
