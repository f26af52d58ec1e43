//! Reading related data sets from delimited text: results and error messages.

mod coded;
mod columns;
mod discretisation;
mod files;
mod levels;
mod limits;
mod missing;
mod simulated;
mod subjects;
mod text;
mod weights;

use std::io::{Cursor, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use kinfolk::data::{DataSetId, DiscretizationRule, Missing, ReadOptions, Reading, Source, read};
use kinfolk::remedy::{Actionable, Neutral};
use proptest::prelude::*;

fn source(name: &str, text: impl AsRef<[u8]>) -> Source {
    Source::Reader { name: name.to_owned(), reader: Box::new(Cursor::new(text.as_ref().to_vec())) }
}

fn sources(texts: &[&str]) -> Vec<Source> {
    let names = ["a", "b", "c", "d"];
    texts.iter().zip(names).map(|(text, name)| source(name, text)).collect()
}

fn reading(texts: &[&str], options: &ReadOptions) -> Reading {
    read(sources(texts), options).expect("the data can be read")
}

fn refusal(texts: &[&str], options: &ReadOptions) -> String {
    read(sources(texts), options).expect_err("the data cannot be read").message(&Neutral)
}

fn plain() -> ReadOptions {
    ReadOptions::default()
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|&text| text.to_owned()).collect()
}

fn rule(text: &str) -> DiscretizationRule {
    text.parse().expect("a good rule")
}

fn discretize(rules: &[&str]) -> ReadOptions {
    ReadOptions { discretize: rules.iter().map(|text| rule(text)).collect(), ..plain() }
}

fn declare(column: &str, levels: &[&str]) -> ReadOptions {
    ReadOptions { levels: vec![(column.to_owned(), texts(levels))], ..plain() }
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

/// The states of a variable.
fn states<'a>(reading: &'a Reading, column: &str) -> &'a [String] {
    let id = reading.data.schema().find(column).expect("the column is a variable");
    &reading.data.schema().variable(id).states
}

/// The cells of a column, data set by data set.
fn cells(reading: &Reading, column: &str) -> Vec<Vec<String>> {
    let data = &reading.data;
    let id = data.schema().find(column).expect("the column is a variable");
    let cell = |row: usize| data.schema().variable(id).states[data.column(id).get(row) as usize].clone();
    (0..data.schema().data_sets().len())
        .map(|data_set| data.rows_of(DataSetId::new(data_set)).map(cell).collect())
        .collect()
}

fn rows(reading: &Reading) -> Vec<u64> {
    reading.description.data_sets.iter().map(|data_set| data_set.rows).collect()
}

fn notes(reading: &Reading) -> Vec<String> {
    reading.description.notes.iter().map(|note| note.message(&Neutral)).collect()
}

proptest! {
    #[test]
    fn the_order_of_columns_in_later_files_changes_nothing(
        table in prop::collection::vec(prop::collection::vec(0..4_u8, 4), 1..12),
        order in Just([0, 1, 2, 3]).prop_shuffle(),
    ) {
        let text = |order: &[usize; 4]| {
            let mut text = order.map(|column| format!("v{column}")).join(",") + "\n";
            for row in &table {
                text += &(order.map(|column| row[column].to_string()).join(",") + "\n");
            }
            text
        };
        let first = text(&[0, 1, 2, 3]);
        let straight = reading(&[&first, &first], &plain());
        prop_assert_eq!(straight, reading(&[&first, &text(&order)], &plain()));
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..80), text in "[a-c0-9,;\"\n\r\\-. ]{0,60}") {
        for options in [plain(), discretize(&["all=quantile:2"]), ReadOptions { missing: Missing::Level, ..plain() }] {
            let _ = read(vec![source("a", &bytes), source("b", &text)], &options);
            let _ = read(vec![source("b", &text)], &ReadOptions { missing: Missing::DropRows, ..options });
        }
    }
}
