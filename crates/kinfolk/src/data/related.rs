//! Related data sets in memory: one column of codes per variable, rows grouped by data set, and masks of missing cells.

use std::ops::Range;
use std::sync::Arc;

use super::{CellMask, Column, DataSetId, Schema, Variable, VariableId};

/// Encoded rows of all data sets, grouped by data set.
///
/// Data are complete unless they were read with [`Missing::Impute`](super::Missing::Impute) or
/// [`Missing::Available`](super::Missing::Available), or created by [`RelatedData::with_missing`], and some cell is
/// missing. The code of a missing cell is 0 and has no meaning: readers of rows must check [`RelatedData::is_complete`]
/// or [`RelatedData::is_missing`] first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedData {
    schema: Schema,
    /// Shared between data that differ only in their weights.
    columns: Arc<[Column]>,
    starts: Vec<usize>,
    weights: Option<Vec<u64>>,
    /// For every variable its missing cells, if it has any; `None` if the data are complete.
    missing: Option<Arc<[Option<CellMask>]>>,
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
            assert!(weights.iter().all(|&weight| weight > 0), "every stored row has a positive weight");
        }
        Self { schema, columns: columns.into(), starts, weights, missing: None }
    }

    /// The same data with missing cells: one mask per variable, `None` for a complete variable. The codes of missing
    /// cells become 0, and `constant` is determined from the observed cells. Without any mask the data are returned
    /// unchanged.
    ///
    /// # Panics
    /// If there is not one mask per variable, or a mask has another number of rows.
    #[must_use]
    pub fn with_missing(self, masks: Vec<Option<CellMask>>) -> Self {
        assert_eq!(masks.len(), self.columns.len(), "one mask per variable");
        assert!(
            masks.iter().flatten().all(|mask| mask.rows() == self.stored_rows()),
            "a mask has a bit for every row"
        );
        if masks.iter().all(Option::is_none) {
            return self;
        }
        let cleared = self.columns.iter().zip(&masks).map(|(column, mask)| match mask {
            None => column.clone(),
            Some(mask) => {
                let mut cleared =
                    Column::for_states(column.max().map_or(0, |most| most as usize + 1), column.len());
                column
                    .iter()
                    .enumerate()
                    .for_each(|(row, code)| cleared.push(if mask.get(row) { 0 } else { code }));
                cleared
            }
        });
        let columns: Vec<Column> = cleared.collect();
        let schema = schema_of(&self.schema, &columns, &masks, self.weights.as_deref());
        Self { schema, columns: columns.into(), missing: Some(masks.into()), ..self }
    }

    /// Whether no cell is missing.
    pub fn is_complete(&self) -> bool {
        self.missing.is_none()
    }

    /// Whether the cell of a row is missing; its code then has no meaning.
    #[inline]
    pub fn is_missing(&self, id: VariableId, row: usize) -> bool {
        self.mask(id).is_some_and(|mask| mask.get(row))
    }

    /// The missing cells of a variable; `None` if it has none.
    pub fn mask(&self, id: VariableId) -> Option<&CellMask> {
        self.missing.as_ref().and_then(|masks| masks[id.index()].as_ref())
    }

    /// The number of missing cells of a variable in a data set, counted with multiplicity.
    pub fn missing_cells(&self, id: VariableId, data_set: DataSetId) -> u64 {
        let Some(mask) = self.mask(id) else { return 0 };
        self.rows_of(data_set).filter(|&row| mask.get(row)).map(|row| self.weight(row)).sum()
    }

    /// Whether a data set has rows but no value of a variable in any of them.
    pub fn lacks(&self, id: VariableId, data_set: DataSetId) -> bool {
        let rows = self.rows(data_set);
        rows > 0 && self.missing_cells(id, data_set) == rows
    }

    /// The variables and the names of the data sets.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The codes of one variable.
    pub fn column(&self, id: VariableId) -> &Column {
        &self.columns[id.index()]
    }

    /// The codes of all variables, to be replaced in place. Data that share them are not changed.
    ///
    /// The caller keeps every code below the number of states of its variable.
    pub(crate) fn columns_mut(&mut self) -> &mut [Column] {
        Arc::make_mut(&mut self.columns)
    }

    /// The bytes that the codes of all variables take.
    pub fn bytes(&self) -> usize {
        self.columns.iter().map(Column::bytes).sum()
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
        let masks = self.missing.as_deref().unwrap_or_default();
        Self {
            schema: schema_of(&self.schema, &self.columns, masks, Some(&weights)),
            columns: Arc::clone(&self.columns),
            starts: self.starts.clone(),
            weights: Some(weights),
            missing: self.missing.clone(),
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

    /// The same data sets with every stored row replaced by copies with these multiplicities; no copies, or copies of
    /// multiplicity 0, remove it.
    #[must_use]
    pub(crate) fn repeated(&self, copies: impl Fn(usize) -> Vec<u64>) -> Self {
        let (mut rows, mut weights, mut starts) = (Vec::new(), Vec::new(), vec![0]);
        for data_set in 0..self.schema.data_sets().len() {
            for row in self.rows_of(DataSetId::new(data_set)) {
                for weight in copies(row).into_iter().filter(|&weight| weight > 0) {
                    rows.push(row);
                    weights.push(weight);
                }
            }
            starts.push(rows.len());
        }
        let weights = weights.iter().any(|&weight| weight != 1).then_some(weights);
        self.of_rows(&rows, starts, weights, self.schema.data_sets().to_vec())
    }

    /// The same data with a constant in every column that has no value in any row: no arc can be learned for it.
    #[must_use]
    pub(crate) fn with_constants_for_empty_columns(self) -> Self {
        let Some(masks) = self.missing.clone() else { return self };
        let rows = self.stored_rows();
        let is_empty = |mask: &CellMask| (0..rows).all(|row| mask.get(row) || self.weight(row) == 0);
        if !masks.iter().flatten().any(is_empty) {
            return self;
        }
        let kept: Vec<Option<CellMask>> =
            masks.iter().map(|mask| mask.clone().filter(|mask| !is_empty(mask))).collect();
        let schema = schema_of(&self.schema, &self.columns, &kept, self.weights.as_deref());
        let missing = kept.iter().any(Option::is_some).then(|| kept.into());
        Self { schema, missing, ..self }
    }

    /// The rows in which none of these variables has its last state, which is then no state of them.
    ///
    /// # Panics
    /// If one of them has only one state.
    #[must_use]
    pub(crate) fn without_last_states(&self, ids: &[VariableId]) -> Self {
        let last = |id: VariableId| self.schema.states(id) - 1;
        let has_last =
            |row: usize| ids.iter().any(|&id| self.columns[id.index()].get(row) as usize == last(id));
        let weights: Vec<u64> =
            (0..self.stored_rows()).map(|row| if has_last(row) { 0 } else { self.weight(row) }).collect();
        let kept = self.reweighted(&weights);
        let mut variables = kept.schema.variables().to_vec();
        for id in ids {
            variables[id.index()].states.pop();
        }
        Self { schema: Schema::new(variables, kept.schema.data_sets().to_vec()), ..kept }
    }

    /// All rows as one data set.
    #[must_use]
    pub(crate) fn as_one(&self) -> Self {
        let schema = Schema::new(self.schema.variables().to_vec(), vec!["all".to_owned()]);
        Self { schema, starts: vec![0, self.stored_rows()], ..self.clone() }
    }

    /// Some of the data sets, in this order. One that occurs again gets a number after its name.
    #[must_use]
    pub(crate) fn of_data_sets(&self, data_sets: &[usize]) -> Self {
        let (mut rows, mut starts, mut names) = (Vec::new(), vec![0], Vec::<String>::new());
        for &data_set in data_sets {
            rows.extend(self.rows_of(DataSetId::new(data_set)));
            starts.push(rows.len());
            let name = &self.schema.data_sets()[data_set];
            let again = data_sets[..names.len()].iter().filter(|&&other| other == data_set).count();
            names.push(if again == 0 { name.clone() } else { format!("{name}\0{again}") });
        }
        let weights = self.weights.as_ref().map(|weights| rows.iter().map(|&row| weights[row]).collect());
        self.of_rows(&rows, starts, weights, names)
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
        let of_rows = |mask: &Option<CellMask>| mask.as_ref().and_then(|mask| mask.of_rows(rows));
        let masks: Vec<Option<CellMask>> =
            self.missing.iter().flat_map(|masks| masks.iter().map(of_rows)).collect();
        let schema =
            Schema::new(schema_of(&self.schema, &columns, &masks, None).variables().to_vec(), data_sets);
        let missing = masks.iter().any(Option::is_some).then(|| masks.into());
        Self { schema, columns: columns.into(), starts, weights, missing }
    }
}

/// The same variables, with `constant` determined from the observed cells of the counted rows. `masks` is empty for
/// complete data.
fn schema_of(
    schema: &Schema,
    columns: &[Column],
    masks: &[Option<CellMask>],
    weights: Option<&[u64]>,
) -> Schema {
    let variables = columns.iter().zip(schema.variables()).enumerate().map(|(index, (column, variable))| {
        let mask = masks.get(index).and_then(Option::as_ref);
        let counts = |row: &usize| {
            weights.is_none_or(|weights| weights[*row] > 0) && mask.is_none_or(|mask| !mask.get(*row))
        };
        let mut counted = (0..column.len()).filter(counts).map(|row| column.get(row));
        let first = counted.next();
        Variable { constant: counted.all(|code| Some(code) == first), ..variable.clone() }
    });
    Schema::new(variables.collect(), schema.data_sets().to_vec())
}
