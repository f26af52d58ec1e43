//! What is to be made up: the size of the network, its parameters, the data sets, and why some wishes are impossible.

use serde::{Serialize, Serializer};
use thiserror::Error;

use crate::remedy::{Actionable, Remedy};

/// How the tables of the data sets hang together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Parameters {
    /// A centre a ~ Dir(α0, …, α0) for each node, and each data set's table around it: Dir(s·a).
    Hier,
    /// Each data set's table by itself: Dir(s/C, …, s/C).
    Iid,
    /// One table, drawn as in [`Parameters::Iid`], for all data sets.
    Id,
}

/// What the Dirichlet distributions are over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The joint cells of a node and its parents, as in \[ACS22\] (hier), conditioned on the parents afterwards.
    Joint,
    /// The states of a node in each configuration of its parents, so that s belongs to every configuration.
    Configuration,
}

/// How many arcs an altered data set loses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Removed {
    /// This many, chosen evenly.
    Arcs(usize),
    /// Each arc with this probability.
    Probability(f64),
}

impl Serialize for Removed {
    /// The number itself.
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
    /// They do: scenario (a) of the paper.
    A,
    /// Some data sets, chosen evenly, lose arcs, each its own: scenario (b).
    B {
        /// How many data sets lose arcs.
        altered: usize,
        /// How many arcs each of them loses.
        removed: Removed,
    },
}

/// What is to be made up.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Design {
    /// The number of variables.
    pub nodes: usize,
    /// The number of arcs, exactly.
    pub arcs: usize,
    /// The most parents of a node, if there is a limit.
    pub max_parents: Option<usize>,
    /// Numbers of states from which each variable draws its own, evenly.
    pub states: Vec<usize>,
    /// The number of rows of each data set.
    pub rows: Vec<usize>,
    /// How the tables of the data sets hang together.
    pub parameters: Parameters,
    /// What the Dirichlet distributions are over.
    pub level: Level,
    /// How concentrated the data sets' tables are: the paper's simulations have 10.
    pub s: f64,
    /// The centre's own prior in every cell: the paper's simulations have 1.
    pub alpha0: f64,
    /// Whether all data sets have the same structure.
    #[serde(flatten)]
    pub scenario: Scenario,
}

/// Why a design is impossible.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum DesignError {
    /// Something must be there.
    #[error("at least one {0} is needed")]
    Nothing(&'static str),
    /// More arcs than pairs of nodes, or than the limit on parents allows.
    #[error("{arcs} arcs are too many: {nodes} nodes{limit} have room for {most}")]
    Arcs {
        /// The arcs asked for.
        arcs: usize,
        /// The nodes.
        nodes: usize,
        /// The limit on parents in words, if there is one.
        limit: String,
        /// The most arcs there can be.
        most: usize,
    },
    /// A variable with fewer than two states tells nothing, and one with more than 65,536 is no category.
    #[error("a variable cannot have {0} states; from 2 to 65536 are possible")]
    States(usize),
    /// More data sets are to be altered than there are.
    #[error("{altered} data sets cannot be altered: there are {data_sets}")]
    Altered {
        /// The data sets to be altered.
        altered: usize,
        /// The data sets.
        data_sets: usize,
    },
    /// More arcs are to be removed than there are.
    #[error("{removed} arcs cannot be removed: the network has {arcs}")]
    Removed {
        /// The arcs to be removed.
        removed: usize,
        /// The arcs.
        arcs: usize,
    },
    /// Not a probability.
    #[error("arcs cannot be removed with probability {0}; it lies between 0 and 1")]
    Probability(f64),
    /// Not a possible concentration.
    #[error("{name} cannot be {value}; it is a positive number, at most {LARGEST:e}")]
    Concentration {
        /// Which one.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// The tables would be too large to be held; nothing was allocated.
    #[error(
        "the tables would have {probabilities:.1e} probabilities, the largest tables for a node with {parents} parents"
    )]
    Tables {
        /// How many parents the node with the largest ones has.
        parents: usize,
        /// How many probabilities they would have together.
        probabilities: f64,
    },
    /// The rows would be too many to be held; nothing was allocated.
    #[error("{rows:e} rows of {nodes} variables are too many to be held in memory")]
    Rows {
        /// The rows of all data sets.
        rows: f64,
        /// The variables.
        nodes: usize,
    },
}

impl Actionable for DesignError {
    fn remedies(&self) -> Vec<Remedy> {
        let Self::Tables { .. } = self else { return Vec::new() };
        vec![Remedy::Advice("ask for fewer states, arcs or data sets"), Remedy::LowerMaxParents]
    }
}

/// A table drawn with a larger concentration equals its centre in all digits that rows could show.
const LARGEST: f64 = 1e9;

/// The most values in all rows: 2^34, sixteen gigabytes of one byte each.
const MOST_VALUES: f64 = 17_179_869_184.0;

/// The most states of a variable: codes of two bytes.
const MOST_STATES: usize = 65_536;

/// Refuses rows of data sets that are too many to be held.
pub fn check_rows(rows: &[usize], nodes: usize) -> Result<(), DesignError> {
    let rows: f64 = rows.iter().map(|&rows| rows as f64).sum();
    if rows * nodes as f64 > MOST_VALUES { Err(DesignError::Rows { rows, nodes }) } else { Ok(()) }
}

impl Design {
    /// The number of data sets.
    pub fn data_sets(&self) -> usize {
        self.rows.len()
    }

    /// Refuses what is impossible; only tables too large to hold can be found out later, when parents are known.
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
