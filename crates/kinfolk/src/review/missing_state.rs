//! Arcs whose gain comes mainly from rows in which a value is missing and missing is a state.

use super::{Review, Warning, rows};
use crate::counts::{Family, MemoryTally};
use crate::data::{MISSING_LABEL, RelatedData, VariableId};
use crate::score::{ScoreError, Scorer};

/// An arc is reported if the observed rows give less than this share of the gain that they would give if every row gave the
/// same.
const SHARE: f64 = 0.5;

/// An arc of less gain is weak anyway.
const LEAST_GAIN: f64 = 1.098_612_288_668_109_8;

/// The arcs that live mainly in the missing state: the gain of an arc grows with the number of rows, so that its gain without
/// the rows in which either end is missing is compared with the gain in proportion to the rows that are left.
pub(super) fn missing_state_arcs(review: &Review<'_>) -> Result<Vec<Warning>, ScoreError> {
    let schema = review.data.schema();
    let has_state =
        |id: VariableId| schema.variable(id).states.last().is_some_and(|last| last == MISSING_LABEL);
    let mut found = Vec::new();
    for arc in review.arcs {
        let (Some(from), Some(to), Some(gain)) = (schema.find(&arc.from), schema.find(&arc.to), arc.gain)
        else {
            continue;
        };
        let ends: Vec<VariableId> = [from, to].into_iter().filter(|&end| has_state(end)).collect();
        if ends.is_empty() || gain < LEAST_GAIN {
            continue;
        }
        let observed = review.data.without_last_states(&ends);
        let (kept, all) = (rows(&observed), rows(review.data));
        if kept == all {
            continue;
        }
        let observed_gain = gain_of(&observed, review, from, to)?;
        if observed_gain < SHARE * gain * (kept as f64 / all as f64) {
            found.push(Warning::MissingState {
                from: arc.from.clone(),
                to: arc.to.clone(),
                gain,
                observed_gain,
                rows: all - kept,
                of: all,
            });
        }
    }
    Ok(found)
}

/// The decrease of the score without an arc.
fn gain_of(
    data: &RelatedData,
    review: &Review<'_>,
    from: VariableId,
    to: VariableId,
) -> Result<f64, ScoreError> {
    let tally = MemoryTally::by_data_set_or_pooled(data, review.score.is_pooled());
    let tally = match review.memory {
        Some(bytes) => tally.with_memory(bytes),
        None => tally,
    };
    let family = Family::of(review.dag, to);
    let scores = Scorer::new(&tally, review.score).explain(&[family.clone(), family.without(from)])?;
    Ok(scores[0].total - scores[1].total)
}
