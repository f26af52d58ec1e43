//! The design of a simulation: network size, parameters and data sets, with its validation.

use serde::{Serialize, Serializer};
use thiserror::Error;

use crate::choice::named_choice;
use crate::remedy::{Actionable, Remedy};

/// The joint distribution of the data sets' tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Parameters {
    /// A centre a ~ Dir(α0, …, α0) per node, and each data set's table from Dir(s·a).
    Hier,
    /// Each data set's table independently from Dir(s/C, …, s/C).
    Iid,
    /// One table, drawn as in [`Parameters::Iid`], for all data sets.
    Id,
}

named_choice!(Parameters {
    Hier: "hier", "Drawn around a common random centre";
    Iid: "iid", "Drawn independently for each data set";
    Id: "id", "Drawn once for all data sets";
});

/// The domain of the Dirichlet distributions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The joint cells of a node and its parents, as in \[ACS22\] (hier), then conditioned on the parents.
    Joint,
    /// The states of a node in each parent configuration; s applies to every configuration.
    Configuration,
}

named_choice!(Level {
    Joint: "joint", "The joint distribution of a variable and its parents";
    Configuration: "configuration", "The conditional distribution of a variable in each configuration of its parents";
});

/// The number of arcs that an altered data set loses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Removed {
    /// This number, chosen uniformly.
    Arcs(usize),
    /// Each arc with this probability.
    Probability(f64),
}

impl Serialize for Removed {
    /// The value itself.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Arcs(arcs) => serializer.serialize_u64(arcs as u64),
            Self::Probability(probability) => serializer.serialize_f64(probability),
        }
    }
}

/// Whether all data sets have the same structure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "scenario", rename_all = "lowercase")]
pub enum Scenario {
    /// The same structure: scenario (a) of the paper.
    A,
    /// Some data sets, chosen uniformly, each lose arcs of their own: scenario (b).
    B {
        /// The number of data sets that lose arcs.
        altered: usize,
        /// The number of arcs that each of them loses.
        removed: Removed,
    },
}

/// The design of a simulation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Design {
    /// The number of variables.
    pub nodes: usize,
    /// The exact number of arcs.
    pub arcs: usize,
    /// The maximum number of parents of a node, if limited.
    pub max_parents: Option<usize>,
    /// The numbers of states from which each variable draws its own uniformly.
    pub states: Vec<usize>,
    /// The number of rows of each data set.
    pub rows: Vec<usize>,
    /// The joint distribution of the data sets' tables.
    pub parameters: Parameters,
    /// The domain of the Dirichlet distributions.
    pub level: Level,
    /// The concentration s of the data sets' tables; 10 in the paper's simulations.
    pub s: f64,
    /// The centre's prior α0 in every cell; 1 in the paper's simulations.
    pub alpha0: f64,
    /// Whether all data sets have the same structure.
    #[serde(flatten)]
    pub scenario: Scenario,
}

/// Why a design is impossible.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum DesignError {
    /// A required quantity is zero.
    #[error("at least one {0} is needed")]
    Nothing(&'static str),
    /// More arcs than pairs of nodes, or than the limit on parents allows.
    #[error("{arcs} arcs are too many: {nodes} nodes{limit} can have at most {most}")]
    Arcs {
        /// The requested number of arcs.
        arcs: usize,
        /// The number of nodes.
        nodes: usize,
        /// The limit on parents for the message, if any.
        limit: String,
        /// The maximum number of arcs.
        most: usize,
    },
    /// A variable needs at least 2 states and can have at most 65,536.
    #[error("a variable cannot have {0} states; from 2 to 65536 are possible")]
    States(usize),
    /// More altered data sets than data sets.
    #[error("{altered} data sets cannot be altered: there are {data_sets}")]
    Altered {
        /// The number of altered data sets.
        altered: usize,
        /// The number of data sets.
        data_sets: usize,
    },
    /// More removed arcs than arcs.
    #[error("{removed} arcs cannot be removed: the network has {arcs}")]
    Removed {
        /// The number of arcs to remove.
        removed: usize,
        /// The number of arcs.
        arcs: usize,
    },
    /// A value that is not a probability.
    #[error("arcs cannot be removed with probability {0}; it lies between 0 and 1")]
    Probability(f64),
    /// A concentration out of range.
    #[error("{name} cannot be {value}; it is a positive number, at most {LARGEST:e}")]
    Concentration {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// The tables are too large for memory; nothing was allocated.
    #[error(
        "the tables would have {probabilities:.1e} probabilities, the largest tables for a node with {parents} parents"
    )]
    Tables {
        /// The number of parents of the node with the largest tables.
        parents: usize,
        /// The number of probabilities in all tables.
        probabilities: f64,
    },
    /// The rows are too many for memory; nothing was allocated.
    #[error("{rows:e} rows of {nodes} variables are too many to be held in memory")]
    Rows {
        /// The number of rows in all data sets.
        rows: f64,
        /// The number of variables.
        nodes: usize,
    },
}

impl Actionable for DesignError {
    fn remedies(&self) -> Vec<Remedy> {
        let Self::Tables { .. } = self else { return Vec::new() };
        vec![Remedy::Advice("use fewer states, arcs or data sets"), Remedy::LowerMaxParents]
    }
}

/// A table drawn with a larger concentration equals its centre within any precision that rows could show.
const LARGEST: f64 = 1e9;

/// Maximum number of values in all rows: 2^34, which is 16 GiB at one byte each.
const MOST_VALUES: f64 = 17_179_869_184.0;

/// Maximum number of states of a variable: two-byte codes.
const MOST_STATES: usize = 65_536;

/// Rejects data sets with too many rows for memory.
pub fn check_rows(rows: &[usize], nodes: usize) -> Result<(), DesignError> {
    let rows: f64 = rows.iter().map(|&rows| rows as f64).sum();
    if rows * nodes as f64 > MOST_VALUES { Err(DesignError::Rows { rows, nodes }) } else { Ok(()) }
}

impl Design {
    /// The number of data sets.
    pub fn data_sets(&self) -> usize {
        self.rows.len()
    }

    /// Rejects impossible designs. Tables that are too large are only detected later, when the parents are known.
    pub fn check(&self) -> Result<(), DesignError> {
        let present = [
            (self.nodes, "node"),
            (self.data_sets(), "data set"),
            (self.states.len(), "number of states"),
            (self.rows.iter().copied().min().unwrap_or(1), "row in every data set"),
        ];
        if let Some((_, what)) = present.into_iter().find(|&(number, _)| number == 0) {
            return Err(DesignError::Nothing(what));
        }
        if let Some(&states) = self.states.iter().find(|states| !(2..=MOST_STATES).contains(*states)) {
            return Err(DesignError::States(states));
        }
        for (name, value) in [("s", self.s), ("alpha0", self.alpha0)] {
            if !(value > 0.0 && value <= LARGEST) {
                return Err(DesignError::Concentration { name, value });
            }
        }
        check_rows(&self.rows, self.nodes)?;
        self.check_arcs()?;
        self.check_scenario()
    }

    fn check_arcs(&self) -> Result<(), DesignError> {
        let most_parents = self.max_parents.unwrap_or(self.nodes);
        let most = (0..self.nodes).map(|place| place.min(most_parents)).sum();
        if self.arcs <= most {
            return Ok(());
        }
        let limit = self.max_parents.map_or(String::new(), |most| format!(" with at most {most} parents"));
        Err(DesignError::Arcs { arcs: self.arcs, nodes: self.nodes, limit, most })
    }

    fn check_scenario(&self) -> Result<(), DesignError> {
        let Scenario::B { altered, removed } = self.scenario else { return Ok(()) };
        let data_sets = self.data_sets();
        if altered > data_sets {
            return Err(DesignError::Altered { altered, data_sets });
        }
        match removed {
            Removed::Arcs(removed) if removed > self.arcs => {
                Err(DesignError::Removed { removed, arcs: self.arcs })
            }
            Removed::Probability(p) if !(0.0..=1.0).contains(&p) => Err(DesignError::Probability(p)),
            _ => Ok(()),
        }
    }
}
