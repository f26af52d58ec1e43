//! What the scores of hierarchical models cannot exceed, for much less work than the scores take: a search need not fit what it can
//! tell to be worse than its best move (docs/THEORY.md, E50 and E51).

use std::cell::RefCell;
use std::f64::consts::PI;
use std::sync::LazyLock;

use crate::counts::Counts;
use crate::dirichlet::{ln_gamma, remembering};

/// What rounding can take off a ceiling or add to a score, relative to the terms that they are sums of.
const ROUNDING: f64 = 1e-13;

/// A ceiling with room for rounding.
///
/// No term of a score or a ceiling is larger than lnΓ(n) of all rows, and those of its cells and of its configurations are at most that
/// together; most of it cancels.
pub(super) fn with_room(ceiling: f64, counts: &Counts) -> f64 {
    let rows = counts.rows().iter().sum::<u64>() as f64 + 1.0;
    ceiling + ROUNDING * (1.0 + ceiling.abs() + rows * rows.ln())
}

/// Σ_f of the largest likelihood in each data set: no prior gives its rows more.
pub(super) fn separate_likelihood(counts: &Counts) -> f64 {
    let x_ln_x = XLnX::new();
    let mut sum = 0.0;
    by_configuration(counts, false, |configuration| {
        sum += configuration.entries.sum_of(|count| x_ln_x.of(count));
        sum -= sum_of(configuration.rows, |rows| x_ln_x.of(rows));
    });
    sum
}

/// The largest Σ_f ln p(rows of data set f | α) over all Dirichlet parameters of the joint cells that sum to s, or somewhat more.
///
/// With a rising factorial written as α·Γ(n)·Π(1 + α/i), the first factors alone can be maximised in closed form, the second do not
/// depend on α, and what is left is small where s is: the cells' products exceed those of their configurations by little.
pub(super) fn joint_dirichlet(counts: &Counts, s: f64) -> f64 {
    let x_ln_x = XLnX::new();
    remembering(&[1.0], |known| {
        // lnΓ(n), and nothing for zero.
        let mut ln_gamma = |n: u64| known.ln_rising(n.saturating_sub(1));
        let mut sum = 0.0;
        // The free factors of each configuration: how many data sets saw each of its cells, less how many saw it.
        let (mut free, mut free_ln_free) = (0.0, 0.0);
        let mut most_cells = 1;
        by_configuration(counts, true, |configuration| {
            sum += configuration.entries.sum_of(&mut ln_gamma);
            sum -= sum_of(configuration.rows, &mut ln_gamma);
            let (mut seen, mut cells) = (0, 0);
            for &by in configuration.seen {
                let by = u64::from(by);
                seen += by;
                cells += u32::from(by > 0);
                sum += x_ln_x.of(by);
            }
            sum -= x_ln_x.of(seen);
            // Every data set that saw the configuration saw a cell of it.
            let more = seen - configuration.rows.iter().filter(|&&rows| rows > 0).count() as u64;
            free += more as f64;
            free_ln_free += x_ln_x.of(more);
            most_cells = most_cells.max(cells);
        });
        if free > 0.0 {
            sum += free_ln_free + free * (s / free).ln();
        }
        sum + counts.data_sets() as f64 * excess(s, f64::from(most_cells))
    })
}

/// What ceilings need of a configuration.
struct Summary<'a> {
    entries: Entries<'a>,
    /// The rows of each data set.
    rows: &'a [u64],
    /// How many data sets saw each of its cells, if that was asked for.
    seen: &'a [u32],
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
    seen: Vec<u32>,
}

thread_local! {
    static ROOM: RefCell<Room> =
        const { RefCell::new(Room { entries: Vec::new(), rows: Vec::new(), seen: Vec::new() }) };
}

/// Shows a summary of every configuration.
fn by_configuration(counts: &Counts, with_seen: bool, mut show: impl FnMut(Summary<'_>)) {
    let data_sets = counts.data_sets();
    ROOM.with_borrow_mut(|Room { entries, rows, seen }| {
        rows.resize(data_sets, 0);
        if let Some(table) = counts.dense_by_data_set() {
            for configuration in table.chunks_exact(counts.states() * data_sets) {
                seen.clear();
                rows.fill(0);
                for cell in configuration.chunks_exact(data_sets) {
                    rows.iter_mut().zip(cell).for_each(|(rows, &count)| *rows += u64::from(count));
                    if with_seen {
                        seen.push(cell.iter().map(|&count| u32::from(count > 0)).sum());
                    }
                }
                show(Summary { entries: Entries::Narrow(configuration), rows, seen });
            }
            return;
        }
        for configuration in counts.configurations() {
            entries.clear();
            seen.clear();
            rows.fill(0);
            for cell in configuration.cells() {
                for entry in cell.entries {
                    rows[entry.data_set] += entry.count;
                    entries.push(entry.count);
                }
                seen.push(u32::try_from(cell.entries.len()).expect("as many as there are data sets"));
            }
            show(Summary { entries: Entries::Wide(entries), rows, seen });
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
struct XLnX(&'static [f64]);

impl XLnX {
    fn new() -> Self {
        static VALUES: LazyLock<Vec<f64>> = LazyLock::new(|| (0..4096).map(XLnX::work_out).collect());
        Self(&VALUES)
    }

    fn of(&self, x: u64) -> f64 {
        let small = usize::try_from(x).ok().and_then(|x| self.0.get(x));
        small.copied().unwrap_or_else(|| Self::work_out(x))
    }

    fn work_out(x: u64) -> f64 {
        if x == 0 { 0.0 } else { x as f64 * (x as f64).ln() }
    }
}

/// What Σ ln Π(1 + α/i) over the cells of all configurations can exceed that over the configurations, for α that sum to s and at most
/// so many cells in a configuration.
fn excess(s: f64, cells: f64) -> f64 {
    // Convex in the weight of a configuration while that is below √cells: then most if one has all, evenly over its cells.
    if s * s <= cells {
        return ln_gamma(1.0 + s) - cells * ln_gamma(1.0 + s / cells);
    }
    (s * s * (1.0 - 1.0 / cells) * PI * PI / 12.0).min(s * cells.ln())
}
