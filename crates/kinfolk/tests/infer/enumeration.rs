//! Random networks from a seed, and their probabilities by enumeration of all configurations.

use kinfolk::data::{Schema, Variable, VariableId};
use kinfolk::estimate::{Network, NodeTables, Relative, Table};
use kinfolk::graph::Dag;
use kinfolk::infer::Given;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Tables with zeros, deterministic rows, variables of one state; they differ between relatives.
pub(crate) fn random_network(nodes: usize, most_states: usize, density: f64, seed: u64) -> Network {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let states: Vec<usize> = (0..nodes).map(|_| random.random_range(1..=most_states)).collect();
    let variables = states.iter().enumerate().map(|(index, &states)| Variable {
        name: format!("V{index}"),
        states: (0..states).map(|state| format!("s{state}")).collect(),
        constant: false,
    });
    let schema = Schema::new(variables.collect(), vec!["a".to_owned(), "b".to_owned()]);
    // A random order of the nodes, so that parents come before and after their children in column order.
    let mut order: Vec<usize> = (0..nodes).collect();
    (1..nodes).for_each(|last| order.swap(last, random.random_range(0..=last)));
    let mut arcs = Vec::new();
    for to in 0..nodes {
        for from in 0..to {
            if random.random_bool(density) {
                arcs.push((VariableId::new(order[from]), VariableId::new(order[to])));
            }
        }
    }
    let dag = Dag::from_arcs(nodes, arcs).unwrap();
    let tables = dag.nodes().map(|node| {
        let configurations: usize = dag.parents(node).iter().map(|parent| states[parent.index()]).product();
        let mut table = || random_table(configurations, states[node.index()], &mut random);
        NodeTables {
            by_data_set: vec![table(), table()],
            pooled: table(),
            new: table(),
            rows: None,
            pooling: None,
            concentration: None,
        }
    });
    let tables = tables.collect();
    Network::new(schema, dag.clone(), tables).unwrap()
}

fn random_table(configurations: usize, states: usize, random: &mut ChaCha8Rng) -> Table {
    let mut values = Vec::new();
    for _ in 0..configurations {
        let kind = random.random_range(0..5);
        let certain = random.random_range(0..states);
        let mut row: Vec<f64> = (0..states)
            .map(|state| match kind {
                0 => f64::from(u8::from(state == certain)),
                1 if state != certain && random.random_bool(0.5) => 0.0,
                _ => random.random_range(0.01..1.0),
            })
            .collect();
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|value| *value /= sum);
        values.extend(row);
    }
    Table::new(states, values)
}

/// Some variables observed, some set, in random states.
pub(crate) fn random_given(network: &Network, seed: u64) -> Given {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut given = Given::nothing(network);
    for id in network.schema().ids() {
        let state = random.random_range(0..u32::try_from(network.schema().states(id)).unwrap());
        match random.random_range(0..6) {
            0 | 1 => given.observe(network, id, state).unwrap(),
            2 => given.set(network, id, state).unwrap(),
            _ => {}
        }
    }
    given
}

/// Every configuration consistent with the evidence, and P(configuration | interventions).
pub(crate) fn enumerate(network: &Network, relative: Relative, given: &Given) -> Vec<(Vec<u32>, f64)> {
    let schema = network.schema();
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for id in schema.ids() {
        let states: Vec<u32> = match given.state(id) {
            Some(state) => vec![state],
            None => (0..u32::try_from(schema.states(id)).unwrap()).collect(),
        };
        let extended = |row: &Vec<u32>| {
            let row = row.clone();
            states.iter().map(move |&state| [row.as_slice(), &[state]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(extended).collect();
    }
    let probability = |row: &Vec<u32>| -> f64 {
        let nodes = schema.ids().filter(|&node| !given.is_set(node));
        nodes.map(|node| table_value(network, relative, node, row)).product()
    };
    all.into_iter().map(|row| (probability(&row), row)).map(|(p, row)| (row, p)).collect()
}

fn table_value(network: &Network, relative: Relative, node: VariableId, row: &[u32]) -> f64 {
    let schema = network.schema();
    let family = network.dag().parents(node).iter().chain([&node]);
    let cell = family.fold(0, |cell, id| cell * schema.states(*id) + row[id.index()] as usize);
    network.table_of(node, relative).values()[cell]
}
