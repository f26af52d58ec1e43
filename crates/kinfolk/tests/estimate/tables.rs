//! Parameters against golden tables, against the paper's printed ones, and by hand.

use crate::related::read_related;
use kinfolk::counts::MemoryTally;
use kinfolk::data::{DataSetId, RelatedData, VariableId};
use kinfolk::estimate::{EstimateError, Method, Network, Table, estimate};
use kinfolk::example;
use kinfolk::graph::{Dag, modelstring};
use kinfolk::remedy::{Actionable, Remedy};
use kinfolk::score::{Grid, ImaginarySampleSize, Kin};
use kinfolk::variational::{Centre, Prior};
use serde_json::Value;

fn network(data: &RelatedData, dag: &Dag, method: Method) -> Network {
    estimate(&MemoryTally::new(data), dag, method).unwrap()
}

fn assert_table(table: &Table, golden: &Value, what: &str) {
    let golden: Vec<f64> = golden
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|row| row.as_array().unwrap())
        .map(|p| p.as_f64().unwrap())
        .collect();
    assert_eq!(table.values().len(), golden.len(), "{what}");
    for (value, expected) in table.values().iter().zip(golden) {
        assert!((value - expected).abs() < 1e-8, "{what}: {value} not {expected}");
    }
}

#[test]
fn hierarchical_tables_equal_the_golden_ones() {
    let golden: Value = serde_json::from_str(include_str!("../golden/bhd.json")).unwrap();
    let mut compared = 0;
    for (name, entry) in golden["data"].as_object().unwrap() {
        let data = read_related(name);
        for prior_name in ["default", "paper"] {
            let golden = &entry[prior_name];
            let number = |key: &str| golden[key].as_f64().unwrap();
            let prior = Prior::new(number("s"), Centre::PerCell(number("alpha0"))).unwrap();
            let find = |name: &Value| data.schema().find(name.as_str().unwrap()).unwrap();
            let arcs = golden["nodes"].as_array().unwrap().iter().flat_map(|node| {
                let child = find(&node["node"]);
                node["parents"].as_array().unwrap().iter().map(move |parent| (find(parent), child))
            });
            let dag = Dag::from_arcs(data.schema().variables().len(), arcs).unwrap();
            let network = network(&data, &dag, Method::Hierarchical(prior));
            for (node, golden) in data.schema().ids().zip(golden["nodes"].as_array().unwrap()) {
                let Some(tables) = golden["tables"].as_object() else { continue };
                for (index, data_set) in data.schema().data_sets().iter().enumerate() {
                    assert_table(network.table(node, DataSetId::new(index)), &tables[data_set], name);
                }
                assert_table(&network.tables(node).new, &golden["new"], name);
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 26);
}

#[test]
fn the_papers_estimates_of_data_set_2_are_reproduced_to_two_decimals() {
    let data = example::data();
    let dag = modelstring::parse(example::NETWORK, &data.schema().names()).unwrap();
    let network = network(&data, &dag, Method::Hierarchical(example::prior()));
    // The probability of state 1 in each configuration; those of X5 by X1, then X4.
    let printed: [&[f64]; 5] =
        [&[0.17], &[0.58, 0.14], &[0.15, 0.54], &[0.40, 0.28], &[0.77, 0.14, 0.44, 0.38]];
    for (node, printed) in data.schema().ids().zip(printed) {
        let table = network.table(node, DataSetId::new(1));
        for (row, printed) in table.rows().zip(printed) {
            assert!((row[0] - printed).abs() <= 0.005 + 1e-9, "{node:?}: {} not {printed}", row[0]);
        }
    }
}

#[test]
fn every_row_of_every_table_adds_up_to_one() {
    let data = read_related("clinics");
    let dag =
        modelstring::parse("[V01][V02|V01][V03|V01:V02][V04][V05|V04][V06]", &data.schema().names()).unwrap();
    let iss = ImaginarySampleSize::new(5.0).unwrap();
    for method in [Method::Hierarchical(Prior::default()), Method::Bayes(iss), Method::MaximumLikelihood] {
        let network = network(&data, &dag, method);
        for node in data.schema().ids() {
            let tables = network.tables(node);
            for table in tables.by_data_set.iter().chain([&tables.pooled, &tables.new]) {
                assert!(table.rows().all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-12));
            }
        }
    }
}

#[test]
fn shrinkage_is_the_share_of_the_centre() {
    let data = read_related("clinics");
    let dag = Dag::empty(6);
    let network = network(&data, &dag, Method::Hierarchical(Prior::default()));
    let pooling = network.tables(VariableId::new(0)).pooling.as_ref().unwrap();
    for (index, share) in pooling.shrinkage.as_ref().unwrap().iter().enumerate() {
        let rows = data.rows(DataSetId::new(index)) as f64;
        assert!((share - 1.0 / (1.0 + rows)).abs() < 1e-15);
        // On the joint cells of a node without parents: share·κ + (1 − share)·observed.
        let table = network.table(VariableId::new(0), DataSetId::new(index));
        let ml = estimate(&MemoryTally::new(&data), &dag, Method::MaximumLikelihood).unwrap();
        let observed = ml.table(VariableId::new(0), DataSetId::new(index));
        for ((value, kappa), observed) in
            table.values().iter().zip(pooling.kappa.values()).zip(observed.values())
        {
            assert!((value - (share * kappa + (1.0 - share) * observed)).abs() < 1e-12);
        }
    }
}

#[test]
fn every_table_row_has_its_shrinkage() {
    let data = read_related("clinics");
    let dag = modelstring::parse("[V01][V02|V01][V03|V01:V02][V04][V05|V04][V06]", &data.schema().names());
    let dag = dag.unwrap();
    let observed = network(&data, &dag, Method::MaximumLikelihood);
    for method in [Method::Hierarchical(Prior::default()), Method::Kin(Kin::default())] {
        let kin = matches!(method, Method::Kin(_));
        let network = network(&data, &dag, method);
        for node in data.schema().ids() {
            let tables = network.tables(node);
            let pooling = tables.pooling.as_ref().unwrap();
            let shares = pooling.shrinkage_by_configuration.as_ref().unwrap();
            for (index, rows) in tables.rows.as_ref().unwrap().iter().enumerate() {
                let id = DataSetId::new(index);
                assert_eq!(rows.iter().sum::<u64>(), data.rows(id));
                let parts = network.table(node, id).rows().zip(observed.table(node, id).rows());
                let parts = parts.zip(tables.new.rows()).zip(rows).zip(&shares[index]);
                for ((((table, observed), centre), &rows), &share) in parts {
                    assert_eq!(share == 1.0, rows == 0);
                    for ((value, observed), centre) in table.iter().zip(observed).zip(centre) {
                        let own = (1.0 - share) * observed;
                        // The remaining weight is that of the centre; kin has one for every s, so the weight of a data
                        // set's own rows is at least this.
                        if kin {
                            assert!(value - own > -1e-12, "{value} {own}");
                        } else {
                            assert!((value - own - share * centre).abs() < 1e-12);
                        }
                    }
                }
            }
        }
    }
    // With one s, and without parents, it is the same as that of hierarchical tables.
    let kin = Kin { grid: Grid::new(vec![5.0]).unwrap(), pooled_half: false, ..Kin::default() };
    let network = network(&data, &Dag::empty(6), Method::Kin(kin));
    let pooling = network.tables(VariableId::new(2)).pooling.as_ref().unwrap();
    for (index, share) in pooling.shrinkage.as_ref().unwrap().iter().enumerate() {
        let expected = 5.0 / (5.0 + data.rows(DataSetId::new(index)) as f64);
        assert!((share - expected).abs() < 1e-12);
        assert!((pooling.shrinkage_by_configuration.as_ref().unwrap()[index][0] - expected).abs() < 1e-12);
    }
}

#[test]
fn bayes_and_maximum_likelihood_agree_with_hand_calculation() {
    let data = example::data();
    let dag = Dag::empty(5);
    // X1 is 410 : 590 in data set 1 and 174 : 826 in data set 2.
    let ml = network(&data, &dag, Method::MaximumLikelihood);
    let x1 = VariableId::new(0);
    let first = ml.table(x1, DataSetId::new(0)).values()[0];
    assert!((first - 0.410).abs() < 1e-12, "{first}");
    let iss = ImaginarySampleSize::new(4.0).unwrap();
    let bayes = network(&data, &dag, Method::Bayes(iss));
    assert!((bayes.table(x1, DataSetId::new(0)).values()[0] - 412.0 / 1004.0).abs() < 1e-12);
    assert!((bayes.tables(x1).pooled.values()[0] - (410.0 + 174.0 + 2.0) / 2004.0).abs() < 1e-12);
}

#[test]
fn tables_too_large_to_hold_are_refused_by_name() {
    let data = read_related("cohorts");
    let child = VariableId::new(14);
    let dag = Dag::from_arcs(15, (0..14).map(|parent| (VariableId::new(parent), child))).unwrap();
    let error = estimate(&MemoryTally::new(&data), &dag, Method::MaximumLikelihood).unwrap_err();
    assert!(matches!(&error, EstimateError::TooLarge { node, parents: 14, .. } if node == "V15"));
    assert_eq!(error.remedies(), [Remedy::Advice("give it fewer parents"), Remedy::LowerMaxParents]);
}
