//! Explains a network: the contribution of every arc in every data set, whether to pool, and which data sets
//! are outliers.
//!
//! **Arcs.** For every arc of the network, the score lost by removing it; for the strongest arcs left out,
//! the change of score on adding them; both by data set.
//!
//! **Directions.** Whether the data direct an arc: the change of score if it is reversed (see `direction`).
//!
//! **Pooling.** Compares the evidence of the same rows under three models: identical data sets (one table for
//! all), related data sets (the related half of [`Kin`], with the common centre and s integrated out) and
//! unrelated data sets (one table each). The models without a centre mix a uniform prior on tables (K2) and a
//! prior that favours extreme tables (BDeu) in equal parts. Against BDeu alone, which is kin's own pooled
//! half, identical data sets with moderate tables would look related. BHD is reported for the network and for
//! the best network of each score, but not compared: its centre κ̂ is fitted to the rows that it scores.
//!
//! **Outliers.** For each data set: the distance of its tables from the centre, with the range of the distances
//! of simulated related data sets with as many rows (see [`ChanceRange`]), the gain in evidence from the
//! other data sets, the arcs absent in it, and the arcs that its own rows support and the network lacks
//! (`own_arcs`). An arc is absent if, given all other data sets, the Bayes
//! factor of its absence exceeds the prior odds against it ([`PRIOR_ABSENT`]), unless the data sets probably
//! have one table in the family, which has the arc or lacks it in all of them. `docs/odd-ones-out.md` evaluates
//! this rule and its alternatives.
//!
//! **Certainty.** For up to 12 variables, the exact posterior probability of every edge and direction
//! ([`crate::posterior`]).
//!
//! Cost: one score per legal addition, as in the first step of a search; then for every arc and node one
//! evaluation of kin per data set, quadratic in the number of data sets; then three searches, unless
//! disabled.

mod absence;
mod certainty;
mod chance;
mod direction;
mod distance;
mod own_arcs;
mod pooling;
mod result;
mod similarity;
mod versions;

use std::ops::ControlFlow;

pub use absence::{AbsenceRule, absences};
pub use chance::{ChanceRange, RELATIVES, SIMULATED_UP_TO};
pub use direction::DIRECTED_ABOVE;
pub use result::{
    Absence, AbsentArc, DifferingEdge, ExplainedArc, Explanation, GraphScores, Member, OwnArc,
    PoolingComparison, PoolingNode, Terms,
};
pub use similarity::{COMPARED_UP_TO, Merge, Similarity};

pub use crate::score::{Choice, Evidences};

use crate::counts::{Batch, Counts, Family, MemoryTally, Tally};
use crate::data::{Schema, VariableId};
use crate::graph::{Dag, Move, modelstring};
use crate::learned::ByDataSet;
use crate::missing::{MeanScore, Prepared};
use crate::score::{Bdeu, BdeuSeparate, Bhd, Halt, Kin, Progress, Score, ScoreError, Scorer};
use crate::search::{Climb, Event, HillClimb, Stop};
use crate::variational::Prior;
use absence::given_others_of_all;
use direction::{ArcDirection, directions};
use distance::Heterogeneity;
use versions::{Versions, mean};

/// The prior probability that an arc of the network is absent in a data set.
pub const PRIOR_ABSENT: f64 = 0.1;

/// The default number of absent arcs that explanations and posteriors list.
pub const ABSENT_ARCS: usize = 10;

/// Settings of an explanation.
#[derive(Debug, Clone)]
pub struct Explain {
    /// The number of left-out arcs to report.
    pub left_out: usize,
    /// Whether to compute the posterior probabilities of the arcs, if there are few enough variables.
    pub posterior: bool,
    /// The prior of BHD, which is reported next to the other scores.
    pub prior: Prior,
    /// The kin model, which defines the grid of s.
    pub kin: Kin,
    /// The search for the best network of each score; its constraints also define the legal additions.
    pub search: HillClimb,
    /// The initial graph of those searches; `None` disables them.
    pub start: Option<Dag>,
}

/// Receives search events; returns `Break` to stop the explanation.
pub type ExplainObserver<'a> = &'a mut dyn FnMut(&Event<'_>) -> ControlFlow<Halt>;

impl Explain {
    /// Explains a graph under a score. `tally` must count the data sets separately, even if the score pools
    /// them. After a request to stop, left-out arcs and networks of other scores are missing, and
    /// [`Explanation::halted`] is set. An interruption during a stage that cannot be left out is an error.
    pub fn run(
        &self,
        tally: &dyn Tally,
        score: &dyn Score,
        dag: &Dag,
        observe: ExplainObserver<'_>,
    ) -> Result<Explanation, ScoreError> {
        self.run_on(Versions { tally, number: 1 }, score, dag, observe)
    }

    /// Explains a graph of data that may have been completed: every number is then the mean over the versions of the completed data.
    pub fn run_prepared(
        &self,
        data: &Prepared<'_>,
        score: &dyn Score,
        dag: &Dag,
        observe: ExplainObserver<'_>,
    ) -> Result<Explanation, ScoreError> {
        let Some(completed) = data.completed() else {
            let tally = MemoryTally::new(data.data());
            let tally = match data.memory() {
                Some(bytes) => tally.with_memory(bytes),
                None => tally,
            };
            return self.run(&tally, score, dag, observe);
        };
        let tally = completed.tally(false, data.memory());
        let number = completed.versions();
        let mean = MeanScore { score, versions: number };
        let mut explanation = self.run_on(Versions { tally: &tally, number }, &mean, dag, observe)?;
        explanation.filled_in = data.filled_in().cloned();
        Ok(explanation)
    }

    fn run_on(
        &self,
        versions: Versions<'_>,
        score: &dyn Score,
        dag: &Dag,
        observe: ExplainObserver<'_>,
    ) -> Result<Explanation, ScoreError> {
        let tally = versions.tally;
        let schema = tally.schema();
        let mut scorer = Scorer::new(tally, score);
        let families: Vec<Family> = dag.nodes().map(|node| Family::of(dag, node)).collect();
        let scores = scorer.explain(&families)?;
        let mut halted = None;
        let left_out = match self.strongest_left_out(&mut scorer, dag, observe) {
            Err(ScoreError::Halted(halt)) => {
                halted = Some(halt);
                Vec::new()
            }
            other => other?,
        };
        let directions = directions(&mut scorer, dag)?;
        let (terms, arcs) = arcs(versions, &scorer, dag, (&directions, left_out), &self.kin, observe)?;
        let counts = versions.counts(&families)?;
        let mut stages = Stages { families: families.len(), observe };
        let children: Vec<VariableId> = dag.nodes().collect();
        let (alike, chance) =
            Heterogeneity::of_all(&counts, &children, &self.kin, |done| stages.go_on(done))?;
        let given = given_others_of_all(&counts, &self.kin, |done| stages.go_on(done))?;
        let nodes = families.iter().zip(&counts).zip(&alike).map(|((family, counts), alike)| {
            let of_version =
                |(counts, alike)| pooling::node(schema, family, counts, (&self.kin, alike), self.prior);
            PoolingNode::mean(counts.iter().zip(alike).map(of_version).collect())
        });
        let nodes: Vec<PoolingNode> = nodes.collect();
        let identical = nodes.iter().filter(|node| node.p_identical > pooling::SURE);
        let identical: Vec<String> = identical.map(|node| node.node.clone()).collect();
        let (posterior, posterior_missing) = self.certainty(&mut scorer, dag, &mut halted, observe)?;
        let own = match own_arcs::own_arcs(versions, dag, observe) {
            Err(ScoreError::Halted(halt)) => {
                halted = Some(halt);
                vec![Vec::new(); schema.data_sets().len()]
            }
            other => other?,
        };
        let (graphs, differing_edges) = self.graphs(versions, dag, &mut halted, observe)?;
        Ok(Explanation {
            structure: modelstring::format(dag, &schema.names()),
            score_name: score.name().to_owned(),
            score: scores.iter().map(|score| score.total).sum(),
            terms,
            data_sets: members(
                schema,
                (&counts, &given),
                (&alike, &chance),
                (&arcs, own),
                (&self.kin, &identical),
            ),
            similarity: Similarity::of(&counts),
            arcs,
            pooling: PoolingComparison::conclude(schema.data_sets().len(), nodes, graphs),
            differing_edges,
            absence: Absence { rule: AbsenceRule::GivenOthers, prior: PRIOR_ABSENT, threshold: threshold() },
            posterior,
            posterior_missing,
            halted,
            filled_in: None,
        })
    }

    /// The legal additions with the largest change of score, ties by column order.
    fn strongest_left_out(
        &self,
        scorer: &mut Scorer<'_>,
        dag: &Dag,
        observe: ExplainObserver<'_>,
    ) -> Result<Vec<(VariableId, VariableId)>, ScoreError> {
        if self.left_out == 0 {
            return Ok(Vec::new());
        }
        let constraints = &self.search.constraints;
        let legal = |&(from, to): &(VariableId, VariableId)| {
            dag.can_apply(&Move::add(from, to))
                && constraints.allows(from, to)
                && constraints.allows_another_parent(dag, to)
        };
        let pairs = dag.nodes().flat_map(|from| dag.nodes().map(move |to| (from, to)));
        let additions: Vec<(VariableId, VariableId)> = pairs.filter(legal).collect();
        let mut families: Vec<Family> = dag.nodes().map(|node| Family::of(dag, node)).collect();
        families.extend(additions.iter().map(|&(from, to)| Family::of(dag, to).with(from)));
        let scores =
            scorer.scores(&Batch::of(&families), &mut |progress| observe(&Event::Scoring(progress)))?;
        let (now, with) = scores.split_at(dag.len());
        let gains = with.iter().zip(&additions).map(|(with, &(_, to))| with.total - now[to.index()].total);
        let mut ranked: Vec<(f64, (VariableId, VariableId))> = gains.zip(additions.iter().copied()).collect();
        // The sort is stable.
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok(ranked.into_iter().take(self.left_out).map(|(_, arc)| arc).collect())
    }

    /// Scores of the explained graph and of the best graph of each score, under all three treatments of the
    /// data sets.
    fn graphs(
        &self,
        versions: Versions<'_>,
        dag: &Dag,
        halted: &mut Option<Halt>,
        observe: ExplainObserver<'_>,
    ) -> Result<(Vec<GraphScores>, Vec<DifferingEdge>), ScoreError> {
        let models = (&self.kin, self.prior);
        let mut graphs = vec![pooling::graph_scores(versions, ("explained", dag, None), dag, models)?];
        let mut dags = vec![("explained", dag.clone())];
        let Some(start) = &self.start else { return Ok((graphs, Vec::new())) };
        let rivals: [(&'static str, &dyn Score); 3] = [
            ("pooled", &Bdeu::default()),
            ("separate", &BdeuSeparate::default()),
            ("hierarchical", &Bhd { prior: self.prior }),
        ];
        for (best_of, score) in rivals {
            let mean = MeanScore { score, versions: versions.number };
            let score: &dyn Score = if versions.number == 1 { score } else { &mean };
            let climb = self.best_climb(&mut Scorer::new(versions.tally, score), start, dag, observe)?;
            // An interrupted search does not give the score's best network.
            match climb.stop {
                Stop::TimeLimit => *halted = Some(Halt::TimeLimit),
                Stop::Interrupted => *halted = Some(Halt::Interrupted),
                Stop::Optimum | Stop::MaxSteps => {}
            }
            if halted.is_some() {
                break;
            }
            let found = (best_of, &climb.dag, Some(climb.stop));
            graphs.push(pooling::graph_scores(versions, found, dag, models)?);
            dags.push((best_of, climb.dag));
        }
        Ok((graphs, differing_edges(versions.tally.schema(), &dags)))
    }

    /// The better of two searches: from the usual start, and from the explained network, which may lead to a
    /// better local optimum. A network that violates the constraints is not used as a start.
    fn best_climb(
        &self,
        scorer: &mut Scorer<'_>,
        start: &Dag,
        dag: &Dag,
        observe: ExplainObserver<'_>,
    ) -> Result<Climb, ScoreError> {
        let usual = self.search.run(scorer, start.clone(), observe)?;
        let Ok(here) = self.search.constraints.start(dag) else { return Ok(usual) };
        if usual.stop != Stop::Optimum {
            return Ok(usual);
        }
        let from_here = self.search.run(scorer, here, observe)?;
        Ok(if from_here.score > usual.score { from_here } else { usual })
    }
}

/// Reports the progress of a stage that cannot be left out. Only the user can stop it: a time limit ends the stages after it.
struct Stages<'a, 'b> {
    families: usize,
    observe: &'a mut (dyn FnMut(&Event<'_>) -> ControlFlow<Halt> + 'b),
}

impl Stages<'_, '_> {
    fn go_on(&mut self, done: usize) -> Result<(), ScoreError> {
        match (self.observe)(&Event::Scoring(Progress { done, of: self.families })) {
            ControlFlow::Break(Halt::Interrupted) => Err(ScoreError::Halted(Halt::Interrupted)),
            _ => Ok(()),
        }
    }
}

/// The edges that some graphs have and others have not.
fn differing_edges(schema: &Schema, dags: &[(&'static str, Dag)]) -> Vec<DifferingEdge> {
    let nodes: Vec<VariableId> = dags[0].1.nodes().collect();
    let pairs =
        nodes.iter().enumerate().flat_map(|(index, &a)| nodes[index + 1..].iter().map(move |&b| (a, b)));
    let edge = |(a, b): (VariableId, VariableId)| {
        let (present, absent): (Vec<_>, Vec<_>) =
            dags.iter().partition(|(_, dag)| dag.parents(a).contains(&b) || dag.parents(b).contains(&a));
        let names = |graphs: Vec<&(&'static str, Dag)>| graphs.into_iter().map(|(name, _)| *name).collect();
        let between = [a, b].map(|id| schema.variable(id).name.clone());
        (!present.is_empty() && !absent.is_empty()).then(|| DifferingEdge {
            between,
            present_in: names(present),
            absent_from: names(absent),
        })
    };
    pairs.filter_map(edge).collect()
}

/// The arcs of the graph, then the strongest arcs left out.
fn arcs(
    versions: Versions<'_>,
    scorer: &Scorer<'_>,
    dag: &Dag,
    (directions, left_out): (&[ArcDirection], Vec<(VariableId, VariableId)>),
    kin: &Kin,
    observe: ExplainObserver<'_>,
) -> Result<(Terms, Vec<ExplainedArc>), ScoreError> {
    let mut shown: Vec<(VariableId, VariableId, bool)> =
        dag.arcs().map(|(from, to)| (from, to, true)).collect();
    shown.extend(left_out.into_iter().map(|(from, to)| (from, to, false)));
    let pairs = shown.iter().flat_map(|&(from, to, present)| {
        let family = Family::of(dag, to);
        if present { [family.clone(), family.without(from)] } else { [family.with(from), family] }
    });
    let families: Vec<Family> = pairs.collect();
    let scores = scorer.explain(&families)?;
    let counts = versions.counts(&families)?;
    let mut stages = Stages { families: families.len(), observe };
    let given = given_others_of_all(&counts, kin, |done| stages.go_on(done))?;
    let schema = versions.tally.schema();
    let name = |id: VariableId| schema.variable(id).name.clone();
    let named = |values: Vec<f64>| ByDataSet(schema.data_sets().iter().cloned().zip(values).collect());
    let directions = directions.iter().copied().map(Some).chain(std::iter::repeat(None));
    let numbers = scores.chunks_exact(2).zip(given.chunks_exact(2)).zip(directions);
    let arcs = shown.iter().zip(numbers).map(|(arc, ((scores, given), direction))| {
        let given_others: Vec<f64> =
            given[0].iter().zip(&given[1]).map(|(with, without)| with - without).collect();
        let own = scores[0].by_data_set.as_ref().zip(scores[1].by_data_set.as_ref());
        let own = own.map(|(with, without)| with.iter().zip(without).map(|(with, without)| with - without));
        let by_data_set = own.map_or_else(|| given_others.clone(), Iterator::collect);
        ExplainedArc {
            from: name(arc.0),
            to: name(arc.1),
            total: scores[0].total - scores[1].total,
            by_data_set: named(by_data_set),
            given_others: named(given_others),
            present: arc.2,
            reversal: direction.and_then(|direction| direction.reversal),
            directed: direction.map(|direction| direction.directed),
        }
    });
    let arcs = arcs.collect();
    let is_sum = scores.first().is_none_or(|score| score.by_data_set.is_some());
    Ok((if is_sum { Terms::Score } else { Terms::GivenOthers }, arcs))
}

/// The log Bayes factor at which the posterior probability of absence is one half: the prior log odds against
/// absence.
fn threshold() -> f64 {
    ((1.0 - PRIOR_ABSENT) / PRIOR_ABSENT).ln()
}

/// One entry per data set, in decreasing order of distance from the centre.
fn members(
    schema: &Schema,
    (counts, given): (&[Vec<Counts>], &[Vec<f64>]),
    (alike, chance): (&[Vec<Heterogeneity>], &[ChanceRange]),
    (arcs, mut own): (&[ExplainedArc], Vec<Vec<OwnArc>>),
    (kin, identical): (&Kin, &[String]),
) -> Vec<Member> {
    let alone = |counts: &Counts, data_set| kin.family_score(&counts.of_data_sets(&[data_set])).total;
    let over_nodes = |of: fn(&Heterogeneity) -> &[f64], data_set: usize| -> f64 {
        alike.iter().map(|versions| mean(versions.iter().map(|alike| of(alike)[data_set]))).sum()
    };
    let mut members: Vec<Member> = schema
        .data_sets()
        .iter()
        .enumerate()
        .map(|(index, name)| {
            // Where the data sets probably have one table, no arc is absent in one of them only.
            let differ = |arc: &&ExplainedArc| arc.present && !identical.contains(&arc.to);
            let absent = arcs.iter().filter(differ).filter_map(|arc| {
                let evidence = -arc.given_others.0[index].1;
                let probability = 1.0 / (1.0 + (threshold() - evidence).exp());
                (evidence > threshold()).then(|| AbsentArc {
                    from: arc.from.clone(),
                    to: arc.to.clone(),
                    evidence,
                    probability,
                })
            });
            let gains = counts
                .iter()
                .zip(given)
                .map(|(counts, given)| given[index] - mean(counts.iter().map(|counts| alone(counts, index))));
            let nodes = schema.variables().iter().zip(alike);
            let mut by_node: Vec<(String, f64)> = nodes
                .map(|(variable, versions)| {
                    (variable.name.clone(), mean(versions.iter().map(|alike| alike.divergence[index])))
                })
                .collect();
            by_node.sort_by(|a, b| b.1.total_cmp(&a.1));
            Member {
                name: name.clone(),
                rows: counts.first().map_or(0, |counts| counts[0].rows()[index]),
                distance: over_nodes(|alike| &alike.divergence, index),
                chance: chance.get(index).copied(),
                total_variation: over_nodes(|alike| &alike.total_variation, index)
                    / counts.len().max(1) as f64,
                given_others: given.iter().map(|given| given[index]).sum(),
                gain_from_others: gains.sum(),
                by_node: ByDataSet(by_node),
                altered_arcs: absent.collect(),
                own_arcs: std::mem::take(&mut own[index]),
            }
        })
        .collect();
    // The sort is stable: ties keep the order of the data sets.
    members.sort_by(|a, b| b.distance.total_cmp(&a.distance));
    members
}
