//! Ctrl-C during a search.

#![cfg(target_os = "linux")]

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::workbench::{Workbench, assert_says, noisy_copies};

/// The bit of SIGINT, which has number 2, among the signals that a process catches.
const CATCHES_INTERRUPT: u64 = 1 << 1;

/// Starts an endless search, interrupts it once the handler is installed, and returns its output.
fn interrupt(command: &str, flags: &[&str]) -> std::process::Output {
    let bench = Workbench::new().write("d.csv", noisy_copies(500, 25, 3));
    let endless = [command, "d.csv", "--score", "bdeu", "--restarts", "1000000000", "--perturb", "30"];
    interrupted(&bench, &[&endless, flags].concat())
}

/// Starts a command, interrupts it once it listens, and returns what it said.
fn interrupted(bench: &Workbench, arguments: &[&str]) -> std::process::Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kinfolk"))
        .current_dir(bench.path(""))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    // The program listens from just before the search on; until then it would quit.
    while child.try_wait().unwrap().is_none() {
        let caught = fs::read_to_string(&status).unwrap_or_default();
        let caught = caught.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0");
        if u64::from_str_radix(caught.trim(), 16).unwrap() & CATCHES_INTERRUPT != 0 {
            break;
        }
        thread::sleep(Duration::from_millis(5));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    child.wait_with_output().unwrap()
}

#[test]
fn ctrl_c_ends_a_search_with_what_was_found_so_far() {
    let output = interrupt("learn", &["--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let learned: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(learned["stop"], "interrupted");
    assert_eq!(learned["nodes"].as_array().unwrap().len(), 25);
    assert!(learned["score"].as_f64().unwrap().is_finite());
}

#[test]
fn the_summary_reports_an_interrupted_search() {
    let output = interrupt("learn", &[]);
    assert_eq!(output.status.code(), Some(0));
    assert_says(&String::from_utf8_lossy(&output.stdout), &["INTERRUPTED; this is the best network so far"]);
}

#[test]
fn ctrl_c_ends_a_validation_with_the_folds_that_are_done() {
    let output = interrupt("validate", &["--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let validation: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(validation["stop"], "interrupted");
    assert_eq!((&validation["folds"], &validation["folds_done"]), (&Value::from(10), &Value::from(0)));
    assert!(validation["methods"][0]["per_row"].is_null());
}

#[test]
fn nothing_is_said_about_what_was_not_computed() {
    for (command, expected, unfounded) in [
        ("validate", "INTERRUPTED with 0 of 10 folds done\n\nNo fold finished", "inconclusive"),
        ("bootstrap", "No replicate finished, so there are no strengths.", "results are for"),
        ("bootstrap", "averaged   none: no replicate finished\n", "Networks learned without"),
    ] {
        let output = interrupt(command, &[]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert_says(&text, &[expected]);
        assert!(!text.contains(unfounded), "{text}");
    }
}

#[test]
fn ctrl_c_ends_a_bootstrap_with_the_replicates_that_are_done() {
    let output = interrupt("bootstrap", &["--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&found["stop"], &found["replicates"]), (&Value::from("interrupted"), &Value::from(0)));
    assert!(found["learned"].is_null());
}

#[test]
fn the_first_ctrl_c_ends_an_explanation_of_many_data_sets() {
    // Every data set is left out of every fit once: with so many, that takes minutes.
    let rows = (0..24_000).map(|row| format!("{},{},{}\n", row / 6, row % 2, row % 5 % 2));
    let bench = Workbench::new().write("d.csv", format!("g,A,B\n{}", rows.collect::<String>()));
    let output = interrupted(&bench, &["explain", "d.csv", "--group", "g", "--structure", "[A][B|A]"]);
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stdout.is_empty());
}
