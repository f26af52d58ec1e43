//! The console examples of the README and the tutorial print the output shown; the README's Rust is the library's
//! doctest.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

fn readme() -> String {
    fs::read_to_string(workspace().join("README.md")).unwrap()
}

/// The lines of all fenced blocks of one language.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<Vec<&'a str>> {
    let opening = format!("```{language}");
    let mut lines = text.lines();
    let mut blocks = Vec::new();
    while lines.by_ref().any(|line| line == opening) {
        blocks.push(lines.by_ref().take_while(|line| *line != "```").collect());
    }
    blocks
}

/// The arguments after the program, with `folder/*.ending` replaced by the files there, as a shell does.
fn arguments(command: &str) -> Vec<String> {
    let call =
        command.strip_prefix("cargo run --profile quick -- ").or_else(|| command.strip_prefix("kinfolk "));
    let call = call.unwrap_or_else(|| panic!("`{command}` does not run kinfolk"));
    call.split_whitespace()
        .flat_map(|argument| match argument.split_once("/*") {
            Some((folder, ending)) => files(folder, ending),
            None => vec![argument.trim_matches('\'').to_owned()],
        })
        .collect()
}

fn files(folder: &str, ending: &str) -> Vec<String> {
    let names = fs::read_dir(workspace().join(folder)).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.retain(|name| name.ends_with(ending));
    names.sort();
    names.iter().map(|name| format!("{folder}/{name}")).collect()
}

/// A temporary folder with the example files, so that commands may write files into it.
fn folder_with_examples() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let copied = folder.path().join("examples/clinics");
    fs::create_dir_all(&copied).unwrap();
    for file in files("examples/clinics", ".csv") {
        fs::copy(workspace().join(&file), folder.path().join(&file)).unwrap();
    }
    folder
}

/// Standard error and standard output of a call, line by line.
fn run(arguments: &[String], folder: &Path) -> Vec<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kinfolk"));
    let output = command.args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = [output.stderr, output.stdout].concat();
    String::from_utf8(text).unwrap().lines().map(|line| line.trim_end().to_owned()).collect()
}

/// Runs every console block of a document and gives the number of lines that were compared.
fn compare_console_blocks(text: &str) -> usize {
    let folder = folder_with_examples();
    let mut compared = 0;
    for block in blocks(text, "console") {
        let command = block[0].strip_prefix("$ ").expect("a console block begins with its command");
        let printed = run(&arguments(command), folder.path());
        let mut left = printed.iter();
        // A line with only an ellipsis marks omitted lines.
        for shown in block[1..].iter().filter(|line| **line != "…") {
            assert!(left.any(|line| line == shown), "`{command}` does not print `{shown}`, but {printed:#?}");
            compared += 1;
        }
        if !block.contains(&"…") {
            assert_eq!(printed.len(), block.len() - 1, "`{command}` prints more than is shown");
        }
    }
    compared
}

#[test]
fn every_line_that_the_readme_shows_is_printed_in_the_order_shown() {
    assert!(compare_console_blocks(&readme()) > 10);
}

#[test]
fn every_line_that_the_tutorial_shows_is_printed_in_the_order_shown() {
    let tutorial = fs::read_to_string(workspace().join("docs/tutorial.md")).unwrap();
    assert!(compare_console_blocks(&tutorial) > 10);
}

#[test]
fn the_first_command_is_the_example_and_its_files_equal_the_one_file_with_groups() {
    let text = readme();
    let command = blocks(&text, "sh")[0][0];
    assert_eq!(format!("$ {command}"), blocks(&text, "console")[0][0]);
    let grouped = ["learn", "crates/kinfolk/tests/golden/related/clinics.csv", "--group", "site"];
    let root = workspace();
    assert_eq!(run(&arguments(command), &root), run(&grouped.map(str::to_owned), &root));
}

#[test]
fn the_rust_of_the_readme_is_the_doctest_of_the_library() {
    let lib = fs::read_to_string(workspace().join("crates/kinfolk/src/lib.rs")).unwrap();
    let lines = lib.lines().filter_map(|line| line.strip_prefix("//!"));
    let documentation: Vec<&str> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    let documentation = documentation.join("\n");
    let mut doctest = blocks(&documentation, "").remove(0);
    // Lines that begin with # are run but not shown.
    doctest.retain(|line| !line.starts_with("# "));
    assert_eq!(blocks(&readme(), "rust"), [doctest]);
}
