//! Tests each claim that the paper makes about its simulation studies.

use serde::{Serialize, Serializer};

use crate::methods::bhd_name;
use crate::paired::{MeanDifference, PairedReplicate, difference, pairs};
use crate::rows::ReplicateRow;

/// Whether the rows support a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Supported {
    /// Yes, by more than two standard errors.
    Yes,
    /// No, by more than two standard errors.
    No,
    /// Undecided, or parts of the claim hold and others do not.
    Mixed,
}

impl Serialize for Supported {
    /// `true`, `false` or `"mixed"`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Yes => serializer.serialize_bool(true),
            Self::No => serializer.serialize_bool(false),
            Self::Mixed => serializer.serialize_str("mixed"),
        }
    }
}

/// The test of one claim.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClaimVerdict {
    /// The claim, in words.
    pub claim: String,
    /// The study it refers to.
    pub study: String,
    /// Whether it is supported.
    pub supported: Supported,
    /// The deciding number.
    pub value: f64,
    /// Its standard error.
    pub se: f64,
    /// The meaning of the number.
    pub measured: String,
    /// The figure that shows it.
    pub figure: String,
}

/// The number of standard errors that decides.
const DECISIVE: f64 = 2.0;

/// Whether a number is positive.
fn positive(value: &MeanDifference) -> Supported {
    if value.mean > DECISIVE * value.se {
        Supported::Yes
    } else if value.mean < -DECISIVE * value.se {
        Supported::No
    } else {
        Supported::Mixed
    }
}

/// Whether a number is within this distance of zero, including its uncertainty.
fn small(value: &MeanDifference, bound: f64) -> Supported {
    if value.mean.abs() + DECISIVE * value.se <= bound {
        Supported::Yes
    } else if value.mean.abs() - DECISIVE * value.se > bound {
        Supported::No
    } else {
        Supported::Mixed
    }
}

/// Combines the parts of a claim: it holds if all do, and fails if all do.
fn all(parts: &[Supported]) -> Supported {
    if parts.iter().all(|&part| part == Supported::Yes) {
        Supported::Yes
    } else if parts.iter().all(|&part| part == Supported::No) {
        Supported::No
    } else {
        Supported::Mixed
    }
}

/// The claims of one study for a pair of methods.
struct Claims<'a> {
    study: &'static str,
    pairs: Vec<PairedReplicate<'a>>,
    verdicts: Vec<ClaimVerdict>,
}

fn shd(row: &ReplicateRow) -> f64 {
    row.shd_cpdag as f64
}

impl<'a> Claims<'a> {
    fn of(study: &'static str, rows: &'a [ReplicateRow], first: &str, second: &str) -> Self {
        let mut pairs = pairs(rows, first, second);
        pairs.retain(|pair| pair.first.level == "joint");
        Self { study, pairs, verdicts: Vec::new() }
    }

    /// The gain in SHD: that of the first method minus that of the second.
    fn gain(&self, chosen: impl Fn(&ReplicateRow) -> bool) -> MeanDifference {
        difference(&self.pairs, shd, chosen)
    }

    fn add(
        &mut self,
        claim: &str,
        supported: Supported,
        value: &MeanDifference,
        measured: &str,
        figure: &str,
    ) {
        self.verdicts.push(ClaimVerdict {
            claim: claim.to_owned(),
            study: self.study.to_owned(),
            supported,
            value: value.mean,
            se: value.se,
            measured: measured.to_owned(),
            figure: figure.to_owned(),
        });
    }

    /// The gain at the largest value of a setting minus that at the smallest.
    fn growth(
        &self,
        setting: impl Fn(&ReplicateRow) -> usize,
        chosen: impl Fn(&ReplicateRow) -> bool,
    ) -> MeanDifference {
        let values = || self.pairs.iter().map(|pair| pair.first).filter(|row| chosen(row)).map(&setting);
        let (least, most) = (values().min().unwrap_or(0), values().max().unwrap_or(0));
        let at = |value: usize| self.gain(|row| chosen(row) && setting(row) == value);
        at(most).minus(&at(least))
    }
}

/// The claims that the rows of a study can decide, with BHD under the paper's prior.
pub fn verdicts(study: &str, rows: &[ReplicateRow]) -> Vec<ClaimVerdict> {
    match study {
        "study1" => study_1(rows),
        "study2" => study_2(rows),
        "study3" => study_3(rows),
        "study4" => study_4(rows),
        _ => Vec::new(),
    }
}

const GAIN: &str = "mean SHD (CPDAG) of pooled BDeu minus that of BHD";
const GROWTH: &str = "that gain at the largest value minus at the smallest";

fn study_1(rows: &[ReplicateRow]) -> Vec<ClaimVerdict> {
    let mut claims = Claims::of("study1", rows, "bdeu_1", "bhd_paper");
    let of = |scenario: &'static str, parameters: &'static str| {
        move |row: &ReplicateRow| row.scenario == scenario && row.parameters == parameters
    };
    let gain = |claims: &Claims<'_>, scenario, parameters| claims.gain(of(scenario, parameters));
    let (hier_a, hier_b) = (gain(&claims, "a", "hier"), gain(&claims, "b", "hier"));
    claims.add("hier: BHD is better when all structures are equal", positive(&hier_a), &hier_a, GAIN, "shd");
    claims.add("hier: BHD is better when some structures differ", positive(&hier_b), &hier_b, GAIN, "shd");
    let more = hier_b.minus(&hier_a);
    claims.add(
        "hier: the gain is larger when some structures differ",
        positive(&more),
        &more,
        "difference of the gains",
        "shd",
    );
    let iid_a = gain(&claims, "a", "iid");
    claims.add(
        "iid: BHD is competitive when all structures are equal",
        if positive(&iid_a) == Supported::Yes { Supported::Yes } else { small(&iid_a, 0.5) },
        &iid_a,
        GAIN,
        "shd",
    );
    let iid_b = gain(&claims, "b", "iid");
    claims.add("iid: BHD is better when some structures differ", positive(&iid_b), &iid_b, GAIN, "shd");
    let id = claims.gain(|row| row.parameters == "id");
    let lost = id.negated();
    claims.add(
        "id: pooled BDeu is better",
        positive(&lost),
        &lost,
        "mean SHD of BHD minus that of pooled BDeu",
        "shd",
    );
    for (claim, parameters, loss) in [
        ("hier: the gain grows with the number of variables", "hier", false),
        ("iid: the gain grows with the number of variables", "iid", false),
        ("id: the loss grows with the number of variables", "id", true),
    ] {
        let growth = claims.growth(|row| row.nodes, of("a", parameters));
        let growth = if loss { growth.negated() } else { growth };
        claims.add(claim, positive(&growth), &growth, GROWTH, "shd_by_nodes_a");
    }
    for (claim, parameters, loss) in [
        ("hier: the gain grows with the number of data sets", "hier", false),
        ("iid: the gain grows with the number of data sets", "iid", false),
        ("id: the loss grows with the number of data sets", "id", true),
    ] {
        let growth = claims.growth(|row| row.data_sets, of("a", parameters));
        let growth = if loss { growth.negated() } else { growth };
        claims.add(claim, positive(&growth), &growth, GROWTH, "shd_by_data_sets_a");
    }
    let states = |row: &ReplicateRow| row.states.parse().unwrap_or(0);
    let (hier, iid) = (claims.growth(states, of("a", "hier")), claims.growth(states, of("a", "iid")));
    claims.add(
        "the gain shrinks with the number of states",
        all(&[positive(&hier.negated()), positive(&iid.negated())]),
        &hier.negated(),
        "hier: the gain at 2 states minus at 5",
        "shd_by_states_a",
    );
    for (claim, parameters) in
        [("hier: the gain grows with the rows", "hier"), ("iid: the gain grows with the rows", "iid")]
    {
        let growth = claims.growth(|row| row.rows, of("a", parameters));
        claims.add(claim, positive(&growth), &growth, GROWTH, "shd_by_rows_a");
    }
    for (claim, setting) in [
        ("the effect of the number of data sets is stronger when some structures differ", true),
        ("the effect of the rows is stronger when some structures differ", false),
    ] {
        let value = |row: &ReplicateRow| if setting { row.data_sets } else { row.rows };
        let stronger = claims.growth(value, of("b", "hier")).minus(&claims.growth(value, of("a", "hier")));
        let figure = if setting { "shd_by_data_sets_b" } else { "shd_by_rows_b" };
        claims.add(claim, positive(&stronger), &stronger, "hier: difference of the growths", figure);
    }
    hits_when_structures_differ(&mut claims);
    sample_sizes(&mut claims, rows);
    let bic = Claims::of("study1", rows, "bic", "bdeu_1");
    let alike = difference(&bic.pairs, shd, |_| true);
    claims.add(
        "BIC behaves like BDeu",
        small(&alike, 0.5),
        &alike,
        "mean SHD of BIC minus that of pooled BDeu",
        "methods",
    );
    claims.add(
        "on homogeneous data BHD is about as good as pooled BDeu",
        small(&claims.gain(of("a", "id")), 0.5),
        &claims.gain(of("a", "id")),
        GAIN,
        "shd",
    );
    claims.verdicts
}

fn hits_when_structures_differ(claims: &mut Claims<'_>) {
    let b = |row: &ReplicateRow| row.scenario == "b";
    let tp = difference(&claims.pairs, |row| row.tp_dag as f64, b);
    claims.add(
        "(b): true positives are alike",
        small(&tp, 0.5),
        &tp,
        "mean TP (DAG) of BDeu minus that of BHD",
        "hits_b",
    );
    let missed = difference(&claims.pairs, |row| row.fn_dag as f64, b);
    claims.add(
        "(b): false negatives are alike",
        small(&missed, 0.5),
        &missed,
        "mean FN (DAG) of BDeu minus that of BHD",
        "hits_b",
    );
    let hier = |row: &ReplicateRow| row.scenario == "b" && row.parameters == "hier";
    let fp = difference(&claims.pairs, |row| row.fp_dag as f64, hier);
    claims.add(
        "(b), hier: BHD has fewer false positives",
        positive(&fp),
        &fp,
        "mean FP (DAG) of BDeu minus that of BHD",
        "hits_b",
    );
    let arcs = difference(&claims.pairs, |row| row.learned_arcs as f64, b);
    claims.add(
        "(b): BHD's networks are sparser",
        positive(&arcs),
        &arcs,
        "mean arcs of BDeu minus those of BHD",
        "hits_b",
    );
}

/// Other imaginary sample sizes, which only some replicates have, for both readings of the text.
fn sample_sizes(claims: &mut Claims<'_>, rows: &[ReplicateRow]) {
    for (reading, words) in [("split", "split over the data sets"), ("s", "in every data set")] {
        let bhd = |size: &str| bhd_name(reading, size);
        let falls = difference(&pairs(rows, &bhd("1"), &bhd("10")), shd, |_| true);
        claims.add(
            &format!("BHD's SHD falls slightly with s ({words})"),
            positive(&falls),
            &falls,
            "mean SHD of BHD with s = 1 minus s = 10",
            "sample_sizes",
        );
        for size in ["2", "5", "10"] {
            let versus = difference(&pairs(rows, &format!("bdeu_{size}"), &bhd(size)), shd, |_| true);
            let claim = format!(
                "BHD is on average not significantly different from BDeu, both with s = {size} ({words})"
            );
            let verdict = if positive(&versus) == Supported::Mixed { Supported::Yes } else { Supported::No };
            claims.add(&claim, verdict, &versus, GAIN, "sample_sizes");
        }
    }
}

fn study_2(rows: &[ReplicateRow]) -> Vec<ClaimVerdict> {
    let mut claims = Claims::of("study2", rows, "bdeu_1", "bhd_paper");
    let kind = |parameters: &'static str| move |row: &ReplicateRow| row.parameters == parameters;
    let at = |claims: &Claims<'_>, data_sets: usize| {
        claims.gain(move |row| row.parameters == "hier" && row.data_sets == data_sets)
    };
    let rise = at(&claims, 25).minus(&at(&claims, 2));
    claims.add(
        "the gain grows with the number of data sets",
        positive(&rise),
        &rise,
        "hier: the gain at 25 data sets minus at 2",
        "shd_by_data_sets",
    );
    let plateau = at(&claims, 100).minus(&at(&claims, 25));
    claims.add(
        "and then levels off",
        small(&plateau, rise.mean.abs() / 2.0),
        &plateau,
        "hier: the gain at 100 data sets minus at 25",
        "shd_by_data_sets",
    );
    larger_in_hier(&mut claims, "shd_by_data_sets");
    for (claim, parameters) in
        [("hier: the gain grows with the rows", "hier"), ("iid: the gain grows with the rows", "iid")]
    {
        let growth = claims.growth(|row| row.rows, kind(parameters));
        claims.add(claim, positive(&growth), &growth, GROWTH, "shd_by_rows");
    }
    let altered = claims.gain(|row| row.altered > 2).minus(&claims.gain(|row| row.altered == 0));
    claims.add(
        "how many data sets lose arcs makes no practical difference",
        small(&altered, 1.0),
        &altered,
        "the gain when many are altered minus when none is",
        "shd_by_rows",
    );
    let losses = claims.gain(|row| row.by == 0.1).minus(&claims.gain(|row| row.by == 0.01));
    claims.add(
        "nor does how many arcs they lose",
        small(&losses, 1.0),
        &losses,
        "the gain when arcs are lost with probability 0.1 minus 0.01",
        "shd_by_rows",
    );
    let most = rows.iter().map(|row| row.rows).max().unwrap_or(0);
    better_hits(&mut claims, ("with many rows", "hits_by_rows"), move |row| row.rows == most);
    claims.verdicts
}

fn study_3(rows: &[ReplicateRow]) -> Vec<ClaimVerdict> {
    let mut claims = Claims::of("study3", rows, "bdeu_1", "bhd_paper");
    for (claim, parameters) in [
        ("hier: the gain grows with the number of variables", "hier"),
        ("iid: the gain grows with the number of variables", "iid"),
    ] {
        let growth = claims.growth(|row| row.nodes, |row| row.parameters == parameters);
        claims.add(claim, positive(&growth), &growth, GROWTH, "shd_by_nodes");
    }
    larger_in_hier(&mut claims, "shd_by_nodes");
    let most = rows.iter().map(|row| row.nodes).max().unwrap_or(0);
    better_hits(&mut claims, ("with many variables", "hits_by_nodes"), move |row| row.nodes == most);
    claims.verdicts
}

fn study_4(rows: &[ReplicateRow]) -> Vec<ClaimVerdict> {
    let mut claims = Claims::of("study4", rows, "bdeu_1", "bhd_paper");
    let even = claims.gain(|row| row.altered == 0);
    let shortened = claims.gain(|row| row.altered > 0 && row.altered < 10).minus(&even);
    claims.add(
        "data sets with fewer rows do not hurt",
        small(&shortened, 1.0),
        &shortened,
        "the gain with shortened data sets minus without",
        "shd_by_shortened",
    );
    let composite = claims.gain(|row| row.altered == 10).minus(&even);
    claims.add(
        "neither does the composite case",
        small(&composite, 1.0),
        &composite,
        "the gain in the composite case minus with equal sizes",
        "shd_by_shortened",
    );
    larger_in_hier(&mut claims, "shd_by_shortened");
    claims.verdicts
}

fn larger_in_hier(claims: &mut Claims<'_>, figure: &str) {
    let larger =
        claims.gain(|row| row.parameters == "hier").minus(&claims.gain(|row| row.parameters == "iid"));
    claims.add(
        "the gain is larger in hier than in iid",
        positive(&larger),
        &larger,
        "difference of the gains",
        figure,
    );
}

fn better_hits(
    claims: &mut Claims<'_>,
    (when, figure): (&str, &str),
    chosen: impl Fn(&ReplicateRow) -> bool + Copy,
) {
    let fp = difference(&claims.pairs, |row| row.fp_dag as f64, |_| true);
    claims.add(
        "BHD has fewer false positives",
        positive(&fp),
        &fp,
        "mean FP (DAG) of BDeu minus that of BHD",
        "hits",
    );
    let tp = difference(&claims.pairs, |row| -(row.tp_dag as f64), chosen);
    claims.add(
        &format!("BHD has more true positives {when}"),
        positive(&tp),
        &tp,
        "mean TP (DAG) of BHD minus that of BDeu",
        figure,
    );
    let missed = difference(&claims.pairs, |row| row.fn_dag as f64, chosen);
    claims.add(
        &format!("BHD has fewer false negatives {when}"),
        positive(&missed),
        &missed,
        "mean FN (DAG) of BDeu minus that of BHD",
        figure,
    );
}
