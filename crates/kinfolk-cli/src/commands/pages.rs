//! Shell completion scripts and manual pages, generated from the definition of the command line; licences.

use std::fs;
use std::io;
use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::failure::Failure;
use crate::output;

/// Prints a completion script.
pub(crate) fn completions(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "kinfolk", &mut script);
    output::print_unchanged(&String::from_utf8_lossy(&script))
}

/// Prints the manual page, or writes those of all commands.
pub(crate) fn manual(dir: Option<&Path>) -> Result<(), Failure> {
    let Some(dir) = dir else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut page)?;
        return output::print_unchanged(&String::from_utf8_lossy(&page));
    };
    let fail = |reason: io::Error| Failure::File { file: dir.display().to_string(), reason };
    fs::create_dir_all(dir).map_err(fail)?;
    clap_mangen::generate_to(Cli::command(), dir).map_err(fail)
}

/// Prints the licences of this program and of the fonts inside it.
pub(crate) fn licences() -> Result<(), Failure> {
    let own = "kinfolk is licensed under MIT or Apache-2.0, as you choose.";
    output::print_unchanged(&format!("{own}\n\n{}", kinfolk_report::FONT_LICENCES))
}
