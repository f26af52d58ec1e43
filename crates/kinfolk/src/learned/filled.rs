//! The record of learning from incomplete data: its rounds, and the filled-in cells by column.

use serde::{Deserialize, Serialize};

use crate::data::{DataSetId, Missing, RelatedData};

/// The treatment of missing values in a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FilledIn {
    /// [`Missing::Impute`] or [`Missing::Available`].
    pub treatment: Missing,
    /// The number of versions of the completed data over which the score is averaged; 0 if nothing was filled in.
    pub versions: usize,
    /// The rounds of structural EM, in order.
    pub rounds: Vec<Round>,
    /// Whether the last three rounds did not change the equivalence class; false if a limit ended the rounds.
    pub settled: bool,
    /// The missing cells of all data sets as a share of all cells.
    pub share: f64,
    /// The missing cells by data set and column, where there are any.
    pub columns: Vec<FilledColumn>,
}

/// One round of structural EM: missing cells are drawn, then the structure is searched for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// 1: one version, families counted on rows whose child was observed. 2: several versions, all rows.
    pub phase: u8,
    /// The structure after it, as a modelstring.
    pub structure: String,
    /// The score of the structure on the completed data of this round; scores of the two phases cannot be compared.
    pub score: f64,
    /// Whether the structure belongs to another equivalence class than before the round.
    pub changed: bool,
}

/// The missing cells of one column in one data set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FilledColumn {
    /// The data set.
    pub data_set: String,
    /// The column.
    pub column: String,
    /// The missing cells as a share of its rows there.
    pub share: f64,
    /// Whether the data set has no value of the column, so that it has the tables of the common centre.
    pub absent: bool,
}

impl FilledIn {
    /// The missing cells of data that are filled in for structures, without rounds to report.
    pub(crate) fn for_structure(data: &RelatedData) -> Self {
        Self { settled: true, ..Self::new(data, Missing::Impute) }
    }

    /// The missing cells of incomplete data, before any round.
    pub fn new(data: &RelatedData, treatment: Missing) -> Self {
        let schema = data.schema();
        let (mut columns, mut missing, mut cells) = (Vec::new(), 0, 0);
        for (index, data_set) in schema.data_sets().iter().enumerate() {
            let id = DataSetId::new(index);
            let rows = data.rows(id);
            for variable in schema.ids() {
                let here = data.missing_cells(variable, id);
                (missing, cells) = (missing + here, cells + rows);
                if here > 0 {
                    columns.push(FilledColumn {
                        data_set: data_set.clone(),
                        column: schema.variable(variable).name.clone(),
                        share: here as f64 / rows as f64,
                        absent: here == rows,
                    });
                }
            }
        }
        let share = if cells == 0 { 0.0 } else { missing as f64 / cells as f64 };
        Self { treatment, versions: 0, rounds: Vec::new(), settled: false, share, columns }
    }
}
