//! What a bootstrap says: plain structs with names, from which every view is written.

use serde::Serialize;

use super::average::{Halves, Sure, average, threshold};
use super::work::{Found, Sample};
use super::{Bootstrap, By};
use crate::data::{RelatedData, VariableId};
use crate::graph::{Dag, compare, modelstring};
use crate::score::Halt;

/// How sure arcs are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bootstrapped {
    /// Every pair of nodes that some replicate linked, in its more frequent direction, the strongest first; the others have strength 0.
    pub arcs: Vec<ArcStrength>,
    /// The strength above which edges are taken to be there; nothing if no replicate is done.
    pub threshold: Option<f64>,
    /// The network of those edges, as a modelstring; nothing if no replicate is done.
    pub averaged: Option<String>,
    /// Replicates that are done.
    pub replicates: u64,
    /// Replicates asked for.
    pub replicates_asked: u64,
    /// Why it ended.
    pub stop: Stop,
    /// What was drawn.
    pub by: By,
    /// The seed.
    pub seed: u64,
    /// What directions were counted on.
    pub directions: Directions,
    /// Edges above the threshold that the averaged network has not, because they would close a cycle.
    pub skipped: Vec<NamedArc>,
    /// The structure learned from all rows, as a modelstring; nothing if it was not finished.
    pub learned: Option<String>,
    /// The structures learned without each data set, if asked for.
    pub leave_one_out: Option<Vec<LeftOut>>,
    /// The fingerprint of the data ([`RelatedData::fingerprint`]), by which it is known what the strengths are about.
    pub data_hash: String,
}

/// Why a bootstrap ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// Everything is done.
    Complete,
    /// The time was up.
    TimeLimit,
    /// Somebody asked to stop.
    Interrupted,
}

/// What directions are counted on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Directions {
    /// The structures as they were found.
    Dag,
    /// Their equivalence classes, because the score cannot tell more; an open edge counts half each way.
    Cpdag,
}

/// How sure an edge and its direction are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArcStrength {
    /// Where it starts.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// The share of replicates that have the edge, in either direction.
    pub strength: f64,
    /// The share of those in which it goes this way.
    pub direction: f64,
    /// Whether the averaged network has it, in either direction.
    pub averaged: bool,
}

/// An arc by the names of its ends.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct NamedArc {
    /// Where it starts.
    pub from: String,
    /// Where it ends.
    pub to: String,
}

/// What is learned without one data set, beside what is learned from all.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeftOut {
    /// The data set left out.
    pub data_set: String,
    /// The structure without it, as a modelstring.
    pub structure: String,
    /// The structural Hamming distance between the two, between CPDAGs.
    pub shd: usize,
    /// Arcs learned from all whose edge stays, in either direction.
    pub kept: Vec<NamedArc>,
    /// Those of `kept` that go the other way without this data set, as they go with it. Equivalent structures may differ in them,
    /// and then `shd` does not count them.
    pub reversed: Vec<NamedArc>,
    /// Arcs whose edge needs this data set.
    pub lost: Vec<NamedArc>,
    /// Arcs whose edge is there only without it.
    pub gained: Vec<NamedArc>,
}

/// Counts, averages and puts names to what was found.
pub(super) fn assemble(
    settings: &Bootstrap<'_>,
    data: &RelatedData,
    found: &Found,
    halt: Option<Halt>,
) -> Bootstrapped {
    let schema = data.schema();
    let names = schema.names();
    let replicates =
        || found.iter().filter_map(|(sample, dag)| matches!(sample, Sample::Replicate(_)).then_some(dag));
    let classes = settings.score.is_score_equivalent();
    let mut pairs = Halves::of(names.len(), replicates(), classes).pairs();
    let threshold = threshold(&pairs.iter().map(|pair| pair.strength).collect::<Vec<_>>());
    let (averaged, skipped) = average(names.len(), &pairs, threshold, &settings.climb.constraints);
    pairs.retain(|pair| pair.strength > 0.0);
    pairs.sort_by(|a, b| b.strength.total_cmp(&a.strength).then(b.direction.total_cmp(&a.direction)));
    let arc = |from: VariableId, to: VariableId| NamedArc {
        from: names[from.index()].clone(),
        to: names[to.index()].clone(),
    };
    let arcs = pairs.iter().map(|&Sure { from, to, strength, direction }| {
        let NamedArc { from: from_name, to: to_name } = arc(from, to);
        let averaged = averaged.adjacent(from, to);
        ArcStrength { from: from_name, to: to_name, strength, direction, averaged }
    });
    let all = found.get(&Sample::All);
    let left_out = |name: &String| {
        let without = found.get(&Sample::Without(name.clone()))?;
        let all = all?;
        let missing = |of: &Dag, from: &Dag| -> Vec<NamedArc> {
            of.arcs().filter(|&(a, b)| !from.adjacent(a, b)).map(|(a, b)| arc(a, b)).collect()
        };
        Some(LeftOut {
            data_set: name.clone(),
            structure: modelstring::format(without, &names),
            shd: compare(without, all).shd.cpdag,
            kept: all.arcs().filter(|&(a, b)| without.adjacent(a, b)).map(|(a, b)| arc(a, b)).collect(),
            reversed: all.arcs().filter(|&(a, b)| without.has_arc(b, a)).map(|(a, b)| arc(a, b)).collect(),
            lost: missing(all, without),
            gained: missing(without, all),
        })
    };
    let done = replicates().count() as u64;
    Bootstrapped {
        arcs: arcs.collect(),
        threshold: (done > 0).then_some(threshold),
        averaged: (done > 0).then(|| modelstring::format(&averaged, &names)),
        replicates: done,
        replicates_asked: settings.replicates,
        stop: match halt {
            None => Stop::Complete,
            Some(Halt::TimeLimit) => Stop::TimeLimit,
            Some(Halt::Interrupted) => Stop::Interrupted,
        },
        by: settings.by,
        seed: settings.seed,
        directions: if classes { Directions::Cpdag } else { Directions::Dag },
        skipped: skipped.iter().map(|pair| arc(pair.from, pair.to)).collect(),
        learned: all.map(|dag| modelstring::format(dag, &names)),
        leave_one_out: settings
            .leave_one_out
            .then(|| schema.data_sets().iter().filter_map(left_out).collect()),
        data_hash: data.fingerprint(),
    }
}
