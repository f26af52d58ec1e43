//! Constraints on the structure: required and forbidden arcs, tiers, a limit on parents.

use fixedbitset::FixedBitSet;
use thiserror::Error;

use crate::data::{Schema, VariableId};
use crate::graph::{Dag, GraphError, Move};
use crate::remedy::{Actionable, Neutral, Remedy, Setting, Wording};

/// An arc: from, to.
pub type Arc = (VariableId, VariableId);

/// Constraints as stated by the user, not validated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules {
    /// The maximal number of parents of a node.
    pub max_parents: Option<usize>,
    /// Arcs that the structure must have (the whitelist); their reversals are forbidden.
    pub required: Vec<Arc>,
    /// Arcs that the structure must not have (the blacklist).
    pub forbidden: Vec<Arc>,
    /// Groups of variables, earliest first: no arc leads from a later tier to an earlier one. Variables in no tier are free.
    pub tiers: Vec<Vec<VariableId>>,
}

/// Rules that contradict each other or the start graph.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConstraintError {
    /// An arc from a variable to itself.
    #[error("the {list} has an arc from `{node}` to itself; remove it")]
    SelfArc {
        /// The whitelist or the blacklist.
        list: &'static str,
        /// The variable.
        node: String,
    },
    /// Required in both directions.
    #[error(
        "the whitelist has both `{from}` → `{to}` and `{to}` → `{from}`; a network can have only one of them, keep one"
    )]
    BothWays {
        /// One end.
        from: String,
        /// The other.
        to: String,
    },
    /// Required arcs that form a cycle.
    #[error("the whitelist has a cycle: {0}; remove one of its arcs")]
    Cycle(String),
    /// Required and forbidden.
    #[error("`{from}` → `{to}` is on the whitelist and on the blacklist; remove it from one of them")]
    Contradiction {
        /// The tail of the arc.
        from: String,
        /// The head of the arc.
        to: String,
    },
    /// Required against the tiers.
    #[error(
        "the whitelist has `{from}` → `{to}`, but the tiers put `{from}` after `{to}`; change one of them"
    )]
    AgainstTiers {
        /// The tail of the arc.
        from: String,
        /// The head of the arc.
        to: String,
    },
    /// A variable in two tiers.
    #[error("`{0}` is in more than one tier; keep it in one")]
    TwoTiers(String),
    /// Required from a constant column.
    #[error(
        "the whitelist has `{from}` → `{to}`, but `{from}` has the same state in every row and cannot be a parent; remove the arc or the column"
    )]
    ConstantParent {
        /// The constant variable.
        from: String,
        /// The head of the arc.
        to: String,
    },
    /// More required parents than allowed.
    #[error("{}", too_many_parents("the whitelist", to, *required, *allowed, &Neutral))]
    TooManyRequired {
        /// The child.
        to: String,
        /// The number of required parents.
        required: usize,
        /// The maximal number.
        allowed: usize,
    },
    /// The start graph has an arc that the rules forbid.
    #[error(
        "the start graph has `{from}` → `{to}`, which {why}; remove it from the start graph or change the rule"
    )]
    StartForbidden {
        /// The tail of the arc.
        from: String,
        /// The head of the arc.
        to: String,
        /// The rule that forbids it.
        why: &'static str,
    },
    /// The start graph cannot take the required arcs.
    #[error(
        "the start graph and the whitelist together have a cycle: {0}; remove one of its arcs from the start graph"
    )]
    StartCycle(String),
    /// The start graph has a node with too many parents.
    #[error("{}", too_many_parents("the start graph, with the whitelist,", to, *parents, *allowed, &Neutral))]
    StartTooMany {
        /// The child.
        to: String,
        /// The number of its parents.
        parents: usize,
        /// The maximal number.
        allowed: usize,
    },
}

impl Actionable for ConstraintError {
    fn problem(&self, words: &dyn Wording) -> String {
        match self {
            Self::TooManyRequired { to, required, allowed } => {
                too_many_parents("the whitelist", to, *required, *allowed, words)
            }
            Self::StartTooMany { to, parents, allowed } => {
                too_many_parents("the start graph, with the whitelist,", to, *parents, *allowed, words)
            }
            other => other.to_string(),
        }
    }

    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Self::TooManyRequired { .. } => {
                vec![Remedy::RaiseMaxParents, Remedy::Advice("shorten the list")]
            }
            Self::StartTooMany { .. } => vec![Remedy::RaiseMaxParents, Remedy::Advice("drop arcs")],
            _ => Vec::new(),
        }
    }
}

fn too_many_parents(who: &str, to: &str, parents: usize, allowed: usize, words: &dyn Wording) -> String {
    let limit = words.setting(Setting::MaxParents);
    format!("{who} gives `{to}` more parents ({parents}) than {limit} allows ({allowed})")
}

/// Validated constraints, stored as bit sets for fast lookup.
#[derive(Debug, Clone)]
pub struct Constraints {
    names: Vec<String>,
    max_parents: usize,
    required: Vec<Arc>,
    /// For each child, the required parents.
    kept: Vec<FixedBitSet>,
    /// For each child, the allowed parents.
    allowed: Vec<FixedBitSet>,
    /// The tier of each variable, earliest first; `None` for variables in no tier.
    tier: Vec<Option<usize>>,
    constant: FixedBitSet,
}

impl Constraints {
    /// Only the constraint implied by the data: a constant column cannot be a parent.
    pub fn none(schema: &Schema) -> Self {
        Self::new(schema, &Rules::default()).expect("no rules cannot contradict each other")
    }

    /// Validates the rules against each other and the schema.
    pub fn new(schema: &Schema, rules: &Rules) -> Result<Self, ConstraintError> {
        let size = schema.variables().len();
        let mut constraints = Self {
            names: schema.names(),
            max_parents: rules.max_parents.unwrap_or(usize::MAX),
            required: rules.required.clone(),
            kept: vec![FixedBitSet::with_capacity(size); size],
            allowed: vec![FixedBitSet::with_capacity(size); size],
            tier: vec![None; size],
            constant: schema
                .ids()
                .filter(|&id| schema.variable(id).constant)
                .map(VariableId::index)
                .collect(),
        };
        constraints.constant.grow(size);
        constraints.required.sort_unstable();
        constraints.required.dedup();
        for (position, tier) in rules.tiers.iter().enumerate() {
            for &variable in tier {
                if constraints.tier[variable.index()].replace(position).is_some() {
                    return Err(ConstraintError::TwoTiers(constraints.name(variable)));
                }
            }
        }
        for child in schema.ids() {
            for parent in schema.ids().filter(|&parent| parent != child) {
                let possible =
                    !constraints.constant[parent.index()] && !constraints.against_tiers(parent, child);
                constraints.allowed[child.index()].set(parent.index(), possible);
            }
        }
        for &(from, to) in &rules.forbidden {
            if from == to {
                return Err(ConstraintError::SelfArc { list: "blacklist", node: constraints.name(from) });
            }
            constraints.allowed[to.index()].remove(from.index());
        }
        constraints.check_required(&rules.forbidden)?;
        for &(from, to) in &constraints.required {
            constraints.kept[to.index()].insert(from.index());
            constraints.allowed[from.index()].remove(to.index());
        }
        Ok(constraints)
    }

    fn check_required(&self, forbidden: &[Arc]) -> Result<(), ConstraintError> {
        for &(from, to) in &self.required {
            let (from_name, to_name) = (self.name(from), self.name(to));
            if from == to {
                return Err(ConstraintError::SelfArc { list: "whitelist", node: from_name });
            }
            if self.required.binary_search(&(to, from)).is_ok() {
                return Err(ConstraintError::BothWays { from: from_name, to: to_name });
            }
            if forbidden.contains(&(from, to)) {
                return Err(ConstraintError::Contradiction { from: from_name, to: to_name });
            }
            if self.against_tiers(from, to) {
                return Err(ConstraintError::AgainstTiers { from: from_name, to: to_name });
            }
            if self.constant[from.index()] {
                return Err(ConstraintError::ConstantParent { from: from_name, to: to_name });
            }
        }
        let required = Dag::from_arcs(self.names.len(), self.required.iter().copied())
            .map_err(|error| ConstraintError::Cycle(self.cycle(&error)))?;
        for child in required.nodes() {
            let parents = required.parents(child).len();
            if parents > self.max_parents {
                return Err(ConstraintError::TooManyRequired {
                    to: self.name(child),
                    required: parents,
                    allowed: self.max_parents,
                });
            }
        }
        Ok(())
    }

    /// The start graph of a search: the user's graph with the required arcs, if it satisfies the constraints.
    pub fn start(&self, start: &Dag) -> Result<Dag, ConstraintError> {
        let mut dag = self.required_graph();
        for (from, to) in start.arcs().filter(|&(from, to)| !self.kept[to.index()][from.index()]) {
            if !self.allowed[to.index()][from.index()] {
                let why = if self.kept[from.index()][to.index()] {
                    "the whitelist has in the other direction"
                } else if self.constant[from.index()] {
                    "starts at a column that has the same state in every row"
                } else if self.against_tiers(from, to) {
                    "contradicts the tiers"
                } else {
                    "is on the blacklist"
                };
                return Err(ConstraintError::StartForbidden {
                    from: self.name(from),
                    to: self.name(to),
                    why,
                });
            }
            dag.apply(&Move::add(from, to))
                .map_err(|error| ConstraintError::StartCycle(self.cycle(&error)))?;
        }
        for child in dag.nodes() {
            let parents = dag.parents(child).len();
            if parents > self.max_parents {
                return Err(ConstraintError::StartTooMany {
                    to: self.name(child),
                    parents,
                    allowed: self.max_parents,
                });
            }
        }
        Ok(dag)
    }

    /// The same constraints for a subset of the rows: variables constant there cannot become parents, except by required arcs.
    #[must_use]
    pub fn for_rows_of(&self, schema: &Schema) -> Self {
        let mut constraints = self.clone();
        for constant in schema.ids().filter(|&id| schema.variable(id).constant) {
            for (allowed, kept) in constraints.allowed.iter_mut().zip(&self.kept) {
                if !kept[constant.index()] {
                    allowed.remove(constant.index());
                }
            }
        }
        constraints
    }

    /// The graph of the required arcs.
    pub(super) fn required_graph(&self) -> Dag {
        Dag::from_arcs(self.names.len(), self.required.iter().copied())
            .expect("the required arcs have been checked")
    }

    /// Whether the arc `from → to` is allowed.
    pub fn allows(&self, from: VariableId, to: VariableId) -> bool {
        self.allowed[to.index()][from.index()]
    }

    /// The allowed parents of a child, as bits.
    pub(super) fn allowed_parents(&self, child: VariableId) -> &FixedBitSet {
        &self.allowed[child.index()]
    }

    /// The maximal number of parents of a node; `usize::MAX` if there is no limit.
    pub fn max_parents(&self) -> usize {
        self.max_parents
    }

    /// Whether the arc `from → to` is required.
    pub fn requires(&self, from: VariableId, to: VariableId) -> bool {
        self.kept[to.index()][from.index()]
    }

    /// Whether a node of the graph may have another parent.
    pub fn allows_another_parent(&self, dag: &Dag, child: VariableId) -> bool {
        self.allows_more_parents_than(dag.parents(child).len())
    }

    /// Whether a node with this many parents may have another one.
    pub(super) fn allows_more_parents_than(&self, parents: usize) -> bool {
        parents < self.max_parents
    }

    fn against_tiers(&self, from: VariableId, to: VariableId) -> bool {
        matches!((self.tier[from.index()], self.tier[to.index()]), (Some(from), Some(to)) if from > to)
    }

    fn name(&self, id: VariableId) -> String {
        self.names[id.index()].clone()
    }

    fn cycle(&self, error: &GraphError) -> String {
        match error {
            GraphError::Cycle { nodes } => {
                let ring = nodes.iter().chain(nodes.first());
                ring.map(|&node| format!("`{}`", self.name(node))).collect::<Vec<_>>().join(" → ")
            }
            other => other.with_names(&self.names),
        }
    }
}
