//! Upper bound of the rows' probability under every joint Dirichlet prior of weight s, and so of BHD (docs/THEORY.md, E50).
//!
//! BHD is Σ_f ln p(n_f | α) at one α with Σ α = s. The bound is the maximum over all such α of a function above it whose terms are
//! w ln α and c·α alone, so that one Lagrange multiplier gives the maximum. With n > 0,
//!
//! ```text
//! lnΓ(α + n) − lnΓ(α) = ln α + lnΓ(n) + [lnΓ(n + α) − lnΓ(n)] − lnΓ(1 + α)
//! ```
//!
//! - lnΓ(n + α) is convex in α: for a cell its chord over \[0, max(s, 1)\] is above it, for a configuration, which is subtracted, its
//!   tangent at 0 is below it. Both are multiples of α that depend on n alone and are looked up.
//! - What remains of the last terms in one data set and configuration is at most a convex function of α_j that vanishes at 0, so that it is
//!   at most a multiple of α_j ([`CountTable::excess`]).
//!
//! With ten data sets and s = 1 the bound is two or three nats above the score where every cell was observed. Without
//! it a BHD search takes 1.8 to 2.9 times the instructions (`cargo xtask instructions` on the benchmark's problems);
//! the bound of `likelihood` instead of it saves nothing.

use std::cell::RefCell;

use crate::counts::Counts;
use crate::special::{digamma, ln_gamma};

/// Counts with a table entry: 384 kB per thread. Larger ones are computed.
const MOST_ENTRIES: usize = 1 << 14;

/// The x ≥ 0 that minimises lnΓ(1 + x).
const LN_GAMMA_MINIMUM: f64 = 0.461_632_144_968_362_3;

/// An upper bound, close to the maximum, of Σ_f ln p(rows of data set f | α) over all Dirichlet parameters α of the
/// joint cells that sum to s.
pub(in crate::score) fn joint_dirichlet(counts: &Counts, s: f64) -> f64 {
    let (states, data_sets) = (counts.states(), counts.data_sets());
    let largest = counts.rows().iter().copied().max().unwrap_or_default();
    SCRATCH.with_borrow_mut(|scratch| {
        scratch.begin(s, states, data_sets, largest);
        if let Some(table) = counts.dense_by_data_set() {
            for configuration in table.chunks_exact(states * data_sets) {
                let cells = configuration.chunks_exact(data_sets);
                scratch.add(cells.map(|cell| cell.iter().map(|&count| u64::from(count)).enumerate()));
            }
        } else {
            for configuration in counts.configurations() {
                let cells = configuration.cells();
                scratch.add(cells.map(|cell| cell.entries.iter().map(|entry| (entry.data_set, entry.count))));
            }
        }
        if scratch.configurations.is_empty() {
            return 0.0;
        }
        // Configurations without a term may take any part of s.
        let is_whole = scratch.configurations.len() as f64 == counts.possible_configurations();
        let least = if is_whole { f64::MIN } else { 0.0 };
        scratch.constant + upper_bound_on_simplex(&scratch.configurations, s, least)
    })
}

/// The terms of one count n > 0; all zero for n = 0.
#[derive(Debug, Clone, Copy, Default)]
struct CountTerms {
    /// lnΓ(n).
    ln_gamma: f64,
    /// The slope of the chord of lnΓ(n + α) from 0 to max(s, 1).
    chord: f64,
    /// The slope of its tangent at 0, ψ(n).
    tangent: f64,
}

/// The terms of all small counts for one s.
struct CountTable {
    s: f64,
    states: usize,
    /// The slope of the chord from 0 to s of α ↦ lnΓ(1 + α) − min Σ_k lnΓ(1 + α_k), with non-negative α_k of all states and Σ α_k ≤ α.
    ///
    /// The minimum has equal α_k, and none above [`LN_GAMMA_MINIMUM`]. The function is convex because x ψ′(1 + x) increases, so that it
    /// is at most its chord.
    excess: f64,
    entries: Vec<CountTerms>,
}

impl CountTable {
    /// Prepares the table for s and a number of states, with entries up to the largest count if they fit.
    fn prepare(&mut self, s: f64, states: usize, largest: u64) {
        if self.s != s {
            self.entries.clear();
        }
        if (self.s, self.states) != (s, states) {
            let share = (s / states as f64).min(LN_GAMMA_MINIMUM);
            self.excess = (ln_gamma(1.0 + s) - states as f64 * ln_gamma(1.0 + share)) / s;
            (self.s, self.states) = (s, states);
        }
        let needed = usize::try_from(largest).unwrap_or(usize::MAX).saturating_add(1).min(MOST_ENTRIES);
        for count in self.entries.len()..needed {
            self.entries.push(Self::compute(s, count as u64));
        }
    }

    fn compute(s: f64, count: u64) -> CountTerms {
        if count == 0 {
            return CountTerms::default();
        }
        let n = count as f64;
        let own = ln_gamma(n);
        // Γ(n + 1)/Γ(n) = n.
        let chord = if s <= 1.0 { n.ln() } else { (ln_gamma(n + s) - own) / s };
        CountTerms { ln_gamma: own, chord, tangent: digamma(n) }
    }

    #[inline]
    fn get(&self, count: u64) -> CountTerms {
        let small = usize::try_from(count).ok().and_then(|count| self.entries.get(count));
        small.copied().unwrap_or_else(|| Self::compute(self.s, count))
    }
}

/// w ln a + c·a, a function of one parameter a > 0.
#[derive(Debug, Clone, Copy)]
struct LogLinear {
    weight: f64,
    slope: f64,
}

/// Memory that a thread reuses for every table.
struct Scratch {
    table: CountTable,
    /// The rows of one configuration in each data set.
    rows: Vec<u64>,
    /// The terms of the cells of one configuration, in the cell's share of the configuration if that had all of s.
    cells: Vec<LogLinear>,
    /// The terms of the configurations, each in its sum of α.
    configurations: Vec<LogLinear>,
    /// The terms without α.
    constant: f64,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = const {
        RefCell::new(Scratch {
            table: CountTable { s: 0.0, states: 0, excess: 0.0, entries: Vec::new() },
            rows: Vec::new(),
            cells: Vec::new(),
            configurations: Vec::new(),
            constant: 0.0,
        })
    };
}

impl Scratch {
    fn begin(&mut self, s: f64, states: usize, data_sets: usize, largest: u64) {
        self.table.prepare(s, states, largest);
        self.rows.clear();
        self.rows.resize(data_sets, 0);
        self.configurations.clear();
        self.constant = 0.0;
    }

    /// Adds a configuration, given the data set and the count of every entry of every cell.
    ///
    /// A configuration with a single observed cell is skipped: the probability of its rows is at most 1.
    #[inline]
    fn add(&mut self, cells: impl Iterator<Item = impl Iterator<Item = (usize, u64)>>) {
        let s = self.table.s;
        self.rows.fill(0);
        self.cells.clear();
        let (mut constant, mut seen, mut even) = (0.0, 0.0, 0.0);
        for cell in cells {
            let (mut data_sets, mut chords) = (0, 0.0);
            for (data_set, count) in cell {
                let terms = self.table.get(count);
                self.rows[data_set] += count;
                data_sets += u32::from(count > 0);
                constant += terms.ln_gamma;
                chords += terms.chord;
            }
            if data_sets > 0 {
                let weight = f64::from(data_sets);
                seen += weight;
                even += weight * weight.ln();
                self.cells.push(LogLinear { weight, slope: s * chords });
            }
        }
        if self.cells.len() < 2 {
            return;
        }
        let (mut saw, mut tangents) = (0.0, 0.0);
        for &rows in &self.rows {
            let terms = self.table.get(rows);
            saw += if rows > 0 { 1.0 } else { 0.0 };
            constant -= terms.ln_gamma;
            tangents += terms.tangent;
        }
        // The best split of α_j over the cells is convex in α_j: at most the chord from its value at 0 to that at s.
        even -= seen * seen.ln();
        let split = (upper_bound_on_simplex(&self.cells, 1.0, 0.0) - even) / s;
        self.constant += constant + even;
        let slope = split - tangents + saw * self.table.excess;
        self.configurations.push(LogLinear { weight: seen - saw, slope });
    }
}

/// An upper bound, close to the maximum, of Σ w ln a + c·a over non-negative a that sum to `total`; over smaller sums,
/// too, if `least` is zero.
///
/// For every λ above all c it is at most λ·total + Σ w (ln(w/(λ − c)) − 1), and equal to the maximum where Σ w/(λ − c) is the total. That λ
/// is not below c + w/total of any term, nor below the one of equal c with the same mean. The reciprocal of the sum is concave in λ, so that
/// Newton's step from there does not pass it. One step is taken: with six, one family in a thousand fewer was scored.
fn upper_bound_on_simplex(terms: &[LogLinear], total: f64, least: f64) -> f64 {
    let (mut weights, mut weighted, mut multiplier) = (0.0, 0.0, least);
    for &LogLinear { weight, slope } in terms {
        weights += weight;
        weighted += weight * slope;
        multiplier = multiplier.max(slope + weight / total);
    }
    if weights > 0.0 {
        multiplier = multiplier.max(weights / total + weighted / weights);
    }
    // A term without weight adds nothing at any λ above its slope.
    let terms = terms.iter().filter(|term| term.weight > 0.0);
    let (mut taken, mut curvature) = (0.0, 0.0);
    for &LogLinear { weight, slope } in terms.clone() {
        let share = weight / (multiplier - slope);
        taken += share;
        curvature += share / (multiplier - slope);
    }
    if taken > total {
        multiplier += taken * (taken / total - 1.0) / curvature;
    }
    let bounds = terms.map(|term| term.weight * ((term.weight / (multiplier - term.slope)).ln() - 1.0));
    multiplier * total + bounds.sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{Bhd, Score};
    use crate::variational::{Centre, Prior};

    fn table_of(s: f64, states: usize, largest: u64) -> CountTable {
        let mut table = CountTable { s: 0.0, states: 0, excess: 0.0, entries: Vec::new() };
        table.prepare(s, states, largest);
        table
    }

    #[test]
    fn chords_are_above_and_tangents_below_for_every_alpha_up_to_s() {
        for s in [1e-6, 0.1, 0.7, 1.0, 1.5, 7.0, 64.0] {
            let table = table_of(s, 2, 100);
            assert_eq!(table.entries.len(), 101);
            for n in [1_u64, 2, 3, 10, 100, 101, 100_000] {
                let terms = table.get(n);
                for step in 0..=200 {
                    let alpha = s * f64::from(step) / 200.0;
                    let rise = ln_gamma(n as f64 + alpha) - ln_gamma(n as f64);
                    let rounding = 1e-14 * (1.0 + ln_gamma(n as f64 + s));
                    assert!(alpha * terms.chord >= rise - rounding, "s = {s}, n = {n}, α = {alpha}");
                    assert!(alpha * terms.tangent <= rise + rounding, "s = {s}, n = {n}, α = {alpha}");
                }
            }
        }
    }

    #[test]
    fn the_excess_is_above_every_split_over_every_number_of_seen_states() {
        for s in [1e-6, 0.3, 1.0, 4.0, 64.0] {
            for states in [2_usize, 3, 10] {
                let table = table_of(s, states, 0);
                for (step, seen) in (0..=50).flat_map(|step| (1..=states).map(move |seen| (step, seen))) {
                    let alpha = s * f64::from(step) / 50.0;
                    // The first state takes one part of the mass of the observed states, the others the rest.
                    for (part, used) in (0..=20).flat_map(|part| [0.3, 0.8, 1.0].map(|used| (part, used))) {
                        let first = used * alpha * f64::from(part) / 20.0;
                        let rest = if seen > 1 { (used * alpha - first) / (seen - 1) as f64 } else { 0.0 };
                        let sum = ln_gamma(1.0 + first) + (seen - 1) as f64 * ln_gamma(1.0 + rest);
                        let excess = ln_gamma(1.0 + alpha) - sum;
                        assert!(
                            excess <= alpha * table.excess + 1e-12,
                            "s = {s}, {seen} of {states}: {excess}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn no_point_of_the_simplex_is_above_its_bound_and_the_best_is_near() {
        let terms = |all: &[(f64, f64)]| -> Vec<LogLinear> {
            all.iter().map(|&(weight, slope)| LogLinear { weight, slope }).collect()
        };
        for (all, total) in [
            (vec![(3.0, 1.0), (7.0, -4.0)], 1.0),
            (vec![(10.0, 30.0), (1.0, 50.0)], 0.5),
            (vec![(0.0, 2.0), (4.0, -60.0)], 2.0),
            (vec![(0.0, -2.0), (0.0, -5.0)], 2.0),
        ] {
            let terms = terms(&all);
            let value = |a: f64| {
                let of = |term: &LogLinear, a: f64| {
                    term.slope * a + if term.weight > 0.0 { term.weight * a.ln() } else { 0.0 }
                };
                of(&terms[0], a) + of(&terms[1], total - a)
            };
            let points = (0..=10_000).map(|step| total * f64::from(step) / 10_000.0);
            let best = points.map(value).fold(f64::NEG_INFINITY, f64::max);
            let [whole, part] = [f64::MIN, 0.0].map(|least| upper_bound_on_simplex(&terms, total, least));
            assert!(best <= whole && whole <= part, "{all:?}: {best} {whole} {part}");
            assert!(whole < best + 0.3, "{all:?}: {best} {whole}");
        }
    }

    /// A dense table of three data sets; in the last configurations some cells were never seen.
    fn table(configurations: usize, states: usize) -> Vec<u32> {
        let mut number = 7_u32;
        let mut next = || {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            number >> 26
        };
        let mut table: Vec<u32> = (0..3 * states * configurations).map(|_| next()).collect();
        let seen_often = table.len() - 9;
        table[seen_often..].iter_mut().for_each(|count| *count = count.saturating_sub(50));
        table
    }

    #[test]
    fn dense_tables_have_the_bound_of_their_observed_cells() {
        for (configurations, states) in [(2, 2), (8, 2), (32, 2), (4, 3), (16, 5)] {
            let table = table(configurations, states);
            let wide: Vec<u64> = table.iter().map(|&count| u64::from(count)).collect();
            let rows: Vec<u64> = (0..3).map(|data_set| wide.iter().skip(data_set).step_by(3).sum()).collect();
            let (mut dense, mut observed) = (Counts::default(), Counts::default());
            dense.dense_mut(states, configurations as f64, &rows).clone_from(&table);
            observed.refill(states, configurations as f64, &rows, &wide);
            for s in [1e-6, 0.1, 1.0, 20.0] {
                let (one, other) = (joint_dirichlet(&dense, s), joint_dirichlet(&observed, s));
                assert!((one - other).abs() < 1e-9, "{s}: {one} {other}");
                let score = Bhd { prior: Prior::new(s, Centre::PerCell(1.0)).unwrap() };
                assert!(score.family_score(&dense).total <= one + 1e-9, "{s}");
            }
        }
    }

    #[test]
    fn the_bound_is_near_the_score_where_every_cell_was_seen_often() {
        let data_set = |shift: u64| vec![vec![40 + shift, 20], vec![15, 35 - shift]];
        let counts = Counts::from_table(&(0..10).map(data_set).collect::<Vec<_>>());
        let above = joint_dirichlet(&counts, 1.0) - Bhd::default().family_score(&counts).total;
        assert!(above > 0.0 && above < 3.0, "{above}");
    }
}
