//! Tables that come coded, as data frames in memory do: for each column its texts, and for each row the number of one.

use super::Column;

/// A column that comes coded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodedColumn {
    /// Its name.
    pub name: String,
    /// What each code stands for.
    pub texts: Vec<String>,
    /// A code for each row; one that has no text is a missing value.
    pub codes: Column,
    /// Whether the texts are the states that the column can have here, in their order, rather than just those that were seen. A text
    /// among them is a state whatever it says: a missing value is a code without a text.
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

    pub(super) fn into_columns(self) -> Vec<CodedColumn> {
        self.columns
    }

    pub(super) fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.codes.len())
    }
}
