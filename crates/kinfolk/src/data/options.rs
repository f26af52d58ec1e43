//! How files are to be read: plain settings with their defaults.

use serde::{Deserialize, Serialize};

use super::discretize::Rule;
use super::error::DataError;
use super::levels::{DeclaredLevels, check_declared};

/// What to do with missing values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// Say where they are and stop.
    #[default]
    Refuse,
    /// Leave out every row that has one.
    DropRows,
    /// Let missing be a state of its own, the last one of its column.
    Level,
}

/// How files become related data sets.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadOptions {
    /// The column that splits the rows into data sets; without it every file is one.
    pub group: Option<String>,
    /// The column that says how many rows a row stands for.
    pub weight: Option<String>,
    /// The columns to use; all if not given. The order of the first file is kept.
    pub columns: Option<Vec<String>>,
    /// Columns to leave out.
    pub ignore: Vec<String>,
    /// Whether columns that not every file has are left out instead of refused.
    pub common_columns: bool,
    /// Declared states of some columns, in their order.
    pub levels: DeclaredLevels,
    /// How numeric columns become categorical; a rule for one column wins over the rule for all.
    pub discretize: Vec<Rule>,
    /// Cells that mean "missing", besides the empty cell, which always does.
    pub na: Vec<String>,
    /// What to do with missing values.
    pub missing: Missing,
    /// The most distinct values a column may have that is neither discretised nor declared.
    pub max_states: usize,
    /// What separates cells; found out from the file if not given.
    pub delimiter: Option<u8>,
}

/// Spellings of a missing value that common tools write.
pub(super) const DEFAULT_NA: [&str; 4] = ["", "NA", "NaN", "?"];

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            group: None,
            weight: None,
            columns: None,
            ignore: Vec::new(),
            common_columns: false,
            levels: Vec::new(),
            discretize: Vec::new(),
            na: DEFAULT_NA.map(str::to_owned).to_vec(),
            missing: Missing::default(),
            max_states: 50,
            delimiter: None,
        }
    }
}

impl ReadOptions {
    /// Refuses settings that are wrong whatever the files hold.
    pub(super) fn check(&self) -> Result<(), DataError> {
        if let Some(delimiter) = self.delimiter
            && (!delimiter.is_ascii() || matches!(delimiter, b'"' | b'\n' | b'\r' | 0))
        {
            return Err(DataError::Delimiter { delimiter });
        }
        if let (Some(group), Some(weight)) = (&self.group, &self.weight)
            && group == weight
        {
            return Err(DataError::OneColumnTwoRoles { column: group.clone() });
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
