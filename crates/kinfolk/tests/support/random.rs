//! Random related data for tests, from a fixed seed.

use kinfolk::data::{Column, RelatedData, Schema, Variable, VariableId};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Random rows: `states` per variable, `rows` per data set.
pub(crate) fn random_data(states: &[usize], rows: &[usize], weighted: bool, seed: u64) -> RelatedData {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let total: usize = rows.iter().sum();
    let variables = states.iter().enumerate().map(|(index, &states)| Variable {
        name: format!("V{index}"),
        states: (0..states).map(|state| state.to_string()).collect(),
        constant: false,
    });
    let schema = Schema::new(variables.collect(), (0..rows.len()).map(|f| format!("s{f}")).collect());
    let columns = states.iter().map(|&states| {
        let mut column = Column::for_states(states, total);
        (0..total).for_each(|_| column.push(random.random_range(0..u32::try_from(states).unwrap())));
        column
    });
    let columns = columns.collect();
    let mut starts = vec![0];
    rows.iter().for_each(|rows| starts.push(starts[starts.len() - 1] + rows));
    let weights = weighted.then(|| (0..total).map(|_| random.random_range(1..5)).collect());
    RelatedData::new(schema, columns, starts, weights)
}

pub(crate) fn id(index: usize) -> VariableId {
    VariableId::new(index)
}
