//! Options for reading data, with their defaults.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::discretize::DiscretizationRule;
use super::error::DataError;
use super::levels::{DeclaredLevels, check_declared};
use super::limits::ReadLimits;
use crate::choice::named_choice;
use crate::remedy::Setting;

/// The treatment of missing values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// Refuse them; the error lists them by column and data set.
    #[default]
    Refuse,
    /// Drop every row with a missing value.
    DropRows,
    /// Make missing the last state of its column.
    Level,
    /// Keep every row and mark its missing cells ([`RelatedData::is_missing`](super::RelatedData::is_missing)).
    /// Learning fills them in by structural EM. A column that some file lacks is missing in all its rows.
    Impute,
    /// Keep them as [`Missing::Impute`] does. Learning scores every family on the rows that are complete for it.
    Available,
}

named_choice!(Missing {
    Refuse: "refuse", "Stop, and list them by column and data set";
    Impute: "impute", "Learn with missing values filled in, from the row's other values and the related data sets. A file may lack columns";
    Available: "available", "Score every family on the rows that are complete for it: a fast approximation";
    DropRows: "drop-rows", "Drop every row that has one";
    Level: "level", "Treat missing as a separate state";
});

impl Missing {
    /// Whether rows with missing cells are kept as they are, so that the data may be incomplete.
    pub fn keeps_cells(self) -> bool {
        matches!(self, Self::Impute | Self::Available)
    }
}

/// The separator of cells that an option names: one character, or `tab`.
pub fn named_delimiter(name: &str) -> Option<u8> {
    match name.as_bytes() {
        b"tab" | b"\\t" => Some(b'\t'),
        [byte] => Some(*byte),
        _ => None,
    }
}

/// Options for reading related data sets.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadOptions {
    /// The column that splits the rows into data sets; without it every file is one data set.
    pub group: Option<String>,
    /// The column of row multiplicities.
    pub weight: Option<String>,
    /// The column that names the subject of each row. Of the rows of one subject in one data set, one is drawn.
    pub id: Option<String>,
    /// The seed of that draw.
    pub id_seed: u64,
    /// The columns to use; `None` uses all. The order of the first file is kept.
    pub columns: Option<Vec<String>>,
    /// Columns to ignore.
    pub ignore: Vec<String>,
    /// Whether to ignore columns that some file lacks, instead of refusing them.
    pub common_columns: bool,
    /// Declared states of some columns, in order.
    pub levels: DeclaredLevels,
    /// Discretisation rules; a column's own rule takes precedence over the rule for all columns.
    pub discretize: Vec<DiscretizationRule>,
    /// Spellings of "missing", in addition to the empty cell: a text for all columns, or `COLUMN=TEXT` for one.
    pub na: Vec<String>,
    /// The treatment of missing values.
    pub missing: Missing,
    /// The largest number of distinct values of a column that is neither discretised nor declared.
    pub max_states: usize,
    /// The delimiter; `None` detects it from the file.
    pub delimiter: Option<u8>,
    /// Limits on each file. They change no result, so that results do not record them.
    pub limits: ReadLimits,
}

/// Spellings of missing values that common tools write.
pub(super) const DEFAULT_NA: [&str; 4] = ["", "NA", "NaN", "?"];

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            group: None,
            weight: None,
            id: None,
            id_seed: 1,
            columns: None,
            ignore: Vec::new(),
            common_columns: false,
            levels: Vec::new(),
            discretize: Vec::new(),
            na: DEFAULT_NA.map(str::to_owned).to_vec(),
            missing: Missing::default(),
            max_states: 50,
            delimiter: None,
            limits: ReadLimits::default(),
        }
    }
}

impl ReadOptions {
    /// The options as recorded in results.
    pub fn record(&self) -> Map<String, Value> {
        let levels: Map<String, Value> =
            self.levels.iter().map(|(column, states)| (column.clone(), json!(states))).collect();
        let delimiter = self.delimiter.map(|byte| match byte {
            b'\t' => "tab".to_owned(),
            other => char::from(other).to_string(),
        });
        let record = json!({
            "group": self.group,
            "weight": self.weight,
            "id": self.id,
            "id_seed": self.id_seed,
            "columns": self.columns,
            "ignore": self.ignore,
            "common_columns": self.common_columns,
            "levels": if levels.is_empty() { Value::Null } else { Value::Object(levels) },
            "discretize": self.discretize.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "na": self.na,
            "missing": self.missing,
            "max_states": self.max_states,
            "delimiter": delimiter,
        });
        let Value::Object(record) = record else { unreachable!("the options are an object") };
        record
    }

    /// The recorded options; absent ones have their defaults. The error is the key of an invalid value.
    pub fn from_record(record: &Map<String, Value>) -> Result<Self, &'static str> {
        fn value<T: DeserializeOwned>(
            record: &Map<String, Value>,
            key: &'static str,
            usual: T,
        ) -> Result<T, &'static str> {
            match record.get(key) {
                None | Some(Value::Null) => Ok(usual),
                Some(value) => serde_json::from_value(value.clone()).map_err(|_| key),
            }
        }
        let usual = Self::default();
        let levels: Map<String, Value> = value(record, "levels", Map::new())?;
        let states = |(column, states): (String, Value)| Ok((column, serde_json::from_value(states)?));
        let levels = levels.into_iter().map(states).collect::<Result<_, serde_json::Error>>();
        let rules: Vec<String> = value(record, "discretize", Vec::new())?;
        let rules = rules.iter().map(|rule| rule.parse()).collect::<Result<_, _>>();
        let delimiter: Option<String> = value(record, "delimiter", None)?;
        Ok(Self {
            group: value(record, "group", None)?,
            weight: value(record, "weight", None)?,
            id: value(record, "id", None)?,
            id_seed: value(record, "id_seed", usual.id_seed)?,
            columns: value(record, "columns", None)?,
            ignore: value(record, "ignore", Vec::new())?,
            common_columns: value(record, "common_columns", false)?,
            levels: levels.map_err(|_| "levels")?,
            discretize: rules.map_err(|_| "discretize")?,
            na: value(record, "na", usual.na)?,
            missing: value(record, "missing", usual.missing)?,
            max_states: value(record, "max_states", usual.max_states)?,
            limits: usual.limits,
            delimiter: match delimiter.as_deref().map(str::as_bytes) {
                None => None,
                Some(b"tab") => Some(b'\t'),
                Some([byte]) => Some(*byte),
                Some(_) => return Err("delimiter"),
            },
        })
    }

    /// Takes recorded values for the options that are not given; returns the names of those that now differ from their defaults.
    pub fn complete(&mut self, recorded: &Self, is_given: &dyn Fn(&str) -> bool) -> Vec<&'static str> {
        let usual = Self::default();
        let mut taken = Vec::new();
        macro_rules! take {
            ($($field:ident),*) => {$(
                if !is_given(stringify!($field)) && recorded.$field != usual.$field {
                    self.$field = recorded.$field.clone();
                    taken.push(stringify!($field));
                }
            )*};
        }
        take!(
            group,
            weight,
            id,
            id_seed,
            common_columns,
            levels,
            discretize,
            na,
            missing,
            max_states,
            delimiter
        );
        // Either of the two selects the columns.
        if !is_given("columns") && !is_given("ignore") {
            take!(columns, ignore);
        }
        taken
    }

    /// Refuses options that are invalid for any file.
    pub(super) fn check(&self) -> Result<(), DataError> {
        if let Some(delimiter) = self.delimiter
            && (!delimiter.is_ascii() || matches!(delimiter, b'"' | b'\n' | b'\r' | 0))
        {
            return Err(DataError::Delimiter { delimiter });
        }
        let roles = [(Setting::Group, &self.group), (Setting::Weight, &self.weight), (Setting::Id, &self.id)];
        for (index, (setting, role)) in roles.iter().enumerate() {
            let same = |(_, other): &&(Setting, &Option<String>)| role.is_some() && other == role;
            if let (Some(column), Some((first, _))) = (role, roles[..index].iter().find(same)) {
                let settings = [*first, *setting];
                return Err(DataError::OneColumnTwoRoles { column: column.clone(), settings });
            }
        }
        if self.id.is_some() && self.weight.is_some() {
            return Err(DataError::WeightedSubjects);
        }
        if let Some(column) = self.columns.iter().flatten().find(|column| self.ignore.contains(column)) {
            return Err(DataError::ChosenAndIgnored { column: column.clone() });
        }
        check_declared(&self.levels)?;
        for (index, rule) in self.discretize.iter().enumerate() {
            let refuse = |reason: String| Err(DataError::Rule { rule: rule.to_string(), reason });
            if let Err(reason) = rule.method.check() {
                return refuse(reason);
            }
            if self.discretize[..index].iter().any(|other| other.target == rule.target) {
                return refuse("there are two rules for it; leave one out".to_owned());
            }
            if let Some(column) = rule.target.column()
                && self.levels.iter().any(|(name, _)| name == column)
            {
                return Err(DataError::RuleAndLevels { rule: rule.to_string() });
            }
        }
        Ok(())
    }
}
