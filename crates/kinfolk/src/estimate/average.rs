//! The mean of networks with the same structure, estimated from several versions of the data.

use std::slice;

use super::{Concentration, Network, NodeTables, Pooling, Table};
use crate::score::Kinship;

/// Averages the tables node by node. If `use_new(node, data set)` is true, the data set gets the table of a new data
/// set.
pub(crate) fn average(networks: &[Network], use_new: impl Fn(usize, usize) -> bool) -> Network {
    let first = &networks[0];
    let nodes = first.schema().ids().map(|id| {
        let all: Vec<&NodeTables> = networks.iter().map(|network| network.tables(id)).collect();
        let mut mean = average_node(&all);
        for data_set in (0..mean.by_data_set.len()).filter(|&data_set| use_new(id.index(), data_set)) {
            mean.by_data_set[data_set] = mean.new.clone();
            // Without a concentration of the new data set's table, those of this node are incomplete.
            mean.concentration = mean.concentration.and_then(|mut concentration| {
                concentration.by_data_set[data_set].clone_from(concentration.new.as_ref()?);
                Some(concentration)
            });
        }
        mean
    });
    let nodes = nodes.collect();
    Network::new(first.schema().clone(), first.dag().clone(), nodes)
        .expect("means of distributions are distributions")
}

fn average_node(all: &[&NodeTables]) -> NodeTables {
    let first = all[0];
    let data_sets = 0..first.by_data_set.len();
    let rows = |data_set: usize, configuration: usize| -> Option<u64> {
        let sum =
            all.iter().map(|node| Some(node.rows.as_ref()?[data_set][configuration])).sum::<Option<u64>>()?;
        Some((sum + all.len() as u64 / 2) / all.len() as u64)
    };
    let rows = first.rows.as_ref().map(|by_data_set| {
        let of = |data_set: usize, number: usize| (0..number).filter_map(|row| rows(data_set, row)).collect();
        by_data_set.iter().enumerate().map(|(data_set, rows)| of(data_set, rows.len())).collect()
    });
    let poolings: Option<Vec<&Pooling>> = all.iter().map(|node| node.pooling.as_ref()).collect();
    let by_data_set: Vec<Table> =
        data_sets.map(|f| mean_table(all.iter().map(|node| &node.by_data_set[f]))).collect();
    let pooled = mean_table(all.iter().map(|node| &node.pooled));
    let new = mean_table(all.iter().map(|node| &node.new));
    let versions: Option<Vec<_>> =
        all.iter().map(|node| node.concentration.as_ref().map(|one| (one, *node))).collect();
    let concentration = versions.map(|versions| {
        Concentration::of_mixture(&versions, [&by_data_set, slice::from_ref(&pooled), slice::from_ref(&new)])
    });
    NodeTables {
        by_data_set,
        pooled,
        new,
        concentration,
        rows,
        pooling: poolings.map(|poolings| average_pooling(&poolings)),
    }
}

fn average_pooling(all: &[&Pooling]) -> Pooling {
    let first = all[0];
    let tau = all.iter().map(|pooling| pooling.tau).sum::<Option<f64>>();
    let shrinkage: Option<Vec<&[f64]>> = all.iter().map(|pooling| pooling.shrinkage.as_deref()).collect();
    let by_configuration: Option<Vec<&Vec<Vec<f64>>>> =
        all.iter().map(|pooling| pooling.shrinkage_by_configuration.as_ref()).collect();
    let kinships: Option<Vec<&Kinship>> = all.iter().map(|pooling| pooling.kin.as_ref()).collect();
    Pooling {
        tau: tau.map(|sum| sum / all.len() as f64),
        kappa: mean_table(all.iter().map(|pooling| &pooling.kappa)),
        shrinkage: shrinkage.map(|all| mean(&all)),
        shrinkage_by_configuration: by_configuration.map(|all| {
            let of = |data_set: usize| mean(&all.iter().map(|one| &one[data_set][..]).collect::<Vec<_>>());
            (0..all[0].len()).map(of).collect()
        }),
        iterations: all.iter().map(|pooling| pooling.iterations).sum(),
        converged: all.iter().all(|pooling| pooling.converged),
        kin: kinships.map(|all| Kinship::mean(&all)).or_else(|| first.kin.clone()),
    }
}

fn mean_table<'a>(tables: impl Iterator<Item = &'a Table>) -> Table {
    let tables: Vec<&Table> = tables.collect();
    Table::new(tables[0].states, mean(&tables.iter().map(|table| table.values()).collect::<Vec<_>>()))
}

/// The elementwise mean of lists of equal length.
fn mean(lists: &[&[f64]]) -> Vec<f64> {
    let of = |place: usize| lists.iter().map(|list| list[place]).sum::<f64>() / lists.len() as f64;
    (0..lists[0].len()).map(of).collect()
}
