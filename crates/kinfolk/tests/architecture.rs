//! The rules of ARCHITECTURE.md that can be checked automatically: dependencies of modules, first lines of files, names
//! in documents.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::fs;
use std::path::{Path, PathBuf};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All Rust files below a folder, in order.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
        .into_iter()
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

/// The Rust files below one folder (`src` or `tests`) of every package.
fn all_sources(folder: &str) -> Vec<PathBuf> {
    let mut packages: Vec<PathBuf> =
        fs::read_dir(workspace().join("crates")).unwrap().map(|entry| entry.unwrap().path()).collect();
    packages.sort();
    let folders = packages.iter().map(|package| package.join(folder)).filter(|folder| folder.is_dir());
    folders.flat_map(|folder| sources(&folder)).collect()
}

/// The code of a file: without comments, and without its unit tests, which come last.
fn code(path: &Path) -> String {
    let text = read(path);
    let tested = text.split("#[cfg(test)]").next().unwrap();
    tested.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn leading_name(text: &str) -> &str {
    let end = text.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(text.len());
    &text[..end]
}

#[test]
fn modules_use_only_those_above_them_in_lib_rs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let lib = read(folder.join("lib.rs"));
    let order: Vec<&str> =
        lib.lines().filter_map(|line| line.strip_prefix("pub mod ")).map(leading_name).collect();
    assert!(
        order.starts_with(&[
            "remedy",
            "choice",
            "data",
            "graph",
            "counts",
            "special",
            "variational",
            "laplace",
            "score",
            "search"
        ]),
        "{order:?}"
    );
    for path in sources(&folder).into_iter().filter(|path| !path.ends_with("lib.rs")) {
        let place = path.strip_prefix(&folder).unwrap().with_extension("");
        let mut names: Vec<&str> = place.iter().map(|name| name.to_str().unwrap()).collect();
        if names.last() == Some(&"mod") {
            names.pop();
        }
        let rank = |name: &str| {
            let found = order.iter().position(|module| *module == name);
            found.unwrap_or_else(|| panic!("{}: lib.rs has no module `{name}`", path.display()))
        };
        let code = code(&path);
        for used in code.split("crate::").skip(1).map(leading_name) {
            assert!(!used.is_empty(), "{}: write one `use crate::module` per module", path.display());
            assert!(rank(used) <= rank(names[0]), "{} must not use `{used}`", path.display());
        }
        assert!(
            !code.contains(&"super::".repeat(names.len())),
            "{} reaches other modules through `super`; write `crate::`",
            path.display()
        );
    }
}

#[test]
fn every_source_file_states_its_purpose() {
    let files = [all_sources("src"), all_sources("tests")].concat();
    assert!(files.len() > 50);
    for path in files {
        assert!(read(&path).starts_with("//! "), "{} does not open with `//!`", path.display());
    }
}

#[test]
fn the_library_and_the_report_name_no_flag_and_no_command() {
    let crates = workspace().join("crates");
    for path in ["kinfolk/src", "kinfolk-report/src"].iter().flat_map(|folder| sources(&crates.join(folder)))
    {
        let code = code(&path);
        let flag = code.split("--").skip(1).find(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
        assert!(
            flag.is_none(),
            "{}: offer a `Remedy` instead of --{}",
            path.display(),
            leading_name(flag.unwrap())
        );
        assert!(!code.contains("`kinfolk "), "{}: offer a `Remedy` instead of a command", path.display());
    }
}

#[test]
fn documents_stay_short() {
    for (document, most) in [("README.md", 150), ("ARCHITECTURE.md", 150), ("CONTRIBUTING.md", 90)] {
        let lines = read(workspace().join(document)).lines().count();
        assert!(lines <= most, "{document} has {lines} lines, {most} are allowed");
    }
}

#[test]
fn the_architecture_has_short_lines_and_paragraphs() {
    let text = read(workspace().join("ARCHITECTURE.md"));
    for line in text.lines() {
        assert!(line.chars().count() <= 120, "ARCHITECTURE.md: longer than 120 characters: {line}");
    }
    for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.starts_with(['|', '`'])) {
        let words = paragraph.split_whitespace().count();
        assert!(words <= 80, "ARCHITECTURE.md: a paragraph of {words} words, 80 are allowed: {paragraph}");
    }
}

#[test]
fn every_path_that_the_architecture_maps_exists() {
    let text = read(workspace().join("ARCHITECTURE.md"));
    let map = &text[text.find("## The map").unwrap()..text.find("## Decisions").unwrap()];
    let paths: Vec<&str> =
        map.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let lib = read(workspace().join("crates/kinfolk/src/lib.rs"));
    let modules: Vec<&str> =
        lib.lines().filter_map(|line| line.strip_prefix("pub mod ")).map(leading_name).collect();
    assert!(paths.starts_with(&modules), "the map has {paths:?}, lib.rs has {modules:?}");
    for path in &paths[modules.len()..] {
        assert!(workspace().join(path).exists(), "ARCHITECTURE.md names {path}");
    }
}

/// Whether a line defines a function, type or constant of this name.
fn defines(line: &str, name: &str) -> bool {
    ["fn ", "struct ", "enum ", "const "].iter().any(|keyword| {
        line.split(keyword).skip(1).any(|rest| leading_name(rest) == name)
            && !line.trim_start().starts_with("//")
    })
}

/// The lines of all `impl` blocks of a type.
fn methods<'a>(code: &'a str, of: &str) -> Vec<&'a str> {
    let mut inside = false;
    let kept = code.lines().filter(|line| {
        if line.starts_with("impl") {
            inside = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == of);
        } else if line.starts_with('}') {
            inside = false;
        }
        inside
    });
    kept.collect()
}

/// Whether the library defines what a full path names: `module::item`, `module::Type::method`, `module::tests::test` or
/// `tests/folder/file::test`.
fn is_defined(path: &str) -> bool {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    if path.starts_with("tests/") {
        let Some((file, name)) = path.split_once("::") else { return false };
        let file = package.join(format!("{file}.rs"));
        return file.is_file() && read(file).lines().any(|line| defines(line, name));
    }
    let names: Vec<&str> = path.split("::").collect();
    let file = (1..names.len()).rev().find_map(|length| {
        let module = package.join("src").join(names[..length].join("/"));
        let files = [module.with_extension("rs"), module.join("mod.rs")];
        files.into_iter().find(|file| file.is_file()).map(|file| (read(file), length))
    });
    let Some((text, length)) = file else { return false };
    let (code, tests) = text.split_once("#[cfg(test)]\nmod tests").unwrap_or((&text, ""));
    match names[length..] {
        [item] => code.lines().any(|line| !line.starts_with(' ') && defines(line, item)),
        ["tests", test] => tests.lines().any(|line| defines(line, test)),
        [of, method] => methods(code, of).iter().any(|line| defines(line, method)),
        _ => false,
    }
}

#[test]
fn every_function_and_test_that_the_theory_names_exists() {
    let theory = read(workspace().join("docs/THEORY.md"));
    let rows: Vec<&str> = theory.lines().filter(|line| line.starts_with("| E")).collect();
    assert!(rows.len() > 25);
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        assert_eq!(cells.len(), 6, "{row}");
        for path in cells[4..].iter().flat_map(|cell| cell.split('`').skip(1).step_by(2)) {
            assert!(is_defined(path), "docs/THEORY.md names `{path}`, which is not defined there");
        }
    }
}

#[test]
fn only_full_paths_to_existing_items_count_as_defined() {
    for right in [
        "score::bhd::Bhd",
        "graph::cpdag::Cpdag::of",
        "special::gamma::tests::differences_over_counts_do_not_cancel",
        "tests/score/fit_laws::any_start_gives_the_same_fit",
    ] {
        assert!(is_defined(right), "{right}");
    }
    for wrong in [
        "Bhd",
        "score::Bhd",
        "score::kin::Bhd",
        "graph::cpdag::of",
        "graph::cpdag::Dag::of",
        "special::gamma::differences_over_counts_do_not_cancel",
        "tests/score/kin_laws::any_start_gives_the_same_fit",
        "any_start_gives_the_same_fit",
    ] {
        assert!(!is_defined(wrong), "{wrong}");
    }
}

#[test]
fn unsafe_code_is_only_where_contributing_says() {
    let expected = [
        "kinfolk/src/counts/kernels/bitmap/popcount.rs",
        "kinfolk/src/counts/kernels/histogram/blocked.rs",
        "kinfolk-py/src/arrow/capsule.rs",
    ];
    let has_unsafe = |path: &PathBuf| code(path).contains("unsafe {") || code(path).contains("unsafe impl");
    let mut found: Vec<PathBuf> = all_sources("src").into_iter().filter(has_unsafe).collect();
    found.sort();
    let crates = workspace().join("crates");
    let found: Vec<_> =
        found.iter().map(|path| path.strip_prefix(&crates).unwrap().to_str().unwrap()).collect();
    assert_eq!(found, expected);
    let contributing = read(workspace().join("CONTRIBUTING.md"));
    for path in expected {
        let place = path.trim_start_matches("kinfolk/src/");
        assert!(contributing.contains(place), "CONTRIBUTING.md does not name {place}");
    }
}
