//! The network file: one JSON object that holds a complete network and preserves every bit of its probabilities.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::unique_keys;
use crate::data::{DataSetId, RelatedData, Schema, Variable, VariableId};
use crate::estimate::{Concentration, Network, NetworkError, NodeTables, Pooling, Table, check_distribution};
use crate::graph::modelstring::{self, ModelstringError};
use crate::remedy::{Actionable, Neutral, Remedy, Verb, Wording};
use crate::score::Kinship;

/// The value of the key `format` in every network file.
pub const FORMAT: &str = "kinfolk network 1";

/// The reserved keys of a network file.
const OWN_KEYS: [&str; 7] =
    ["format", "structure", "data_sets", "variables", "nodes", "settings", "provenance"];

/// The origin of a network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The program that created the network.
    pub program: String,
    /// The version of the program.
    pub version: String,
    /// The command line, without options that do not affect the result.
    pub command: Vec<String>,
    /// The fingerprint of the data ([`RelatedData::fingerprint`]); `None` if the network was not made from data.
    #[serde(default)]
    pub data_hash: Option<String>,
    /// The fingerprint of the rows of each data set; empty in files that do not have it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub data_set_hashes: Map<String, Value>,
    /// The number of rows of each data set.
    #[serde(default)]
    pub rows: Map<String, Value>,
}

impl Provenance {
    /// The data sets whose rows, in these data, are those that the network was made from.
    pub fn seen_in(&self, data: &RelatedData) -> Vec<String> {
        let is_seen = |(index, name): (usize, &String)| {
            let id = DataSetId::new(index);
            let hash = self.data_set_hashes.get(name).and_then(Value::as_str);
            let seen = data.rows(id) > 0 && hash.is_some_and(|hash| hash == data.data_set_fingerprint(id));
            seen.then(|| name.clone())
        };
        data.schema().data_sets().iter().enumerate().filter_map(is_seen).collect()
    }

    /// The provenance of a network made from these data.
    pub fn of(data: &RelatedData, command: Vec<String>) -> Self {
        let data_sets = || {
            data.schema()
                .data_sets()
                .iter()
                .enumerate()
                .map(|(index, name)| (name.clone(), DataSetId::new(index)))
        };
        Self {
            program: "kinfolk".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command,
            data_hash: Some(data.fingerprint()),
            data_set_hashes: data_sets()
                .map(|(name, id)| (name, json!(data.data_set_fingerprint(id))))
                .collect(),
            rows: data_sets().map(|(name, id)| (name, json!(data.rows(id)))).collect(),
        }
    }
}

/// A network with all other content of its file.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkFile {
    /// The structure, states and tables.
    pub network: Network,
    /// The settings of the search and the estimation.
    pub settings: Map<String, Value>,
    /// The origin of the network.
    pub provenance: Option<Provenance>,
    /// Further keys of the file, such as the moves of the search, kept unchanged. Entries with a reserved key are not written.
    pub other: Map<String, Value>,
}

/// Why a text is not a valid network file.
#[derive(Debug, Error)]
pub enum NetworkFileError {
    /// It is not JSON, or a part has the wrong type.
    #[error("line {}, character {}: {}", .0.line(), .0.column(), parser_message(.0))]
    Json(#[from] serde_json::Error),
    /// It is the result of another command.
    #[error("{}", other_result(*verb, &Neutral))]
    OtherResult {
        /// The command that writes such files.
        verb: Verb,
        /// The structure in the file.
        structure: &'static str,
    },
    /// It is JSON, but does not describe a network.
    #[error("this JSON has no `structure`, so it is not a network file")]
    NotANetwork,
    /// It has a structure but no tables.
    #[error("this file has a structure but no tables")]
    NoTables,
    /// A name is duplicated or missing.
    #[error("{0}")]
    Names(String),
    /// The structure cannot be parsed.
    #[error("`structure`: {0}")]
    Structure(#[from] ModelstringError),
    /// The tables do not fit the structure.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

impl Actionable for NetworkFileError {
    fn problem(&self, words: &dyn Wording) -> String {
        if let Self::OtherResult { verb, .. } = self { other_result(*verb, words) } else { self.to_string() }
    }

    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::OtherResult { structure, .. } => vec![Remedy::UseAsStructure(structure)],
            Self::NotANetwork => vec![Remedy::MakeNetworkFile],
            Self::NoTables => vec![Remedy::FitTables],
            Self::Json(_) | Self::Names(_) | Self::Structure(_) | Self::Network(_) => Vec::new(),
        }
    }
}

fn other_result(verb: Verb, words: &dyn Wording) -> String {
    format!("this is the result of {}, not a network file", words.verb(verb))
}

/// The message of the JSON parser without its position, which our message prints first.
fn parser_message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

impl Serialize for NetworkFile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        UpTo { file: self, most: usize::MAX }.serialize(serializer)
    }
}

/// A file without the tables of nodes with more probabilities than this.
struct UpTo<'a> {
    file: &'a NetworkFile,
    most: usize,
}

impl Serialize for UpTo<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let NetworkFile { network, settings, provenance, other } = self.file;
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in head(network) {
            map.serialize_entry(key, &value)?;
        }
        map.serialize_entry("nodes", &LazyList(|| network.named().map(|tables| tables.up_to(self.most))))?;
        for (key, value) in other.iter().filter(|(key, _)| !OWN_KEYS.contains(&key.as_str())) {
            map.serialize_entry(key, value)?;
        }
        map.serialize_entry("settings", settings)?;
        if let Some(provenance) = provenance {
            map.serialize_entry("provenance", provenance)?;
        }
        map.end()
    }
}

/// The part of a network file before the nodes.
pub(crate) fn head(network: &Network) -> [(&'static str, Value); 4] {
    let schema = network.schema();
    [
        ("format", json!(FORMAT)),
        ("structure", json!(network.structure())),
        ("data_sets", json!(schema.data_sets())),
        ("variables", json!(schema.variables())),
    ]
}

/// Serialises a list whose items are created one at a time, so that only one of them is in memory.
pub struct LazyList<F>(pub F);

impl<F, I> Serialize for LazyList<F>
where
    F: Fn() -> I,
    I: Iterator<Item: Serialize>,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

impl NetworkFile {
    /// The JSON value of the file, with a fixed order of the keys. To write a file, serialise it directly: that keeps only one
    /// node in memory.
    pub fn document(&self) -> Map<String, Value> {
        self.document_up_to(usize::MAX)
    }

    /// The same; a node with more than `most` probabilities has their number as `probabilities` instead of tables.
    pub fn document_up_to(&self, most: usize) -> Map<String, Value> {
        let Value::Object(document) = json!(UpTo { file: self, most }) else {
            unreachable!("a map is an object in JSON")
        };
        document
    }

    /// Parses a network file. Probabilities keep every bit.
    pub fn read(text: &str) -> Result<Self, NetworkFileError> {
        unique_keys::check(text)?;
        refuse_other_results(text)?;
        let document: FileDocument = serde_json::from_str(text)?;
        if let Some(other) = document.format.as_ref().filter(|format| *format != FORMAT) {
            return Err(NetworkFileError::Names(format!(
                "the file's format is `{other}`, and this version of kinfolk reads `{FORMAT}`; use the version that wrote it"
            )));
        }
        let FileDocument { structure, data_sets, variables, nodes, settings, provenance, .. } = document;
        distinct("data set", data_sets.iter())?;
        distinct("variable", variables.iter().map(|variable| &variable.name))?;
        if data_sets.is_empty() || nodes.iter().any(|node| node.tables.is_none()) {
            return Err(NetworkFileError::NoTables);
        }
        for variable in &variables {
            if variable.states.is_empty() {
                return Err(NetworkFileError::Names(format!("variable `{}` has no state", variable.name)));
            }
            distinct(&format!("state of `{}`", variable.name), variable.states.iter())?;
        }
        let schema = Schema::new(variables, data_sets);
        let names = schema.names();
        let dag = modelstring::parse(&structure, &names)?;
        let mut tables = Vec::with_capacity(nodes.len());
        for (node, id) in nodes.into_iter().zip(schema.ids()) {
            let parents: Vec<&String> = dag.parents(id).iter().map(|parent| &names[parent.index()]).collect();
            if node.name != names[id.index()] || node.parents.iter().ne(parents.iter().copied()) {
                return Err(NetworkFileError::Names(format!(
                    "`nodes` must follow the variables' order and the structure's parents: at `{}` there is `{}` with parents [{}]",
                    names[id.index()],
                    node.name,
                    node.parents.join(", ")
                )));
            }
            if node.states.as_ref().is_some_and(|states| *states != schema.variable(id).states) {
                return Err(NetworkFileError::Names(format!(
                    "the states of `{}` differ between `variables` and `nodes`",
                    node.name
                )));
            }
            tables.push(node.tables(&schema, id)?);
        }
        let network = Network::new(schema, dag, tables)?;
        let mut other: Map<String, Value> = serde_json::from_str(text)?;
        for key in OWN_KEYS {
            other.shift_remove(key);
        }
        Ok(Self { network, settings, provenance, other })
    }
}

/// Recognises the results of other commands and reports how to use them.
fn refuse_other_results(text: &str) -> Result<(), NetworkFileError> {
    // A text that is not JSON, or not an object, is rejected with its position when the parts are parsed.
    let Ok(all) = serde_json::from_str::<Map<String, Value>>(text) else { return Ok(()) };
    let has = |key: &str| all.contains_key(key);
    if has("threshold") && has("averaged") {
        let structure = "its averaged network";
        return Err(NetworkFileError::OtherResult { verb: Verb::Bootstrap, structure });
    }
    if has("pooling") && has("structure") {
        let structure = "the network that it explains";
        return Err(NetworkFileError::OtherResult { verb: Verb::Explain, structure });
    }
    if has("structure") { Ok(()) } else { Err(NetworkFileError::NotANetwork) }
}

fn distinct<'a>(what: &str, names: impl Iterator<Item = &'a String>) -> Result<(), NetworkFileError> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(NetworkFileError::Names(format!("{what} `{name}` is given twice")));
        }
    }
    Ok(())
}

/// The keys of a network file that the reader interprets.
#[derive(Deserialize)]
struct FileDocument {
    #[serde(default)]
    format: Option<String>,
    structure: String,
    #[serde(default)]
    data_sets: Vec<String>,
    #[serde(default)]
    variables: Vec<Variable>,
    #[serde(default)]
    nodes: Vec<FileNode>,
    #[serde(default)]
    settings: Map<String, Value>,
    #[serde(default)]
    provenance: Option<Provenance>,
}

#[derive(Deserialize)]
struct FileNode {
    #[serde(rename = "node")]
    name: String,
    #[serde(default)]
    parents: Vec<String>,
    #[serde(default)]
    states: Option<Vec<String>>,
    tables: Option<Map<String, Value>>,
    #[serde(default)]
    pooled: Vec<Vec<f64>>,
    #[serde(default)]
    new: Vec<Vec<f64>>,
    #[serde(default)]
    tau: Option<f64>,
    #[serde(default)]
    kappa: Option<Vec<Vec<f64>>>,
    #[serde(default)]
    shrinkage: Option<Map<String, Value>>,
    #[serde(default)]
    shrinkage_by_configuration: Option<Map<String, Value>>,
    #[serde(default)]
    rows: Option<Map<String, Value>>,
    #[serde(default)]
    concentration: Option<FileConcentration>,
    #[serde(default)]
    kin: Option<Kinship>,
    #[serde(default)]
    iterations: usize,
    #[serde(default)]
    converged: bool,
}

#[derive(Deserialize)]
struct FileConcentration {
    tables: Map<String, Value>,
    pooled: Vec<f64>,
    new: Option<Vec<f64>>,
}

impl FileNode {
    /// Builds the tables; those given by name take the order of the data sets.
    fn tables(self, schema: &Schema, id: VariableId) -> Result<NodeTables, NetworkFileError> {
        self.check_fit()?;
        let name = &self.name;
        let states = schema.states(id);
        let mut by_name = self.tables.unwrap_or_default();
        let mut by_data_set = Vec::with_capacity(schema.data_sets().len());
        for data_set in schema.data_sets() {
            let rows = by_name.remove(data_set).ok_or_else(|| {
                NetworkFileError::Names(format!("`{name}` has no table for data set `{data_set}`"))
            })?;
            by_data_set.push(table(name, states, &rows_of(name, data_set, rows)?)?);
        }
        let pooling = match self.kappa {
            Some(kappa) if self.tau.is_some() || self.kin.is_some() => {
                let named = |shares: Map<String, Value>| {
                    let share = |name: &String| shares.get(name).and_then(Value::as_f64);
                    schema.data_sets().iter().filter_map(share).collect()
                };
                Some(Pooling {
                    tau: self.tau,
                    kappa: table(name, states, &kappa)?,
                    shrinkage: self.shrinkage.map(named),
                    shrinkage_by_configuration: lists(name, schema, self.shrinkage_by_configuration)?,
                    iterations: self.iterations,
                    converged: self.converged,
                    // The score can be `kin` while the tables use another method.
                    kin: self.kin.filter(|_| self.tau.is_none()),
                })
            }
            _ => None,
        };
        let concentration = self.concentration.map(|of| {
            let by_data_set = lists(name, schema, Some(of.tables))?.unwrap_or_default();
            Ok::<_, NetworkFileError>(Concentration { by_data_set, pooled: of.pooled, new: of.new })
        });
        Ok(NodeTables {
            by_data_set,
            concentration: concentration.transpose()?,
            rows: lists(name, schema, self.rows)?,
            pooled: table(name, states, &self.pooled)?,
            new: table(name, states, &self.new)?,
            pooling,
        })
    }
}

impl FileNode {
    /// Rejects values that no fit can produce.
    fn check_fit(&self) -> Result<(), NetworkFileError> {
        let node = &self.name;
        let wrong = |what: String| Err(NetworkFileError::Names(format!("`{node}`: {what}")));
        if let Some(tau) = self.tau.filter(|&tau| !is_positive(tau)) {
            return wrong(format!("`tau` is {tau}, and must be a positive number"));
        }
        if let Some(kappa) = self.kappa.as_ref().filter(|_| self.tau.is_some() || self.kin.is_some()) {
            // For the hierarchical method κ is one distribution over all cells; for `kin` it is one per configuration.
            let joint = self.tau.is_some();
            let all = kappa.concat();
            let rows = kappa.iter().map(Vec::as_slice);
            let parts: Vec<&[f64]> = if joint { vec![&all] } else { rows.collect() };
            for (row, part) in parts.into_iter().enumerate() {
                if let Err(reason) = check_distribution(part) {
                    let place = if joint { String::new() } else { format!(" in row {}", row + 1) };
                    return wrong(format!(
                        "the numbers of `kappa`{place} are not a distribution: they {reason}"
                    ));
                }
            }
        }
        let shares = self.shrinkage.iter().flat_map(Map::values);
        let by_row = self.shrinkage_by_configuration.iter().flat_map(Map::values);
        let by_row = by_row.filter_map(Value::as_array).flatten();
        if let Some(share) = shares.chain(by_row).filter_map(Value::as_f64).find(|&share| !is_share(share)) {
            return wrong(format!("a share of `shrinkage` is {share}, and must lie between 0 and 1"));
        }
        if let Some(of) = &self.concentration {
            let by_data_set =
                of.tables.values().filter_map(Value::as_array).flatten().filter_map(Value::as_f64);
            let all = by_data_set.chain(of.pooled.iter().copied()).chain(of.new.iter().flatten().copied());
            if let Some(value) = all.into_iter().find(|&value| !is_positive(value)) {
                return wrong(format!("a number of `concentration` is {value}, and must be positive"));
            }
        }
        let Some(kin) = &self.kin else { return Ok(()) };
        if let Some(s) = kin.s.iter().chain([&kin.s_mean]).find(|&&s| !is_positive(s)) {
            return wrong(format!("a value of s in `kin` is {s}, and must be a positive number"));
        }
        if kin.s.len() != kin.s_posterior.len() {
            let (values, probabilities) = (kin.s.len(), kin.s_posterior.len());
            return wrong(format!("`kin` has {values} values of s and {probabilities} probabilities"));
        }
        if let Err(reason) = check_distribution(&kin.s_posterior) {
            return wrong(format!("`s_posterior` in `kin` is not a distribution: they {reason}"));
        }
        for (name, share) in [("pooled_share", kin.pooled_share), ("p_identical", kin.p_identical)] {
            if let Some(share) = share.filter(|&share| !is_share(share)) {
                return wrong(format!("`{name}` in `kin` is {share}, and must lie between 0 and 1"));
            }
        }
        Ok(())
    }
}

fn is_positive(value: f64) -> bool {
    value > 0.0 && value.is_finite()
}

fn is_share(value: f64) -> bool {
    /// The tolerance for rounding errors in long sums.
    const ROUNDING: f64 = 1e-9;
    (-ROUNDING..=1.0 + ROUNDING).contains(&value)
}

/// Converts a map by name into a list in the order of the data sets.
fn lists<T: DeserializeOwned>(
    node: &str,
    schema: &Schema,
    by_name: Option<Map<String, Value>>,
) -> Result<Option<Vec<Vec<T>>>, NetworkFileError> {
    let Some(mut by_name) = by_name else { return Ok(None) };
    let list = |data_set: &String| {
        let list = by_name.remove(data_set).unwrap_or_default();
        serde_json::from_value(list).map_err(|error| {
            NetworkFileError::Names(format!(
                "`{node}` has no list of numbers for data set `{data_set}` where it needs one: {}",
                parser_message(&error)
            ))
        })
    };
    schema.data_sets().iter().map(list).collect::<Result<_, _>>().map(Some)
}

fn rows_of(node: &str, data_set: &str, rows: Value) -> Result<Vec<Vec<f64>>, NetworkFileError> {
    serde_json::from_value(rows).map_err(|error| {
        NetworkFileError::Names(format!(
            "the table of `{node}` in `{data_set}` is not a list of rows of numbers: {}",
            parser_message(&error)
        ))
    })
}

fn table(node: &str, states: usize, rows: &[Vec<f64>]) -> Result<Table, NetworkError> {
    if let Some(row) = rows.iter().find(|row| row.len() != states) {
        let what = format!("probabilities in a row of `{node}`");
        return Err(NetworkError::Number { what, expected: states, found: row.len() });
    }
    Ok(Table::new(states, rows.concat()))
}
