//! Experiments run again through the binary: killed and continued, remade from their results, refused.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::workbench::{Workbench, assert_says};

/// Lines of a file that may not be there yet.
fn lines(path: &Path) -> usize {
    fs::read_to_string(path).map_or(0, |text| text.lines().count())
}

/// Rows without the seconds, which no two runs share.
fn timeless(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let seconds = reader.headers().unwrap().iter().position(|name| name == "seconds").unwrap();
    let keep = |row: csv::StringRecord| {
        row.iter()
            .enumerate()
            .filter(|(column, _)| *column != seconds)
            .map(|(_, cell)| cell.to_owned())
            .collect()
    };
    reader.records().map(|row| keep(row.unwrap())).collect()
}

#[test]
fn a_study_that_was_killed_goes_on_and_ends_with_the_same_rows() {
    let bench = Workbench::new();
    bench.text("reproduce study4 --out whole --quiet");
    let results = bench.path("killed/results.csv");
    let mut kills = 0;
    for more in [100, 500] {
        let before = lines(&results);
        let mut child = Command::new(env!("CARGO_BIN_EXE_kinfolk"))
            .current_dir(bench.path(""))
            .args(["reproduce", "study4", "--out", "killed", "--quiet"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        while child.try_wait().unwrap().is_none() && lines(&results) < before + more {
            thread::sleep(Duration::from_millis(2));
        }
        // SIGKILL allows no cleanup. A fast machine may have finished before.
        kills += usize::from(child.kill().is_ok());
        child.wait().unwrap();
    }
    assert_eq!(kills, 2);
    let said = bench.json("reproduce study4 --out killed --quiet");
    assert_eq!((said[0]["complete"].as_bool(), said[0]["finished"].as_u64()), (Some(true), Some(396)));
    assert_eq!(timeless(&bench.read("killed/results.csv")), timeless(&bench.read("whole/results.csv")));
    // Files derived from the rows are the same, too.
    for file in ["verdict.json", "figures/shd_by_shortened.svg", "figures/shd_by_shortened.png"] {
        let read = |folder: &str| fs::read(bench.path(folder).join(file)).unwrap();
        assert!(read("killed") == read("whole"), "{file}");
    }
}

#[test]
fn everything_but_the_results_is_remade_from_them() {
    let bench = Workbench::new();
    for (name, figure) in [("example", "steps"), ("sensitivity", "networks")] {
        bench.text(&format!("reproduce {name} --out {name} --quiet"));
        let results = bench.read(&format!("{name}/results.csv"));
        let svg = bench.read(&format!("{name}/figures/{figure}.svg"));
        let png = fs::read(bench.path(&format!("{name}/figures/{figure}.png"))).unwrap();
        let verdict = bench.read(&format!("{name}/verdict.json"));
        assert_says(&svg, &["<svg", "X5", "</svg>"]);
        assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
        assert!(png.len() > 10_000, "a picture with text has more than {} bytes", png.len());
        let claims: Value = serde_json::from_str(&verdict).unwrap();
        for claim in claims.as_array().unwrap() {
            assert_eq!(claim["study"], name);
            assert!(claim["supported"].is_boolean() || claim["supported"] == "mixed");
            assert!(claim["value"].is_number() && claim["claim"].is_string());
        }
        fs::remove_dir_all(bench.path(&format!("{name}/figures"))).unwrap();
        fs::remove_file(bench.path(&format!("{name}/verdict.json"))).unwrap();
        bench.text(&format!("reproduce {name} --out {name} --figures-only --quiet"));
        assert_eq!(bench.read(&format!("{name}/results.csv")), results);
        assert_eq!(bench.read(&format!("{name}/figures/{figure}.svg")), svg);
        assert!(fs::read(bench.path(&format!("{name}/figures/{figure}.png"))).unwrap() == png);
        assert_eq!(bench.read(&format!("{name}/verdict.json")), verdict);
    }
}

#[test]
fn the_example_reproduces_the_printed_scores() {
    let bench = Workbench::new();
    bench.text("reproduce example --out e --quiet");
    let claims: Value = serde_json::from_str(&bench.read("e/verdict.json")).unwrap();
    for (index, words) in ["five steps", "score table", "estimated tables"].iter().enumerate() {
        assert_says(claims[index]["claim"].as_str().unwrap(), &[words]);
        assert_eq!(claims[index]["supported"], true);
    }
}

#[test]
fn contradictory_options_are_refused() {
    let bench = Workbench::new();
    let nothing = bench.refusal("reproduce study1 --out nothing --figures-only");
    assert_says(&nothing, &["--figures-only", "run the experiment first"]);
    assert!(!bench.path("nothing").exists());
    assert_says(&bench.refusal("reproduce example --out e --report r"), &["--report", "reproduce all"]);
    bench.text("reproduce study4 --out s --quiet");
    assert_says(&bench.refusal("reproduce study4 --out s --seed 2"), &["seed 1", "give another folder"]);
    assert_says(&bench.refusal("reproduce study2 --out s"), &["study4", "give another folder"]);
}

/// Starts a study in the folder `s`, in the background.
fn start(bench: &Workbench) -> std::process::Child {
    Command::new(env!("CARGO_BIN_EXE_kinfolk"))
        .current_dir(bench.path(""))
        .args(["reproduce", "study4", "--out", "s", "--quiet", "--json", "--threads", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn a_second_run_in_the_same_folder_is_refused_and_loses_nothing() {
    let bench = Workbench::new();
    let mut first = start(&bench);
    let results = bench.path("s/results.csv");
    while first.try_wait().unwrap().is_none() && lines(&results) < 50 {
        thread::sleep(Duration::from_millis(2));
    }
    let before = bench.read("s/results.csv");
    for call in ["reproduce study4 --out s --quiet", "reproduce example --out s --quiet"] {
        assert_says(&bench.refusal(call), &["s: another run is using it", "give another folder"]);
    }
    assert!(bench.read("s/results.csv").starts_with(&before));
    // The lock ends with its process, even if that is killed.
    first.kill().unwrap();
    first.wait().unwrap();
    let said = bench.json("reproduce study4 --out s --quiet");
    assert_eq!((said[0]["complete"].as_bool(), said[0]["finished"].as_u64()), (Some(true), Some(396)));
    bench.text("reproduce study4 --out whole --quiet");
    assert_eq!(timeless(&bench.read("s/results.csv")), timeless(&bench.read("whole/results.csv")));
    let left: Vec<String> = fs::read_dir(bench.path("s"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with(".kinfolk-") || name == "results.tmp")
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn of_two_runs_started_together_one_finishes_with_every_row() {
    let bench = Workbench::new();
    let ended = [start(&bench), start(&bench)].map(|child| child.wait_with_output().unwrap());
    let mut codes = ended.each_ref().map(|output| output.status.code());
    codes.sort();
    // On a busy machine the second may begin when the first has finished.
    assert!(codes == [Some(0), Some(2)] || codes == [Some(0), Some(0)], "{codes:?}");
    let finished = ended.iter().find(|output| output.status.success()).unwrap();
    let said: Value = serde_json::from_slice(&finished.stdout).unwrap();
    assert_eq!(said[0]["complete"], true);
    bench.text("reproduce study4 --out whole --quiet");
    assert_eq!(timeless(&bench.read("s/results.csv")), timeless(&bench.read("whole/results.csv")));
}

#[cfg(unix)]
#[test]
fn links_in_the_folder_are_replaced_and_not_written_through() {
    use std::os::unix::fs::symlink;

    let bench = Workbench::new().write("precious.txt", "precious");
    fs::create_dir_all(bench.path("e/figures")).unwrap();
    let precious = bench.path("precious.txt");
    for name in ["results.tmp", "verdict.json", "figures/steps.svg", "figures/steps.png"] {
        symlink(&precious, bench.path("e").join(name)).unwrap();
    }
    bench.text("reproduce example --out e --quiet");
    assert_eq!(bench.read("precious.txt"), "precious");
    assert_says(&bench.read("e/verdict.json"), &["claim"]);
    // A lock that is a link makes no file elsewhere, and results that are something else are left alone.
    fs::create_dir_all(bench.path("f")).unwrap();
    symlink(bench.path("new.txt"), bench.path("f/.lock")).unwrap();
    assert_says(&bench.refusal("reproduce example --out f --quiet"), &[".lock", "give another folder"]);
    assert!(!bench.path("new.txt").exists());
    fs::create_dir_all(bench.path("g")).unwrap();
    symlink(&precious, bench.path("g/results.csv")).unwrap();
    assert_says(&bench.refusal("reproduce example --out g --quiet"), &["results.csv", "give another folder"]);
    assert_eq!(bench.read("precious.txt"), "precious");
}

#[test]
fn results_of_another_experiment_are_not_overwritten() {
    let bench = Workbench::new();
    bench.text("reproduce sensitivity --out s --quiet");
    let before = bench.read("s/results.csv");
    for name in ["example", "study4", "complexity"] {
        let refusal = bench.refusal(&format!("reproduce {name} --out s --quiet"));
        assert_says(&refusal, &["s/results.csv", "give another folder"]);
        assert_eq!(bench.read("s/results.csv"), before);
    }
    bench.text("reproduce sensitivity --out s --quiet");
    assert_eq!(bench.read("s/results.csv"), before);
}
