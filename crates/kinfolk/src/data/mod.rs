//! Related data sets: their schema, their rows encoded as small integers, and how files become both.

mod column;
mod related;
mod schema;

pub use column::Column;
pub use related::RelatedData;
pub use schema::{DataSetId, Schema, Variable, VariableId};
