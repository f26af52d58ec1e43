//! The file of `bootstrap --resume`: one line per finished search, written at once, so that nothing is lost or done twice.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use kinfolk::bootstrap::Record;
use serde_json::{Map, Value, json};

use crate::failure::Failure;

/// A file of finished searches, open for more.
pub(crate) struct Replicates {
    path: PathBuf,
    file: File,
}

impl Replicates {
    /// Opens a file, or begins it. Its first line says what the searches belong to, `origin`; a file of something else is left
    /// alone. A last line that was cut off is taken out, to be done again.
    pub(crate) fn open(path: &Path, origin: &Map<String, Value>) -> Result<(Self, Vec<Record>), Failure> {
        let failed = |reason| Failure::File { file: format!("--resume: {}", path.display()), reason };
        let head = json!({ "kinfolk_bootstrap": 1, "origin": origin });
        let mut text = match fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(error)),
        };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let cut = text.split_off(whole);
        let mut lines = text.lines();
        let records = match lines.next() {
            None if cut.is_empty() || head.to_string().starts_with(&cut) => {
                text = format!("{head}\n");
                Vec::new()
            }
            Some(first) => {
                check(path, first, &head)?;
                let record = |(number, line): (usize, &str)| {
                    serde_json::from_str(line).map_err(|error| {
                        let (path, number) = (path.display(), number + 2);
                        Failure::Call(format!("--resume: {path}, line {number} is no finished search ({error}); take the line out"))
                    })
                };
                lines.enumerate().map(record).collect::<Result<_, _>>()?
            }
            None => return Err(foreign(path)),
        };
        fs::write(path, &text).map_err(failed)?;
        let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
        Ok((Self { path: path.to_owned(), file }, records))
    }

    /// Keeps a finished search, in one piece.
    pub(crate) fn keep(&mut self, record: &Record) -> Result<(), Failure> {
        let line = json!(record).to_string() + "\n";
        self.file
            .write_all(line.as_bytes())
            .map_err(|reason| Failure::File { file: format!("--resume: {}", self.path.display()), reason })
    }
}

fn foreign(path: &Path) -> Failure {
    let path = path.display();
    Failure::Call(format!(
        "--resume: {path} is not a file of `kinfolk bootstrap`; name another one, which will be made"
    ))
}

/// Refuses a file whose searches belong to other data or settings, and says to which.
fn check(path: &Path, first: &str, head: &Value) -> Result<(), Failure> {
    let found: Value = serde_json::from_str(first).map_err(|_| foreign(path))?;
    let (Some(kept), Some(asked)) = (found["origin"].as_object(), head["origin"].as_object()) else {
        return Err(foreign(path));
    };
    if found == *head {
        return Ok(());
    }
    let differs = asked.iter().find(|(key, value)| kept.get(*key) != Some(*value));
    let (key, asked) = differs.map_or(("version", &Value::Null), |(key, value)| (key.as_str(), value));
    let kept = kept.get(key).unwrap_or(&Value::Null);
    let path = path.display();
    Err(Failure::Call(format!(
        "--resume: {path} belongs to another bootstrap: its {key} is {kept}, not {asked}; give the same options, or name another file"
    )))
}
