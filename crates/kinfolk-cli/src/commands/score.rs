//! `kinfolk score`: the score of a given structure, node by node.

use kinfolk::formats::write_jkl;
use kinfolk::learned::{NodeScore, Scored, score_structure};
use kinfolk::score::{ScoreError, Scorer};
use kinfolk::search::{ExactEvent, ParentSetFilter, ParentSets, SearchMethod, SearchSpec};
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::{CommonArgs, ScoreCommandArgs};
use crate::failure::Failure;
use crate::inputs::{read_structure, structure_settings};
use crate::interrupt;
use crate::out_file::OutFile;
use crate::output;
use crate::progress::WorkWatcher;
use crate::timing::{self, Stopwatch};

pub(crate) fn run(args: &mut ScoreCommandArgs, common: &CommonArgs) -> Result<(), Failure> {
    if let Some(file) = &args.structure {
        let recorded = structure_settings(file)?;
        args.recorded.adopt(file, &recorded, &mut args.data, &mut args.score, common)?;
    }
    let args = &*args;
    args.score.check()?;
    let jkl =
        args.jkl.as_ref().map(|file| OutFile::check_named("--jkl", file, &args.data.files)).transpose()?;
    let mut watch = Stopwatch::start();
    let reading = super::read_data_timed(&args.data, common, &mut watch)?;
    let schema = reading.data.schema();
    let mut chosen = args.score.choose(schema.data_sets().len())?;
    chosen.settings.insert("version".to_owned(), json!(env!("CARGO_PKG_VERSION")));
    chosen.settings.extend(args.data.settings()?);
    if let Some(file) = jkl {
        let tally = super::tally_for(&reading.data, chosen.score.as_ref(), &args.data);
        let mut scorer = Scorer::new(&tally, chosen.score.as_ref());
        return local_scores(args, common, &mut scorer, &file);
    }
    let structure = args.structure.as_ref().expect("required without --jkl");
    let dag = read_structure(structure, "--structure", &schema.names())?;
    watch.lap("prepare");
    let score = chosen.score.as_ref();
    let fill_in =
        super::fill_in(&args.score, score, SearchSpec::default().seed, (&args.data, &reading.data))?;
    let prepared = fill_in.prepare(&reading.data, &dag)?;
    let (scored, work) = prepared.with_scorer(score, |scorer| {
        let scored = score_structure(scorer, &dag, chosen.settings);
        (scored.and_then(|scored| scored.with_given_others(scorer)), scorer.work())
    });
    let mut scored = scored?;
    scored.filled_in = prepared.filled_in().cloned();
    watch.lap("score");
    let mut timing = args.timing.then(|| watch.report(work));
    if common.json {
        if let Some(timing) = &mut timing {
            // Scoring corresponds to the search of `learn`, so scripts find both under one key.
            timing["search"] = timing["score"].clone();
        }
        return output::print_json(&Timed { scored: &scored, timing });
    }
    let parts = [Some(text(&scored)), timing.as_ref().map(timing::text)];
    output::print(&parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n"))
}

/// Writes the parent sets that an optimal network can contain.
fn local_scores(
    args: &ScoreCommandArgs,
    common: &CommonArgs,
    scorer: &mut Scorer<'_>,
    file: &OutFile,
) -> Result<(), Failure> {
    let mut spec = SearchSpec::default();
    spec.method = SearchMethod::Exact;
    spec.rules.max_parents = args.max_parents;
    // The limits of the exact search apply.
    let search = spec.prepare(scorer.schema())?;
    interrupt::listen();
    let watcher = WorkWatcher::new(None, common.quiet);
    let filter = ParentSetFilter::OPTIMAL;
    let sets = ParentSets::score(scorer, &search.climb.constraints, filter, &mut |progress| {
        watcher.exact(ExactEvent::Scoring(progress))
    });
    drop(watcher);
    let sets = sets.map_err(|error| match error {
        ScoreError::Halted(halt) => Failure::NothingYet(halt),
        error => error.into(),
    })?;
    file.write(write_jkl(&sets))?;
    let written = json!({
        "score_name": scorer.score().name(),
        "variables": sets.variables(),
        "parent_sets": sets.len(),
        "families_scored": sets.families_scored(),
    });
    if common.json {
        return output::print_json(&written);
    }
    output::print(&format!(
        "{} of {}, selected from {}, by {}",
        output::plural(sets.len() as u64, "parent set"),
        output::plural(sets.variables() as u64, "variable"),
        output::plural(sets.families_scored() as u64, "family"),
        scorer.score().name(),
    ))
}

/// The result, with its timing if requested.
#[derive(Serialize)]
struct Timed<'a> {
    #[serde(flatten)]
    scored: &'a Scored,
    #[serde(skip_serializing_if = "Option::is_none")]
    timing: Option<Value>,
}

fn text(scored: &Scored) -> String {
    format!(
        "structure  {}\nscore      {}: {} (natural logarithm){}\n\n{}",
        scored.structure,
        output::score_line(&scored.score_name, &scored.settings),
        output::decimals(scored.total),
        scored
            .filled_in
            .as_ref()
            .map(|filled_in| format!("\nmissing    {}", output::missing_text(filled_in)))
            .unwrap_or_default(),
        nodes_table(&scored.nodes),
    )
}

fn nodes_table(nodes: &[NodeScore]) -> String {
    let mut header = vec!["node".to_owned(), "parents".to_owned(), "score".to_owned()];
    let terms_of = |node: &NodeScore| node.by_data_set.clone().or_else(|| node.given_others.clone());
    let is_given_others = nodes.iter().any(|node| node.given_others.is_some());
    let data_sets = nodes.first().and_then(terms_of);
    let each = data_sets.as_ref().is_some_and(|by| output::shows_data_sets(by.0.len()));
    if each {
        let names = data_sets.iter().flat_map(|by| by.0.iter().map(|(name, _)| output::short_name(name)));
        let word = if is_given_others { "from" } else { "in" };
        header.extend(names.map(|name| format!("{word} {name}")));
    }
    let fitted = nodes.iter().any(|node| node.tau.is_some());
    if fitted {
        header.extend(["tau", "iterations"].map(str::to_owned));
    }
    if nodes.iter().any(|node| node.kin.is_some()) {
        header.extend(["s", "P(identical)"].map(str::to_owned));
    }
    let rows = nodes.iter().map(|node| {
        let mut row = vec![node.node.clone(), node.parents.join(", "), output::decimals(node.total)];
        if each {
            let terms = terms_of(node).into_iter().flat_map(|by| by.0);
            row.extend(terms.map(|(_, value)| output::decimals(value)));
        }
        if let Some(tau) = node.tau {
            let mark = if node.converged { "" } else { " (not converged)" };
            row.extend([output::decimals(tau), format!("{}{mark}", node.iterations)]);
        }
        if let Some(kin) = &node.kin {
            let mark = if node.converged { "" } else { " (not converged)" };
            let identical = kin.kinship.p_identical.map_or_else(|| "-".to_owned(), output::decimals);
            row.extend([output::decimals(kin.kinship.s_mean), format!("{identical}{mark}")]);
        }
        row
    });
    let table = output::table(header, rows.collect(), 2);
    match data_sets.map_or(1, |by| by.0.len()) {
        many if many > 1 && !each => {
            let what = if is_given_others {
                "What each of the {many} data sets adds given the others is"
            } else {
                "The scores in each of the {many} data sets are"
            };
            format!("{table}\n\n{} in the output of --json.", what.replace("{many}", &many.to_string()))
        }
        _ if is_given_others => {
            format!(
                "{table}\nfrom: what the data set adds to the log evidence, given the others; see `kinfolk explain`"
            )
        }
        _ => table,
    }
}
