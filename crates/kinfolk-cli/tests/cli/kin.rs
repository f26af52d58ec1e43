//! `--score kin`, `--method kin` and `--structure-prior` from end to end.

use serde_json::{Value, json};

use crate::workbench::{Workbench, assert_close, assert_says, golden, keys};

const STRUCTURE: &str = "[V02][V06][V03|V06][V04|V02:V06][V01|V02:V03][V05|V03:V04]";

/// Two columns without arcs with the counts of a golden family: two states, one configuration.
fn golden_family() -> (Workbench, Value) {
    let golden = golden("kin.json");
    let family = golden["families"]
        .as_array()
        .unwrap()
        .iter()
        .find(|family| family["name"] == "identical, two states");
    let family = family.unwrap().clone();
    let mut text = "site,x,n\n".to_owned();
    for (site, counts) in family["table"].as_array().unwrap().iter().enumerate() {
        for (state, count) in counts[0].as_array().unwrap().iter().enumerate() {
            text +=
                &["s", &site.to_string(), ",", &state.to_string(), ",", &count.to_string(), "\n"].concat();
        }
    }
    (Workbench::new().write("d.csv", text), family)
}

#[test]
fn scores_and_kinship_are_the_golden_ones() {
    let (bench, family) = golden_family();
    let call = "score d.csv --group site --weight n --structure [x] --score kin";
    let scored = bench.json(call);
    let node = &scored["nodes"][0];
    assert_close(&node["total"], family["total"].as_f64().unwrap(), 1e-9);
    assert_eq!((&scored["by_data_set"], &node["by_data_set"]), (&Value::Null, &Value::Null));
    let kin = &node["kin"];
    assert_eq!(keys(kin), ["s", "s_posterior", "s_mean", "pooled_share", "p_identical", "centre"]);
    assert_close(&kin["pooled_share"], family["identical"].as_f64().unwrap(), 1e-8);
    assert_close(&kin["s_mean"], family["s_mean"].as_f64().unwrap(), 1e-8);
    assert_close(&kin["centre"][0]["probabilities"][0], family["centre"][0][0].as_f64().unwrap(), 1e-7);
    assert_eq!(kin["centre"][0]["given"], json!([]));
    let related = bench.json(&format!("{call} --no-pooled-half"));
    assert_close(&related["total"], family["related"].as_f64().unwrap(), 1e-9);
    assert_eq!(related["nodes"][0]["kin"]["p_identical"], Value::Null);
    assert_says(&bench.text(call), &["score      kin, structure prior size", "identical", "s  "]);
}

#[test]
fn a_kin_search_reports_relatedness_and_keeps_its_tables() {
    let bench = Workbench::with_golden("clinics");
    let learned = bench.json("learn clinics.csv --group site --score kin --out found.json");
    assert_eq!(
        (&learned["score_name"], &learned["stop"], &learned["not_converged"]),
        (&"kin".into(), &"optimum".into(), &0.into())
    );
    let nodes = learned["nodes"].as_array().unwrap();
    let total: f64 = nodes.iter().filter_map(|node| node["total"].as_f64()).sum();
    assert_close(&learned["score"], total, 1e-12);
    for node in nodes {
        let sum: f64 = node["kin"]["s_posterior"].as_array().unwrap().iter().filter_map(Value::as_f64).sum();
        assert!((sum - 1.0).abs() < 1e-12 && node["kin"]["p_identical"].as_f64().unwrap() <= 1.0);
        assert_eq!(node["converged"], true);
    }
    assert_eq!(learned["settings"]["tables"]["method"], "kin");
    assert_eq!(learned["settings"]["kin_grid"].as_array().unwrap().len(), 12);
    assert_eq!(
        (&learned["settings"]["pooled_half"], &learned["settings"]["kin_cells"]),
        (&json!(true), &json!("row"))
    );
    let again = bench.json("score clinics.csv --group site --score kin --structure found.json");
    assert_close(&again["total"], learned["score"].as_f64().unwrap(), 1e-12);
    let one_thread = bench.json("learn clinics.csv --group site --score kin --threads 1");
    assert_eq!(one_thread["nodes"], learned["nodes"]);
    let joint =
        bench.json("learn clinics.csv --group site --score kin --kin-cells joint --kin-grid 10,0.5,100");
    assert_eq!(joint["settings"]["kin_grid"], json!([0.5, 10.0, 100.0]));
    assert_eq!(joint["settings"]["kin_cells"], "joint");
}

#[test]
fn tables_by_kin_come_from_fit_too() {
    let bench = Workbench::with_golden("clinics");
    let call = format!("fit clinics.csv --group site --structure {STRUCTURE} --method kin");
    let fit = bench.json(&call);
    assert_eq!(fit["nodes"][0]["tau"], Value::Null);
    // The shrinkage of the whole table and of each of its rows.
    let share = |value: &Value| (0.0..=1.0).contains(&value.as_f64().unwrap());
    for node in fit["nodes"].as_array().unwrap() {
        for data_set in ["s1", "s2", "s3"] {
            assert!(share(&node["shrinkage"][data_set]), "{node}");
            let shares = node["shrinkage_by_configuration"][data_set].as_array().unwrap();
            let rows = node["rows"][data_set].as_array().unwrap();
            assert_eq!((shares.len(), rows.len()), {
                let configurations = node["configurations"].as_array().unwrap().len();
                (configurations, configurations)
            });
            for (share_of_row, rows) in shares.iter().zip(rows) {
                assert!(
                    share(share_of_row) && (rows != 0 || share_of_row == 1.0),
                    "{share_of_row} of {rows}"
                );
            }
        }
    }
    assert_eq!(keys(&fit["nodes"][0]["kin"]), ["s", "s_posterior", "s_mean", "pooled_share", "p_identical"]);
    assert_eq!(fit["settings"]["method"], "kin");
    assert_says(&bench.text(&call), &["(s about ", "identical with probability", "(new)"]);
    assert_says(&bench.refusal(&format!("{call} --s 2")), &["--s belongs to --method hierarchical"]);
    assert_says(
        &bench.refusal(&call.replace("--method kin", "--method hierarchical --kin-grid 1,2")),
        &["--kin-grid belongs to --method kin"],
    );
}

#[test]
fn a_prior_on_structures_is_for_every_score_and_part_of_the_total() {
    let bench = Workbench::with_golden("clinics");
    let call = format!("score clinics.csv --group site --structure {STRUCTURE}");
    // Four nodes among six have parents: V03 one of five, V04, V01 and V05 two, of which there are ten sets.
    let prior = -(5.0_f64.ln() + 3.0 * 10.0_f64.ln());
    for score in ["bhd", "kin", "bdeu", "bdeu-separate", "bic", "aic", "loglik", "k2", "bds", "bdj"] {
        let total = |prior: &str| bench.json(&format!("{call} --score {score} --structure-prior {prior}"));
        let (uniform, size) = (total("uniform"), total("size"));
        assert_close(&size["total"], uniform["total"].as_f64().unwrap() + prior, 1e-12);
        assert_close(&size["nodes"][2]["structure_prior"], -(5.0_f64.ln()), 1e-12);
        assert_eq!(
            (&uniform["nodes"][2]["structure_prior"], &uniform["by_data_set"]),
            (&Value::Null, &size["by_data_set"])
        );
        let default = bench.json(&format!("{call} --score {score}"));
        let own = if score == "kin" { &size } else { &uniform };
        assert_eq!(
            (&default["total"], &default["settings"]["structure_prior"]),
            (&own["total"], &own["settings"]["structure_prior"])
        );
    }
    let learned = bench.json("learn clinics.csv --group site --score bhd --structure-prior size");
    assert_eq!(learned["settings"]["structure_prior"], "size");
}

#[test]
fn options_of_kin_are_refused_elsewhere_and_impossible_grids_anywhere() {
    let bench = Workbench::with_golden("clinics");
    for flags in ["--kin-grid 1,2", "--no-pooled-half", "--kin-cells joint"] {
        let flag = flags.split(' ').next().unwrap();
        for command in ["learn none.csv", "score none.csv --structure [a]"] {
            let refusal = bench.refusal(&format!("{command} --score bdeu {flags}"));
            assert_says(&refusal, &[flag, "belongs to --score kin", "leave it out"]);
        }
        assert_says(
            &bench.refusal(&format!("validate none.csv --score bhd {flags}")),
            &[flag, "belongs to --score kin"],
        );
    }
    for (option, owner) in [("--s 2", "bhd"), ("--iss 2", "bdeu"), ("--alpha0 1", "bhd")] {
        assert_says(
            &bench.refusal(&format!("learn none.csv --score kin {option}")),
            &["belongs to --score", owner],
        );
    }
    let call = "learn clinics.csv --group site --score kin --kin-grid";
    for (grid, parts) in [
        ("1,0", &["--kin-grid", "from 1e-9 to 1e9", "0.0"][..]),
        ("-1", &["from 1e-9 to 1e9"]),
        ("1e12", &["from 1e-9 to 1e9"]),
        ("nan", &["from 1e-9 to 1e9"]),
        ("2,1,2", &["2.0 twice"]),
        ("few", &["--kin-grid", "few"]),
    ] {
        assert_says(&bench.refusal(&format!("{call} {grid}")), parts);
    }
}
