//! Help, version, completions, manual pages, and the built-in example.

use std::fs;

use crate::workbench::{Workbench, assert_close, assert_says, golden, keys};

const COMMANDS: [&str; 19] = [
    "learn",
    "score",
    "fit",
    "query",
    "predict",
    "validate",
    "explain",
    "bootstrap",
    "report",
    "convert",
    "compare",
    "describe",
    "simulate",
    "sample",
    "demo",
    "reproduce",
    "completions",
    "man",
    "licences",
];

#[test]
fn the_help_of_every_command_has_examples() {
    let bench = Workbench::new();
    for command in COMMANDS {
        for flag in ["--help", "-h"] {
            let help = bench.text(&format!("{command} {flag}"));
            assert_says(&help, &["Usage: kinfolk", "Example", &format!("  kinfolk {command}")]);
        }
    }
    assert_says(
        &bench.text("--help"),
        &["Examples:", "kinfolk demo", "Exit codes: 0 success, 1 internal error, 2"],
    );
}

#[test]
fn the_version_is_that_of_the_package() {
    let bench = Workbench::new();
    assert_eq!(bench.text("--version"), concat!("kinfolk ", env!("CARGO_PKG_VERSION"), "\n"));
    assert_says(&bench.text("learn --version"), &[env!("CARGO_PKG_VERSION")]);
}

#[test]
fn completions_can_be_had_for_every_shell() {
    let bench = Workbench::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert_says(&bench.text(&format!("completions {shell}")), &["kinfolk", "learn", "bdeu-separate"]);
    }
}

#[test]
fn the_licences_of_the_fonts_are_inside() {
    let text = Workbench::new().text("licences");
    assert_says(&text, &["MIT or Apache-2.0", "UBUNTU FONT LICENCE Version 1.0", "Bitstream Vera License"]);
}

#[test]
fn manual_pages_can_be_printed_and_written() {
    let bench = Workbench::new();
    assert_says(&bench.text("man"), &[".TH kinfolk 1", ".SH SYNOPSIS", "learn"]);
    assert_eq!(bench.text("man --dir pages/man1"), "");
    for command in COMMANDS {
        let page = fs::read_to_string(bench.path(&format!("pages/man1/kinfolk-{command}.1"))).unwrap();
        assert_says(&page, &[".TH ", "Example"]);
    }
    assert!(bench.path("pages/man1/kinfolk.1").is_file());
    let bench = bench.write("file", "");
    assert_says(&bench.refusal("man --dir file/man1"), &["file/man1"]);
}

#[test]
fn the_example_agrees_with_the_paper_to_three_decimals() {
    let demo = Workbench::new().json("demo");
    assert_eq!(keys(&demo), ["true_network", "table", "largest_difference", "learned", "pooled"]);
    let mut distinct = std::collections::BTreeSet::new();
    for row in demo["table"].as_array().unwrap() {
        let scores = row["scores"].as_array().unwrap();
        assert_eq!(scores.len(), 5);
        for (score, printed) in scores.iter().zip(row["printed"].as_array().unwrap()) {
            let (score, printed) = (score.as_f64().unwrap(), printed.as_f64().unwrap());
            assert_eq!(format!("{score:.3}"), format!("{printed:.3}"));
            distinct.insert(format!("{score:.3}"));
        }
    }
    assert_eq!(distinct.len(), 10);
    assert!(demo["largest_difference"].as_f64().unwrap() < 0.0005);
}

#[test]
fn the_example_takes_the_papers_five_steps_to_the_true_network() {
    let demo = Workbench::new().json("demo");
    let golden = golden("paper_example.json");
    let steps = demo["learned"]["steps"].as_array().unwrap();
    let added: Vec<String> =
        steps.iter().map(|step| format!("{} → {}", step["from"], step["to"]).replace('"', "")).collect();
    assert_eq!(added, ["X1 → X2", "X1 → X3", "X4 → X5", "X1 → X5", "X3 → X4"]);
    assert_eq!(demo["learned"]["structure"], golden["true_network"]);
    assert_eq!(demo["true_network"], golden["true_network"]);
    assert_close(&demo["learned"]["nodes"][0]["by_data_set"]["2"], -466.205, 1e-5);
    for pooled in demo["pooled"].as_array().unwrap() {
        assert_ne!(pooled["structure"], golden["true_network"]);
        assert!(pooled["shd_cpdag"].as_u64().unwrap() > 0);
    }
    let names: Vec<&str> =
        demo["pooled"].as_array().unwrap().iter().filter_map(|found| found["score_name"].as_str()).collect();
    assert_eq!(names, ["bdeu", "bic"]);
}

#[test]
fn the_example_is_shown_beside_the_papers_figures() {
    let text = Workbench::new().text("demo");
    assert_says(
        &text,
        &[
            "data set 1    -681.041  -697.004  -697.211  -696.617  -696.457",
            "data set 2    -466.205  -528.450  -695.655  -642.506  -672.477",
            "paper, set 2  -466.205  -528.450  -695.655  -642.506  -672.477",
            "5     X3 → X4",
            "bhd finds            [X1][X2|X1][X3|X1][X4|X3][X5|X1:X4]",
            "pooled bdeu finds",
            "pooled bic finds",
        ],
    );
}
