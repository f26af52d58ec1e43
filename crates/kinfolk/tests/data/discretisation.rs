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

#[test]
fn cut_points_of_many_digits_are_shortened_without_moving_a_row() {
    let quantiles = reading(&["p\n0.123456\n0.234567\n0.345678\n0.456789\n"], &discretize(&["p=quantile:2"]));
    // The median is 0.2901225.
    assert_eq!(states(&quantiles, "p"), ["<=0.2901", ">0.2901"]);
    assert_eq!(cells(&quantiles, "p")[0], ["<=0.2901", "<=0.2901", ">0.2901", ">0.2901"]);
    let close = reading(&["p\n1.000001\n1.000002\n1.000003\n"], &discretize(&["p=quantile:3"]));
    assert_eq!(
        cells(&close, "p")[0],
        ["<=1.0000017", "(1.0000017,1.000002]", ">1.000002"].map(str::to_owned)
    );
    let width = reading(&["p\n0\n1\n23\n70\n100\n"], &discretize(&["p=width:3"]));
    assert_eq!(states(&width, "p"), ["<=33.33", "(33.33,66.67]", ">66.67"]);
    let given = reading(&["p\n0\n1\n"], &discretize(&["p=cuts:0.123456789"]));
    assert_eq!(states(&given, "p"), ["<=0.123456789", ">0.123456789"]);
}

#[test]
fn joined_bins_keep_what_quantiles_lose() {
    // y is 1 only in the upper tenth of x: no quantile of thirds separates it, and the joined bins do.
    let mut text = "x,y,z\n".to_owned();
    for row in 0..300 {
        text += &format!("{row},{},{}\n", if row >= 270 { "high" } else { "low" }, row * 7 % 3);
    }
    let joined = reading(&[&text], &discretize(&["x=hartemink:3"]));
    assert_eq!(states(&joined, "x").len(), 3);
    let boundary = |reading: &kinfolk::data::Reading| {
        let (x, y) = (cells(reading, "x"), cells(reading, "y"));
        x[0].iter().zip(&y[0]).all(|(x, y)| (x == &states(reading, "x")[2]) == (y == "high"))
    };
    assert!(boundary(&joined), "{:?}", states(&joined, "x"));
    assert!(!boundary(&reading(&[&text], &discretize(&["x=quantile:3"]))));
    // The data sets are discretised together, in any order of the columns and of the files.
    let (head, tail) = text.split_at(text.match_indices('\n').nth(150).unwrap().0 + 1);
    let tail = format!("x,y,z\n{tail}");
    for files in [[head, &tail], [&tail, head]] {
        let parts = reading(&files, &discretize(&["all=hartemink:3"]));
        assert_eq!(states(&parts, "x"), states(&joined, "x"));
        assert_eq!(states(&parts, "z"), ["0", "1", "2"]);
    }
    for (rule, reason) in
        [("x=hartemink:1", "from 2 to 19, not 1"), ("x=hartemink:20", "from 2 to 19, not 20")]
    {
        let refused = rule.parse::<DiscretizationRule>().unwrap_err().to_string();
        assert!(refused.contains(reason), "{refused}");
    }
    let text = refusal(&["x,y\n1,a\nb,a\n"], &discretize(&["x=hartemink:2"]));
    assert!(text.starts_with("a, row 3, column `x`: `b` is not a number"), "{text}");
}

#[test]
fn numbers_as_states_are_noted_with_a_way_out() {
    let codes: Vec<String> = (0..40).map(|row| format!("{},{row},{row}.5,x{row}\n", row % 10)).collect();
    let codes = codes.concat();
    let found = reading(&[&format!("code,age,dose,name\n{codes}")], &ReadOptions::default());
    let expected = kinfolk::data::Note::NumbersAsStates {
        columns: vec!["age".to_owned(), "dose".to_owned()],
        distinct: 40,
    };
    assert_eq!(found.description.notes, [expected]);
    let text = "numbers are states without order: 40 distinct values of `age`, and those of `dose`";
    assert!(notes(&found)[0].starts_with(text), "{:?}", notes(&found));
    let declared: Vec<String> = (0..40).map(|age| age.to_string()).collect();
    let options = ReadOptions { levels: vec![("age".to_owned(), declared)], ..discretize(&["dose=width:2"]) };
    let found = reading(&[&format!("code,age,dose,name\n{codes}")], &options);
    assert!(!notes(&found).iter().any(|note| note.contains("without order")), "{:?}", notes(&found));
}
