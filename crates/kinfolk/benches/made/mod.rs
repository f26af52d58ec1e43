//! Simulated rows for the benchmarks, the same on every machine.

#![allow(dead_code, reason = "not every benchmark uses all of it")]

use kinfolk::counts::Family;
use kinfolk::data::{Column, RelatedData, Schema, Variable, VariableId};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The probability that a variable copies the state of its predecessor.
pub(crate) const KEPT: f64 = 0.7;

/// A chain of variables: each copies the state of its predecessor with probability `kept`, or draws one uniformly.
pub(crate) fn chain(
    variables: usize,
    states: usize,
    data_sets: usize,
    rows: usize,
    kept: f64,
) -> RelatedData {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let last = u32::try_from(states).expect("few states");
    let mut columns: Vec<Column> = Vec::new();
    for index in 0..variables {
        let mut column = Column::for_states(states, rows);
        for row in 0..rows {
            let keep = index > 0 && random.random::<f64>() < kept;
            let code = if keep { columns[index - 1].get(row) } else { random.random_range(0..last) };
            column.push(code);
        }
        columns.push(column);
    }
    let variable = |index: usize| Variable {
        name: format!("V{index}"),
        states: (0..states).map(|state| state.to_string()).collect(),
        constant: false,
    };
    let names = (0..data_sets).map(|data_set| format!("set{data_set}")).collect();
    let schema = Schema::new((0..variables).map(variable).collect(), names);
    RelatedData::new(schema, columns, (0..=data_sets).map(|f| f * rows / data_sets).collect(), None)
}

/// Families of the first variable that share all parents but one, as in one step of a search.
pub(crate) fn extensions(data: &RelatedData, parents: usize, families: usize) -> Vec<Family> {
    assert!(parents + families <= data.schema().variables().len(), "there are columns enough");
    let shared = (1..parents).map(VariableId::new);
    let added = (parents..parents + families).map(VariableId::new);
    added.map(|added| Family::new(VariableId::new(0), shared.clone().chain([added]))).collect()
}
