//! States: their union, their order, their declaration.

use kinfolk::data::{ReadOptions, VariableKind, parse_levels};

use crate::{cells, declare, notes, plain, reading, refusal, rule, states, texts};

#[test]
fn levels_are_the_union_in_natural_order_or_by_value() {
    let reading = reading(&["p,q\na10,10\na2,-1\n", "p,q\nb1,2.5\na2,1e1\n"], &plain());
    assert_eq!(states(&reading, "p"), ["a2", "a10", "b1"]);
    assert_eq!(states(&reading, "q"), ["-1", "2.5", "1e1", "10"]);
    assert_eq!(reading.description.variables[0].absent, [texts(&["b1"]), texts(&["a10"])]);
}

#[test]
fn numbers_come_by_value_before_words_in_mixed_columns_too() {
    let read = reading(&["x\n9\nb10\n1e1\n-2\nb9\n0.5\n"], &plain());
    assert_eq!(states(&read, "x"), ["-2", "0.5", "9", "1e1", "b9", "b10"]);
}

#[test]
fn a_column_that_the_levels_declare_twice_is_refused() {
    let error =
        parse_levels(r#"{"x": ["a"], "y": ["b"], "x": ["c"]}"#, "levels.json").unwrap_err().to_string();
    assert!(error.contains("`x`") && error.contains("listed twice"), "{error}");
}

#[test]
fn numbers_of_equal_value_are_one_state_unless_the_column_has_codes() {
    let merged = reading(&["p,q\n1.0,007\n2.0,1\n", "p,q\n1,1.0\n.50,7\n"], &plain());
    assert_eq!(states(&merged, "p"), ["0.5", "1", "2"]);
    assert_eq!(states(&merged, "q"), ["1", "1.0", "007", "7"]);
    assert!(
        notes(&merged).contains(&"numbers of equal value are one state (`1.0` is `1`) in `p`".to_owned())
    );
    let alone = reading(&["p\n1.0\n2.0\n"], &plain());
    assert_eq!(states(&alone, "p"), ["1.0", "2.0"]);
    assert_eq!(notes(&alone), Vec::<String>::new());
    let long = reading(&["p\n9007199254740993\n9007199254740992\n"], &plain());
    assert_eq!(states(&long, "p").len(), 2, "numbers too long for floats stay apart");
}

#[test]
fn declared_levels_keep_their_order_and_match_by_spelling_then_by_value() {
    let reading = reading(&["p,q\n1.0,low\n3,high\n"], &{
        let levels =
            vec![("p".to_owned(), texts(&["3", "2", "1"])), ("q".to_owned(), texts(&["low", "mid", "high"]))];
        ReadOptions { levels, ..plain() }
    });
    assert_eq!(states(&reading, "p"), ["3", "2", "1"]);
    assert_eq!(cells(&reading, "p"), [texts(&["1", "3"])]);
    assert_eq!(reading.description.variables[1].kind, VariableKind::Declared);
    assert_eq!(reading.description.variables[1].absent, [texts(&["mid"])]);
    let both = self::reading(&["p\n1\n1.0\n1.00\n"], &declare("p", &["1.0", "1"]));
    assert_eq!(cells(&both, "p"), [texts(&["1", "1.0", "1.0"])]);
}

#[test]
fn bad_levels_are_refused() {
    for (levels, start) in [
        (vec![], "levels, column `p`: the list of states is empty"),
        (texts(&["x", "x"]), "levels, column `p`: the state `x` is listed twice"),
        (texts(&["x", ""]), "levels, column `p`: an empty state would always mean missing"),
        (
            texts(&["x", "NA"]),
            "levels, column `p`: the state `NA` also means missing; change what counts as missing or leave the state out",
        ),
    ] {
        let text = refusal(&["p\nx\n"], &ReadOptions { levels: vec![("p".to_owned(), levels)], ..plain() });
        assert!(text.starts_with(start), "{text}");
    }
    let two = ReadOptions { discretize: vec![rule("p=width:2")], ..declare("p", &["1"]) };
    let text = refusal(&["p\n1\n"], &two);
    assert_eq!(text, "discretize `p=width:2`: its states are also declared with levels; leave one out");
    let unselected = ReadOptions { ignore: texts(&["p"]), ..declare("p", &["x"]) };
    assert_eq!(reading(&["p,q\ny,1\n"], &unselected).data.schema().names(), ["q"]);
}

#[test]
fn levels_come_from_json() {
    let levels = parse_levels(r#"{"q": ["low", " high "], "p": [2, 1.5, true]}"#, "l.json").expect("good");
    assert_eq!(levels[0], ("q".to_owned(), texts(&["low", "high"])));
    assert_eq!(levels[1], ("p".to_owned(), texts(&["2", "1.5", "true"])));
    for (text, reason) in [
        ("[1]", "l.json: not an object from column to list of states; levels needs JSON such as"),
        ("{", "l.json: EOF while parsing"),
        (r#"{"p": 1}"#, "l.json: column `p` has no list of states"),
        (r#"{"p": [null]}"#, "l.json: column `p`: null is not a state"),
        (r#"{"p": []}"#, "levels, column `p`: the list of states is empty"),
        (r#"{"p": [1, "1"]}"#, "levels, column `p`: the state `1` is listed twice"),
    ] {
        let refused = parse_levels(text, "l.json").expect_err("bad").to_string();
        assert!(refused.starts_with(reason), "{refused}");
    }
}

#[test]
fn too_many_states_are_refused_for_all_columns_at_once() {
    let lines = (0..60).map(|row| format!("{row},v{row},{}", row % 3)).collect::<Vec<_>>().join("\n");
    let file = format!("the age,id,p\n{lines}");
    assert_eq!(
        refusal(&[&file], &plain()),
        "more than 50 distinct values:\n  column `the age` has 60: discretise column `the age` or ignore column `the age`\n  \
         column `id` has 60: ignore column `id`\nor allow more states or declare them"
    );
    let more = ReadOptions { max_states: 60, ..plain() };
    assert_eq!(states(&reading(&[&file], &more), "id").len(), 60);
}

#[test]
fn a_column_of_many_states_keeps_every_cell() {
    let expected: Vec<String> = (0..70_000).map(|row: u32| format!("v{}", row * 7919 % 70_000)).collect();
    let reading =
        reading(&[&format!("p\n{}\n", expected.join("\n"))], &ReadOptions { max_states: 70_000, ..plain() });
    assert_eq!(states(&reading, "p").len(), 70_000);
    assert_eq!(cells(&reading, "p"), [expected]);
}

#[test]
fn a_group_column_without_rows_makes_no_data_set() {
    let options = ReadOptions { group: Some("g".to_owned()), ..plain() };
    let text = refusal(&["g,p\n"], &options);
    assert_eq!(text, "group: column `g` has no value in any file, so there is no data set");
}

#[test]
fn a_constant_column_is_kept_and_noted() {
    let reading = reading(&["p,q\nx,1\n", "p,q\nx,2\n"], &plain());
    let schema = reading.data.schema();
    assert_eq!(
        schema.variables().iter().map(|variable| variable.constant).collect::<Vec<_>>(),
        [true, false]
    );
    assert_eq!(notes(&reading), ["constant over all data sets together: `p`"]);
}

#[test]
fn the_one_value_that_keeps_a_rule_for_all_columns_away_is_named() {
    let rule = "all=quantile:4".parse().expect("the rule is right");
    let options = ReadOptions { discretize: vec![rule], ..plain() };
    let numbers = (0..60).map(|number| number.to_string()).collect::<Vec<_>>().join("\n");
    let text = refusal(&[&format!("p\n{numbers}\ninf\n")], &options);
    assert!(text.contains("column `p` has 61: `inf` among them is not a number"), "{text}");
    let text = refusal(&[&format!("p\n{numbers}\ninf\nabout 3\n")], &options);
    assert!(!text.contains("among them"), "{text}");
}
