//! The arguments of `validate`.

use clap::{Args, ValueEnum};
use kinfolk::validate::{Estimators, RelatedMethod, Scheme};

use super::choice::one_of;
use super::{DataArgs, RecordedArgs, ScoreArgs, SearchArgs};
use crate::failure::Failure;

/// Cross-validate: measure how well held-out rows are predicted.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk validate hospital-*.csv\n  \
    kinfolk validate hospital-*.csv --structure network.json --target diagnosis\n  \
    kinfolk validate all.csv --group hospital --scheme data-sets --json\n  \
    kinfolk validate hospital-*.csv --structures own --s 5 --iss 10 --seed 1\n\n\
    Three estimators of tables are compared on the same held-out rows: hierarchical (shrunk towards the common centre, by an amount \
    that the data determine or --s sets), and the same model of all rows as one data set (pooled) and of each data set alone \
    (separate), so that all have the same prior. --iss-rivals adds the usual pooled and separate tables with --iss imaginary rows. The structure is given, or \
    learned in every fold with --score. Differences have standard errors. --seed determines the folds. Ctrl-C prints the finished \
    folds, marked as interrupted; a second Ctrl-C quits.")]
pub(crate) struct ValidateArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,

    /// The unit that is held out.
    #[arg(long, visible_alias = "leave-out", value_enum, default_value_t = SchemeName::Folds, value_name = "NAME", help_heading = "Validation")]
    pub(crate) scheme: SchemeName,

    /// The number of folds within every data set. [default: 10]
    #[arg(long, value_name = "K", help_heading = "Validation")]
    pub(crate) folds: Option<usize>,

    /// Also compare pooled and separate tables with the usual prior: --iss imaginary rows, spread evenly over each table. Implied by
    /// --iss, and by --tune with kin.
    #[arg(long, help_heading = "Validation")]
    pub(crate) iss_rivals: bool,

    /// Tune s and iss of the tables by inner cross-validation on the training rows, separately for each method; the grid, 0.25 to 100,
    /// is extended while the best weight is at its end. Scores are not tuned.
    #[arg(long, help_heading = "Validation")]
    pub(crate) tune: bool,

    /// The estimator of hierarchical tables. [default: kin, unless a prior such as --s is given]
    #[arg(long, value_parser = one_of::<RelatedMethod>(), value_name = "NAME", help_heading = "Validation")]
    pub(crate) method: Option<RelatedMethod>,

    /// A column to predict from all others; reports accuracy, log-loss and Brier score.
    #[arg(long, value_name = "COLUMN", help_heading = "Validation")]
    pub(crate) target: Option<String>,

    /// The structure, instead of learning it in every fold: a modelstring such as '[A][B|A][C|A:B]', or a file with one, or the
    /// JSON of `learn`.
    #[arg(long, value_name = "MODELSTRING|FILE", help_heading = "Validation")]
    pub(crate) structure: Option<String>,

    #[command(flatten)]
    pub(crate) recorded: RecordedArgs,

    /// Whether the methods share a structure. [default: shared]
    #[arg(long, value_enum, value_name = "NAME", conflicts_with = "structure", help_heading = "Validation")]
    pub(crate) structures: Option<StructuresName>,

    #[command(flatten)]
    pub(crate) score: ScoreArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemeName {
    /// One fold of every data set, predicted from the tables of its own data set.
    Folds,
    /// One whole data set, predicted from the tables for an unseen data set.
    DataSets,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StructuresName {
    /// One structure per fold, learned with --score; only the tables differ.
    Shared,
    /// One structure per method, learned with kin (bhd with a fixed s) of the related data sets, of all rows as one data set, and
    /// summed over each data set alone; bdeu and bdeu-separate for the iss rivals.
    Own,
}

impl ValidateArgs {
    /// The default number of folds.
    const FOLDS: usize = 10;

    /// The estimators of tables for this many data sets.
    pub(crate) fn estimators(&self, data_sets: usize) -> Result<Estimators, Failure> {
        let asked = (self.iss_rivals, self.tune);
        Ok(Estimators::choose(&self.score.spec()?, data_sets, self.method, asked)?)
    }

    /// The scheme of validation.
    pub(crate) fn scheme(&self) -> Scheme {
        match self.scheme {
            SchemeName::Folds => Scheme::Folds(self.folds.unwrap_or(Self::FOLDS)),
            SchemeName::DataSets => Scheme::DataSets,
        }
    }

    /// Rejects invalid options; needs no data. Every prior is allowed here, whatever the score.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if self.scheme == SchemeName::DataSets && self.folds.is_some() {
            return Err(Failure::Call(
                "--folds belongs to --scheme folds; --scheme data-sets holds out one data set at a time"
                    .to_owned(),
            ));
        }
        let unused = match (&self.structure, self.structures) {
            (Some(_), _) => Some("with --structure nothing is learned, so"),
            (None, Some(StructuresName::Own)) => {
                Some("with --structures own every method has its own score, so")
            }
            _ => None,
        };
        let chosen = [
            ("--score", self.score.score.is_some()),
            ("--structure-prior", self.score.structure_prior.is_some()),
        ];
        if let (Some(why), Some((flag, _))) = (unused, chosen.iter().find(|(_, given)| *given)) {
            return Err(Failure::Call(format!("{why} {flag} has no effect; leave it out")));
        }
        self.score.spec()?.check_beside_tables()?;
        self.search.check()
    }
}
