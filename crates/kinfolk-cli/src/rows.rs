//! Writes rows as CSV files, which overwrite existing files only with `--force`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use kinfolk::data::{DataSetId, RelatedData};

use crate::failure::Failure;
use crate::out_file::OutFile;

/// The rows as text cells: a header, then the rows of these data sets, with their names in the column `group` if it is
/// given.
pub(crate) fn cells<'a>(
    data: &'a RelatedData,
    data_sets: impl IntoIterator<Item = DataSetId>,
    group: Option<&'a str>,
) -> impl Iterator<Item = Vec<&'a str>> {
    let schema = data.schema();
    let names = schema.variables().iter().map(|variable| variable.name.as_str());
    let header = group.into_iter().chain(names).collect();
    let row = move |data_set: DataSetId, row: usize| {
        let name = group.map(|_| schema.data_sets()[data_set.index()].as_str());
        let states = schema.variables().iter().zip(schema.ids());
        let states = states.map(|(variable, id)| variable.states[data.column(id).get(row) as usize].as_str());
        name.into_iter().chain(states).collect()
    };
    let rows = data_sets
        .into_iter()
        .flat_map(move |data_set| data.rows_of(data_set).map(move |number| row(data_set, number)));
    std::iter::once(header).chain(rows)
}

/// Writes rows as CSV, one at a time, so that their text takes no memory.
pub(crate) fn write_csv<'a>(
    out: impl Write,
    rows: impl Iterator<Item = Vec<&'a str>>,
) -> Result<(), Failure> {
    let mut writer = csv::WriterBuilder::new().buffer_capacity(1 << 16).from_writer(out);
    for row in rows {
        writer.write_record(row).map_err(|error| match error.into_kind() {
            csv::ErrorKind::Io(reason) => Failure::from(reason),
            other => Failure::Internal(format!("rows cannot be written as CSV: {other:?}")),
        })?;
    }
    Ok(writer.flush()?)
}

/// Checks output files before any is written: existing ones are rejected unless forced, as are those that cannot be
/// written.
pub(crate) fn check_new(files: &[PathBuf], inputs: &[PathBuf], force: bool) -> Result<Vec<OutFile>, Failure> {
    if let Some(file) = files.iter().find(|file| !force && file.is_file()) {
        return Err(Failure::Call(format!("--out: {} already exists; --force replaces it", file.display())));
    }
    files.iter().map(|file| OutFile::check(file, inputs)).collect()
}

/// Creates a folder if it does not exist.
pub(crate) fn make_folder(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder)
        .map_err(|reason| Failure::File { file: format!("--out: {}", folder.display()), reason })
}
