//! All experiments by name: runs them into a folder and derives verdicts, tables and figures from the results.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::calibration::{self, CalibrationRow, CalibrationTable};
use crate::complexity::{self, ComplexityRow};
use crate::grids::{Scale, Study};
use crate::kin_table::KinTable;
use crate::missing::{MissingRow, MissingTable, Treatment};
use crate::rows::ReplicateRow;
use crate::run::{RunError, StudyProgress, run};
use crate::searching::{self, SearchingRow, SearchingTable};
use crate::store::{FolderLock, Store, StoreError, check_columns, read, write_file, write_whole};
use crate::verdict::{ClaimVerdict, verdicts};
use crate::{example, figures, missing, sensitivity, verdict_small};

/// The experiments that can be reproduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Experiment {
    /// The numerical example.
    Example,
    /// The example with other hyperparameters.
    Sensitivity,
    /// The time to compute one score.
    Complexity,
    /// Missing values: every treatment on simulated data with removed cells.
    Missing,
    /// Searches: every search on simulated data, by several scores.
    Searching,
    /// Calibration: stated probabilities of edges against the true networks.
    Calibration,
    /// A grid of simulated problems.
    Study(Study),
}

/// Settings of a run.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The scale.
    pub scale: Scale,
    /// The seed of all random numbers.
    pub seed: u64,
    /// Threads for studies; times are always measured on one core.
    pub threads: usize,
}

/// The state of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExperimentOutcome {
    /// The number of requested replicates.
    pub replicates: usize,
    /// The number of finished replicates.
    pub finished: usize,
    /// Whether all are finished.
    pub complete: bool,
}

/// The results file of a folder.
pub fn results(folder: &Path) -> PathBuf {
    folder.join("results.csv")
}

impl Experiment {
    /// All experiments, in the order of the paper.
    pub const ALL: [Self; 11] = [
        Self::Example,
        Self::Sensitivity,
        Self::Complexity,
        Self::Study(Study::One),
        Self::Study(Study::Two),
        Self::Study(Study::Three),
        Self::Study(Study::Four),
        Self::Study(Study::Kin),
        Self::Missing,
        Self::Searching,
        Self::Calibration,
    ];

    /// Its name in commands, folders and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Example => "example",
            Self::Sensitivity => "sensitivity",
            Self::Complexity => "complexity",
            Self::Missing => "missing",
            Self::Searching => "searching",
            Self::Calibration => "calibration",
            Self::Study(study) => study.name(),
        }
    }

    /// Runs the replicates that are not in the folder yet; creates the folder if necessary. The observer is called
    /// after every replicate and may request a stop; the same call continues later.
    pub fn run(
        self,
        folder: &Path,
        settings: Settings,
        observe: &mut dyn FnMut(StudyProgress) -> ControlFlow<()>,
    ) -> Result<ExperimentOutcome, RunError> {
        fs::create_dir_all(folder).map_err(|reason| file(folder, reason))?;
        let _lock = FolderLock::take(folder)?;
        let results = results(folder);
        let Settings { scale, seed, threads } = settings;
        match self {
            Self::Example => return at_once(&results, &example::rows(scale, seed)),
            Self::Sensitivity => return at_once(&results, &sensitivity::rows()),
            Self::Complexity => {
                let replicates = complexity::replicates(scale, seed);
                let mut store: Store<ComplexityRow> = Store::open(&results, self.name(), seed, |_| 1)?;
                if complexity::run(&replicates, &mut store, observe)? {
                    store.finish()?;
                }
            }
            Self::Missing => {
                let methods = |_| Treatment::ALL.len();
                let mut store: Store<MissingRow> = Store::open(&results, self.name(), seed, methods)?;
                if run(&missing::replicates(scale), &mut store, seed, threads, observe)? {
                    store.finish()?;
                }
            }
            Self::Searching => {
                let all = searching::replicates(Scale::Paper);
                let methods = results_of(all.iter().map(|one| (one.number, one.results())));
                let mut store: Store<SearchingRow> = Store::open(&results, self.name(), seed, methods)?;
                if run(&searching::replicates(scale), &mut store, seed, threads, observe)? {
                    store.finish()?;
                }
            }
            Self::Calibration => {
                let all = calibration::replicates(Scale::Paper);
                let methods = results_of(all.iter().map(|one| (one.number, one.results())));
                let mut store: Store<CalibrationRow> = Store::open(&results, self.name(), seed, methods)?;
                if run(&calibration::replicates(scale), &mut store, seed, threads, observe)? {
                    store.finish()?;
                }
            }
            Self::Study(study) => {
                let replicates = study.replicates(scale);
                let mut store = open(&results, study, seed)?;
                if run(&replicates, &mut store, seed, threads, observe)? {
                    store.finish()?;
                }
            }
        }
        // Counted on disk: a program that ignores the lock may have removed rows.
        self.kept(folder, scale, seed)
    }

    /// The replicates that the folder holds; changes nothing.
    pub fn kept(self, folder: &Path, scale: Scale, seed: u64) -> Result<ExperimentOutcome, RunError> {
        let path = results(folder);
        let (replicates, finished) = match self {
            Self::Example | Self::Sensitivity => {
                let rows: Vec<BTreeMap<String, String>> = read(&path)?;
                (rows.len(), rows.len())
            }
            Self::Complexity => {
                let rows: Vec<ComplexityRow> = read(&path)?;
                let done: BTreeSet<u64> = rows.iter().map(|row| row.replicate).collect();
                let wanted = complexity::replicates(scale, seed);
                (wanted.len(), wanted.iter().filter(|row| done.contains(&row.replicate)).count())
            }
            Self::Missing => {
                let rows: Vec<MissingRow> = read(&path)?;
                let done: BTreeSet<u64> = rows.iter().map(|row| row.replicate).collect();
                let wanted = missing::replicates(scale);
                (wanted.len(), wanted.iter().filter(|one| done.contains(&one.number)).count())
            }
            Self::Searching => {
                let rows: Vec<SearchingRow> = read(&path)?;
                let done: BTreeSet<u64> = rows.iter().map(|row| row.replicate).collect();
                let wanted = searching::replicates(scale);
                (wanted.len(), wanted.iter().filter(|one| done.contains(&one.number)).count())
            }
            Self::Calibration => {
                let rows: Vec<CalibrationRow> = read(&path)?;
                let done: BTreeSet<u64> = rows.iter().map(|row| row.replicate).collect();
                let wanted = calibration::replicates(scale);
                (wanted.len(), wanted.iter().filter(|one| done.contains(&one.number)).count())
            }
            Self::Study(study) => {
                let mut done: BTreeMap<u64, usize> = BTreeMap::new();
                let rows: Vec<ReplicateRow> = read(&path)?;
                rows.iter().for_each(|row| *done.entry(row.replicate).or_default() += 1);
                let wanted = study.replicates(scale);
                let whole = wanted.iter().filter(|one| done.get(&one.number) == Some(&one.methods.len()));
                (wanted.len(), whole.count())
            }
        };
        Ok(ExperimentOutcome { replicates, finished, complete: finished == replicates })
    }

    /// Recomputes verdicts, tables and figures from the results in the folder.
    pub fn conclude(self, folder: &Path) -> Result<Vec<ClaimVerdict>, RunError> {
        let path = results(folder);
        let (verdicts, figures) = match self {
            Self::Example => {
                let rows: Vec<example::ExampleRow> = read(&path)?;
                (verdict_small::example(&rows), figures::of_example(&rows))
            }
            Self::Sensitivity => {
                let rows: Vec<sensitivity::SensitivityRow> = read(&path)?;
                (verdict_small::sensitivity(&rows), figures::of_sensitivity(&rows))
            }
            Self::Complexity => {
                let rows: Vec<ComplexityRow> = read(&path)?;
                (verdict_small::complexity(&rows), figures::of_complexity(&rows))
            }
            Self::Missing => {
                let table = MissingTable::of(&read::<MissingRow>(&path)?);
                write(&folder.join("table.md"), &table.markdown())?;
                write(&folder.join("table.json"), &json(&table))?;
                (table.verdicts(), figures::of_missing(&table))
            }
            Self::Searching => {
                let table = SearchingTable::of(&read::<SearchingRow>(&path)?);
                write(&folder.join("table.md"), &table.markdown())?;
                write(&folder.join("table.json"), &json(&table))?;
                (table.verdicts(), Vec::new())
            }
            Self::Calibration => {
                let table = CalibrationTable::of(&read::<CalibrationRow>(&path)?);
                write(&folder.join("table.md"), &table.markdown())?;
                write(&folder.join("table.json"), &json(&table))?;
                (table.verdicts(), figures::of_calibration(&table))
            }
            Self::Study(study) => {
                let rows: Vec<ReplicateRow> = read(&path)?;
                let figures = figures::of_study(study.name(), &rows);
                if study == Study::Kin {
                    let table = KinTable::of(&rows);
                    write(&folder.join("table.md"), &table.markdown())?;
                    write(&folder.join("table.json"), &json(&table))?;
                    (table.verdicts(), figures)
                } else {
                    (verdicts(study.name(), &rows), figures)
                }
            }
        };
        let folder_of_figures = folder.join("figures");
        figures::write(&folder_of_figures, &figures).map_err(|reason| file(&folder_of_figures, reason))?;
        write(&folder.join("verdict.json"), &json(&verdicts))?;
        Ok(verdicts)
    }
}

fn file(path: &Path, reason: io::Error) -> RunError {
    StoreError::File { file: path.to_owned(), reason }.into()
}

fn write(path: &Path, text: &str) -> Result<(), RunError> {
    Ok(write_file(path, text)?)
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).expect("plain structs become JSON") + "\n"
}

/// Writes results that take no time to compute, and counts them on disk.
fn at_once<T: serde::Serialize + Default>(path: &Path, rows: &[T]) -> Result<ExperimentOutcome, RunError> {
    check_columns::<T>(path)?;
    write_whole(path, rows)?;
    let written: Vec<BTreeMap<String, String>> = read(path)?;
    let (replicates, finished) = (rows.len(), written.len());
    Ok(ExperimentOutcome { replicates, finished, complete: finished == replicates })
}

/// The quick scale is a subset of the full one: either continues the other, and finished results are kept.
fn open(results: &Path, study: Study, seed: u64) -> Result<Store, StoreError> {
    let all = study.replicates(Scale::Paper);
    let methods = results_of(all.iter().map(|replicate| (replicate.number, replicate.methods.len())));
    Store::open(results, study.name(), seed, methods)
}

/// The number of rows of every replicate, by its number; a replicate that the study does not have is never complete.
fn results_of(replicates: impl Iterator<Item = (u64, usize)>) -> impl Fn(u64) -> usize {
    let results: BTreeMap<u64, usize> = replicates.collect();
    move |number| results.get(&number).copied().unwrap_or(usize::MAX)
}
