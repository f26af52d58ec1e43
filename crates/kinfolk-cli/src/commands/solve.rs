//! `kinfolk solve`: the optimal network among local scores in a `.jkl` file.

use std::fs;

use kinfolk::formats::{LocalScores, read_jkl};
use kinfolk::graph::modelstring;
use kinfolk::score::{Halt, ScoreError};
use kinfolk::search::{ExactError, optimum_of};
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::{CommonArgs, SolveArgs};
use crate::failure::Failure;
use crate::interrupt;
use crate::output;
use crate::progress::WorkWatcher;

/// The optimal network.
#[derive(Serialize)]
struct Solved {
    structure: String,
    score: f64,
    search: Value,
    variables: Vec<String>,
    parent_sets: usize,
}

pub(crate) fn run(args: &SolveArgs, common: &CommonArgs) -> Result<(), Failure> {
    let file = args.file.display().to_string();
    let text =
        fs::read_to_string(&args.file).map_err(|reason| Failure::File { file: file.clone(), reason })?;
    let LocalScores { names, sets } =
        read_jkl(&text).map_err(|error| Failure::Call(format!("{file}: {error}")))?;
    interrupt::listen();
    let watcher = WorkWatcher::new(None, common.quiet);
    let found = optimum_of(&sets, &mut |event| watcher.exact(event));
    drop(watcher);
    let found = found.map_err(|error| match error {
        ExactError::Score(ScoreError::Halted(_)) => Failure::NothingYet(Halt::Interrupted),
        error => Failure::Call(format!("{file}: {error}")),
    })?;
    let solved = Solved {
        structure: modelstring::format(&found.dag, &names),
        score: found.score,
        search: json!({ "method": "exact", "optimal": true }),
        variables: names,
        parent_sets: found.candidates,
    };
    if common.json {
        return output::print_json(&solved);
    }
    output::print(&format!(
        "data     {}, {} in {file}\nscore    {} (natural logarithm)\nsearch   exact: no network of these parent sets scores higher\nnetwork  {}",
        output::plural(solved.variables.len() as u64, "variable"),
        output::plural(solved.parent_sets as u64, "parent set"),
        output::decimals(solved.score),
        solved.structure,
    ))
}
