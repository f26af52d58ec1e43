//! Text: delimiters, quotes, compression, and input that is not a table.

use kinfolk::data::{ReadOptions, read};

use crate::{cells, declare, gzip, notes, plain, reading, refusal, rows, source, states, texts};

#[test]
fn delimiters_are_recognised_outside_quotes() {
    for text in ["p,q\n1,2\n", "p\tq\n1\t2\n", "p;q\n1;2\n", "p|q\n1|2\n", "\"p\";\"q\"\n1;2", "\n\np;q\n1;2"]
    {
        assert_eq!(reading(&[text], &plain()).data.schema().names(), ["p", "q"], "{text}");
    }
    let reading_of = |text: &str, options: &ReadOptions| reading(&[text], options).data.schema().names();
    assert_eq!(reading_of("\"a,b,c\";q\n1;2\n", &plain()), ["a,b,c", "q"]);
    assert_eq!(reading_of("p,q;r\n1,2\n", &plain()), ["p", "q;r"]);
    let semicolon = ReadOptions { delimiter: Some(b';'), ..plain() };
    assert_eq!(reading_of("p,q,r;s\n1;2\n", &semicolon), ["p,q,r", "s"]);
    let quote = ReadOptions { delimiter: Some(b'"'), ..plain() };
    assert!(refusal(&["p\n1\n"], &quote).starts_with("delimiter must be one ASCII character"));
}

#[test]
fn byte_order_mark_line_ends_blank_lines_and_blanks_around_cells_do_not_matter() {
    let reading = reading(&["\u{feff}p , q\r\n a ,\" b \"\r\n\r\n   \r\nc,d", "q,p\n\nb,a\n"], &plain());
    assert_eq!(reading.data.schema().names(), ["p", "q"]);
    assert_eq!(cells(&reading, "p"), [texts(&["a", "c"]), texts(&["a"])]);
    assert_eq!(cells(&reading, "q"), [texts(&["b", "d"]), texts(&["b"])]);
}

#[test]
fn rows_are_numbered_as_lines_also_after_blank_lines_and_cells_of_several_lines() {
    for end in ["\n", "\r\n"] {
        for last in ["", end] {
            for (lines, row) in [
                (vec!["p,q", "1,2", "3"], 3),
                (vec!["p,q", "", "1,2", "", "", "3", "1,2"], 6),
                (vec!["p,q", "\"1", "x\",2", "3,4", "3"], 5),
                (vec!["p,q", "1,2", "", "\"1", "", "x\",2,3", "1,2"], 4),
                (vec!["p,q", "3"], 2),
            ] {
                let text = lines.join(end) + last;
                let refused = refusal(&[&text], &plain());
                assert!(refused.starts_with(&format!("a, row {row}: ")), "{text:?}: {refused}");
            }
        }
    }
    let text = refusal(&["p,q\n1,2,3\n"], &plain());
    assert_eq!(
        text,
        "a, row 2: 3 cells where the header has 2; correct the row, or set the delimiter if cells are split wrongly"
    );
}

#[test]
fn values_in_later_rows_are_found_again_by_their_line() {
    let options = declare("p", &["x", "y"]);
    let text = refusal(&["p\nx\n", "p\n\nx\ny\n\n\nz\n"], &options);
    assert_eq!(text, "b, row 7, column `p`: `z` is not one of its 2 states; declare it or drop the row");
}

#[test]
fn bad_text_is_refused_with_file_and_row() {
    let text = read(vec![source("a", b"p,q\n1,2\n1,\xff\n")], &plain()).expect_err("refused").to_string();
    assert!(text.starts_with("a, row 3, column `q`: the text is not UTF-8"), "{text}");
    let text = read(vec![source("a", b"\xff\xfep\n")], &plain()).expect_err("refused").to_string();
    assert!(text.starts_with("a, row 1: the text is not UTF-8"), "{text}");
    assert_eq!(refusal(&["p,q,p\n1,2,3\n"], &plain()), "a, row 1: two columns are named `p`; rename one");
    for empty in ["", "\n\n", "\u{feff}"] {
        assert_eq!(refusal(&[empty], &plain()), "a is empty; its first row must name the columns");
    }
}

#[test]
fn gzip_is_recognised_by_its_bytes_and_may_have_several_members() {
    let mut bytes = gzip("p\n1\n");
    bytes.extend(gzip("2\n3\n"));
    let reading = read(vec![source("a", bytes)], &plain()).expect("reads");
    assert_eq!(cells(&reading, "p"), [texts(&["1", "2", "3"])]);
}

#[test]
fn a_truncated_gzip_file_is_refused_by_name() {
    let text = (0..5000).map(|row| (row * row % 37).to_string()).collect::<Vec<_>>().join("\n");
    let bytes = gzip(&format!("p\n{text}"));
    for length in [bytes.len() / 2, bytes.len() - 4, 12] {
        let refused =
            read(vec![source("cut.gz", &bytes[..length])], &plain()).expect_err("refused").to_string();
        assert!(refused.starts_with("cut.gz: the compressed data end too early or are damaged"), "{refused}");
    }
}

#[test]
fn a_column_without_a_name_gets_one_and_a_note() {
    let reading = reading(&["\"\",p\n1,x\n2,y\n"], &plain());
    assert_eq!(reading.data.schema().names(), ["column 1", "p"]);
    assert!(notes(&reading).contains(&"a has a column without a name; it is called `column 1`".to_owned()));
}

#[test]
fn a_header_alone_is_an_empty_data_set_if_the_states_are_known() {
    let reading = reading(&["p\nx\ny\n", "p\n"], &plain());
    assert_eq!(rows(&reading), [2, 0]);
    assert!(reading.description.data_sets[1].empty);
    assert_eq!(reading.description.variables[0].absent, [texts(&[]), texts(&["x", "y"])]);
    let text = refusal(&["p p,q\n", "q,p p\n"], &plain());
    assert_eq!(
        text,
        "there are no rows: each file has a header and nothing below it, so that the states of column `p p` are unknown; give a file with rows, or declare the states of every column"
    );
    let declared = self::reading(&["p\n"], &declare("p", &["x", "y"]));
    assert_eq!(states(&declared, "p"), ["x", "y"]);
    assert!(declared.description.variables[0].constant);
}

#[test]
fn an_unclosed_quotation_mark_loses_no_rows() {
    for text in ["a,b\n1,x\n2,\"y\n3,z\n4,w\n", "a,b\r\n1,x\r\n2,\"y\r\n3,z\r\n"] {
        let refused = refusal(&[text], &plain());
        assert!(refused.contains("a, row 3") && refused.contains("never closed"), "{refused}");
    }
    assert!(refusal(&["a,\"b\n1,x\n"], &plain()).contains("row 1"));
    // Cells of several lines, doubled quotes and inches are as good as ever.
    let good = reading(&["a,b\n5\" pipe,\"x\ny\"\n\"he said \"\"no\"\"\",z\n"], &plain());
    assert_eq!(states(&good, "b"), ["x\ny", "z"]);
    assert_eq!(states(&good, "a"), ["5\" pipe", "he said \"no\""]);
}
