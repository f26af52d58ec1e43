//! `--out`: a whole file or none, an ordinary one, and no work lost.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::workbench::{Workbench, assert_says};

const CLINICS: &str = "learn clinics.csv --group site";

fn entries(bench: &Workbench) -> Vec<String> {
    let entries = fs::read_dir(bench.path("")).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_file_holds_the_json_and_the_summary_is_still_printed() {
    let bench = Workbench::with_golden("clinics");
    let text = bench.text(&format!("{CLINICS} --out found.json"));
    assert_eq!(text, bench.text(CLINICS));
    let mut file: Value = serde_json::from_str(&bench.read("found.json")).unwrap();
    let provenance = file.as_object_mut().unwrap().shift_remove("provenance").unwrap();
    let command: Vec<&str> = CLINICS.split_whitespace().collect();
    assert_eq!(provenance["command"], json!(command));
    assert_eq!(provenance["rows"], json!({"s1": 250, "s2": 200, "s3": 150}));
    assert!(provenance["data_hash"].as_str().unwrap().starts_with("sha256:"));
    assert_eq!(file, bench.json(CLINICS));
    bench.text(&format!("{CLINICS} --threads 1 --json --out=again.json"));
    assert_eq!(bench.read("again.json"), bench.read("found.json"));
    assert_eq!(entries(&bench), ["again.json", "clinics.csv", "found.json"]);
}

#[cfg(unix)]
#[test]
fn the_file_has_the_permissions_of_any_other() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let bench = Workbench::with_golden("clinics").write("ordinary", "").write("old.json", "old");
    let mode = |name: &str| fs::metadata(bench.path(name)).unwrap().permissions().mode() & 0o777;
    bench.text(&format!("{CLINICS} --out new.json"));
    assert_eq!(mode("new.json"), mode("ordinary"));

    fs::set_permissions(bench.path("old.json"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("old.json", bench.path("link.json")).unwrap();
    bench.text(&format!("{CLINICS} --out link.json"));
    assert!(bench.path("link.json").is_symlink());
    assert_eq!((bench.read("old.json"), mode("old.json")), (bench.read("new.json"), 0o640));
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_is_written_to_and_not_replaced() {
    use std::os::unix::fs::FileTypeExt;

    let bench = Workbench::with_golden("clinics");
    bench.text(&format!("{CLINICS} --out /dev/null"));
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    let said = bench.run(&format!("{CLINICS} --json --out /dev/full"));
    assert_eq!(said.code, 2);
    assert_says(&said.err, &["--out: /dev/full"]);
    assert_eq!(said.out, bench.text(&format!("{CLINICS} --json")));
}

#[test]
fn files_that_cannot_be_written_are_refused_before_the_data_are_read() {
    let bench = Workbench::new().write("data.csv", "a\nx\ny\n");
    fs::create_dir(bench.path("folder")).unwrap();
    for (out, part) in [
        ("none/found.json", "no folder none"),
        ("folder", "folder is a folder"),
        ("data.csv", "is an input file"),
        ("folder/../data.csv", "is an input file"),
        ("-", "--json"),
    ] {
        let refusal = bench.refusal(&format!("learn missing.csv data.csv --out {out}"));
        assert_says(&refusal, &["--out", part]);
        assert!(!refusal.contains("missing.csv"), "{refusal}");
    }
    assert_eq!(bench.read("data.csv"), "a\nx\ny\n");
}

#[test]
fn a_result_is_printed_even_if_the_file_turns_out_unwritable_in_the_end() {
    let bench = Workbench::new();
    fs::create_dir(bench.path("folder")).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_kinfolk"))
        .current_dir(bench.path(""))
        .args(["learn", "-", "--json", "--quiet", "--out", "folder/found.json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // More than a pipe holds: once it is through, the data are being read and the file has been checked.
    let mut input = child.stdin.take().unwrap();
    input.write_all(format!("a\n{}", "x\ny\n".repeat(100_000)).as_bytes()).unwrap();
    fs::remove_dir(bench.path("folder")).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_says(&String::from_utf8_lossy(&output.stderr), &["--out: folder/found.json"]);
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(printed["stop"], "optimum");
}

#[test]
fn a_file_that_is_also_read_is_never_overwritten() {
    let bench = Workbench::with_golden("clinics")
        .write("levels.json", "{\"V01\": [\"a\", \"b\"]}")
        .write("arcs.csv", "from,to\nV01,V02\n")
        .write("tiers.txt", "V01\n")
        .write("s.txt", "[V01][V02|V01][V03][V04][V05][V06]")
        .write("sure.json", "{}");
    for (call, file) in [
        ("learn clinics.csv --group site --levels levels.json --out", "levels.json"),
        ("learn clinics.csv --group site --whitelist=arcs.csv --out", "arcs.csv"),
        ("learn clinics.csv --group site --blacklist arcs.csv --report", "arcs.csv"),
        ("learn clinics.csv --group site --tiers tiers.txt --out", "tiers.txt"),
        ("learn clinics.csv --group site --start s.txt --out", "s.txt"),
        ("fit clinics.csv --group site --structure s.txt --out", "s.txt"),
        ("bootstrap clinics.csv --group site --tiers tiers.txt --resume", "tiers.txt"),
        ("report clinics.csv --group site --structure s.txt --out", "s.txt"),
        ("report --network s.txt --out", "s.txt"),
        ("report clinics.csv --group site --bootstrap sure.json --out", "sure.json"),
    ] {
        let before = bench.read(file);
        let refusal = bench.refusal(&format!("{call} ./{file}"));
        assert!(
            refusal.contains("is also an input file") || refusal.contains("is an input file"),
            "{call}: {refusal}"
        );
        assert_eq!(bench.read(file), before);
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("levels.json", bench.path("link.json")).unwrap();
        let call = "learn clinics.csv --group site --levels levels.json --out link.json";
        assert_says(&bench.refusal(call), &["--out: link.json is also an input file (--levels)"]);
    }
}
