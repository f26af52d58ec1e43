//! Result types of a bootstrap, and their assembly from the finished searches.

use serde::Serialize;

use super::strengths::{ArcFrequencies, DirectedEdge, is_significant, threshold};
use super::work::{BootstrapSample, StructuresBySample};
use super::{Bootstrap, By};
use crate::data::{RelatedData, VariableId};
use crate::graph::{Dag, compare, modelstring};
use crate::learned::FilledIn;
use crate::score::Halt;
use crate::search::averaged_network;

/// The result of a bootstrap.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Bootstrapped {
    /// Every pair of nodes joined in some replicate, in its more frequent direction, in decreasing order of
    /// strength. All other pairs have strength 0.
    pub arcs: Vec<ArcStrength>,
    /// The strength above which edges are significant; `None` if no replicate has finished.
    pub threshold: Option<f64>,
    /// The averaged network as a modelstring; `None` if no replicate has finished.
    pub averaged: Option<String>,
    /// The number of finished replicates.
    pub replicates: u64,
    /// The number of requested replicates.
    pub replicates_asked: u64,
    /// Why the bootstrap ended.
    pub stop: BootstrapStop,
    /// The unit of resampling.
    pub by: By,
    /// The seed of the random numbers.
    pub seed: u64,
    /// Whether directions are counted in DAGs or in equivalence classes.
    pub directions: Directions,
    /// Significant edges that the averaged network omits because each direction closes a cycle or violates
    /// a constraint.
    pub skipped: Vec<NamedArc>,
    /// The structure learned from all rows, as a modelstring; `None` if that search did not finish.
    pub learned: Option<String>,
    /// The structures learned without each data set, if requested.
    pub leave_one_out: Option<Vec<LeftOut>>,
    /// The fingerprint of the data ([`RelatedData::fingerprint`]), which identifies the data of this result.
    pub data_hash: String,
    /// The missing values of the data, if there are any. Every sample was filled in while its structure was learned.
    #[serde(rename = "missing", skip_serializing_if = "Option::is_none")]
    pub filled_in: Option<FilledIn>,
}

/// Why a bootstrap ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BootstrapStop {
    /// All searches finished.
    Complete,
    /// The time limit was reached.
    TimeLimit,
    /// The caller interrupted it.
    Interrupted,
}

/// The graphs in which directions are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Directions {
    /// The learned DAGs.
    Dag,
    /// Their equivalence classes, because the score is score-equivalent; an undirected edge counts one half
    /// for each direction.
    Cpdag,
}

/// Bootstrap support of an edge and its direction.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArcStrength {
    /// The arc's tail.
    pub from: String,
    /// The arc's head.
    pub to: String,
    /// The share of replicates that contain the edge, in either direction.
    pub strength: f64,
    /// The share of those that orient it this way.
    pub direction: f64,
    /// Whether the averaged network contains the edge, in either direction.
    pub averaged: bool,
}

/// An arc given by the names of its endpoints.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct NamedArc {
    /// The arc's tail.
    pub from: String,
    /// The arc's head.
    pub to: String,
}

/// The structure learned without one data set, compared with the structure learned from all.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeftOut {
    /// The data set left out.
    pub data_set: String,
    /// The structure learned without it, as a modelstring.
    pub structure: String,
    /// The structural Hamming distance between the CPDAGs of the two structures.
    pub shd: usize,
    /// Arcs of the full structure whose edge is kept, in either direction.
    pub kept: Vec<NamedArc>,
    /// Arcs of `kept` that are reversed without this data set, as oriented in the full structure. Equivalent
    /// structures may differ in them; `shd` does not count those.
    pub reversed: Vec<NamedArc>,
    /// Arcs of the full structure whose edge disappears without this data set.
    pub lost: Vec<NamedArc>,
    /// Arcs whose edge appears only without this data set.
    pub gained: Vec<NamedArc>,
}

/// Computes strengths, threshold and averaged network, and replaces ids with names.
pub(super) fn assemble(
    settings: &Bootstrap<'_>,
    data: &RelatedData,
    found: &StructuresBySample,
    halt: Option<Halt>,
) -> Bootstrapped {
    let schema = data.schema();
    let names = schema.names();
    let replicates = || {
        found
            .iter()
            .filter_map(|(sample, dag)| matches!(sample, BootstrapSample::Replicate(_)).then_some(dag))
    };
    let classes = settings.score.is_score_equivalent();
    let frequencies = ArcFrequencies::of(names.len(), replicates(), classes);
    let mut pairs = frequencies.pairs();
    let threshold = threshold(&pairs.iter().map(|pair| pair.strength).collect::<Vec<_>>());
    let significant = pairs.iter().filter(|pair| is_significant(pair.strength, threshold));
    let (averaged, skipped) = averaged_network(
        significant.map(|pair| (pair.from, pair.to)),
        |from, to| frequencies.count(from, to) as f64,
        &settings.climb.constraints,
    );
    pairs.retain(|pair| pair.strength > 0.0);
    pairs.sort_by(|a, b| b.strength.total_cmp(&a.strength).then(b.direction.total_cmp(&a.direction)));
    let arc = |from: VariableId, to: VariableId| NamedArc {
        from: names[from.index()].clone(),
        to: names[to.index()].clone(),
    };
    let arcs = pairs.iter().map(|&DirectedEdge { from, to, strength, direction }| {
        let NamedArc { from: from_name, to: to_name } = arc(from, to);
        let averaged = averaged.adjacent(from, to);
        ArcStrength { from: from_name, to: to_name, strength, direction, averaged }
    });
    let all = found.get(&BootstrapSample::All);
    let left_out = |name: &String| {
        let without = found.get(&BootstrapSample::Without(name.clone()))?;
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
            None => BootstrapStop::Complete,
            Some(Halt::TimeLimit) => BootstrapStop::TimeLimit,
            Some(Halt::Interrupted) => BootstrapStop::Interrupted,
        },
        by: settings.by,
        seed: settings.seed,
        directions: if classes { Directions::Cpdag } else { Directions::Dag },
        skipped: skipped.iter().map(|&(from, to)| arc(from, to)).collect(),
        learned: all.map(|dag| modelstring::format(dag, &names)),
        leave_one_out: settings
            .leaves_one_out(data)
            .then(|| schema.data_sets().iter().filter_map(left_out).collect()),
        data_hash: data.fingerprint(),
        filled_in: (!data.is_complete()).then(|| FilledIn::for_structure(data)),
    }
}
