//! The n-th call that touches the disk or allocates memory fails, for every n: afterwards the old file or the new one is there,
//! whole, nothing else is left behind, and the message names the file.
//!
//! A library that is preloaded makes the calls fail (`tests/faults/preload.rs`). It does not see renames of single files, which are made by
//! direct system calls.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::workbench::{Workbench, assert_says};

/// No command here makes as many calls.
const MOST_CALLS: usize = 2000;

/// The library to preload, compiled once.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, file) = LIBRARY.get_or_init(|| {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("faults.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/preload.rs");
        let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
        let compiled = Command::new(compiler)
            .args([
                "--edition",
                "2024",
                "--crate-type",
                "cdylib",
                "-C",
                "opt-level=1",
                "-C",
                "panic=abort",
                "-o",
            ])
            .args([&file, &source])
            .status()
            .unwrap();
        assert!(compiled.success());
        (folder, file)
    });
    file
}

/// Runs a command whose call of this number fails.
fn run_with_fault(bench: &Workbench, arguments: &str, kind: &str, at: usize) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kinfolk"))
        .current_dir(bench.path(""))
        .args(arguments.split_whitespace())
        .env("LD_PRELOAD", library())
        .env("FAULT_KIND", kind)
        .env("FAULT_AT", at.to_string())
        .output()
        .unwrap()
}

fn has_fault(output: &Output) -> bool {
    String::from_utf8_lossy(&output.stderr).contains("[fault: ")
}

/// All files below a folder with their content.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                all.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    all
}

/// A folder with rows, a network learned from them and an old output file.
fn prepared() -> Workbench {
    let bench = Workbench::with_golden("clinics").write("out", "old");
    bench.text("learn clinics.csv --group site --quiet --out network.json");
    bench
}

/// The files before and after a command that succeeds, and the number of calls that fail in turn.
fn outcomes(bench: &Workbench, arguments: &str) -> [BTreeMap<PathBuf, Vec<u8>>; 2] {
    let before = files(&bench.path(""));
    bench.text(arguments);
    let after = files(&bench.path(""));
    assert_ne!(before, after, "{arguments} writes nothing");
    [before, after]
}

/// Restores the files of a folder.
fn restore(bench: &Workbench, content: &BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(bench.path("")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
    }
    for (name, bytes) in content {
        fs::create_dir_all(bench.path("").join(name).parent().unwrap()).unwrap();
        fs::write(bench.path("").join(name), bytes).unwrap();
    }
}

/// Makes every call on the disk fail in turn; the command writes all its files or none.
fn writes_all_or_nothing(arguments: &str, target: &str) {
    let bench = prepared();
    let [before, after] = outcomes(&bench, arguments);
    for at in 1..MOST_CALLS {
        restore(&bench, &before);
        let output = run_with_fault(&bench, arguments, "disk", at);
        let error = String::from_utf8_lossy(&output.stderr);
        let found = files(&bench.path(""));
        let place = format!("{arguments}, call {at}: {error}");
        if !has_fault(&output) {
            assert!(output.status.success() && at > 3, "{place}");
            return;
        }
        assert!(!error.contains("panicked"), "{place}");
        let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
        match output.status.code() {
            // Flushing the folder may fail: the files are whole.
            Some(0) => assert!(found == after, "{place}, {:?}", names(&found)),
            Some(2) => {
                assert!(found == before, "{place}, {:?}", names(&found));
                assert_says(&error, &[target]);
            }
            code => panic!("exit code {code:?}: {place}"),
        }
    }
    panic!("{arguments} makes more calls than expected");
}

#[test]
fn a_result_replaces_its_file_whole_or_not_at_all() {
    let given = "--network network.json";
    for arguments in [
        "learn clinics.csv --group site --quiet --out out".to_owned(),
        "fit clinics.csv --group site --quiet --structure network.json --out out".to_owned(),
        "bootstrap clinics.csv --group site --quiet -R 2 --out out".to_owned(),
        "posterior clinics.csv --group site --quiet --out out".to_owned(),
        "score clinics.csv --group site --quiet --max-parents 1 --jkl out".to_owned(),
        "convert network.json --to dot --out out".to_owned(),
        "sample network.json --rows 50 --seed 1 --force --out out".to_owned(),
        "predict network.json clinics.csv --group site --target V01 --quiet --out out".to_owned(),
        format!("report {given} --quiet --out out"),
    ] {
        writes_all_or_nothing(&arguments, "out");
    }
}

#[test]
fn a_folder_appears_whole_or_not_at_all() {
    writes_all_or_nothing("simulate --nodes 4 --arcs 3 --data-sets 3 --rows 20 --seed 1 --out made", "made");
    writes_all_or_nothing(
        "impute clinics.csv --group site --network network.json --versions 2 --quiet --out made",
        "made",
    );
}

#[test]
fn each_of_several_files_is_the_old_one_or_the_new_one() {
    for arguments in [
        "learn clinics.csv --group site --quiet --out out --report page.html",
        "report clinics.csv --group site --quiet --network network.json --out out --figures figures",
    ] {
        let bench = prepared();
        let [before, after] = outcomes(&bench, arguments);
        let ended = (1..MOST_CALLS).find(|&at| {
            restore(&bench, &before);
            let output = run_with_fault(&bench, arguments, "disk", at);
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(matches!(output.status.code(), Some(0 | 2)), "{arguments}, call {at}: {error}");
            for (name, content) in files(&bench.path("")) {
                let is_known = [&before, &after].iter().any(|files| files.get(&name) == Some(&content));
                assert!(is_known, "{arguments}, call {at}, {}: {error}", name.display());
            }
            !has_fault(&output)
        });
        assert!(ended.is_some_and(|calls| calls > 10), "{arguments}: {ended:?}");
    }
}

#[test]
fn a_study_is_completed_after_any_failure() {
    let bench = Workbench::new();
    let arguments = "reproduce example --out study --quiet";
    let [before, after] = outcomes(&bench, arguments);
    for at in 1..MOST_CALLS {
        restore(&bench, &before);
        let output = run_with_fault(&bench, arguments, "disk", at);
        let error = String::from_utf8_lossy(&output.stderr);
        if !has_fault(&output) {
            assert!(output.status.success() && at > 10, "call {at}: {error}");
            return;
        }
        assert!(matches!(output.status.code(), Some(0 | 2)), "call {at}: {error}");
        bench.text(arguments);
        let found = files(&bench.path(""));
        assert!(found.keys().eq(after.keys()), "call {at}: {:?}", found.keys());
    }
    panic!("{arguments} makes more calls than expected");
}

/// Makes every call on the disk fail in turn; the next run continues from what was kept.
fn resumes(arguments: &str, kept: &str) {
    let bench = prepared();
    let [before, after] = outcomes(&bench, arguments);
    let expected = bench.text(arguments);
    let whole = String::from_utf8(after[Path::new(kept)].clone()).unwrap();
    for at in 1..MOST_CALLS {
        restore(&bench, &before);
        let output = run_with_fault(&bench, arguments, "disk", at);
        let error = String::from_utf8_lossy(&output.stderr);
        if !has_fault(&output) {
            assert!(output.status.success() && at > 3, "{arguments}, call {at}: {error}");
            return;
        }
        assert!(!error.contains("panicked"), "{arguments}, call {at}: {error}");
        if output.status.code() != Some(0) {
            assert_eq!(output.status.code(), Some(2), "{arguments}, call {at}: {error}");
            assert_says(&error, &[kept]);
        }
        // Complete lines that were kept stay; searches finish in any order.
        let lines = |text: String| text.split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>();
        let early = lines(fs::read_to_string(bench.path(kept)).unwrap_or_default());
        let complete = early.iter().filter(|line| line.ends_with('\n'));
        let known = lines(whole.clone());
        assert!(complete.clone().all(|line| known.contains(line)), "{arguments}, call {at}");
        assert_eq!(bench.text(arguments), expected, "{arguments}, call {at}");
        let late = lines(bench.read(kept));
        assert!(complete.clone().all(|line| late.contains(line)), "{arguments}, call {at}");
        assert_eq!(late.len(), known.len(), "{arguments}, call {at}");
    }
    panic!("{arguments} makes more calls than expected");
}

#[test]
fn a_resumed_run_loses_no_finished_work() {
    resumes("bootstrap clinics.csv --group site --quiet -R 3 --seed 1 --json --resume kept", "kept");
    resumes("posterior clinics.csv --group site --quiet --method mcmc --seed 1 --json --resume kept", "kept");
}

#[test]
fn without_memory_the_old_file_or_the_new_one_is_there() {
    let bench = prepared();
    let arguments = "learn clinics.csv --group site --quiet --threads 1 --out out";
    let [before, after] = outcomes(&bench, arguments);
    let (mut at, mut faults) = (1, 0);
    loop {
        restore(&bench, &before);
        let output = run_with_fault(&bench, arguments, "memory", at);
        if !has_fault(&output) {
            assert!(output.status.success());
            break;
        }
        faults += 1;
        let mut found = files(&bench.path(""));
        // An aborted process cannot delete its temporary file; the next run deletes it.
        found.retain(|name, _| !name.to_string_lossy().starts_with(".kinfolk-"));
        assert!(found == before || found == after, "call {at}");
        // Every one of the first, then ever fewer: an ordinary run allocates many thousand times.
        at += at / 8 + 1;
    }
    assert!(faults > 40, "{faults}");
}
