//! The options that choose a score and its prior.

use clap::Args;
use kinfolk::formats::{Recorded, Taken};
use kinfolk::score::{BuiltScore, ScoreName, ScoreSpec, StructurePrior};

use super::choice::one_of;
use super::kin::KinArgs;
use super::prior::PriorArgs;
use crate::failure::Failure;

/// Options that choose a score and its prior.
#[derive(Debug, Args)]
#[command(next_help_heading = "Score")]
pub(crate) struct ScoreArgs {
    /// The score. [default: kin; bhd if an option of its prior is given]
    #[arg(long, value_name = "NAME", value_parser = one_of::<ScoreName>())]
    pub(crate) score: Option<ScoreName>,

    #[command(flatten)]
    pub(crate) prior: PriorArgs,

    /// bdeu, bds, bdeu-separate: the imaginary sample size. [default: 1]
    #[arg(long, allow_negative_numbers = true, value_name = "ROWS")]
    pub(crate) iss: Option<f64>,

    #[command(flatten)]
    pub(crate) kin: KinArgs,

    /// The prior on the number of parents. [default: size for kin, uniform otherwise]
    #[arg(long, value_name = "NAME", help_heading = "Score", value_parser = one_of::<StructurePrior>())]
    pub(crate) structure_prior: Option<StructurePrior>,

    /// The settings of a network file, for options that are not given.
    #[arg(skip)]
    pub(crate) recorded: Recorded,
}

impl ScoreArgs {
    /// The options on the command line.
    pub(crate) fn asked(&self) -> ScoreSpec {
        let mut spec = ScoreSpec::default();
        spec.name = self.score;
        spec.prior = self.prior.spec();
        spec.kin = self.kin.spec();
        spec.iss = self.iss;
        spec.structure_prior = self.structure_prior;
        spec
    }

    /// The specification of the score, completed by that of the network file, and the settings taken from it.
    pub(crate) fn completed(&self) -> Result<(ScoreSpec, Vec<Taken>), Failure> {
        Ok(self.recorded.complete_score(self.asked())?)
    }

    /// The specification of the score, completed by that of the network file.
    pub(crate) fn spec(&self) -> Result<ScoreSpec, Failure> {
        Ok(self.completed()?.0)
    }

    /// Builds the score for this number of data sets.
    pub(crate) fn choose(&self, data_sets: usize) -> Result<BuiltScore, Failure> {
        Ok(self.spec()?.build(data_sets)?)
    }

    /// Rejects options that belong to another score; needs no data.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        Ok(self.spec()?.check()?)
    }
}
