//! Random probability tables: around a common centre, independent, or shared by all data sets.
//!
//! All weights are drawn as logarithms of gamma variates and normalised within each parent configuration. Shapes so small that
//! the joint probability of a configuration underflows to zero therefore still give valid rows.
//!
//! A data set with removed arcs has a smaller family. Its table comes from the same model with the removed parents marginalised:
//! the Dirichlet weights of their cells are summed (joint level) or averaged (configuration level); for shared tables, the
//! probabilities are. At the joint level this is exactly the distribution of the smaller family, because a Dirichlet distribution
//! is closed under the aggregation of cells.

use super::design::{Design, DesignError, Level, Parameters};
use super::random::{Purpose, RandomNumbers};
use crate::data::{Schema, VariableId};
use crate::estimate::{Network, NodeTables, Table};
use crate::graph::Dag;

/// Maximum number of probabilities in all tables: 2^24. They take 134 MB; the command line also holds the tables of every data
/// set's own structure as JSON. We measured 2.4 GB in total for 14 million probabilities.
const MOST_PROBABILITIES: f64 = 16_777_216.0;

/// For smaller shapes the logarithm of U^(1/shape) overflows; ln 2^-53 / 1e-300 is still finite.
const SMALLEST_SHAPE: f64 = 1e-300;

/// Draws a network over the common structure; the tables of altered data sets do not depend on their removed parents.
///
/// The table of a new data set is the centre (hier), uniform (iid), or the shared table (id). The pooled table is the mean of
/// the data sets' tables, weighted by their rows. The distribution of rows from different tables need not factorise over the
/// structure.
pub(super) fn random_network(
    design: &Design,
    schema: Schema,
    dag: Dag,
    structures: &[Dag],
    seed: u64,
    stream: u64,
) -> Result<Network, DesignError> {
    let cells = |node: VariableId| -> f64 {
        let family = dag.parents(node).iter().chain([&node]);
        family.map(|&variable| schema.states(variable) as f64).product()
    };
    let probabilities = dag.nodes().map(cells).sum::<f64>() * (design.data_sets() + 3) as f64;
    if probabilities > MOST_PROBABILITIES {
        let largest = dag.nodes().max_by(|&one, &other| cells(one).total_cmp(&cells(other)));
        let parents = largest.map_or(0, |node| dag.parents(node).len());
        return Err(DesignError::Tables { parents, probabilities });
    }
    let tables = dag.nodes().map(|node| {
        let draw = TableSampler { design, seed, stream, node, family: FamilyCells::of(&schema, &dag, node) };
        let lost: Vec<Vec<usize>> =
            structures.iter().map(|structure| draw.family.merged(&dag, structure, node)).collect();
        draw.tables(&lost)
    });
    let tables = tables.collect();
    Ok(Network::new(schema, dag, tables).expect("what was drawn are distributions"))
}

/// The cells of a node and its parents.
struct FamilyCells {
    states: usize,
    /// The number of states of each parent; the first varies slowest.
    parents: Vec<usize>,
    configurations: usize,
}

impl FamilyCells {
    fn of(schema: &Schema, dag: &Dag, node: VariableId) -> Self {
        let parents: Vec<usize> = dag.parents(node).iter().map(|&parent| schema.states(parent)).collect();
        Self { states: schema.states(node), configurations: parents.iter().product(), parents }
    }

    fn len(&self) -> usize {
        self.configurations * self.states
    }

    /// For each configuration, the first one that agrees with it in the parents that the smaller structure keeps.
    fn merged(&self, dag: &Dag, structure: &Dag, node: VariableId) -> Vec<usize> {
        let mut first = vec![0; self.configurations];
        for (configuration, first) in first.iter_mut().enumerate() {
            let (mut rest, mut stride) = (configuration, 1);
            for (&parent, &states) in dag.parents(node).iter().zip(&self.parents).rev() {
                if structure.has_arc(parent, node) {
                    *first += rest % states * stride;
                }
                rest /= states;
                stride *= states;
            }
        }
        first
    }

    /// Converts log weights into a table: merged configurations are summed, then each row is normalised.
    fn condition(&self, ln_weights: &[f64], merged: &[usize]) -> Table {
        let mut highest = vec![f64::NEG_INFINITY; self.configurations];
        for (row, &first) in ln_weights.chunks_exact(self.states).zip(merged) {
            highest[first] = row.iter().copied().fold(highest[first], f64::max);
        }
        let mut sums = vec![0.0; self.len()];
        for (row, &first) in ln_weights.chunks_exact(self.states).zip(merged) {
            let sums = &mut sums[first * self.states..][..self.states];
            for (sum, ln_weight) in sums.iter_mut().zip(row) {
                *sum += libm::exp(ln_weight - highest[first]);
            }
        }
        let mut values = Vec::with_capacity(self.len());
        for &first in merged {
            let row = &sums[first * self.states..][..self.states];
            let total: f64 = row.iter().sum();
            values.extend(row.iter().map(|weight| weight / total));
        }
        Table::new(self.states, values)
    }
}

/// The sampler of one node's tables.
struct TableSampler<'a> {
    design: &'a Design,
    seed: u64,
    stream: u64,
    node: VariableId,
    family: FamilyCells,
}

impl TableSampler<'_> {
    /// Draws the tables; `merged` maps, for each data set, every configuration to the first one merged with it.
    fn tables(&self, merged: &[Vec<usize>]) -> NodeTables {
        let family = &self.family;
        let whole: Vec<usize> = (0..family.configurations).collect();
        let even = || Table::new(family.states, vec![1.0 / family.states as f64; family.len()]);
        let (by_data_set, new) = match self.design.parameters {
            Parameters::Hier => {
                let shapes = self.centre();
                let ln_centre: Vec<f64> = shapes.iter().map(|&shape| libm::log(shape)).collect();
                (self.around(&shapes, merged), family.condition(&ln_centre, &whole))
            }
            Parameters::Iid => (self.around(&self.even_shapes(), merged), even()),
            Parameters::Id => {
                let ln_weights = self.weights(&self.even_shapes(), 0);
                let tables: Vec<Table> =
                    merged.iter().map(|merged| family.condition(&ln_weights, merged)).collect();
                (tables, family.condition(&ln_weights, &whole))
            }
        };
        let pooled = self.mean(&by_data_set);
        NodeTables { by_data_set, pooled, new, rows: None, pooling: None, concentration: None }
    }

    fn numbers(&self, purpose: Purpose, data_set: usize) -> RandomNumbers {
        RandomNumbers::of(self.seed, self.stream, purpose, data_set, self.node.index())
    }

    /// s·a over the cells, a ~ Dir(α0, …, α0): one a for all cells, or one per configuration.
    fn centre(&self) -> Vec<f64> {
        let mut numbers = self.numbers(Purpose::Centre, 0);
        let draws: Vec<f64> = (0..self.family.len()).map(|_| numbers.ln_gamma(self.design.alpha0)).collect();
        let group = match self.design.level {
            Level::Joint => draws.len(),
            Level::Configuration => self.family.states,
        };
        let shares = draws.chunks_exact(group).flat_map(|group| {
            let highest = group.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let weights: Vec<f64> = group.iter().map(|draw| libm::exp(draw - highest)).collect();
            let total: f64 = weights.iter().sum();
            weights.into_iter().map(move |weight| weight / total)
        });
        shares.map(|share| (self.design.s * share).max(SMALLEST_SHAPE)).collect()
    }

    /// s distributed uniformly over all cells, or over those of each configuration.
    fn even_shapes(&self) -> Vec<f64> {
        let cells = match self.design.level {
            Level::Joint => self.family.len(),
            Level::Configuration => self.family.states,
        };
        vec![self.design.s / cells as f64; self.family.len()]
    }

    /// Draws one table per data set independently with the same shapes.
    fn around(&self, shapes: &[f64], merged: &[Vec<usize>]) -> Vec<Table> {
        let one = |(data_set, merged): (usize, &Vec<usize>)| {
            let shapes = self.merge_shapes(shapes, merged);
            self.family.condition(&self.weights(&shapes, data_set), merged)
        };
        merged.iter().enumerate().map(one).collect()
    }

    /// Logarithms of gamma variates with these shapes; negative infinity for shape zero.
    fn weights(&self, shapes: &[f64], data_set: usize) -> Vec<f64> {
        let mut numbers = self.numbers(Purpose::Table, data_set);
        let mut draw = |&shape: &f64| if shape > 0.0 { numbers.ln_gamma(shape) } else { f64::NEG_INFINITY };
        let mut weights: Vec<f64> = shapes.iter().map(&mut draw).collect();
        if self.design.level == Level::Configuration {
            // All configurations get equal weight, in case some are merged.
            for row in weights.chunks_exact_mut(self.family.states) {
                let highest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                if highest > f64::NEG_INFINITY {
                    let total: f64 = row.iter().map(|weight| libm::exp(weight - highest)).sum();
                    row.iter_mut().for_each(|weight| *weight -= highest + libm::log(total));
                }
            }
        }
        weights
    }

    /// Assigns the shapes of merged configurations to the first of them and zero to the others.
    fn merge_shapes(&self, shapes: &[f64], merged: &[usize]) -> Vec<f64> {
        let states = self.family.states;
        let mut sums = vec![0.0; shapes.len()];
        let mut sizes = vec![0_u32; merged.len()];
        for (row, &first) in shapes.chunks_exact(states).zip(merged) {
            sizes[first] += 1;
            sums[first * states..][..states].iter_mut().zip(row).for_each(|(sum, shape)| *sum += shape);
        }
        if self.design.level == Level::Configuration {
            for (row, size) in sums.chunks_exact_mut(states).zip(sizes).filter(|(_, size)| *size > 1) {
                row.iter_mut().for_each(|sum| *sum /= f64::from(size));
            }
        }
        sums
    }

    /// The mean of the data sets' tables, weighted by their rows.
    fn mean(&self, tables: &[Table]) -> Table {
        let total: f64 = self.design.rows.iter().map(|&rows| rows as f64).sum();
        let mut values = vec![0.0; self.family.len()];
        for (table, &rows) in tables.iter().zip(&self.design.rows) {
            let share = rows as f64 / total;
            values.iter_mut().zip(table.values()).for_each(|(value, p)| *value += share * p);
        }
        Table::new(self.family.states, values)
    }
}
