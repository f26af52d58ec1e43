//! Limits on the cells, columns and decompressed size of files.

use kinfolk::data::{ReadLimits, ReadOptions, read};
use kinfolk::remedy::{Actionable, Neutral};

use crate::{gzip, plain, reading, refusal, rows, source};

fn limited(limits: ReadLimits) -> ReadOptions {
    ReadOptions { limits, ..plain() }
}

#[test]
fn a_cell_above_the_limit_is_refused_with_its_place() {
    let options = limited(ReadLimits { cell_bytes: 10, ..ReadLimits::default() });
    assert_eq!(rows(&reading(&["x,y\n0123456789,b\n1,b\n"], &options)), [2]);
    assert_eq!(
        refusal(&["x,y\n1,b\n2,0123456789a\n"], &options),
        "a, row 3, column `y`: the cell has more than 10 bytes; check that the file is what it should be, or raise the \
         limit `cell`"
    );
    assert!(refusal(&["x,0123456789a\n1,b\n"], &options).starts_with("a, row 1: a cell"));
}

#[test]
fn an_unclosed_quote_does_not_take_the_rest_of_the_file_into_memory() {
    let options = limited(ReadLimits { cell_bytes: 1000, ..ReadLimits::default() });
    let text = "x,y\n1,b\n2,\"b\n".to_owned() + &"1,b\n".repeat(100_000);
    let message = refusal(&[&text], &options);
    assert!(message.starts_with("a, row 3: a cell or row is far longer"), "{message}");
    assert!(message.contains("a quotation mark is not closed"), "{message}");
}

#[test]
fn an_unclosed_quote_is_named_even_if_it_leaves_too_few_cells() {
    let message = refusal(&["x,y\n1,2\n\"3,4\n5,6\n"], &plain());
    assert!(message.starts_with("a, row 3: its last cell opens with a quotation mark"), "{message}");
    // A closed quote over several lines is not blamed for a missing cell.
    let message = refusal(&["x,y\n1,2\n\"3\n4\"\n5,6\n"], &plain());
    assert!(message.starts_with("a, row 3: 1 cell where the header has 2"), "{message}");
}

#[test]
fn a_message_shortens_a_long_name() {
    let name = "n".repeat(50_000);
    let message = refusal(&[&format!("{name},{name}\n1,2\n")], &plain());
    assert!(message.starts_with("a, row 1: two columns are named `nnn"), "{message}");
    assert!(message.ends_with("nnn`; rename one") && message.chars().count() < 2000, "{message}");
}

#[test]
fn more_columns_than_the_limit_are_refused() {
    let options = limited(ReadLimits { columns: 3, ..ReadLimits::default() });
    assert_eq!(rows(&reading(&["x,y,z\n1,2,3\n2,3,4\n"], &options)), [2]);
    assert!(refusal(&["x,y,z,u\n1,2,3,4\n"], &options).starts_with("a has more than 3 columns"));
}

#[test]
fn a_compressed_file_that_expands_too_far_is_refused() {
    let text = "x,y\n".to_owned() + &"1,2\n2,1\n".repeat(50_000);
    let options = limited(ReadLimits { expanded_bytes: 100_000, ..ReadLimits::default() });
    // The limit is on compressed files only.
    assert_eq!(rows(&reading(&[&text], &options)), [100_000]);
    let message = read(vec![source("a", gzip(&text))], &options).unwrap_err().message(&Neutral);
    assert!(message.contains("the compressed file expands to more than 100000 bytes"), "{message}");
    assert!(message.ends_with("or raise the limit `expanded`"), "{message}");
}
