//! The arguments of `validate`.

use clap::{Args, ValueEnum};
use kinfolk::estimate::{TableMethod, TableSpec};
use kinfolk::score::Kin;
use kinfolk::validate::Scheme;

use super::{DataArgs, ScoreArgs, SearchArgs};
use crate::failure::Failure;

/// Hold rows out, learn from the others, and see how well the held-out rows are predicted.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    kinfolk validate hospital-*.csv\n  \
    kinfolk validate hospital-*.csv --structure network.json --target diagnosis\n  \
    kinfolk validate all.csv --group hospital --scheme data-sets --json\n  \
    kinfolk validate hospital-*.csv --structures own --s 5 --iss 10 --seed 1\n\n\
    Three ways to estimate tables are compared on the same held-out rows: hierarchical (drawn to the centre, as closely as the data \
    say, or as --s says), pooled and separate (--iss: an imaginary sample). The structure is given, or learned in every fold with --score. Differences come with \
    standard errors. --seed deals the rows to the folds. Ctrl-C prints what is finished, marked as interrupted; a second one quits.")]
pub(crate) struct ValidateArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,

    /// What is held out at a time.
    #[arg(long, visible_alias = "leave-out", value_enum, default_value_t = SchemeName::Folds, value_name = "NAME", help_heading = "Validation")]
    pub(crate) scheme: SchemeName,

    /// How many folds the rows of every data set are dealt to. [default: 10]
    #[arg(long, value_name = "K", help_heading = "Validation")]
    pub(crate) folds: Option<usize>,

    /// Choose s and iss of the tables by folds within the rows that are not held out, each method for itself; scores keep theirs.
    #[arg(long, help_heading = "Validation")]
    pub(crate) tune: bool,

    /// How the tables of related data sets are estimated. [default: kin, unless a prior such as --s is given]
    #[arg(long, value_enum, value_name = "NAME", help_heading = "Validation")]
    pub(crate) method: Option<RelatedMethod>,

    /// A column to predict from all others: accuracy, log-loss and Brier score.
    #[arg(long, value_name = "COLUMN", help_heading = "Validation")]
    pub(crate) target: Option<String>,

    /// The structure, instead of learning it in every fold: a modelstring such as '[A][B|A][C|A:B]', or a file with one, or the
    /// JSON of `learn`.
    #[arg(long, value_name = "MODELSTRING|FILE", help_heading = "Validation")]
    pub(crate) structure: Option<String>,

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
    /// One of --folds parts of every data set, judged by the tables of its data set.
    Folds,
    /// One whole data set, judged by the tables for a data set never seen.
    DataSets,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RelatedMethod {
    /// With a fixed s: as closely as --s says.
    Hierarchical,
    /// As closely as the data of each family say.
    Kin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StructuresName {
    /// One structure per fold, learned with --score: only tables differ.
    Shared,
    /// Each method its own: kin (bhd with a fixed s), bdeu on the pooled rows, bdeu-separate.
    Own,
}

impl ValidateArgs {
    /// The default number of folds.
    const FOLDS: usize = 10;

    /// The settings of kin, if the tables of related data sets are estimated with it.
    pub(crate) fn kin(&self) -> Result<Option<Kin>, Failure> {
        let spec = self.score.spec();
        let related = match self.method {
            Some(RelatedMethod::Kin) => TableMethod::Kin,
            Some(RelatedMethod::Hierarchical) => TableMethod::Hierarchical,
            None => TableSpec::related(&spec),
        };
        Ok((related == TableMethod::Kin).then(|| spec.kin.build()).transpose()?)
    }

    /// What is held out.
    pub(crate) fn scheme(&self) -> Scheme {
        match self.scheme {
            SchemeName::Folds => Scheme::Folds(self.folds.unwrap_or(Self::FOLDS)),
            SchemeName::DataSets => Scheme::DataSets,
        }
    }

    /// Refuses what is wrong whatever the data are. All priors have a meaning here, whatever the score is.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if self.scheme == SchemeName::DataSets && self.folds.is_some() {
            return Err(Failure::Call(
                "--folds belongs to --scheme folds; --scheme data-sets leaves out one data set after the other"
                    .to_owned(),
            ));
        }
        let unused = match (&self.structure, self.structures) {
            (Some(_), _) => Some("with --structure nothing is learned, and"),
            (None, Some(StructuresName::Own)) => {
                Some("with --structures own every method has its own score, and")
            }
            _ => None,
        };
        let chosen = [
            ("--score", self.score.score.is_some()),
            ("--structure-prior", self.score.structure_prior.is_some()),
        ];
        if let (Some(why), Some((flag, _))) = (unused, chosen.iter().find(|(_, given)| *given)) {
            return Err(Failure::Call(format!("{why} {flag} means nothing; leave it out")));
        }
        self.score.spec().check_beside_tables()?;
        self.search.check()
    }
}
