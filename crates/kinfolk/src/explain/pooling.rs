//! Compares the evidence for pooled, related and separate data sets, and words the verdict.

use super::distance::Heterogeneity;
use super::result::{GraphScores, PoolingComparison, PoolingNode};
use super::versions::{Versions, mean};
use crate::counts::{Counts, Family, TallyError};
use crate::data::Schema;
use crate::graph::{Dag, compare, modelstring};
use crate::learned::ByDataSet;
use crate::score::{Bdeu, BdeuSeparate, Bhd, Choice, Evidences, Kin, Score, UNDECIDED, p_identical};
use crate::search::Stop;
use crate::variational::Prior;

/// Log evidences that differ by less than this are reported as close: odds of about 20 to 1.
const CLOSE: f64 = 3.0;
/// A family counts as identical above this probability, and as different below one minus this.
pub(super) const SURE: f64 = 0.9;

/// Scores a graph under all three treatments of the data sets.
pub(super) fn graph_scores(
    versions: Versions<'_>,
    (best_of, dag, stop): (&'static str, &Dag, Option<Stop>),
    explained: &Dag,
    (kin, prior): (&Kin, Prior),
) -> Result<GraphScores, TallyError> {
    let families: Vec<Family> = dag.nodes().map(|node| Family::of(dag, node)).collect();
    let counts = versions.counts(&families)?;
    let total = |score: &dyn Score| {
        let of_family =
            |counts: &Vec<Counts>| mean(counts.iter().map(|counts| score.family_score(counts).total));
        counts.iter().map(of_family).sum()
    };
    let of_version = |version: usize| {
        Evidences::of(&counts.iter().map(|counts| &counts[version]).collect::<Vec<_>>(), kin)
    };
    let evidence = Evidences::mean(&(0..versions.number).map(of_version).collect::<Vec<_>>())
        .expect("there are versions");
    let structure = modelstring::format(dag, &versions.tally.schema().names());
    let shd = compare(dag, explained).shd.cpdag;
    Ok(GraphScores {
        best_of,
        structure,
        arcs: dag.arc_count(),
        shd,
        pooled: total(&Bdeu::default()),
        separate: total(&BdeuSeparate::default()),
        hierarchical: total(&Bhd { prior }),
        evidence,
        stop,
    })
}

/// The comparison for one node of the explained graph.
pub(super) fn node(
    schema: &Schema,
    family: &Family,
    counts: &Counts,
    (kin, alike): (&Kin, &Heterogeneity),
    prior: Prior,
) -> PoolingNode {
    let evidence = Evidences::of(&[counts], kin);
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
        evidence,
        p_identical: p_identical(counts, kin),
        pooled_share: alike.identical,
        s_mean: alike.s_mean,
        tau: fit.tau,
        divergence: Heterogeneity::over_rows(&alike.divergence, counts.rows()),
        total_variation: Heterogeneity::over_rows(&alike.total_variation, counts.rows()),
        by_data_set: ByDataSet(named.collect()),
        converged: alike.converged && fit.converged,
    }
}

impl PoolingComparison {
    /// Sums over the nodes and derives the verdict. The first graph is the explained one.
    pub(super) fn conclude(data_sets: usize, nodes: Vec<PoolingNode>, graphs: Vec<GraphScores>) -> Self {
        let sum = |of: fn(&PoolingNode) -> f64| nodes.iter().map(of).sum::<f64>();
        let evidence = graphs[0].evidence;
        let ranked = evidence.ranked();
        let (choice, margin) = (ranked[0].1, ranked[0].0 - ranked[1].0);
        let mut pooling = Self {
            pooled: sum(|node| node.pooled),
            separate: sum(|node| node.separate),
            hierarchical: sum(|node| node.hierarchical),
            evidence,
            choice,
            margin,
            decided: margin >= UNDECIDED,
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
            Choice::Relate => "Do not pool them, and do not keep them apart: use the hierarchical model",
            Choice::Separate => "Keep them apart: their tables have little in common",
        };
        let of = |choice: Choice| match choice {
            Choice::Pool => ("identical", self.evidence.identical),
            Choice::Relate => ("related", self.evidence.related),
            Choice::Separate => ("unrelated", self.evidence.unrelated),
        };
        let advice = if self.margin < UNDECIDED {
            let near = |&choice: &Choice| of(self.choice).1 - of(choice).1 < UNDECIDED;
            let near = [Choice::Pool, Choice::Relate, Choice::Separate].into_iter().filter(near);
            let names: Vec<&str> = near.map(|choice| of(choice).0).collect();
            let (last, others) = names.split_last().expect("the best is near itself");
            let others = others.join(", ");
            format!("The data do not decide whether the data sets are {others} or {last}")
        } else {
            advice.to_owned()
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
                " It is close: the odds against {} ones are only {:.1} to 1.",
                of(next).0,
                self.margin.exp()
            )
        } else {
            String::new()
        };
        let families = self.families();
        format!("{advice}. The evidence of {name} data sets is {}.{close} {families}", below.join(" and "))
    }

    /// Words the number of families in which the data sets differ, are identical, or are undecided.
    fn families(&self) -> String {
        let of = |holds: fn(f64) -> bool| -> Vec<&str> {
            self.nodes.iter().filter(|node| holds(node.p_identical)).map(|node| node.node.as_str()).collect()
        };
        let (differ, alike) = (of(|p| p < 1.0 - SURE), of(|p| p > SURE));
        let open = of(|p| (1.0 - SURE..=SURE).contains(&p));
        let all = self.nodes.len();
        if differ.len() == all {
            return format!("In all {all} families they differ.");
        }
        if alike.len() == all {
            return format!("In all {all} families they are probably identical.");
        }
        let mut parts = vec![format!("Of {all} families they differ in {}", differ.len())];
        for (names, what) in [(alike, "are probably identical"), (open, "may be either")] {
            if !names.is_empty() {
                parts.push(format!("{what} in {} ({})", names.len(), names.join(", ")));
            }
        }
        parts.join(", ") + "."
    }
}
