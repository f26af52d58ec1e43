//! Related data sets in memory: one column of codes per variable, rows grouped by data set.

use std::ops::Range;
use std::sync::Arc;

use super::{Column, DataSetId, Schema, Variable, VariableId};

/// Encoded rows of all data sets, grouped by data set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedData {
    schema: Schema,
    /// Shared between data that differ only in their weights.
    columns: Arc<[Column]>,
    starts: Vec<usize>,
    weights: Option<Vec<u64>>,
}

impl RelatedData {
    /// Combines encoded columns. `starts` has the first row of each data set, then the number of rows.
    ///
    /// # Panics
    /// If the parts are inconsistent: lengths, codes beyond their variable's states, weights of zero.
    pub fn new(schema: Schema, columns: Vec<Column>, starts: Vec<usize>, weights: Option<Vec<u64>>) -> Self {
        assert_eq!(columns.len(), schema.variables().len(), "one column per variable");
        assert_eq!(starts.len(), schema.data_sets().len() + 1, "one start per data set and the end");
        assert!(starts[0] == 0 && starts.is_sorted(), "data sets follow each other");
        let rows = starts[starts.len() - 1];
        for (column, variable) in columns.iter().zip(schema.variables()) {
            assert_eq!(column.len(), rows, "every column has every row");
            assert!(
                column.max().is_none_or(|code| (code as usize) < variable.states.len()),
                "every code is a state of its variable"
            );
        }
        if let Some(weights) = &weights {
            assert_eq!(weights.len(), rows, "every row has a weight");
            assert!(weights.iter().all(|&weight| weight > 0), "rows that count nothing are not kept");
        }
        Self { schema, columns: columns.into(), starts, weights }
    }

    /// The variables and the names of the data sets.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The codes of one variable.
    pub fn column(&self, id: VariableId) -> &Column {
        &self.columns[id.index()]
    }

    /// The range of stored rows of a data set.
    pub fn rows_of(&self, data_set: DataSetId) -> Range<usize> {
        self.starts[data_set.index()]..self.starts[data_set.index() + 1]
    }

    /// The number of stored rows; a row of weight three is stored once.
    pub fn stored_rows(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    /// Row multiplicities, if not all are one. Only [`RelatedData::with_weights`] leaves rows of multiplicity
    /// 0.
    pub fn weights(&self) -> Option<&[u64]> {
        self.weights.as_deref()
    }

    /// The number of rows of a data set, counted with multiplicity.
    pub fn rows(&self, data_set: DataSetId) -> u64 {
        let range = self.rows_of(data_set);
        match &self.weights {
            None => range.len() as u64,
            Some(weights) => weights[range].iter().sum(),
        }
    }

    /// The multiplicity of a stored row.
    pub fn weight(&self, row: usize) -> u64 {
        self.weights.as_ref().map_or(1, |weights| weights[row])
    }

    /// The same rows with other multiplicities, one per stored row; 0 excludes a row. The codes are shared,
    /// not copied. The states are kept, and `constant` is determined from the rows of positive multiplicity.
    ///
    /// # Panics
    /// If there is not one multiplicity per stored row.
    #[must_use]
    pub fn with_weights(&self, weights: Vec<u64>) -> Self {
        assert_eq!(weights.len(), self.stored_rows(), "one multiplicity per stored row");
        let variables = self.columns.iter().zip(self.schema.variables()).map(|(column, variable)| {
            let mut counted = (0..weights.len()).filter(|&row| weights[row] > 0).map(|row| column.get(row));
            let first = counted.next();
            Variable { constant: counted.all(|code| Some(code) == first), ..variable.clone() }
        });
        let schema = Schema::new(variables.collect(), self.schema.data_sets().to_vec());
        Self {
            schema,
            columns: Arc::clone(&self.columns),
            starts: self.starts.clone(),
            weights: Some(weights),
        }
    }

    /// The same data sets with other multiplicities, one per stored row; rows of multiplicity 0 are removed.
    /// The states are kept, and `constant` is determined from the remaining rows.
    ///
    /// # Panics
    /// If there is not one multiplicity per stored row.
    #[must_use]
    pub fn reweighted(&self, weights: &[u64]) -> Self {
        assert_eq!(weights.len(), self.stored_rows(), "one multiplicity per stored row");
        let kept: Vec<usize> = (0..weights.len()).filter(|&row| weights[row] > 0).collect();
        let starts = self.starts.iter().map(|&start| kept.partition_point(|&row| row < start)).collect();
        let ones = kept.iter().all(|&row| weights[row] == 1);
        let weights = (!ones).then(|| kept.iter().map(|&row| weights[row]).collect());
        self.of_rows(&kept, starts, weights, self.schema.data_sets().to_vec())
    }

    /// The same data without one data set.
    ///
    /// # Panics
    /// If it is the only one.
    #[must_use]
    pub fn without(&self, data_set: DataSetId) -> Self {
        let gone = self.rows_of(data_set);
        let kept: Vec<usize> = (0..self.stored_rows()).filter(|row| !gone.contains(row)).collect();
        let mut starts = self.starts.clone();
        starts.remove(data_set.index() + 1);
        starts[data_set.index() + 1..].iter_mut().for_each(|start| *start -= gone.len());
        let mut names = self.schema.data_sets().to_vec();
        names.remove(data_set.index());
        let weights = self.weights.as_ref().map(|weights| kept.iter().map(|&row| weights[row]).collect());
        self.of_rows(&kept, starts, weights, names)
    }

    fn of_rows(
        &self,
        rows: &[usize],
        starts: Vec<usize>,
        weights: Option<Vec<u64>>,
        data_sets: Vec<String>,
    ) -> Self {
        let columns: Vec<Column> = self.columns.iter().map(|column| column.of_rows(rows)).collect();
        let variables = columns
            .iter()
            .zip(self.schema.variables())
            .map(|(column, variable)| Variable { constant: column.is_constant(), ..variable.clone() });
        let schema = Schema::new(variables.collect(), data_sets);
        Self { schema, columns: columns.into(), starts, weights }
    }
}
