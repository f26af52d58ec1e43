//! The parameters printed in the paper for its numerical example: the true ones and the estimates.

/// P(state 1) of every node: by data set, then by configuration; parents are in column order, and the last varies
/// fastest.
pub(crate) struct PrintedTable {
    /// The node.
    pub(crate) node: &'static str,
    /// The true probabilities.
    pub(crate) original: [&'static [f64]; 2],
    /// The paper's estimates from 1,000 rows per data set.
    pub(crate) estimated: [&'static [f64]; 2],
}

/// Appendix B of the paper.
pub(crate) const TABLES: [PrintedTable; 5] = [
    PrintedTable { node: "X1", original: [&[0.42], &[0.18]], estimated: [&[0.41], &[0.17]] },
    PrintedTable {
        node: "X2",
        original: [&[0.31, 0.65], &[0.56, 0.16]],
        estimated: [&[0.33, 0.64], &[0.58, 0.14]],
    },
    PrintedTable {
        node: "X3",
        original: [&[0.61, 0.42], &[0.15, 0.53]],
        estimated: [&[0.64, 0.39], &[0.15, 0.54]],
    },
    PrintedTable {
        node: "X4",
        original: [&[0.47, 0.51], &[0.38, 0.28]],
        estimated: [&[0.45, 0.51], &[0.40, 0.28]],
    },
    PrintedTable {
        node: "X5",
        original: [&[0.46, 0.57, 0.56, 0.52], &[0.65, 0.22, 0.43, 0.38]],
        estimated: [&[0.41, 0.53, 0.58, 0.53], &[0.77, 0.14, 0.44, 0.38]],
    },
];

/// The mean absolute errors reported in the paper, with the rows per data set.
pub(crate) const ERRORS: [(usize, f64); 2] = [(1_000, 0.023), (10_000, 0.005)];
