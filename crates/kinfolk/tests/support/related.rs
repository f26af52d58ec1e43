//! The simulated related data of the golden files.

use std::path::PathBuf;

use kinfolk::data::{ReadOptions, RelatedData, Source, read};

/// One of the golden data files, split by its column `site`.
pub(crate) fn read_related(name: &str) -> RelatedData {
    let path = PathBuf::from(format!("{}/tests/golden/related/{name}.csv", env!("CARGO_MANIFEST_DIR")));
    let options = ReadOptions { group: Some("site".to_owned()), ..ReadOptions::default() };
    read(vec![Source::Path(path)], &options).unwrap().data
}
