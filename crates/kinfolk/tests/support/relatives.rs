//! Simulated related data sets from a fixed seed: one structure, a common centre per family, tables drawn around it.

use kinfolk::data::{Column, RelatedData, Schema, Variable, VariableId};
use kinfolk::graph::Dag;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::dirichlet::dirichlet;

/// The design of a simulation.
pub(crate) struct Relatives {
    /// Variables, with two or three states in turn.
    pub(crate) variables: usize,
    /// Rows of each data set.
    pub(crate) rows: Vec<usize>,
    /// The concentration of the data sets' tables around the centre; 10 in \[ACS22\].
    pub(crate) concentration: f64,
    pub(crate) seed: u64,
}

impl Relatives {
    /// Variable v has the parents v − 1 and, if even, v − 2. Centres are uniform over the joint cells of a family, `a ~ Dir(1, …, 1)`,
    /// and each data set's cells are `θ_f ~ Dir(concentration · a)`, conditioned on the parents.
    pub(crate) fn draw(&self) -> (RelatedData, Dag) {
        let random = &mut ChaCha8Rng::seed_from_u64(self.seed);
        let states: Vec<usize> = (0..self.variables).map(|variable| 2 + variable % 2).collect();
        let parents: Vec<Vec<usize>> = (0..self.variables)
            .map(|child| (1..=2 - child % 2).filter_map(|back| child.checked_sub(back)).collect())
            .collect();
        let families: Vec<usize> = (0..self.variables)
            .map(|child| {
                states[child] * parents[child].iter().map(|&parent| states[parent]).product::<usize>()
            })
            .collect();
        let centres: Vec<Vec<f64>> =
            families.iter().map(|&cells| dirichlet(&vec![1.0; cells], random)).collect();
        let total: usize = self.rows.iter().sum();
        let mut columns: Vec<Column> =
            states.iter().map(|&states| Column::for_states(states, total)).collect();
        for &rows in &self.rows {
            let tables: Vec<Vec<f64>> = centres
                .iter()
                .map(|centre| {
                    let weights: Vec<f64> = centre.iter().map(|share| share * self.concentration).collect();
                    dirichlet(&weights, random)
                })
                .collect();
            for _ in 0..rows {
                let mut row: Vec<usize> = Vec::new();
                for child in 0..self.variables {
                    let first = parents[child]
                        .iter()
                        .fold(0, |number, &parent| number * states[parent] + row[parent]);
                    let cells = &tables[child][first * states[child]..][..states[child]];
                    row.push(choose(cells, random));
                }
                columns
                    .iter_mut()
                    .zip(&row)
                    .for_each(|(column, &code)| column.push(u32::try_from(code).unwrap()));
            }
        }
        let variables = states.iter().enumerate().map(|(index, &states)| Variable {
            name: format!("V{index}"),
            states: (0..states).map(|state| state.to_string()).collect(),
            constant: false,
        });
        let data_sets = (0..self.rows.len()).map(|f| format!("s{f}")).collect();
        let mut starts = vec![0];
        self.rows.iter().for_each(|rows| starts.push(starts[starts.len() - 1] + rows));
        let data = RelatedData::new(Schema::new(variables.collect(), data_sets), columns, starts, None);
        let id = VariableId::new;
        let arcs = parents
            .iter()
            .enumerate()
            .flat_map(|(child, parents)| parents.iter().map(move |&parent| (id(parent), id(child))));
        (data, Dag::from_arcs(self.variables, arcs).unwrap())
    }
}

/// Draws a state with probability proportional to its weight.
fn choose(weights: &[f64], random: &mut ChaCha8Rng) -> usize {
    let mut left = random.random::<f64>() * weights.iter().sum::<f64>();
    for (state, weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return state;
        }
    }
    weights.len() - 1
}
