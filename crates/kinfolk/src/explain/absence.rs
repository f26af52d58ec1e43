//! Detects arcs that are absent in individual data sets: rules that compare the evidence without an arc to
//! that with it.

use rayon::prelude::*;
use serde::Serialize;

use super::versions::means;
use crate::counts::{Counts, Family, Tally, TallyError};
use crate::data::VariableId;
use crate::graph::Dag;
use crate::score::{BdeuSeparate, Bhd, Kin, Score, alone};

/// Evaluations of kin between two requests whether to go on.
const PORTION: usize = 128;

/// How to compute a data set's evidence against an arc: ln of the probability of its rows without the arc
/// over that with it, with the other parents kept. `docs/odd-ones-out.md` compares the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AbsenceRule {
    /// The data set's term of BHD, whose centre is fitted to these rows too.
    Bhd,
    /// The data set's own BDeu, ignoring the other data sets.
    Own,
    /// As `Own`, with one imaginary row per cell instead of one in total.
    OwnPerCell,
    /// A Bayes factor given the other data sets, under [`Kin`]: the increase in the family's evidence from
    /// adding this data set, with and without the arc.
    GivenOthers,
    /// A table with the arc predicted from the other data sets, against the data set's own table without it.
    OthersOrOwn,
}

impl AbsenceRule {
    /// All rules.
    pub const ALL: [Self; 5] = [Self::Bhd, Self::Own, Self::OwnPerCell, Self::GivenOthers, Self::OthersOrOwn];

    /// The name in user interfaces.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bhd => "bhd",
            Self::Own => "own",
            Self::OwnPerCell => "own-per-cell",
            Self::GivenOthers => "given-others",
            Self::OthersOrOwn => "others-or-own",
        }
    }

    /// Each data set's evidence against an arc, from the counts of the child's family with and without it.
    pub fn evidence(self, with: &Counts, without: &Counts) -> Vec<f64> {
        let against = |with: Vec<f64>, without: Vec<f64>| {
            without.iter().zip(with).map(|(without, with)| without - with).collect()
        };
        match self {
            Self::Bhd => against(terms(&Bhd::default(), with), terms(&Bhd::default(), without)),
            Self::Own => {
                against(terms(&BdeuSeparate::default(), with), terms(&BdeuSeparate::default(), without))
            }
            Self::OwnPerCell => against(alone(with), alone(without)),
            Self::GivenOthers => against(given_others(with), given_others(without)),
            Self::OthersOrOwn => against(given_others(with), alone(without)),
        }
    }
}

/// The terms of a score by data set.
fn terms(score: &dyn Score, counts: &Counts) -> Vec<f64> {
    score.family_score(counts).by_data_set.expect("the score is a sum over the data sets")
}

/// ln p(rows of a data set | rows of all others), for each data set (docs/THEORY.md, E46).
fn given_others(counts: &Counts) -> Vec<f64> {
    let kin = Kin::default();
    let all = kin.family_score(counts).total;
    (0..counts.data_sets()).map(|data_set| all - without(counts, data_set, &kin)).collect()
}

/// The evidence of all data sets but one.
fn without(counts: &Counts, left_out: usize, kin: &Kin) -> f64 {
    let chosen: Vec<usize> = (0..counts.data_sets()).filter(|&other| other != left_out).collect();
    kin.family_score(&counts.of_data_sets(&chosen)).total
}

/// The same for several families, as means over their versions. `go_on` is called between portions of the work with the number of
/// families done.
///
/// Complexity: quadratic in the data sets, because the centre without each of them has to be fitted anew.
pub(super) fn given_others_of_all<E>(
    counts: &[Vec<Counts>],
    kin: &Kin,
    mut go_on: impl FnMut(usize) -> Result<(), E>,
) -> Result<Vec<Vec<f64>>, E> {
    let tables: Vec<(usize, &Counts)> = counts
        .iter()
        .enumerate()
        .flat_map(|(family, all)| all.iter().map(move |one| (family, one)))
        .collect();
    let all: Vec<f64> = tables.par_iter().map(|(_, one)| kin.family_score(one).total).collect();
    let pairs: Vec<(usize, usize)> = (0..tables.len())
        .flat_map(|table| (0..tables[table].1.data_sets()).map(move |data_set| (table, data_set)))
        .collect();
    let mut evidence: Vec<Vec<f64>> = vec![Vec::new(); tables.len()];
    for portion in pairs.chunks(PORTION) {
        go_on(tables[portion[0].0].0)?;
        let found: Vec<f64> = portion
            .par_iter()
            .map(|&(table, data_set)| all[table] - without(tables[table].1, data_set, kin))
            .collect();
        portion.iter().zip(found).for_each(|(&(table, _), value)| evidence[table].push(value));
    }
    let mut evidence = evidence.into_iter();
    Ok(counts.iter().map(|all| means(&evidence.by_ref().take(all.len()).collect::<Vec<_>>())).collect())
}

/// Each data set's evidence against each arc of a graph, indexed by arc in the order of [`Dag::arcs`], then
/// by data set.
pub fn absences(tally: &dyn Tally, dag: &Dag, rule: AbsenceRule) -> Result<Vec<Vec<f64>>, TallyError> {
    let arcs: Vec<(VariableId, VariableId)> = dag.arcs().collect();
    let pair =
        |&(from, to): &(VariableId, VariableId)| [Family::of(dag, to), Family::of(dag, to).without(from)];
    let families: Vec<Family> = arcs.iter().flat_map(pair).collect();
    let counts = tally.tally_many(&families)?;
    Ok(counts.par_chunks_exact(2).map(|pair| rule.evidence(&pair[0], &pair[1])).collect())
}
