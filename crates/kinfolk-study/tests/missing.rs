//! The study of missing values, in small: it resumes, it is deterministic, and its table has every treatment.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::ops::ControlFlow;
use std::path::Path;

use kinfolk_study::figures;
use kinfolk_study::grids::Scale;
use kinfolk_study::missing::{MissingReplicate, MissingRow, MissingTable, Treatment, replicates};
use kinfolk_study::run::run;
use kinfolk_study::store::{Store, read};

/// One replicate each of 20 % at random, of absent columns and of identical data sets.
fn few() -> Vec<MissingReplicate> {
    replicates(Scale::Quick).into_iter().filter(|one| [100, 400, 1500].contains(&one.number)).collect()
}

/// Runs replicates that are not in the file yet; returns all rows without their times.
fn rows(path: &Path, wanted: &[MissingReplicate]) -> Vec<MissingRow> {
    let mut store: Store<MissingRow> = Store::open(path, "missing", 3, |_| Treatment::ALL.len()).unwrap();
    assert!(run(wanted, &mut store, 3, 2, &mut |_| ControlFlow::Continue(())).unwrap());
    store.finish().unwrap();
    read(path).unwrap().into_iter().map(|row| MissingRow { seconds: 0.0, ..row }).collect()
}

#[test]
fn a_small_study_resumes_and_compares_every_treatment() {
    let folder = tempfile::tempdir().unwrap();
    let whole = rows(&folder.path().join("whole.csv"), &few());
    assert_eq!(whole.len(), 3 * Treatment::ALL.len());
    let stopped = folder.path().join("stopped.csv");
    assert_eq!(rows(&stopped, &few()[1..2]).len(), Treatment::ALL.len());
    assert_eq!(rows(&stopped, &few()), whole);

    let table = MissingTable::of(&whole);
    assert_eq!(table.cells.len(), 3);
    for row in &whole {
        let learns_by_rounds = ["impute", "pooled-em"].contains(&row.treatment.as_str());
        let fills_in = learns_by_rounds || row.treatment == "true-model";
        assert_eq!((row.accuracy.is_some(), row.log_loss.is_some()), (fills_in, fills_in));
        assert!(row.accuracy.is_none_or(|share| (0.3..1.0).contains(&share)), "{row:?}");
        assert!((3..=16).contains(&row.rounds) == learns_by_rounds, "{row:?}");
        assert!(row.treatment != "true-model" || row.shd_cpdag == 0);
    }
    // The true model knows more than what is learned.
    let loss = |treatment: &str| -> f64 {
        whole.iter().filter(|row| row.treatment == treatment).filter_map(|row| row.log_loss).sum()
    };
    assert!(loss("true-model") < loss("impute") && loss("impute") < loss("pooled-em"));
    assert!(table.cells.iter().all(|cell| cell.attainable.is_some() && cell.above_complete.len() == 5));
    let shd = |treatment: &str| -> usize {
        whole.iter().filter(|row| row.treatment == treatment).map(|row| row.shd_cpdag).sum()
    };
    assert!(shd("complete") <= shd("impute") && shd("impute") < shd("drop-rows"));
    assert!(!table.verdicts().is_empty() && table.markdown().lines().count() == 5);
    assert!(figures::of_missing(&table).iter().all(|figure| figure.svg().contains("</svg>")));
}
