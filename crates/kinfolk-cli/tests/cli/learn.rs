//! `kinfolk learn`: its JSON, its text, its ways of reading data, and its priors.

use serde_json::{Value, json};

use crate::workbench::{Workbench, assert_close, assert_says, keys, noisy_copies, without_settings};

const CLINICS: &str = "learn clinics.csv --group site";
const BHD: &str = "learn clinics.csv --group site --score bhd";

fn clinics() -> Workbench {
    Workbench::with_golden("clinics")
}

#[test]
fn the_json_has_the_keys_of_the_contract() {
    let learned = clinics().json(BHD);
    let expected = [
        "structure",
        "score_name",
        "score",
        "by_data_set",
        "data_sets",
        "variables",
        "nodes",
        "arcs",
        "start",
        "steps",
        "restarts",
        "stop",
        "search",
        "families_scored",
        "not_converged",
        "settings",
        "format",
    ];
    assert_eq!(keys(&learned), expected);
    assert_eq!(keys(&learned["variables"][0]), ["name", "states"]);
    let node = [
        "node",
        "parents",
        "states",
        "configurations",
        "tables",
        "pooled",
        "new",
        "tau",
        "kappa",
        "shrinkage",
        "shrinkage_by_configuration",
        "rows",
        "concentration",
        "iterations",
        "converged",
        "total",
        "by_data_set",
    ];
    assert_eq!(keys(&learned["nodes"][0]), node);
    let alone = clinics().json(&format!("{BHD} --method none"));
    assert_eq!(keys(&alone), expected[..16]);
    let node = ["node", "parents", "total", "by_data_set", "tau", "iterations", "converged"];
    assert_eq!(keys(&alone["nodes"][0]), node);
    assert_eq!(keys(&learned["steps"][0]), ["move", "from", "to", "gain"]);
    assert_eq!(keys(&learned["arcs"][0]), ["from", "to", "gain", "by_data_set"]);
    assert_eq!(learned["score_name"], "bhd");
    assert_eq!(learned["variables"][1], json!({"name": "V02", "states": ["a", "b", "c", "d"]}));
    assert_eq!(learned["settings"]["group"], "site");
    assert_eq!(learned["settings"]["start"], "[V01][V02][V03][V04][V05][V06]");
}

#[test]
fn the_parts_of_a_score_sum_to_it() {
    let learned = clinics().json(BHD);
    let terms = |part: &Value| {
        let terms = part["by_data_set"].as_object().unwrap();
        terms.values().filter_map(Value::as_f64).sum::<f64>()
    };
    let nodes = learned["nodes"].as_array().unwrap();
    let total: f64 = nodes.iter().filter_map(|node| node["total"].as_f64()).sum();
    assert_close(&learned["score"], total, 1e-12);
    assert_close(&learned["score"], terms(&learned), 1e-12);
    for node in nodes {
        assert_close(&node["total"], terms(node), 1e-12);
    }
    for arc in learned["arcs"].as_array().unwrap() {
        assert_close(&arc["gain"], terms(arc), 1e-10);
    }
}

#[test]
fn the_summary_has_the_data_the_score_the_network_and_the_arcs() {
    let text = clinics().text(&format!("{BHD} --search climb"));
    assert_says(
        &text,
        &[
            "3 data sets, 600 rows, 6 variables",
            "bhd, s = 1 per data set, alpha0 = 1 per cell: -2294.221",
            "no move improves the score",
            "network  [V06][V03|V06][V04|V06][V02|V04:V06][V05|V03:V04][V01|V02:V03]",
            "from  to      gain    in s1    in s2   in s3",
            "V06   V02   53.400   29.503   -1.243  25.141",
        ],
    );
}

/// Simulated rows of this many hospitals with long names.
fn hospitals(count: usize) -> Workbench {
    let rows = noisy_copies(400, 4, 2);
    let hospital = |index: usize| format!("University hospital of town {}", index % count);
    let lines: Vec<String> = rows
        .lines()
        .enumerate()
        .map(
            |(index, line)| {
                if index == 0 { format!("hospital,{line}") } else { format!("{},{line}", hospital(index)) }
            },
        )
        .collect();
    Workbench::new().write("hospitals.csv", lines.join("\n"))
}

#[test]
fn many_data_sets_are_summed_up() {
    let bench = hospitals(40);
    let text = bench.text("learn hospitals.csv --group hospital --s 20");
    assert_says(&text, &["gains in", " of 40 ", "each of the 40 data sets are in the output of --json"]);
    assert!(text.lines().all(|line| line.len() < 100), "{text}");
    let text =
        bench.text("score hospitals.csv --group hospital --structure [N01][N02][N03][N04] --score bhd");
    assert_says(&text, &["node", "tau", "each of the 40 data sets are in the output of --json"]);
}

#[test]
fn long_names_of_data_sets_are_shortened_in_the_middle() {
    let text = hospitals(2).text("learn hospitals.csv --group hospital --s 20");
    assert_says(&text, &["in Universit… of town 0  in Universit… of town 1"]);
}

#[test]
fn one_data_set_needs_no_column_of_its_own() {
    let bench = clinics();
    let text = bench.text("learn clinics.csv --ignore site");
    assert!(!text.contains("in clinics"), "{text}");
    let pooled = bench.text(&format!("{CLINICS} --score bdeu --iss 10 --search climb"));
    assert_says(&pooled, &["bdeu, iss = 10: -2815.486"]);
}

#[test]
fn with_json_the_notes_go_to_standard_error() {
    let bench = clinics();
    let said = bench.run(&format!("{CLINICS} --json"));
    assert!(said.json().is_object());
    assert_says(&said.err, &["note: the states of column `V06` differ: s2 has no b"]);
    assert!(!said.err.contains('\r') && !said.err.contains("scoring"), "a progress line: {}", said.err);
    let quiet = bench.run(&format!("{CLINICS} --json --quiet"));
    assert_eq!((quiet.out, quiet.err), (said.out, String::new()));
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let bench = clinics();
    let call = format!("{CLINICS} --restarts 3 --perturb 4 --json --threads");
    let one = bench.text(&format!("{call} 1"));
    for threads in [0, 2, 4, 64] {
        assert_eq!(bench.text(&format!("{call} {threads}")), one, "{threads} threads");
    }
}

#[test]
fn separate_files_and_a_group_column_give_the_same_result() {
    let mut bench = clinics();
    let text = bench.read("clinics.csv");
    let mut names = Vec::new();
    for site in ["s1", "s2", "s3"] {
        let header = text.lines().next().unwrap();
        let column = header.split(',').position(|name| name == "site").unwrap();
        let rows = text.lines().filter(|line| line.split(',').nth(column) == Some(site));
        let file: Vec<&str> = [header].into_iter().chain(rows).collect();
        bench = bench.write(&format!("{site}.csv"), file.join("\n"));
        names.push(format!("{site}.csv"));
    }
    let grouped = without_settings(bench.json(CLINICS));
    let separate = without_settings(bench.json(&format!("learn {} --ignore site", names.join(" "))));
    assert_eq!(separate, grouped);
}

#[test]
fn priors_can_be_given_in_every_way() {
    let bench = clinics();
    let settings = |flags: &str| bench.json(&format!("{CLINICS} {flags}"))["settings"].clone();
    let paper = bench.json(&format!("{CLINICS} --prior paper"));
    assert_eq!(paper, bench.json(&format!("{CLINICS} --s-total 1")));
    assert_close(&paper["settings"]["s"], 1.0 / 3.0, 1e-15);
    assert_eq!(paper["settings"]["alpha0"], 1.0);
    assert_says(&bench.text(&format!("{CLINICS} --prior paper")), &["s = 0.3333 per data set"]);

    assert_eq!(bench.json(&format!("{CLINICS} --prior default")), bench.json(BHD));
    assert_eq!(settings("--s 2.5 --alpha0 0.5")["s"], 2.5);
    assert_eq!(settings("--s 2.5 --alpha0 0.5")["alpha0"], 0.5);
    let spread = settings("--s-total 6 --s0 8");
    assert_eq!((&spread["s"], &spread["s0"], spread.get("alpha0")), (&json!(2.0), &json!(8.0), None));
    assert_eq!(settings("--score bds --iss 7")["iss"], 7.0);
    assert_eq!(settings("--score bdeu")["iss"], 1.0);
    assert_eq!(settings("--score bic").get("iss"), None);
}

#[test]
fn the_score_is_kin_unless_it_is_named_or_a_prior_of_bhd_is_given() {
    let bench = clinics();
    for (flags, name) in [
        ("", "kin"),
        ("--no-pooled-half", "kin"),
        ("--structure-prior uniform", "kin"),
        ("--s 1", "bhd"),
        ("--alpha0 1", "bhd"),
        ("--prior paper", "bhd"),
        ("--score bic", "bic"),
    ] {
        assert_eq!(bench.json(&format!("{CLINICS} {flags}"))["score_name"], name, "{flags}");
    }
    let (named, given) = (bench.json(BHD), bench.json(&format!("{CLINICS} --s 1")));
    assert_eq!((&named["score"], &named["structure"]), (&given["score"], &given["structure"]));
    let text = bench.text(CLINICS);
    assert_says(
        &text,
        &["kin, structure prior size", "`kinfolk fit`", "`kinfolk explain` gives it by data set"],
    );
}

#[test]
fn a_total_for_the_centre_is_spread_over_the_cells() {
    let bench = clinics();
    let nodes = "[V01][V02][V03][V04][V05][V06]";
    let call = format!("score clinics.csv --group site --structure {nodes} --score bhd");
    // V01 has two states and V04 three: totals of 2 and 3 are one for each cell.
    let per_cell = bench.json(&call);
    assert_eq!(bench.json(&format!("{call} --s0 2"))["nodes"][0], per_cell["nodes"][0]);
    assert_eq!(bench.json(&format!("{call} --s0 3"))["nodes"][3], per_cell["nodes"][3]);
    assert_ne!(bench.json(&format!("{call} --s0 3"))["nodes"][0], per_cell["nodes"][0]);
}

#[test]
fn options_of_another_score_are_refused_before_any_data_are_read() {
    let bench = Workbench::new();
    for (flags, flag) in [
        ("--score bdeu --s 2", "--s "),
        ("--score bic --s-total 2", "--s-total "),
        ("--score k2 --alpha0 2", "--alpha0 "),
        ("--score bdj --s0 2", "--s0 "),
        ("--score bdeu-separate --prior paper", "--prior "),
        ("--score bhd --iss 2", "--iss "),
        ("--score kin --alpha0 2", "--alpha0 "),
        ("--iss 2", "--iss "),
        ("--score loglik --iss 2", "--iss "),
    ] {
        let refusal = bench.refusal(&format!("learn none.csv {flags}"));
        assert_says(&refusal, &[flag, "belongs to --score", "leave it out"]);
        assert!(!refusal.contains("none.csv"), "{refusal}");
    }
}

#[test]
fn priors_that_contradict_each_other_or_are_not_positive_are_refused() {
    let bench = clinics();
    for flags in ["--s 1 --s-total 1", "--alpha0 1 --s0 1", "--s 1 --prior paper", "--s0 1 --prior default"] {
        assert_says(&bench.refusal(&format!("{CLINICS} {flags}")), &["cannot be used with"]);
    }
    for flags in [
        "--s 0",
        "--s -1",
        "--s nan",
        "--s-total inf",
        "--alpha0 0",
        "--s0 -3",
        "--score bdeu --iss 0",
        "--s 1e100",
    ] {
        assert_says(&bench.refusal(&format!("{CLINICS} {flags}")), &["must be a number from 1e-9 to 1e9"]);
    }
}

#[test]
fn no_arcs_is_reported_only_after_a_complete_search() {
    let bench = Workbench::new().write("d.csv", "a,b\nx,x\nx,y\ny,x\ny,y\n");
    assert_says(&bench.text("learn d.csv"), &["1 data set, 4 rows", "No arcs: no permitted arc"]);
    assert_says(&bench.text("learn d.csv --max-steps 0"), &["STOPPED at --max-steps", "No arc yet."]);
}

#[test]
fn the_tables_are_those_of_fit_and_the_file_is_a_network() {
    let bench = clinics();
    for (learn, fit) in [
        ("", ""),
        (" --score bhd", ""),
        (" --prior paper", " --prior paper"),
        (" --score bdeu --iss 5 --method bayes", " --method bayes --iss 5"),
        (" --score bic", ""),
        (" --method mle", " --method mle"),
    ] {
        let learned = bench.json(&format!("{CLINICS}{learn} --out network.json"));
        let fitted = bench
            .json(&format!("fit clinics.csv --group site --structure network.json{fit} --out again.json"));
        for (learned, fitted) in
            learned["nodes"].as_array().unwrap().iter().zip(fitted["nodes"].as_array().unwrap())
        {
            for key in ["states", "tables", "pooled", "new", "kappa", "shrinkage", "rows"] {
                assert_eq!(learned[key], fitted[key], "{learn}: {key}");
            }
        }
        for name in ["network.json", "again.json"] {
            let file = kinfolk::formats::NetworkFile::read(&bench.read(name)).unwrap();
            assert_eq!(file.network.schema().data_sets(), ["s1", "s2", "s3"]);
            assert!(file.provenance.is_some());
        }
    }
}

#[test]
fn a_structure_too_wide_for_tables_is_still_a_result() {
    let bench = Workbench::new().write("wide.csv", noisy_copies(300, 16, 4));
    let names: Vec<String> = (1..=15).map(|number| format!("N{number:02}")).collect();
    let start = format!("[{}][N16|{}]", names.join("]["), names.join(":"));
    let said = bench.run(&format!("learn wide.csv --start {start} --max-steps 0 --json"));
    assert_says(&said.err, &["the result has no tables", "`N16` with 15 parents"]);
    assert_eq!(said.json()["structure"], start.as_str());
}

#[test]
fn timing_is_reported_on_request_and_changes_nothing_else() {
    let bench = clinics();
    let plain = bench.json(BHD);
    let mut timed = bench.json(&format!("{BHD} --timing"));
    let timing = timed.as_object_mut().unwrap().shift_remove("timing").unwrap();
    assert_eq!(timed, plain);
    for phase in ["read", "encode", "prepare", "search", "tables"] {
        assert_eq!(keys(&timing[phase]), ["wall", "cpu"]);
        assert!(timing[phase]["wall"].as_f64().unwrap() >= 0.0);
    }
    for counter in
        ["families_scored", "families_bounded", "cache_hits", "fits", "newton_steps", "rows_scanned"]
    {
        assert!(timing[counter].is_u64(), "{counter}: {timing}");
    }
    assert!(timing["fits"].as_u64() >= plain["families_scored"].as_u64());
    assert_says(&bench.text(&format!("{CLINICS} --timing")), &["timing", "search", "peak memory"]);
    let score =
        bench.json("score clinics.csv --group site --structure [V01][V02][V03][V04][V05][V06] --timing");
    assert_eq!(score["timing"]["families_scored"], 6);
    assert_eq!(keys(&score["timing"]["score"]), ["wall", "cpu"]);
    assert_eq!(score["timing"]["search"], score["timing"]["score"]);
}
