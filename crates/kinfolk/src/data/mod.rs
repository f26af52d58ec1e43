//! Related data sets: their schema, their rows encoded as small integers, and how files become both.

mod coded;
mod coding;
mod column;
mod description;
mod discretize;
mod encode;
mod error;
mod fingerprint;
mod layout;
mod levels;
mod missing;
mod new_rows;
mod options;
mod raw;
mod read;
mod related;
mod rows;
mod schema;
mod source;
mod table;

pub use coded::{CodedColumn, CodedTable};
pub use coding::Coding;
pub use column::Column;
pub use description::{DataSetDescription, Description, Kind, Note, VariableDescription};
pub use discretize::{Discretization, Rule, Target};
pub(crate) use error::list_names;
pub use error::{ColumnDifference, DataError, ManyStates};
pub use levels::{DeclaredLevels, parse_levels};
pub use missing::{MISSING_LABEL, MissingTable};
pub use new_rows::{NewRow, NewRows, NewRowsOptions, Unseen, UnseenValue};
pub use options::{Missing, ReadOptions};
pub use read::{Phase, Reading, describe, read, read_observed};
pub use related::RelatedData;
pub use schema::{DataSetId, Schema, Variable, VariableId};
pub use source::Source;
