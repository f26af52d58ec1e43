//! Running count, mean and variance (Welford), which can be merged.

/// Count, mean, and sum of squared deviations, by Welford's recurrence, which avoids cancellation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Moments {
    pub(super) rows: u64,
    mean: f64,
    squares: f64,
}

impl Moments {
    /// Adds a value with multiplicity `rows`.
    pub(super) fn add(&mut self, value: f64, rows: u64) {
        self.merge(&Self { rows, mean: value, squares: 0.0 });
    }

    /// Merges other rows (the pairwise update of Chan and others, 1979).
    pub(super) fn merge(&mut self, other: &Self) {
        if other.rows == 0 {
            return;
        }
        let (n, m) = (self.rows as f64, other.rows as f64);
        let apart = other.mean - self.mean;
        self.rows += other.rows;
        self.mean += apart * (m / (n + m));
        self.squares += other.squares + apart * apart * (n * m / (n + m));
    }

    /// The sum; `None` without rows.
    pub(super) fn total(&self) -> Option<f64> {
        self.mean().map(|mean| mean * self.rows as f64)
    }

    /// The mean; `None` without rows.
    pub(super) fn mean(&self) -> Option<f64> {
        (self.rows > 0).then_some(self.mean)
    }

    /// The standard error of the mean for independent rows; `None` for fewer than two.
    pub(super) fn standard_error(&self) -> Option<f64> {
        let n = self.rows as f64;
        (self.rows > 1).then(|| (self.squares / (n - 1.0) / n).sqrt())
    }
}

/// The standard error of the mean over all rows with groups of rows as independent draws: `√(F/(F−1) · Σ_f
/// (n_f (d̄_f − d̄))²) / N`. `None` for fewer than two nonempty groups.
pub(super) fn clustered_error(groups: &[Moments]) -> Option<f64> {
    let mut all = Moments::default();
    groups.iter().for_each(|group| all.merge(group));
    let filled = groups.iter().filter(|group| group.rows > 0);
    let clusters = filled.clone().count() as f64;
    let squares: f64 = filled.map(|group| (group.rows as f64 * (group.mean - all.mean)).powi(2)).sum();
    (clusters > 1.0).then(|| (clusters / (clusters - 1.0) * squares).sqrt() / all.rows as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64]) -> Moments {
        let mut moments = Moments::default();
        values.iter().for_each(|&value| moments.add(value, 1));
        moments
    }

    #[test]
    fn mean_and_error_are_those_by_hand_however_the_rows_are_grouped() {
        // Mean 3, squared deviations 4 + 1 + 0 + 1 + 4 = 10; √(10/4/5) = √0.5.
        let whole = of(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        let mut parts = of(&[5.0, 1.0]);
        parts.merge(&Moments::default());
        parts.merge(&of(&[2.0, 4.0, 3.0]));
        for moments in [whole, parts] {
            assert_eq!((moments.rows, moments.mean()), (5, Some(3.0)));
            assert!((moments.total().unwrap_or_default() - 15.0).abs() < 1e-12);
            assert!((moments.standard_error().unwrap_or_default() - 0.5_f64.sqrt()).abs() < 1e-12);
        }
        assert_eq!(of(&[1.0]).standard_error(), None);
        assert_eq!(of(&[]).mean(), None);
    }

    #[test]
    fn a_weight_is_so_many_rows() {
        let mut weighted = of(&[2.0]);
        weighted.add(7.0, 3);
        let repeated = of(&[2.0, 7.0, 7.0, 7.0]);
        assert_eq!(weighted.rows, repeated.rows);
        assert!((weighted.mean - repeated.mean).abs() < 1e-12);
        assert!((weighted.squares - repeated.squares).abs() < 1e-12);
    }

    #[test]
    fn the_clustered_error_is_the_one_by_hand() {
        // Groups of 1 and 3 rows with means 1 and 5: d̄ = 4, terms 3² and 3², √(2·18)/4.
        let groups = [of(&[1.0]), of(&[5.0, 5.0, 5.0]), of(&[])];
        assert!((clustered_error(&groups).unwrap_or_default() - 1.5).abs() < 1e-12);
        assert_eq!(clustered_error(&groups[..1]), None);
    }
}
