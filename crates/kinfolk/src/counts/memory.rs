//! The tally over rows in memory.

use rayon::prelude::*;

use super::{Builder, Counts, Family, Tally, TallyError};
use crate::data::{Column, DataSetId, RelatedData, Schema, VariableId};

/// Rows whose cell numbers are computed at a time: they stay in the first-level cache.
const BLOCK: usize = 4096;

/// A table of this many cells is counted densely however few the rows.
const ALWAYS_DENSE: usize = 4096;

/// Up to this many cells per row a dense table is quicker than sorting the rows.
const DENSE_CELLS_PER_ROW: usize = 4;

/// Bytes a row takes while a sparse table is made: itself, its configuration, and a copy of that to rank by.
const SPARSE_BYTES_PER_ROW: usize = size_of::<Row>() + 2 * size_of::<u64>();

/// What one tally may allocate unless told otherwise: 4 GiB.
const DEFAULT_MEMORY: usize = 4 << 30;

/// Counts families of encoded rows. Time is linear in rows × (1 + parents); memory is bounded by the rows, because a table
/// with more possible cells than a small multiple of the rows is made by sorting the rows instead of by a dense array.
#[derive(Debug)]
pub struct MemoryTally<'a> {
    data: &'a RelatedData,
    memory: usize,
}

/// One row of a sparse table in the making.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    cell: u64,
    data_set: u32,
    weight: u64,
}

impl<'a> MemoryTally<'a> {
    /// A tally over these rows.
    pub fn new(data: &'a RelatedData) -> Self {
        Self { data, memory: DEFAULT_MEMORY }
    }

    /// Limits what counting one family may allocate, in bytes.
    #[must_use]
    pub fn with_memory(self, memory: usize) -> Self {
        Self { memory, ..self }
    }

    fn count(&self, family: &Family) -> Result<Counts, TallyError> {
        let schema = self.data.schema();
        let states = schema.states(family.child());
        let data_sets = schema.data_sets().len();
        let rows = self.data.stored_rows();
        let possible: f64 = family.parents().iter().map(|&parent| schema.states(parent) as f64).product();
        let table_cells = possible * states as f64 * data_sets as f64;
        let dense_limit = ALWAYS_DENSE.max(rows.saturating_mul(DENSE_CELLS_PER_ROW));
        let dense = table_cells <= dense_limit.min(u32::MAX as usize) as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a dense table is small")]
        let needed =
            if dense { table_cells as usize * size_of::<u64>() } else { rows * SPARSE_BYTES_PER_ROW };
        if needed > self.memory {
            return Err(TallyError::TooLarge {
                child: schema.variable(family.child()).name.clone(),
                parents: family.parents().len(),
                rows,
                needed: needed.div_ceil(1_000_000),
                limit: self.memory / 1_000_000,
            });
        }
        let builder = Counts::builder(states, possible, data_sets);
        Ok(if dense { self.count_densely(family, builder) } else { self.count_sparsely(family, builder) })
    }

    /// One pass over the rows into an array with one number per data set and cell.
    fn count_densely(&self, family: &Family, mut builder: Builder) -> Counts {
        let schema = self.data.schema();
        let states = schema.states(family.child());
        let cells: usize =
            family.parents().iter().map(|&parent| schema.states(parent)).product::<usize>() * states;
        let data_sets = schema.data_sets().len();
        let mut table = vec![0_u64; cells * data_sets];
        let mut cell_of = [0_u32; BLOCK];
        for (data_set, counts) in table.chunks_exact_mut(cells).enumerate() {
            let range = self.data.rows_of(DataSetId::new(data_set));
            for start in range.clone().step_by(BLOCK) {
                let end = range.end.min(start + BLOCK);
                let cell_of = &mut cell_of[..end - start];
                cell_of.fill(0);
                for &variable in family.parents().iter().chain([&family.child()]) {
                    append_digit(cell_of, self.data.column(variable), start, schema.states(variable));
                }
                match self.data.weights() {
                    None => cell_of.iter().for_each(|&cell| counts[cell as usize] += 1),
                    Some(weights) => {
                        for (&cell, weight) in cell_of.iter().zip(&weights[start..end]) {
                            counts[cell as usize] += weight;
                        }
                    }
                }
            }
        }
        for cell in 0..cells {
            for data_set in 0..data_sets {
                let count = table[data_set * cells + cell];
                builder.push((cell / states) as u64, cell % states, data_set, count);
            }
        }
        builder.finish()
    }

    /// Sorts the rows by cell and data set and counts runs.
    fn count_sparsely(&self, family: &Family, mut builder: Builder) -> Counts {
        let schema = self.data.schema();
        let states = schema.states(family.child()) as u64;
        let (configurations, numbered) = self.configuration_of_rows(family.parents(), u64::MAX / states);
        let child = self.data.column(family.child());
        let mut rows = Vec::with_capacity(configurations.len());
        for data_set in 0..schema.data_sets().len() {
            for row in self.data.rows_of(DataSetId::new(data_set)) {
                rows.push(Row {
                    cell: configurations[row] * states + u64::from(child.get(row)),
                    data_set: DataSetId::new(data_set).0,
                    weight: self.data.weights().map_or(1, |weights| weights[row]),
                });
            }
        }
        drop(configurations);
        rows.sort_unstable();
        for run in rows.chunk_by(|a, b| (a.cell, a.data_set) == (b.cell, b.data_set)) {
            let count = run.iter().map(|row| row.weight).sum();
            #[expect(clippy::cast_possible_truncation, reason = "a state is below the number of states")]
            let state = (run[0].cell % states) as usize;
            builder.push(run[0].cell / states, state, run[0].data_set as usize, count);
        }
        if numbered { builder.finish() } else { builder.without_numbers().finish() }
    }

    /// The number of each row's configuration, below `limit`, and whether these are true numbers or only ranks: where
    /// the numbers would not fit, what has been numbered so far is replaced by its rank among the rows.
    fn configuration_of_rows(&self, parents: &[VariableId], limit: u64) -> (Vec<u64>, bool) {
        let schema = self.data.schema();
        let mut number = vec![0_u64; self.data.stored_rows()];
        let (mut size, mut numbered) = (1_u64, true);
        for &parent in parents {
            let states = schema.states(parent) as u64;
            if size > limit / states {
                let mut seen = number.clone();
                seen.sort_unstable();
                seen.dedup();
                for number in &mut number {
                    *number = seen.partition_point(|other| other < number) as u64;
                }
                (size, numbered) = (seen.len() as u64, false);
            }
            for (number, code) in number.iter_mut().zip(self.data.column(parent).iter()) {
                *number = *number * states + u64::from(code);
            }
            size *= states;
        }
        (number, numbered)
    }
}

/// Appends one column's code as the last digit of each row's cell number.
fn append_digit(cell_of: &mut [u32], column: &Column, start: usize, states: usize) {
    fn append<T: Copy + Into<u32>>(cell_of: &mut [u32], codes: &[T], states: u32) {
        for (cell, &code) in cell_of.iter_mut().zip(codes) {
            *cell = *cell * states + code.into();
        }
    }
    let states = u32::try_from(states).expect("states are coded in 32 bits");
    match column {
        Column::U8(codes) => append(cell_of, &codes[start..], states),
        Column::U16(codes) => append(cell_of, &codes[start..], states),
        Column::U32(codes) => append(cell_of, &codes[start..], states),
    }
}

impl Tally for MemoryTally<'_> {
    fn schema(&self) -> &Schema {
        self.data.schema()
    }

    fn tally_many(&self, families: &[Family]) -> Result<Vec<Counts>, TallyError> {
        families.par_iter().map(|family| self.count(family)).collect()
    }
}
