//! Σ_jk R(α, n_jk) − Σ_j R(β, n_j) for the closed-form Dirichlet scores, from tables of R(prior, n) = lnΓ(prior + n) −
//! lnΓ(prior).
//!
//! R of small counts, which repeat, comes from a table; R of larger counts is computed in batches by the same kernel, so
//! that the length of a table changes no bit.

use crate::counts::Counts;
use crate::special::lanes::{LANES, LARGE_FROM, large_ln_gammas};
use crate::special::prior_table::{PRIORS, PriorTable, slot_of};

/// The size of a batch.
const BATCH: usize = 128;

/// A thread's tables of rising factorials, with its scratch memory.
pub(super) struct LnGammas {
    tables: [PriorTable; PRIORS],
    scratch: Scratch,
}

struct Scratch {
    /// The terms of a batch, in its order.
    values: [f64; BATCH],
    /// The positions of the batch's counts beyond the table.
    places: [usize; BATCH],
    arguments: [f64; BATCH],
    worked_out: [f64; BATCH],
    /// The term of each cell and each configuration.
    cells: Vec<f64>,
    configurations: Vec<f64>,
    /// The rows of each configuration.
    rows: Vec<u32>,
    /// The rows of each configuration, and of each cell, summed over several data sets.
    rows_of_all: Vec<u64>,
    cells_of_all: Vec<u64>,
}

impl LnGammas {
    pub(super) const NONE: Self = Self {
        tables: [PriorTable::NONE; PRIORS],
        scratch: Scratch {
            values: [0.0; BATCH],
            places: [0; BATCH],
            arguments: [0.0; BATCH],
            worked_out: [0.0; BATCH],
            cells: Vec::new(),
            configurations: Vec::new(),
            rows: Vec::new(),
            rows_of_all: Vec::new(),
            cells_of_all: Vec::new(),
        },
    };

    /// The sums over one data set's table, by configuration, then state, with α in every cell and β in every
    /// configuration.
    ///
    /// A configuration contributes little compared with its cells, so each one is summed on its own before it is added.
    /// Terms are added one after the other, so that a count of zero changes nothing.
    pub(super) fn of_table(&mut self, alpha: f64, beta: f64, states: usize, table: &[u32]) -> f64 {
        if states == 2 {
            return self.of_pairs(alpha, beta, table.as_chunks().0);
        }
        let mut rows = std::mem::take(&mut self.scratch.rows);
        rows.clear();
        rows.extend(table.chunks_exact(states).map(|cells| cells.iter().sum::<u32>()));
        self.look_up(alpha, table, beta, &rows);
        self.scratch.rows = rows;
        let cells = self.scratch.cells.chunks_exact(states).zip(&self.scratch.configurations);
        cells.fold(0.0, |total, (cells, rows)| total + (cells.iter().sum::<f64>() - rows))
    }

    /// The same for a child with two states.
    fn of_pairs(&mut self, alpha: f64, beta: f64, pairs: &[[u32; 2]]) -> f64 {
        let mut rows = std::mem::take(&mut self.scratch.rows);
        rows.clear();
        rows.extend(pairs.iter().map(|[first, second]| first + second));
        let [cell, configuration] = [alpha, beta].map(slot_of);
        self.prepare(cell, alpha);
        self.prepare(configuration, beta);
        let tables = [cell, configuration].map(|slot| &self.tables[slot]);
        let entries = tables.iter().map(|table| table.entries()).min().unwrap_or_default();
        let largest = rows.iter().max().map_or(0, |&rows| index(rows));
        let total = if largest < entries && tables[0].prior == alpha {
            // All counts have entries, so nothing is buffered. (Both priors have a table, since one is twice the
            // other.)
            let [cell, configuration] = tables.map(|table| &table.table()[..=entries]);
            pairs.iter().zip(&rows).fold(0.0, |total, ([first, second], rows)| {
                total + (cell[index(*first)] + cell[index(*second)] - configuration[index(*rows)])
            })
        } else {
            self.look_up(alpha, pairs.as_flattened(), beta, &rows);
            let pairs = self.scratch.cells.as_chunks::<2>().0.iter().zip(&self.scratch.configurations);
            pairs.fold(0.0, |total, ([first, second], rows)| total + (first + second - rows))
        };
        self.scratch.rows = rows;
        total
    }

    /// The sums over the observed cells of all data sets together, bit-identical to those of [`Self::of_table`].
    pub(super) fn of_observed(&mut self, alpha: f64, beta: f64, counts: &Counts) -> f64 {
        let (mut cells, mut rows) =
            (std::mem::take(&mut self.scratch.cells_of_all), std::mem::take(&mut self.scratch.rows_of_all));
        cells.clear();
        rows.clear();
        for observed in counts.configurations() {
            let first = cells.len();
            cells.extend(observed.cells().map(|cell| cell.total()));
            rows.push(cells[first..].iter().sum());
        }
        self.look_up(alpha, &cells, beta, &rows);
        (self.scratch.cells_of_all, self.scratch.rows_of_all) = (cells, rows);
        let observed = counts.configurations().zip(&self.scratch.configurations);
        observed.fold(0.0, |total, (observed, rows)| {
            total + (self.scratch.cells[observed.cell_range()].iter().sum::<f64>() - rows)
        })
    }

    /// Fills `cells` and `configurations`.
    fn look_up<T: Copy + Into<u64>>(&mut self, alpha: f64, cells: &[T], beta: f64, rows: &[T]) {
        let mut values = std::mem::take(&mut self.scratch.cells);
        self.rising_factorials(alpha, cells, &mut values);
        self.scratch.cells = values;
        let mut values = std::mem::take(&mut self.scratch.configurations);
        self.rising_factorials(beta, rows, &mut values);
        self.scratch.configurations = values;
    }

    /// lnΓ(prior + n) − lnΓ(prior) of some counts n.
    fn rising_factorials<T: Copy + Into<u64>>(&mut self, prior: f64, counts: &[T], values: &mut Vec<f64>) {
        let slot = slot_of(prior);
        values.clear();
        for counts in counts.chunks(BATCH) {
            self.prepare(slot, prior);
            let table = &mut self.tables[slot];
            let largest = counts.iter().map(|&count| count.into()).max().unwrap_or_default();
            // A batch whose largest count exceeds every table does not count as a miss.
            if (table.entries() as u64..PriorTable::MOST as u64).contains(&largest) {
                table.miss(counts.len());
            }
            if largest < table.entries() as u64 {
                let table = table.table();
                values.extend(counts.iter().map(|&count| table[index(count)]));
            } else {
                values.extend_from_slice(self.compute_terms(slot, counts));
            }
        }
    }

    /// Ensures that a slot has the table of a prior.
    fn prepare(&mut self, slot: usize, prior: f64) {
        if self.tables[slot].prior != prior {
            self.tables[slot].start_table(prior);
        }
    }

    /// The terms of a batch in which some counts have no entry.
    fn compute_terms<T: Copy + Into<u64>>(&mut self, slot: usize, counts: &[T]) -> &[f64] {
        let PriorTable { prior, ln_gamma, .. } = self.tables[slot];
        let (table, last) = (self.tables[slot].table(), self.tables[slot].entries());
        let mut large = 0;
        for (place, (value, &count)) in self.scratch.values.iter_mut().zip(counts).enumerate() {
            *value = table[index(count).min(last)];
            // Branch-free compaction: every count is written to the next free slot, which advances only for large ones.
            (self.scratch.places[large], self.scratch.arguments[large]) =
                (place, prior + count.into().cast_signed() as f64);
            large += usize::from(index(count) >= last);
        }
        // Padded to whole registers.
        let filled = large.next_multiple_of(LANES);
        self.scratch.arguments[large..filled].fill(LARGE_FROM);
        large_ln_gammas(&self.scratch.arguments[..filled], &mut self.scratch.worked_out);
        for (&place, value) in self.scratch.places[..large].iter().zip(&self.scratch.worked_out) {
            self.scratch.values[place] = value - ln_gamma;
        }
        &self.scratch.values[..counts.len()]
    }
}

/// A count as an index, saturating.
fn index(count: impl Into<u64>) -> usize {
    usize::try_from(count.into()).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_of_a_table_changes_no_bit() {
        let pairs = [[900, 100], [40, 2000], [3, 0]];
        let mut sums = LnGammas::NONE;
        let values: Vec<f64> = (0..10_000).map(|_| sums.of_pairs(0.125, 0.25, &pairs)).collect();
        assert!(sums.tables[slot_of(0.125)].entries() > 2000);
        assert!(values.iter().all(|value| value.to_bits() == values[0].to_bits()));
    }
}
