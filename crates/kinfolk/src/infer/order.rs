//! Elimination order of variable elimination, and the resulting table sizes.

use fixedbitset::FixedBitSet;

use super::Size;
use crate::data::VariableId;

/// An elimination order with its total size.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EliminationOrder {
    pub(super) steps: Vec<EliminationStep>,
    pub(super) size: Size,
}

/// The elimination of one variable. The separator is the set of its neighbours at that point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EliminationStep {
    pub(super) variable: VariableId,
    pub(super) separator: Vec<VariableId>,
}

/// The greedy cost criterion. The other criterion breaks ties, then the column order.
#[derive(Debug, Clone, Copy)]
enum Criterion {
    /// The number of fill-in edges.
    Fill,
    /// The number of cells of the table.
    Weight,
}

/// Below this number of cells, a second order is not computed.
const SMALL: f64 = 10_000.0;

impl EliminationOrder {
    /// Orders all variables of the scopes except `keep`. It runs greedy min-fill and, if the result is large, greedy min-weight,
    /// and returns the order with fewer cells.
    pub(super) fn choose(scopes: &[Vec<VariableId>], keep: &[VariableId], states: &[usize]) -> Self {
        let by_fill = Self::greedy(scopes, keep, states, Criterion::Fill);
        if by_fill.size.cells <= SMALL {
            return by_fill;
        }
        let by_weight = Self::greedy(scopes, keep, states, Criterion::Weight);
        if by_weight.size.cells < by_fill.size.cells { by_weight } else { by_fill }
    }

    fn greedy(
        scopes: &[Vec<VariableId>],
        keep: &[VariableId],
        states: &[usize],
        criterion: Criterion,
    ) -> Self {
        let mut graph = InteractionGraph::new(scopes, states, criterion);
        let mut remaining: Vec<usize> =
            (0..graph.variables.len()).filter(|&at| !keep.contains(&graph.variables[at])).collect();
        let mut steps = Vec::with_capacity(remaining.len());
        let mut size = Size { cells: 0.0, largest: 0.0, width: 0 };
        let mut enlarge = |variables: &mut dyn Iterator<Item = VariableId>| {
            let (count, cells) =
                variables.fold((0, 1.0), |(count, cells), id| (count + 1, cells * states[id.index()] as f64));
            size.cells += cells;
            size.largest = size.largest.max(cells);
            size.width = size.width.max(count - 1);
        };
        while !remaining.is_empty() {
            remaining.iter().for_each(|&at| graph.refresh(at));
            let costs = &graph.costs;
            let best = (0..remaining.len()).min_by(|&a, &b| {
                let (a, b) = (costs[remaining[a]], costs[remaining[b]]);
                a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
            });
            let at = remaining.remove(best.expect("the list is not empty"));
            let variable = graph.variables[at];
            let separator = graph.eliminate(at);
            enlarge(&mut separator.iter().copied().chain([variable]));
            steps.push(EliminationStep { variable, separator });
        }
        if !keep.is_empty() {
            enlarge(&mut keep.iter().copied());
        }
        Self { steps, size }
    }
}

/// The interaction graph: variables of a common factor are neighbours.
struct InteractionGraph {
    /// The variables of the scopes, in column order.
    variables: Vec<VariableId>,
    neighbours: Vec<FixedBitSet>,
    /// log2 of the number of states.
    weights: Vec<f64>,
    criterion: Criterion,
    costs: Vec<(f64, f64)>,
    stale: FixedBitSet,
}

impl InteractionGraph {
    fn new(scopes: &[Vec<VariableId>], states: &[usize], criterion: Criterion) -> Self {
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
        Self { variables, neighbours, weights, criterion, costs: vec![(0.0, 0.0); n], stale }
    }

    /// Recomputes the cost of a variable if its neighbourhood has changed.
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
        self.costs[at] = match self.criterion {
            Criterion::Fill => (fill, weight),
            Criterion::Weight => (weight, fill),
        };
    }

    /// Eliminates a variable, connects its neighbours and returns them in column order.
    fn eliminate(&mut self, at: usize) -> Vec<VariableId> {
        let around = std::mem::take(&mut self.neighbours[at]);
        for other in around.ones() {
            // A variable with two newly connected neighbours has a different fill-in.
            self.stale.union_with(&self.neighbours[other]);
            self.stale.insert(other);
            self.neighbours[other].union_with(&around);
            self.neighbours[other].set(other, false);
            self.neighbours[other].set(at, false);
        }
        around.ones().map(|other| self.variables[other]).collect()
    }
}
