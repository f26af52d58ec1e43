//! Invalid input: messages and exit codes.

use std::process::{Command, Stdio};

use crate::workbench::{Workbench, assert_says};

fn bench() -> Workbench {
    Workbench::new().write("d.csv", "age,kind\n1,x\n2,y\n")
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let bench = bench()
        .write("garbage.csv", (0..=255).rev().cycle().take(4096).collect::<Vec<u8>>())
        .write("ragged.csv", "a,b\nx,y\n\nz\n")
        .write("wide.csv", "a,b\nx,y,z\n")
        .write("nothing.csv", "")
        .write("header.csv", "a,b\n")
        .write("twice.csv", "a,a\nx,y\n")
        .write("latin.csv", b"a,b\nx,caf\xe9\n")
        .write("cut.csv.gz", [0x1f, 0x8b, 8, 0, 0, 0]);
    for (file, parts) in [
        ("none.csv", &["none.csv: cannot be opened", "check its name"][..]),
        (".", &[". is a directory"]),
        ("garbage.csv", &["garbage.csv, row 1", "not UTF-8"]),
        ("ragged.csv", &["ragged.csv, row 4: 1 cell where the header has 2", "--delimiter"]),
        ("wide.csv", &["wide.csv, row 2: 3 cells where the header has 2"]),
        ("nothing.csv", &["nothing.csv is empty"]),
        ("header.csv", &["there are no rows", "column `a`", "--levels"]),
        ("twice.csv", &["twice.csv, row 1: two columns are named `a`"]),
        ("latin.csv", &["latin.csv, row 2, column `b`", "not UTF-8"]),
        ("cut.csv.gz", &["cut.csv.gz", "damaged"]),
    ] {
        for command in ["learn", "describe", "score --structure [a][b]"] {
            // A description continues if some rows can be read.
            if command == "describe" && ["ragged.csv", "latin.csv"].contains(&file) {
                assert_says(&bench.text(&format!("describe {file}")), parts);
                continue;
            }
            assert_says(&bench.refusal(&format!("{command} {file}")), parts);
        }
    }
}

#[test]
fn unknown_columns_are_refused_by_every_flag() {
    let bench = bench().write("levels.json", r#"{"agee": ["1"]}"#);
    for flag in [
        "--group agee",
        "--weight agee",
        "--columns kind,agee",
        "--ignore agee",
        "--discretize agee=width:2",
        "--levels levels.json",
    ] {
        let refusal = bench.refusal(&format!("learn d.csv {flag}"));
        let name = flag.split(' ').next().unwrap();
        assert_says(
            &refusal,
            &[name, "no column `agee` (did you mean `age`?); the columns are `age`, `kind`"],
        );
    }
    assert!(!bench.refusal("learn d.csv --group zz").contains("did you mean"));
}

#[test]
fn roles_of_columns_must_not_clash() {
    let bench = bench().write("g.csv", "age,kind\n1,\n2,y\n");
    for (flags, part) in [
        ("d.csv --group age --weight age", "need two columns"),
        ("d.csv --columns age --ignore age", "both --columns and --ignore"),
        ("d.csv --ignore age,kind", "no column is left"),
        ("d.csv --group age --columns age", "no column is left"),
        ("g.csv --group kind", "g.csv, row 2, column `kind`"),
        ("d.csv --delimiter xx", "--delimiter takes one character"),
        ("d.csv --delimiter \"", "--delimiter must be one ASCII character"),
        ("d.csv --limits rows=3", "limits are cell=MB, columns=N and expanded=MB"),
        ("d.csv --limits columns=1", "raise the limit with --limits columns=N"),
    ] {
        assert_says(&bench.refusal(&format!("learn {flags}")), &[part]);
    }
}

#[test]
fn levels_that_cannot_be_met_are_refused() {
    for (levels, part) in [
        ("{", "levels.json: "),
        ("[1]", "not an object"),
        (r#"{"kind": "x"}"#, "no list of states"),
        (r#"{"kind": []}"#, "the list of states is empty"),
        (r#"{"kind": ["x", "x"]}"#, "listed twice"),
        (r#"{"kind": ["x", "y", "NA"]}"#, "also means missing"),
        (r#"{"kind": [["x"]]}"#, "is not a state"),
        (r#"{"kind": ["x"]}"#, "d.csv, row 3, column `kind`: `y` is not one of its 1 state;"),
    ] {
        let bench = bench().write("levels.json", levels);
        assert_says(&bench.refusal("learn d.csv --levels levels.json"), &[part]);
    }
    assert_says(&bench().refusal("learn d.csv --levels none.json"), &["none.json"]);
}

#[test]
fn calls_that_are_wrong_have_exit_code_2() {
    let bench = bench();
    for (call, part) in [
        ("", "Usage: kinfolk"),
        ("lern d.csv", "learn"),
        ("learn", "<FILES>"),
        ("learn d.csv --score nope", "[possible values: bhd, kin, bdeu,"),
        ("learn d.csv --missing maybe", "drop-rows"),
        ("learn d.csv --max-parents -1", "-1"),
        ("learn d.csv --seed x", "--seed"),
        ("learn d.csv --threads 100000", "1024"),
        ("learn d.csv --keep-scores -1", "expected a whole number, 0 or more"),
        ("learn d.csv --memory 99999999999999999999", "the maximum is 18446744073709551615"),
        ("learn d.csv --structure [age][kind]", "--structure"),
        ("completions tcsh", "tcsh"),
    ] {
        assert_says(&bench.refusal(call), &[part]);
    }
}

#[test]
fn errors_are_shown_even_when_quiet() {
    assert_says(&bench().refusal("learn none.csv --quiet --json"), &["kinfolk: none.csv: cannot be opened"]);
}

#[test]
fn a_closed_output_is_not_an_error() {
    let bench = Workbench::with_golden("clinics");
    // A command whose result exceeds every buffer.
    bench.run("simulate --nodes 30 --arcs 40 --states 4 --data-sets 5 --rows 100 --parameters hier --seed 1 --out large");
    let large = "learn large/data_001.csv large/data_002.csv large/data_003.csv --levels large/levels.json --json --quiet --score k2";
    assert!(bench.run(large).out.len() > 1 << 17);
    for call in [
        "learn clinics.csv --group site --json --quiet",
        large,
        "demo",
        "completions bash",
        "man",
        "learn --help",
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_kinfolk"))
            .current_dir(bench.path(""))
            .args(call.split(' '))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            (output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()),
            (Some(0), ""),
            "{call}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_printed_is_an_error() {
    for call in [vec!["demo"], vec!["demo", "--json"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_kinfolk")).args(call).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert_says(&String::from_utf8_lossy(&output.stderr), &["cannot write the result"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn failing_to_start_threads_is_not_an_internal_error() {
    let bench = bench();
    // A thousand stacks of 8 MiB do not fit 1 GB of addresses.
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 1000000; exec \"$0\" learn d.csv --threads 1024"])
        .arg(env!("CARGO_BIN_EXE_kinfolk"))
        .current_dir(bench.path(""))
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{complaint}");
    assert_says(&complaint, &["cannot start 1024 threads", "fewer with --threads"]);
    assert!(!complaint.contains("internal error"), "{complaint}");
}

#[test]
fn control_characters_in_names_do_not_reach_the_terminal() {
    let bench = Workbench::new().write("a\u{1b}.csv", "x\u{1b}[2J,y\nu\u{7},1\nv,2\nu\u{7},1\nv,2\n");
    let said = bench.run("describe a\u{1b}.csv");
    let shown = said.out + &said.err;
    assert!(!shown.contains(['\u{1b}', '\u{7}']), "{shown:?}");
    assert!(shown.contains("x\\u{1b}[2J"), "{shown}");
    let refused = bench.refusal("learn a\u{1b}.csv --ignore \u{1b}");
    assert!(!refused.contains('\u{1b}'), "{refused:?}");
}
