//! Should the data sets be pooled? Evidences of the same rows that can be compared, and what they say in words.

use super::distance::Heterogeneity;
use super::result::{Choice, GraphScores, Pooling, PoolingNode};
use crate::counts::{Counts, Family, Tally, TallyError};
use crate::data::Schema;
use crate::dirichlet::Prior;
use crate::graph::{Dag, compare, modelstring};
use crate::learned::ByDataSet;
use crate::score::{Bdeu, BdeuSeparate, Bhd, Kin, Score};
use crate::search::Stop;

/// Evidences closer than this are called close: odds of about twenty to one.
const CLOSE: f64 = 3.0;

/// A family's evidence under every way to see the data sets.
fn evidences(counts: &Counts, kin: &Kin, prior: Prior) -> [f64; 4] {
    let related = Kin { pooled_half: false, ..kin.clone() };
    let scores: [&dyn Score; 4] = [&Bdeu::default(), &BdeuSeparate::default(), &related, &Bhd { prior }];
    scores.map(|score| score.family_score(counts).total)
}

/// Scores a graph under every way to see the data sets.
pub(super) fn graph_scores(
    tally: &dyn Tally,
    (best_of, dag, stop): (&'static str, &Dag, Option<Stop>),
    explained: &Dag,
    (kin, prior): (&Kin, Prior),
) -> Result<GraphScores, TallyError> {
    let families: Vec<Family> = dag.nodes().map(|node| Family::of(dag, node)).collect();
    let mut sums = [0.0; 4];
    for counts in tally.tally_many(&families)? {
        let evidences = evidences(&counts, kin, prior);
        sums.iter_mut().zip(evidences).for_each(|(sum, evidence)| *sum += evidence);
    }
    let [pooled, separate, related, hierarchical] = sums;
    let structure = modelstring::format(dag, &tally.schema().names());
    let shd = compare(dag, explained).shd.cpdag;
    Ok(GraphScores {
        best_of,
        structure,
        arcs: dag.arc_count(),
        shd,
        pooled,
        separate,
        related,
        hierarchical,
        stop,
    })
}

/// One node of the explained graph.
pub(super) fn node(
    schema: &Schema,
    family: &Family,
    counts: &Counts,
    alike: &Heterogeneity,
    prior: Prior,
) -> PoolingNode {
    let name = |id| schema.variable(id).name.clone();
    let hierarchical = Bhd { prior }.family_score(counts);
    let fit = hierarchical.fit.expect("BHD fits a centre");
    let named = schema.data_sets().iter().cloned().zip(alike.divergence.iter().copied());
    PoolingNode {
        node: name(family.child()),
        parents: family.parents().iter().map(|&parent| name(parent)).collect(),
        pooled: Bdeu::default().family_score(counts).total,
        separate: BdeuSeparate::default().family_score(counts).total,
        hierarchical: hierarchical.total,
        related: alike.related,
        identical: alike.identical,
        s_mean: alike.s_mean,
        tau: fit.tau,
        divergence: Heterogeneity::over_rows(&alike.divergence, counts.rows()),
        total_variation: Heterogeneity::over_rows(&alike.total_variation, counts.rows()),
        by_data_set: ByDataSet(named.collect()),
        converged: alike.converged && fit.converged,
    }
}

impl Pooling {
    /// Adds up the nodes and draws the conclusion.
    pub(super) fn conclude(data_sets: usize, nodes: Vec<PoolingNode>, graphs: Vec<GraphScores>) -> Self {
        let sum = |of: fn(&PoolingNode) -> f64| nodes.iter().map(of).sum::<f64>();
        let (pooled, separate, related) = (sum(|n| n.pooled), sum(|n| n.separate), sum(|n| n.related));
        let mut ranked = [(pooled, Choice::Pool), (related, Choice::Relate), (separate, Choice::Separate)];
        // A stable sort: of equal evidences the simpler view comes first.
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (choice, margin) = (ranked[0].1, ranked[0].0 - ranked[1].0);
        let mut pooling = Self {
            pooled,
            separate,
            hierarchical: sum(|n| n.hierarchical),
            related,
            choice,
            margin,
            verdict: String::new(),
            graphs,
            nodes,
        };
        pooling.verdict = pooling.in_words(data_sets, ranked[1].1);
        pooling
    }

    fn in_words(&self, data_sets: usize, next: Choice) -> String {
        if data_sets == 1 {
            return "There is only one data set: nothing to pool.".to_owned();
        }
        let advice = match self.choice {
            Choice::Pool => "Pool them: the rows look like samples of one population",
            Choice::Relate => "Do not pool them, and do not keep them apart: treat them as relatives",
            Choice::Separate => "Keep them apart: their tables have little in common",
        };
        let of = |choice: Choice| match choice {
            Choice::Pool => ("identical", self.pooled),
            Choice::Relate => ("related", self.related),
            Choice::Separate => ("unrelated", self.separate),
        };
        let others = [Choice::Pool, Choice::Relate, Choice::Separate]
            .into_iter()
            .filter(|&other| other != self.choice);
        let (name, best) = of(self.choice);
        let below: Vec<String> = others
            .map(|other| format!("{:.1} nats above {} ones", best - of(other).1, of(other).0))
            .collect();
        let close = if self.margin < CLOSE {
            format!(
                " It is close: the odds against {} data sets are only {:.1} to 1.",
                of(next).0,
                self.margin.exp()
            )
        } else {
            String::new()
        };
        let identical: Vec<&str> =
            self.nodes.iter().filter(|node| node.identical > 0.5).map(|node| node.node.as_str()).collect();
        let families = match (identical.len(), self.nodes.len()) {
            (0, all) => format!("In all {all} families they differ rather than being identical."),
            (alike, all) if alike == all => format!("In all {all} families they are probably identical."),
            (alike, all) => {
                format!("In {alike} of {all} families they are probably identical: {}.", identical.join(", "))
            }
        };
        format!("{advice}. The evidence of {name} data sets is {}.{close} {families}", below.join(" and "))
    }
}
