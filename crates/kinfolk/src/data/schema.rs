//! The schema that the data sets share: variables with their states, and the names of the data sets.

use serde::{Deserialize, Serialize};

/// The position of a variable in the column order, which also breaks ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VariableId(pub u32);

impl VariableId {
    /// The id of the `index`-th variable.
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("more variables than fit 32 bits"))
    }

    /// The position in the column order.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The position of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DataSetId(pub u32);

impl DataSetId {
    /// The id of the `index`-th data set.
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("more data sets than fit 32 bits"))
    }

    /// The position among the data sets.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One categorical variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    /// The column's name.
    pub name: String,
    /// Its states, in the order of their codes.
    pub states: Vec<String>,
    /// Whether every counted row of every data set has the same state. Such a variable cannot be a parent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub constant: bool,
}

/// The variables that all data sets share, and the names of the data sets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schema {
    variables: Vec<Variable>,
    data_sets: Vec<String>,
}

impl Schema {
    /// A schema of variables with distinct names and at least one state each, and distinct data sets.
    ///
    /// # Panics
    /// If names repeat or a variable has no state; readers of data check this first and return an error.
    pub fn new(variables: Vec<Variable>, data_sets: Vec<String>) -> Self {
        assert!(!data_sets.is_empty(), "a schema needs at least one data set");
        let mut names: Vec<&str> = variables.iter().map(|variable| variable.name.as_str()).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "variable names must be distinct");
        assert!(variables.iter().all(|variable| !variable.states.is_empty()), "every variable needs a state");
        let mut names: Vec<&str> = data_sets.iter().map(String::as_str).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "data set names must be distinct");
        Self { variables, data_sets }
    }

    /// The variables, in column order.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// One variable.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.index()]
    }

    /// The number of states of a variable.
    pub fn states(&self, id: VariableId) -> usize {
        self.variables[id.index()].states.len()
    }

    /// All variable ids, in column order.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = VariableId> + use<> {
        (0..self.variables.len()).map(VariableId::new)
    }

    /// The variable of this name, if any.
    pub fn find(&self, name: &str) -> Option<VariableId> {
        self.variables.iter().position(|variable| variable.name == name).map(VariableId::new)
    }

    /// The variables' names, in column order.
    pub fn names(&self) -> Vec<String> {
        self.variables.iter().map(|variable| variable.name.clone()).collect()
    }

    /// The names of the data sets.
    pub fn data_sets(&self) -> &[String] {
        &self.data_sets
    }
}
