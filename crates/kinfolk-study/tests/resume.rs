//! A study resumes where it stopped, without losing or repeating a replicate, wherever its file was cut.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use kinfolk_study::experiment::{Experiment, Settings, results};
use kinfolk_study::grids::{Scale, Study};
use kinfolk_study::replicate::Replicate;
use kinfolk_study::rows::ReplicateRow;
use kinfolk_study::run::run;
use kinfolk_study::store::{Store, StoreError, read, write_whole};

/// Thirty small problems.
fn replicates() -> Vec<Replicate> {
    let all = Study::One.replicates(Scale::Quick);
    all.into_iter()
        .filter(|replicate| replicate.rows <= 100 && replicate.design.nodes == 5)
        .take(30)
        .collect()
}

fn open(path: &Path, replicates: &[Replicate]) -> Store {
    let methods = |number: u64| {
        replicates.iter().find(|replicate| replicate.number == number).map_or(0, |found| found.methods.len())
    };
    Store::open(path, "study1", 7, methods).unwrap()
}

/// Runs until this many replicates are finished.
fn run_until(path: &Path, replicates: &[Replicate], most: usize) -> bool {
    let mut store = open(path, replicates);
    let done = run(replicates, &mut store, 7, 2, &mut |progress| {
        if progress.done >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let done = done.unwrap();
    if done {
        store.finish().unwrap();
    }
    done
}

/// Rows without times.
fn timeless(path: &Path) -> Vec<ReplicateRow> {
    read(path).unwrap().into_iter().map(|row| ReplicateRow { seconds: 0.0, ..row }).collect()
}

#[test]
fn interrupted_and_damaged_runs_end_with_the_same_rows_as_an_uninterrupted_one() {
    let folder = tempfile::tempdir().unwrap();
    let replicates = replicates();
    let whole = folder.path().join("whole.csv");
    assert!(run_until(&whole, &replicates, usize::MAX));
    let expected: usize = replicates.iter().map(|replicate| replicate.methods.len()).sum();
    assert_eq!(timeless(&whole).len(), expected);

    let stopped = folder.path().join("stopped.csv");
    assert!(!run_until(&stopped, &replicates, 5));
    assert!(!run_until(&stopped, &replicates, 12));
    // As if killed in the middle of a line, and then between the methods of a replicate.
    let text = fs::read_to_string(&stopped).unwrap();
    fs::write(&stopped, &text[..text.len() - 20]).unwrap();
    assert!(!run_until(&stopped, &replicates, 20));
    let text = fs::read_to_string(&stopped).unwrap();
    let last_line = text.trim_end().rfind('\n').unwrap() + 1;
    fs::write(&stopped, &text[..last_line]).unwrap();
    assert!(run_until(&stopped, &replicates, usize::MAX));
    assert_eq!(timeless(&stopped), timeless(&whole));
    // A finished study has nothing left to do.
    let before = fs::read(&stopped).unwrap();
    assert!(run_until(&stopped, &replicates, usize::MAX));
    assert_eq!(fs::read(&stopped).unwrap(), before);
}

#[test]
fn results_of_other_settings_and_other_files_are_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let replicates = replicates();
    let path = folder.path().join("results.csv");
    run_until(&path, &replicates, 2);
    let before = fs::read(&path).unwrap();
    assert!(matches!(
        Store::<ReplicateRow>::open(&path, "study1", 8, |_| 5),
        Err(StoreError::Other { seed: 7, .. })
    ));
    assert!(matches!(Store::<ReplicateRow>::open(&path, "study2", 7, |_| 5), Err(StoreError::Other { .. })));
    assert_eq!(fs::read(&path).unwrap(), before);
    fs::write(&path, "name,age\nx,3\n").unwrap();
    assert!(matches!(Store::<ReplicateRow>::open(&path, "study1", 7, |_| 5), Err(StoreError::Row { .. })));
    assert_eq!(fs::read_to_string(&path).unwrap(), "name,age\nx,3\n");
}

#[test]
fn rows_removed_from_disk_are_not_counted_as_complete() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { scale: Scale::Quick, seed: 7, threads: 2 };
    let four = Experiment::Study(Study::Four);
    let path = results(folder.path());
    let mut removed = false;
    let outcome = four.run(folder.path(), settings, &mut |progress| {
        if progress.done == progress.of && !removed {
            // A program that ignores the lock replaces the file by one with only the first rows.
            let rows: Vec<ReplicateRow> = read(&path).unwrap();
            write_whole(&path, &rows[..rows.len() / 2]).unwrap();
            removed = true;
        }
        ControlFlow::Continue(())
    });
    let outcome = outcome.unwrap();
    assert!(removed && !outcome.complete && outcome.finished < outcome.replicates, "{outcome:?}");
    let again = four.run(folder.path(), settings, &mut |_| ControlFlow::Continue(())).unwrap();
    assert!(again.complete && again.finished == again.replicates, "{again:?}");
}
