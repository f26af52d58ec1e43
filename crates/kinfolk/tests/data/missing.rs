//! Missing values.

use kinfolk::data::{Missing, Note, ReadOptions};

use crate::{cells, declare, discretize, notes, plain, reading, refusal, rows, states, texts};

const GAPS: [&str; 2] = ["p,q\nx,1\nNA,2\nx,\n", "p,q\n?,NaN\ny,1\n"];

#[test]
fn missing_values_are_refused_with_a_table_and_the_ways_out() {
    assert_eq!(
        refusal(&GAPS, &plain()),
        "values are missing:\n  \
           column         a  b  together\n  \
           p              1  1         2\n  \
           q              1  1         2\n  \
           complete rows  1  1         2\n\
         keep the complete rows only, make missing a state, or ignore columns, such as `q`"
    );
    let ignore = ReadOptions { ignore: texts(&["p"]), ..plain() };
    assert!(refusal(&GAPS, &ignore).ends_with("or ignore columns, such as `q`"));
}

#[test]
fn rows_with_missing_values_are_dropped_before_states_are_taken() {
    let options = ReadOptions { missing: Missing::DropRows, ..plain() };
    let reading = reading(&GAPS, &options);
    assert_eq!(rows(&reading), [1, 1]);
    assert_eq!(states(&reading, "q"), ["1"]);
    let dropped: Vec<u64> =
        reading.description.data_sets.iter().map(|data_set| data_set.dropped_rows).collect();
    assert_eq!(dropped, [2, 1]);
    assert_eq!(reading.description.variables[1].missing, [1, 1]);
    assert!(notes(&reading).contains(&"column `q` lost states that only dropped rows had: `2`".to_owned()));
    let text = refusal(&["p,q\n1,\n,1\n"], &options);
    assert!(
        text.starts_with(
            "every row (2 in all) has a missing value, so dropping incomplete rows leaves nothing"
        ),
        "{text}"
    );
}

#[test]
fn an_unknown_state_in_a_dropped_row_does_no_harm() {
    let options = ReadOptions { missing: Missing::DropRows, ..declare("p", &["x", "y"]) };
    let reading = reading(&["p,q\nx,1\nz,\n"], &options);
    assert_eq!(rows(&reading), [1]);
    let text = refusal(&["p,q\nx,1\nz,\nz,1\n"], &options);
    assert!(text.starts_with("a, row 4, column `p`: `z` is not one of its 2 states"), "{text}");
}

#[test]
fn missing_can_be_the_last_state() {
    let options = ReadOptions { missing: Missing::Level, ..discretize(&["q=cuts:1"]) };
    let reading = reading(&GAPS, &options);
    assert_eq!(states(&reading, "p"), ["x", "y", "(missing)"]);
    assert_eq!(states(&reading, "q"), ["<=1", ">1", "(missing)"]);
    assert_eq!(cells(&reading, "q"), [texts(&["<=1", ">1", "(missing)"]), texts(&["(missing)", "<=1"])]);
    assert_eq!(rows(&reading), [3, 2]);
    let text = refusal(&["p\n(missing)\nNA\n"], &ReadOptions { missing: Missing::Level, ..plain() });
    assert!(text.starts_with("column `p` has missing values and also a state `(missing)`"), "{text}");
    let declared = ReadOptions { missing: Missing::Level, ..declare("p", &["(missing)", "x"]) };
    assert_eq!(cells(&self::reading(&["p\nx\nNA\n"], &declared), "p"), [texts(&["x", "(missing)"])]);
}

#[test]
fn spellings_of_missing_replace_the_usual_ones_and_match_by_value() {
    let options = ReadOptions { na: texts(&["-9"]), missing: Missing::DropRows, ..plain() };
    let reading = reading(&["p,q\n1,NA\n-9.0,x\n-9,x\n,x\n2,x\n"], &options);
    assert_eq!(cells(&reading, "p"), [texts(&["1", "2"])]);
    assert_eq!(
        reading.description.notes,
        [Note::MissingSpellingIsState { column: "q".to_owned(), state: "NA".to_owned() }]
    );
    assert_eq!(
        notes(&reading),
        ["`NA` is an ordinary state of column `q`; count it as missing if it means that"]
    );
}

#[test]
fn the_description_serialises_plainly() {
    let reading = reading(&["p,q\n1,x\n2,x\n3,x\n"], &discretize(&["p=width:2"]));
    let json = serde_json::to_value(&reading.description).expect("plain");
    assert_eq!(json["data_sets"][0]["rows"], 3);
    assert_eq!(json["variables"][0]["kind"]["kind"], "discretized");
    assert_eq!(json["variables"][0]["kind"]["method"]["width"], 2);
    assert_eq!(json["variables"][0]["kind"]["cuts"][0], 2.0);
    assert_eq!(json["notes"][0]["note"], "constant");
}
