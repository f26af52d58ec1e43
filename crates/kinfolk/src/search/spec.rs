//! Selects a search: a method by name, refined by options, validated against the variables and recorded in results.

use std::fmt::{self, Display};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::exact::{MOST_FAMILIES, check_exact};
use super::{Algorithm, Arc, ConstraintError, Constraints, ExactError, ExactUse, HillClimb, Rules};
use crate::choice::{NamedChoice, named_choice};
use crate::data::{Schema, VariableId};
use crate::graph::{Dag, modelstring};
use crate::remedy::{Actionable, Neutral, Wording};

/// Escapes of the default search. On 432 simulated problems with a known optimum, 200 escapes found it no more often.
const ESCAPES: usize = 20;

/// The largest number of pairs of parents that the default search scores: those of 100 variables of which 20 have no
/// parents.
const MOST_PAIRS: usize = 100_000;

/// Up to this many variables, the default search makes its restarts in an order search, with few random insertions. On
/// 36 simulated problems of 10 variables this found the exact optimum in 36, 34 and 31 of them (kin, BHD, BDeu);
/// restarts from networks found it in 32, 28 and 23, in half of the time. With 20 and 50 variables both found the same
/// networks by kin and BHD.
const FEW_VARIABLES: usize = 12;

/// Further rounds of the order search without a time limit, and random insertions before each.
const ORDER_ROUNDS: usize = 10;
const ORDER_INSERTIONS: usize = 4;

/// The default length of the tabu list: the shortest round number that found most of what longer lists found.
const TABU: usize = 10;

/// A search by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SearchMethod {
    /// The default: hill-climbing with 20 escapes, additions of pairs of parents and restarts, for up to 12 variables
    /// by order search; the exact optimum if there are few families.
    #[default]
    Auto,
    /// The plain hill-climb: single moves up to the first optimum, as in bnlearn.
    Climb,
    /// Tabu search with a list of 10 networks, without escapes.
    Tabu,
    /// Hill-climbing as in the default, then a search among orders of the variables, until the time limit if there is one.
    Order,
    /// The exact optimum by dynamic programming over subsets of the variables.
    Exact,
    /// PC-stable: removes edges by tests of conditional independence, which compare the scores of families, and orients the others.
    Pc,
}

named_choice!(SearchMethod {
    Auto: "auto", "Hill-climbing with 20 escapes from optima, pairs of parents and restarts; an order search for up to 12 variables, exact for up to 8";
    Climb: "climb", "Plain hill-climbing up to the first optimum, with the steps of bnlearn";
    Tabu: "tabu", "Tabu search with a list of 10 networks, without escapes";
    Order: "order", "Search among orders of the variables after hill-climbing, until the time limit if there is one";
    Exact: "exact", "The network with the highest score of all, for up to about 20 variables; more with few parents";
    Pc: "pc", "PC-stable: tests of conditional independence, each the difference of two family scores";
});

impl Display for SearchMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A search as requested. Options refine the method, which supplies all others.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct SearchSpec {
    /// The method.
    pub method: SearchMethod,
    /// The constraints on the structure.
    pub rules: Rules,
    /// The start graph; no arcs if not given.
    pub start: Option<Dag>,
    /// The maximal number of moves, including escapes and restarts.
    pub max_steps: Option<usize>,
    /// The time limit in seconds. The library reads no clock: the caller's observer stops the search; see
    /// [`Self::time_limit`].
    pub time_limit: Option<f64>,
    /// The length of the tabu list.
    pub tabu: Option<usize>,
    /// Consecutive failed escapes before the search ends.
    pub escapes: Option<usize>,
    /// Restarts from the perturbed best network. If not given: in the default search up to 10, fewer with more
    /// variables; in an order search 10, or with a time limit until the observer stops it; otherwise none.
    pub restarts: Option<usize>,
    /// Random moves in each perturbation. If not given: 4 or 10 in the default search, depending on the number of
    /// variables, 4 insertions in an order search, otherwise 1.
    pub perturb: Option<usize>,
    /// The maximal number of cached family scores.
    pub keep_scores: Option<usize>,
    /// The seed of escapes and perturbations.
    pub seed: u64,
}

/// A search that is ready to run.
#[derive(Debug, Clone)]
pub struct Search {
    /// The requested method.
    pub method: SearchMethod,
    /// The settings of the climb.
    pub climb: HillClimb,
    /// The start graph; it satisfies the constraints.
    pub start: Dag,
    /// The maximal number of cached family scores; the scorer's default if not given.
    pub keep_scores: Option<usize>,
}

/// Search options or constraints that contradict each other.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SearchSpecError {
    /// An option that does not apply to the named search.
    #[error("{}", self.problem(&Neutral))]
    NotOfClimb {
        /// The option's name.
        option: &'static str,
    },
    /// An option of a climb given with PC, which does not climb.
    #[error("{}", self.problem(&Neutral))]
    NotOfPc {
        /// The option's name.
        option: &'static str,
    },
    /// Tabu search without a tabu list.
    #[error("{}", self.problem(&Neutral))]
    EmptyTabuList,
    /// An exact search of too many variables or families.
    #[error("{}", self.problem(&Neutral))]
    Exact(ExactError),
    /// Restarts without perturbation.
    #[error("{}", self.problem(&Neutral))]
    NothingPerturbed,
    /// A time limit that is not a number of seconds.
    #[error("{}", self.problem(&Neutral))]
    TimeLimit(f64),
    /// Rules that contradict each other or the start graph.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
}

impl Actionable for SearchSpecError {
    fn problem(&self, words: &dyn Wording) -> String {
        let spell = |option: &str, value: &str| words.option(option, value);
        match self {
            Self::NotOfClimb { option } => format!(
                "{} stops at the first optimum and does not take {}; leave one of them out, or choose {}",
                spell("search", "climb"),
                spell(option, ""),
                spell("search", "auto"),
            ),
            Self::NotOfPc { option } => format!(
                "{} makes no moves and does not take {}; leave one of them out, or choose {}",
                spell("search", "pc"),
                spell(option, ""),
                spell("search", "auto"),
            ),
            Self::EmptyTabuList => format!(
                "{} leaves {} without a list; give at least {}, or choose {}",
                spell("tabu", "0"),
                spell("search", "tabu"),
                spell("tabu", "1"),
                spell("search", "climb"),
            ),
            Self::NothingPerturbed => format!(
                "{} would restart from the same network; with {} give at least {}",
                spell("perturb", "0"),
                spell("restarts", ""),
                spell("perturb", "1"),
            ),
            Self::TimeLimit(seconds) => {
                format!("{} takes a non-negative number of seconds, not {seconds}", spell("time_limit", ""))
            }
            Self::Exact(error) => {
                format!("{error}; {} has no such limit", spell("search", "auto"))
            }
            Self::Constraint(error) => error.message(words),
        }
    }
}

impl SearchSpec {
    /// The length of the tabu list, 0 for none.
    pub fn effective_tabu(&self) -> usize {
        self.tabu.unwrap_or(if self.method == SearchMethod::Tabu { TABU } else { 0 })
    }

    /// Consecutive failed escapes before the search ends, 0 for none.
    pub fn effective_escapes(&self) -> usize {
        let has_escapes =
            matches!(self.method, SearchMethod::Auto | SearchMethod::Order | SearchMethod::Exact);
        self.escapes.unwrap_or(if has_escapes { ESCAPES } else { 0 })
    }

    /// The number of restarts for this many variables. Each costs about a tenth of the first climb; with thousands of
    /// variables, where a climb takes seconds, there are none.
    fn effective_restarts(&self, variables: usize) -> usize {
        let own = match self.method {
            SearchMethod::Auto => (600 / variables.max(1)).min(10),
            SearchMethod::Order if self.time_limit.is_some() => usize::MAX,
            SearchMethod::Order => ORDER_ROUNDS,
            _ => 0,
        };
        self.restarts.unwrap_or(own)
    }

    /// The number of moves in a perturbation for this many variables.
    fn effective_perturb(&self, variables: usize) -> usize {
        let own = match self.method {
            SearchMethod::Auto if variables <= FEW_VARIABLES => 4,
            SearchMethod::Auto => 10,
            SearchMethod::Order => ORDER_INSERTIONS,
            _ => 1,
        };
        self.perturb.unwrap_or(own)
    }

    /// Whether the exact optimum follows the climb.
    fn exact(&self) -> ExactUse {
        match self.method {
            SearchMethod::Auto => ExactUse::IfFew,
            SearchMethod::Exact => ExactUse::Always,
            SearchMethod::Climb | SearchMethod::Tabu | SearchMethod::Order | SearchMethod::Pc => {
                ExactUse::Never
            }
        }
    }

    /// Checks that need no data.
    pub fn check(&self) -> Result<(), SearchSpecError> {
        let given = [("escapes", self.escapes), ("tabu", self.tabu)];
        let refining = given.into_iter().find(|(_, value)| value.is_some_and(|value| value > 0));
        if let (SearchMethod::Climb, Some((option, _))) = (self.method, refining) {
            return Err(SearchSpecError::NotOfClimb { option });
        }
        let of_climbs = [
            ("escapes", self.escapes.is_some_and(|number| number > 0)),
            ("tabu", self.tabu.is_some_and(|number| number > 0)),
            ("restarts", self.restarts.is_some_and(|number| number > 0)),
            ("max_steps", self.max_steps.is_some()),
            ("start", self.start.is_some()),
        ];
        let given = of_climbs.into_iter().find(|(_, given)| *given);
        if let (SearchMethod::Pc, Some((option, _))) = (self.method, given) {
            return Err(SearchSpecError::NotOfPc { option });
        }
        if self.method == SearchMethod::Tabu && self.tabu == Some(0) {
            return Err(SearchSpecError::EmptyTabuList);
        }
        if self.restarts.unwrap_or(0) > 0 && self.perturb == Some(0) {
            return Err(SearchSpecError::NothingPerturbed);
        }
        self.time_limit().map(drop)
    }

    /// The time limit; `None` if it exceeds the range of a clock.
    pub fn time_limit(&self) -> Result<Option<Duration>, SearchSpecError> {
        match self.time_limit {
            Some(seconds) if seconds >= 0.0 => Ok(Duration::try_from_secs_f64(seconds).ok()),
            Some(seconds) => Err(SearchSpecError::TimeLimit(seconds)),
            None => Ok(None),
        }
    }

    /// Validates everything against the variables.
    pub fn prepare(&self, schema: &Schema) -> Result<Search, SearchSpecError> {
        self.check()?;
        let constraints = Constraints::new(schema, &self.rules)?;
        let empty = Dag::empty(schema.variables().len());
        let start = constraints.start(self.start.as_ref().unwrap_or(&empty))?;
        let variables = schema.variables().len();
        if self.method == SearchMethod::Exact {
            check_exact(&constraints, variables, MOST_FAMILIES).map_err(SearchSpecError::Exact)?;
        }
        let perturb = self.effective_perturb(variables);
        let restarts = if perturb == 0 { 0 } else { self.effective_restarts(variables) };
        let has_pairs = matches!(self.method, SearchMethod::Auto | SearchMethod::Order);
        let climb = HillClimb {
            constraints,
            max_steps: self.max_steps,
            tabu: self.effective_tabu(),
            escapes: self.effective_escapes(),
            most_pairs: if has_pairs { MOST_PAIRS } else { 0 },
            restarts,
            perturb,
            algorithm: match self.method {
                SearchMethod::Order => Algorithm::Orders,
                SearchMethod::Auto if variables <= FEW_VARIABLES && restarts > 0 => Algorithm::Orders,
                SearchMethod::Pc => Algorithm::Pc,
                _ => Algorithm::Climb,
            },
            exact: self.exact(),
            seed: self.seed,
        };
        Ok(Search { method: self.method, climb, start, keep_scores: self.keep_scores })
    }

    /// The search as recorded in the settings of a result.
    pub fn settings(&self, schema: &Schema, search: &Search) -> Map<String, Value> {
        let settings = json!({
            "start": modelstring::format(&search.start, &schema.names()),
            "max_steps": self.max_steps,
            "time_limit": self.time_limit,
            "search": self.method,
            "tabu": search.climb.tabu,
            "escapes": search.climb.escapes,
            "most_pairs": search.climb.most_pairs,
            "restarts": Some(search.climb.restarts).filter(|restarts| *restarts < usize::MAX),
            "perturb": search.climb.perturb,
            "keep_scores": self.keep_scores,
            "seed": self.seed,
        });
        let Value::Object(settings) = settings else { unreachable!("the settings are an object") };
        let mut all = self.rules.settings(schema);
        all.extend(settings);
        all
    }
}

impl Rules {
    /// The rules as recorded in the settings of a result.
    pub fn settings(&self, schema: &Schema) -> Map<String, Value> {
        let name = |id: &VariableId| schema.variable(*id).name.clone();
        let pairs = |arcs: &[Arc]| -> Vec<[String; 2]> {
            arcs.iter().map(|(from, to)| [name(from), name(to)]).collect()
        };
        let tiers: Vec<Vec<String>> = self.tiers.iter().map(|tier| tier.iter().map(name).collect()).collect();
        let settings = json!({
            "max_parents": self.max_parents,
            "whitelist": pairs(&self.required),
            "blacklist": pairs(&self.forbidden),
            "tiers": tiers,
        });
        let Value::Object(settings) = settings else { unreachable!("the settings are an object") };
        settings
    }
}

impl Search {
    /// A plain hill-climb from this graph, which must satisfy the constraints.
    pub fn plain(constraints: Constraints, start: Dag) -> Self {
        Self::with(SearchMethod::Climb, HillClimb::new(constraints), start)
    }

    /// A search with these settings and the scorer's default cache size.
    pub fn with(method: SearchMethod, climb: HillClimb, start: Dag) -> Self {
        Self { method, climb, start, keep_scores: None }
    }
}
