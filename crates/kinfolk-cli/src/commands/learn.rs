//! `kinfolk learn`: learns the structure that the data sets share.

use std::path::PathBuf;

use kinfolk::data::{Description, VariableId};
use kinfolk::estimate::TableMethod;
use kinfolk::graph::Cpdag;
use kinfolk::learned::{ArcGain, Learned};
use kinfolk::score::{NamedChoice, ScoreName};
use kinfolk::search::{SearchMethod, Stop};
use kinfolk_report::MOST_PROBABILITIES;
use serde_json::{Value, json};

use super::found::{LearnInputs, Searched, find, insert_warnings};
use super::report::report_of;
use super::shown::Shown;
use crate::args::{CommonArgs, LearnArgs};
use crate::failure::Failure;
use crate::out_file::{OutFile, check_apart};
use crate::output;
use crate::timing::{self, Stopwatch};

pub(crate) fn run(args: &LearnArgs, common: &CommonArgs) -> Result<(), Failure> {
    args.score.check()?;
    args.search.check()?;
    check_apart([("--out", args.out.as_deref()), ("--report", args.report.as_deref())])?;
    let inputs: &Vec<PathBuf> = &args.data.files.iter().chain(&args.shown.bootstrap).cloned().collect();
    let out = args.out.as_ref().map(|file| OutFile::check(file, inputs)).transpose()?;
    let page = args.report.as_ref().map(|file| OutFile::check_named("--report", file, inputs)).transpose()?;
    let shown = Shown::read(&args.shown)?;
    if page.is_none() && (args.shown.explain.is_some() || args.shown.bootstrap.is_some()) {
        let what = "--explain and --bootstrap choose the contents of the page";
        return Err(Failure::Call(format!("{what}; name its file too, with --report FILE.html")));
    }
    let mut watch = Stopwatch::start();
    let how = LearnInputs { data: &args.data, score: &args.score, search: &args.search, method: args.method };
    let reading = super::read_data_timed(how.data, common, &mut watch)?;
    shown.check(&reading.data)?;
    let Searched { found, description, learned, network, warnings, work } =
        find(&how, reading, common, &mut watch)?;
    let provenance = out.as_ref().map(|_| super::provenance(&found.data));
    // Only a page needs the rows; without one, their memory is freed here.
    let page = page.map(|file| (file, found));
    let mut text = text(&learned, &description, network.is_some());
    let mut result = learned.into_document(network);
    insert_warnings(&mut result, &warnings);
    if args.timing {
        let report = watch.report(work);
        text = [text, timing::text(&report)].join("\n\n");
        result.insert("timing", report);
    }
    let written = out.zip(provenance).map_or(Ok(()), |(file, provenance)| {
        result.insert("provenance", json!(provenance));
        file.write_json(&result)
    });
    let shown = page.map_or(Ok(()), |(file, found)| {
        result.insert("provenance", json!(super::page_provenance(&found.data)));
        let report = report_of(None, &result.object_up_to(MOST_PROBABILITIES), Some(description))?;
        file.write(kinfolk_report::page(&shown.complete(report, &how, &found, common)?))
    });
    // Printed even if a file could not be written, so that the result is not lost.
    if common.json {
        result.remove("provenance");
        output::print_json(&result)?;
    } else {
        output::print(&text)?;
    }
    written.and(shown)
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
    if let Some(filled_in) = &learned.filled_in {
        lines.insert(1, format!("missing  {}", output::missing_text(filled_in)));
    }
    if has_tables {
        let method = learned.settings["tables"]["method"].as_str().unwrap_or_default();
        // `fit` uses the method of the score that the file records.
        let own = ScoreName::from_name(&learned.score_name).map(TableMethod::of_score);
        let option = if own.is_some_and(|own| own.name() == method) {
            String::new()
        } else {
            format!(" --method {method}")
        };
        lines.push(format!(
            "tables   {method}, for every data set; --out FILE saves them, `kinfolk fit{option}` prints them"
        ));
    }
    if learned.not_converged > 0 {
        lines.push(format!(
            "warning  {} of the scored families had a fit that did not converge",
            learned.not_converged
        ));
    }
    lines.push(String::new());
    if learned.arcs.is_empty() && learned.stop == Stop::Optimum {
        let why = match learned.search.method {
            SearchMethod::Pc => "the tests separate all variables",
            _ => "no permitted arc improves the score",
        };
        lines.push(format!("No arcs: {why}."));
    } else if learned.arcs.is_empty() {
        lines.push("No arc yet.".to_owned());
    } else {
        let explains = learned.arcs[0].by_data_set.is_none() && learned.data_sets.len() > 1;
        let where_by_data_set = if explains { "; `kinfolk explain` gives it by data set" } else { "" };
        lines.push(format!("Arcs, with the loss in score if each is removed{where_by_data_set}"));
        lines.push(arcs_table(learned));
    }
    lines.join("\n")
}

fn stop_line(learned: &Learned) -> String {
    let moves = output::plural(learned.steps.len() as u64, "move");
    let families = format!("{} scored", output::plural(learned.families_scored as u64, "family"));
    if learned.search.optimal {
        return format!("exact search after hill-climbing: {families}; no network scores higher");
    }
    if learned.search.method == SearchMethod::Pc {
        let why = match learned.stop {
            Stop::TimeLimit => "; STOPPED at --time-limit: edges that were not tested are left in",
            Stop::Interrupted => "; INTERRUPTED: edges that were not tested are left in",
            Stop::Optimum | Stop::MaxSteps => "",
        };
        return format!("PC-stable: {families} for tests of independence{why}");
    }
    let restarts = match learned.restarts.len() as u64 {
        0 => String::new(),
        count => {
            let better = learned.restarts.iter().filter(|restart| restart.improved).count();
            format!("\n         {} of which {better} improved", output::plural(count, "restart"))
        }
    };
    let setting = |key| learned.settings.get(key).and_then(Value::as_u64).unwrap_or_default();
    let (escapes, tabu) = (setting("escapes"), setting("tabu"));
    let mut refined = Vec::new();
    refined.extend((tabu > 0).then(|| format!("a tabu list of {tabu}")));
    refined.extend((escapes > 0).then(|| output::plural(escapes, "escape")));
    let refined = if refined.is_empty() { String::new() } else { format!(" with {}", refined.join(" and ")) };
    let why = match learned.stop {
        Stop::Optimum if escapes > 0 => "no further improvement",
        Stop::Optimum => "no move improves the score",
        Stop::MaxSteps => "STOPPED at --max-steps; the score may still improve",
        Stop::TimeLimit => "STOPPED at --time-limit; the score may still improve",
        Stop::Interrupted => "INTERRUPTED; this is the best network so far",
    };
    // The moves of a climb do not lead to a network that an order search or structural EM found.
    let without_moves = learned.steps.is_empty() && learned.structure != learned.start;
    let orders =
        learned.search.method == SearchMethod::Order || (without_moves && learned.filled_in.is_none());
    let moves = if orders || without_moves { String::new() } else { format!("{moves}, ") };
    let name = if orders { "order search after hill-climbing" } else { "hill-climbing" };
    format!("{name}{refined}: {moves}{families}{restarts}; {why}")
}

/// With too many data sets for one column each, shows the number of data sets that support an arc.
fn arcs_table(learned: &Learned) -> String {
    let data_sets = learned.data_sets.len();
    let by_data_set = learned.arcs.iter().any(|arc| arc.by_data_set.is_some()) && data_sets > 1;
    let each = by_data_set && output::shows_data_sets(data_sets);
    let mut header = vec!["from".to_owned(), "to".to_owned(), "gain".to_owned()];
    if each {
        header.extend(learned.data_sets.iter().map(|name| format!("in {}", output::short_name(name))));
    } else if by_data_set {
        header.push("gains in".to_owned());
    }
    let names = |id: VariableId| learned.variables[id.index()].name.as_str();
    let class = Cpdag::of(&learned.dag);
    let undirected: Vec<(&str, &str)> =
        class.undirected().iter().map(|&(a, b)| (names(a), names(b))).collect();
    let marks = |arc: &ArcGain| -> Vec<&'static str> {
        let weak = arc.gain.is_some_and(output::is_weak).then_some("weak");
        let ends = (arc.from.as_str(), arc.to.as_str());
        let is_reversible = undirected.contains(&ends) || undirected.contains(&(ends.1, ends.0));
        weak.into_iter().chain(is_reversible.then_some("reversible")).collect()
    };
    let mut arcs: Vec<&ArcGain> = learned.arcs.iter().collect();
    // The sort is stable: ties keep the column order.
    arcs.sort_by(|a, b| b.gain.unwrap_or(f64::INFINITY).total_cmp(&a.gain.unwrap_or(f64::INFINITY)));
    let used: Vec<&str> = arcs.iter().flat_map(|arc| marks(arc)).collect();
    header.extend((!used.is_empty()).then(|| "mark".to_owned()));
    let rows = arcs.iter().map(|arc| {
        let gain = arc.gain.map_or_else(|| "not computed".to_owned(), output::decimals);
        let mut row = vec![arc.from.clone(), arc.to.clone(), gain];
        let terms = arc.by_data_set.iter().flat_map(|by| by.0.iter().map(|(_, gain)| *gain));
        if each {
            row.extend(terms.map(output::decimals));
        } else if by_data_set {
            row.push(format!("{} of {data_sets}", terms.filter(|gain| *gain > 0.0).count()));
        }
        row.extend((!used.is_empty()).then(|| marks(arc).join(", ")));
        row
    });
    let mut table = output::table(header, rows.collect(), 2);
    if used.contains(&"weak") {
        table += "\nweak: below ln 3 = 1.099, odds of less than 3 to 1";
    }
    if used.contains(&"reversible") {
        table += "\nreversible: within the equivalence class; `kinfolk explain` compares the scores";
    }
    if by_data_set && !each {
        format!("{table}\n\nThe gains in each of the {data_sets} data sets are in the output of --json.")
    } else {
        table
    }
}
