//! Files: their data sets and the names of these.

use std::fs;
use std::io::Cursor;

use kinfolk::data::{DataError, ReadOptions, Source, read};

use crate::{cells, gzip, plain, reading, refusal, source, states, texts};

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
fn a_file_may_be_named_by_the_caller() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.tsv");
    fs::write(&path, "p\tq,r\n1\t2\n").expect("written");
    let named = |name: &str| Source::Named { name: name.to_owned(), path: path.clone() };
    let reading = read(vec![named("north"), source("south", "p,\"q,r\"\n2,1\n")], &plain()).expect("reads");
    assert_eq!(reading.data.schema().data_sets(), ["north", "south"]);
    assert!(reading.description.data_sets[0].sources[0].ends_with("x.tsv"));
    let twice = read(vec![named("north"), named("south")], &plain());
    assert!(matches!(twice, Err(DataError::SameFile { .. })));
}

#[test]
fn files_of_one_name_are_distinguished_by_folder_or_extension() {
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
        text.starts_with("a, row 3, column `g`: the value is missing (`NA`), but group needs one"),
        "{text}"
    );
    let weight = ReadOptions { weight: Some("g".to_owned()), ..plain() };
    let text = refusal(&["g,p\n1,1\n", "g,p\n,2\n"], &weight);
    assert!(
        text.starts_with("b, row 2, column `g`: the value is missing (``), but weight needs one"),
        "{text}"
    );
    let text = refusal(&["g,p\n1,1\n", "p\n2\n"], &weight);
    assert_eq!(text, "b has no column `g`, which weight needs in every file");
    let both = ReadOptions { group: Some("g".to_owned()), ..weight };
    assert!(refusal(&["g,p\n1,1\n"], &both).contains("both group and weight"));
}
