//! Scores that integrate a Dirichlet prior over the pooled rows in closed form: BDeu, K2, BDs, BDJ.
//!
//! All are Eq. (bd) of \[ACS22\] (Heckerman, Geiger, Chickering 1995, <https://doi.org/10.1007/BF00994016>) with an α that is
//! the same in every cell; configurations without rows contribute nothing, so cost is linear in the observed cells.

use std::cell::RefCell;

use super::{FamilyScore, ImaginarySampleSize, Score};
use crate::counts::Counts;
use crate::dirichlet::{CANCELS_FROM, LANES, LARGE_FROM, Rising, large_ln_gammas, ln_gammas};

/// Counts below this many have their lnΓ at hand; from here on all arguments are large.
const FEW: usize = 8;
const _: () = assert!(FEW as f64 == LARGE_FROM, "the smallest argument of a count that is not few");

/// lnΓ at small counts, for some α in every cell and β in every configuration.
#[derive(Debug, Clone, Copy)]
struct Few {
    alpha: f64,
    beta: f64,
    /// lnΓ(α + n).
    cells: [f64; FEW],
    /// lnΓ(β + n).
    configurations: [f64; FEW],
}

impl Few {
    /// How many are kept. Those of binary families have neighbouring exponents, so that eight sizes of families do not meet.
    const KEPT: usize = 8;

    const NONE: Self = Self { alpha: 0.0, beta: 0.0, cells: [0.0; FEW], configurations: [0.0; FEW] };

    #[cold]
    fn new(alpha: f64, beta: f64) -> Self {
        let mut few = Self { alpha, beta, ..Self::NONE };
        ln_gammas(&std::array::from_fn::<_, FEW, _>(|count| alpha + count as f64), &mut few.cells);
        ln_gammas(&std::array::from_fn::<_, FEW, _>(|count| beta + count as f64), &mut few.configurations);
        few
    }

    /// lnΓ(prior + n) for an argument that is not large, if the prior is α or β.
    fn ln_gamma(&self, sign: f64, argument: f64) -> f64 {
        let (prior, known) =
            if sign > 0.0 { (self.alpha, &self.cells) } else { (self.beta, &self.configurations) };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
        let count = (argument - prior + 0.5) as usize;
        known[count]
    }
}

thread_local! {
    /// What a thread uses again for every family; it nearly always has asked for the same α and β before.
    static KEPT: RefCell<([Few; Few::KEPT], LnGammas)> =
        const { RefCell::new(([Few::NONE; Few::KEPT], LnGammas::NONE)) };
}

/// Eq. (bd) with the same α in every cell, over the pooled rows.
fn pooled_dirichlet(counts: &Counts, alpha: f64) -> FamilyScore {
    let beta = alpha * counts.states() as f64;
    if beta > CANCELS_FROM {
        return pooled_dirichlet_term_by_term(counts, Rising::new(alpha), Rising::new(beta));
    }
    KEPT.with_borrow_mut(|(few, sum)| {
        let few = &mut few[(alpha.to_bits() >> 52) as usize % Few::KEPT];
        if few.alpha != alpha || few.beta != beta {
            *few = Few::new(alpha, beta);
        }
        let (cells, configurations) = match counts.dense() {
            Some(table) => sum.add_table(few, counts.states(), table),
            None => sum.add_observed(few, counts),
        };
        let unseen = configurations as f64 * few.configurations[0] - cells as f64 * few.cells[0];
        FamilyScore::pooled(sum.finish(few) + unseen)
    })
}

/// The same, one difference at a time.
fn pooled_dirichlet_term_by_term(counts: &Counts, cell: Rising, configuration: Rising) -> FamilyScore {
    let mut total = 0.0;
    for observed in counts.configurations() {
        total += observed.cells().map(|observed| cell.ln(observed.total())).sum::<f64>();
        total -= configuration.ln(observed.cells().map(|observed| observed.total()).sum());
    }
    FamilyScore::pooled(total)
}

/// A sum of ± lnΓ, worked out many terms at a time.
struct LnGammas {
    arguments: [f64; Self::AT_ONCE],
    signs: [f64; Self::AT_ONCE],
    values: [f64; Self::AT_ONCE],
    waiting: usize,
    /// Whether the counts of some that wait are few.
    has_few: bool,
    total: f64,
}

impl LnGammas {
    /// A multiple of those that are summed together, and of the three of a configuration of two cells.
    const AT_ONCE: usize = 240;

    /// Terms that are summed before they join the others.
    const TOGETHER: usize = 16;

    const NONE: Self = Self {
        arguments: [0.0; Self::AT_ONCE],
        signs: [0.0; Self::AT_ONCE],
        values: [0.0; Self::AT_ONCE],
        waiting: 0,
        has_few: false,
        total: 0.0,
    };

    /// Adds what a table of one data set contributes, where nothing waits, and says how many cells and configurations were observed.
    fn add_table(&mut self, few: &Few, states: usize, table: &[u32]) -> (usize, usize) {
        if states == 2 && !table.contains(&0) {
            let (pairs, _) = table.as_chunks();
            self.add_pairs(few, pairs);
            return (table.len(), pairs.len());
        }
        let (mut cells, mut configurations) = (0, 0);
        for mut unadded in table.chunks_exact(states) {
            let mut rows = 0;
            while !unadded.is_empty() {
                let now =
                    unadded.split_off(..self.room(few).min(unadded.len())).expect("no more than there are");
                let before = self.waiting;
                // Every count is written where the next one belongs, and stays only if it is not zero.
                for &count in now {
                    self.write(1.0, few.alpha + f64::from(count));
                    self.waiting += usize::from(count > 0);
                    self.has_few |= count.wrapping_sub(1) < FEW as u32 - 1;
                    rows += count;
                }
                cells += self.waiting - before;
            }
            if rows > 0 {
                self.add(few, -1.0, few.beta + f64::from(rows));
                configurations += 1;
            }
        }
        (cells, configurations)
    }

    /// Adds what configurations of two cells contribute, where nothing waits.
    fn add_pairs(&mut self, few: &Few, pairs: &[[u32; 2]]) {
        for pairs in pairs.chunks(Self::AT_ONCE / 3) {
            let mut fewest = u32::MAX;
            let (arguments, _) = self.arguments.as_chunks_mut::<3>();
            let (signs, _) = self.signs.as_chunks_mut::<3>();
            for ((arguments, signs), &[first, second]) in arguments.iter_mut().zip(signs).zip(pairs) {
                fewest = fewest.min(first).min(second);
                let [first, second] = [f64::from(first), f64::from(second)];
                *arguments = [few.alpha + first, few.alpha + second, few.beta + (first + second)];
                *signs = [1.0, 1.0, -1.0];
            }
            (self.waiting, self.has_few) = (3 * pairs.len(), fewest < FEW as u32);
            self.take_waiting(few);
        }
    }

    /// Adds what was observed in all data sets together; the terms and their order are those of [`Self::add_table`].
    fn add_observed(&mut self, few: &Few, counts: &Counts) -> (usize, usize) {
        for observed in counts.configurations() {
            match observed.only_entries() {
                Some(entries) => self.add_configuration(few, entries.iter().map(|entry| entry.count)),
                None => self.add_configuration(few, observed.cells().map(|cell| cell.total())),
            }
        }
        (counts.observed_cells(), counts.observed_configurations())
    }

    /// Adds what a configuration with such cells contributes.
    #[inline]
    fn add_configuration(&mut self, few: &Few, cells: impl ExactSizeIterator<Item = u64>) {
        let (start, length) = (self.waiting, cells.len());
        let (mut rows, mut fewest) = (0, u64::MAX);
        let number = |count: u64| count.cast_signed() as f64;
        if length < Self::AT_ONCE - start {
            let (last, arguments) =
                self.arguments[start..=start + length].split_last_mut().expect("it is not empty");
            let (last_sign, signs) =
                self.signs[start..=start + length].split_last_mut().expect("it is not empty");
            for ((argument, sign), count) in arguments.iter_mut().zip(signs).zip(cells) {
                rows += count;
                fewest = fewest.min(count);
                (*argument, *sign) = (few.alpha + number(count), 1.0);
            }
            (*last, *last_sign) = (few.beta + number(rows), -1.0);
            self.waiting += length + 1;
            self.has_few |= fewest < FEW as u64;
        } else {
            for count in cells {
                rows += count;
                self.add(few, 1.0, few.alpha + number(count));
            }
            self.add(few, -1.0, few.beta + number(rows));
        }
    }

    /// Adds ± lnΓ of an argument.
    fn add(&mut self, few: &Few, sign: f64, argument: f64) {
        self.room(few);
        self.write(sign, argument);
        self.waiting += 1;
        self.has_few |= argument < LARGE_FROM;
    }

    /// How many terms more can wait, at least one.
    #[inline]
    fn room(&mut self, few: &Few) -> usize {
        if self.waiting == Self::AT_ONCE {
            self.take_waiting(few);
        }
        Self::AT_ONCE - self.waiting
    }

    /// Writes a term where the next one belongs.
    #[inline]
    fn write(&mut self, sign: f64, argument: f64) {
        (self.signs[self.waiting], self.arguments[self.waiting]) = (sign, argument);
    }

    fn take_waiting(&mut self, few: &Few) {
        // What does not fill wide registers would be worked out one by one.
        let filled = self.waiting.next_multiple_of(LANES);
        self.arguments[self.waiting..filled].fill(LARGE_FROM);
        large_ln_gammas(&self.arguments[..filled], &mut self.values);
        let all = 0..std::mem::take(&mut self.waiting);
        let (values, signs) = (&mut self.values[all.clone()], &self.signs[all.clone()]);
        if std::mem::take(&mut self.has_few) {
            for ((&argument, value), &sign) in self.arguments[all].iter().zip(&mut *values).zip(signs) {
                if argument < LARGE_FROM {
                    *value = few.ln_gamma(sign, argument);
                }
            }
        }
        for (values, signs) in values.chunks(Self::TOGETHER).zip(signs.chunks(Self::TOGETHER)) {
            self.total += values.iter().zip(signs).map(|(value, sign)| sign * value).sum::<f64>();
        }
    }

    /// The sum, after which the next one begins.
    fn finish(&mut self, few: &Few) -> f64 {
        self.take_waiting(few);
        std::mem::take(&mut self.total)
    }
}

/// Bayesian Dirichlet equivalent uniform: α = iss / cells.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bdeu {
    /// The imaginary sample size.
    pub iss: ImaginarySampleSize,
}

impl Score for Bdeu {
    fn name(&self) -> &'static str {
        "bdeu"
    }

    fn family_score(&self, counts: &Counts) -> FamilyScore {
        pooled_dirichlet(counts, self.iss.get() / counts.possible_cells())
    }

    fn is_score_equivalent(&self) -> bool {
        true
    }

    fn is_pooled(&self) -> bool {
        true
    }
}

/// K2 (Cooper & Herskovits 1992, <https://doi.org/10.1007/BF00994110>): α = 1.
#[derive(Debug, Clone, Copy)]
pub struct K2;

impl Score for K2 {
    fn name(&self) -> &'static str {
        "k2"
    }

    fn family_score(&self, counts: &Counts) -> FamilyScore {
        pooled_dirichlet(counts, 1.0)
    }

    fn is_score_equivalent(&self) -> bool {
        false
    }

    fn is_pooled(&self) -> bool {
        true
    }
}

/// Bayesian Dirichlet sparse (Scutari 2016, <https://arxiv.org/abs/1605.03884>): the imaginary sample size spread over the
/// observed configurations only.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bds {
    /// The imaginary sample size.
    pub iss: ImaginarySampleSize,
}

impl Score for Bds {
    fn name(&self) -> &'static str {
        "bds"
    }

    fn family_score(&self, counts: &Counts) -> FamilyScore {
        let cells = counts.states() * counts.observed_configurations().max(1);
        pooled_dirichlet(counts, self.iss.get() / cells as f64)
    }

    fn is_score_equivalent(&self) -> bool {
        false
    }

    fn is_pooled(&self) -> bool {
        true
    }
}

/// Bayesian Dirichlet with Jeffreys' prior: α = ½ in every cell, with or without parents.
///
/// (bnlearn 5.2.1 takes a total of r instead of r/2 for a node without parents; its values differ there.)
#[derive(Debug, Clone, Copy)]
pub struct Bdj;

impl Score for Bdj {
    fn name(&self) -> &'static str {
        "bdj"
    }

    fn family_score(&self, counts: &Counts) -> FamilyScore {
        pooled_dirichlet(counts, 0.5)
    }

    fn is_score_equivalent(&self) -> bool {
        false
    }

    fn is_pooled(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::score::{Aic, Bic};

    #[test]
    fn a_table_with_a_place_for_every_cell_has_the_score_of_what_was_observed() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for states in [1, 2, 3, 239, 240, 241, 700] {
            for configurations in [1, 2, 7, 81, 400] {
                // Without zeros, with some, and with next to nothing else; few rows and many.
                for (least, most) in [(1, 5), (1, 9_000), (0, 2), (0, 40)] {
                    let mut draw = || random.random_range(least..most) * random.random_range(least..2);
                    let table: Vec<u32> = (0..states * configurations).map(|_| draw()).collect();
                    let rows = table.iter().map(|&count| u64::from(count)).sum();
                    let wide: Vec<u64> = table.iter().map(|&count| count.into()).collect();
                    let (mut dense, mut observed) = (Counts::default(), Counts::default());
                    dense.places(states, configurations as f64, rows).clone_from(&table);
                    observed.refill(states, configurations as f64, &[rows], &wide);
                    let scores: [&dyn Score; 6] = [&Bdeu::default(), &K2, &Bds::default(), &Bdj, &Aic, &Bic];
                    for score in scores {
                        let [one, other] = [&dense, &observed].map(|counts| score.family_score(counts).total);
                        assert!(
                            one == other,
                            "{}: {states} × {configurations}, {one} and {other}",
                            score.name()
                        );
                    }
                    assert_eq!((dense.dense().is_some(), observed.dense()), (true, None));
                }
            }
        }
    }
}
