//! What is wrong with a file is said with the line and the way out, and sizes are not believed.

use kinfolk::formats::{Format, Structure, read, write_structure};
use kinfolk::graph::Dag;

fn refusal(text: &str, format: Format) -> String {
    read(text, format, "file").expect_err(text).to_string()
}

const HEAD: &str = "network x {\n}\nvariable a {\n  type discrete [ 2 ] { y, n };\n}\n";

fn bif(rest: &str) -> String {
    refusal(&format!("{HEAD}{rest}"), Format::Bif)
}

#[test]
fn errors_name_line_and_way_out() {
    let again = "variable a {\n type discrete [ 1 ] { y };\n}\n";
    let three = "variable b {\n type discrete [ 3 ] { y, n };\n}\n";
    let gauss = "variable b {\n type continuous;\n}\n";
    for (rest, message) in [
        ("oops", "line 6: expected `network`, `variable` or `probability`, found `oops`"),
        ("variable", "line 6: expected the name of a variable, or `{`, found the end of the file"),
        (again, "line 6: variable `a` is given twice; rename or remove one"),
        (three, "line 7: states of variable `b`: 2 instead of 3"),
        (gauss, "line 7: the type `continuous` of variable `b` cannot be read"),
        ("", "line 3: variable `a` has no probabilities; give it a table"),
        ("probability ( b ) { table 1; }", "line 6: there is no variable `b`; there is `a`"),
        ("probability ( a ) {\n table 0.5, x; }", "line 7: expected a number, found `x`"),
        ("probability ( a ) {\n table 0.5; }", "line 7: probabilities of `a`: 1 instead of 2"),
        ("probability ( a ) {\n (y) 0.5, 0.5; }", "line 7: states of the parents of `a`: 1 instead of 0"),
        ("probability ( a ) { }", "line 6: rows in the table of `a`: 0 instead of 1"),
        ("probability ( a | a ) { (y) 1, 0; (n) 1, 0; }", "`a` cannot be its own parent"),
        ("probability ( a | a ) { (z) 1, 0; }", "there is no state of `a` called `z`; there is `y`, `n`"),
        ("probability ( a ) { table 0.5, 0.6; }", "are not a distribution: they sum to 1.1"),
        ("probability ( a ) { table nan, 0.6; }", "are not a distribution"),
        ("probability ( a ) { table \"0.5", "line 6: expected `\"` to end the quoted text"),
        ("/* probability", "line 6: expected `*/` to end the comment"),
    ] {
        let refusal = bif(rest);
        assert!(refusal.contains(message), "{refusal}\ninstead of\n{message}");
    }
}

#[test]
fn cycles_and_repeated_parents_are_refused() {
    let two = "variable b {\n type discrete [ 1 ] { y };\n}\n";
    let round = "probability ( a | b ) { (y) 1, 0; } probability ( b | a ) { (y) 1; (n) 1; }";
    assert!(bif(&format!("{two}{round}")).contains("cycle"), "{}", bif(&format!("{two}{round}")));
    let twice = "probability ( a | b, b ) { (y, y) 1, 0; } probability ( b ) { table 1; }";
    assert!(bif(&format!("{two}{twice}")).contains("parent of `a`"), "{}", bif(&format!("{two}{twice}")));
}

#[test]
fn what_other_programs_know_more_is_named() {
    let net = "net { } continuous node a { }";
    assert!(refusal(net, Format::Net).contains("a node of kind `continuous` cannot be read"));
    let xdsl = "<smile><nodes><noisymax id=\"a\"/></nodes></smile>";
    assert!(refusal(xdsl, Format::Xdsl).contains("node `a` of kind `noisymax` cannot be read"));
    assert!(refusal("MARKOV 1", Format::Uai).contains("expected `BAYES`"));
    assert!(refusal("graph { a -- b }", Format::Dot).contains("expected `digraph`"));
    assert!(refusal("digraph { a -- b }", Format::Dot).contains("an edge without direction"));
    assert!(refusal("no xml", Format::Xmlbif).contains("not well-formed XML"));
    assert!(refusal("<BIF/>", Format::Xmlbif).contains("line 1: expected an element `NETWORK` in `BIF`"));
    assert!(refusal("[A|B]", Format::Modelstring).contains("`B`"));
}

#[test]
fn declared_sizes_are_not_believed() {
    let uai = refusal("BAYES 99999999999 4000000000", Format::Uai);
    assert!(uai.contains("more than"), "{uai}");
    let many = (0..30).map(|v| format!("variable v{v} {{ type discrete [ 2 ] {{ y, n }}; }}\n"));
    let many = many.collect::<Vec<_>>().concat();
    let parents: Vec<String> = (1..30).map(|v| format!("v{v}")).collect();
    let table = format!("probability ( v0 | {} ) {{ default 0.5, 0.5; }}", parents.join(", "));
    let refusal_of_table = refusal(&format!("{many}{table}"), Format::Bif);
    assert!(
        refusal_of_table.contains("probabilities; kinfolk reads no files of that size"),
        "{refusal_of_table}"
    );
    let bomb = "<!DOCTYPE b [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\">\
        <!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;\"><!ENTITY e \"&d;&d;&d;&d;&d;&d;&d;&d;\">]><b>&e;&e;&e;&e;&e;&e;&e;&e;</b>";
    assert!(refusal(bomb, Format::Xdsl).contains("XML"));
    let deep = "<a>".repeat(100_000);
    assert!(refusal(&deep, Format::Graphml).contains("XML"));
}

#[test]
fn a_structure_alone_cannot_be_written_with_tables() {
    let structure = Structure { names: vec!["a".to_owned()], dag: Dag::empty(1) };
    let refusal = write_structure(&structure, Format::Bif).unwrap_err().to_string();
    assert!(refusal.contains("cannot be written as bif; write dot, graphml or modelstring"), "{refusal}");
}
