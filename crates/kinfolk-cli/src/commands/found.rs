//! Learns or scores the network that `learn` and `report` show, and estimates its tables.

use std::time::Duration;

use kinfolk::counts::MemoryTally;
use kinfolk::data::{Description, Reading, RelatedData};
use kinfolk::estimate::{EstimateError, Method, Network, TableSpec, estimate};
use kinfolk::graph::Dag;
use kinfolk::learned::{ArcGain, Document, Learned, learn};
use kinfolk::missing::{LearnIncomplete, LearnedIncomplete};
use kinfolk::remedy::Actionable;
use kinfolk::review::{Review, Warning, described};
use kinfolk::score::{BuiltScore, Score, Scorer, Work};
use kinfolk::search::{Search, Stop};
use serde_json::{Map, Value, json};

use crate::args::{CommonArgs, DataArgs, LearnMethod, ScoreArgs, SearchArgs};
use crate::failure::Failure;
use crate::interrupt;
use crate::output;
use crate::progress::Watcher;
use crate::timing::Stopwatch;
use crate::wording::Flags;

/// The inputs and options of learning.
pub(crate) struct LearnInputs<'a> {
    pub(crate) data: &'a DataArgs,
    pub(crate) score: &'a ScoreArgs,
    pub(crate) search: &'a SearchArgs,
    pub(crate) method: Option<LearnMethod>,
}

impl LearnInputs<'_> {
    /// The score for this many data sets.
    pub(crate) fn score(&self, data_sets: usize) -> Result<BuiltScore, Failure> {
        self.score.choose(data_sets)
    }

    /// The method of estimating tables; `None` if tables are not wanted.
    fn tables(&self, data_sets: usize) -> Result<Option<ChosenMethod>, Failure> {
        let method = match self.method {
            Some(LearnMethod::None) => return Ok(None),
            Some(LearnMethod::Tables(method)) => Some(method),
            None => None,
        };
        let tables = self.score.recorded.tables_beside(&self.score.asked(), method)?;
        Ok(Some(tables.build(data_sets)?))
    }
}

/// A method of estimation with its settings.
type ChosenMethod = (Method, Map<String, Value>);

/// A network and its data.
pub(crate) struct Found {
    pub(crate) data: RelatedData,
    pub(crate) dag: Dag,
    /// Why the search ended; `None` if there was no search.
    pub(crate) stop: Option<Stop>,
    /// The remaining time of the time limit.
    pub(crate) time_left: Option<Duration>,
}

/// The result of a search.
pub(crate) struct Searched {
    pub(crate) found: Found,
    pub(crate) description: Description,
    pub(crate) learned: Learned,
    /// The tables, if any.
    pub(crate) network: Option<Network>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) work: Work,
}

/// Runs the search and estimates the tables.
pub(crate) fn find(
    how: &LearnInputs<'_>,
    reading: Reading,
    common: &CommonArgs,
    watch: &mut Stopwatch,
) -> Result<Searched, Failure> {
    let schema = reading.data.schema();
    let score = how.score(schema.data_sets().len())?;
    let search = how.search.choose(schema)?;
    let (mut settings, method) = settings(how, &score, search.settings, schema.data_sets().len())?;
    let chosen = method.as_ref().map_or_else(|| json!({"method": "none"}), |(_, settings)| json!(settings));
    settings.insert("tables".to_owned(), chosen);
    let tally = super::tally_for(&reading.data, score.score.as_ref(), how.data);
    watch.lap("prepare");
    if !reading.data.is_complete() {
        drop(tally);
        return find_incomplete(
            how,
            reading,
            (score, search.search, search.time_limit, settings, method),
            common,
            watch,
        );
    }
    let mut scorer = Scorer::new(&tally, score.score.as_ref());
    if let Some(most) = how.search.keep_scores {
        scorer = scorer.keep_at_most(most);
    }
    interrupt::listen();
    let mut watcher = Watcher::new(search.time_limit, common.quiet);
    let learned = learn(&mut scorer, &search.search, settings, &mut |event| watcher.note(event));
    let (time_left, curve) = (watcher.time_left(), watcher.curve());
    drop(watcher);
    let mut learned = learned?;
    learned.search.curve = curve.points_of(search.search.method);
    let work = scorer.work();
    // Scores and bitmaps are no longer needed, and tables take memory too.
    drop(scorer);
    drop(tally);
    watch.lap("search");
    let dag = learned.dag.clone();
    let network = method.and_then(|(method, _)| tables(&dag, &reading.data, method, how.data));
    watch.lap("tables");
    let Reading { data, description } = reading;
    let found = Found { data, dag, stop: Some(learned.stop), time_left };
    let warnings =
        warnings(&found, &learned.arcs, score.score.as_ref(), (network.as_ref(), how.data), common)?;
    Ok(Searched { found, description, learned, network, warnings, work })
}

/// A prepared search: the score, the search, its time limit, the settings to record, and the method of tables.
type SearchParts = (BuiltScore, Search, Option<Duration>, Map<String, Value>, Option<ChosenMethod>);

/// Searches and estimates with missing values filled in, or by available-case scores without tables.
fn find_incomplete(
    how: &LearnInputs<'_>,
    reading: Reading,
    (score, search, time_limit, settings, method): SearchParts,
    common: &CommonArgs,
    watch: &mut Stopwatch,
) -> Result<Searched, Failure> {
    let data_sets = reading.data.schema().data_sets().len();
    let learn = LearnIncomplete {
        score: score.score.as_ref(),
        tables: TableSpec::after_search(&how.score.spec()?, None).build(data_sets)?.0,
        search: &search,
        treatment: how.data.options()?.missing,
        seed: search.climb.seed,
        memory: Some(how.data.memory_bytes()),
    };
    interrupt::listen();
    let mut watcher = Watcher::new(time_limit, common.quiet);
    let found = learn.run(&reading.data, settings, &mut |event| watcher.note(event));
    let time_left = watcher.time_left();
    drop(watcher);
    let LearnedIncomplete { learned, completed, work } = found?;
    watch.lap("search");
    let dag = learned.dag.clone();
    let network = method.zip(completed).and_then(|((method, _), completed)| {
        noted(completed.tables(&dag, &method, Some(how.data.memory_bytes())))
    });
    watch.lap("tables");
    let Reading { data, description } = reading;
    let found = Found { data, dag, stop: Some(learned.stop), time_left };
    let warnings =
        warnings(&found, &learned.arcs, score.score.as_ref(), (network.as_ref(), how.data), common)?;
    Ok(Searched { found, description, learned, network, warnings, work })
}

/// Scores a given structure and estimates its tables, unless it comes with its own tables and their settings. Also
/// returns the result as JSON.
pub(crate) fn score_given(
    how: &LearnInputs<'_>,
    reading: Reading,
    dag: Dag,
    own: Option<(Network, Value)>,
    common: &CommonArgs,
) -> Result<(Found, Description, Document), Failure> {
    let schema = reading.data.schema();
    let score = how.score(schema.data_sets().len())?;
    let search = how.search.choose(schema)?;
    let (mut settings, method) = settings(how, &score, search.settings, schema.data_sets().len())?;
    let seed = search.search.climb.seed;
    let fill_in = super::fill_in(how.score, score.score.as_ref(), seed, (how.data, &reading.data))?;
    let prepared = fill_in.prepare(&reading.data, &dag)?;
    let (network, made) = match (own, method) {
        (Some((network, made)), _) => (Some(network), made),
        (None, Some((method, made))) => (noted(prepared.tables(&dag, &method)), json!(made)),
        (None, None) => (None, json!({"method": "none"})),
    };
    settings.insert("tables".to_owned(), made);
    interrupt::listen();
    let judged = prepared.judge(score.score.as_ref(), &dag, settings)?;
    drop(prepared);
    let Reading { data, description } = reading;
    let found = Found { data, dag, stop: None, time_left: search.time_limit };
    let warnings =
        warnings(&found, &judged.arcs, score.score.as_ref(), (network.as_ref(), how.data), common)?;
    let mut document = judged.into_document(network);
    insert_warnings(&mut document, &warnings);
    Ok((found, description, document))
}

/// Prints warnings about a network and its data, and returns them.
fn warnings(
    found: &Found,
    arcs: &[ArcGain],
    score: &dyn Score,
    (network, args): (Option<&Network>, &DataArgs),
    common: &CommonArgs,
) -> Result<Vec<Warning>, Failure> {
    let memory = Some(args.memory_bytes());
    let warnings = Review { data: &found.data, dag: &found.dag, arcs, score, network, memory }.warnings()?;
    if !common.quiet {
        for warning in &warnings {
            output::note(&format!("warning: {}", warning.message(&Flags)));
        }
    }
    Ok(warnings)
}

/// Adds warnings to a result as JSON, if there are any.
pub(crate) fn insert_warnings(document: &mut Document, warnings: &[Warning]) {
    if !warnings.is_empty() {
        document.insert("warnings", json!(described(warnings)));
    }
}

/// The settings to record, and the method of tables.
type SettingsAndMethod = (Map<String, Value>, Option<ChosenMethod>);

fn settings(
    how: &LearnInputs<'_>,
    score: &BuiltScore,
    search: Map<String, Value>,
    data_sets: usize,
) -> Result<SettingsAndMethod, Failure> {
    let mut settings = score.record();
    settings.extend(search);
    settings.extend(how.data.settings()?);
    Ok((settings, how.tables(data_sets)?))
}

/// Estimates the tables. If they are too large, the structure is still a result: a warning states the reason.
fn tables(dag: &Dag, data: &RelatedData, method: Method, args: &DataArgs) -> Option<Network> {
    let tally = MemoryTally::new(data).with_memory(args.memory_bytes());
    noted(estimate(&tally, dag, method))
}

/// The tables, or a warning that states why there are none.
fn noted(tables: Result<Network, EstimateError>) -> Option<Network> {
    match tables {
        Ok(network) => Some(network),
        Err(error) => {
            output::note(&format!("warning: the result has no tables: {}", error.message(&Flags)));
            None
        }
    }
}
