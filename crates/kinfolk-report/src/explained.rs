//! What `explain` found out, as a page shows it: whether to pool, how far data sets lie apart, what each says of every arc.

use kinfolk::explain::{Absence, Explanation, Member, Pooling, Terms};
use kinfolk::learned::ByDataSet;
use kinfolk::score::Halt;
use serde::Serialize;

use crate::report::{Arc, Report};

/// An explanation, without what the arcs of the report have already.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explained {
    /// Whose numbers the arcs have by data set.
    pub terms: Terms,
    /// Whether the data sets should be pooled.
    pub pooling: Pooling,
    /// The data sets, the farthest from what all have in common first.
    pub data_sets: Vec<Member>,
    /// How arcs that are absent in a data set were found.
    pub absence: Absence,
    /// The strongest arcs that the network has not, with what adding each would change.
    pub left_out: Vec<Arc>,
    /// Who asked to stop before all was found out; nothing if it is whole.
    pub halted: Option<Halt>,
}

impl Report {
    /// Adds an explanation of the same network. Scores that are no sum over the data sets get their evidence by data set from it.
    #[must_use]
    pub fn with_explanation(mut self, explanation: Explanation) -> Self {
        let Explanation { terms, arcs, pooling, data_sets, absence, halted, .. } = explanation;
        let place = |name: &str| self.variables.iter().position(|variable| variable.name == name);
        let mut left_out = Vec::new();
        for arc in arcs {
            let (Some(from), Some(to)) = (place(&arc.from), place(&arc.to)) else { continue };
            let given_others = Some(values(&arc.given_others));
            if arc.present {
                let same = |known: &&mut Arc| (known.from, known.to) == (from, to);
                if let Some(known) = self.arcs.iter_mut().find(same) {
                    known.given_others = given_others;
                }
            } else {
                let by_data_set = (terms == Terms::Score).then(|| values(&arc.by_data_set));
                left_out.push(Arc {
                    gain: Some(arc.total),
                    by_data_set,
                    given_others,
                    ..Arc::between(from, to)
                });
            }
        }
        self.explanation = Some(Explained { terms, pooling, data_sets, absence, left_out, halted });
        self
    }
}

fn values(numbers: &ByDataSet) -> Vec<f64> {
    numbers.0.iter().map(|(_, value)| *value).collect()
}
