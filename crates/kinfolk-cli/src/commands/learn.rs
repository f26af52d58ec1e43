//! `kinfolk learn`: the structure that the data sets share.

use kinfolk::counts::MemoryTally;
use kinfolk::data::{Description, RelatedData};
use kinfolk::estimate::{Method, Network, estimate};
use kinfolk::graph::modelstring;
use kinfolk::learned::{Learned, learn};
use kinfolk::score::Scorer;
use kinfolk::search::Stop;
use serde_json::{Map, json};

use crate::args::{CommonArgs, LearnArgs, LearnMethod};
use crate::failure::Failure;
use crate::interrupt;
use crate::out_file::OutFile;
use crate::output;
use crate::progress::Watcher;
use crate::timing::{self, Stopwatch};

pub(crate) fn run(args: &LearnArgs, common: &CommonArgs) -> Result<(), Failure> {
    args.score.check()?;
    args.search.check()?;
    let out = args.out.as_ref().map(|file| OutFile::check(file, &args.data.files)).transpose()?;
    let mut watch = Stopwatch::start();
    let reading = super::read_data_timed(&args.data, common, &mut watch)?;
    let schema = reading.data.schema();
    let score = args.score.choose(schema.data_sets().len())?;
    let search = args.search.choose(schema)?;
    let mut settings = Map::from_iter([
        ("version".to_owned(), json!(env!("CARGO_PKG_VERSION"))),
        ("score_name".to_owned(), json!(score.score.name())),
    ]);
    settings.extend(score.settings);
    settings.extend(search.settings);
    settings.extend(args.data.settings());
    let method = LearnMethod::choose(args.method, &args.score, schema.data_sets().len())?;
    let chosen = method.as_ref().map_or_else(|| json!({"method": "none"}), |(_, settings)| json!(settings));
    settings.insert("tables".to_owned(), chosen);
    let tally = super::tally_for(&reading.data, score.score.as_ref(), &args.data);
    watch.lap("prepare");
    let mut scorer = Scorer::new(&tally, score.score.as_ref());
    if let Some(most) = args.search.keep_scores {
        scorer = scorer.keep_at_most(most);
    }
    interrupt::listen();
    let mut watcher = Watcher::new(search.time_limit, common.quiet);
    let learned = learn(&mut scorer, &search.climb, search.start, settings, &mut |event| watcher.note(event));
    drop(watcher);
    let learned = learned?;
    watch.lap("search");
    let network = method.and_then(|(method, _)| tables(&learned, &reading.data, method, args));
    watch.lap("tables");
    let mut text = text(&learned, &reading.description, network.is_some());
    let mut result = network.map_or_else(|| learned.document(), |network| learned.with_tables(network));
    if args.timing {
        let report = watch.report(scorer.work());
        text = [text, timing::text(&report)].join("\n\n");
        result.insert("timing".to_owned(), report);
    }
    let json = output::json_text(&result)?;
    let written = out.map_or(Ok(()), |file| {
        result.insert("provenance".to_owned(), super::provenance(&reading.data));
        file.write(&output::json_text(&result)?)
    });
    // Printed even if the file could not be written after all: the work is not lost.
    output::print(if common.json { &json } else { &text })?;
    written
}

/// The network's tables. A structure that is too wide for them is still a result: then it is said why there are none.
fn tables(learned: &Learned, data: &RelatedData, method: Method, args: &LearnArgs) -> Option<Network> {
    let tally = MemoryTally::new(data).with_memory(args.data.memory_bytes());
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

fn text(learned: &Learned, description: &Description, has_tables: bool) -> String {
    let rows: u64 = description.data_sets.iter().map(|data_set| data_set.rows).sum();
    let mut lines = vec![
        format!(
            "data     {}, {}, {}",
            output::plural(learned.data_sets.len() as u64, "data set"),
            output::plural(rows, "row"),
            output::plural(learned.variables.len() as u64, "variable"),
        ),
        format!(
            "score    {}: {} (natural logarithm)",
            output::score_line(&learned.score_name, &learned.settings),
            output::decimals(learned.score)
        ),
        format!("search   {}", stop_line(learned)),
        format!("network  {}", learned.structure),
    ];
    if has_tables {
        let method = learned.settings["tables"]["method"].as_str().unwrap_or_default();
        lines.push(format!(
            "tables   {method}, of every data set; --out FILE keeps them, `kinfolk fit` shows them"
        ));
    }
    if learned.not_converged > 0 {
        lines.push(format!(
            "warning  {} of the families scored had a fit that did not reach its maximum",
            learned.not_converged
        ));
    }
    lines.push(String::new());
    if learned.arcs.is_empty() && learned.stop == Stop::Optimum {
        lines.push("No arc: none that may be added improves the score.".to_owned());
    } else if learned.arcs.is_empty() {
        lines.push("No arc yet.".to_owned());
    } else {
        lines.push("Arcs, with what the score would lose without each".to_owned());
        lines.push(arcs_table(learned));
    }
    lines.join("\n")
}

fn stop_line(learned: &Learned) -> String {
    let moves = output::plural(learned.steps.len() as u64, "move");
    let families = format!("{} scored", output::plural(learned.families_scored as u64, "family"));
    let restarts = match learned.restarts.len() as u64 {
        0 => String::new(),
        count => {
            let better = learned.restarts.iter().filter(|restart| restart.improved).count();
            format!(", {} of which {better} improved", output::plural(count, "restart"))
        }
    };
    let why = match learned.stop {
        Stop::Optimum => "no move improves the score any more",
        Stop::MaxSteps => "STOPPED at --max-steps; the score may still improve",
        Stop::TimeLimit => "STOPPED at --time-limit; the score may still improve",
        Stop::Interrupted => "INTERRUPTED; this is what was found so far",
    };
    format!("{moves}, {families}{restarts}; {why}")
}

/// Many data sets do not fit side by side: then it says in how many of them an arc helps.
fn arcs_table(learned: &Learned) -> String {
    let data_sets = learned.data_sets.len();
    let by_data_set = learned.arcs.iter().any(|arc| arc.by_data_set.is_some()) && data_sets > 1;
    let each = by_data_set && output::has_room_for(data_sets);
    let mut header = vec!["from".to_owned(), "to".to_owned(), "gain".to_owned()];
    if each {
        header.extend(learned.data_sets.iter().map(|name| format!("in {}", output::short_name(name))));
    } else if by_data_set {
        header.push("gains in".to_owned());
    }
    let rows = learned.arcs.iter().map(|arc| {
        let gain = arc.gain.map_or_else(|| "not computed".to_owned(), output::decimals);
        let mut row = vec![arc.from.clone(), arc.to.clone(), gain];
        let terms = arc.by_data_set.iter().flat_map(|by| by.0.iter().map(|(_, gain)| *gain));
        if each {
            row.extend(terms.map(output::decimals));
        } else if by_data_set {
            row.push(format!("{} of {data_sets}", terms.filter(|gain| *gain > 0.0).count()));
        }
        row
    });
    let table = output::table(header, rows.collect(), 2);
    if by_data_set && !each {
        format!("{table}\n\nThe gains in each of the {data_sets} data sets are in the output of --json.")
    } else {
        table
    }
}
