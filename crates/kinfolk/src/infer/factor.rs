//! Factors as tables of logarithms, and iteration over their products.

use std::borrow::Cow;

use crate::data::VariableId;

/// Log values over the states of some variables; zero is negative infinity.
#[derive(Debug, Clone)]
pub(super) struct Factor<'a> {
    /// The variables, each with its stride in the table.
    scope: Vec<(VariableId, usize)>,
    /// The offset of the first cell.
    offset: usize,
    values: Cow<'a, [f64]>,
}

impl<'a> Factor<'a> {
    /// A view into a table: variables with their strides, and an offset.
    pub(super) fn view(values: &'a [f64], offset: usize, scope: Vec<(VariableId, usize)>) -> Self {
        Self { scope, offset, values: Cow::Borrowed(values) }
    }

    /// A factor that owns its table; the last variable varies fastest.
    pub(super) fn owned(values: Vec<f64>, variables: &[VariableId], states: &[usize]) -> Factor<'static> {
        let mut stride = 1;
        let mut scope: Vec<(VariableId, usize)> = Vec::with_capacity(variables.len());
        for &variable in variables.iter().rev() {
            scope.push((variable, stride));
            stride *= states[variable.index()];
        }
        debug_assert_eq!(stride, values.len(), "one value per cell");
        Factor { scope, offset: 0, values: Cow::Owned(values) }
    }

    pub(super) fn scope(&self) -> impl Iterator<Item = VariableId> + '_ {
        self.scope.iter().map(|&(variable, _)| variable)
    }

    /// The value of a factor without variables.
    pub(super) fn scalar(&self) -> f64 {
        debug_assert!(self.scope.is_empty(), "it has no variable left");
        self.values[self.offset]
    }

    fn stride(&self, variable: VariableId) -> usize {
        self.scope.iter().find(|&&(other, _)| other == variable).map_or(0, |&(_, stride)| stride)
    }
}

/// Passes the sum of the factors' logarithms over the states of `inner` to the callback, once per configuration of `outer`; the
/// last variable of `outer` varies fastest. Cost: the cells over both for each factor, and memory for one slice.
pub(super) fn walk(
    factors: &[Factor<'_>],
    outer: &[VariableId],
    inner: VariableId,
    states: &[usize],
    mut visit: impl FnMut(&[f64]),
) {
    let sizes: Vec<usize> = outer.iter().map(|variable| states[variable.index()]).collect();
    let strides: Vec<usize> = factors.iter().map(|factor| factor.stride(inner)).collect();
    let jumps: Vec<Vec<isize>> = factors.iter().map(|factor| jumps(factor, outer, &sizes)).collect();
    let mut places: Vec<usize> = factors.iter().map(|factor| factor.offset).collect();
    let mut counter = vec![0; outer.len()];
    let mut sums = vec![0.0; states[inner.index()]];
    loop {
        sums.fill(0.0);
        for ((factor, &place), &stride) in factors.iter().zip(&places).zip(&strides) {
            for (state, sum) in sums.iter_mut().enumerate() {
                *sum += factor.values[place + state * stride];
            }
        }
        visit(&sums);
        // Advances the last variable that is below its last state and resets those after it.
        let Some(moved) = (0..outer.len()).rev().find(|&at| counter[at] + 1 < sizes[at]) else { return };
        counter[moved] += 1;
        counter[moved + 1..].fill(0);
        for (place, jumps) in places.iter_mut().zip(&jumps) {
            *place = place.wrapping_add_signed(jumps[moved]);
        }
    }
}

/// The change of a factor's offset when each variable advances by one state and those after it are reset.
fn jumps(factor: &Factor<'_>, outer: &[VariableId], sizes: &[usize]) -> Vec<isize> {
    let mut back = 0;
    let mut jumps = vec![0; outer.len()];
    for at in (0..outer.len()).rev() {
        let stride = isize::try_from(factor.stride(outer[at])).expect("a table fits in memory");
        jumps[at] = stride - back;
        back += stride * isize::try_from(sizes[at] - 1).expect("a table fits in memory");
    }
    jumps
}

/// ln Σ exp; negative infinity if all terms are zero.
pub(super) fn ln_sum(logs: &[f64]) -> f64 {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    largest + logs.iter().map(|&log| (log - largest).exp()).sum::<f64>().ln()
}
