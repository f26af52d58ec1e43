//! Multiple imputations ("versions") of the data: counted together, with the mean of their scores and of their tables.

use super::draw::IncompleteRows;
use crate::counts::{Batch, Counts, Family, MemoryTally, Tally, TallyError, Visit};
use crate::data::{Column, DataSetId, RelatedData, Schema, VariableId};
use crate::estimate::{EstimateError, Method, Network, average, estimate};
use crate::graph::Dag;
use crate::learned::FilledIn;
use crate::score::{
    FamilyScore, FitSummary, KinFit, Kinship, Score, ScoreOrBound, StructurePrior, UpperBounds,
};

/// Incomplete data with their missing cells filled in, several times.
///
/// A row of weight w with missing cells is filled in as up to 32 rows, and rows without any value are left out: the rows are those of
/// [`Completed::version`], not always those that were given.
#[derive(Debug, Clone)]
pub struct Completed {
    /// The rows of all versions, one version after the other; data set `v·F + f` is data set f of version v.
    rows: RelatedData,
    schema: Schema,
    versions: usize,
    /// Whether a data set lacks a variable, by variable and data set.
    lacks: Vec<Vec<bool>>,
    filled_in: FilledIn,
}

impl Completed {
    /// One version of incomplete data; its missing cells have the code 0 until they are drawn.
    pub(super) fn undrawn(data: &RelatedData, filled_in: &FilledIn) -> Self {
        Self::several(data, undrawn_columns(data), 1, filled_in)
    }

    /// Several versions, all equal to the given one until they are drawn.
    ///
    /// A column is released as soon as it is repeated, and drawing replaces cells in place: there is never more than one copy of the
    /// versions, and of one column.
    pub(super) fn several(
        data: &RelatedData,
        columns: Vec<Column>,
        versions: usize,
        filled_in: &FilledIn,
    ) -> Self {
        let schema = data.schema();
        let stacked =
            schema.ids().zip(columns).map(|(id, column)| column.repeated(versions, schema.states(id)));
        let stacked = stacked.collect();
        let data_sets: Vec<DataSetId> = (0..schema.data_sets().len()).map(DataSetId::new).collect();
        let version_names =
            |version: usize| schema.data_sets().iter().map(move |name| format!("{version}\0{name}"));
        let names: Vec<String> = (0..versions).flat_map(version_names).collect();
        let starts = (0..versions)
            .flat_map(|version| {
                data_sets.iter().map(move |&id| version * data.stored_rows() + data.rows_of(id).start)
            })
            .chain([versions * data.stored_rows()])
            .collect();
        let weights = data.weights().map(|weights| weights.repeat(versions));
        Self {
            rows: RelatedData::new(Schema::new(schema.variables().to_vec(), names), stacked, starts, weights),
            schema: schema.clone(),
            versions,
            lacks: schema.ids().map(|id| data_sets.iter().map(|&f| data.lacks(id, f)).collect()).collect(),
            filled_in: FilledIn { versions, settled: true, ..filled_in.clone() },
        }
    }

    /// Draws the missing cells of all versions by the tables of a network, in place; see [`IncompleteRows::draw`].
    pub(super) fn draw(
        &mut self,
        data: &RelatedData,
        incomplete: &IncompleteRows,
        tables: (&Network, bool),
        (seed, stream): (u64, impl Fn(usize) -> u64),
        continues: bool,
    ) {
        let length = data.stored_rows();
        let columns = self.rows.columns_mut();
        for version in 0..self.versions {
            incomplete.draw(data, tables, (seed, stream(version)), continues, columns, version * length);
        }
    }

    /// The columns of all versions.
    pub(super) fn into_columns(mut self) -> Vec<Column> {
        self.rows.columns_mut().iter_mut().map(std::mem::take).collect()
    }

    /// The bytes that the codes of all versions take: at most as many times those of the incomplete data as there are versions.
    pub fn bytes(&self) -> usize {
        self.rows.bytes()
    }

    /// What was filled in where, for this structure: without the rounds of a search.
    pub fn filled_in(&self) -> &FilledIn {
        &self.filled_in
    }

    /// The number of versions.
    pub fn versions(&self) -> usize {
        self.versions
    }

    /// The variables, and the names of the data sets.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// One version as complete data.
    ///
    /// # Panics
    /// If there is no such version.
    pub fn version(&self, version: usize) -> RelatedData {
        assert!(version < self.versions, "versions are numbered from zero");
        let length = self.rows.stored_rows() / self.versions;
        let rows = version * length..(version + 1) * length;
        let column = |id: VariableId| {
            let mut column = Column::for_states(self.schema.states(id), length);
            rows.clone().for_each(|row| column.push(self.rows.column(id).get(row)));
            column
        };
        let data_sets = (0..self.schema.data_sets().len()).map(DataSetId::new);
        let starts = data_sets.map(|id| self.rows.rows_of(id).start).chain([length]).collect();
        let weights = self.rows.weights().map(|weights| weights[rows.clone()].to_vec());
        RelatedData::new(self.schema.clone(), self.schema.ids().map(column).collect(), starts, weights)
    }

    /// The tally of all versions, for a score that is their mean ([`MeanScore`]).
    pub fn tally(&self, pooled: bool, memory: Option<usize>) -> VersionsTally<'_> {
        let tally = if pooled {
            let length = self.rows.stored_rows() / self.versions;
            MemoryTally::over(&self.rows, (0..self.versions).map(|v| v * length..(v + 1) * length).collect())
        } else {
            MemoryTally::new(&self.rows)
        };
        VersionsTally { inner: with_memory(tally, memory), schema: &self.schema }
    }

    /// The tables of a structure: the mean over the versions. A data set that lacks a column of a family has no part in the family's
    /// centre, and its table is that of a new data set.
    pub fn tables(
        &self,
        dag: &Dag,
        method: &Method,
        memory: Option<usize>,
    ) -> Result<Network, EstimateError> {
        let tally = self.tally(false, memory);
        let networks: Result<Vec<Network>, EstimateError> = (0..self.versions)
            .map(|version| {
                estimate(&OneVersion { completed: self, tally: &tally, version }, dag, method.clone())
            })
            .collect();
        Ok(average(&networks?, |node, data_set| {
            self.family_lacks(&Family::of(dag, VariableId::new(node)), data_set)
        }))
    }

    /// Whether a data set has no value of some variable of a family.
    pub fn family_lacks(&self, family: &Family, data_set: usize) -> bool {
        family.parents().iter().chain([&family.child()]).any(|id| self.lacks[id.index()][data_set])
    }
}

/// The columns of incomplete data, wide enough for every state.
pub(super) fn undrawn_columns(data: &RelatedData) -> Vec<Column> {
    let schema = data.schema();
    schema.ids().map(|id| data.column(id).repeated(1, schema.states(id))).collect()
}

/// The tally with a limit on memory, if there is one.
pub(super) fn with_memory(tally: MemoryTally<'_>, memory: Option<usize>) -> MemoryTally<'_> {
    match memory {
        Some(bytes) => tally.with_memory(bytes),
        None => tally,
    }
}

/// Counts all versions at once: a table has the data sets of the first version, then those of the second, and so on.
pub struct VersionsTally<'a> {
    inner: MemoryTally<'a>,
    schema: &'a Schema,
}

impl Tally for VersionsTally<'_> {
    fn schema(&self) -> &Schema {
        self.schema
    }

    fn cost(&self, family: &Family) -> f64 {
        self.inner.cost(family)
    }

    fn rows_scanned(&self) -> u64 {
        self.inner.rows_scanned()
    }

    fn visit_many(&self, batch: &Batch, visit: Visit<'_>) -> Result<(), TallyError> {
        self.inner.visit_many(batch, visit)
    }
}

/// Counts one version, without the data sets that lack a column of the family.
struct OneVersion<'a> {
    completed: &'a Completed,
    tally: &'a VersionsTally<'a>,
    version: usize,
}

impl Tally for OneVersion<'_> {
    fn schema(&self) -> &Schema {
        &self.completed.schema
    }

    fn cost(&self, family: &Family) -> f64 {
        self.tally.cost(family)
    }

    fn visit_many(&self, batch: &Batch, visit: Visit<'_>) -> Result<(), TallyError> {
        self.tally.visit_many(batch, &|index, counts| {
            let family = batch.family(index);
            let data_sets = self.completed.schema.data_sets().len();
            let own = of_version(counts, self.version, data_sets);
            if (0..data_sets).any(|data_set| self.completed.family_lacks(&family, data_set)) {
                let (states, possible) = (own.states(), own.possible_configurations());
                let keep = |number, state, data_set| {
                    (!self.completed.family_lacks(&family, data_set)).then_some((number, state))
                };
                visit(index, &own.kept(states, possible, keep));
            } else {
                visit(index, &own);
            }
        })
    }
}

/// The counts of one version, of that many data sets each.
pub(crate) fn of_version(counts: &Counts, version: usize, data_sets: usize) -> Counts {
    counts.of_data_sets(&(version * data_sets..(version + 1) * data_sets).collect::<Vec<_>>())
}

/// The mean of a score over the versions of completed data, for counts of a [`VersionsTally`].
pub struct MeanScore<'a> {
    /// The score of one version.
    pub score: &'a dyn Score,
    /// The number of versions.
    pub versions: usize,
}

impl MeanScore<'_> {
    fn split(&self, counts: &Counts) -> Vec<Counts> {
        let data_sets = counts.data_sets() / self.versions;
        (0..self.versions).map(|version| of_version(counts, version, data_sets)).collect()
    }

    fn mean(&self, scores: &[FamilyScore]) -> FamilyScore {
        let share = 1.0 / self.versions as f64;
        let terms: Option<Vec<&Vec<f64>>> = scores.iter().map(|score| score.by_data_set.as_ref()).collect();
        let fits: Option<Vec<FitSummary>> = scores.iter().map(|score| score.fit).collect();
        let kin: Option<Vec<&KinFit>> = scores.iter().map(|score| score.kin.as_deref()).collect();
        FamilyScore {
            total: scores.iter().map(|score| score.total).sum::<f64>() * share,
            by_data_set: terms.map(|terms| {
                let of = |data_set: usize| terms.iter().map(|terms| terms[data_set]).sum::<f64>() * share;
                (0..terms[0].len()).map(of).collect()
            }),
            fit: fits.map(|fits| FitSummary {
                tau: fits.iter().map(|fit| fit.tau).sum::<f64>() * share,
                iterations: fits.iter().map(|fit| fit.iterations).sum(),
                converged: fits.iter().all(|fit| fit.converged),
            }),
            // The versions may differ in the configurations that they observe, so that centres are left to the tables.
            kin: kin.map(|kin| {
                Box::new(KinFit {
                    kinship: Kinship::mean(&kin.iter().map(|kin| &kin.kinship).collect::<Vec<_>>()),
                    centre: Vec::new(),
                    left_out: kin[0].left_out + kin[0].centre.len(),
                    iterations: kin.iter().map(|kin| kin.iterations).sum(),
                    converged: kin.iter().all(|kin| kin.converged),
                })
            }),
            structure_prior: None,
        }
    }
}

impl Score for MeanScore<'_> {
    fn name(&self) -> &'static str {
        self.score.name()
    }

    fn family_score(&self, counts: &Counts) -> FamilyScore {
        let scores: Vec<FamilyScore> =
            self.split(counts).iter().map(|counts| self.score.family_score(counts)).collect();
        self.mean(&scores)
    }

    fn explain(&self, counts: &Counts) -> FamilyScore {
        let scores: Vec<FamilyScore> =
            self.split(counts).iter().map(|counts| self.score.explain(counts)).collect();
        self.mean(&scores)
    }

    fn upper_bounds(&self) -> Option<&dyn UpperBounds> {
        self.score.upper_bounds().map(|_| self as &dyn UpperBounds)
    }

    fn structure_prior(&self) -> StructurePrior {
        self.score.structure_prior()
    }

    fn is_log_evidence(&self) -> bool {
        self.score.is_log_evidence()
    }

    fn is_score_equivalent(&self) -> bool {
        self.score.is_score_equivalent()
    }

    fn is_pooled(&self) -> bool {
        self.score.is_pooled()
    }
}

impl UpperBounds for MeanScore<'_> {
    fn upper_bound(&self, counts: &Counts) -> f64 {
        let Some(bounds) = self.score.upper_bounds() else { return f64::INFINITY };
        let sum: f64 = self.split(counts).iter().map(|counts| bounds.upper_bound(counts)).sum();
        sum / self.versions as f64
    }

    fn score_unless_below(&self, counts: &Counts, least: f64) -> ScoreOrBound {
        let Some(bounds) = self.score.upper_bounds() else {
            return ScoreOrBound::Score(self.family_score(counts));
        };
        let parts = self.split(counts);
        let most: Vec<f64> = parts.iter().map(|part| bounds.upper_bound(part)).collect();
        let number = self.versions as f64;
        let mut scores: Vec<FamilyScore> = Vec::with_capacity(self.versions);
        for (version, part) in parts.iter().enumerate() {
            // What the other versions add at most: their scores as far as known, else their bounds.
            let others: f64 =
                scores.iter().map(|score| score.total).sum::<f64>() + most[version + 1..].iter().sum::<f64>();
            match bounds.score_unless_below(part, number * least - others) {
                ScoreOrBound::Score(score) => scores.push(score),
                ScoreOrBound::AtMost(bound) if (others + bound) / number < least => {
                    return ScoreOrBound::AtMost((others + bound) / number);
                }
                ScoreOrBound::AtMost(_) => scores.push(self.score.family_score(part)),
            }
        }
        ScoreOrBound::Score(self.mean(&scores))
    }
}
