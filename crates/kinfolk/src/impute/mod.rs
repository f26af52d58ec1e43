//! Fills in the missing values of files from a network: exact draws from the posterior of a row's missing values given its
//! observed ones, or the most probable values.
//!
//! - `imputed`: the values filled in, with their probabilities;
//! - `completed`: the files with these values, cell by cell.

mod completed;
mod imputed;

use std::ops::ControlFlow;

use rayon::prelude::*;
use thiserror::Error;

pub use completed::{CompletedFile, completed};
pub use imputed::{Imputed, ImputedCell, ImputedColumn, ImputedRow};

use crate::data::{FileText, NewRow, NewRows};
use crate::estimate::{Network, Relative};
use crate::infer::{Completer, InferError, Limits, most_probable};
use crate::remedy::{Actionable, Remedy};
use crate::score::Halt;
use crate::simulate::random::{Purpose, RandomNumbers};

/// How values are chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Fill {
    /// Draws all missing values of a row from their joint posterior: for several versions and for analyses of the
    /// completed rows.
    #[default]
    Draw,
    /// Each missing value is its own most probable one, the first in case of ties: most often correct, but without the
    /// variation of the true values.
    MostProbable,
}

/// Options of [`impute`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImputeOptions {
    /// The number of versions, at least 1.
    pub versions: usize,
    /// How values are chosen.
    pub fill: Fill,
    /// The seed of the draws. A row's values depend on the seed, the version, the position of its file and its position
    /// in it.
    pub seed: u64,
    /// The tables for all rows; `None` uses those of each row's data set, or those of a new data set if the network does not have it.
    pub relative: Option<Relative>,
    /// The limit on table sizes.
    pub limits: Limits,
}

impl Default for ImputeOptions {
    fn default() -> Self {
        Self { versions: 1, fill: Fill::default(), seed: 0, relative: None, limits: Limits::default() }
    }
}

/// Why values could not be filled in.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ImputeError {
    /// Inference failed.
    #[error(transparent)]
    Infer(#[from] InferError),
    /// The observer ended the work.
    #[error("the imputation was stopped before all rows were complete")]
    Halted(Halt),
}

impl Actionable for ImputeError {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::Infer(error) => error.remedies(),
            Self::Halted(_) => Vec::new(),
        }
    }
}

/// Rows between two calls of the observer.
const CHUNK: usize = 4096;

/// Fills in the missing values of all rows. A row stays incomplete only if its observed values have probability zero.
/// `observe` gets the number of finished rows and of all rows, and may stop the work. The result does not depend on the
/// number of threads.
///
/// Cost: one elimination per row with missing values, and one elimination order per pattern of missing values and relative.
///
/// # Panics
/// If `versions` is zero.
pub fn impute(
    network: &Network,
    rows: &NewRows,
    options: &ImputeOptions,
    observe: &mut dyn FnMut(usize, usize) -> ControlFlow<Halt>,
) -> Result<Imputed, ImputeError> {
    assert!(options.versions > 0, "at least one version");
    let of = rows.files().map(FileText::rows).sum();
    let mut completers: Vec<(Relative, Completer<'_>)> = Vec::new();
    let mut all = Imputed::new(options.versions, rows);
    let positions =
        rows.files().enumerate().flat_map(|(file, text)| (0..text.rows()).map(move |row| (file, row)));
    let mut pending = rows.iter().zip(positions);
    loop {
        if let ControlFlow::Break(halt) = observe(all.rows.len(), of) {
            return Err(ImputeError::Halted(halt));
        }
        let chunk: Vec<(NewRow, (usize, usize))> = pending.by_ref().take(CHUNK).collect();
        if chunk.is_empty() {
            return Ok(all.summarised(network));
        }
        let mut places = Vec::with_capacity(chunk.len());
        for (row, _) in &chunk {
            let own = Relative::of(row.known);
            let relative = options.relative.unwrap_or(own);
            let at = completers.iter().position(|(other, _)| *other == relative).unwrap_or_else(|| {
                completers.push((relative, Completer::new(network, relative).with_limits(options.limits)));
                completers.len() - 1
            });
            if row.values.contains(&None) {
                completers[at].1.prepare(&row.values)?;
            }
            places.push(at);
        }
        let one = |((row, position), at): ((NewRow, (usize, usize)), usize)| {
            let (relative, completer) = &completers[at];
            complete(completer, *relative, row, position, options)
        };
        let done: Result<Vec<ImputedRow>, InferError> = chunk.into_par_iter().zip(places).map(one).collect();
        all.rows.extend(done?);
    }
}

fn complete(
    completer: &Completer<'_>,
    relative: Relative,
    row: NewRow,
    (file, place): (usize, usize),
    options: &ImputeOptions,
) -> Result<ImputedRow, InferError> {
    let NewRow { file: name, row: number, data_set, known, values, .. } = row;
    let mut found = ImputedRow {
        file: name,
        row: number,
        data_set,
        unknown: known.is_none() && options.relative.is_none(),
        tables: relative,
        cells: Vec::new(),
        impossible: false,
    };
    if !values.contains(&None) {
        return Ok(found);
    }
    let completion = match completer.completion(&values) {
        Err(InferError::Impossible { .. }) => {
            found.impossible = true;
            return Ok(found);
        }
        completion => completion?,
    };
    let missing = completion.missing().to_vec();
    let draws: Vec<Vec<u32>> = match options.fill {
        Fill::MostProbable => Vec::new(),
        Fill::Draw => (0..options.versions)
            .map(|version| {
                let mut numbers =
                    RandomNumbers::of(options.seed, version as u64, Purpose::Imputed, file, place);
                completion.draw(&mut || numbers.unit())
            })
            .collect(),
    };
    for (variable, probabilities) in missing.into_iter().zip(completion.posteriors()) {
        let values = match options.fill {
            Fill::Draw => draws.iter().map(|row| row[variable.index()]).collect(),
            Fill::MostProbable => {
                let state = u32::try_from(most_probable(&probabilities)).expect("states have 32 bits");
                vec![state; options.versions]
            }
        };
        found.cells.push(ImputedCell { variable, values, probabilities });
    }
    Ok(found)
}
