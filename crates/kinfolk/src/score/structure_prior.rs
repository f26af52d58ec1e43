//! What is believed of the number of parents before any data are seen.

use serde::Serialize;

use super::{FamilyScore, Judged, Score};
use crate::counts::Counts;
use crate::special::ln_gamma;

/// A prior on structures that is a product over the nodes. Any score can have it ([`WithStructurePrior`]); a [`super::Scorer`] adds it to every
/// family.
///
/// Both are the same for Markov-equivalent networks: turning a covered arc over swaps the sizes of two parent sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StructurePrior {
    /// Every structure alike: nothing is added. Most structures have many arcs, so this expects many.
    #[default]
    Uniform,
    /// Every number of parents alike, then every set of that many: −ln C(N − 1, parents) for a node among N.
    Size,
}

impl StructurePrior {
    /// The logarithm of a family's prior, up to the same constant for all families, in a network of so many variables.
    pub fn ln(self, variables: usize, parents: usize) -> f64 {
        match self {
            Self::Uniform => 0.0,
            Self::Size if parents == 0 => 0.0,
            Self::Size => {
                assert!(parents < variables, "a node is not its own parent");
                ln_gamma((parents + 1) as f64) + ln_gamma((variables - parents) as f64)
                    - ln_gamma(variables as f64)
            }
        }
    }
}

/// A score with another prior on structures than its own.
pub struct WithStructurePrior {
    /// The score.
    pub score: Box<dyn Score>,
    /// The prior.
    pub structure_prior: StructurePrior,
}

impl Score for WithStructurePrior {
    fn name(&self) -> &'static str {
        self.score.name()
    }

    fn family_score(&self, counts: &Counts) -> FamilyScore {
        self.score.family_score(counts)
    }

    fn explain(&self, counts: &Counts) -> FamilyScore {
        self.score.explain(counts)
    }

    fn score_unless_below(&self, counts: &Counts, least: f64) -> Judged {
        self.score.score_unless_below(counts, least)
    }

    fn structure_prior(&self) -> StructurePrior {
        self.structure_prior
    }

    fn ceiling(&self, counts: &Counts) -> f64 {
        self.score.ceiling(counts)
    }

    fn has_ceiling(&self) -> bool {
        self.score.has_ceiling()
    }

    fn is_log_evidence(&self) -> bool {
        self.score.is_log_evidence()
    }

    fn is_score_equivalent(&self) -> bool {
        self.score.is_score_equivalent()
    }

    fn is_pooled(&self) -> bool {
        self.score.is_pooled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prior_of_a_size_is_spread_over_its_sets() {
        let sets = |parents| (-StructurePrior::Size.ln(6, parents)).exp();
        for (parents, expected) in [1.0, 5.0, 10.0, 10.0, 5.0, 1.0].into_iter().enumerate() {
            assert!((sets(parents) - expected).abs() < 1e-12, "{parents}: {}", sets(parents));
            assert_eq!(StructurePrior::Uniform.ln(6, parents), 0.0);
        }
    }
}
