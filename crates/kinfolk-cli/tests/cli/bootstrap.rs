//! `kinfolk bootstrap`: strengths, the averaged network, and a file that continues, from end to end.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::workbench::{Workbench, assert_says, keys};

const CALL: &str = "bootstrap clinics.csv --group site -R 10";

#[test]
fn the_json_has_strengths_a_threshold_and_the_averaged_network() {
    let bench = Workbench::with_golden("clinics");
    let found = bench.json(&format!("{CALL} --seed 2 --out sure.json"));
    assert_eq!(
        keys(&found),
        [
            "arcs",
            "threshold",
            "averaged",
            "replicates",
            "replicates_asked",
            "stop",
            "by",
            "seed",
            "directions",
            "skipped",
            "learned",
            "leave_one_out",
            "data_hash",
            "settings"
        ]
    );
    assert_eq!((&found["replicates"], &found["stop"]), (&10.into(), &"complete".into()));
    let arcs = found["arcs"].as_array().unwrap();
    for arc in arcs {
        assert_eq!(keys(arc), ["from", "to", "strength", "direction", "averaged"]);
        let strength = arc["strength"].as_f64().unwrap();
        assert!(strength > 0.0 && strength <= 1.0);
    }
    let left_out = found["leave_one_out"].as_array().unwrap();
    assert_eq!(left_out.len(), 3);
    assert_eq!(keys(&left_out[0]), ["data_set", "structure", "shd", "kept", "reversed", "lost", "gained"]);
    assert_eq!(bench.json(&format!("{CALL} --leave-one-out=no"))["leave_one_out"], Value::Null);
    let learned = bench.json("learn clinics.csv --group site --score bhd");
    assert_eq!(found["learned"], learned["structure"]);
    // The file also records its provenance, without options that do not change the result.
    let mut written: Value = serde_json::from_str(&bench.read("sure.json")).unwrap();
    let provenance = written.as_object_mut().unwrap().shift_remove("provenance").unwrap();
    assert_eq!(written, found);
    let command: Vec<&str> =
        provenance["command"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    assert_eq!(command.join(" "), format!("{CALL} --seed 2"));
    let network = bench.run("learn clinics.csv --group site --out network.json");
    assert_eq!(network.code, 0);
    let network: Value = serde_json::from_str(&bench.read("network.json")).unwrap();
    assert_eq!(network["provenance"]["data_hash"], found["data_hash"]);
    // The averaged network is one that the other commands take.
    let averaged = found["averaged"].as_str().unwrap();
    bench.json(&format!("score clinics.csv --group site --structure {averaged}"));
}

#[test]
fn the_number_of_threads_changes_nothing_and_the_seed_does() {
    let bench = Workbench::with_golden("clinics");
    for by in ["rows", "data-sets"] {
        let once = bench.text(&format!("{CALL} --by {by} --json --threads 1"));
        assert_eq!(once, bench.text(&format!("{CALL} --by {by} --json --threads 3")));
        assert_ne!(once, bench.text(&format!("{CALL} --by {by} --json --seed 9")));
    }
}

#[test]
fn the_score_and_the_unit_are_safe_by_default_and_repeated_rows_come_with_a_warning() {
    let bench = Workbench::with_golden("clinics");
    let plain = bench.json(CALL);
    assert_eq!((&plain["settings"]["score_name"], &plain["by"]), (&"kin".into(), &"half-rows".into()));
    let warning = "kin overstates the evidence of repeated rows";
    assert_says(&bench.run(&format!("{CALL} --by rows")).err, &[warning]);
    for flags in ["--by data-sets", "--by rows --quiet", "--by rows --score bhd", ""] {
        assert!(!bench.run(&format!("{CALL} {flags}")).err.contains(warning), "{flags}");
    }
}

#[test]
fn the_text_explains_every_number() {
    let bench = Workbench::with_golden("clinics");
    assert_says(
        &bench.text(&format!("{CALL} --score bdeu --leave-one-out")),
        &[
            "10 replicates of 10, seed 0: half of the rows of every data set drawn",
            "fitted to the strengths",
            "averaged   [",
            "strength  direction",
            "counts half for each direction",
            "Networks learned without each data set",
        ],
    );
}

#[test]
fn a_run_that_was_killed_continues_without_losing_or_doubling() {
    let bench = Workbench::with_golden("clinics");
    let call = format!("{CALL} --leave-one-out --json");
    let whole = bench.text(&call);
    assert_eq!(bench.text(&format!("{call} --resume kept.jsonl")), whole);
    let kept = bench.read("kept.jsonl");
    assert_eq!(kept.lines().count(), 1 + 10 + 3 + 1);
    // As a killed run leaves it: some whole lines, and one that was cut off.
    let lines: Vec<&str> = kept.split_inclusive('\n').collect();
    let cut = lines[..6].concat() + &lines[6][..lines[6].len() / 2];
    fs::write(bench.path("kept.jsonl"), cut).unwrap();
    assert_eq!(bench.text(&format!("{call} --resume kept.jsonl")), whole);
    let mut continued: Vec<String> = bench.read("kept.jsonl").lines().map(str::to_owned).collect();
    let mut all: Vec<String> = kept.lines().map(str::to_owned).collect();
    continued.sort();
    all.sort();
    assert_eq!(continued, all);
    // Nothing is left to do, and a file of an empty or cut first line is begun again.
    assert_eq!(bench.text(&format!("{call} --resume kept.jsonl")), whole);
    assert_eq!(bench.read("kept.jsonl").lines().count(), 15);
    for beginning in ["", "{\"kinfolk_boot"] {
        fs::write(bench.path("kept.jsonl"), beginning).unwrap();
        assert_eq!(bench.text(&format!("{call} --resume kept.jsonl --time-limit 1000")).len(), {
            bench.text(&format!("{call} --time-limit 1000")).len()
        });
    }
    // More replicates add to those there are.
    let more = bench.json("bootstrap clinics.csv --group site -R 12 --resume kept.jsonl");
    assert_eq!(more, bench.json("bootstrap clinics.csv --group site -R 12"));
    assert_eq!(bench.read("kept.jsonl").lines().count(), 17);
}

#[test]
fn a_run_killed_at_any_moment_continues_to_the_same_result() {
    let bench = Workbench::with_golden("clinics");
    let call = "bootstrap clinics.csv --group site -R 300 --json --threads 2";
    let mut child = Command::new(env!("CARGO_BIN_EXE_kinfolk"))
        .current_dir(bench.path(""))
        .args(call.split(' '))
        .args(["--resume", "kept.jsonl"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let kept = || fs::read_to_string(bench.path("kept.jsonl")).unwrap_or_default().lines().count();
    while child.try_wait().unwrap().is_none() && kept() < 20 {
        thread::sleep(Duration::from_millis(1));
    }
    // It cannot catch this one.
    child.kill().unwrap();
    child.wait().unwrap();
    let done = kept();
    assert!(done >= 20, "{done} lines were kept");
    assert_eq!(bench.text(&format!("{call} --resume kept.jsonl")), bench.text(call));
    // The head, one line for all rows, one per data set left out, one per replicate: none is lost, none is there twice.
    let mut lines: Vec<String> = bench.read("kept.jsonl").lines().map(str::to_owned).collect();
    lines.sort();
    lines.dedup();
    assert_eq!(lines.len(), 1 + 1 + 3 + 300);
}

#[test]
fn files_of_other_kinds_are_not_changed() {
    let bench =
        Workbench::with_golden("clinics").write("other.txt", "name,age\nx,3\n").write("cut.txt", "name");
    bench.json(&format!("{CALL} --resume kept.jsonl"));
    let before = bench.read("kept.jsonl");
    for (call, complaint) in [
        (format!("{CALL} --resume kept.jsonl --seed 3"), "its seed is 0, not 3"),
        (format!("{CALL} --resume kept.jsonl --by data-sets"), "its by is \"half-rows\""),
        (format!("{CALL} --resume kept.jsonl --score bdeu"), "belongs to another bootstrap"),
        (format!("{CALL} --resume kept.jsonl --ignore V01"), "belongs to another bootstrap"),
        (format!("{CALL} --resume other.txt"), "does not hold finished searches of a bootstrap"),
        (format!("{CALL} --resume cut.txt"), "does not hold finished searches of a bootstrap"),
        (format!("{CALL} --resume ."), "is a folder; name a file in it"),
    ] {
        assert_says(&bench.refusal(&call), &[complaint]);
    }
    assert_eq!(bench.read("kept.jsonl"), before);
    assert_eq!(
        (bench.read("other.txt").as_str(), bench.read("cut.txt").as_str()),
        ("name,age\nx,3\n", "name")
    );
    let spoilt = before.replacen("\"sample\"", "\"simple\"", 1);
    fs::write(bench.path("kept.jsonl"), spoilt).unwrap();
    assert_says(&bench.refusal(&format!("{CALL} --resume kept.jsonl")), &["line 2 is not a finished search"]);
}

#[test]
fn a_time_limit_keeps_finished_work() {
    let bench = Workbench::with_golden("clinics");
    let found = bench.json(&format!("{CALL} --time-limit 0"));
    assert_eq!((&found["stop"], &found["replicates"]), (&"time-limit".into(), &0.into()));
    assert_eq!((&found["threshold"], &found["averaged"]), (&Value::Null, &Value::Null));
    assert!(!bench.text(&format!("{CALL} --time-limit 0 --out empty.json")).contains("threshold"));
    let call = "report clinics.csv --group site --bootstrap empty.json --out page.html";
    assert_says(&bench.refusal(call), &["empty.json has no finished replicate", "--time-limit"]);
    assert_says(
        &bench.text(&format!("{CALL} --time-limit 0")),
        &["STOPPED at --time-limit", "--resume FILE saves finished replicates", "No replicate finished"],
    );
}

#[test]
fn impossible_bootstraps_are_refused() {
    let bench = Workbench::new().write("a.csv", "x,y\nu,1\nu,2\nv,1\n").write("b.csv", "x,y\nv,2\nu,2\n");
    for (call, complaint) in [
        ("bootstrap a.csv --by data-sets", "there is only one data set"),
        ("bootstrap a.csv --leave-one-out", "leave out --leave-one-out or give more data sets"),
        ("bootstrap a.csv b.csv -R 99999999999", "the maximum is 1000000"),
        (
            "bootstrap a.csv b.csv --resume kept.jsonl --out ./kept.jsonl",
            "--out and --resume are the same file",
        ),
        ("bootstrap a.csv b.csv --resume a.csv", "is an input file"),
        ("bootstrap a.csv b.csv -R 0", "at least one replicate"),
        ("bootstrap a.csv b.csv -R few", "--replicates"),
        ("bootstrap a.csv b.csv --iss 3", "--iss belongs to"),
        ("bootstrap a.csv b.csv --out a.csv", "is an input file"),
        ("bootstrap a.csv b.csv --resume nowhere/kept.jsonl", "there is no folder nowhere; create it first"),
        ("bootstrap a.csv b.csv --resume a.csv/kept.jsonl", "a.csv is a file"),
    ] {
        assert_says(&bench.refusal(call), &[complaint]);
    }
}

#[test]
fn weights_count_as_rows_at_no_extra_cost() {
    // As many rows as no computer draws one by one.
    let lines: Vec<String> =
        (0..40).map(|row| format!("{},{},{},{}", row % 2, row % 2, row / 2 % 2, 1u64 << 40)).collect();
    let bench = Workbench::new().write("heavy.csv", format!("a,b,c,n\n{}\n", lines.join("\n")));
    let call = "bootstrap heavy.csv --weight n -R 5 --score bdeu --leave-one-out=no";
    let found = bench.json(call);
    assert_eq!((&found["arcs"][0]["from"], &found["arcs"][0]["to"]), (&"a".into(), &"b".into()));
    assert_eq!(found["arcs"][0]["strength"], 1.0);
    assert_eq!(
        bench.text(&format!("{call} --json --threads 1")),
        bench.text(&format!("{call} --json --threads 3"))
    );
}

/// A resume file that holds more than a block of the limits on file sizes, with an incomplete last line, and the call that made it.
#[cfg(unix)]
fn kept_and_torn(bench: &Workbench) -> (String, String) {
    let call = format!("{CALL} --json --threads 1 --resume kept.jsonl");
    bench.text(&call);
    let whole = bench.read("kept.jsonl");
    let torn = format!("{whole}{{\"sample\":{{\"repl");
    fs::write(bench.path("kept.jsonl"), &torn).unwrap();
    (call.replace("-R 10", "-R 40"), whole)
}

#[cfg(unix)]
#[test]
fn a_write_that_fails_loses_no_finished_search() {
    // A file may not grow beyond a block of 512 bytes, so every write fails: as an error, or by a signal that kills the process.
    for signal in ["trap '' XFSZ;", ""] {
        let bench = Workbench::with_golden("clinics");
        let (call, whole) = kept_and_torn(&bench);
        assert!(whole.len() > 1024);
        let shell = format!("{signal} ulimit -f 1; exec \"$0\" {call}");
        let output = Command::new("sh")
            .current_dir(bench.path(""))
            .args(["-c", &shell, env!("CARGO_BIN_EXE_kinfolk")])
            .output()
            .unwrap();
        assert!(!output.status.success());
        if !signal.is_empty() {
            assert_eq!(output.status.code(), Some(2));
            assert_says(&String::from_utf8_lossy(&output.stderr), &["--resume: kept.jsonl", "too large"]);
        }
        assert!(bench.read("kept.jsonl").starts_with(&whole), "whole lines are still there");
        // The same command continues as if nothing had happened.
        assert_eq!(bench.text(&call), bench.text(&call.replace(" --resume kept.jsonl", "")));
        assert!(bench.read("kept.jsonl").starts_with(&whole));
    }
}

#[cfg(unix)]
#[test]
fn kills_at_the_start_lose_no_finished_search() {
    let bench = Workbench::with_golden("clinics");
    let (call, whole) = kept_and_torn(&bench);
    for wait in 0..40 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_kinfolk"))
            .current_dir(bench.path(""))
            .args(call.split(' '))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(wait / 2));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(bench.read("kept.jsonl").starts_with(&whole), "killed after {} ms", wait / 2);
    }
}

#[test]
fn two_runs_cannot_share_a_resume_file() {
    let bench = Workbench::with_golden("clinics");
    let mut first = Command::new(env!("CARGO_BIN_EXE_kinfolk"))
        .current_dir(bench.path(""))
        .args("bootstrap clinics.csv --group site -R 100000 --threads 1 --resume kept.jsonl".split(' '))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let kept = || fs::read_to_string(bench.path("kept.jsonl")).unwrap_or_default().lines().count();
    while first.try_wait().unwrap().is_none() && kept() < 3 {
        thread::sleep(Duration::from_millis(1));
    }
    assert_says(
        &bench.refusal(&format!("{CALL} --resume kept.jsonl")),
        &["--resume: kept.jsonl", "another run is using it", "name another file"],
    );
    first.kill().unwrap();
    first.wait().unwrap();
    // A killed run leaves no lock.
    bench.json(&format!("{CALL} --resume kept.jsonl"));
    let mut lines: Vec<String> = bench.read("kept.jsonl").lines().map(str::to_owned).collect();
    let all = lines.len();
    lines.sort();
    lines.dedup();
    assert_eq!(lines.len(), all, "no search is there twice");
}
