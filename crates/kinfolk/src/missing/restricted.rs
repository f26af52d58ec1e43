//! Counts on the rows that are observed: complete for the whole family, or with an observed child.

use super::draw::IncompleteRows;
use super::versions::{undrawn_columns, with_memory};
use crate::counts::{Batch, Change, Counts, Family, MemoryTally, Tally, TallyError, Visit};
use crate::data::{Column, RelatedData, Schema, Variable, VariableId};
use crate::estimate::Network;
use crate::score::{FamilyScore, Score, StructurePrior};

/// The data with an additional last state for missing cells, in every column that has any.
///
/// With completed codes, the columns of observed cells follow after all completed ones.
pub(super) struct Marked {
    data: RelatedData,
    /// For every variable, the column with the additional state, if it has missing cells.
    observed: Vec<Option<VariableId>>,
    /// Whether parents are counted as observed too, or as completed.
    parents: bool,
}

impl Marked {
    /// Data in which a family is counted on the rows that are complete for it.
    pub(super) fn families(data: &RelatedData) -> Self {
        let schema = data.schema();
        let columns = schema.ids().map(|id| marked(data, id)).collect();
        let variables = schema.ids().map(|id| with_state(data, id, ""));
        let schema = Schema::new(variables.collect(), schema.data_sets().to_vec());
        let observed = data.schema().ids().map(|id| data.mask(id).map(|_| id)).collect();
        Self { data: built(data, schema, columns), observed, parents: true }
    }

    /// Data in which a family is counted on the rows whose child was observed, with completed parents; their cells are still to be drawn.
    pub(super) fn children(data: &RelatedData) -> Self {
        let schema = data.schema();
        let mut columns = undrawn_columns(data);
        let mut variables = schema.variables().to_vec();
        let mut observed = vec![None; variables.len()];
        for id in schema.ids().filter(|&id| data.mask(id).is_some()) {
            observed[id.index()] = Some(VariableId::new(columns.len()));
            columns.push(marked(data, id));
            // No column of a file begins with this character.
            variables.push(with_state(data, id, "\0"));
        }
        let schema = Schema::new(variables, schema.data_sets().to_vec());
        Self { data: built(data, schema, columns), observed, parents: false }
    }

    /// Draws the completed cells in place; see [`IncompleteRows::draw`].
    pub(super) fn draw(
        &mut self,
        data: &RelatedData,
        incomplete: &IncompleteRows,
        tables: (&Network, bool),
        key: (u64, u64),
        continues: bool,
    ) {
        incomplete.draw(data, tables, key, continues, self.data.columns_mut(), 0);
    }

    /// The completed columns.
    pub(super) fn into_completed(mut self) -> Vec<Column> {
        let variables = self.observed.len();
        self.data.columns_mut().iter_mut().take(variables).map(std::mem::take).collect()
    }

    /// The tally of the original variables.
    pub(super) fn tally<'a>(
        &'a self,
        schema: &'a Schema,
        pooled: bool,
        memory: Option<usize>,
    ) -> RestrictedTally<'a> {
        let tally = if pooled { MemoryTally::pooled(&self.data) } else { MemoryTally::new(&self.data) };
        RestrictedTally { marked: self, inner: with_memory(tally, memory), schema }
    }

    /// The column in which a variable is counted as a child.
    fn child(&self, id: VariableId) -> VariableId {
        self.observed[id.index()].unwrap_or(id)
    }
}

fn built(data: &RelatedData, schema: Schema, columns: Vec<Column>) -> RelatedData {
    let data_sets = (0..schema.data_sets().len()).map(crate::data::DataSetId::new);
    let starts = data_sets.map(|id| data.rows_of(id).start).chain([data.stored_rows()]).collect();
    RelatedData::new(schema, columns, starts, data.weights().map(<[u64]>::to_vec))
}

fn with_state(data: &RelatedData, id: VariableId, prefix: &str) -> Variable {
    let mut variable = data.schema().variable(id).clone();
    if data.mask(id).is_some() {
        variable.states.push("\0".to_owned());
        variable.name.insert_str(0, prefix);
    }
    variable
}

/// The codes of a column, with the number of states for missing cells.
fn marked(data: &RelatedData, id: VariableId) -> Column {
    let column = data.column(id);
    let Some(mask) = data.mask(id) else { return column.clone() };
    let states = data.schema().states(id);
    let missing = u32::try_from(states).expect("states are coded in 32 bits");
    let mut codes = Column::for_states(states + 1, column.len());
    column.iter().enumerate().for_each(|(row, code)| codes.push(if mask.get(row) { missing } else { code }));
    codes
}

/// Counts families on observed rows only.
pub(super) struct RestrictedTally<'a> {
    marked: &'a Marked,
    inner: MemoryTally<'a>,
    /// The original variables.
    schema: &'a Schema,
}

impl RestrictedTally<'_> {
    /// The table of a family without the rows in which it is not observed.
    fn restrict(&self, family: &Family, counts: &Counts) -> Counts {
        let states = self.schema.states(family.child());
        // For every parent, the fastest first: its states as counted and as they are.
        let parents: Vec<(u64, u64)> = family
            .parents()
            .iter()
            .rev()
            .map(|&parent| {
                let own = self.schema.states(parent) as u64;
                let is_marked = self.marked.parents && self.marked.observed[parent.index()].is_some();
                (own + u64::from(is_marked), own)
            })
            .collect();
        let possible = parents.iter().map(|&(_, own)| own as f64).product();
        let renumber = |mut number: u64| -> Option<u64> {
            let (mut renumbered, mut stride) = (0, 1);
            for &(counted, own) in &parents {
                let state = number % counted;
                if state == own {
                    return None;
                }
                renumbered += state * stride;
                (number, stride) = (number / counted, stride * own);
            }
            Some(renumbered)
        };
        counts.kept(
            states,
            possible,
            |number, state, _| {
                if state == states { None } else { Some((renumber(number)?, state)) }
            },
        )
    }

    fn is_affected(&self, family: &Family) -> bool {
        let is_marked = |id: &VariableId| self.marked.observed[id.index()].is_some();
        is_marked(&family.child()) || (self.marked.parents && family.parents().iter().any(is_marked))
    }
}

impl Tally for RestrictedTally<'_> {
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
        /// Configurations up to which they are numbered with certainty.
        const MOST: f64 = 9e18;
        let mut counted = Batch::with_capacity(batch.len());
        for (family, changes) in batch.changes() {
            let base = Family::new(self.marked.child(family.child()), family.parents().iter().copied());
            let changes: Vec<Change> = changes.collect();
            for &change in &changes {
                let family = base.changed(change);
                let states = |id: &VariableId| self.marked.data.schema().states(*id) as f64;
                if family.parents().iter().map(states).product::<f64>() > MOST {
                    return Err(TallyError::Engine(
                        "a family has too many configurations for incomplete data".to_owned(),
                    ));
                }
            }
            counted.around(&base, changes);
        }
        self.inner.visit_many(&counted, &|index, counts| {
            let family = batch.family(index);
            if self.is_affected(&family) {
                visit(index, &self.restrict(&family, counts));
            } else {
                visit(index, counts);
            }
        })
    }
}

/// The available-case score of a family: its score above that of the child alone, both on the rows complete for the family, times the
/// number of all rows for each of them.
pub(super) struct AvailableCase<'a> {
    pub(super) score: &'a dyn Score,
    /// The number of all rows.
    pub(super) rows: u64,
}

impl AvailableCase<'_> {
    fn scaled(&self, counts: &Counts, of: impl Fn(&Counts) -> FamilyScore) -> FamilyScore {
        let alone = marginal(counts);
        let rows: u64 = counts.rows().iter().sum();
        let factor = if rows == 0 { 0.0 } else { self.rows as f64 / rows as f64 };
        let (mut score, alone) = (of(counts), of(&alone));
        score.total = (score.total - alone.total) * factor;
        if let (Some(terms), Some(alone)) = (&mut score.by_data_set, &alone.by_data_set) {
            terms.iter_mut().zip(alone).for_each(|(term, alone)| *term = (*term - alone) * factor);
        }
        score
    }
}

impl Score for AvailableCase<'_> {
    fn name(&self) -> &'static str {
        self.score.name()
    }

    fn family_score(&self, counts: &Counts) -> FamilyScore {
        self.scaled(counts, |counts| self.score.family_score(counts))
    }

    fn explain(&self, counts: &Counts) -> FamilyScore {
        self.scaled(counts, |counts| self.score.explain(counts))
    }

    fn structure_prior(&self) -> StructurePrior {
        self.score.structure_prior()
    }

    fn is_log_evidence(&self) -> bool {
        false
    }

    fn is_score_equivalent(&self) -> bool {
        false
    }

    fn is_pooled(&self) -> bool {
        self.score.is_pooled()
    }
}

/// The counts of the child alone, on the same rows.
fn marginal(counts: &Counts) -> Counts {
    let mut table = vec![vec![vec![0; counts.states()]]; counts.data_sets()];
    for cell in counts.cells() {
        for entry in cell.entries {
            table[entry.data_set][0][cell.state] += entry.count;
        }
    }
    Counts::from_table(&table)
}
