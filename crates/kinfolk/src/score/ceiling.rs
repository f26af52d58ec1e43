//! What the scores of hierarchical models cannot exceed, for much less work than the scores take: a search need not fit what it can
//! tell to be worse than its best move (docs/THEORY.md, E50 and E51).

use std::cell::RefCell;
use std::sync::LazyLock;

use crate::counts::Counts;

/// What rounding can take off a ceiling or add to a score, relative to the terms that they are sums of.
const ROUNDING: f64 = 1e-13;

/// A ceiling with room for rounding.
///
/// No term of a score or a ceiling is larger than lnΓ(n) of all rows, and those of its cells and of its configurations are at most that
/// together; most of it cancels.
pub(super) fn with_room(ceiling: f64, counts: &Counts) -> f64 {
    let rows = counts.rows().iter().sum::<u64>() + 1;
    ceiling + ROUNDING * (1.0 + ceiling.abs() + XLnX::new().of(rows))
}

/// Σ_f of the largest likelihood in each data set: no prior gives its rows more.
pub(super) fn separate_likelihood(counts: &Counts) -> f64 {
    let x_ln_x = XLnX::new();
    let mut sum = 0.0;
    by_configuration(counts, |configuration| {
        sum += configuration.entries.sum_of(|count| x_ln_x.of(count));
        sum -= sum_of(configuration.rows, |rows| x_ln_x.of(rows));
    });
    sum
}

/// What ceilings need of a configuration.
struct Summary<'a> {
    entries: Entries<'a>,
    /// The rows of each data set.
    rows: &'a [u64],
}

/// The counts of a configuration's cells, by data set; there may be zeros among them.
enum Entries<'a> {
    Narrow(&'a [u32]),
    Wide(&'a [u64]),
}

impl Entries<'_> {
    fn sum_of(&self, term: impl FnMut(u64) -> f64) -> f64 {
        match self {
            Self::Narrow(counts) => sum_of(counts, term),
            Self::Wide(counts) => sum_of(counts, term),
        }
    }
}

/// What a thread uses again for every configuration.
struct Room {
    entries: Vec<u64>,
    rows: Vec<u64>,
}

thread_local! {
    static ROOM: RefCell<Room> = const { RefCell::new(Room { entries: Vec::new(), rows: Vec::new() }) };
}

/// Shows a summary of every configuration.
fn by_configuration(counts: &Counts, mut show: impl FnMut(Summary<'_>)) {
    let data_sets = counts.data_sets();
    ROOM.with_borrow_mut(|Room { entries, rows }| {
        rows.resize(data_sets, 0);
        if let Some(table) = counts.dense_by_data_set() {
            for configuration in table.chunks_exact(counts.states() * data_sets) {
                rows.fill(0);
                for cell in configuration.chunks_exact(data_sets) {
                    rows.iter_mut().zip(cell).for_each(|(rows, &count)| *rows += u64::from(count));
                }
                show(Summary { entries: Entries::Narrow(configuration), rows });
            }
            return;
        }
        for configuration in counts.configurations() {
            entries.clear();
            rows.fill(0);
            for cell in configuration.cells() {
                for entry in cell.entries {
                    rows[entry.data_set] += entry.count;
                    entries.push(entry.count);
                }
            }
            show(Summary { entries: Entries::Wide(entries), rows });
        }
    });
}

/// The sum of some terms, every fourth in a sum of its own, so that they need not wait for each other.
fn sum_of<T: Copy + Into<u64>>(counts: &[T], mut term: impl FnMut(u64) -> f64) -> f64 {
    let (fours, rest) = counts.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for four in fours {
        sums.iter_mut().zip(four).for_each(|(sum, &count)| *sum += term(count.into()));
    }
    sums.iter().sum::<f64>() + rest.iter().map(|&count| term(count.into())).sum::<f64>()
}

/// x ln x of whole numbers, zero for zero: most are small, and met again and again.
pub(super) struct XLnX(&'static [f64]);

impl XLnX {
    pub(super) fn new() -> Self {
        static VALUES: LazyLock<Vec<f64>> = LazyLock::new(|| (0..4096).map(XLnX::work_out).collect());
        Self(&VALUES)
    }

    pub(super) fn of(&self, x: u64) -> f64 {
        let small = usize::try_from(x).ok().and_then(|x| self.0.get(x));
        small.copied().unwrap_or_else(|| Self::work_out(x))
    }

    fn work_out(x: u64) -> f64 {
        if x == 0 { 0.0 } else { x as f64 * (x as f64).ln() }
    }
}
