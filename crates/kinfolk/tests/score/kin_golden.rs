//! The `kin` score against arithmetic of forty digits and quadrature: `golden/kin.json`, made apart from kinfolk.

use kinfolk::counts::Counts;
use kinfolk::laplace::{Cells, evidence};
use kinfolk::score::{Kin, Score};
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/kin.json")).unwrap()
}

fn table(value: &Value) -> Vec<Vec<Vec<u64>>> {
    serde_json::from_value(value.clone()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    serde_json::from_value(value.clone()).unwrap()
}

#[track_caller]
fn assert_close(value: f64, expected: &Value, tolerance: f64, what: &str) {
    let expected = expected.as_f64().unwrap();
    assert!((value - expected).abs() <= tolerance * (1.0 + expected.abs()), "{what}: {value} not {expected}");
}

#[test]
fn evidence_score_and_posterior_equal_forty_digit_arithmetic() {
    let golden = golden();
    let families = golden["families"].as_array().unwrap();
    assert!(families.len() > 10);
    for family in families {
        let cells = if family["cells"] == "row" { Cells::Row } else { Cells::Joint };
        let what = format!("{}, {cells:?}", family["name"]);
        let counts = Counts::from_table(&table(&family["table"]));
        for (&s, expected) in numbers(&golden["grid"]).iter().zip(family["evidence"].as_array().unwrap()) {
            assert_close(evidence(&counts, cells, s), expected, 1e-9, &format!("{what}, s = {s}"));
        }
        let kin = Kin { cells, ..Kin::default() };
        assert_eq!(kin.grid.values(), numbers(&golden["grid"]));
        let related = Kin { pooled_half: false, ..kin.clone() }.family_score(&counts);
        assert_close(related.total, &family["related"], 1e-9, &what);
        let score = kin.explain(&counts);
        assert_close(score.total, &family["total"], 1e-9, &what);
        let fit = score.kin.unwrap();
        let kinship = &fit.kinship;
        assert_close(kinship.pooled_share.unwrap(), &family["identical"], 1e-8, &what);
        assert_close(kinship.s_mean, &family["s_mean"], 1e-8, &what);
        for (value, expected) in kinship.s_posterior.iter().zip(family["s_posterior"].as_array().unwrap()) {
            assert_close(*value, expected, 1e-8, &what);
        }
        for row in &fit.centre {
            let number = usize::try_from(row.configuration.unwrap()).unwrap();
            for (value, expected) in row.probabilities.iter().zip(numbers(&family["centre"][number])) {
                assert!((value - expected).abs() < 1e-7, "{what}: centre {value} not {expected}");
            }
        }
    }
}

#[test]
fn laplaces_method_is_within_a_fortieth_of_the_integral_over_the_centre_of_two_states() {
    let golden = golden();
    let mut worst: f64 = 0.0;
    for case in golden["integrals"].as_array().unwrap() {
        let counts: Vec<Vec<u64>> = serde_json::from_value(case["counts"].clone()).unwrap();
        let table: Vec<_> = counts.into_iter().map(|counts| vec![counts]).collect();
        let value = evidence(&Counts::from_table(&table), Cells::Row, case["s"].as_f64().unwrap());
        worst = worst.max((value - case["integral"].as_f64().unwrap()).abs());
    }
    assert!(worst < 0.025, "{worst}");
}
