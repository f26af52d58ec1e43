//! The searches that are compared.

use kinfolk::data::Schema;
use kinfolk::search::{Algorithm, ExactUse, Search, SearchMethod, SearchSpec};

/// The exact optimum is computed for up to this many variables, where it takes seconds.
pub(super) const EXACT_UP_TO: usize = 12;

/// A search, with its default options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Plain hill-climbing.
    Climb,
    /// Tabu search.
    Tabu,
    /// Hill-climbing with escapes, the first part of the default search.
    Escapes,
    /// The default search without the exact optimum that follows it for few variables.
    Auto,
    /// Order search.
    Order,
    /// PC-stable.
    Pc,
    /// The exact optimum.
    Exact,
}

impl Way {
    /// The searches for this many variables.
    pub fn of(variables: usize) -> impl Iterator<Item = Self> {
        let all = [Self::Climb, Self::Tabu, Self::Escapes, Self::Auto, Self::Order, Self::Pc, Self::Exact];
        all.into_iter().filter(move |&way| way != Self::Exact || variables <= EXACT_UP_TO)
    }

    /// Its name in results: that of `--search`, except for the parts of `auto`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Climb => "climb",
            Self::Tabu => "tabu",
            Self::Escapes => "escapes",
            Self::Auto => "auto",
            Self::Order => "order",
            Self::Pc => "pc",
            Self::Exact => "exact",
        }
    }

    /// The search for these variables.
    pub(super) fn prepare(self, schema: &Schema) -> Search {
        let mut spec = SearchSpec::default();
        spec.method = match self {
            Self::Climb => SearchMethod::Climb,
            Self::Tabu => SearchMethod::Tabu,
            Self::Escapes | Self::Auto => SearchMethod::Auto,
            Self::Order => SearchMethod::Order,
            Self::Pc => SearchMethod::Pc,
            Self::Exact => SearchMethod::Exact,
        };
        let mut search = spec.prepare(schema).expect("default options are possible");
        if matches!(self, Self::Escapes | Self::Auto) {
            search.climb.exact = ExactUse::Never;
        }
        if self == Self::Escapes {
            (search.climb.restarts, search.climb.most_pairs) = (0, 0);
            search.climb.algorithm = Algorithm::Climb;
        }
        search
    }
}
