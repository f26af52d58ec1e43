//! Reads the rows of further files for `predict` and `impute`, by default grouped as the network was learned.

use std::path::PathBuf;

use kinfolk::data::{DataError, NewRows, NewRowsOptions};
use kinfolk::estimate::Relative;
use kinfolk::formats::NetworkFile;
use kinfolk::remedy::Setting;
use serde_json::Value;

use crate::args::{CommonArgs, sources};
use crate::failure::Failure;
use crate::output;

/// Reads the rows. Without `--group`, and unless `--data-set` selects the tables of all rows, they are grouped by the column that the
/// network records if the files have it.
pub(super) fn read_new_rows(
    files: &[PathBuf],
    network: &NetworkFile,
    options: &NewRowsOptions,
    forced: Option<Relative>,
    common: &CommonArgs,
) -> Result<NewRows, Failure> {
    let read = |options: &NewRowsOptions| -> Result<Result<NewRows, DataError>, Failure> {
        Ok(NewRows::read(sources(files)?, network.network.schema(), options))
    };
    let recorded = network.settings.get("group").and_then(Value::as_str);
    let Some(group) = recorded.filter(|_| options.group.is_none() && forced.is_none()) else {
        return Ok(read(options)??);
    };
    // Standard input can be read only once.
    let reads_once = files.iter().any(|file| file.as_os_str() == "-");
    let grouped = NewRowsOptions { group: Some(group.to_owned()), ..options.clone() };
    let found = if reads_once { None } else { Some(read(&grouped)?) };
    if let Some(found) = found
        && !matches!(found, Err(DataError::RoleAbsent { setting: Setting::Group, .. }))
    {
        let rows = found?;
        if !common.quiet {
            output::note(&format!("note: --group {group}, as the network records"));
        }
        return Ok(rows);
    }
    if !common.quiet {
        output::note(&format!(
            "warning: the network was learned with --group {group}, and the files are read without it: every file is one data set"
        ));
    }
    Ok(read(options)??)
}
