//! Dictionary-encoded input tables, such as data frames in memory: each column has its texts and one code per
//! row.

use super::Column;

/// A dictionary-encoded column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodedColumn {
    /// The column's name.
    pub name: String,
    /// The text of each code.
    pub texts: Vec<String>,
    /// One code per row; a code without a text is a missing value.
    pub codes: Column,
    /// Whether `texts` declares the column's states in order, rather than listing the values observed. A
    /// declared text is always a state, even if it spells "missing": missing values are codes without a text.
    pub is_categorical: bool,
}

/// A dictionary-encoded table. Messages number its rows from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodedTable {
    name: String,
    columns: Vec<CodedColumn>,
}

impl CodedTable {
    /// Builds a table from columns of equal length; `name` is the name of its data set.
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
