//! Forward sampling of rows from a network.

use super::random::{Purpose, RandomNumbers};
use crate::data::{Column, RelatedData, Schema, Variable, VariableId};
use crate::estimate::{Network, Relative, Table};

/// Samples rows for each of these relatives, which become the data sets in this order.
///
/// The rows of a relative depend only on the seed, the stream and its own index in the network. They do not depend on the other
/// relatives, and a smaller sample is a prefix of a larger one. They differ from the rows that [`super::simulate`] draws with the
/// same seed. Cost: rows × variables, times the logarithm of the number of states.
///
/// # Panics
/// If a relative occurs twice, or there is none.
pub fn sample(network: &Network, draws: &[(Relative, usize)], seed: u64, stream: u64) -> RelatedData {
    draw_rows(network, draws, Purpose::Fresh, seed, stream)
}

/// The same for any purpose of the random numbers.
pub(super) fn draw_rows(
    network: &Network,
    draws: &[(Relative, usize)],
    purpose: Purpose,
    seed: u64,
    stream: u64,
) -> RelatedData {
    let total = draws.iter().map(|(_, rows)| rows).sum();
    let schema = network.schema();
    let mut columns: Vec<Column> =
        schema.ids().map(|id| Column::for_states(schema.states(id), total)).collect();
    let mut starts = vec![0];
    for &(relative, rows) in draws {
        let start = starts[starts.len() - 1];
        for node in network.dag().topological_order() {
            let mut numbers =
                RandomNumbers::of(seed, stream, purpose, place(network, relative), node.index());
            let states = draw_column(network, relative, node, &columns, start..start + rows, &mut numbers);
            let column = &mut columns[node.index()];
            states.into_iter().for_each(|state| column.push(state));
        }
        starts.push(start + rows);
    }
    let names = draws.iter().map(|&(relative, _)| network.relative_name(relative).to_owned()).collect();
    let variables = schema.variables().iter().zip(&columns);
    let variables = variables.map(|(variable, column)| Variable {
        constant: column.iter().skip(1).all(|code| code == column.get(0)),
        ..variable.clone()
    });
    RelatedData::new(Schema::new(variables.collect(), names), columns, starts, None)
}

/// The index of a relative in the key of its random numbers: data sets first, then pooled, then new.
fn place(network: &Network, relative: Relative) -> usize {
    let data_sets = network.schema().data_sets().len();
    match relative {
        Relative::DataSet(id) => id.index(),
        Relative::Pooled => data_sets,
        Relative::New => data_sets + 1,
    }
}

/// Samples the states of a variable in some rows, in which all its parents already have states.
fn draw_column(
    network: &Network,
    relative: Relative,
    node: VariableId,
    columns: &[Column],
    rows: std::ops::Range<usize>,
    numbers: &mut RandomNumbers,
) -> Vec<u32> {
    let parents: Vec<(&Column, usize)> = network
        .dag()
        .parents(node)
        .iter()
        .map(|&parent| (&columns[parent.index()], network.schema().states(parent)))
        .collect();
    let states = network.schema().states(node);
    let cumulative = cumulative(network.table_of(node, relative));
    rows.map(|row| {
        let configuration =
            parents.iter().fold(0, |number, (column, states)| number * states + column.get(row) as usize);
        let steps = &cumulative[configuration * states..][..states];
        // A state of probability zero adds no step to the cumulative sums, so it is never drawn.
        let point = numbers.unit() * steps[states - 1];
        let state = steps.partition_point(|&step| step <= point);
        u32::try_from(state).expect("codes have 32 bits")
    })
    .collect()
}

/// The cumulative sums of every row. The drawn point is always below the last sum: it is that sum times at most 1 − 2^-53, which
/// rounds below it unless the sum is subnormal, and the sum of a distribution is near 1.
fn cumulative(table: &Table) -> Vec<f64> {
    let running = |row: &[f64]| {
        row.iter()
            .scan(0.0, |sum, probability| {
                *sum += probability;
                Some(*sum)
            })
            .collect::<Vec<f64>>()
    };
    table.rows().flat_map(running).collect()
}
