//! Encodes raw columns as related data: determines each column's states and encodes the counted rows.

use std::collections::BTreeSet;

use super::copies::{Binned, Copies, find_copies};
use super::description::{DataSetDescription, Description, Note, VariableDescription, VariableKind};
use super::discretize::{Bins, Discretization, DiscretizationTarget, SortedValues};
use super::error::{DataError, ManyStates};
use super::levels::{self, Levels, number, state_code};
use super::missing::{MISSING_LABEL, MissingCells, MissingTest};
use super::options::{DEFAULT_NA, Missing, ReadOptions};
use super::profile::is_quantity;
use super::raw::{Files, RawColumn};
use super::read::Reading;
use super::rows::{RowOrder, Rows};
use super::{CellMask, Column, DataSetId, RelatedData, Schema, Variable, VariableId};

/// Encodes raw columns as variables, one after another.
pub(super) struct Encoder<'a> {
    pub(super) options: &'a ReadOptions,
    missing: MissingTest<'a>,
    files: Files,
    notes: Notes,
}

/// Notes collected while encoding; some list several columns.
#[derive(Default)]
struct Notes {
    all: Vec<Note>,
    respelt: Vec<(String, (String, String))>,
    not_discretized: Vec<String>,
    /// Columns of numbers whose values are states, with the number of values.
    numbers: Vec<(String, usize)>,
}

/// A column's states before its rows are encoded.
struct Decided {
    levels: Levels,
    kind: VariableKind,
}

/// Classification of one column's codes.
pub(super) struct CodeUse {
    /// Codes that mean missing.
    missing: Vec<bool>,
    /// Nonmissing codes that occur in some row that is not dropped.
    pub(super) seen: Vec<bool>,
}

impl CodeUse {
    /// Finds the codes that define a column's states.
    pub(super) fn new(column: &RawColumn, missing: Vec<bool>, rows: &Rows) -> Self {
        if !rows.any_dropped() {
            // Without dropped rows, every dictionary entry occurs in some row.
            return Self { seen: missing.iter().map(|missing| !missing).collect(), missing };
        }
        let mut seen = vec![false; missing.len()];
        for (row, code) in column.codes.iter().enumerate() {
            if !rows.is_dropped(row) {
                seen[code as usize] = true;
            }
        }
        for (seen, missing) in seen.iter_mut().zip(&missing) {
            *seen &= !missing;
        }
        Self { missing, seen }
    }

    /// The states of a column that occur only in dropped rows.
    fn lost(&self, column: &RawColumn) -> Vec<String> {
        let all = levels::union(
            &column.dictionary,
            &self.missing.iter().map(|missing| !missing).collect::<Vec<_>>(),
        );
        let mut lost = vec![true; all.states.len()];
        for (state, _) in all.of_code.iter().zip(&self.seen).filter(|(_, seen)| **seen) {
            if let Some(state) = state {
                lost[*state as usize] = false;
            }
        }
        all.states.into_iter().zip(lost).filter(|(_, lost)| *lost).map(|(state, _)| state).collect()
    }
}

impl<'a> Encoder<'a> {
    pub(super) fn new(options: &'a ReadOptions, files: Files, notes: Vec<Note>) -> Self {
        let missing = MissingTest::new(&options.na);
        Self { options, missing, files, notes: Notes { all: notes, ..Notes::default() } }
    }

    /// Encodes and describes all columns.
    pub(super) fn encode(
        mut self,
        columns: Vec<RawColumn>,
        mut rows: Rows,
        id: Option<&RawColumn>,
    ) -> Result<Reading, DataError> {
        let missing_codes: Vec<Vec<bool>> = columns.iter().map(|column| self.missing.codes(column)).collect();
        let mut found = MissingCells::count(&columns, &missing_codes, &rows);
        let (order, dropped) = self.choose_rows(&columns, &mut found, &mut rows, id)?;
        let mut joined = self.join_bins(&columns, &missing_codes, &rows).into_iter();
        let (mut variables, mut encoded, mut described) = (Vec::new(), Vec::new(), Vec::new());
        let mut masks = Vec::new();
        let mut binned = Vec::new();
        let (mut too_many, mut unobserved) = (Vec::new(), Vec::new());
        for ((column, missing), counts) in columns.into_iter().zip(missing_codes).zip(found.counts) {
            let codes = CodeUse::new(&column, missing, &rows);
            let joined = joined.next().expect("one entry per column");
            let mut decided = self.decide(&column, &codes, &rows, joined)?;
            let values = decided.levels.states.len();
            if decided.kind == VariableKind::Categorical && values > self.options.max_states {
                let stray = self.stray(&column.name, &decided.levels.states);
                let numeric = decided.levels.states.iter().all(|state| number(state).is_some());
                too_many.push(ManyStates { column: column.name, values, numeric, stray });
                continue;
            }
            if self.options.missing == Missing::Level && counts.iter().any(|&count| count > 0) {
                add_missing_state(&mut decided.levels, &column, &codes)?;
            }
            let keeps_cells = self.options.missing.keeps_cells();
            let mask = if keeps_cells { find_missing(&column.codes, &codes, &order) } else { None };
            if mask.is_some() && !order.rows.iter().any(|&row| codes.seen[column.codes.get(row) as usize]) {
                unobserved.push(column.name);
                continue;
            }
            if decided.levels.states.is_empty() {
                return Err(DataError::NoState { column: column.name });
            }
            self.note(&column, &codes, &decided, rows.any_dropped());
            if matches!(decided.kind, VariableKind::Discretized { .. }) {
                let numbers = order.rows.iter().map(|&row| column.codes.get(row)).collect();
                binned.push(Binned { variable: VariableId::new(variables.len()), numbers });
            }
            let codes = encode_rows(column.codes, &decided.levels, &order);
            let states = decided.levels.states;
            let present = find_present(&codes, states.len(), &order, mask.as_ref());
            let in_any = |state: usize| present.iter().any(|present| present[state]);
            let constant = (0..states.len()).filter(|&state| in_any(state)).count() <= 1;
            let absent = |present: &Vec<bool>| {
                states
                    .iter()
                    .zip(present)
                    .filter(|(_, present)| !**present)
                    .map(|(state, _)| state.clone())
                    .collect()
            };
            described.push(VariableDescription {
                name: column.name.clone(),
                absent: present.iter().map(absent).collect(),
                states: states.clone(),
                kind: decided.kind,
                constant,
                missing: counts,
            });
            variables.push(Variable { name: column.name, states, constant });
            encoded.push(codes);
            masks.push(mask);
        }
        if !unobserved.is_empty() {
            return Err(DataError::NothingObserved { columns: unobserved });
        }
        if !too_many.is_empty() {
            return Err(DataError::TooManyStates { max_states: self.options.max_states, columns: too_many });
        }
        let mut notes = self.finish_notes(&variables);
        let RowOrder { starts, weights, .. } = order;
        let schema = Schema::new(variables, rows.data_sets);
        let data = RelatedData::new(schema, encoded, starts, weights).with_missing(masks);
        note_gaps(&data, &mut notes);
        if let Some(Copies { rows, pairs, expected }) = find_copies(&data, &binned) {
            // Tenths are enough to compare, and notes are compared for equality.
            let expected = format!("{expected:.1}");
            notes.push(Note::Copies { rows, pairs, expected });
        }
        let data_sets = describe_data_sets(&data, &dropped);
        Ok(Reading { data, description: Description { data_sets, variables: described, notes } })
    }

    /// Drops the rows that the options drop, and draws one row of every subject. Returns the rows that count, and the number of
    /// dropped rows by data set.
    fn choose_rows(
        &mut self,
        columns: &[RawColumn],
        found: &mut MissingCells,
        rows: &mut Rows,
        id: Option<&RawColumn>,
    ) -> Result<(RowOrder, Vec<u64>), DataError> {
        if !found.incomplete.is_empty() {
            match self.options.missing {
                Missing::Refuse => {
                    return Err(DataError::Missing(std::mem::take(found).table(columns, rows)));
                }
                Missing::DropRows => rows.drop_rows(std::mem::take(&mut found.incomplete)),
                Missing::Level | Missing::Impute | Missing::Available => {}
            }
        }
        if let Some(id) = id
            && self.options.missing == Missing::DropRows
        {
            rows.drop_without(&self.missing.codes(id), id);
        }
        let dropped = rows.dropped_by_data_set();
        let without_group = rows.without_group();
        if without_group > 0
            && let Some(column) = &self.options.group
        {
            let column = column.clone();
            self.notes.all.push(Note::RowsWithoutGroup { column, rows: without_group });
        }
        if let Some(id) = id {
            let drawn = rows.draw_one_per_subject(id, self.options.id_seed);
            self.notes.all.push(Note::OneRowPerSubject {
                column: id.name.clone(),
                rows: drawn.rows,
                subjects: drawn.subjects,
                in_several: drawn.in_several,
            });
        }
        let order = rows.order();
        if order.rows.is_empty() && rows.any_dropped() {
            let dropped = dropped.iter().sum::<u64>() + without_group;
            return Err(DataError::AllDropped { dropped });
        }

        if let Some(column) = &self.options.weight
            && order.rows.is_empty()
            && rows.len() > 0
        {
            return Err(DataError::NoWeight { column: column.clone() });
        }
        Ok((order, dropped))
    }

    pub(super) fn declared(&self, column: &str) -> Option<&[String]> {
        self.options.levels.iter().find(|(name, _)| name == column).map(|(_, states)| states.as_slice())
    }

    /// The rule for a column: its own, or else the rule for all columns.
    pub(super) fn rule(&self, column: &str) -> Option<(&DiscretizationTarget, &Discretization)> {
        let rules = &self.options.discretize;
        let own = rules.iter().find(|rule| rule.target.column() == Some(column));
        let rule = own.or_else(|| rules.iter().find(|rule| rule.target == DiscretizationTarget::All))?;
        Some((&rule.target, &rule.method))
    }

    /// The only non-numeric value of a column that the rule for all columns would otherwise discretise;
    /// `None` if there are several.
    fn stray(&self, column: &str, states: &[String]) -> Option<String> {
        let (target, _) = self.rule(column)?;
        let mut strays = states.iter().filter(|state| number(state).is_none());
        let stray = strays.next().filter(|_| *target == DiscretizationTarget::All)?;
        strays.next().is_none().then(|| stray.clone())
    }

    /// Determines a column's states and their source.
    fn decide(
        &mut self,
        column: &RawColumn,
        codes: &CodeUse,
        rows: &Rows,
        joined: Option<Vec<f64>>,
    ) -> Result<Decided, DataError> {
        if let Some(states) = self.declared(&column.name) {
            return self.decide_declared(column, codes, rows, states);
        }
        let rule = self.rule(&column.name).map(|(target, method)| (target.clone(), method.clone()));
        if !column.categories.is_empty()
            && rule.as_ref().is_none_or(|(target, _)| *target == DiscretizationTarget::All)
        {
            return decide_categories(column, codes, self.options.max_states);
        }
        if let Some((target, method)) = rule
            && let Some(decided) = self.discretize((column, codes), rows, &target, method, joined)?
        {
            return Ok(decided);
        }
        let levels = levels::union(&column.dictionary, &codes.seen);
        Ok(Decided { levels, kind: VariableKind::Categorical })
    }

    fn decide_declared(
        &self,
        column: &RawColumn,
        codes: &CodeUse,
        rows: &Rows,
        states: &[String],
    ) -> Result<Decided, DataError> {
        if let Some(level) = states.iter().find(|level| self.missing.is_missing(&column.name, level)) {
            return Err(DataError::LevelMeansMissing { column: column.name.clone(), level: level.clone() });
        }
        let levels = levels::declared(&column.dictionary, &codes.seen, states);
        let unknown = |code: usize| codes.seen[code] && levels.of_code[code].is_none();
        if (0..codes.seen.len()).any(unknown)
            && let Some((file, row, state)) = self.locate(column, rows, unknown)
        {
            let states = states.len();
            return Err(DataError::UnknownState { file, row, column: column.name.clone(), state, states });
        }
        Ok(Decided { levels, kind: VariableKind::Declared })
    }

    /// Discretises a numeric column, unless only the rule for all columns applies and does not fit.
    fn discretize(
        &mut self,
        (column, codes): (&RawColumn, &CodeUse),
        rows: &Rows,
        target: &DiscretizationTarget,
        method: Discretization,
        joined: Option<Vec<f64>>,
    ) -> Result<Option<Decided>, DataError> {
        let for_all = *target == DiscretizationTarget::All;
        let values: Vec<Option<f64>> = column.dictionary.iter().map(|text| number(text)).collect();
        let not_numeric = |code: usize| codes.seen[code] && values[code].is_none();
        let all_numeric = !(0..values.len()).any(not_numeric);
        if for_all && (!all_numeric || !codes.seen.contains(&true)) {
            return Ok(None);
        }
        if !all_numeric && let Some((file, row, value)) = self.locate(column, rows, not_numeric) {
            return Err(DataError::NotNumeric { file, row, column: column.name.clone(), value });
        }
        let sample = sample_of(column, &codes.seen, rows);
        let by_bins = !matches!(method, Discretization::Cuts(_));
        if for_all && by_bins && sample.distinct() <= method.bins() {
            self.notes.not_discretized.push(column.name.clone());
            return Ok(None);
        }
        let bins = match joined {
            Some(cuts) => Bins::at(cuts, &sample),
            None => Bins::choose(&method, &sample),
        };
        if bins.labels.len() < method.bins() && !bins.labels.is_empty() {
            let (column, bins) = (column.name.clone(), bins.labels.len());
            self.notes.all.push(Note::FewerBins { column, asked: method.bins(), bins });
        }
        let bin =
            |code: usize| if codes.seen[code] { Some(state_code(bins.of(values[code]?))) } else { None };
        let of_code = (0..values.len()).map(bin).collect();
        let levels = Levels { states: bins.labels, of_code, respelt: None };
        Ok(Some(Decided { levels, kind: VariableKind::Discretized { method, cuts: bins.cuts } }))
    }

    /// The first undropped row whose code satisfies the predicate, with its text.
    fn locate(
        &self,
        column: &RawColumn,
        rows: &Rows,
        such: impl Fn(usize) -> bool,
    ) -> Option<(String, u64, String)> {
        let mut codes = column.codes.iter().enumerate();
        let (row, code) = codes.find(|&(row, code)| such(code as usize) && !rows.is_dropped(row))?;
        let (file, row) = self.files.locate(row);
        Some((file, row, column.dictionary[code as usize].clone()))
    }

    fn note(&mut self, column: &RawColumn, codes: &CodeUse, decided: &Decided, any_dropped: bool) {
        if any_dropped && decided.kind == VariableKind::Categorical {
            let states = codes.lost(column);
            if !states.is_empty() {
                self.notes.all.push(Note::StatesDropped { column: column.name.clone(), states });
            }
        }
        if decided.kind == VariableKind::Categorical && are_quantities(&decided.levels.states) {
            self.notes.numbers.push((column.name.clone(), decided.levels.states.len()));
        }
        if let Some(example) = &decided.levels.respelt {
            self.notes.respelt.push((column.name.clone(), example.clone()));
        }
        let is_category = |usual: &&str| column.categories.iter().any(|category| category == usual);
        let is_missing = |usual: &&str| self.missing.is_missing(&column.name, usual);
        for usual in DEFAULT_NA.into_iter().filter(|usual| !is_missing(usual) || is_category(usual)) {
            let is_state = |(text, seen): (&String, &bool)| *seen && text == usual;
            if column.dictionary.iter().zip(&codes.seen).any(is_state) {
                let (column, state) = (column.name.clone(), usual.to_owned());
                self.notes.all.push(Note::MissingSpellingIsState { column, state });
            }
        }
    }

    fn finish_notes(self, variables: &[Variable]) -> Vec<Note> {
        let Notes { all: mut notes, respelt, not_discretized, numbers } = self.notes;
        if let Some(&(_, distinct)) = numbers.first() {
            let columns = numbers.into_iter().map(|(name, _)| name).collect();
            notes.push(Note::NumbersAsStates { columns, distinct });
        }
        if let Some((_, (from, to))) = respelt.first().cloned() {
            notes.push(Note::NumbersRespelt {
                columns: respelt.into_iter().map(|(name, _)| name).collect(),
                from,
                to,
            });
        }
        if !not_discretized.is_empty() {
            let for_all =
                self.options.discretize.iter().find(|rule| rule.target == DiscretizationTarget::All);
            let bins = for_all.map_or(0, |rule| rule.method.bins());
            notes.push(Note::NotDiscretized { columns: not_discretized, bins });
        }
        let constant = variables.iter().filter(|variable| variable.constant);
        let columns: Vec<String> = constant.map(|variable| variable.name.clone()).collect();
        if !columns.is_empty() {
            notes.push(Note::Constant { columns });
        }
        notes
    }
}

/// Whether states are quantities, not codes of categories.
fn are_quantities(states: &[String]) -> bool {
    let numbers: Option<Vec<f64>> =
        states.iter().filter(|state| *state != MISSING_LABEL).map(|state| number(state)).collect();
    numbers
        .is_some_and(|numbers| is_quantity(numbers.len(), numbers.iter().all(|value| value.fract() == 0.0)))
}

/// The values of a numeric column in the rows that count.
pub(super) fn sample_of(column: &RawColumn, seen: &[bool], rows: &Rows) -> SortedValues {
    let mut counts = vec![0; column.dictionary.len()];
    for (row, code) in column.codes.iter().enumerate() {
        if !rows.is_dropped(row) {
            counts[code as usize] += rows.weight(row);
        }
    }
    let values = column.dictionary.iter().zip(counts).zip(seen).filter(|(_, seen)| **seen);
    SortedValues::new(values.filter_map(|((text, count), _)| Some((number(text)?, count))).collect())
}

/// Declared categories in order, then undeclared values of other tables, up to the limit for undeclared
/// columns.
fn decide_categories(column: &RawColumn, codes: &CodeUse, max_states: usize) -> Result<Decided, DataError> {
    let mut states = column.categories.clone();
    let known = levels::declared(&column.dictionary, &codes.seen, &states);
    let is_new = |code: usize| codes.seen[code] && known.of_code[code].is_none();
    let new: Vec<bool> = (0..codes.seen.len()).map(is_new).collect();
    let others = levels::union(&column.dictionary, &new).states;
    let kind = if others.len() > max_states { VariableKind::Categorical } else { VariableKind::Declared };
    states.extend(others);
    let mut seen = BTreeSet::new();
    if let Some(state) = states.iter().find(|state| !seen.insert(state.as_str())) {
        return Err(DataError::CategoryTwice { column: column.name.clone(), state: state.clone() });
    }
    levels::check_declared(&vec![(column.name.clone(), states.clone())])?;
    let levels = levels::declared(&column.dictionary, &codes.seen, &states);
    Ok(Decided { levels, kind })
}

/// Adds a state of missing values as the last state, or uses a declared state of that name.
fn add_missing_state(levels: &mut Levels, column: &RawColumn, codes: &CodeUse) -> Result<(), DataError> {
    let taken = column.dictionary.iter().zip(&codes.seen).any(|(text, seen)| *seen && text == MISSING_LABEL);
    if taken {
        return Err(DataError::MissingLabelTaken { column: column.name.clone(), label: MISSING_LABEL });
    }
    let declared = levels.states.iter().position(|state| state == MISSING_LABEL);
    let state = declared.unwrap_or_else(|| {
        levels.states.push(MISSING_LABEL.to_owned());
        levels.states.len() - 1
    });
    for (of_code, _) in levels.of_code.iter_mut().zip(&codes.missing).filter(|(_, missing)| **missing) {
        *of_code = Some(state_code(state));
    }
    Ok(())
}

/// The codes of the counted rows, in storage order.
fn encode_rows(raw: Column, levels: &Levels, order: &RowOrder) -> Column {
    // One branch-free loop per integer width.
    match &raw {
        Column::U8(_) if order.is_as_read && levels.are_codes() => raw,
        Column::U8(codes) if order.is_as_read => encode_bytes(codes, levels)
            .unwrap_or_else(|| encode_with(|row| usize::from(codes[row]), levels, order)),
        Column::U8(codes) => encode_with(|row| usize::from(codes[row]), levels, order),
        Column::U16(codes) => encode_with(|row| usize::from(codes[row]), levels, order),
        Column::U32(codes) => encode_with(|row| codes[row] as usize, levels, order),
    }
}

/// Encodes all rows in file order, if both codes and states fit in bytes.
fn encode_bytes(codes: &[u8], levels: &Levels) -> Option<Column> {
    let mut state_of = [0; 256];
    for (state, found) in state_of.iter_mut().zip(&levels.of_code) {
        *state = u8::try_from(found.unwrap_or(0)).ok()?;
    }
    Some(Column::U8(codes.iter().map(|&code| state_of[usize::from(code)]).collect()))
}

fn encode_with(code: impl Fn(usize) -> usize, levels: &Levels, order: &RowOrder) -> Column {
    // Codes without a state do not occur in counted rows.
    let state_of: Vec<u32> = levels.of_code.iter().map(|state| state.unwrap_or(0)).collect();
    let narrow: Result<Vec<u8>, _> = state_of.iter().map(|&state| u8::try_from(state)).collect();
    if let Ok(state_of) = narrow {
        return Column::U8(order.rows.iter().map(|&row| state_of[code(row)]).collect());
    }
    let mut codes = Column::for_states(levels.states.len(), order.rows.len());
    for &row in &order.rows {
        codes.push(state_of[code(row)]);
    }
    codes
}

/// For each data set, which states occur.
fn find_present(
    codes: &Column,
    states: usize,
    order: &RowOrder,
    missing: Option<&CellMask>,
) -> Vec<Vec<bool>> {
    order.starts.windows(2).map(|range| codes.present(range[0]..range[1], states, missing)).collect()
}

/// The missing cells of the counted rows, in storage order.
fn find_missing(raw: &Column, codes: &CodeUse, order: &RowOrder) -> Option<CellMask> {
    if !codes.missing.contains(&true) {
        return None;
    }
    CellMask::new(order.rows.iter().map(|&row| codes.missing[raw.get(row) as usize]))
}

/// Notes columns that a data set lacks, and rows without any value.
fn note_gaps(data: &RelatedData, notes: &mut Vec<Note>) {
    if data.is_complete() {
        return;
    }
    let schema = data.schema();
    for (index, name) in schema.data_sets().iter().enumerate() {
        let id = DataSetId::new(index);
        let is_empty = |row: &usize| schema.ids().all(|variable| data.is_missing(variable, *row));
        let empty: u64 = data.rows_of(id).filter(is_empty).map(|row| data.weight(row)).sum();
        if empty > 0 {
            let all = empty == data.rows(id);
            notes.push(Note::NothingObserved { data_set: name.clone(), rows: empty, all });
            if all {
                continue;
            }
        }
        let lacking = schema.ids().filter(|&variable| data.lacks(variable, id));
        let columns: Vec<String> = lacking.map(|variable| schema.variable(variable).name.clone()).collect();
        if !columns.is_empty() {
            notes.push(Note::ColumnsAbsent { data_set: name.clone(), columns });
        }
    }
}

fn describe_data_sets(data: &RelatedData, dropped: &[u64]) -> Vec<DataSetDescription> {
    let names = data.schema().data_sets().iter();
    names
        .enumerate()
        .map(|(index, name)| {
            let id = DataSetId::new(index);
            let rows = data.rows(id);
            DataSetDescription {
                name: name.clone(),
                sources: Vec::new(),
                rows,
                stored_rows: data.rows_of(id).len(),
                dropped_rows: dropped[index],
                empty: rows == 0,
            }
        })
        .collect()
}
