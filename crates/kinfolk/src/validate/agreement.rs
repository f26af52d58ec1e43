//! Compares the verdict on held-out rows with that of the evidence, which explanations give.

use serde::Serialize;

use super::result::{Difference, Verdict};
use super::{ComparedMethod, Scheme};
use crate::score::{Choice, Evidences, UNDECIDED};

/// Whether held-out rows and the evidence of all rows lead to the same conclusion.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Agreement {
    /// The evidences of all rows, as an explanation compares them; averaged over the structures of the splits.
    pub evidence: Evidences,
    /// The treatment of the data sets with the largest evidence.
    pub choice: Choice,
    /// Whether the evidence decides: odds of at least 3 to 1.
    pub decided: bool,
    /// Whether the held-out rows do not contradict it.
    pub agrees: bool,
    /// The comparison in words, with the reason if they contradict each other.
    pub verdict: String,
}

impl Agreement {
    /// Compares the differences between the methods with the evidence; `None` with fewer than two data sets.
    pub(super) fn of(
        evidence: Evidences,
        data_sets: usize,
        scheme: Scheme,
        differences: &[Difference],
    ) -> Option<Self> {
        if data_sets < 2 {
            return None;
        }
        let ranked = evidence.ranked();
        let (choice, decided) = (ranked[0].1, ranked[0].0 - ranked[1].0 >= UNDECIDED);
        let against = |method: ComparedMethod| {
            differences
                .iter()
                .find(|difference| difference.minus == method)
                .map_or(Verdict::Undecided, |difference| difference.verdict)
        };
        let (pooled, separate) = (against(ComparedMethod::Pooled), against(ComparedMethod::Separate));
        let contradiction = match choice {
            _ if !decided => None,
            Choice::Pool if pooled == Verdict::Better => Some(
                "held-out rows are predicted better by related tables than by a pooled one: the data sets \
                 differ in too few families or rows for the evidence, which counts all families together",
            ),
            Choice::Relate if pooled == Verdict::Worse => Some(
                "a pooled table predicts held-out rows better than related ones: the differences between the \
                 data sets are real, but the rows are too few to estimate them",
            ),
            Choice::Relate if separate == Verdict::Worse => Some(
                "separate tables predict held-out rows better than related ones: with many rows the data sets \
                 have little to learn from each other, although their tables have something in common",
            ),
            Choice::Separate if separate == Verdict::Better => Some(
                "held-out rows are predicted better by related tables than by separate ones: tables with little \
                 in common can still help where a data set has few rows",
            ),
            _ => None,
        };
        let finding = match choice {
            _ if !decided => "does not decide whether the data sets are identical, related or unrelated",
            Choice::Pool => "is largest for identical data sets",
            Choice::Relate => "is largest for related data sets",
            Choice::Separate => "is largest for unrelated data sets",
        };
        let silent = decided
            && match choice {
                Choice::Pool => false,
                Choice::Relate => pooled == Verdict::Undecided,
                Choice::Separate => scheme == Scheme::DataSets,
            };
        let verdict = match contradiction {
            Some(why) => format!("The evidence of all rows {finding}, but {why}."),
            None if silent => format!(
                "The evidence of all rows {finding}; the held-out rows are too few to show it, and do not \
                 contradict it."
            ),
            None => format!("The evidence of all rows {finding}; the held-out rows do not contradict it."),
        };
        Some(Self { evidence, choice, decided, agrees: contradiction.is_none(), verdict })
    }
}
