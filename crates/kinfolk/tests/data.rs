//! Reading related data sets from delimited text: what is understood, and what is refused with which words.

use std::fs;
use std::io::{Cursor, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use kinfolk::data::{
    DataError, DataSetId, Discretization, Kind, Missing, Note, ReadOptions, Reading, Rule, Source, Target,
    parse_levels, read,
};
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
    read(sources(texts), options).expect_err("the data cannot be read").to_string()
}

fn plain() -> ReadOptions {
    ReadOptions::default()
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|&text| text.to_owned()).collect()
}

fn rule(text: &str) -> Rule {
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
    reading.description.notes.iter().map(ToString::to_string).collect()
}

// ---- files, names and groups ----

#[test]
fn each_file_is_a_data_set_named_after_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut paths = Vec::new();
    for name in ["x.csv", "y.csv.gz", "z.tsv", "w.table"] {
        let path = folder.path().join(name);
        let text = if name == "z.tsv" { "p\tq,r\n1\t2\n" } else { "p,\"q,r\"\n1,2\n" };
        let bytes = if name.ends_with("gz") { gzip(text) } else { text.as_bytes().to_vec() };
        fs::write(&path, bytes).expect("written");
        paths.push(Source::Path(path));
    }
    paths
        .push(Source::Reader { name: "stdin".to_owned(), reader: Box::new(Cursor::new("p,\"q,r\"\n2,1\n")) });
    let reading = read(paths, &plain()).expect("reads");
    assert_eq!(reading.data.schema().data_sets(), ["x", "y", "z", "w.table", "stdin"]);
    assert_eq!(reading.description.data_sets[4].sources, ["standard input"]);
    assert!(reading.description.data_sets[0].sources[0].ends_with("x.csv"));
    assert_eq!(states(&reading, "q,r"), ["1", "2"]);
}

#[test]
fn files_of_one_name_are_told_apart_by_their_folders_or_endings() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut sources = Vec::new();
    for name in ["a/s/x.csv", "b/s/x.csv", "c/x.csv", "y.csv", "y.tsv", "z.csv"] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("created");
        fs::write(&path, "p\n1\n").expect("written");
        sources.push(Source::Path(path));
    }
    let reading = read(sources, &plain()).expect("reads");
    let names = reading.data.schema().data_sets();
    assert_eq!(names[..3], ["a/s/x", "b/s/x", "c/x"]);
    assert!(names[3].ends_with("/y.csv") && names[4].ends_with("/y.tsv"));
    assert_eq!(names[5], "z");
}

#[test]
fn readers_of_one_name_still_get_distinct_names() {
    let reading = read(vec![source("s", "p\n1\n"), source("s", "p\n2\n")], &plain()).expect("reads");
    assert_eq!(reading.data.schema().data_sets(), ["s (1)", "s (2)"]);
}

#[test]
fn the_same_file_twice_a_folder_and_a_missing_file_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.csv");
    fs::write(&path, "p\n1\n").expect("written");
    let other = folder.path().join(".").join("x.csv");
    let refused = |sources| read(sources, &plain()).expect_err("refused").to_string();
    assert!(
        refused(vec![Source::Path(path.clone()), Source::Path(other)])
            .ends_with("its rows would count twice")
    );
    let text = refused(vec![Source::Path(folder.path().to_owned())]);
    assert!(text.ends_with("is a directory; name the files in it"), "{text}");
    let text = refused(vec![Source::Path(folder.path().join("none.csv"))]);
    assert!(text.contains("none.csv: cannot be opened: "), "{text}");
    assert!(matches!(read(vec![], &plain()), Err(DataError::NoSource)));
}

#[test]
fn a_column_can_split_the_stacked_rows_in_natural_order() {
    let options = ReadOptions { group: Some("g".to_owned()), ..plain() };
    let reading = reading(&["g,p\nh10,1\nh2,2\nh10,3\n", "p,g\n4,h2\n5,h1\n"], &options);
    assert_eq!(reading.data.schema().data_sets(), ["h1", "h2", "h10"]);
    assert_eq!(reading.data.schema().names(), ["p"]);
    assert_eq!(cells(&reading, "p"), [texts(&["5"]), texts(&["2", "4"]), texts(&["1", "3"])]);
    assert_eq!(reading.description.data_sets[0].sources, ["a", "b"]);
}

#[test]
fn a_missing_group_or_weight_is_refused_with_its_place() {
    let group = ReadOptions { group: Some("g".to_owned()), ..plain() };
    let text = refusal(&["g,p\nx,1\nNA,2\n"], &group);
    assert!(
        text.starts_with("a, row 3, column `g`: the value is missing (`NA`), but --group needs one"),
        "{text}"
    );
    let weight = ReadOptions { weight: Some("g".to_owned()), ..plain() };
    let text = refusal(&["g,p\n1,1\n", "g,p\n,2\n"], &weight);
    assert!(
        text.starts_with("b, row 2, column `g`: the value is missing (``), but --weight needs one"),
        "{text}"
    );
    let text = refusal(&["g,p\n1,1\n", "p\n2\n"], &weight);
    assert_eq!(text, "b has no column `g`, which --weight needs in every file");
    let both = ReadOptions { group: Some("g".to_owned()), ..weight };
    assert!(refusal(&["g,p\n1,1\n"], &both).contains("both --group and --weight"));
}

// ---- text ----

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
    assert!(refusal(&["p\n1\n"], &quote).starts_with("--delimiter must be one ASCII character"));
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
        "a, row 2: 3 cells where the header has 2; mend the row, or give --delimiter if cells are split wrongly"
    );
}

#[test]
fn values_in_later_rows_are_found_again_by_their_line() {
    let options = declare("p", &["x", "y"]);
    let text = refusal(&["p\nx\n", "p\n\nx\ny\n\n\nz\n"], &options);
    assert_eq!(
        text,
        "b, row 7, column `p`: `z` is not one of its 2 states; declare it with --levels or drop the row"
    );
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
        "column `p p` has no value in any file, so its states are unknown; declare them with --levels or leave it out with --ignore 'p p'"
    );
    let declared = self::reading(&["p\n"], &declare("p", &["x", "y"]));
    assert_eq!(states(&declared, "p"), ["x", "y"]);
    assert!(declared.description.variables[0].constant);
}

// ---- columns ----

#[test]
fn columns_are_matched_by_name_in_the_order_of_the_first_file() {
    let reading = reading(&["q,p\n1,a\n", "p,q\nb,2\n"], &plain());
    assert_eq!(reading.data.schema().names(), ["q", "p"]);
    assert_eq!(cells(&reading, "p"), [texts(&["a"]), texts(&["b"])]);
}

#[test]
fn differing_columns_are_refused_or_left_out() {
    let files = ["p,q\n1,2\n", "p,r\n1,2\n", "q,p\n1,2\n"];
    assert_eq!(
        refusal(&files, &plain()),
        "the files do not have the same columns; compared with a:\n  b lacks `q`; has the extra `r`\n\
         keep only the shared ones with --common-columns, or choose with --columns or --ignore"
    );
    let reading = reading(&files, &ReadOptions { common_columns: true, ..plain() });
    assert_eq!(reading.data.schema().names(), ["p"]);
    assert!(notes(&reading).contains(&"left out because not every file has them: `q`, `r`".to_owned()));
    let ignore = ReadOptions { ignore: texts(&["q", "r"]), ..plain() };
    assert_eq!(self::reading(&files, &ignore).data.schema().names(), ["p"]);
    let text = refusal(&["p\n1\n", "q\n1\n"], &ReadOptions { common_columns: true, ..plain() });
    assert!(text.starts_with("the files share no column"), "{text}");
}

#[test]
fn columns_are_chosen_or_ignored_by_name() {
    let file = ["p,q,r\n1,2,3\n"];
    let chosen = ReadOptions { columns: Some(texts(&["r", "p"])), ..plain() };
    assert_eq!(reading(&file, &chosen).data.schema().names(), ["p", "r"]);
    let ignored = ReadOptions { ignore: texts(&["q"]), ..plain() };
    assert_eq!(reading(&file, &ignored).data.schema().names(), ["p", "r"]);
    let both = ReadOptions { columns: Some(texts(&["p"])), ignore: texts(&["p"]), ..plain() };
    assert_eq!(refusal(&file, &both), "column `p` is named by both --columns and --ignore; leave one out");
    let none = ReadOptions { ignore: texts(&["p", "q"]), group: Some("r".to_owned()), ..plain() };
    assert!(refusal(&file, &none).starts_with("no column is left to be a variable"));
}

#[test]
fn an_unknown_column_is_refused_with_the_columns_there_are() {
    let file = ["colour,size\n1,2\n"];
    let name = || Some("Color".to_owned());
    let ending = ": there is no column `Color` (did you mean `colour`?); the columns are `colour`, `size`";
    for (flag, options) in [
        ("--columns", ReadOptions { columns: Some(texts(&["Color"])), ..plain() }),
        ("--ignore", ReadOptions { ignore: texts(&["Color"]), ..plain() }),
        ("--group", ReadOptions { group: name(), ..plain() }),
        ("--weight", ReadOptions { weight: name(), ..plain() }),
        ("--levels", declare("Color", &["x"])),
        ("--discretize", discretize(&["Color=quantile:2"])),
    ] {
        assert_eq!(refusal(&file, &options), format!("{flag}{ending}"));
    }
    let far = ReadOptions { ignore: texts(&["weight"]), ..plain() };
    assert_eq!(
        refusal(&file, &far),
        "--ignore: there is no column `weight`; the columns are `colour`, `size`"
    );
}

// ---- weights ----

#[test]
fn weights_are_multiplicities_and_all_ones_are_not_stored() {
    let options = ReadOptions { weight: Some("n".to_owned()), ..plain() };
    let weighted = reading(&["n,p\n3,x\n2.0,y\n1,x\n"], &options);
    assert_eq!(weighted.data.weights(), Some(&[3, 2, 1][..]));
    assert_eq!(rows(&weighted), [6]);
    assert_eq!(weighted.description.data_sets[0].stored_rows, 3);
    assert_eq!(reading(&["n,p\n1,x\n1.0,y\n0,x\n"], &options).data.weights(), None);
}

#[test]
fn a_row_of_weight_zero_declares_its_states_and_counts_nothing() {
    let options = ReadOptions { weight: Some("n".to_owned()), ..plain() };
    let reading = reading(&["n,p,q\n1,x,1\n0,y,NA\n", "n,p,q\n0,z,2\n"], &options);
    assert_eq!(states(&reading, "p"), ["x", "y", "z"]);
    assert_eq!(cells(&reading, "p"), [texts(&["x"]), texts(&[])]);
    let p = &reading.description.variables[0];
    assert!(p.constant);
    assert_eq!(p.absent, [texts(&["y", "z"]), texts(&["x", "y", "z"])]);
    assert_eq!(reading.description.variables[1].missing, [0, 0]);
}

#[test]
fn weights_that_are_no_counts_are_refused() {
    let options = ReadOptions { weight: Some("n".to_owned()), ..plain() };
    for weight in ["-1", "1.5", "1e300", "x", "18446744073709551616", "inf", "9007199254740993"] {
        let text = refusal(&[&format!("n,p\n1,x\n{weight},x\n")], &options);
        let start = format!("a, row 3, column `n`: the weight `{weight}` is not a whole number");
        assert!(text.starts_with(&start), "{text}");
    }
    let text = refusal(&["n,p\n9007199254740992,x\n1,x\n"], &options);
    assert!(text.starts_with("the weights in column `n` add up to more than 2^53 rows"), "{text}");
}

// ---- levels ----

#[test]
fn levels_are_the_union_in_natural_order_or_by_value() {
    let reading = reading(&["p,q\na10,10\na2,-1\n", "p,q\nb1,2.5\na2,1e1\n"], &plain());
    assert_eq!(states(&reading, "p"), ["a2", "a10", "b1"]);
    assert_eq!(states(&reading, "q"), ["-1", "2.5", "1e1", "10"]);
    assert_eq!(reading.description.variables[0].absent, [texts(&["b1"]), texts(&["a10"])]);
}

#[test]
fn numbers_of_equal_value_are_one_state_unless_the_column_has_codes() {
    let merged = reading(&["p,q\n1.0,007\n2.0,1\n", "p,q\n1,1.0\n.50,7\n"], &plain());
    assert_eq!(states(&merged, "p"), ["0.5", "1", "2"]);
    assert_eq!(states(&merged, "q"), ["1", "1.0", "007", "7"]);
    assert!(
        notes(&merged).contains(&"numbers of equal value are one state (`1.0` is `1`) in `p`".to_owned())
    );
    let alone = reading(&["p\n1.0\n2.0\n"], &plain());
    assert_eq!(states(&alone, "p"), ["1.0", "2.0"]);
    assert_eq!(notes(&alone), Vec::<String>::new());
    let long = reading(&["p\n9007199254740993\n9007199254740992\n"], &plain());
    assert_eq!(states(&long, "p").len(), 2, "numbers too long for floats stay apart");
}

#[test]
fn declared_levels_keep_their_order_and_match_by_spelling_then_by_value() {
    let reading = reading(&["p,q\n1.0,low\n3,high\n"], &{
        let levels =
            vec![("p".to_owned(), texts(&["3", "2", "1"])), ("q".to_owned(), texts(&["low", "mid", "high"]))];
        ReadOptions { levels, ..plain() }
    });
    assert_eq!(states(&reading, "p"), ["3", "2", "1"]);
    assert_eq!(cells(&reading, "p"), [texts(&["1", "3"])]);
    assert_eq!(reading.description.variables[1].kind, Kind::Declared);
    assert_eq!(reading.description.variables[1].absent, [texts(&["mid"])]);
    let both = self::reading(&["p\n1\n1.0\n1.00\n"], &declare("p", &["1.0", "1"]));
    assert_eq!(cells(&both, "p"), [texts(&["1", "1.0", "1.0"])]);
}

#[test]
fn bad_levels_are_refused() {
    for (levels, start) in [
        (vec![], "--levels, column `p`: the list of states is empty"),
        (texts(&["x", "x"]), "--levels, column `p`: the state `x` is listed twice"),
        (texts(&["x", ""]), "--levels, column `p`: an empty state would always mean missing"),
        (texts(&["x", "NA"]), "--levels, column `p`: the state `NA` also means missing"),
    ] {
        let text = refusal(&["p\nx\n"], &ReadOptions { levels: vec![("p".to_owned(), levels)], ..plain() });
        assert!(text.starts_with(start), "{text}");
    }
    let two = ReadOptions { discretize: vec![rule("p=width:2")], ..declare("p", &["1"]) };
    let text = refusal(&["p\n1\n"], &two);
    assert_eq!(text, "--discretize `p=width:2`: its states are also declared with --levels; leave one out");
    let unselected = ReadOptions { ignore: texts(&["p"]), ..declare("p", &["x"]) };
    assert_eq!(reading(&["p,q\ny,1\n"], &unselected).data.schema().names(), ["q"]);
}

#[test]
fn levels_come_from_json() {
    let levels = parse_levels(r#"{"q": ["low", " high "], "p": [2, 1.5, true]}"#, "l.json").expect("good");
    assert_eq!(levels[0], ("q".to_owned(), texts(&["low", "high"])));
    assert_eq!(levels[1], ("p".to_owned(), texts(&["2", "1.5", "true"])));
    for (text, reason) in [
        ("[1]", "l.json: not an object from column to list of states; --levels needs JSON such as"),
        ("{", "l.json: EOF while parsing"),
        (r#"{"p": 1}"#, "l.json: column `p` has no list of states"),
        (r#"{"p": [null]}"#, "l.json: column `p`: null is not a state"),
        (r#"{"p": []}"#, "--levels, column `p`: the list of states is empty"),
        (r#"{"p": [1, "1"]}"#, "--levels, column `p`: the state `1` is listed twice"),
    ] {
        let refused = parse_levels(text, "l.json").expect_err("bad").to_string();
        assert!(refused.starts_with(reason), "{refused}");
    }
}

#[test]
fn too_many_states_are_refused_for_all_columns_at_once() {
    let lines = (0..60).map(|row| format!("{row},v{row},{}", row % 3)).collect::<Vec<_>>().join("\n");
    let file = format!("the age,id,p\n{lines}");
    assert_eq!(
        refusal(&[&file], &plain()),
        "more than 50 distinct values:\n  column `the age` has 60: --discretize 'the age=quantile:4' or --ignore 'the age'\n  \
         column `id` has 60: --ignore id\nor allow them with --max-states or declare them with --levels"
    );
    let more = ReadOptions { max_states: 60, ..plain() };
    assert_eq!(states(&reading(&[&file], &more), "id").len(), 60);
}

#[test]
fn a_column_of_many_states_keeps_every_cell() {
    let expected: Vec<String> = (0..70_000).map(|row: u32| format!("v{}", row * 7919 % 70_000)).collect();
    let reading =
        reading(&[&format!("p\n{}\n", expected.join("\n"))], &ReadOptions { max_states: 70_000, ..plain() });
    assert_eq!(states(&reading, "p").len(), 70_000);
    assert_eq!(cells(&reading, "p"), [expected]);
}

#[test]
fn a_group_column_without_rows_makes_no_data_set() {
    let options = ReadOptions { group: Some("g".to_owned()), ..plain() };
    let text = refusal(&["g,p\n"], &options);
    assert_eq!(text, "--group: column `g` has no value in any file, so there is no data set");
}

#[test]
fn a_constant_column_is_kept_and_noted() {
    let reading = reading(&["p,q\nx,1\n", "p,q\nx,2\n"], &plain());
    let schema = reading.data.schema();
    assert_eq!(
        schema.variables().iter().map(|variable| variable.constant).collect::<Vec<_>>(),
        [true, false]
    );
    assert_eq!(notes(&reading), ["constant over all data sets together: `p`"]);
}

// ---- discretisation ----

#[test]
fn cut_points_are_chosen_on_all_data_sets_together() {
    // R: quantile(c(1:5, 10), c(.25, .5, .75), type = 7) is 2.25 3.50 4.75.
    let reading = reading(&["p\n1\n2\n3\n", "p\n10\n4\n5\n"], &discretize(&["p=quantile:4"]));
    assert_eq!(states(&reading, "p"), ["<=2.25", "(2.25,3.5]", "(3.5,4.75]", ">4.75"]);
    assert_eq!(cells(&reading, "p")[0], ["<=2.25", "<=2.25", "(2.25,3.5]"]);
    let kind = Kind::Discretized { method: Discretization::Quantile(4), cuts: vec![2.25, 3.5, 4.75] };
    assert_eq!(reading.description.variables[0].kind, kind);
}

#[test]
fn weights_count_as_rows_when_cut_points_are_chosen() {
    let options = ReadOptions { weight: Some("n".to_owned()), ..discretize(&["p=quantile:3"]) };
    let weighted = reading(&["n,p\n3,1\n1,2\n0,100\n4,7\n2,3\n"], &options);
    let repeated = reading(&["p\n1\n1\n1\n2\n7\n7\n7\n7\n3\n3\n"], &discretize(&["p=quantile:3"]));
    assert_eq!(states(&weighted, "p"), states(&repeated, "p"));
    assert_eq!(states(&weighted, "p"), ["<=2", ">2"]);
}

#[test]
fn quantiles_that_coincide_make_fewer_bins_and_a_note() {
    let skewed = reading(&["p\n0\n0\n0\n0\n0\n0\n1\n2\n"], &discretize(&["p=quantile:4"]));
    assert_eq!(states(&skewed, "p"), ["<=0", ">0"]);
    assert!(notes(&skewed)[0].starts_with("column `p` has 2 bins instead of 4"), "{:?}", notes(&skewed));
    let top = reading(&["p\n0\n1\n1\n1\n1\n1\n1\n1\n"], &discretize(&["p=quantile:2"]));
    assert_eq!(states(&top, "p"), ["[0,1]"]);
    assert!(top.data.schema().variables()[0].constant);
}

#[test]
fn equal_widths_and_given_cuts_keep_empty_bins() {
    let width = reading(&["p\n0\n0.1\n0.3\n1\n"], &discretize(&["p=width:10"]));
    assert_eq!(states(&width, "p").len(), 10);
    assert_eq!(cells(&width, "p")[0], ["<=0.1", "<=0.1", "(0.2,0.3]", ">0.9"]);
    let cuts = reading(&["p\n1\n0\n1.5\n"], &discretize(&["p=cuts:0,1.5,1e300"]));
    assert_eq!(states(&cuts, "p"), ["<=0", "(0,1.5]", "(1.5,1e300]", ">1e300"]);
    assert_eq!(cells(&cuts, "p")[0], ["(0,1.5]", "<=0", "(0,1.5]"]);
}

#[test]
fn a_single_number_is_a_constant_column() {
    for rule in ["p=quantile:4", "p=width:3"] {
        let reading = reading(&["p\n5.0\n5\n"], &discretize(&[rule]));
        assert_eq!(states(&reading, "p"), ["5"]);
        assert!(reading.data.schema().variables()[0].constant);
    }
}

#[test]
fn a_rule_of_its_own_needs_numbers() {
    for value in ["x", "inf", "NaN ", "0x10"] {
        let options = ReadOptions { na: vec![], ..discretize(&["p=width:2"]) };
        let text = refusal(&["p\n1\n", &format!("p\n2\n{value}\n")], &options);
        let start = format!("b, row 3, column `p`: `{}` is not a number", value.trim());
        assert!(text.starts_with(&start), "{text}");
    }
}

#[test]
fn a_rule_for_all_takes_numeric_columns_with_enough_values() {
    let options = ReadOptions {
        group: Some("g".to_owned()),
        levels: vec![("d".to_owned(), texts(&["1", "2", "3", "4"]))],
        ..discretize(&["all=quantile:2", "w=cuts:2"])
    };
    let reading = reading(&["g,n,b,t,d,w\n1,1,0,x,1,1\n1,2,1,y,2,2\n2,3,0,1,3,3\n2,4,1,2,4,4\n"], &options);
    assert_eq!(states(&reading, "n"), ["<=2.5", ">2.5"]);
    assert_eq!(states(&reading, "b"), ["0", "1"]);
    assert_eq!(states(&reading, "t"), ["1", "2", "x", "y"]);
    assert_eq!(states(&reading, "d").len(), 4);
    assert_eq!(states(&reading, "w"), ["<=2", ">2"]);
    assert!(notes(&reading).contains(&"not discretised, having at most 2 distinct values: `b`".to_owned()));
}

#[test]
fn rules_are_parsed_at_the_last_method() {
    assert_eq!(
        rule("a=b=width:3"),
        Rule { target: Target::Column("a=b".to_owned()), method: Discretization::Width(3) }
    );
    assert_eq!(rule("a=width:2=quantile:4").target, Target::Column("a=width:2".to_owned()));
    assert_eq!(
        rule("all=cuts:-1, 0,1.5"),
        Rule { target: Target::All, method: Discretization::Cuts(vec![-1.0, 0.0, 1.5]) }
    );
    assert_eq!(rule("x=cuts:-1,0").to_string(), "x=cuts:-1,0");
    for (text, reason) in [
        ("x", "write COLUMN=quantile:4"),
        ("x=4", "write COLUMN=quantile:4"),
        ("=width:4", "the column is not named"),
        ("x=quantile:1", "the number of bins must be from 2 to 50, not 1"),
        ("x=width:51", "the number of bins must be from 2 to 50, not 51"),
        ("x=width:two", "`two` is not a number of bins from 2 to 50"),
        ("x=cuts:", "the cut `` is not a finite number"),
        ("x=cuts:1,inf", "the cut `inf` is not a finite number"),
        ("x=cuts:1,1", "the cuts must increase"),
    ] {
        let refused = text.parse::<Rule>().expect_err("bad").to_string();
        assert!(refused.starts_with(&format!("--discretize `{text}`: {reason}")), "{refused}");
    }
    let twice = discretize(&["p=width:2", "p=width:3"]);
    assert!(refusal(&["p\n1\n"], &twice).contains("there are two rules for it"));
}

// ---- missing values ----

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
         keep the complete rows with --missing drop-rows, make missing a state with --missing level, \
         or leave columns out, such as --ignore q"
    );
    let ignore = ReadOptions { ignore: texts(&["p"]), ..plain() };
    assert!(refusal(&GAPS, &ignore).contains("--ignore q"));
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
        text.starts_with("every row (2 in all) has a missing value, so --missing drop-rows leaves nothing"),
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
        ["`NA` is an ordinary state of column `q`; add it to --na if it means missing"]
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
