//! Files as other programs write them.

use kinfolk::data::VariableId;
use kinfolk::estimate::Network;
use kinfolk::formats::{Content, Format, Structure, read};
use kinfolk::graph::modelstring;
use kinfolk::score::NamedChoice;

use crate::OWN;

fn network(text: &str, format: Format) -> Network {
    match read(text, format, "file") {
        Ok(Content::Network(network)) => network,
        other => panic!("{other:?}"),
    }
}

fn structure(text: &str, format: Format) -> String {
    match read(text, format, "file") {
        Ok(Content::Structure(Structure { names, dag })) => modelstring::format(&dag, &names),
        other => panic!("{other:?}"),
    }
}

fn values(network: &Network, node: usize) -> &[f64] {
    network.table_of(VariableId::new(node), OWN).values()
}

#[test]
fn bif_as_in_the_repository() {
    let text = "network unknown {\n}\n// a comment\nvariable asia {\n  type discrete [ 2 ] { yes, no };\n}\n\
        variable age {\n  type discrete [ 3 ] { <5, 5-12, 12+ };\n  property observed = yes ;\n}\n\
        variable tub {\n  type discrete [ 2 ] { yes, no };\n}\n\
        probability ( asia ) {\n  table 0.01, 0.99;\n}\nprobability ( age ) {\n  table 0.2, 0.3, 0.5;\n}\n\
        probability ( tub | age, asia ) {\n  default 0.5, 0.5; /* the\n rest */\n  (<5, yes) 0.05, 0.95;\n  (12+, no) 0.01, 9.9e-1;\n}\n";
    let network = network(text, Format::Bif);
    assert_eq!(network.structure(), "[asia][age][tub|asia:age]");
    assert_eq!(network.schema().data_sets(), ["file"]);
    // In column order asia comes first, in the file it comes second.
    assert_eq!(values(&network, 2), [0.05, 0.95, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.01, 0.99]);
}

#[test]
fn bif_of_older_programs() {
    let text = "network \"Dog-Problem\" { //2 variables\n property \"credal-set constant-density\" ;\n}\n\
        variable \"light-on\" {\n type discrete[2] { \"true\" \"false\" };\n property \"position = (218, 195)\" ;\n}\n\
        variable \"family out\" {\n type discrete[2] { true false };\n}\n\
        probability ( \"light-on\" \"family out\" ) {\n table 0.6 0.05 0.4 0.95 ;\n}\n\
        probability ( \"family out\" ) {\n table 0.15 0.85 ;\n}\n";
    let network = network(text, Format::Bif);
    assert_eq!(network.structure(), "[family out][light-on|family out]");
    assert_eq!(values(&network, 0), [0.6, 0.4, 0.05, 0.95]);
}

#[test]
fn bif_with_names_of_several_words() {
    let text = "network unknown {\n}\nvariable my var {\n type discrete [ 2 ] { very high, low };\n}\n\
        variable b {\n type discrete [ 2 ] { x, y };\n}\nprobability ( my var ) {\n table 0.5, 0.5 ;\n}\n\
        probability ( b | my var ) {\n ( very high ) 0.1, 0.9;\n ( low ) 0.2, 0.8;\n\n}\n";
    let network = network(text, Format::Bif);
    assert_eq!(network.schema().variables()[0].states, ["very high", "low"]);
    assert_eq!(values(&network, 1), [0.1, 0.9, 0.2, 0.8]);
}

#[test]
fn net_of_hugin() {
    let text = "net\n{\n  node_size = (80 40);\n  HR_Grid_X = \"10\";\n}\n\
        node b\n{\n  label = \"\";\n  position = (10 20);\n  states = (\"yes\" \"no\");\n}\n\
        discrete node a { states = (\"u\" \"v\" \"w\"); }\n\
        potential (b) { data = (0.5 0.5); }\n\
        potential (a | b)\n{\n  data = ((0.1 0.2 0.7) % b=yes\n  (0.3 0.3 0.4));\n}\n";
    let network = network(text, Format::Net);
    assert_eq!(network.structure(), "[b][a|b]");
    assert_eq!(values(&network, 1), [0.1, 0.2, 0.7, 0.3, 0.3, 0.4]);
}

#[test]
fn dsc_of_microsoft() {
    let text = "belief network \"x\"\nnode a {\n  name: \"A\";\n  type: discrete[2] = { \"yes\", \"no\" };\n  position: (1, 2);\n}\n\
        node b { type : discrete [ 2 ] = { \"u\", \"v\" }; }\n\
        probability(a) { 0.2, 0.8; }\nprobability(b | a) {\n  (0): 0.1, 0.9;\n  default: 0.5, 0.5;\n}\n";
    let network = network(text, Format::Dsc);
    assert_eq!(network.structure(), "[a][b|a]");
    assert_eq!(values(&network, 1), [0.1, 0.9, 0.5, 0.5]);
}

#[test]
fn uai_with_parents_in_any_order() {
    let text = "BAYES\n3\n2 3 2\n3\n1 0  # a remark\n1 1\n3 1 0 2\n\n2\n 0.4 0.6\n3\n 0.2 0.3 0.5\n12\n\
        0.01 0.99 0.02 0.98 0.03 0.97 0.04 0.96 0.05 0.95 0.06 0.94\n";
    let network = network(text, Format::Uai);
    assert_eq!(network.structure(), "[X0][X1][X2|X0:X1]");
    assert_eq!(network.schema().variables()[1].states, ["0", "1", "2"]);
    assert_eq!(values(&network, 2), [0.01, 0.99, 0.03, 0.97, 0.05, 0.95, 0.02, 0.98, 0.04, 0.96, 0.06, 0.94]);
}

#[test]
fn xmlbif_with_a_document_type() {
    let text = "<?xml version=\"1.0\"?>\n<!DOCTYPE BIF [\n<!ELEMENT BIF ( NETWORK )*>\n<!ATTLIST BIF VERSION CDATA #REQUIRED>\n]>\n\
        <BIF VERSION=\"0.3\"><NETWORK><NAME>x</NAME>\n\
        <VARIABLE TYPE=\"nature\"><NAME> a </NAME><OUTCOME>t &amp; u</OUTCOME><OUTCOME>f</OUTCOME><PROPERTY>position = (1,2)</PROPERTY></VARIABLE>\n\
        <VARIABLE><NAME>b</NAME><OUTCOME>x</OUTCOME><OUTCOME>y</OUTCOME></VARIABLE>\n\
        <DEFINITION><FOR>b</FOR><GIVEN>a</GIVEN><TABLE>0.1 0.9 <!-- f --> 0.2 0.8</TABLE></DEFINITION>\n\
        <DEFINITION><FOR>a</FOR><TABLE>0.5 0.5</TABLE></DEFINITION></NETWORK></BIF>";
    let network = network(text, Format::Xmlbif);
    assert_eq!(network.schema().variables()[0].states, ["t & u", "f"]);
    assert_eq!(values(&network, 1), [0.1, 0.9, 0.2, 0.8]);
}

#[test]
fn xdsl_of_genie() {
    let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<smile version=\"1.0\" id=\"N\" numsamples=\"10000\" discsamples=\"10000\">\n\
        <nodes><cpt id=\"Success\"><state id=\"S\" /><state id=\"F\" /><probabilities>0.2 0.8</probabilities></cpt>\n\
        <cpt id=\"Forecast\"><state id=\"Good\" /><state id=\"Poor\" /><parents>Success</parents>\n\
        <probabilities>0.4 0.6 0.1 0.9</probabilities></cpt></nodes>\n\
        <extensions><genie version=\"1.0\"><node id=\"Success\"><name>Success of the venture</name></node></genie></extensions></smile>";
    let network = network(text, Format::Xdsl);
    assert_eq!(network.structure(), "[Success][Forecast|Success]");
    assert_eq!(values(&network, 1), [0.4, 0.6, 0.1, 0.9]);
}

#[test]
fn graphs_of_other_programs() {
    let dot = "/* x */ strict digraph G {\n rankdir=LR; node [shape=box, label=\"]\"];\n a -> b -> \"c \\\"d\\\"\" [weight=2];\n\
        a -> { e f }\n lonely\n}\n";
    assert_eq!(structure(dot, Format::Dot), "[a][lonely][b|a][e|a][f|a][c \"d\"|b]");
    let graphml = "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\"><key id=\"d0\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\
        <graph edgedefault=\"directed\"><node id=\"n0\"><data key=\"d0\">A b</data></node><node id=\"n1\"/>\
        <edge source=\"n0\" target=\"n1\"/></graph></graphml>";
    assert_eq!(structure(graphml, Format::Graphml), "[A b][n1|A b]");
    assert_eq!(structure("[A][B|A]\n", Format::Modelstring), "[A][B|A]");
}

#[test]
fn extensions_determine_the_format() {
    for format in Format::ALL {
        assert_eq!(Format::from_extension(&format.name().to_uppercase()), Some(format));
    }
    assert_eq!(Format::from_extension("bifxml"), Some(Format::Xmlbif));
    assert_eq!(Format::from_extension("gv"), Some(Format::Dot));
    assert_eq!(Format::from_extension("csv"), None);
}
