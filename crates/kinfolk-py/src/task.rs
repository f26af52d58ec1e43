//! The common preparation of all calls that learn structures: data, score, search, recorded settings.

use std::ops::ControlFlow;
use std::sync::Arc;

use kinfolk::counts::MemoryTally;
use kinfolk::data::{Reading, RelatedData, Schema};
use kinfolk::missing::FillIn;
use kinfolk::score::{Halt, Score, ScoreSpec};
use kinfolk::search::{Event, ExactEvent, Search};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::data::Data;
use crate::error;
use crate::settings::{ChosenSearch, ScoreSettings, SearchSettings, build_score};
use crate::values;
use crate::work::{Watch, WorkSettings};

/// Bytes in a megabyte, the unit of memory limits.
const MEGABYTE: usize = 1_000_000;

/// Limits of the computation and the progress callback, as given.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ComputeSettings<'py> {
    pub(crate) memory: usize,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
}

impl<'py> ComputeSettings<'py> {
    /// The memory limit of counting one family, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.memory.saturating_mul(MEGABYTE)
    }

    /// The settings of work without a time limit.
    pub(crate) fn terms(self) -> WorkSettings<'py> {
        WorkSettings { threads: self.threads, time_limit: None, progress: self.progress }
    }

    /// The settings of a search.
    pub(crate) fn terms_of(self, search: &SearchSettings) -> PyResult<WorkSettings<'py>> {
        Ok(WorkSettings { time_limit: search.time_limit()?, ..self.terms() })
    }
}

/// A search that is ready to run.
pub(crate) struct Task {
    pub(crate) reading: Arc<Reading>,
    pub(crate) score: Box<dyn Score>,
    pub(crate) search: Search,
    /// The settings to record.
    pub(crate) settings: Map<String, Value>,
}

impl Task {
    /// Validates everything.
    pub(crate) fn new(
        data: &Data,
        score: &ScoreSettings,
        search: &SearchSettings,
        machine: &ComputeSettings<'_>,
    ) -> PyResult<Self> {
        let reading = Arc::clone(&data.reading);
        let schema = reading.data.schema();
        let spec = score.spec()?;
        spec.check().map_err(error::settings)?;
        let built = build_score(&spec, schema.data_sets().len())?;
        let ChosenSearch { search, settings: search_record } = search.choose(schema)?;
        let mut settings = built.record();
        settings.extend(search_record);
        settings.extend(data.record(machine));
        Ok(Self { reading, score: built.score, search, settings })
    }
}

/// The version, as recorded in results.
pub(crate) fn version() -> Map<String, Value> {
    Map::from_iter([("version".to_owned(), json!(env!("CARGO_PKG_VERSION")))])
}

/// The tally that a score needs: by data set, or pooled.
pub(crate) fn tally<'a>(data: &'a RelatedData, score: &dyn Score, bytes: usize) -> MemoryTally<'a> {
    let tally = MemoryTally::by_data_set_or_pooled(data, score.is_pooled());
    tally.with_memory(bytes)
}

/// How missing values are filled in for a given structure, by the tables of a score.
pub(crate) fn fill_in(
    spec: &ScoreSpec,
    score: &dyn Score,
    seed: u64,
    (schema, bytes): (&Schema, usize),
) -> PyResult<FillIn> {
    FillIn::for_score(spec, score, schema.data_sets().len(), seed, Some(bytes)).map_err(error::settings)
}

/// Records the progress of a search.
pub(crate) fn note(watch: &Watch, event: &Event<'_>) -> ControlFlow<Halt> {
    watch.note(|progress| match event {
        Event::Scoring(scoring)
        | Event::Exact(ExactEvent::Scoring(scoring) | ExactEvent::Subsets(scoring)) => {
            (progress.done, progress.of) = (scoring.done, scoring.of);
        }
        Event::Stepped { steps, score, .. } => (progress.moves, progress.score) = (*steps, Some(*score)),
        Event::Improved { score } => progress.score = Some(*score),
        Event::Restarted { .. } | Event::Round { .. } => {}
    })
}

/// A result with its settings, as in the JSON of the command line.
pub(crate) fn document<'py, const MORE: usize>(
    py: Python<'py>,
    result: &impl Serialize,
    more: [(&str, Value); MORE],
) -> PyResult<Bound<'py, PyDict>> {
    let Value::Object(mut document) = json!(result) else { unreachable!("a result is an object") };
    document.extend(more.into_iter().map(|(key, value)| (key.to_owned(), value)));
    values::dict(py, &document)
}
