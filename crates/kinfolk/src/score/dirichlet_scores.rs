//! Scores that integrate a Dirichlet prior over the pooled rows in closed form: BDeu, K2, BDs, BDJ.
//!
//! All are Eq. (bd) of \[ACS22\] (Heckerman, Geiger, Chickering 1995, <https://doi.org/10.1007/BF00994016>) with the
//! same α in every cell. Configurations without rows contribute nothing, so the cost is linear in the observed cells,
//! or in those of a table that is not much larger.

use std::cell::RefCell;

use super::ln_gammas::LnGammas;
use super::{FamilyScore, ImaginarySampleSize, Score};
use crate::counts::Counts;
use crate::special::gamma::{CANCELS_FROM, Rising};

/// The smallest α used; smaller ones would occur only with more than about 1e300 cells.
const SMALLEST_PRIOR: f64 = 1e-300;

thread_local! {
    /// Tables that a thread reuses for every family.
    static LN_GAMMA_TABLES: RefCell<LnGammas> = const { RefCell::new(LnGammas::NONE) };
}

/// Eq. (bd) with the same α in every cell, over the pooled rows.
fn pooled_dirichlet(counts: &Counts, alpha: f64) -> FamilyScore {
    // The number of cells may exceed the range of a float.
    let alpha = alpha.max(SMALLEST_PRIOR);
    let beta = alpha * counts.states() as f64;
    if beta > CANCELS_FROM {
        return pooled_dirichlet_term_by_term(counts, Rising::new(alpha), Rising::new(beta));
    }
    let total = LN_GAMMA_TABLES.with_borrow_mut(|sum| match counts.dense() {
        Some(table) => sum.of_table(alpha, beta, counts.states(), table),
        None => sum.of_observed(alpha, beta, counts),
    });
    FamilyScore::pooled(total)
}

/// The same sum, one difference at a time.
fn pooled_dirichlet_term_by_term(counts: &Counts, cell: Rising, configuration: Rising) -> FamilyScore {
    let mut total = 0.0;
    for observed in counts.configurations() {
        total += observed.cells().map(|observed| cell.ln(observed.total())).sum::<f64>();
        total -= configuration.ln(observed.cells().map(|observed| observed.total()).sum());
    }
    FamilyScore::pooled(total)
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
    fn many_rows_in_many_configurations_cost_no_digits() {
        let mut random = ChaCha8Rng::seed_from_u64(2);
        let mut draw = || random.random_range(1..20_000);
        let table: Vec<Vec<u64>> = (0..1024).map(|_| vec![draw(), draw()]).collect();
        let counts = Counts::from_table(&[table]);
        let alpha = 1.0 / 2048.0;
        let once = pooled_dirichlet(&counts, alpha).total;
        let (cell, configuration) = (Rising::new(alpha), Rising::new(2.0 * alpha));
        let term_by_term = pooled_dirichlet_term_by_term(&counts, cell, configuration).total;
        // Ten million rows, whose lnΓ terms sum to about 1e8.
        assert!((once - term_by_term).abs() < 1e-8, "{once} and {term_by_term}");
    }

    #[test]
    fn more_cells_than_a_float_can_represent_have_a_score() {
        let mut counts = Counts::default();
        let mut builder = counts.rebuild(2, f64::INFINITY, 1);
        builder.push(0, 0, 0, 5);
        builder.push(1, 1, 0, 7);
        builder.finish_without_numbers();
        // Every configuration has one observed state and α is close to zero: each contributes ln(α/β) = −ln 2.
        let total = Bdeu::default().family_score(&counts).total;
        assert!((total + 2.0 * 2.0_f64.ln()).abs() < 1e-9, "{total}");
    }

    #[test]
    fn dense_tables_have_the_score_of_their_observed_cells() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for states in [1, 2, 3, 127, 128, 129, 700] {
            for configurations in [1, 2, 7, 81, 400] {
                // No zeros, some zeros, mostly zeros; few rows and many.
                for (least, most) in [(1, 5), (1, 9_000), (0, 2), (0, 40)] {
                    let mut draw = || random.random_range(least..most) * random.random_range(least..2);
                    let table: Vec<u32> = (0..states * configurations).map(|_| draw()).collect();
                    let rows = table.iter().map(|&count| u64::from(count)).sum();
                    let wide: Vec<u64> = table.iter().map(|&count| count.into()).collect();
                    let (mut dense, mut observed) = (Counts::default(), Counts::default());
                    dense.dense_mut(states, configurations as f64, &[rows]).clone_from(&table);
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
