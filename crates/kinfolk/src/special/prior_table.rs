//! A table by count n of R(prior, n) = lnΓ(prior + n) − lnΓ(prior) for one prior, which grows with use.
//!
//! The closed-form Dirichlet scores need it. Every family size has a prior of its own, and a family looks up all of its
//! counts for two priors, so a table is contiguous in n; [`super::rising_table`] is contiguous in s, without
//! cancellation for large s, and has derivatives. Counts beyond the table are evaluated by the kernel that fills it, so that its length
//! changes no bit.
//!
//! The growing table pays: evaluating all counts from eight on by the kernel costs a BDeu search of 50 binary variables and
//! 10,000 rows 73 % more CPU time, and one of 37 variables with two to four states and 20,000 rows 8 % more.

use std::sync::{Arc, Mutex, PoisonError};

use super::lanes::{LARGE_FROM, large_ln_gammas, ln_gammas};

/// The number of tables of a thread, and of those that threads share.
pub(crate) const PRIORS: usize = 32;

/// lnΓ(prior + n) − lnΓ(prior) at small counts n.
#[derive(Debug, Clone)]
pub(crate) struct PriorTable {
    pub(crate) prior: f64,
    /// lnΓ(prior).
    pub(crate) ln_gamma: f64,
    /// The entries by count, followed by a zero; `None` before the first prior is set.
    table: Option<Arc<[f64]>>,
    /// The number of lookups in batches with a count beyond the table.
    lookups: usize,
}

/// Tables shared by all threads, because they take megabytes. Of priors with the same slot, the one whose table grew
/// last is kept.
static SHARED: Mutex<[PriorTable; PRIORS]> = Mutex::new([PriorTable::NONE; PRIORS]);

impl PriorTable {
    /// The initial number of entries: larger counts need no shift of the argument.
    const FEW: usize = 8;

    /// The largest number of entries, 128 kB.
    pub(crate) const MOST: usize = 16_384;

    /// A table doubles after this many lookups per entry, so that building it costs little compared with computing the
    /// terms.
    const LOOKUPS_PER_ENTRY: usize = 8;

    /// No table: NaN differs from every prior.
    pub(crate) const NONE: Self = Self { prior: f64::NAN, ln_gamma: 0.0, table: None, lookups: 0 };

    /// Starts the table of a new prior.
    #[cold]
    pub(crate) fn start_table(&mut self, prior: f64) {
        let mut few = [0.0; Self::FEW];
        ln_gammas(&std::array::from_fn::<_, { Self::FEW }, _>(|count| prior + count as f64), &mut few);
        let ln_gamma = few[0];
        let table = few.iter().map(|value| value - ln_gamma).chain([0.0]).collect();
        *self = Self { prior, ln_gamma, table: Some(table), lookups: 0 };
    }

    pub(crate) fn table(&self) -> &[f64] {
        self.table.as_deref().unwrap_or(&[0.0])
    }

    /// The number of counts with an entry.
    pub(crate) fn entries(&self) -> usize {
        self.table().len() - 1
    }

    /// Records a batch of lookups that went beyond the table.
    pub(crate) fn miss(&mut self, lookups: usize) {
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
            let more = values.iter().map(|value| value - self.ln_gamma);
            let table = self.table()[..counts].iter().copied().chain(more).chain([0.0]).collect();
            *known = Self { table: Some(table), ..self.clone() };
        }
        self.table.clone_from(&known.table);
    }
}

const _: () =
    assert!(PriorTable::FEW as f64 == LARGE_FROM, "the smallest argument of a count without an entry");

/// The slot of a prior. Priors of binary families differ only in their exponents: up to 32 sizes have distinct slots.
pub(crate) fn slot_of(prior: f64) -> usize {
    let bits = prior.to_bits();
    #[expect(clippy::cast_possible_truncation, reason = "only the last bits count")]
    let slot = ((bits >> 52) ^ (bits >> 46)) as usize % PRIORS;
    slot
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_grow_with_use_and_are_shared_between_threads() {
        let grown = || {
            let mut table = PriorTable::NONE;
            table.start_table(0.125);
            (0..10_000).for_each(|_| table.miss(6));
            table
        };
        let first = grown();
        assert!(first.entries() > 2000, "{}", first.entries());
        for count in [0, 1, 7, 8, 9, 100, first.entries() - 1] {
            let mut exact = [0.0; 1];
            ln_gammas(&[0.125 + count as f64], &mut exact);
            assert_eq!(
                first.table()[count].to_bits(),
                (exact[0] - first.ln_gamma).to_bits(),
                "count {count}"
            );
        }
        let second = std::thread::scope(|scope| scope.spawn(grown).join().expect("a thread"));
        assert_eq!(second.table().as_ptr(), first.table().as_ptr());
    }
}
