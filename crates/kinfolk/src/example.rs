//! The numerical example of \[ACS22\] (section 5), with its data reconstructed from the printed figures.
//!
//! The paper prints the parameters of a five-node network in two data sets, a table of node scores along the five steps of the
//! search, and the estimated parameters, but not the two samples of 1,000 rows. The counts here were reconstructed from those
//! figures: the ten distinct scores of the table are the terms of the *second* data set under s = 1 split over the two data sets
//! and α0 = 1 in every cell, and together they pin every margin of data set 2 that the network's families use; data set 1
//! follows the printed estimates. Within these constraints, rows are distributed over the cells according to the network.

use crate::data::{Column, RelatedData, Schema, Variable};
use crate::variational::{Centre, Prior};

/// The network from which both data sets were drawn.
pub const NETWORK: &str = "[X1][X2|X1][X3|X1][X4|X3][X5|X1:X4]";

/// The arcs in the order in which the paper's search adds them.
pub const STEPS: [(&str, &str); 5] = [("X1", "X2"), ("X1", "X3"), ("X4", "X5"), ("X1", "X5"), ("X3", "X4")];

/// The score table of the paper: one row per step, starting with the empty graph, and one column per node.
pub const PRINTED_SCORES: [[f64; 5]; 6] = [
    [-466.205, -528.450, -695.655, -642.506, -672.477],
    [-466.205, -463.584, -695.655, -642.506, -672.477],
    [-466.205, -463.584, -651.734, -642.506, -672.477],
    [-466.205, -463.584, -651.734, -642.506, -666.052],
    [-466.205, -463.584, -651.734, -642.506, -650.698],
    [-466.205, -463.584, -651.734, -638.011, -650.698],
];

/// The index of the data set whose terms the paper's table lists, from 0.
pub const PRINTED_DATA_SET: usize = 1;

/// Rows by data set and cell; the cell index is x1 x2 x3 x4 x5 as a binary number, with states 0 and 1.
const COUNTS: [[u64; 32]; 2] = [
    [
        16, 23, 25, 22, 10, 15, 13, 11, 33, 46, 51, 46, 21, 30, 25, 23, //
        39, 28, 43, 38, 68, 49, 60, 53, 21, 16, 24, 21, 38, 28, 34, 30,
    ],
    [
        5, 1, 1, 8, 20, 6, 9, 51, 4, 1, 1, 5, 14, 5, 6, 37, //
        11, 15, 14, 23, 6, 8, 15, 25, 67, 86, 87, 142, 38, 49, 91, 149,
    ],
];

/// The prior of the paper's run: an imaginary sample of one row split over two data sets, α0 = 1 in every cell.
pub fn prior() -> Prior {
    Prior::new(0.5, Centre::PerCell(1.0)).expect("both are positive")
}

/// The two data sets of 1,000 rows, as cells with their multiplicities.
pub fn data() -> RelatedData {
    let variables = (1..=5)
        .map(|number| Variable {
            name: format!("X{number}"),
            states: vec!["1".to_owned(), "2".to_owned()],
            constant: false,
        })
        .collect();
    let schema = Schema::new(variables, vec!["1".to_owned(), "2".to_owned()]);
    let cells = COUNTS[0].len();
    let columns = (0..5)
        .map(|variable| {
            let mut column = Column::for_states(2, COUNTS.len() * cells);
            for _ in &COUNTS {
                (0..32_u32).for_each(|cell| column.push(cell >> (4 - variable) & 1));
            }
            column
        })
        .collect();
    RelatedData::new(schema, columns, vec![0, cells, 2 * cells], Some(COUNTS.concat()))
}
