//! Related data sets: schema, encoded rows, and reading from files and memory.
//!
//! From a file to encoded rows:
//!
//! - `options`, `limits`: the settings of the reader; `source`: files, readers and tables in memory, decompressed and named.
//! - `table`: delimited text to cells; `coded`: dictionary-encoded tables; `raw`: one dictionary of texts per column.
//! - `layout`: which columns are variables, groups and weights; `rows`: which data set and weight a row has.
//! - `missing`: spellings of missing values, and the table of them that a refusal shows; `cell_mask`: missing cells that are kept.
//! - `levels`, `discretize`, `hartemink`, `joined_bins`, `coding`: the states of a column, declared, found or by bins.
//! - `copies`: rows that are equal in the numbers behind their bins, too.
//! - `encode`: decides every column's states, **refuses or drops missing values**, and encodes the rows; `read` runs all steps.
//! - `new_rows`: further files, encoded with the states of a known schema.
//!
//! What is known about data:
//!
//! - `schema`, `column`, `related`: the variables, one column of codes, and the rows of all data sets; `fingerprint`: their hash.
//! - `inspect`, `profile`, `suspicion`, `remarks`, `description`: what `describe` reports and what reading notes.
//! - `error`, `message`: errors with their places, and their wording with remedies.

mod cell_mask;
mod coded;
mod coding;
mod column;
mod copies;
mod description;
mod discretize;
mod encode;
mod error;
mod fingerprint;
mod hartemink;
mod inspect;
mod joined_bins;
mod layout;
mod levels;
mod limits;
mod message;
mod missing;
mod new_rows;
mod options;
mod profile;
mod raw;
mod read;
mod related;
mod remarks;
mod rows;
mod schema;
mod source;
mod suspicion;
mod table;

pub use cell_mask::CellMask;
pub use coded::{CodedColumn, CodedTable};
pub use coding::Coding;
pub use column::Column;
pub use description::{DataSetDescription, Description, Note, VariableDescription, VariableKind};
pub use discretize::{Discretization, DiscretizationRule, DiscretizationTarget};
pub use error::{ColumnDifference, DataError, ManyStates};
pub(crate) use error::{list_names, nothing_observed};
pub use inspect::{Inspection, describe};
pub use levels::{DeclaredLevels, parse_levels};
pub use limits::{ReadLimits, ReadLimitsError};
pub use missing::{MISSING_LABEL, MissingTable, missing_texts, split_missing_text};
pub use new_rows::{FileText, NewRow, NewRows, NewRowsOptions, Unseen, UnseenValue};
pub use options::{Missing, ReadOptions, named_delimiter};
pub use profile::{ColumnInDataSet, ColumnProfile, NumberSummary};
pub use read::{Phase, Reading, read, read_observed};
pub use related::RelatedData;
pub use remarks::{Detail, Remark, shorten_states};
pub use schema::{DataSetId, Schema, Variable, VariableId};
pub use source::Source;
pub use suspicion::Suspicion;
pub use table::column_name;
