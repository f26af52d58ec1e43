//! Ordinary least squares with standard errors, for a few coefficients.

/// A fitted linear model.
#[derive(Debug, Clone, PartialEq)]
pub struct Law {
    /// The coefficients.
    pub coefficients: Vec<f64>,
    /// Their standard errors.
    pub errors: Vec<f64>,
    /// The coefficient of determination.
    pub r_squared: f64,
}

/// Fits y = X β by the normal equations; `None` if they are singular or there are fewer observations than coefficients.
pub fn fit(x: &[Vec<f64>], y: &[f64]) -> Option<Law> {
    let columns = x.first()?.len();
    if x.len() <= columns {
        return None;
    }
    // The normal matrix augmented by the identity; elimination computes its inverse.
    let mut rows: Vec<Vec<f64>> = (0..columns)
        .map(|i| {
            let products = (0..columns).map(|j| x.iter().map(|line| line[i] * line[j]).sum());
            products.chain((0..columns).map(|j| f64::from(u8::from(i == j)))).collect()
        })
        .collect();
    for pivot in 0..columns {
        let best = (pivot..columns).max_by(|a, b| rows[*a][pivot].abs().total_cmp(&rows[*b][pivot].abs()))?;
        rows.swap(pivot, best);
        let head = rows[pivot][pivot];
        if head.abs() < 1e-9 {
            return None;
        }
        rows[pivot].iter_mut().for_each(|value| *value /= head);
        let chosen = rows[pivot].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(index, _)| *index != pivot) {
            let factor = row[pivot];
            row.iter_mut().zip(&chosen).for_each(|(value, chosen)| *value -= factor * chosen);
        }
    }
    let right: Vec<f64> = (0..columns).map(|i| x.iter().zip(y).map(|(line, y)| line[i] * y).sum()).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let coefficients: Vec<f64> = rows.iter().map(|row| dot(&row[columns..], &right)).collect();
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let residual: f64 = x.iter().zip(y).map(|(line, y)| (y - dot(line, &coefficients)).powi(2)).sum();
    let total: f64 = y.iter().map(|y| (y - mean).powi(2)).sum();
    let variance = residual / (y.len() - columns) as f64;
    let errors = (0..columns).map(|i| (variance * rows[i][columns + i]).sqrt()).collect();
    Some(Law { coefficients, errors, r_squared: 1.0 - residual / total })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_fitted_as_by_hand() {
        // y = 1, 3, 2, 5 at x = 0, 1, 2, 3: slope 1.1, intercept 1.1, residual sum of squares 2.7.
        let x: Vec<Vec<f64>> = (0..4).map(|x| vec![1.0, f64::from(x)]).collect();
        let law = fit(&x, &[1.0, 3.0, 2.0, 5.0]).expect("a line");
        assert!((law.coefficients[0] - 1.1).abs() < 1e-12 && (law.coefficients[1] - 1.1).abs() < 1e-12);
        assert!((law.r_squared - (1.0 - 2.7 / 8.75)).abs() < 1e-12);
        assert!((law.errors[1] - (1.35_f64 / 5.0).sqrt()).abs() < 1e-12);
        assert_eq!(fit(&[vec![1.0, 1.0], vec![2.0, 2.0], vec![3.0, 3.0]], &[1.0, 2.0, 3.0]), None);
    }
}
