//! What the scores of hierarchical models cannot exceed, for much less work than the scores take: a search need not fit what it can
//! tell to be worse than its best move (docs/THEORY.md, E50 and E51).

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
    let mut rows = vec![0; counts.data_sets()];
    let mut sum = 0.0;
    for configuration in counts.configurations() {
        for cell in configuration.cells() {
            for entry in cell.entries {
                rows[entry.data_set] += entry.count;
                sum += x_ln_x.of(entry.count);
            }
        }
        sum -= rows.iter().map(|&rows| x_ln_x.of(rows)).sum::<f64>();
        rows.fill(0);
    }
    sum
}

/// The largest Σ_f ln p(rows of data set f | α) over all Dirichlet parameters of the joint cells that sum to s, or somewhat more.
///
/// With a rising factorial written as α·Γ(n)·Π(1 + α/i), the first factors alone can be maximised in closed form, the second do not
/// depend on α, and what is left is small where s is: the cells' products exceed those of their configurations by little.
pub(super) fn joint_dirichlet(counts: &Counts, s: f64) -> f64 {
    let x_ln_x = XLnX::new();
    remembering(&[1.0], |known| {
        let mut sum = 0.0;
        let mut rows = vec![0_u64; counts.data_sets()];
        // The free factors of each configuration: how many data sets saw each of its cells, less how many saw it.
        let (mut free, mut free_ln_free) = (0.0, 0.0);
        let mut most_cells = 1;
        for configuration in counts.configurations() {
            let (mut seen, mut seen_ln_seen, mut cells) = (0, 0.0, 0);
            for cell in configuration.cells() {
                for entry in cell.entries {
                    rows[entry.data_set] += entry.count;
                    sum += known.ln_rising(entry.count - 1);
                }
                seen += cell.entries.len() as u64;
                seen_ln_seen += x_ln_x.of(cell.entries.len() as u64);
                cells += 1;
            }
            let mut alone = 0;
            for rows in &mut rows {
                let rows = std::mem::take(rows);
                if rows > 0 {
                    sum -= known.ln_rising(rows - 1);
                    alone += 1;
                }
            }
            sum += seen_ln_seen - x_ln_x.of(seen);
            // Every data set that saw the configuration saw a cell of it.
            let more = seen - alone;
            free += more as f64;
            free_ln_free += x_ln_x.of(more);
            most_cells = most_cells.max(cells);
        }
        if free > 0.0 {
            sum += free_ln_free + free * (s / free).ln();
        }
        sum + counts.data_sets() as f64 * excess(s, f64::from(most_cells))
    })
}

/// x ln x of whole numbers, zero for zero: most are small, and met again and again.
struct XLnX(&'static [f64]);

impl XLnX {
    fn new() -> Self {
        static SMALL: LazyLock<Vec<f64>> = LazyLock::new(|| (0..4096).map(XLnX::work_out).collect());
        Self(&SMALL)
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
