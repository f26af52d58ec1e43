//! Errors in files are reported with the line and a remedy, and declared sizes allocate no memory.

use kinfolk::formats::{Format, Structure, read, write_structure};
use kinfolk::graph::Dag;
use kinfolk::score::NamedChoice;

fn refusal(text: &str, format: Format) -> String {
    read(text, format, "file").expect_err(text).to_string()
}

const HEAD: &str = "network x {\n}\nvariable a {\n  type discrete [ 2 ] { y, n };\n}\n";

fn bif(rest: &str) -> String {
    refusal(&format!("{HEAD}{rest}"), Format::Bif)
}

#[test]
fn errors_name_line_and_remedy() {
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
fn unsupported_features_of_other_programs_are_named() {
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
fn declared_sizes_allocate_no_memory() {
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
    let bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE b [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\">\
        <!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;\"><!ENTITY e \"&d;&d;&d;&d;&d;&d;&d;&d;\">]><b>&e;&e;&e;&e;&e;&e;&e;&e;</b>";
    for format in [Format::Xdsl, Format::Xmlbif, Format::Graphml] {
        let refused = refusal(bomb, format);
        assert!(refused.contains("line 2: the XML declares an entity"), "{refused}");
    }
    let deep = "<a>".repeat(100_000);
    assert!(refusal(&deep, Format::Graphml).contains("XML"));
}

#[test]
fn a_structure_alone_cannot_be_written_with_tables() {
    let structure = Structure { names: vec!["a".to_owned()], dag: Dag::empty(1) };
    let refusal = write_structure(&structure, Format::Bif).unwrap_err().to_string();
    assert!(refusal.contains("cannot be written as bif; write dot, graphml or modelstring"), "{refusal}");
}

/// A variable with 63 binary parents and an empty table, in every format of tables.
fn overflowing(format: Format) -> String {
    let all: Vec<usize> = (0..64).collect();
    let each = |one: &dyn Fn(usize) -> String| all.iter().map(|&v| one(v)).collect::<Vec<_>>().concat();
    let parents =
        |separator: &str| all[1..].iter().map(|v| format!("v{v}")).collect::<Vec<_>>().join(separator);
    match format {
        Format::Bif => {
            let variables = each(&|v| format!("variable v{v} {{ type discrete [ 2 ] {{ y, n }}; }}\n"));
            format!("network x {{ }}\n{variables}probability ( v0 | {} ) {{ table ; }}", parents(", "))
        }
        Format::Xmlbif => {
            let variables = each(&|v| {
                format!("<VARIABLE><NAME>v{v}</NAME><OUTCOME>y</OUTCOME><OUTCOME>n</OUTCOME></VARIABLE>\n")
            });
            let given = format!("<GIVEN>{}</GIVEN>", parents("</GIVEN><GIVEN>"));
            let table = format!("<DEFINITION><FOR>v0</FOR>{given}<TABLE></TABLE></DEFINITION>");
            format!("<BIF><NETWORK>{variables}{table}</NETWORK></BIF>")
        }
        Format::Xdsl => {
            let nodes = each(&|v| {
                let (parents, table) = if v == 0 { (parents(" "), "") } else { (String::new(), "0.5 0.5") };
                format!(
                    "<cpt id=\"v{v}\"><state id=\"y\"/><state id=\"n\"/><parents>{parents}</parents>\
                     <probabilities>{table}</probabilities></cpt>\n"
                )
            });
            format!("<smile><nodes>{nodes}</nodes></smile>")
        }
        Format::Net => {
            let nodes = each(&|v| format!("node v{v} {{ states = ( \"y\" \"n\" ); }}\n"));
            format!("net {{ }}\n{nodes}potential ( v0 | {} ) {{ data = ( ); }}", parents(" "))
        }
        Format::Dsc => {
            let nodes = each(&|v| format!("node v{v} {{ type : discrete [2] = {{ \"y\", \"n\" }}; }}\n"));
            format!("belief network \"x\"\n{nodes}probability ( v0 | {} ) {{ }}", parents(", "))
        }
        Format::Uai => {
            let scopes = each(&|v| if v == 0 { String::new() } else { format!("1 {v}\n") });
            let family = all[1..].iter().chain([&0]).map(ToString::to_string).collect::<Vec<_>>().join(" ");
            format!(
                "BAYES\n64\n{}\n64\n64 {family}\n{scopes}\n0\n{}",
                "2 ".repeat(64),
                "2 0.5 0.5\n".repeat(63)
            )
        }
        _ => {
            let nodes = each(&|v| {
                let table = if v == 0 { "[]" } else { "[[0.5, 0.5]]" };
                format!(
                    "<node id=\"v{v}\"><data key=\"states\">[\"y\", \"n\"]</data>\
                     <data key=\"probabilities\">{table}</data></node>\n"
                )
            });
            let edges = all[1..].iter().map(|v| format!("<edge source=\"v{v}\" target=\"v0\"/>"));
            let edges = edges.collect::<Vec<_>>().concat();
            format!("<graphml><graph edgedefault=\"directed\">{nodes}{edges}</graph></graphml>")
        }
    }
}

#[test]
fn tables_whose_size_overflows_are_refused_in_every_format() {
    for format in Format::ALL.into_iter().filter(|format| format.has_tables()) {
        let refused = refusal(&overflowing(format), format);
        let name = format.name();
        assert!(refused.starts_with("line "), "{name}: {refused}");
        assert!(refused.contains("probabilities"), "{name}: {refused}");
        assert!(refused.contains("more than"), "{name}: {refused}");
    }
}

#[test]
fn networks_without_variables_are_refused_in_every_format() {
    for (format, text) in [
        (Format::Bif, "network x { }"),
        (Format::Xmlbif, "<BIF><NETWORK></NETWORK></BIF>"),
        (Format::Xdsl, "<smile><nodes></nodes></smile>"),
        (Format::Net, "net { }"),
        (Format::Dsc, "belief network \"x\""),
        (Format::Uai, "BAYES 0 0"),
        (Format::Graphml, "<graphml><graph/></graphml>"),
        (Format::Dot, "digraph { }"),
        (Format::Modelstring, ""),
        (Format::Modelstring, " \n"),
    ] {
        let refused = refusal(text, format);
        assert!(!refused.is_empty() && !refused.contains("panic"), "{}: {refused}", format.name());
        if format != Format::Modelstring {
            assert!(refused.contains("declares no variable"), "{}: {refused}", format.name());
        }
    }
}

#[test]
fn rows_that_do_not_sum_to_one_are_refused_with_line_row_and_configuration() {
    let two = "variable b {\n type discrete [ 2 ] { u, v };\n}\nprobability ( b ) { table 0.5, 0.5; }\n";
    // Off by 1e-5: numbers rounded to four decimals are not accepted as a distribution.
    let table = "probability ( a | b ) {\n (u) 0.5, 0.5;\n (v) 0.5, 0.50001; }";
    let refused = bif(&format!("{two}{table}"));
    assert!(refused.starts_with("line 10: the probabilities of `a` in row 2 (b = v) are not"), "{refused}");
    for (format, text, place) in [
        (
            Format::Xmlbif,
            "<BIF><NETWORK>\n<VARIABLE><NAME>a</NAME><OUTCOME>y</OUTCOME><OUTCOME>n</OUTCOME></VARIABLE>\n\
             <DEFINITION><FOR>a</FOR>\n<TABLE>0.5 0.50001</TABLE></DEFINITION></NETWORK></BIF>",
            "line 4: the probabilities of `a` in row 1",
        ),
        (
            Format::Xdsl,
            "<smile><nodes>\n<cpt id=\"a\"><state id=\"y\"/><state id=\"n\"/>\n\
             <probabilities>0.5 0.50001</probabilities></cpt></nodes></smile>",
            "line 2: the probabilities of `a` in row 1",
        ),
        (
            Format::Net,
            "net { }\nnode a { states = ( \"y\" \"n\" ); }\npotential ( a ) {\ndata = ( 0.5 0.50001 ); }",
            "line 4: the probabilities of `a` in row 1",
        ),
        (
            Format::Dsc,
            "belief network \"x\"\nnode a { type : discrete [2] = { \"y\", \"n\" }; }\n\
             probability ( a ) { 0.5, 0.50001; }",
            "line 3: the probabilities of `a` in row 1",
        ),
        (Format::Uai, "BAYES\n1\n2\n1\n1 0\n\n2 0.5 0.50001", "line 7: the probabilities of `X0` in row 1"),
        (
            Format::Graphml,
            "<graphml><graph>\n<node id=\"a\"><data key=\"states\">[\"y\", \"n\"]</data>\
             <data key=\"probabilities\">[[0.5, 0.50001]]</data></node></graph></graphml>",
            "line 2: the probabilities of `a` in row 1",
        ),
    ] {
        let refused = refusal(text, format);
        assert!(refused.starts_with(place) && refused.contains("they sum to 1.00001"), "{refused}");
        // Rounded to six decimals it is one.
        read(&text.replace("0.50001", "0.500001"), format, "file").unwrap();
    }
}

#[test]
fn duplicates_are_refused_in_every_format() {
    let net = "net { }\nnode a { states = ( \"y\" );\n states = ( \"n\" ); }";
    let data = "net { }\nnode a { states = ( \"y\" ); }\npotential ( a ) { data = ( 1 );\n data = ( 1 ); }";
    let dsc =
        "belief network \"x\"\nnode a { type : discrete [1] = { \"y\" };\ntype : discrete [1] = { \"n\" }; }";
    let xdsl = "<smile><nodes><cpt id=\"a\"><state id=\"y\"/>\n<probabilities>1</probabilities>\n\
        <probabilities>1</probabilities></cpt></nodes></smile>";
    let xmlbif = "<BIF><NETWORK><VARIABLE><NAME>a</NAME>\n<NAME>b</NAME></VARIABLE></NETWORK></BIF>";
    let graphml = "<graphml><graph><node id=\"a\"><data key=\"states\">[\"y\"]</data>\n\
        <data key=\"states\">[\"n\"]</data></node></graph></graphml>";
    for (format, text, place) in [
        (Format::Net, net, "line 3: in node `a` the attribute `states` is given twice"),
        (Format::Net, data, "line 4: in the potential of `a` the attribute `data` is given twice"),
        (Format::Dsc, dsc, "line 3: in node `a` the attribute `type` is given twice"),
        (Format::Xdsl, xdsl, "line 3: in `cpt` the element `probabilities` is given twice"),
        (Format::Xmlbif, xmlbif, "line 2: in `VARIABLE` the element `NAME` is given twice"),
        (Format::Graphml, graphml, "line 2: in node `a` the key `states` is given twice"),
    ] {
        let refused = refusal(text, format);
        assert!(refused.starts_with(place), "{refused}");
    }
    let again = "variable b {\n type discrete [ 1 ] { y };\n type discrete [ 1 ] { n };\n}\n";
    for (rest, place) in [
        (again, "line 8: in variable `b` the attribute `type` is given twice"),
        (
            "probability ( a ) { default 1, 0;\n default 0, 1; }",
            "line 7: the default row of the table of `a`",
        ),
        ("probability ( a ) { default 1, 0;\n table 0, 1; }", "line 7: the table of `a` is given twice"),
    ] {
        let refused = bif(rest);
        assert!(refused.starts_with(place), "{refused}");
    }
}
