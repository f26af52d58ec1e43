//! The contents of a page as a plain struct, read from the JSON of `learn` or from a network file.

use kinfolk::data::{Description, Variable, VariableId};
use kinfolk::formats::Provenance;
use kinfolk::graph::{Cpdag, Dag, Link};
use kinfolk::learned::FilledIn;
use kinfolk::score::Kinship;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::explained::Explained;
use crate::sharing::{command_without_folders, notes, settings_without_folders, without_folders};
use crate::strengths::Strengths;

/// Tables with more probabilities than these, over all data sets, are not part of a page: about 4 MB of text. Documents
/// for a page are made with this limit.
pub const MOST_PROBABILITIES: usize = 200_000;

/// The contents of the page and the figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The page's title.
    pub title: String,
    /// The structure as a modelstring.
    pub structure: String,
    /// The data sets, in their order.
    pub data_sets: Vec<DataSet>,
    /// The variables with their states, in column order.
    pub variables: Vec<Variable>,
    /// The nodes, one per variable, in column order.
    pub nodes: Vec<Node>,
    /// The arcs, by the column order of their endpoints.
    pub arcs: Vec<ReportArc>,
    /// The score of the network and its search; `None` if the network was not learned.
    pub search: Option<SearchSummary>,
    /// The score with which the network was learned, now or before; `None` if it was not learned or the score is
    /// unknown.
    pub learned_with: Option<String>,
    /// The verdict on pooling and the deviating data sets; `None` if they were not computed.
    pub explanation: Option<Explained>,
    /// The bootstrap strengths of the arcs; `None` without a bootstrap.
    pub bootstrap: Option<Strengths>,
    /// What was done about missing values, if there were any and they were not dropped or made a state.
    pub missing: Option<FilledIn>,
    /// The description of the data; `None` if the page was made without them.
    pub description: Option<Description>,
    /// Notes on the data.
    pub notes: Vec<String>,
    /// The settings of the result.
    pub settings: Map<String, Value>,
    /// The provenance of the page, or of the network if the page was made from a network file alone.
    pub provenance: Option<Provenance>,
    /// The provenance of the network, if it was learned before and its data were read for the page.
    pub network_from: Option<Provenance>,
}

/// One data set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DataSet {
    /// Its name.
    pub name: String,
    /// Its rows, if known.
    pub rows: Option<u64>,
}

/// One node with its tables.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Node {
    /// The indices of its parents, in column order.
    pub parents: Vec<usize>,
    /// Its tables; `None` if they were not estimated.
    pub tables: Option<Tables>,
    /// The number of probabilities in its tables, if they are too many for the page.
    pub too_large: Option<usize>,
    /// The probability that the data sets share this node's table, if it was computed.
    pub identical: Option<f64>,
    /// The posterior mean of s in this family, in imaginary rows, if it was computed.
    pub s: Option<f64>,
}

/// The tables of one node: probabilities by configuration of the parents (the first varies slowest), then state.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tables {
    /// One table per data set.
    pub by_data_set: Vec<Vec<f64>>,
    /// The table of the pooled rows.
    pub pooled: Vec<f64>,
    /// The table of a new data set.
    pub new: Vec<f64>,
    /// The weight of the centre in each data set's joint table; `None` for methods without a centre.
    pub shrinkage: Option<Vec<f64>>,
    /// The same by data set, then configuration.
    pub shrinkage_by_configuration: Option<Vec<Vec<f64>>>,
    /// The number of rows by data set, then configuration; `None` if unknown.
    pub rows: Option<Vec<Vec<u64>>>,
    /// The fitted concentration of the centre; `None` for methods without one.
    pub tau: Option<f64>,
    /// Whether the fit converged.
    pub converged: bool,
}

/// One arc with its evidence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReportArc {
    /// The index of its tail.
    pub from: usize,
    /// The index of its head.
    pub to: usize,
    /// The decrease of the score if it is removed (natural logarithm); `None` if it was not computed.
    pub gain: Option<f64>,
    /// The decrease by data set; `None` for scores on the pooled rows.
    pub by_data_set: Option<Vec<f64>>,
    /// The evidence of each data set's own rows for it (positive) or against it, given the other data sets, if
    /// computed.
    pub given_others: Option<Vec<f64>>,
    /// The share of resamples that contain it, in either direction, if there are any.
    pub strength: Option<f64>,
    /// The share of those in which it has this direction.
    pub direction: Option<f64>,
    /// Whether the data direct it; otherwise it is drawn without an arrowhead.
    pub directed: bool,
    /// The change of score if it is reversed, if computed.
    pub reversal: Option<f64>,
}

impl ReportArc {
    /// An arc without evidence.
    pub(crate) fn between(from: usize, to: usize) -> Self {
        Self {
            from,
            to,
            gain: None,
            by_data_set: None,
            given_others: None,
            strength: None,
            direction: None,
            directed: true,
            reversal: None,
        }
    }

    /// The evidence by data set: the terms of the score or, for scores without terms, the evidence given the others.
    pub fn evidence(&self) -> Option<&[f64]> {
        self.by_data_set.as_deref().or(self.given_others.as_deref())
    }

    /// The number of data sets that support the arc, and the number of all.
    pub fn support(&self) -> Option<(usize, usize)> {
        let gains = self.evidence()?;
        Some((gains.iter().filter(|gain| **gain > 0.0).count(), gains.len()))
    }
}

/// The score and the search of the network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchSummary {
    /// The score's name.
    pub score_name: String,
    /// The score of the whole network, a natural logarithm.
    pub score: f64,
    /// Why the search ended; `None` if the structure was given.
    #[serde(default)]
    pub stop: Option<String>,
    /// The number of families scored.
    #[serde(default)]
    pub families_scored: u64,
    /// The number of those whose fit did not converge.
    #[serde(default)]
    pub not_converged: u64,
}

impl Report {
    /// Reads the JSON result of `learn` or `fit`, or a network file, made with at most [`MOST_PROBABILITIES`] by node; the
    /// description adds the data.
    pub fn from_document(
        title: String,
        document: &Map<String, Value>,
        description: Option<Description>,
    ) -> Result<Self, serde_json::Error> {
        let search = SearchSummary::deserialize(document).ok();
        let ResultDocument { structure, data_sets, variables, nodes, arcs, settings, provenance } =
            ResultDocument::deserialize(document)?;
        let arcs = read_arcs(arcs)?;
        let index = |name: &String| index_of(&variables, name);
        let parents = nodes.iter().map(|node| node.parents.iter().map(index).collect());
        let parents: Vec<Vec<usize>> = parents.collect::<Result<_, _>>()?;
        let known = arcs.iter().map(|arc| {
            Ok(ReportArc {
                gain: arc.gain,
                by_data_set: arc
                    .by_data_set
                    .as_ref()
                    .map(|gains| by_name(gains, &data_sets, "by_data_set"))
                    .transpose()?,
                strength: arc.strength,
                ..ReportArc::between(index(&arc.from)?, index(&arc.to)?)
            })
        });
        let mut known: Vec<ReportArc> = known.collect::<Result<_, serde_json::Error>>()?;
        if arcs.is_empty() {
            let ends = parents.iter().enumerate();
            let ends = ends.flat_map(|(to, parents)| parents.iter().map(move |&from| (from, to)));
            known = ends.map(|(from, to)| ReportArc::between(from, to)).collect();
        }
        known.sort_by_key(|arc| (arc.from, arc.to));
        direct_by_class(variables.len(), &mut known);
        let rows = rows(&data_sets, description.as_ref(), provenance.as_ref());
        Ok(Self {
            title,
            structure,
            nodes: nodes
                .into_iter()
                .zip(parents)
                .map(|(node, parents)| {
                    Ok(Node {
                        parents,
                        too_large: node.probabilities,
                        identical: node.p_identical.or(node.kin.as_ref().and_then(|kin| kin.p_identical)),
                        s: node.kin.as_ref().map(|kin| kin.s_mean),
                        tables: node.tables(&data_sets)?,
                    })
                })
                .collect::<Result<_, serde_json::Error>>()?,
            data_sets: data_sets.into_iter().zip(rows).map(|(name, rows)| DataSet { name, rows }).collect(),
            variables,
            arcs: known,
            search,
            learned_with: learned_with(document, &settings),
            explanation: None,
            bootstrap: None,
            notes: warnings(document).chain(notes(description.as_ref())).collect(),
            missing: document.get("missing").map(FilledIn::deserialize).transpose()?,
            description: description.map(without_folders),
            settings: settings_without_folders(settings),
            provenance: provenance.map(command_without_folders),
            network_from: None,
        })
    }
}

/// The warnings about the network.
fn warnings(document: &Map<String, Value>) -> impl Iterator<Item = String> + '_ {
    let warnings = document.get("warnings").and_then(Value::as_array).into_iter().flatten();
    warnings.filter_map(|warning| warning["text"].as_str()).map(|text| format!("warning: {text}"))
}

/// Without an explanation, an arc counts as directed if its whole equivalence class has it in this direction.
fn direct_by_class(nodes: usize, arcs: &mut [ReportArc]) {
    let ids: Vec<VariableId> = Dag::empty(nodes).nodes().collect();
    // The arcs of a file may form a cycle; then there is no equivalence class.
    let Ok(dag) = Dag::from_arcs(nodes, arcs.iter().map(|arc| (ids[arc.from], ids[arc.to]))) else { return };
    let cpdag = Cpdag::of(&dag);
    for arc in arcs {
        arc.directed = cpdag.link(ids[arc.from], ids[arc.to]) != Link::Undirected;
    }
}

/// The score among the settings of a search; `None` if the document is not the result of a search.
pub fn learned_with(document: &Map<String, Value>, settings: &Map<String, Value>) -> Option<String> {
    document.get("stop").and_then(Value::as_str)?;
    settings.get("score_name").and_then(Value::as_str).map(str::to_owned)
}

/// The rows of each data set, from the description or else from the provenance of the network.
fn rows(
    data_sets: &[String],
    description: Option<&Description>,
    provenance: Option<&Provenance>,
) -> Vec<Option<u64>> {
    let described = |name: &String| {
        let found = description?.data_sets.iter().find(|data_set| data_set.name == *name)?;
        Some(found.rows)
    };
    let recorded = |name: &String| provenance?.rows.get(name)?.as_u64();
    data_sets.iter().map(|name| described(name).or_else(|| recorded(name))).collect()
}

/// The index of the variable with this name; an error if there is none.
pub(crate) fn index_of(variables: &[Variable], name: &str) -> Result<usize, serde_json::Error> {
    variables.iter().position(|variable| variable.name == name).ok_or_else(|| {
        let names: Vec<&str> = variables.iter().map(|variable| variable.name.as_str()).collect();
        serde_json::Error::custom(format!(
            "there is no variable `{name}`; the variables are {}",
            names.join(", ")
        ))
    })
}

/// The entries of an object in the order of the data sets' names; `what` names the object in errors.
fn in_order<T: DeserializeOwned>(
    object: &Map<String, Value>,
    names: &[String],
    what: &str,
) -> Result<Vec<T>, serde_json::Error> {
    let entry = |name: &String| {
        let wrong =
            |reason: String| serde_json::Error::custom(format!("`{what}` of data set `{name}`: {reason}"));
        let value = object.get(name).ok_or_else(|| wrong("there is none".to_owned()))?;
        T::deserialize(value).map_err(|error| wrong(error.to_string()))
    };
    names.iter().map(entry).collect()
}

/// The numbers of an object in the order of the data sets' names; null, which stands for an undefined number, is NaN.
pub(crate) fn by_name(
    numbers: &Map<String, Value>,
    names: &[String],
    what: &str,
) -> Result<Vec<f64>, serde_json::Error> {
    let numbers: Vec<Option<f64>> = in_order(numbers, names, what)?;
    Ok(numbers.into_iter().map(|number| number.unwrap_or(f64::NAN)).collect())
}

/// The parts of a result that are shown.
#[derive(Deserialize)]
struct ResultDocument {
    structure: String,
    data_sets: Vec<String>,
    variables: Vec<Variable>,
    nodes: Vec<DocumentNode>,
    #[serde(default)]
    arcs: Value,
    #[serde(default)]
    settings: Map<String, Value>,
    #[serde(default)]
    provenance: Option<Provenance>,
}

/// The arcs of a document. A network file may come from anywhere, so an error names the arc.
fn read_arcs(arcs: Value) -> Result<Vec<DocumentArc>, serde_json::Error> {
    let arcs = match arcs {
        Value::Null => Vec::new(),
        Value::Array(arcs) => arcs,
        _ => return Err(serde_json::Error::custom("`arcs` is not a list of arcs")),
    };
    let read = |(index, value): (usize, Value)| {
        let wrong =
            |reason: String| serde_json::Error::custom(format!("`arcs`, arc {}: {reason}", index + 1));
        serde_json::from_value(value).map_err(|error| wrong(error.to_string()))
    };
    arcs.into_iter().enumerate().map(read).collect()
}

#[derive(Deserialize)]
struct DocumentArc {
    from: String,
    to: String,
    #[serde(default)]
    gain: Option<f64>,
    #[serde(default)]
    by_data_set: Option<Map<String, Value>>,
    #[serde(default)]
    strength: Option<f64>,
}

#[derive(Deserialize)]
struct DocumentNode {
    #[serde(default)]
    parents: Vec<String>,
    /// The number of probabilities, if they are too many to be part of the document.
    #[serde(default)]
    probabilities: Option<usize>,
    #[serde(default)]
    tables: Option<Map<String, Value>>,
    #[serde(default)]
    pooled: Vec<Vec<f64>>,
    #[serde(default)]
    new: Vec<Vec<f64>>,
    #[serde(default)]
    shrinkage: Option<Map<String, Value>>,
    #[serde(default)]
    shrinkage_by_configuration: Option<Map<String, Value>>,
    #[serde(default)]
    rows: Option<Map<String, Value>>,
    #[serde(default)]
    tau: Option<f64>,
    #[serde(default)]
    converged: bool,
    #[serde(default)]
    p_identical: Option<f64>,
    #[serde(default)]
    kin: Option<Kinship>,
}

impl DocumentNode {
    fn tables(self, data_sets: &[String]) -> Result<Option<Tables>, serde_json::Error> {
        let Some(tables) = self.tables else { return Ok(None) };
        let tables: Vec<Vec<Vec<f64>>> = in_order(&tables, data_sets, "tables")?;
        let shrinkage = self.shrinkage.map(|shares| by_name(&shares, data_sets, "shrinkage"));
        let by_configuration = self
            .shrinkage_by_configuration
            .map(|shares| in_order(&shares, data_sets, "shrinkage_by_configuration"));
        let rows = self.rows.map(|rows| in_order(&rows, data_sets, "rows"));
        Ok(Some(Tables {
            by_data_set: tables.iter().map(|table| table.concat()).collect(),
            pooled: self.pooled.concat(),
            new: self.new.concat(),
            shrinkage: shrinkage.transpose()?,
            shrinkage_by_configuration: by_configuration.transpose()?,
            rows: rows.transpose()?,
            tau: self.tau,
            converged: self.converged,
        }))
    }
}

/// With more names, the title gives only their number.
const NAMES_IN_TITLE: usize = 4;

/// The default title of a page, from the names of the data sets.
pub fn default_title(result: &Map<String, Value>) -> String {
    let names = result.get("data_sets").and_then(Value::as_array).into_iter().flatten();
    let names: Vec<&str> = names.filter_map(Value::as_str).collect();
    if names.len() > NAMES_IN_TITLE {
        return format!("One network from {} data sets", names.len());
    }
    format!("One network from {}", names.join(", "))
}
