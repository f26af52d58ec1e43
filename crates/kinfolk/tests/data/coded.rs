//! Dictionary-encoded tables are read like files with the same cells.

use kinfolk::data::{CodedColumn, CodedTable, Column, VariableKind};

use super::*;

/// A column from its cells; an empty one has a code without a text.
fn column(name: &str, cells: &[&str]) -> CodedColumn {
    let mut texts: Vec<String> =
        cells.iter().filter(|cell| !cell.is_empty()).map(|&cell| cell.to_owned()).collect();
    texts.sort();
    texts.dedup();
    let mut codes = Column::default();
    for &cell in cells {
        let code = texts.iter().position(|text| text == cell).unwrap_or(texts.len());
        codes.push(u32::try_from(code).expect("few texts"));
    }
    CodedColumn { name: name.to_owned(), texts, codes, is_categorical: false }
}

fn categorical(name: &str, categories: &[&str], codes: &[u8]) -> CodedColumn {
    CodedColumn {
        name: name.to_owned(),
        texts: texts(categories),
        codes: Column::U8(codes.to_vec()),
        is_categorical: true,
    }
}

fn table(name: &str, columns: Vec<CodedColumn>) -> Source {
    Source::Coded(CodedTable::new(name.to_owned(), columns))
}

fn states(reading: &Reading, index: usize) -> Vec<String> {
    reading.data.schema().variables()[index].states.clone()
}

type CodedRows = [(String, String)];

fn as_file(name: &str, rows: &CodedRows) -> Source {
    let lines: Vec<String> = rows.iter().map(|(x, y)| format!("{x},{y}\n")).collect();
    source(name, format!("x,y\n{}", lines.concat()))
}

fn as_coded(name: &str, rows: &CodedRows) -> Source {
    let (x, y): (Vec<&str>, Vec<&str>) = rows.iter().map(|(x, y)| (x.as_str(), y.as_str())).unzip();
    table(name, vec![column("x", &x), column("y", &y)])
}

proptest! {
    #[test]
    fn coded_tables_read_as_files_of_the_same_cells(
        first in prop::collection::vec(("[ab ]{0,2}", "[0-3](\\.0)?"), 1..20),
        second in prop::collection::vec(("[bc]|NA", "[2-5]"), 0..20),
        missing in prop::sample::select(vec![Missing::DropRows, Missing::Level]),
        bins in any::<bool>(),
    ) {
        let discretize = if bins { vec![rule("y=quantile:2")] } else { Vec::new() };
        let options = ReadOptions { missing, discretize, ..plain() };
        let files = read(vec![as_file("a", &first), as_file("b", &second)], &options);
        let coded = read(vec![as_coded("a", &first), as_coded("b", &second)], &options);
        match (files, coded) {
            (Ok(files), Ok(coded)) => prop_assert_eq!(files, coded),
            (files, coded) => prop_assert_eq!(
                files.map_err(|error| error.to_string()).err(),
                coded.map_err(|error| error.to_string()).err()
            ),
        }
    }
}

#[test]
fn categories_are_states_in_their_order_seen_or_not() {
    let small = table("a", vec![categorical("size", &["small", "large", "huge"], &[1, 0])]);
    let other = table("b", vec![categorical("size", &["large", "giant"], &[0, 1, 0])]);
    let reading = read(vec![small, other], &plain()).expect("good tables");
    assert_eq!(states(&reading, 0), ["small", "large", "huge", "giant"]);
    assert_eq!(reading.description.variables[0].kind, VariableKind::Declared);
    assert_eq!(reading.data.column(kinfolk::data::VariableId(0)).iter().collect::<Vec<_>>(), [1, 0, 1, 3, 1]);
}

#[test]
fn categories_come_before_what_tables_without_any_have_besides() {
    let coded = || table("b", vec![categorical("size", &["small", "huge"], &[0])]);
    let texts = || table("a", vec![column("size", &["z", "large", "huge"])]);
    for tables in
        [vec![coded(), texts()], vec![texts(), coded()], vec![source("a", "size\nz\nlarge\nhuge\n"), coded()]]
    {
        let reading = read(tables, &plain()).expect("good tables");
        assert_eq!(states(&reading, 0), ["small", "huge", "large", "z"]);
    }
    let numbers = table("c", vec![categorical("n", &["2", "1"], &[0])]);
    let spelt = table("d", vec![column("n", &["1.0", "3"])]);
    assert_eq!(states(&read(vec![numbers, spelt], &plain()).expect("good tables"), 0), ["2", "1", "3"]);
}

#[test]
fn a_category_is_a_state_however_it_is_spelt() {
    let answers = || table("a", vec![categorical("answer", &["yes", "?", "NA"], &[0, 1, 3])]);
    let refusal = read(vec![answers()], &plain()).expect_err("the last value is missing").to_string();
    let line = refusal.lines().find(|line| line.contains("answer")).expect("the column is named");
    assert_eq!(line.split_whitespace().collect::<Vec<_>>(), ["answer", "1"], "{refusal}");
    let options = ReadOptions { missing: Missing::DropRows, ..plain() };
    let reading = read(vec![answers(), table("b", vec![column("answer", &["?", "no"])])], &options);
    let reading = reading.expect("good tables");
    assert_eq!(states(&reading, 0), ["yes", "?", "NA", "no"]);
    assert_eq!(reading.description.data_sets[1].dropped_rows, 0);
    let notes: Vec<String> = reading.description.notes.iter().map(ToString::to_string).collect();
    assert!(notes[0].starts_with("`?` is an ordinary state of column `answer`"), "{notes:?}");
    let empty = table("a", vec![categorical("answer", &["yes", ""], &[0])]);
    let refusal = read(vec![empty], &plain()).expect_err("a state without a name").to_string();
    assert!(refusal.contains("an empty state would always mean missing"), "{refusal}");
}

#[test]
fn settings_win_over_categories() {
    let ages = || vec![table("a", vec![categorical("age", &["3", "1", "2"], &[0, 1, 2, 0])])];
    let reading = read(ages(), &declare("age", &["1", "2", "3", "4"])).expect("good tables");
    assert_eq!(states(&reading, 0), ["1", "2", "3", "4"]);
    let reading = read(ages(), &discretize(&["age=cuts:1.5"])).expect("good tables");
    assert_eq!(states(&reading, 0).len(), 2);
}

#[test]
fn messages_count_the_rows_of_coded_tables_from_zero() {
    let numbers = table("a", vec![column("age", &["1", "x", "2"])]);
    let refusal = read(vec![numbers], &discretize(&["age=quantile:2"])).expect_err("x is no number");
    assert!(refusal.to_string().starts_with("a, row 1, column `age`: `x` is not a number"), "{refusal}");
}

#[test]
fn a_code_without_a_text_is_a_missing_value() {
    let gap = table("a", vec![categorical("size", &["small", "large"], &[0, 2, 1])]);
    let refusal = read(vec![gap], &plain()).expect_err("a value is missing").to_string();
    assert!(refusal.starts_with("values are missing:"), "{refusal}");
}
