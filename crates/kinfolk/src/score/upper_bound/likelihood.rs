//! Maximised likelihood of each data set, an upper bound of every score that averages likelihoods (docs/THEORY.md, E51).

use std::cell::RefCell;
use std::sync::LazyLock;

use crate::counts::Counts;

/// Σ_f of the maximised log-likelihood of data set f: no prior gives its rows a larger probability.
pub(in crate::score) fn separate_likelihood(counts: &Counts) -> f64 {
    let x_ln_x = XLnX::new();
    let mut sum = 0.0;
    for_each_configuration(counts, |counts, rows| {
        sum += counts.sum_of(|count| x_ln_x.at(count));
        sum -= sum_of(rows, |rows| x_ln_x.at(rows));
    });
    sum
}

/// The counts of one configuration's cells by data set, possibly with zeros, in the integer type of the table.
enum ConfigurationCounts<'a> {
    Narrow(&'a [u32]),
    Wide(&'a [u64]),
}

impl ConfigurationCounts<'_> {
    fn sum_of(&self, term: impl FnMut(u64) -> f64) -> f64 {
        match self {
            Self::Narrow(counts) => sum_of(counts, term),
            Self::Wide(counts) => sum_of(counts, term),
        }
    }
}

/// Memory that a thread reuses for every configuration.
struct Scratch {
    counts: Vec<u64>,
    rows: Vec<u64>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = const { RefCell::new(Scratch { counts: Vec::new(), rows: Vec::new() }) };
}

/// Calls `visit` with the counts of every configuration and its rows in each data set.
fn for_each_configuration(counts: &Counts, mut visit: impl FnMut(ConfigurationCounts<'_>, &[u64])) {
    let data_sets = counts.data_sets();
    SCRATCH.with_borrow_mut(|Scratch { counts: observed, rows }| {
        rows.resize(data_sets, 0);
        if let Some(table) = counts.dense_by_data_set() {
            for configuration in table.chunks_exact(counts.states() * data_sets) {
                rows.fill(0);
                for cell in configuration.chunks_exact(data_sets) {
                    rows.iter_mut().zip(cell).for_each(|(rows, &count)| *rows += u64::from(count));
                }
                visit(ConfigurationCounts::Narrow(configuration), rows);
            }
            return;
        }
        for configuration in counts.configurations() {
            observed.clear();
            rows.fill(0);
            for cell in configuration.cells() {
                for entry in cell.entries {
                    rows[entry.data_set] += entry.count;
                    observed.push(entry.count);
                }
            }
            visit(ConfigurationCounts::Wide(observed), rows);
        }
    });
}

/// The sum of the terms in four independent partial sums, which the processor adds in parallel.
fn sum_of<T: Copy + Into<u64>>(counts: &[T], mut term: impl FnMut(u64) -> f64) -> f64 {
    let (fours, rest) = counts.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for four in fours {
        sums.iter_mut().zip(four).for_each(|(sum, &count)| *sum += term(count.into()));
    }
    sums.iter().sum::<f64>() + rest.iter().map(|&count| term(count.into())).sum::<f64>()
}

/// x ln x of integers, with 0 ln 0 = 0; looked up for small ones.
struct XLnX(&'static [f64]);

impl XLnX {
    /// Table entries, 32 kB.
    const ENTRIES: u64 = 4096;

    fn new() -> Self {
        static VALUES: LazyLock<Vec<f64>> = LazyLock::new(|| (0..XLnX::ENTRIES).map(XLnX::compute).collect());
        Self(&VALUES)
    }

    fn at(&self, x: u64) -> f64 {
        let small = usize::try_from(x).ok().and_then(|x| self.0.get(x));
        small.copied().unwrap_or_else(|| Self::compute(x))
    }

    fn compute(x: u64) -> f64 {
        if x == 0 { 0.0 } else { x as f64 * (x as f64).ln() }
    }
}
