//! A temporary folder for every test, and functions that run the binary in it.

use std::fs;
use std::path::PathBuf;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// A temporary folder in which commands run.
pub(crate) struct Workbench(TempDir);

/// The output of a command, and its exit code.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Where the golden files of the library are.
pub(crate) fn golden_path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../kinfolk/tests/golden").join(name)
}

/// A golden file of the library.
pub(crate) fn golden(name: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(golden_path(name)).unwrap()).unwrap()
}

impl Workbench {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    /// A folder with one of the golden related data sets, called `NAME.csv` and split by its column `site`.
    pub(crate) fn with_golden(name: &str) -> Self {
        let bench = Self::new();
        let text = fs::read_to_string(golden_path(&format!("related/{name}.csv"))).unwrap();
        bench.write(&format!("{name}.csv"), &text)
    }

    /// Puts a file into the folder.
    pub(crate) fn write(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        fs::write(self.path(name), text).unwrap();
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The binary, ready to run in the folder with arguments split at blanks.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kinfolk"));
        command.current_dir(self.0.path()).args(arguments.split_whitespace());
        command
    }

    pub(crate) fn run(&self, arguments: &str) -> Said {
        finish(self.command(arguments))
    }

    pub(crate) fn run_with_input(&self, arguments: &str, input: impl Into<Vec<u8>>) -> Said {
        let mut command = self.command(arguments);
        command.write_stdin(input);
        finish(command)
    }

    /// The output of a command that must succeed.
    pub(crate) fn text(&self, arguments: &str) -> String {
        let said = self.run(arguments);
        assert_eq!(said.code, 0, "{arguments}: {}", said.err);
        said.out
    }

    /// The JSON that a command prints that must succeed; nothing else may be on standard output.
    pub(crate) fn json(&self, arguments: &str) -> Value {
        self.run(&format!("{arguments} --json")).json()
    }

    /// The message of a command that must fail: exit code 2 and nothing on standard output.
    pub(crate) fn refusal(&self, arguments: &str) -> String {
        let said = self.run(arguments);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{arguments}: {}", said.err);
        assert!(!said.err.contains("panicked"), "{arguments}: {}", said.err);
        said.err
    }
}

impl Said {
    /// The result of a command that must have succeeded.
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.code, 0, "{}", self.err);
        serde_json::from_str(&self.out).unwrap()
    }
}

fn finish(mut command: Command) -> Said {
    let output = command.output().unwrap();
    Said {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Fails unless the text has all the parts.
#[track_caller]
pub(crate) fn assert_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
}

/// Fails unless the numbers agree within a relative tolerance.
#[track_caller]
pub(crate) fn assert_close(value: &Value, expected: f64, tolerance: f64) {
    let number = value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"));
    assert!((number - expected).abs() <= tolerance * expected.abs().max(1.0), "{number} is not {expected}");
}

/// The keys of an object, in their order.
pub(crate) fn keys(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

/// A result without its provenance.
pub(crate) fn without_settings(mut result: Value) -> Value {
    result.as_object_mut().unwrap().remove("settings");
    result
}

/// Simulated rows: `columns` variables of `states` states, each a noisy copy of an earlier one.
pub(crate) fn noisy_copies(rows: usize, columns: usize, states: u64) -> String {
    let mut seed: u64 = 7;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let names: Vec<String> = (1..=columns).map(|number| format!("N{number:02}")).collect();
    let mut text = names.join(",") + "\n";
    for _ in 0..rows {
        let mut row: Vec<u64> = Vec::new();
        for column in 0..columns {
            let copied = column > 0 && random(10) < 7;
            row.push(if copied { row[column / 2] } else { random(states) });
        }
        let cells: Vec<String> = row.iter().map(ToString::to_string).collect();
        text += &(cells.join(",") + "\n");
    }
    text
}
