//! Numbers in bins.

use kinfolk::data::{Discretization, DiscretizationRule, DiscretizationTarget, ReadOptions, VariableKind};

use crate::{cells, discretize, notes, reading, refusal, rule, states, texts};

#[test]
fn cut_points_are_chosen_on_all_data_sets_together() {
    // R: quantile(c(1:5, 10), c(.25, .5, .75), type = 7) is 2.25 3.50 4.75.
    let reading = reading(&["p\n1\n2\n3\n", "p\n10\n4\n5\n"], &discretize(&["p=quantile:4"]));
    assert_eq!(states(&reading, "p"), ["<=2.25", "(2.25,3.5]", "(3.5,4.75]", ">4.75"]);
    assert_eq!(cells(&reading, "p")[0], ["<=2.25", "<=2.25", "(2.25,3.5]"]);
    let kind = VariableKind::Discretized { method: Discretization::Quantile(4), cuts: vec![2.25, 3.5, 4.75] };
    assert_eq!(reading.description.variables[0].kind, kind);
}

#[test]
fn weights_count_as_rows_when_cut_points_are_chosen() {
    let options = ReadOptions { weight: Some("n".to_owned()), ..discretize(&["p=quantile:3"]) };
    let weighted = reading(&["n,p\n3,1\n1,2\n0,100\n4,7\n2,3\n"], &options);
    let repeated = reading(&["p\n1\n1\n1\n2\n7\n7\n7\n7\n3\n3\n"], &discretize(&["p=quantile:3"]));
    assert_eq!(states(&weighted, "p"), states(&repeated, "p"));
    assert_eq!(states(&weighted, "p"), ["<=2", ">2"]);
}

#[test]
fn quantiles_that_coincide_make_fewer_bins_and_a_note() {
    let skewed = reading(&["p\n0\n0\n0\n0\n0\n0\n1\n2\n"], &discretize(&["p=quantile:4"]));
    assert_eq!(states(&skewed, "p"), ["<=0", ">0"]);
    assert!(notes(&skewed)[0].starts_with("column `p` has 2 bins instead of 4"), "{:?}", notes(&skewed));
    let top = reading(&["p\n0\n1\n1\n1\n1\n1\n1\n1\n"], &discretize(&["p=quantile:2"]));
    assert_eq!(states(&top, "p"), ["[0,1]"]);
    assert!(top.data.schema().variables()[0].constant);
}

#[test]
fn equal_widths_and_given_cuts_keep_empty_bins() {
    let width = reading(&["p\n0\n0.1\n0.3\n1\n"], &discretize(&["p=width:10"]));
    assert_eq!(states(&width, "p").len(), 10);
    assert_eq!(cells(&width, "p")[0], ["<=0.1", "<=0.1", "(0.2,0.3]", ">0.9"]);
    let cuts = reading(&["p\n1\n0\n1.5\n"], &discretize(&["p=cuts:0,1.5,1e300"]));
    assert_eq!(states(&cuts, "p"), ["<=0", "(0,1.5]", "(1.5,1e300]", ">1e300"]);
    assert_eq!(cells(&cuts, "p")[0], ["(0,1.5]", "<=0", "(0,1.5]"]);
}

#[test]
fn a_single_number_is_a_constant_column() {
    for rule in ["p=quantile:4", "p=width:3"] {
        let reading = reading(&["p\n5.0\n5\n"], &discretize(&[rule]));
        assert_eq!(states(&reading, "p"), ["5"]);
        assert!(reading.data.schema().variables()[0].constant);
    }
}

#[test]
fn a_rule_of_its_own_needs_numbers() {
    for value in ["x", "inf", "NaN ", "0x10"] {
        let options = ReadOptions { na: vec![], ..discretize(&["p=width:2"]) };
        let text = refusal(&["p\n1\n", &format!("p\n2\n{value}\n")], &options);
        let start = format!("b, row 3, column `p`: `{}` is not a number", value.trim());
        assert!(text.starts_with(&start), "{text}");
    }
}

#[test]
fn a_rule_for_all_takes_numeric_columns_with_enough_values() {
    let options = ReadOptions {
        group: Some("g".to_owned()),
        levels: vec![("d".to_owned(), texts(&["1", "2", "3", "4"]))],
        ..discretize(&["all=quantile:2", "w=cuts:2"])
    };
    let reading = reading(&["g,n,b,t,d,w\n1,1,0,x,1,1\n1,2,1,y,2,2\n2,3,0,1,3,3\n2,4,1,2,4,4\n"], &options);
    assert_eq!(states(&reading, "n"), ["<=2.5", ">2.5"]);
    assert_eq!(states(&reading, "b"), ["0", "1"]);
    assert_eq!(states(&reading, "t"), ["1", "2", "x", "y"]);
    assert_eq!(states(&reading, "d").len(), 4);
    assert_eq!(states(&reading, "w"), ["<=2", ">2"]);
    assert!(notes(&reading).contains(&"not discretised, having at most 2 distinct values: `b`".to_owned()));
}

#[test]
fn rules_are_parsed_at_the_last_method() {
    assert_eq!(
        rule("a=b=width:3"),
        DiscretizationRule {
            target: DiscretizationTarget::Column("a=b".to_owned()),
            method: Discretization::Width(3)
        }
    );
    assert_eq!(rule("a=width:2=quantile:4").target, DiscretizationTarget::Column("a=width:2".to_owned()));
    assert_eq!(
        rule("all=cuts:-1, 0,1.5"),
        DiscretizationRule {
            target: DiscretizationTarget::All,
            method: Discretization::Cuts(vec![-1.0, 0.0, 1.5])
        }
    );
    assert_eq!(rule("x=cuts:-1,0").to_string(), "x=cuts:-1,0");
    for (text, reason) in [
        ("x", "write COLUMN=quantile:4"),
        ("x=4", "write COLUMN=quantile:4"),
        ("=width:4", "the column is not named"),
        ("x=quantile:1", "the number of bins must be from 2 to 50, not 1"),
        ("x=width:51", "the number of bins must be from 2 to 50, not 51"),
        ("x=width:two", "`two` is not a number of bins from 2 to 50"),
        ("x=cuts:", "the cut `` is not a finite number"),
        ("x=cuts:1,inf", "the cut `inf` is not a finite number"),
        ("x=cuts:1,1", "the cuts must increase"),
    ] {
        let refused = text.parse::<DiscretizationRule>().expect_err("bad").to_string();
        assert!(refused.starts_with(&format!("discretize `{text}`: {reason}")), "{refused}");
    }
    let twice = discretize(&["p=width:2", "p=width:3"]);
    assert!(refusal(&["p\n1\n"], &twice).contains("there are two rules for it"));
}
