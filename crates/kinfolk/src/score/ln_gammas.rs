//! Σ_jk R(α, n_jk) − Σ_j R(β, n_j) for the closed-form Dirichlet scores, from tables of R(prior, n) = lnΓ(prior + n) −
//! lnΓ(prior).
//!
//! R of small counts, which repeat, comes from a table; R of larger counts is computed in blocks by the same kernel, so
//! that the length of a table changes no bit. `special::rising_table` is a separate table because its access pattern
//! differs (all s of one grid for one count, and derivatives, without cancellation for large s); here every family size
//! has its own prior.

use std::sync::{Arc, Mutex, PoisonError};

use crate::counts::Counts;
use crate::special::lanes::{LANES, LARGE_FROM, large_ln_gammas, ln_gammas};

/// lnΓ(prior + n) − lnΓ(prior) at small counts n.
#[derive(Debug, Clone)]
struct Rises {
    prior: f64,
    /// lnΓ(prior).
    none: f64,
    /// The entries by count, followed by a zero; `None` before the first prior is set.
    table: Option<Arc<[f64]>>,
    /// The number of lookups in batches with a count beyond the table.
    lookups: usize,
}

/// Tables shared by all threads, because they take megabytes. Of priors with the same slot, the one whose table grew
/// last is kept.
static SHARED: Mutex<[Rises; LnGammas::PRIORS]> = Mutex::new([Rises::NONE; LnGammas::PRIORS]);

impl Rises {
    /// The initial number of entries: larger counts need no shift of the argument.
    const FEW: usize = 8;

    /// The largest number of entries, 128 kB.
    const MOST: usize = 16_384;

    /// A table doubles after this many lookups per entry, so that building it costs little compared with computing the
    /// terms.
    const LOOKUPS_PER_ENTRY: usize = 8;

    /// No table: NaN differs from every prior.
    const NONE: Self = Self { prior: f64::NAN, none: 0.0, table: None, lookups: 0 };

    /// Starts the table of a new prior.
    #[cold]
    fn start_table(&mut self, prior: f64) {
        let mut few = [0.0; Self::FEW];
        ln_gammas(&std::array::from_fn::<_, { Self::FEW }, _>(|count| prior + count as f64), &mut few);
        let none = few[0];
        let table = few.iter().map(|value| value - none).chain([0.0]).collect();
        *self = Self { prior, none, table: Some(table), lookups: 0 };
    }

    fn table(&self) -> &[f64] {
        self.table.as_deref().unwrap_or(&[0.0])
    }

    /// The number of counts with an entry.
    fn entries(&self) -> usize {
        self.table().len() - 1
    }

    /// Records a batch of lookups that went beyond the table.
    fn miss(&mut self, lookups: usize) {
        self.lookups += lookups;
        let length = self.table().len();
        if self.lookups > Self::LOOKUPS_PER_ENTRY * length && length <= Self::MOST {
            self.grow();
        }
    }

    /// At least doubles the table, or takes over a longer one from another thread.
    #[cold]
    fn grow(&mut self) {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        let known = &mut shared[slot_of(self.prior)];
        if known.prior != self.prior || known.entries() <= self.entries() {
            let counts = self.entries();
            let arguments: Vec<f64> = (counts..2 * counts).map(|count| self.prior + count as f64).collect();
            let mut values = vec![0.0; counts];
            large_ln_gammas(&arguments, &mut values);
            let more = values.iter().map(|value| value - self.none);
            let table = self.table()[..counts].iter().copied().chain(more).chain([0.0]).collect();
            *known = Self { table: Some(table), ..self.clone() };
        }
        self.table.clone_from(&known.table);
    }
}

const _: () = assert!(Rises::FEW as f64 == LARGE_FROM, "the smallest argument of a count without an entry");

/// A thread's tables and scratch memory.
pub(super) struct LnGammas {
    rises: [Rises; Self::PRIORS],
    /// The terms of a batch, in its order.
    values: [f64; Self::AT_ONCE],
    /// The positions of the batch's counts beyond the table.
    places: [usize; Self::AT_ONCE],
    arguments: [f64; Self::AT_ONCE],
    worked_out: [f64; Self::AT_ONCE],
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
    /// The number of table slots.
    const PRIORS: usize = 32;

    /// The size of a batch.
    const AT_ONCE: usize = 128;

    pub(super) const NONE: Self = Self {
        rises: [Rises::NONE; Self::PRIORS],
        values: [0.0; Self::AT_ONCE],
        places: [0; Self::AT_ONCE],
        arguments: [0.0; Self::AT_ONCE],
        worked_out: [0.0; Self::AT_ONCE],
        cells: Vec::new(),
        configurations: Vec::new(),
        rows: Vec::new(),
        rows_of_all: Vec::new(),
        cells_of_all: Vec::new(),
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
        let mut rows = std::mem::take(&mut self.rows);
        rows.clear();
        rows.extend(table.chunks_exact(states).map(|cells| cells.iter().sum::<u32>()));
        self.look_up(alpha, table, beta, &rows);
        self.rows = rows;
        let cells = self.cells.chunks_exact(states).zip(&self.configurations);
        cells.fold(0.0, |total, (cells, rows)| total + (cells.iter().sum::<f64>() - rows))
    }

    /// The same for a child with two states.
    fn of_pairs(&mut self, alpha: f64, beta: f64, pairs: &[[u32; 2]]) -> f64 {
        let mut rows = std::mem::take(&mut self.rows);
        rows.clear();
        rows.extend(pairs.iter().map(|[first, second]| first + second));
        let [cell, configuration] = [alpha, beta].map(slot_of);
        self.prepare(cell, alpha);
        self.prepare(configuration, beta);
        let tables = [cell, configuration].map(|slot| &self.rises[slot]);
        let entries = tables.iter().map(|rises| rises.entries()).min().unwrap_or_default();
        let largest = rows.iter().max().map_or(0, |&rows| index(rows));
        let total = if largest < entries && tables[0].prior == alpha {
            // All counts have entries, so nothing is buffered. (Both priors have a table, since one is twice the
            // other.)
            let [cell, configuration] = tables.map(|rises| &rises.table()[..=entries]);
            pairs.iter().zip(&rows).fold(0.0, |total, ([first, second], rows)| {
                total + (cell[index(*first)] + cell[index(*second)] - configuration[index(*rows)])
            })
        } else {
            self.look_up(alpha, pairs.as_flattened(), beta, &rows);
            let pairs = self.cells.as_chunks::<2>().0.iter().zip(&self.configurations);
            pairs.fold(0.0, |total, ([first, second], rows)| total + (first + second - rows))
        };
        self.rows = rows;
        total
    }

    /// The sums over the observed cells of all data sets together, bit-identical to those of [`Self::of_table`].
    pub(super) fn of_observed(&mut self, alpha: f64, beta: f64, counts: &Counts) -> f64 {
        let (mut cells, mut rows) =
            (std::mem::take(&mut self.cells_of_all), std::mem::take(&mut self.rows_of_all));
        cells.clear();
        rows.clear();
        for observed in counts.configurations() {
            let first = cells.len();
            cells.extend(observed.cells().map(|cell| cell.total()));
            rows.push(cells[first..].iter().sum());
        }
        self.look_up(alpha, &cells, beta, &rows);
        (self.cells_of_all, self.rows_of_all) = (cells, rows);
        let observed = counts.configurations().zip(&self.configurations);
        observed.fold(0.0, |total, (observed, rows)| {
            total + (self.cells[observed.cell_range()].iter().sum::<f64>() - rows)
        })
    }

    /// Fills `cells` and `configurations`.
    fn look_up<T: Copy + Into<u64>>(&mut self, alpha: f64, cells: &[T], beta: f64, rows: &[T]) {
        let mut values = std::mem::take(&mut self.cells);
        self.rises(alpha, cells, &mut values);
        self.cells = values;
        let mut values = std::mem::take(&mut self.configurations);
        self.rises(beta, rows, &mut values);
        self.configurations = values;
    }

    /// lnΓ(prior + n) − lnΓ(prior) of some counts n.
    fn rises<T: Copy + Into<u64>>(&mut self, prior: f64, counts: &[T], values: &mut Vec<f64>) {
        let slot = slot_of(prior);
        values.clear();
        for counts in counts.chunks(Self::AT_ONCE) {
            self.prepare(slot, prior);
            let rises = &mut self.rises[slot];
            let largest = counts.iter().map(|&count| count.into()).max().unwrap_or_default();
            // A batch whose largest count exceeds every table does not count as a miss.
            if (rises.entries() as u64..Rises::MOST as u64).contains(&largest) {
                rises.miss(counts.len());
            }
            if largest < rises.entries() as u64 {
                let table = rises.table();
                values.extend(counts.iter().map(|&count| table[index(count)]));
            } else {
                values.extend_from_slice(self.compute_terms(slot, counts));
            }
        }
    }

    /// Ensures that a slot has the table of a prior.
    fn prepare(&mut self, slot: usize, prior: f64) {
        if self.rises[slot].prior != prior {
            self.rises[slot].start_table(prior);
        }
    }

    /// The terms of a batch in which some counts have no entry.
    fn compute_terms<T: Copy + Into<u64>>(&mut self, slot: usize, counts: &[T]) -> &[f64] {
        let rises = &self.rises[slot];
        let (prior, none, table, last) = (rises.prior, rises.none, rises.table(), rises.entries());
        let mut large = 0;
        for (place, (value, &count)) in self.values.iter_mut().zip(counts).enumerate() {
            *value = table[index(count).min(last)];
            // Branch-free compaction: every count is written to the next free slot, which advances only for large ones.
            (self.places[large], self.arguments[large]) = (place, prior + count.into().cast_signed() as f64);
            large += usize::from(index(count) >= last);
        }
        // Padded to whole registers.
        let filled = large.next_multiple_of(LANES);
        self.arguments[large..filled].fill(LARGE_FROM);
        large_ln_gammas(&self.arguments[..filled], &mut self.worked_out);
        for (&place, value) in self.places[..large].iter().zip(&self.worked_out) {
            self.values[place] = value - none;
        }
        &self.values[..counts.len()]
    }
}

/// The slot of a prior. Priors of binary families differ only in their exponents: up to 32 sizes have distinct slots.
fn slot_of(prior: f64) -> usize {
    let bits = prior.to_bits();
    #[expect(clippy::cast_possible_truncation, reason = "only the last bits count")]
    let slot = ((bits >> 52) ^ (bits >> 46)) as usize % LnGammas::PRIORS;
    slot
}

/// A count as an index, saturating.
fn index(count: impl Into<u64>) -> usize {
    usize::try_from(count.into()).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_grow_with_use_and_are_shared_between_threads() {
        let pairs = [[900, 100], [40, 2000], [3, 0]];
        let asked_often = || {
            let mut sums = LnGammas::NONE;
            let values: Vec<f64> = (0..10_000).map(|_| sums.of_pairs(0.125, 0.25, &pairs)).collect();
            assert!(values.iter().all(|value| value.to_bits() == values[0].to_bits()));
            (sums.rises[slot_of(0.125)].clone(), values[0])
        };
        let (first, value) = asked_often();
        assert!(first.entries() > 2000, "{}", first.entries());
        let (second, other) = std::thread::scope(|scope| scope.spawn(asked_often).join().unwrap());
        assert_eq!((second.table().as_ptr(), other), (first.table().as_ptr(), value));
    }
}
