//! Chooses the bins of the columns that are discretised together, by the dependence on all other columns.

use super::discretize::{Bins, Discretization};
use super::encode::{CodeUse, Encoder, sample_of};
use super::hartemink::{self, Joinable};
use super::levels::{self, number, state_code};
use super::raw::RawColumn;
use super::rows::Rows;

impl Encoder<'_> {
    /// The cut points of the columns with joined bins, chosen together; `None` for all other columns.
    pub(super) fn join_bins(
        &self,
        columns: &[RawColumn],
        missing_codes: &[Vec<bool>],
        rows: &Rows,
    ) -> Vec<Option<Vec<f64>>> {
        let wanted = |column: &RawColumn| match self.rule(&column.name) {
            Some((_, Discretization::Hartemink(bins))) if self.declared(&column.name).is_none() => {
                Some(*bins)
            }
            _ => None,
        };
        if !columns.iter().any(|column| wanted(column).is_some()) {
            return vec![None; columns.len()];
        }
        let counted: Vec<usize> =
            (0..rows.len()).filter(|&row| rows.weight(row) > 0 && !rows.is_dropped(row)).collect();
        let weights: Vec<u64> = counted.iter().map(|&row| rows.weight(row)).collect();
        let mut joinable = Vec::with_capacity(columns.len());
        let mut first = Vec::with_capacity(columns.len());
        for (column, missing) in columns.iter().zip(missing_codes) {
            let codes = CodeUse::new(column, missing.clone(), rows);
            let values: Vec<Option<f64>> = column.dictionary.iter().map(|text| number(text)).collect();
            let numeric = values.iter().zip(&codes.seen).all(|(value, seen)| !seen || value.is_some());
            let sample = sample_of(column, &codes.seen, rows);
            let own = wanted(column).filter(|&bins| numeric && sample.distinct() > bins);
            let rule = self.rule(&column.name).filter(|_| numeric && self.declared(&column.name).is_none());
            let bins = match (own, rule) {
                (Some(_), _) => Some(Bins::first(&sample)),
                (None, Some((_, method))) if sample.distinct() > method.bins() => {
                    Some(Bins::choose(method, &sample))
                }
                _ => None,
            };
            let levels = levels::union(&column.dictionary, &codes.seen);
            let (states, of_code): (usize, Vec<Option<u32>>) = match &bins {
                Some(bins) => {
                    let bin = |(value, seen): (&Option<f64>, &bool)| {
                        value.filter(|_| *seen).map(|value| state_code(bins.of(value)))
                    };
                    (bins.cuts.len() + 1, values.iter().zip(&codes.seen).map(bin).collect())
                }
                None => (levels.states.len(), levels.of_code),
            };
            // A column of too many states is refused later; its tables would be large.
            let usable = states <= self.options.max_states;
            let code = |&row: &usize| {
                of_code[column.codes.get(row) as usize].filter(|_| usable).unwrap_or(hartemink::MISSING)
            };
            let codes: Vec<u32> = counted.iter().map(code).collect();
            joinable.push(Joinable { states: if usable { states } else { 0 }, codes, wanted: own });
            first.push(bins.filter(|_| own.is_some()).map(|bins| bins.cuts));
        }
        let ends = hartemink::join(&joinable, &weights);
        let cuts = first.into_iter().zip(ends).map(|(first, ends)| {
            // The last bin ends with the values, not with a cut.
            first.map(|cuts| ends[..ends.len() - 1].iter().map(|&end| cuts[end]).collect())
        });
        cuts.collect()
    }
}
