//! Medians, repeated timing, and exponents by least squares.

use crate::search::cpu_seconds;

/// The minimum length of one measurement in CPU seconds; shorter work is repeated.
const LONG_ENOUGH: f64 = 0.02;

/// The median; of an even number the mean of the two middle values.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    assert!(!values.is_empty(), "a median needs a value");
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { f64::midpoint(values[middle - 1], values[middle]) }
}

/// The median of the ratios of measurements taken in turns, so that each ratio is of the same state of the machine.
pub(crate) fn median_ratio(over: &[f64], under: &[f64]) -> f64 {
    median(over.iter().zip(under).map(|(over, under)| over / under).collect())
}

/// CPU seconds of one call, averaged over enough calls to measure well.
pub(crate) fn seconds_per_call<E>(mut call: impl FnMut() -> Result<(), E>) -> Result<f64, E> {
    let begun = cpu_seconds();
    let mut calls = 0;
    loop {
        call()?;
        calls += 1;
        let seconds = cpu_seconds() - begun;
        if seconds >= LONG_ENOUGH {
            return Ok(seconds / f64::from(calls));
        }
    }
}

/// The maximal number of measured calls of work that needs preparation, which may take longer than the work.
const MOST_PREPARED: u32 = 50;

/// The same for work that is prepared before every call; the preparation is not measured.
pub(crate) fn seconds_per_prepared_call<T, E>(
    mut prepare: impl FnMut() -> T,
    mut call: impl FnMut(&T) -> Result<(), E>,
) -> Result<f64, E> {
    let (mut seconds, mut calls) = (0.0, 0);
    while calls == 0 || (seconds < LONG_ENOUGH && calls < MOST_PREPARED) {
        let prepared = prepare();
        let begun = cpu_seconds();
        call(&prepared)?;
        seconds += cpu_seconds() - begun;
        calls += 1;
    }
    Ok(seconds / f64::from(calls))
}

/// Several such measurements.
pub(crate) fn prepared_seconds<T, E>(
    repeats: usize,
    mut prepare: impl FnMut() -> T,
    mut call: impl FnMut(&T) -> Result<(), E>,
) -> Result<Vec<f64>, E> {
    (0..repeats).map(|_| seconds_per_prepared_call(&mut prepare, &mut call)).collect()
}

/// The median of several measurements of one call.
pub(crate) fn median_seconds<E>(repeats: usize, mut call: impl FnMut() -> Result<(), E>) -> Result<f64, E> {
    (0..repeats).map(|_| seconds_per_call(&mut call)).collect::<Result<Vec<f64>, E>>().map(median)
}

/// The exponent b of y = a·x^b by least squares of the logarithms.
pub(crate) fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    slope(&logs)
}

/// The slope of a straight line by least squares.
pub(crate) fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (mean_x, mean_y) = (
        points.iter().map(|point| point.0).sum::<f64>() / n,
        points.iter().map(|point| point.1).sum::<f64>() / n,
    );
    let (over, under) = points.iter().fold((0.0, 0.0), |(over, under), (x, y)| {
        (over + (x - mean_x) * (y - mean_y), under + (x - mean_x) * (x - mean_x))
    });
    over / under
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_law_is_recovered() {
        let points: Vec<(f64, f64)> =
            [1.0, 3.0, 10.0].iter().map(|&x: &f64| (x, 5.0 * x.powf(1.5))).collect();
        assert!((exponent(&points) - 1.5).abs() < 1e-12);
    }

    #[test]
    fn medians_take_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        // The last value has no counterpart.
        assert_eq!(median_ratio(&[6.0, 2.0, 12.0], &[3.0, 2.0, 4.0, 9.0]), 2.0);
    }
}
