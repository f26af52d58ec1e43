//! Priors on structures: the prior probability of a node's parent set.

use serde::Serialize;

use super::{FamilyScore, Score, UpperBounds};
use crate::counts::Counts;
use crate::special::ln_gamma;

/// A prior on structures that factorises over the nodes. Any score can have it ([`WithStructurePrior`]); a [`super::Scorer`] adds it to every
/// family.
///
/// Both priors are equal for Markov-equivalent networks: reversing a covered arc swaps the sizes of two parent sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StructurePrior {
    /// Uniform over structures: adds nothing. Most structures have many arcs, so this prior favours many arcs.
    #[default]
    Uniform,
    /// Uniform over the number of parents, then over the sets of that size: −ln C(N − 1, parents) for a node among N.
    Size,
}

impl StructurePrior {
    /// The log prior of a family with this many parents among N variables, up to a constant common to all families.
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

/// A score with a given prior on structures instead of its own.
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

    fn upper_bounds(&self) -> Option<&dyn UpperBounds> {
        self.score.upper_bounds()
    }

    fn structure_prior(&self) -> StructurePrior {
        self.structure_prior
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
