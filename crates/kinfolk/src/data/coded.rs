//! Tables that come coded, as data frames in memory do: for each column its texts, and for each row the number of one.

use super::levels::DeclaredLevels;
use super::options::ReadOptions;
use super::source::Source;
use super::{Column, Target};

/// A column that comes coded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodedColumn {
    /// Its name.
    pub name: String,
    /// What each code stands for.
    pub texts: Vec<String>,
    /// A code for each row; one that has no text is a missing value.
    pub codes: Column,
    /// Whether the texts are all states that the column can have, in their order, rather than just those that were seen.
    pub is_categorical: bool,
}

/// A table that comes coded. Messages count its rows from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodedTable {
    name: String,
    columns: Vec<CodedColumn>,
}

impl CodedTable {
    /// A table of columns of one length; the name is that of its data set.
    ///
    /// # Panics
    /// If the columns differ in length.
    pub fn new(name: String, columns: Vec<CodedColumn>) -> Self {
        let rows = |column: &CodedColumn| column.codes.len();
        assert!(columns.windows(2).all(|pair| rows(&pair[0]) == rows(&pair[1])), "columns have one length");
        Self { name, columns }
    }

    /// The name of its data set.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn columns(&self) -> &[CodedColumn] {
        &self.columns
    }

    pub(super) fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.codes.len())
    }

    fn find(&self, name: &str) -> Option<&CodedColumn> {
        self.columns.iter().find(|column| column.name.trim() == name)
    }
}

/// The settings with the states of columns that are categorical in every table, unless they say otherwise of them.
pub(super) fn with_categories(sources: &[Source], options: &ReadOptions) -> ReadOptions {
    let mut options = options.clone();
    let tables: Option<Vec<&CodedTable>> = sources.iter().map(Source::coded).collect();
    let Some((&first, others)) = tables.as_deref().and_then(<[_]>::split_first) else { return options };
    let mut categories = DeclaredLevels::new();
    for column in first.columns.iter().filter(|column| column.is_categorical) {
        let name = column.name.trim();
        let is_other = |other: &Option<String>| other.as_deref() == Some(name);
        let decided = options.levels.iter().any(|(declared, _)| declared == name)
            || options.discretize.iter().any(|rule| rule.target == Target::Column(name.to_owned()))
            || options.columns.as_ref().is_some_and(|chosen| chosen.iter().all(|chosen| chosen != name))
            || options.ignore.iter().any(|ignored| ignored == name)
            || is_other(&options.group)
            || is_other(&options.weight);
        let relatives: Option<Vec<_>> =
            others.iter().map(|table| table.find(name).filter(|column| column.is_categorical)).collect();
        let Some(relatives) = relatives.filter(|_| !decided) else { continue };
        let trimmed = |column: &CodedColumn| -> Vec<String> {
            column.texts.iter().map(|text| text.trim_ascii().to_owned()).collect()
        };
        // What one table lists twice is refused like any other list of states that does.
        let mut states = trimmed(column);
        for relative in relatives {
            states.extend(
                trimmed(relative).into_iter().filter(|state| !states.contains(state)).collect::<Vec<_>>(),
            );
        }
        if !states.is_empty() {
            categories.push((name.to_owned(), states));
        }
    }
    options.levels.extend(categories);
    options
}
