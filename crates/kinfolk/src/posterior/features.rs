//! Features of a network with a posterior probability: an arc, an edge, a directed path, membership in a Markov
//! blanket.

use thiserror::Error;

use crate::data::{Schema, VariableId};
use crate::remedy::Actionable;
use crate::search::parent_sets::{bit, members};

/// A structural feature of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// The arc from the first variable to the second.
    Arc(VariableId, VariableId),
    /// An arc between the two variables, in either direction.
    Edge(VariableId, VariableId),
    /// A directed path from the first variable to the second, of one arc or more.
    Path(VariableId, VariableId),
    /// The first variable is in the Markov blanket of the second: its parent, its child, or another parent of one of its children.
    InBlanket(VariableId, VariableId),
}

impl Feature {
    /// Whether its evaluation needs a sampled graph: arcs and edges follow from the probabilities of parent sets.
    pub(super) fn needs_graph(self) -> bool {
        matches!(self, Self::Path(..) | Self::InBlanket(..))
    }

    /// Its probability given an order (`arcs`, by `from`, then `to`), or whether a graph sampled from the order has the
    /// feature.
    pub(super) fn value(self, arcs: &[f64], parents: &[u128]) -> f64 {
        let arc = |from: VariableId, to: VariableId| arcs[from.index() * parents.len() + to.index()];
        match self {
            Self::Arc(from, to) => arc(from, to),
            Self::Edge(a, b) => arc(a, b) + arc(b, a),
            Self::Path(from, to) => f64::from(u8::from(is_ancestor(parents, from, to))),
            Self::InBlanket(member, of) => {
                let is_parent =
                    |parent: VariableId, child: VariableId| parents[child.index()] & bit(parent) != 0;
                let both = bit(member) | bit(of);
                let has = is_parent(member, of)
                    || is_parent(of, member)
                    || parents.iter().any(|set| set & both == both);
                f64::from(u8::from(has))
            }
        }
    }
}

/// Whether a directed path leads from one variable to another.
fn is_ancestor(parents: &[u128], from: VariableId, to: VariableId) -> bool {
    let (mut ancestors, mut left) = (0, parents[to.index()]);
    while left != 0 {
        ancestors |= left;
        left = members(left).fold(0, |next, node| next | parents[node.index()]) & !ancestors;
    }
    ancestors & bit(from) != 0
}

/// A query for the probability of a feature, as written by the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureQuery {
    /// The feature in the notation of [`FeatureQuery::parse`].
    pub text: String,
    /// The feature.
    pub feature: Feature,
}

/// Why a query is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum QueryError {
    /// Unknown notation.
    #[error(
        "query `{0}` is not understood; write `A -> B` (arc), `A -- B` (edge), `A ~> B` (directed path), `A in mb(B)` (Markov \
         blanket) or `mb(B)` (its every member)"
    )]
    Notation(String),
    /// A name that is not a column.
    #[error("query `{query}`: there is no column `{name}`; the columns are {columns}")]
    Unknown {
        /// The query.
        query: String,
        /// The name.
        name: String,
        /// All names.
        columns: String,
    },
    /// The same variable twice.
    #[error("query `{0}` names one variable twice; name two")]
    Same(String),
}

impl Actionable for QueryError {}

/// Constructs a feature of two variables.
type OfTwo = fn(VariableId, VariableId) -> Feature;

/// The notation of features of two variables.
const OPERATORS: [(&str, OfTwo); 3] = [("->", Feature::Arc), ("--", Feature::Edge), ("~>", Feature::Path)];

impl FeatureQuery {
    /// Parses a query: `A -> B` an arc, `A -- B` an edge, `A ~> B` a directed path, `A in mb(B)` membership in a Markov
    /// blanket, `mb(B)` one query for every other variable. A name may contain an operator if the parts on both sides
    /// are still column names.
    pub fn parse(text: &str, schema: &Schema) -> Result<Vec<Self>, QueryError> {
        let query = text.trim();
        let find = |name: &str| schema.ids().find(|&id| schema.variable(id).name == name.trim());
        let name = |id: VariableId| schema.variable(id).name.as_str();
        let blanket = query.strip_suffix(')').and_then(|rest| rest.split_once("mb("));
        let mut splits: Vec<(&str, &str, OfTwo)> = Vec::new();
        if let Some((before, of)) = blanket {
            if let (true, Some(of)) = (before.is_empty(), find(of)) {
                let others = schema.ids().filter(|&member| member != of);
                let each = |member| Self {
                    text: format!("{} in mb({})", name(member), name(of)),
                    feature: Feature::InBlanket(member, of),
                };
                return Ok(others.map(each).collect());
            }
            if before.is_empty() {
                return Err(Self::unknown(query, of, schema));
            }
            if let Some(member) = before.trim_end().strip_suffix("in").filter(|rest| rest.ends_with(' ')) {
                splits.push((member, of, Feature::InBlanket));
            }
        }
        for (sign, feature) in OPERATORS {
            let places = query.match_indices(sign);
            splits.extend(places.map(|(place, _)| (&query[..place], &query[place + sign.len()..], feature)));
        }
        let found = splits.iter().find_map(|&(a, b, feature)| Some((find(a)?, find(b)?, feature)));
        match (found, splits.first()) {
            (Some((a, b, _)), _) if a == b => Err(QueryError::Same(query.to_owned())),
            (Some((a, b, feature)), _) => Ok(vec![Self { text: query.to_owned(), feature: feature(a, b) }]),
            (None, Some((a, b, _))) => {
                Err(Self::unknown(query, if find(a).is_none() { a } else { b }, schema))
            }
            (None, None) => Err(QueryError::Notation(query.to_owned())),
        }
    }

    fn unknown(query: &str, name: &str, schema: &Schema) -> QueryError {
        QueryError::Unknown {
            query: query.to_owned(),
            name: name.trim().to_owned(),
            columns: schema.names().join(", "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Variable;

    #[test]
    fn queries_are_parsed_and_invalid_ones_are_reported() {
        let variable = |name: &str| Variable {
            name: name.to_owned(),
            states: vec!["no".to_owned(), "yes".to_owned()],
            constant: false,
        };
        let schema = Schema::new(["A", "B b", "A->B"].map(variable).to_vec(), vec!["all".to_owned()]);
        let [a, b, c] = [0, 1, 2].map(VariableId::new);
        let one = |text: &str| FeatureQuery::parse(text, &schema).map(|found| found[0].feature);
        assert_eq!(one("A->B b"), Ok(Feature::Arc(a, b)));
        assert_eq!(one(" B b -- A "), Ok(Feature::Edge(b, a)));
        assert_eq!(one("A ~> B b"), Ok(Feature::Path(a, b)));
        assert_eq!(one("A->B -> A"), Ok(Feature::Arc(c, a)));
        assert_eq!(one("B b in mb(A->B)"), Ok(Feature::InBlanket(b, c)));
        let blanket = FeatureQuery::parse("mb(A)", &schema).unwrap();
        assert_eq!(
            blanket.iter().map(|query| query.text.as_str()).collect::<Vec<_>>(),
            ["B b in mb(A)", "A->B in mb(A)"]
        );
        for (wrong, said) in [
            ("A", "query `A` is not understood"),
            ("A -> Z", "query `A -> Z`: there is no column `Z`"),
            ("mb(Z)", "query `mb(Z)`: there is no column `Z`"),
            ("A ~> A", "query `A ~> A` names one variable twice"),
        ] {
            let error = FeatureQuery::parse(wrong, &schema).unwrap_err().to_string();
            assert!(error.starts_with(said), "{error}");
        }
    }

    #[test]
    fn graphs_have_paths_and_blankets() {
        // A → C ← B, C → D.
        let [a, b, c, d] = [0, 1, 2, 3].map(VariableId::new);
        let parents = [0, 0, bit(a) | bit(b), bit(c)];
        let has = |feature: Feature| feature.value(&[0.0; 16], &parents) > 0.5;
        assert!(has(Feature::Path(a, d)) && has(Feature::Path(c, d)));
        assert!(!has(Feature::Path(d, a)) && !has(Feature::Path(a, b)));
        assert!(has(Feature::InBlanket(a, b)) && has(Feature::InBlanket(a, c)));
        assert!(has(Feature::InBlanket(d, c)) && !has(Feature::InBlanket(a, d)));
    }
}
