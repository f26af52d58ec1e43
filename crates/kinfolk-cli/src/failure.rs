//! Errors of the commands and their exit codes.

use std::io;
use std::process::ExitCode;

use kinfolk::bootstrap::{BootstrapError, ResumeError};
use kinfolk::counts::TallyError;
use kinfolk::data::DataError;
use kinfolk::estimate::EstimateError;
use kinfolk::formats::{NetworkFileError, RecordedError};
use kinfolk::graph::modelstring::ModelstringError;
use kinfolk::impute::ImputeError;
use kinfolk::infer::InferError;
use kinfolk::missing::MissingError;
use kinfolk::posterior::{PosteriorError, QueryError};
use kinfolk::remedy::Actionable;
use kinfolk::score::{Halt, OptionError, ScoreError};
use kinfolk::search::{ConstraintError, SearchSpecError};
use kinfolk::simulate::DesignError;
use kinfolk::validate::ValidateError;
use kinfolk_study::run::RunError;
use kinfolk_study::store::StoreError;
use thiserror::Error;

use crate::interrupt;
use crate::wording::Flags;

/// Why a command failed.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// The data cannot be read.
    #[error("{}", .0.message(&Flags))]
    Data(#[from] DataError),
    /// The constraints contradict each other.
    #[error("{}", .0.message(&Flags))]
    Constraints(#[from] ConstraintError),
    /// Options contradict each other or are invalid.
    #[error("{}", .0.message(&Flags))]
    Options(#[from] OptionError),
    /// Options of the search contradict each other or the data.
    #[error("{}", .0.message(&Flags))]
    Search(#[from] SearchSpecError),
    /// Counting or scoring failed.
    #[error("{}", .0.message(&Flags))]
    Score(#[from] ScoreError),
    /// Learning from incomplete data failed.
    #[error("{}", .0.message(&Flags))]
    Missing(MissingError),
    /// The tables cannot be estimated.
    #[error("{}", .0.message(&Flags))]
    Estimate(#[from] EstimateError),
    /// Validation failed.
    #[error("{}", .0.message(&Flags))]
    Validate(ValidateError),
    /// The bootstrap failed.
    #[error("{}", .0.message(&Flags))]
    Bootstrap(BootstrapError),
    /// A resume file cannot be read or written.
    #[error("--resume: {0}")]
    Resume(#[from] ResumeError),
    /// Results of a study cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A study failed.
    #[error("{}", .0.message(&Flags))]
    Study(#[from] RunError),
    /// The design of a simulation is impossible.
    #[error("{}", .0.message(&Flags))]
    Design(#[from] DesignError),
    /// A structure is invalid.
    #[error("{place}: {error}")]
    Structure {
        /// Its source.
        place: String,
        /// The error.
        error: ModelstringError,
    },
    /// A network cannot be read.
    #[error("{file}: {}", .error.message(&Flags))]
    Network {
        /// The file.
        file: String,
        /// The error.
        error: NetworkFileError,
    },
    /// Settings recorded in a network file cannot be used.
    #[error("the network file: {0}; give the option, or --no-recorded to take no settings from the file")]
    Recorded(#[from] RecordedError),
    /// A query has no answer.
    #[error("{}", .0.message(&Flags))]
    Infer(#[from] InferError),
    /// A limit or Ctrl-C stopped the work before there was a result.
    #[error("{}", nothing_yet(*.0))]
    NothingYet(Halt),
    /// Another error in the command line.
    #[error("{0}")]
    Call(String),
    /// A file other than the data cannot be read or written.
    #[error("{file}: {reason}")]
    File {
        /// The file.
        file: String,
        /// The error of the operating system.
        reason: io::Error,
    },
    /// The result cannot be printed.
    #[error("cannot write the result: {0}")]
    Output(#[from] io::Error),
    /// A defect in kinfolk.
    #[error("internal error: {0}")]
    Internal(String),
}

fn nothing_yet(halt: Halt) -> &'static str {
    match halt {
        Halt::TimeLimit => {
            "--time-limit expired before all families were scored, so there is no result; raise it, or lower --max-parents"
        }
        Halt::Interrupted => "interrupted before there was a result",
    }
}

impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Self {
        Self::Call(format!("--query: {error}"))
    }
}

impl From<PosteriorError> for Failure {
    fn from(error: PosteriorError) -> Self {
        match error {
            PosteriorError::Score(ScoreError::Halted(halt)) => Self::NothingYet(halt),
            PosteriorError::Score(error) => error.into(),
            error => Self::Call(error.to_string()),
        }
    }
}

impl From<ImputeError> for Failure {
    fn from(error: ImputeError) -> Self {
        match error {
            ImputeError::Infer(error) => error.into(),
            ImputeError::Halted(halt) => Self::NothingYet(halt),
        }
    }
}

impl From<ValidateError> for Failure {
    /// Maps errors of scores and estimates to their own variants.
    fn from(error: ValidateError) -> Self {
        match error {
            ValidateError::Score(error) => error.into(),
            ValidateError::Estimate(error) => error.into(),
            ValidateError::Infer(error) => error.into(),
            error => Self::Validate(error),
        }
    }
}

impl From<MissingError> for Failure {
    fn from(error: MissingError) -> Self {
        match error {
            MissingError::Score(ScoreError::Halted(halt)) => Self::NothingYet(halt),
            MissingError::Score(error) => error.into(),
            MissingError::Estimate(error) => error.into(),
            error @ MissingError::NothingObserved(_) => Self::Missing(error),
        }
    }
}

impl From<BootstrapError> for Failure {
    fn from(error: BootstrapError) -> Self {
        match error {
            BootstrapError::Score(error) => error.into(),
            error => Self::Bootstrap(error),
        }
    }
}

impl Failure {
    /// 2 for invalid input or arguments, 1 for defects in kinfolk.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Internal(_)
            | Self::Study(RunError::Replicate { .. })
            | Self::Score(ScoreError::Tally(TallyError::Engine(_)))
            | Self::Estimate(EstimateError::Tally(TallyError::Engine(_))) => ExitCode::from(1),
            Self::NothingYet(Halt::Interrupted) => ExitCode::from(interrupt::QUIT),
            // The reader of the output closed it, which is not an error.
            failure if failure.is_broken_pipe() => ExitCode::SUCCESS,
            _ => ExitCode::from(2),
        }
    }

    /// Whether the reader of the output closed it.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_say_whose_fault_it_was() {
        let engine = || TallyError::Engine("it went away".to_owned());
        let broken = io::Error::from(io::ErrorKind::BrokenPipe);
        let full = io::Error::from(io::ErrorKind::StorageFull);
        for (failure, code) in [
            (Failure::Internal("a defect".to_owned()), 1),
            (Failure::Score(ScoreError::Tally(engine())), 1),
            (Failure::Estimate(EstimateError::Tally(engine())), 1),
            (Failure::Call("no such thing".to_owned()), 2),
            (Failure::NothingYet(Halt::TimeLimit), 2),
            (Failure::NothingYet(Halt::Interrupted), 130),
            (Failure::Output(full), 2),
            (Failure::Output(broken), 0),
        ] {
            assert_eq!(failure.exit_code(), ExitCode::from(code), "{failure}");
        }
    }
}
