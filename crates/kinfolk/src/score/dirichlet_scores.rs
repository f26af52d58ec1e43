//! Scores that integrate a Dirichlet prior over the pooled rows in closed form: BDeu, K2, BDs, BDJ.
//!
//! All are Eq. (bd) of \[ACS22\] (Heckerman, Geiger, Chickering 1995, <https://doi.org/10.1007/BF00994016>) with an α that is
//! the same in every cell; configurations without rows contribute nothing, so cost is linear in the observed cells.

use super::{FamilyScore, ImaginarySampleSize, Score};
use crate::counts::Counts;
use crate::dirichlet::{CANCELS_FROM, LANES, LARGE_FROM, Rising, large_ln_gammas, ln_gammas};

/// Eq. (bd) with the same α in every cell, over the pooled rows.
fn pooled_dirichlet(counts: &Counts, alpha: f64) -> FamilyScore {
    let beta = alpha * counts.states() as f64;
    if beta > CANCELS_FROM {
        return pooled_dirichlet_term_by_term(counts, Rising::new(alpha), Rising::new(beta));
    }
    let mut sum = LnGammas::default();
    for observed in counts.configurations() {
        let mut rows = 0;
        observed.for_each_total(|count| {
            rows += count;
            sum.add(1.0, alpha + count as f64);
        });
        sum.add(-1.0, beta + rows as f64);
    }
    let mut own = [0.0; LANES];
    ln_gammas(&[alpha, beta, beta, beta], &mut own);
    let (cells, configurations) = (counts.observed_cells() as f64, counts.observed_configurations() as f64);
    FamilyScore::pooled(sum.finish() - cells * own[0] + configurations * own[1])
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

/// A sum of ± lnΓ, worked out some terms at a time.
#[derive(Default)]
struct LnGammas {
    arguments: [f64; Self::AT_ONCE],
    signs: [f64; Self::AT_ONCE],
    waiting: usize,
    total: f64,
}

impl LnGammas {
    const AT_ONCE: usize = 16;

    #[inline]
    fn add(&mut self, sign: f64, argument: f64) {
        (self.signs[self.waiting], self.arguments[self.waiting]) = (sign, argument);
        self.waiting += 1;
        if self.waiting == Self::AT_ONCE {
            self.take_waiting();
        }
    }

    fn take_waiting(&mut self) {
        let mut values = [0.0; Self::AT_ONCE];
        // What does not fill wide registers would be worked out one by one.
        let filled = self.waiting.next_multiple_of(LANES);
        self.arguments[self.waiting..filled].fill(LARGE_FROM);
        let arguments = &self.arguments[..filled];
        // Both give the same bits where both may be used.
        if arguments.iter().all(|&argument| argument >= LARGE_FROM) {
            large_ln_gammas(arguments, &mut values);
        } else {
            ln_gammas(arguments, &mut values);
        }
        self.total +=
            values[..self.waiting].iter().zip(&self.signs).map(|(value, sign)| sign * value).sum::<f64>();
        self.waiting = 0;
    }

    fn finish(mut self) -> f64 {
        self.take_waiting();
        self.total
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
