//! The command `kinfolk`: parses arguments, calls the library, prints the result.

mod args;
mod commands;
mod failure;
mod inputs;
mod interrupt;
mod out_file;
mod output;
mod progress;
mod rows;
mod timing;
mod wording;

use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use clap::Parser;

use args::Cli;
use failure::Failure;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match panic::catch_unwind(AssertUnwindSafe(|| commands::run(cli))) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => {
            if !failure.is_broken_pipe() {
                output::print_error(&failure);
            }
            failure.exit_code()
        }
        // The panic message is already on standard error.
        Err(_) => {
            output::print_error(&Failure::Internal(
                "this is a defect in kinfolk; please report it".to_owned(),
            ));
            ExitCode::from(1)
        }
    }
}
