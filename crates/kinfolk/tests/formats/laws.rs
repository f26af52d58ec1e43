//! Laws of every format on random networks: written and read back, the same to the bit.

use kinfolk::data::{Schema, Variable, VariableId};
use kinfolk::estimate::{Network, Table};
use kinfolk::formats::{Content, Format, NameKind, Renaming, read, write, write_structure};
use kinfolk::graph::{Dag, modelstring};
use kinfolk::score::NamedChoice;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::{OWN, bits, odd, through, words};

/// Plain and nasty names, made distinct by a number behind some of them.
fn names(count: usize) -> impl Strategy<Value = Vec<String>> {
    let name = prop_oneof![
        "[a-zA-Z][a-zA-Z0-9_]{0,5}",
        r#"[ab01 _."'\\<>&;{}()\[\]|:,%=#/*é木\n\r\t\u{0}\u{1}\u{fffe}-]{0,6}"#,
        Just("node".to_owned()),
        Just("Table".to_owned()),
    ];
    prop::collection::vec(name, count).prop_map(|mut names| {
        for index in 1..names.len() {
            while names[..index].contains(&names[index]) {
                names[index] += &index.to_string();
            }
        }
        names
    })
}

/// A random network of up to five variables with up to three states and random arcs.
fn any_network() -> impl Strategy<Value = Network> {
    let sizes = prop::collection::vec(1_usize..4, 1..6);
    sizes
        .prop_flat_map(|sizes| {
            let n = sizes.len();
            let states: Vec<_> = sizes.iter().map(|&size| names(size)).collect();
            let order = Just((0..n).collect::<Vec<usize>>()).prop_shuffle();
            let chosen = prop::collection::vec(any::<bool>(), n * n);
            (names(n), states, order, chosen, prop::collection::vec(1e-9_f64..1.0, 64))
        })
        .prop_map(|(names, states, order, chosen, numbers)| {
            let n = names.len();
            let pairs = (0..n).flat_map(|later| (0..later).map(move |earlier| (earlier, later)));
            let arcs = pairs.filter(|&(earlier, later)| chosen[earlier * n + later]);
            let arcs =
                arcs.map(|(earlier, later)| (VariableId::new(order[earlier]), VariableId::new(order[later])));
            let dag = Dag::from_arcs(n, arcs).unwrap();
            let variables: Vec<Variable> = names
                .into_iter()
                .zip(states)
                .map(|(name, states)| Variable { constant: states.len() == 1, name, states })
                .collect();
            let mut numbers = numbers.into_iter().cycle();
            let tables = dag.nodes().map(|node| {
                let size = variables[node.index()].states.len();
                let rows: usize =
                    dag.parents(node).iter().map(|parent| variables[parent.index()].states.len()).product();
                let rows = (0..rows).flat_map(|_| {
                    let row: Vec<f64> = numbers.by_ref().take(size).collect();
                    let sum: f64 = row.iter().sum();
                    row.into_iter().map(move |value| value / sum)
                });
                Table::new(size, rows.collect())
            });
            let tables = tables.collect();
            Network::single(Schema::new(variables, vec!["file".to_owned()]), dag, tables).unwrap()
        })
}

/// The name in the file: that of the renamings, or the name itself.
fn renamed<'a>(renamings: &'a [Renaming], kind: NameKind, variable: Option<&str>, name: &'a str) -> &'a str {
    let found = renamings.iter().find(|renaming| {
        renaming.kind == kind && renaming.variable.as_deref() == variable && renaming.from == name
    });
    found.map_or(name, |renaming| &renaming.to)
}

fn parents(dag: &Dag, names: &[String]) -> Vec<(String, Vec<String>)> {
    let name = |node: &VariableId| names[node.index()].clone();
    let mut all: Vec<_> = dag
        .nodes()
        .map(|node| {
            let mut parents: Vec<String> = dag.parents(node).iter().map(name).collect();
            parents.sort();
            (name(&node), parents)
        })
        .collect();
    all.sort();
    all
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 150, failure_persistence: None, rng_seed: RngSeed::Fixed(11), ..ProptestConfig::default()
    })]

    #[test]
    fn written_files_are_read_back_bit_for_bit(network in any_network()) {
        for format in [Format::Bif, Format::Xmlbif, Format::Xdsl, Format::Net, Format::Graphml] {
            let read = through(&network, format);
            prop_assert_eq!(words(&read), words(&network), "{}", format.name());
            prop_assert_eq!(read.dag(), network.dag(), "{}", format.name());
            prop_assert_eq!(bits(&read), bits(&network), "{}", format.name());
        }
    }

    #[test]
    fn renamings_list_the_names_that_a_format_cannot_hold(network in any_network()) {
        for format in [Format::Dsc, Format::Uai] {
            let written = write(&network, OWN, format);
            let read = through(&network, format);
            prop_assert_eq!(read.dag(), network.dag());
            prop_assert_eq!(bits(&read), bits(&network));
            for (found, original) in read.schema().variables().iter().zip(network.schema().variables()) {
                let name = original.name.as_str();
                prop_assert_eq!(&found.name, renamed(&written.renamed, NameKind::Variable, None, name));
                for (found, state) in found.states.iter().zip(&original.states) {
                    prop_assert_eq!(found, renamed(&written.renamed, NameKind::State, Some(name), state));
                }
            }
        }
    }

    #[test]
    fn structures_keep_their_arcs(network in any_network()) {
        for format in [Format::Dot, Format::Modelstring] {
            let written = write(&network, OWN, format);
            let Ok(Content::Structure(found)) = read(&written.text, format, "file") else {
                panic!("{}", written.text);
            };
            let names = network.schema().names();
            let names: Vec<String> =
                names.iter().map(|name| renamed(&written.renamed, NameKind::Variable, None, name).to_owned()).collect();
            prop_assert_eq!(parents(&found.dag, &found.names), parents(network.dag(), &names));
            let text = write_structure(&found, Format::Graphml).unwrap().text;
            prop_assert_eq!(read(&text, Format::Graphml, "file"), Ok(Content::Structure(found)));
        }
    }

    #[test]
    fn safe_names_are_distinct_and_the_same_every_time(network in any_network()) {
        for format in Format::ALL {
            let written = write(&network, OWN, format);
            prop_assert_eq!(&written, &write(&network, OWN, format));
            let mut variables: Vec<&str> = network.schema().variables().iter().map(|variable| {
                renamed(&written.renamed, NameKind::Variable, None, &variable.name)
            }).collect();
            variables.sort_unstable();
            variables.dedup();
            prop_assert_eq!(variables.len(), network.schema().variables().len());
        }
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in r#"[a-c01 .,;:|=(){}\[\]<>"/*%\\\n-]{0,60}"#, any_text in any::<String>()) {
        for format in Format::ALL {
            let _ = read(&text, format, "file");
            let _ = read(&any_text, format, "file");
        }
    }

    #[test]
    fn no_damaged_file_makes_a_reader_panic(
        network in any_network(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..4, any::<char>()), 1..4),
    ) {
        for format in Format::ALL {
            let mut letters: Vec<char> = write(&network, OWN, format).text.chars().collect();
            for (place, kind, letter) in &cuts {
                let place = place.index(letters.len());
                match kind {
                    0 => letters[place] = *letter,
                    1 => letters[place] = char::from(b"(){};0,9|<\""[place % 11]),
                    2 => drop(letters.remove(place)),
                    _ => letters.truncate(place + 1),
                }
            }
            let _ = read(&letters.into_iter().collect::<String>(), format, "file");
        }
    }
}

#[test]
fn unusual_names_are_kept_or_listed() {
    let network = odd();
    for format in [Format::Bif, Format::Xmlbif, Format::Xdsl, Format::Net, Format::Graphml] {
        assert_eq!(words(&through(&network, format)), words(&network), "{}", format.name());
    }
    let bif = write(&network, OWN, Format::Bif);
    let table: Vec<(&str, &str)> =
        bif.renamed.iter().map(|renaming| (renaming.from.as_str(), renaming.to.as_str())).collect();
    assert_eq!(
        table,
        [
            ("the <script>", "the_script"),
            ("1st; drop", "v_1st_drop"),
            ("größe 木", "gr_e"),
            ("", "v"),
            ("", "s"),
            ("a \"b\"", "a_b"),
            ("line\nbreak", "line_break"),
            ("node", "s_node"),
            ("\u{1}", "s"),
            ("<5", "lt_5"),
            ("≥5", "ge_5"),
        ]
    );
    let xmlbif = write(&network, OWN, Format::Xmlbif);
    let table: Vec<&str> = xmlbif.renamed.iter().map(|renaming| renaming.from.as_str()).collect();
    assert_eq!(table, ["", "", "line\nbreak", "\u{1}"]);
    assert_eq!(modelstring::format(network.dag(), &["a", "b", "c", "d"]), "[a][b][d][c|a:b]");
}
