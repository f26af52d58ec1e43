//! The search that `learn` and `report` share: data and options in, the network with its tables out.

use std::time::Duration;

use kinfolk::counts::MemoryTally;
use kinfolk::data::{Reading, RelatedData};
use kinfolk::estimate::{Method, Network, estimate};
use kinfolk::graph::modelstring;
use kinfolk::learned::{Learned, learn};
use kinfolk::score::{Scorer, Work};
use serde_json::{Map, Value, json};

use crate::args::{CommonArgs, DataArgs, LearnMethod, ScoreArgs, SearchArgs};
use crate::failure::Failure;
use crate::interrupt;
use crate::output;
use crate::progress::Watcher;
use crate::timing::Stopwatch;

/// What is to be learned from, and how.
pub(crate) struct How<'a> {
    pub(crate) data: &'a DataArgs,
    pub(crate) score: &'a ScoreArgs,
    pub(crate) search: &'a SearchArgs,
    pub(crate) method: Option<LearnMethod>,
}

/// What came of it.
pub(crate) struct Found {
    pub(crate) reading: Reading,
    pub(crate) learned: Learned,
    /// The result as JSON, with the tables if there are any.
    pub(crate) result: Map<String, Value>,
    pub(crate) work: Work,
    /// How much of the time limit is left for what is still to be done.
    pub(crate) time_left: Option<Duration>,
}

/// Reads, searches and estimates.
pub(crate) fn find(how: &How<'_>, common: &CommonArgs, watch: &mut Stopwatch) -> Result<Found, Failure> {
    let reading = super::read_data_timed(how.data, common, watch)?;
    let schema = reading.data.schema();
    let score = how.score.choose(schema.data_sets().len())?;
    let search = how.search.choose(schema)?;
    let mut settings = Map::from_iter([
        ("version".to_owned(), json!(env!("CARGO_PKG_VERSION"))),
        ("score_name".to_owned(), json!(score.score.name())),
    ]);
    settings.extend(score.settings);
    settings.extend(search.settings);
    settings.extend(how.data.settings());
    let method = LearnMethod::choose(how.method, how.score, schema.data_sets().len())?;
    let chosen = method.as_ref().map_or_else(|| json!({"method": "none"}), |(_, settings)| json!(settings));
    settings.insert("tables".to_owned(), chosen);
    let tally = super::tally_for(&reading.data, score.score.as_ref(), how.data);
    watch.lap("prepare");
    let mut scorer = Scorer::new(&tally, score.score.as_ref());
    if let Some(most) = how.search.keep_scores {
        scorer = scorer.keep_at_most(most);
    }
    interrupt::listen();
    let mut watcher = Watcher::new(search.time_limit, common.quiet);
    let learned = learn(&mut scorer, &search.climb, search.start, settings, &mut |event| watcher.note(event));
    let time_left = watcher.time_left();
    drop(watcher);
    let learned = learned?;
    let work = scorer.work();
    watch.lap("search");
    let network = method.and_then(|(method, _)| tables(&learned, &reading.data, method, how.data));
    watch.lap("tables");
    let result = network.map_or_else(|| learned.document(), |network| learned.with_tables(network));
    Ok(Found { reading, learned, result, work, time_left })
}

/// The network's tables. A structure that is too wide for them is still a result: then it is said why there are none.
fn tables(learned: &Learned, data: &RelatedData, method: Method, args: &DataArgs) -> Option<Network> {
    let tally = MemoryTally::new(data).with_memory(args.memory_bytes());
    let dag = modelstring::parse(&learned.structure, &data.schema().names());
    let dag = dag.expect("a structure just written can be read");
    match estimate(&tally, &dag, method) {
        Ok(network) => Some(network),
        Err(error) => {
            output::note(&format!("warning: the result has no tables: {error}"));
            None
        }
    }
}
