//! `kinfolk explain`: the evidence for arcs by data set, whether to pool, which data sets deviate.

use kinfolk::explain::{Explain, ExplainedArc, Explanation, Member, Terms};
use kinfolk::score::{ScoreError, StructurePrior};
use kinfolk::search::{Search, Stop};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::posterior::{network_text, summary_lines};
use crate::args::{CommonArgs, ExplainArgs, ScoreArgs};
use crate::failure::Failure;
use crate::inputs::{given_structure, structure_settings};
use crate::interrupt;
use crate::output;
use crate::progress::Watcher;

/// An explanation with its settings.
#[derive(Serialize)]
struct ExplanationResult {
    #[serde(flatten)]
    explanation: Explanation,
    /// Why the search for the network ended; `None` if the network was given.
    stop: Option<Stop>,
    settings: Map<String, Value>,
}

pub(crate) fn run(args: &mut ExplainArgs, common: &CommonArgs) -> Result<(), Failure> {
    adopt(args, common)?;
    let args = &*args;
    args.score.check()?;
    args.search.check()?;
    let reading = super::read_data(&args.data, common)?;
    let schema = reading.data.schema();
    let given = given_structure(args.structure.as_deref(), args.network.as_deref(), &schema.names())?;
    let score = args.score.choose(schema.data_sets().len())?;
    let search = args.search.choose(schema)?;
    let mut settings = score.record();
    settings.extend(search.settings.clone());
    settings.insert("left_out".to_owned(), json!(args.left_out));
    settings.extend(args.data.settings()?);
    let explain =
        explain(&args.score, &search.search, args.left_out, !args.no_rivals, schema.data_sets().len())?;
    let explain = Explain { posterior: !args.no_posterior, ..explain };
    interrupt::listen();
    let mut watcher = Watcher::new(search.time_limit, common.quiet);
    let fill_in =
        super::fill_in(&args.score, score.score.as_ref(), args.search.seed, (&args.data, &reading.data))?;
    let (dag, stop) = if let Some(dag) = given {
        (dag, None)
    } else {
        let mut search = search.search;
        search.keep_scores = args.search.keep_scores;
        let learned =
            fill_in.learn(&reading.data, score.score.as_ref(), &search, &mut |event| watcher.note(event))?;
        (learned.dag, Some(learned.stop))
    };
    let prepared = fill_in.prepare(&reading.data, &dag)?;
    let explanation =
        explain.run_prepared(&prepared, score.score.as_ref(), &dag, &mut |event| watcher.note(event));
    drop(watcher);
    let explanation = explanation.map_err(|error| match error {
        ScoreError::Halted(halt) => Failure::NothingYet(halt),
        other => other.into(),
    })?;
    let explained = ExplanationResult { explanation, stop, settings };
    if common.json { output::print_json(&explained) } else { output::print(&text(&explained, args.top)) }
}

/// Takes defaults from the network file, if there is one.
fn adopt(args: &mut ExplainArgs, common: &CommonArgs) -> Result<(), Failure> {
    let file =
        args.network.as_ref().map(|file| file.display().to_string()).or_else(|| args.structure.clone());
    let Some(file) = file else { return Ok(()) };
    args.recorded.adopt(&file, &structure_settings(&file)?, &mut args.data, &mut args.score, common)
}

/// Explains a network with the options of the score and the search; with `rivals`, also finds the best networks of
/// other scores.
pub(crate) fn explain(
    score: &ScoreArgs,
    search: &Search,
    left_out: usize,
    rivals: bool,
    data_sets: usize,
) -> Result<Explain, Failure> {
    let spec = score.spec()?;
    Ok(Explain {
        left_out,
        posterior: true,
        prior: spec.prior.build(data_sets)?,
        kin: spec.kin.build()?,
        search: search.climb.clone(),
        start: rivals.then(|| search.start.clone()),
    })
}

fn text(explained: &ExplanationResult, top: usize) -> String {
    let ExplanationResult { explanation, stop, settings } = explained;
    let mut head = vec![
        format!("network  {}", explanation.structure),
        format!(
            "score    {}: {} (natural logarithm)",
            output::score_line(&explanation.score_name, settings),
            output::decimals(explanation.score)
        ),
    ];
    if let Some(filled_in) = &explanation.filled_in {
        head.push(format!("missing  {}", output::missing_text(filled_in)));
    }
    match stop {
        Some(Stop::TimeLimit) => {
            head.push("warning  STOPPED at --time-limit; the score may still improve".to_owned());
        }
        Some(Stop::Interrupted) => {
            head.push("warning  INTERRUPTED; this is the best network so far".to_owned());
        }
        _ => {}
    }
    if explanation.halted.is_some() {
        head.push(
            "warning  stopped before all absent arcs, or all networks of other scores, were found".to_owned(),
        );
    }
    let (mut present, left_out): (Vec<&ExplainedArc>, Vec<&ExplainedArc>) =
        explanation.arcs.iter().partition(|arc| arc.present);
    // The sort is stable: ties keep the column order.
    present.sort_by(|a, b| b.total.total_cmp(&a.total));
    let mut parts = vec![head.join("\n")];
    if present.is_empty() {
        parts.push("The network has no arc.".to_owned());
    } else {
        parts.push(format!("Arcs, with the loss in score if each is removed\n{}", arcs_table(&present)));
    }
    if !left_out.is_empty() {
        parts.push(format!(
            "Strongest absent arcs, with the change in score if each is added\n{}",
            arcs_table(&left_out)
        ));
    }
    if !explanation.arcs.is_empty() {
        parts.push(signs(explanation, top));
    }
    parts.extend(whose_numbers(explanation, settings));
    parts.extend(certainty_text(explanation));
    parts.extend(pooling_text(explanation, top));
    parts.extend(members_text(explanation, top));
    parts.join("\n\n")
}

/// The posterior probabilities of the arcs, or why they were not computed.
fn certainty_text(explanation: &Explanation) -> Option<String> {
    let missing =
        explanation.posterior_missing.as_ref().map(|why| format!("No posterior probabilities: {why}."));
    let Some(posterior) = &explanation.posterior else { return missing };
    let summary = summary_lines(&posterior.summary).join("\n");
    Some(format!("{}\n\n{summary}", network_text(posterior)))
}

/// Why the numbers by data set do not add up to the total, if they do not.
fn whose_numbers(explanation: &Explanation, settings: &Map<String, Value>) -> Option<String> {
    let name = &explanation.score_name;
    if explanation.arcs.is_empty() {
        return None;
    }
    if explanation.terms == Terms::GivenOthers {
        return Some(format!(
            "{name} is no sum over the data sets: the total is its change, and the numbers by data set are what each adds to the evidence for \
             the arc, given the others; they need not add up to the total."
        ));
    }
    (settings["structure_prior"] != json!(StructurePrior::Uniform)).then(|| {
        "The total includes the structure prior, which belongs to no data set; the other terms add up to the rest."
            .to_owned()
    })
}

/// With too many data sets for one column each, shows the number of data sets that support an arc.
fn arcs_table(arcs: &[&ExplainedArc]) -> String {
    let names = arcs.first().map_or(&[][..], |arc| &arc.by_data_set.0[..]);
    let each = output::shows_data_sets(names.len());
    let mut header = vec!["from".to_owned(), "to".to_owned(), "total".to_owned()];
    if each {
        header.extend(names.iter().map(|(name, _)| format!("in {}", output::short_name(name))));
    } else if names.len() > 1 {
        header.push("for it in".to_owned());
    }
    let marked = arcs.iter().any(|arc| !marks(arc).is_empty());
    header.extend(marked.then(|| "mark".to_owned()));
    let rows = arcs.iter().map(|arc| {
        let mut row = vec![arc.from.clone(), arc.to.clone(), output::decimals(arc.total)];
        let terms = arc.by_data_set.0.iter().map(|(_, value)| *value);
        if each {
            row.extend(terms.map(output::decimals));
        } else if names.len() > 1 {
            row.push(format!("{} of {}", terms.filter(|value| *value > 0.0).count(), names.len()));
        }
        row.extend(marked.then(|| marks(arc).join(", ")));
        row
    });
    let table = output::table(header, rows.collect(), 2);
    let used: Vec<&str> = arcs.iter().flat_map(|arc| marks(arc)).collect();
    let legend = [
        (WEAK, "weak: below ln 3 = 1.099, odds of less than 3 to 1"),
        (UNDIRECTED, "no direction: the data do not direct it; the reverse arc fits about as well"),
    ];
    let legend = legend.iter().filter(|(mark, _)| used.contains(mark)).map(|(_, words)| format!("\n{words}"));
    table + &legend.collect::<String>()
}

const WEAK: &str = "weak";
const UNDIRECTED: &str = "no direction";

/// The marks of an arc of the network.
fn marks(arc: &ExplainedArc) -> Vec<&'static str> {
    let weak = (arc.present && output::is_weak(arc.total)).then_some(WEAK);
    let undirected = (arc.directed == Some(false)).then_some(UNDIRECTED);
    weak.into_iter().chain(undirected).collect()
}

/// The same as a map of signs, one character per data set.
fn signs(explanation: &Explanation, top: usize) -> String {
    let sign = |value: f64| match value {
        value if value > 10.0 => '#',
        value if value > 3.0 => '+',
        value if value < -10.0 => '=',
        value if value < -3.0 => '-',
        _ => '.',
    };
    // Half of the line is for the names.
    let shown = top.max(output::width() / 2);
    let rows = explanation.arcs.iter().map(|arc| {
        let mut signs: String = arc.by_data_set.0.iter().take(shown).map(|(_, value)| sign(*value)).collect();
        signs.extend((arc.by_data_set.0.len() > shown).then_some('…'));
        vec![
            format!("{} → {}", arc.from, arc.to),
            signs,
            if arc.present { "" } else { "left out" }.to_owned(),
        ]
    });
    let header = ["arc", "by data set, in their order", ""].map(str::to_owned).to_vec();
    format!(
        "Signs: + for the arc by more than 3 nats, # by more than 10, - and = against it likewise, . otherwise\n{}",
        output::table(header, rows.collect(), 3)
    )
}

fn pooling_text(explanation: &Explanation, top: usize) -> Vec<String> {
    let pooling = &explanation.pooling;
    let header =
        ["best of", "arcs", "SHD", "identical", "related", "unrelated", "bdeu", "bdeu-separate", "bhd"];
    let graphs = pooling.graphs.iter().map(|graph| {
        let evidence = graph.evidence;
        let numbers = [
            evidence.identical,
            evidence.related,
            evidence.unrelated,
            graph.pooled,
            graph.separate,
            graph.hierarchical,
        ];
        let mut row = vec![graph.best_of.to_owned(), graph.arcs.to_string(), graph.shd.to_string()];
        row.extend(numbers.map(output::decimals));
        row
    });
    let graphs = output::table(header.map(str::to_owned).to_vec(), graphs.collect(), 1);
    let header = [
        "node",
        "parents",
        "identical",
        "related",
        "unrelated",
        "P(identical)",
        "s",
        "tau",
        "KL per row",
        "TV",
    ];
    let nodes = pooling.nodes.iter().map(|node| {
        vec![
            node.node.clone(),
            node.parents.join(", "),
            output::decimals(node.evidence.identical),
            output::decimals(node.evidence.related),
            output::decimals(node.evidence.unrelated),
            output::decimals(node.p_identical),
            output::fixed(node.s_mean, 1),
            output::fixed(node.tau, 1),
            output::fixed(node.divergence, 4),
            output::decimals(node.total_variation),
        ]
    });
    let nodes = output::table(header.map(str::to_owned).to_vec(), nodes.collect(), 2);
    vec![
        format!("Should I pool? {}", pooling.verdict),
        format!(
            "Evidence if the data sets are identical, related or unrelated; beside it the scores\n{graphs}\n\
             The evidences differ only in how alike the data sets are, so they can be compared. BHD's value is no evidence: its centre \
             was fitted on the same rows."
        ),
        format!("By node, with the distance of the data sets from the centre\n{nodes}\n{NODE_LEGEND}"),
    ]
    .into_iter()
    .chain(differing_text(explanation, top))
    .collect()
}

/// What the columns by node mean.
const NODE_LEGEND: &str = "\
P(identical): that the data sets have one table, at even prior odds; with other
priors than the columns beside it (docs/THEORY.md, E59), so the two can disagree
s: imaginary rows by which each table is drawn to the centre; large: alike
tau: how concentrated BHD's centre is; large: well known
KL per row: mean Kullback-Leibler divergence of the tables from the centre, in nats
TV: mean total variation distance from the centre, from 0 (equal) to 1";

/// The edges on which the best networks of the scores differ.
fn differing_text(explanation: &Explanation, top: usize) -> Option<String> {
    let edges = &explanation.differing_edges;
    if edges.is_empty() {
        return None;
    }
    let name = |best_of: &&'static str| match *best_of {
        "explained" => explanation.score_name.clone(),
        "pooled" => "bdeu".to_owned(),
        "separate" => "bdeu-separate".to_owned(),
        _ => "bhd".to_owned(),
    };
    let list = |graphs: &[&'static str]| graphs.iter().map(name).collect::<Vec<_>>().join(", ");
    let rows = edges.iter().take(top).map(|edge| {
        vec![
            format!("{} – {}", edge.between[0], edge.between[1]),
            list(&edge.present_in),
            list(&edge.absent_from),
        ]
    });
    let header = ["edge", "in the network of", "not in that of"].map(str::to_owned).to_vec();
    let table = output::table(header, rows.collect(), 3);
    let more = match edges.len().saturating_sub(top) {
        0 => String::new(),
        more => format!("\n… and {}: --top N or --json", output::plural_more(more, "edge")),
    };
    Some(format!("Edges on which the networks of the scores differ\n{table}{more}"))
}

fn members_text(explanation: &Explanation, top: usize) -> Vec<String> {
    let header = ["data set", "rows", "distance", "mostly in", "TV", "given others", "gain"]
        .map(str::to_owned)
        .to_vec();
    let rows = explanation.data_sets.iter().take(top).map(|member| {
        vec![
            output::short_name(&member.name),
            member.rows.to_string(),
            output::fixed(member.distance, 4),
            mostly_in(member).join(", "),
            output::decimals(member.total_variation),
            output::decimals(member.given_others),
            output::decimals(member.gain_from_others),
        ]
    });
    let table = output::table(header, rows.collect(), 1);
    let more = match explanation.data_sets.len().saturating_sub(top) {
        0 => String::new(),
        more => format!("\n… and {}: --top N or --json", output::plural_more(more, "data set")),
    };
    let mut parts = vec![format!(
        "Data sets, farthest from the common centre first\n{table}{more}\n\
         distance: of its tables from the centre, nats per row; mostly in: the nodes that make\n\
         up most of it; given others: log evidence of all data sets less that without it;\n\
         gain: the same less its log evidence alone"
    )];
    let arc = |from: &str, to: &str, evidence: f64| format!("{from} → {to} ({})", output::fixed(evidence, 1));
    let lines = |arcs: &dyn Fn(&Member) -> Vec<String>| -> Vec<Vec<String>> {
        let members = explanation.data_sets.iter().map(|member| (member, arcs(member)));
        let some = members.filter(|(_, arcs)| !arcs.is_empty());
        some.map(|(member, arcs)| vec![output::short_name(&member.name), arcs.join(", ")]).collect()
    };
    let absent = lines(&|member| {
        member.altered_arcs.iter().map(|found| arc(&found.from, &found.to, found.evidence)).collect()
    });
    let own = lines(&|member| {
        member.own_arcs.iter().map(|found| arc(&found.from, &found.to, found.evidence)).collect()
    });
    let kinds = [
        (
            absent,
            "absent arcs",
            "Arcs of the network that a data set lacks, with the log Bayes factor for their absence",
        ),
        (
            own,
            "own arcs",
            "Arcs that only this data set supports, with their log Bayes factor in its own rows",
        ),
    ];
    for (rows, column, title) in kinds {
        if !rows.is_empty() {
            let table = output::table(vec!["data set".to_owned(), column.to_owned()], rows, 2);
            parts.push(format!("{title}\n{table}"));
        }
    }
    parts
}

/// The nodes that make up at least half of a data set's distance, three at most; none if it is at the centre.
fn mostly_in(member: &Member) -> Vec<String> {
    let mut sum = 0.0;
    let nodes = member.by_node.0.iter().take(3).take_while(|(_, distance)| {
        let wanted = sum < 0.5 * member.distance && *distance > 0.0;
        sum += distance;
        wanted
    });
    nodes.map(|(node, _)| node.clone()).collect()
}
