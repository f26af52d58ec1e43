//! Where words go: results to standard output, everything else to standard error.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use serde_json::{Map, Value};
use tempfile::NamedTempFile;

use crate::failure::Failure;

/// Prints a result on standard output.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

/// Prints a result as JSON on standard output.
pub(crate) fn print_json(result: &impl Serialize) -> Result<(), Failure> {
    print(&json_text(result)?)
}

/// Writes a result as JSON to a file, whole or not at all.
pub(crate) fn write_json(file: &Path, result: &impl Serialize) -> Result<(), Failure> {
    let fail = |reason| Failure::File { file: file.display().to_string(), reason };
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut temporary = NamedTempFile::new_in(folder).map_err(fail)?;
    temporary.write_all(json_text(result)?.as_bytes()).map_err(fail)?;
    temporary.write_all(b"\n").map_err(fail)?;
    temporary.persist(file).map_err(|error| fail(error.error))?;
    make_readable(file).map_err(fail)
}

/// A temporary file is readable by its owner only; a result is an ordinary file.
#[cfg(unix)]
fn make_readable(file: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn make_readable(_: &Path) -> io::Result<()> {
    Ok(())
}

fn json_text(result: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(result).map_err(|error| Failure::Internal(error.to_string()))
}

/// Says something on standard error that is not the result. If nobody listens there, nothing is lost.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Says on standard error why a command failed.
pub(crate) fn complain(failure: &Failure) {
    let _ = writeln!(io::stderr(), "kinfolk: {failure}");
}

/// A table with a header; the columns from `numbers_from` on are aligned to the right.
pub(crate) fn table(header: Vec<String>, rows: Vec<Vec<String>>, numbers_from: usize) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header);
    for row in rows {
        table.add_row(row);
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if index >= numbers_from {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt()
}

/// A score's name with its settings in words.
pub(crate) fn score_line(name: &str, settings: &Map<String, Value>) -> String {
    let mut parts = vec![name.to_owned()];
    let known =
        [("s", "per data set"), ("alpha0", "per cell"), ("s0", "in all cells"), ("iss", "imaginary rows")];
    for (key, unit) in known {
        if let Some(value) = settings.get(key).and_then(Value::as_f64) {
            parts.push(format!("{key} = {value} {unit}"));
        }
    }
    parts.join(", ")
}

/// A score or gain with three decimals.
pub(crate) fn decimals(value: f64) -> String {
    format!("{value:.3}")
}

/// `1 row`, `2 rows`.
pub(crate) fn plural(count: u64, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}
