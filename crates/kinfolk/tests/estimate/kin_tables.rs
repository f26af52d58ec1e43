//! Tables under the model of `kin`: by hand, at its extremes, and in a file.

use crate::related::read_related;
use kinfolk::counts::{Family, MemoryTally, Tally};
use kinfolk::data::{DataSetId, VariableId};
use kinfolk::estimate::{Method, Network, estimate};
use kinfolk::formats::NetworkFile;
use kinfolk::graph::{Dag, modelstring};
use kinfolk::laplace::Cells;
use kinfolk::score::{Grid, Kin, Score};

const STRUCTURE: &str = "[V02][V06][V03|V06][V04|V02:V06][V01|V02:V03][V05|V03:V04]";

fn clinics(kin: &Kin) -> Network {
    let data = read_related("clinics");
    let dag: Dag = modelstring::parse(STRUCTURE, &data.schema().names()).unwrap();
    estimate(&MemoryTally::new(&data), &dag, Method::Kin(kin.clone())).unwrap()
}

#[test]
fn kin_tables_are_the_average_over_s_and_identity() {
    let data = read_related("clinics");
    let tally = MemoryTally::new(&data);
    let kin = Kin::default();
    let network = clinics(&kin);
    for node in network.dag().nodes() {
        let counts = tally.tally(&Family::of(network.dag(), node)).unwrap();
        let kinship = kin.explain(&counts).kin.unwrap().kinship;
        let identical = kinship.pooled_share.unwrap();
        let tables = network.tables(node);
        // One s at a time, from the centre that `explain` gives for it alone.
        let mut expected = vec![0.0; tables.new.values().len()];
        let (states, cells) = (counts.states(), counts.possible_cells());
        let data_set = 1;
        for (&s, probability) in kinship.s.iter().zip(&kinship.s_posterior) {
            let alone = Kin { grid: Grid::new(vec![s]).unwrap(), ..kin.clone() };
            let centre = alone.explain(&counts).kin.unwrap().centre;
            for (row, configuration) in centre.iter().zip(counts.configurations()) {
                let first = usize::try_from(row.configuration.unwrap()).unwrap() * states;
                let mut own = vec![0.0; states];
                for cell in configuration.cells() {
                    let entry = cell.entries.iter().find(|entry| entry.data_set == data_set);
                    own[cell.state] = entry.map_or(0.0, |entry| entry.count as f64);
                }
                let rows: f64 = own.iter().sum();
                for state in 0..states {
                    let share = (s * row.probabilities[state] + own[state]) / (s + rows);
                    expected[first + state] += (1.0 - identical) * probability * share;
                }
            }
        }
        for configuration in counts.configurations() {
            let first = usize::try_from(configuration.number().unwrap()).unwrap() * states;
            let mut pooled = vec![1.0 / cells; states];
            configuration.cells().for_each(|cell| pooled[cell.state] += cell.total() as f64);
            let total: f64 = pooled.iter().sum();
            for state in 0..states {
                let value = tables.by_data_set[data_set].values()[first + state];
                let expected = expected[first + state] + identical * pooled[state] / total;
                assert!((value - expected).abs() < 1e-8, "{node:?}: {value} not {expected}");
                assert!((tables.pooled.values()[first + state] - pooled[state] / total).abs() < 1e-12);
            }
        }
        assert_eq!(tables.pooling.as_ref().unwrap().kin.as_ref(), Some(&kinship));
    }
}

#[test]
fn every_row_adds_up_to_one_and_large_s_makes_the_data_sets_one() {
    for cells in [Cells::Row, Cells::Joint] {
        for grid in [Grid::default(), Grid::new(vec![1e9]).unwrap(), Grid::new(vec![1e-9]).unwrap()] {
            let one = grid.values() == [1e9];
            let network = clinics(&Kin { grid, pooled_half: false, cells });
            for node in network.dag().nodes() {
                let tables = network.tables(node);
                for table in tables.by_data_set.iter().chain([&tables.pooled, &tables.new]) {
                    assert!(table.rows().all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-9));
                }
                for table in tables.by_data_set.iter().filter(|_| one) {
                    let mut pairs = table.values().iter().zip(tables.new.values());
                    assert!(pairs.all(|(value, new)| (value - new).abs() < 1e-4));
                }
            }
        }
    }
}

#[test]
fn a_network_file_keeps_how_related_the_data_sets_are() {
    let network = clinics(&Kin::default());
    let file = NetworkFile {
        network,
        settings: serde_json::Map::new(),
        provenance: None,
        other: serde_json::Map::new(),
    };
    let text = serde_json::to_string(&file.document()).unwrap();
    let again = NetworkFile::read(&text).unwrap();
    assert_eq!(again.network, file.network);
    let table = again.network.table(VariableId::new(0), DataSetId::new(0));
    assert_eq!(table, file.network.table(VariableId::new(0), DataSetId::new(0)));
}
