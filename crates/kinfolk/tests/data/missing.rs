//! Missing values.

use kinfolk::counts::{Family, MemoryTally, Tally, TallyError};
use kinfolk::data::{DataSetId, Missing, Note, ReadOptions, Reading, VariableId};

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
         learn with missing values filled in, keep the complete rows only, make missing a state, or ignore columns, \
         such as `q`"
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
fn an_unknown_state_in_a_dropped_row_is_ignored() {
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

fn kept() -> ReadOptions {
    ReadOptions { missing: Missing::Impute, ..plain() }
}

/// The missing cells of a column, as flags by stored row.
fn gaps(reading: &Reading, column: &str) -> Vec<bool> {
    let id = reading.data.schema().find(column).expect("the column is a variable");
    (0..reading.data.stored_rows()).map(|row| reading.data.is_missing(id, row)).collect()
}

#[test]
fn rows_with_missing_values_are_kept_and_their_cells_marked() {
    let reading = reading(&GAPS, &kept());
    assert_eq!(rows(&reading), [3, 2]);
    assert_eq!(states(&reading, "p"), ["x", "y"]);
    assert_eq!(gaps(&reading, "p"), [false, true, false, true, false]);
    assert_eq!(gaps(&reading, "q"), [false, false, true, true, false]);
    let (p, q) = (VariableId::new(0), VariableId::new(1));
    assert_eq!(reading.data.missing_cells(p, DataSetId::new(0)), 1);
    assert_eq!(reading.description.variables[1].missing, [1, 1]);
    assert_eq!(reading.description.variables[0].absent, [texts(&["y"]), texts(&["x"])]);
    assert_eq!(notes(&reading), ["1 row of b without any value; nothing can be learned from them"]);
    let tally = MemoryTally::new(&reading.data);
    assert_eq!(tally.tally(&Family::new(p, [q])), Err(TallyError::Incomplete));
}

#[test]
fn data_without_missing_values_are_the_same_under_every_treatment() {
    let files = ["p,q\nx,1\ny,2\n", "q,p\n1,y\n"];
    let refused = reading(&files, &plain());
    for missing in [Missing::Impute, Missing::Available] {
        let kept = reading(&files, &ReadOptions { missing, ..plain() });
        assert_eq!(kept, refused);
        assert!(kept.data.is_complete());
        assert_eq!(kept.data.fingerprint(), refused.data.fingerprint());
    }
    let other = reading(&["p,q\nx,1\ny,2\n", "q,p\n1,\n1,y\n"], &kept());
    let zero = reading(&["p,q\nx,1\ny,2\n", "q,p\n1,x\n1,y\n"], &kept());
    assert_ne!(other.data.fingerprint(), zero.data.fingerprint(), "a missing cell is not the first state");
}

#[test]
fn a_file_may_lack_columns_that_are_filled_in() {
    let files = ["p,q\n1,a\n2,b\n", "r,p\nu,1\nv,2\n"];
    let reading = reading(&files, &kept());
    assert_eq!(reading.data.schema().names(), ["p", "q", "r"]);
    assert_eq!(gaps(&reading, "q"), [false, false, true, true]);
    assert_eq!(gaps(&reading, "r"), [true, true, false, false]);
    assert!(reading.data.lacks(VariableId::new(1), DataSetId::new(1)));
    assert_eq!(
        notes(&reading),
        [
            "a has no value of `r`; their results there come from the other data sets",
            "b has no value of `q`; their results there come from the other data sets",
        ]
    );
    let common = ReadOptions { common_columns: true, ..kept() };
    assert!(self::reading(&files, &common).data.is_complete());
    let text = refusal(&["p\n1\n", "q\n1\n"], &kept());
    assert!(text.starts_with("the files share no column"), "{text}");
}

#[test]
fn a_column_without_any_value_is_refused_and_a_data_set_without_any_is_noted() {
    assert_eq!(
        refusal(&["p,q\n1,\n2,NA\n", "p\n1\n"], &kept()),
        "column `q` has no value in any data set, so nothing can be learned about it; ignore column `q`"
    );
    assert_eq!(
        refusal(&["p,q,r\n1,,\n2,NA,?\n", "p\n1\n"], &kept()),
        "columns `q`, `r` have no value in any data set, so nothing can be learned about them; ignore these columns"
    );
    let many: Vec<String> = (1..=40).map(|place| format!("c{place}")).collect();
    let text =
        refusal(&[&format!("p,{}\n1{}\n2{}\n", many.join(","), ",".repeat(40), ",".repeat(40))], &kept());
    assert!(text.contains("`c29`, `c30` and 10 more have no value") && !text.contains("c31"), "{text}");
    let declared = ReadOptions { missing: Missing::Impute, ..declare("q", &["u", "v"]) };
    assert!(refusal(&["p,q\n1,\n2,NA\n"], &declared).starts_with("column `q` has no value"));
    let empty = reading(&["p,q\n1,a\n2,b\n", "p,q\n,\n,\n"], &kept());
    assert_eq!(rows(&empty), [2, 2]);
    assert_eq!(notes(&empty), ["b has no value at all; its results come from the other data sets"]);
}

#[test]
fn missing_cells_follow_their_rows() {
    let reading = reading(&["p,q\nx,1\n,2\nx,\ny,1\n", "p,q\n,2\n"], &kept());
    let data = &reading.data;
    let (p, q) = (VariableId::new(0), VariableId::new(1));
    let some = data.reweighted(&[0, 1, 2, 0, 0]);
    assert_eq!([some.is_missing(p, 0), some.is_missing(p, 1), some.is_missing(q, 1)], [true, false, true]);
    assert_eq!(some.missing_cells(q, DataSetId::new(0)), 2);
    assert!(some.schema().variable(p).constant, "one observed value is left");
    assert!(data.reweighted(&[1, 0, 0, 1, 0]).is_complete());
    assert!(!data.without(DataSetId::new(1)).is_complete());
    assert!(data.with_weights(vec![1, 1, 1, 0, 1]).schema().variable(p).constant);
    assert!(!data.schema().variable(p).constant);
}

#[test]
fn a_text_can_mean_missing_in_one_column() {
    let options = ReadOptions { na: texts(&["", "NA", "q=0"]), missing: Missing::Level, ..plain() };
    let reading = reading(&["p,q\n0,0\n1,0.0\n0,NA\n1,1\n"], &options);
    assert_eq!(states(&reading, "p"), ["0", "1"]);
    assert_eq!(cells(&reading, "q"), [texts(&["(missing)", "(missing)", "(missing)", "1"])]);
    let unknown = ReadOptions { na: texts(&["r=0"]), ..plain() };
    assert!(refusal(&["p,q\n0,0\n"], &unknown).starts_with("na: there is no column `r`"));
}

#[test]
fn a_row_without_a_data_set_is_dropped_with_the_incomplete_ones() {
    let text = ["p,q,site\nx,1,n\nz,2,\n,1,s\ny,1,s\n"];
    let options = ReadOptions { group: Some("site".to_owned()), ..plain() };
    let refused = refusal(&text, &options);
    assert!(
        refused.contains("row 3, column `site`") && refused.contains("keep the complete rows"),
        "{refused}"
    );
    let reading = reading(&text, &ReadOptions { missing: Missing::DropRows, ..options });
    assert_eq!(reading.data.schema().data_sets(), ["n", "s"]);
    assert_eq!(rows(&reading), [1, 1]);
    assert_eq!(states(&reading, "p"), ["x", "y"]);
    let dropped: Vec<u64> = reading.description.data_sets.iter().map(|one| one.dropped_rows).collect();
    assert_eq!(dropped, [0, 1]);
    let note = Note::RowsWithoutGroup { column: "site".to_owned(), rows: 1 };
    assert!(reading.description.notes.contains(&note));
}
