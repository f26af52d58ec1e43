//! Discretisation that keeps dependence: joins adjacent bins of several columns so that little of their pairwise mutual
//! information is lost.
//!
//! A. J. Hartemink, *Principled computational methods for the validation and discovery of genetic regulatory networks*, PhD
//! thesis, MIT (2001), section 5.2: every column starts with many bins of about equal numbers of rows. In each round, every
//! column that still has too many bins joins the two adjacent bins that lose least of the total mutual information, which is
//! the sum of the mutual information of the column with every other one. All columns of a round are judged by the bins at its
//! start, so that the order of the columns does not matter. Of equal losses, the join with the fewest rows is made, then the
//! first. Rows without a value in one of two columns do not count for that pair.

/// The number of bins that every column starts with, if it has so many distinct values.
pub(super) const FIRST_BINS: usize = 20;

/// Losses that differ by less are equal: they differ by rounding.
const TIE: f64 = 1e-12;

/// The code of a missing value.
pub(super) const MISSING: u32 = u32::MAX;

/// A column as the rounds see it.
#[derive(Debug, Clone)]
pub(super) struct Joinable {
    /// The number of states; bins are in order.
    pub(super) states: usize,
    /// The state of every row, or [`MISSING`].
    pub(super) codes: Vec<u32>,
    /// The number of bins to end with; `None` if the states stay as they are.
    pub(super) wanted: Option<usize>,
}

/// The joint counts of two columns, as rows of a table by the state of the first.
type Joint = Vec<Vec<f64>>;

/// For every column, the first bins that each of its final bins consists of, as the numbers of their last ones; all bins for
/// a column that stays as it is. `weights` are the multiplicities of the rows.
///
/// Complexity: one pass over the rows for every pair of columns of which one is to be joined, then the square of the columns
/// times the cube of the first bins.
pub(super) fn join(columns: &[Joinable], weights: &[u64]) -> Vec<Vec<usize>> {
    let count = |first: &Joinable, second: &Joinable| -> Joint {
        let mut table = vec![vec![0.0; second.states]; first.states];
        for ((&a, &b), &weight) in first.codes.iter().zip(&second.codes).zip(weights) {
            if a != MISSING && b != MISSING {
                table[a as usize][b as usize] += weight as f64;
            }
        }
        table
    };
    let mut tables: Vec<Vec<Joint>> = columns
        .iter()
        .map(|first| match first.wanted {
            Some(_) => columns.iter().map(|second| count(first, second)).collect(),
            None => Vec::new(),
        })
        .collect();
    let mut rows: Vec<Vec<f64>> = columns
        .iter()
        .map(|column| {
            let mut rows = vec![0.0; column.states];
            for (&code, &weight) in column.codes.iter().zip(weights).filter(|(code, _)| **code != MISSING) {
                rows[code as usize] += weight as f64;
            }
            rows
        })
        .collect();
    let mut ends: Vec<Vec<usize>> = columns.iter().map(|column| (0..column.states).collect()).collect();
    loop {
        let too_many =
            |&index: &usize| columns[index].wanted.is_some_and(|wanted| ends[index].len() > wanted.max(1));
        let joins: Vec<(usize, usize)> = (0..columns.len())
            .filter(too_many)
            .map(|index| (index, cheapest(index, &tables[index], &rows[index])))
            .collect();
        if joins.is_empty() {
            return ends;
        }
        for (index, bin) in joins {
            ends[index].remove(bin);
            let more = rows[index].remove(bin + 1);
            rows[index][bin] += more;
            for table in &mut tables[index] {
                let next = table.remove(bin + 1);
                table[bin].iter_mut().zip(next).for_each(|(count, more)| *count += more);
            }
            for other in tables.iter_mut().filter(|tables| !tables.is_empty()) {
                for row in &mut other[index] {
                    let more = row.remove(bin + 1);
                    row[bin] += more;
                }
            }
        }
    }
}

/// The bin of a column that is best joined with the next one.
fn cheapest(index: usize, tables: &[Joint], rows: &[f64]) -> usize {
    let others = || tables.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, table)| table);
    let totals: Vec<f64> = others().map(|table| table.iter().flatten().sum()).collect();
    let mut best = (0, f64::INFINITY, f64::INFINITY);
    for bin in 0..rows.len() - 1 {
        let loss: f64 =
            others().zip(&totals).map(|(table, total)| loss(&table[bin], &table[bin + 1], *total)).sum();
        let joined = rows[bin] + rows[bin + 1];
        if loss < best.1 - TIE || (loss < best.1 + TIE && joined < best.2) {
            best = (bin, loss, joined);
        }
    }
    best.0
}

/// The loss of mutual information, in nats, from joining two rows of a joint table of that many counts.
fn loss(first: &[f64], second: &[f64], total: f64) -> f64 {
    if total == 0.0 {
        return 0.0;
    }
    let term = |count: f64| if count > 0.0 { count * count.ln() } else { 0.0 };
    let split = |a: f64, b: f64| term(a) + term(b) - term(a + b);
    let cells: f64 = first.iter().zip(second).map(|(&a, &b)| split(a, b)).sum();
    (cells - split(first.iter().sum(), second.iter().sum())) / total
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(codes: &[u32], wanted: Option<usize>) -> Joinable {
        let known = codes.iter().filter(|&&code| code != MISSING);
        let states = known.max().map_or(0, |&most| most as usize + 1);
        Joinable { states, codes: codes.to_vec(), wanted }
    }

    /// The mutual information by its definition.
    fn information(first: &[u32], second: &[u32]) -> f64 {
        let n = first.len() as f64;
        let share = |such: &dyn Fn(u32, u32) -> bool| {
            first.iter().zip(second).filter(|(a, b)| such(**a, **b)).count() as f64 / n
        };
        let mut sum = 0.0;
        for a in 0..=*first.iter().max().unwrap() {
            for b in 0..=*second.iter().max().unwrap() {
                let joint = share(&|x, y| x == a && y == b);
                if joint > 0.0 {
                    sum += joint * (joint / (share(&|x, _| x == a) * share(&|_, y| y == b))).ln();
                }
            }
        }
        sum
    }

    #[test]
    fn the_loss_is_the_difference_of_the_mutual_information() {
        let (first, second) = ([0, 0, 1, 1, 1, 2, 2, 2, 2, 0], [0, 1, 1, 1, 0, 1, 0, 0, 2, 2]);
        for bin in 0..2 {
            let joined: Vec<u32> =
                first.iter().map(|&code| if code > bin { code - 1 } else { code }).collect();
            let mut table = vec![vec![0.0; 3]; 3];
            first.iter().zip(second).for_each(|(&a, b)| table[a as usize][b as usize] += 1.0);
            let found = loss(&table[bin as usize], &table[bin as usize + 1], 10.0);
            let expected = information(&first, &second) - information(&joined, &second);
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn bins_of_equal_distribution_are_joined_first() {
        // By hand: the second column has shares 3/4, 1/4, 1/4, 3/4 of state 0 in the four bins. Joining the middle two loses
        // nothing; joining either outer pair loses a quarter of the information of a table [3 1; 1 3], which is 0.0654 nats.
        let first: Vec<u32> = [0, 1, 2, 3].into_iter().flat_map(|bin| [bin; 4]).collect();
        let second = [0, 0, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1];
        let columns = [column(&first, Some(3)), column(&second, None)];
        assert_eq!(join(&columns, &[1; 16]), [vec![0, 2, 3], vec![0, 1]]);
        let two = [column(&first, Some(2)), column(&second, None)];
        // Then both joins lose the same; both have 12 rows, so that the first is made.
        assert_eq!(join(&two, &[1; 16])[0], [2, 3]);
    }

    #[test]
    fn without_other_columns_the_smallest_bins_are_joined() {
        assert_eq!(join(&[column(&[0, 0, 0, 1, 1, 2, 3], Some(2))], &[1; 7])[0], [0, 3]);
    }

    #[test]
    fn missing_values_and_weights_count_as_rows_do() {
        let first = column(&[0, 1, 2, 0, MISSING, 1], Some(2));
        let second = column(&[0, 0, 1, MISSING, 1, 0], None);
        let weighted = join(&[first, second], &[2, 1, 3, 5, 4, 0]);
        let first = column(&[0, 0, 1, 2, 2, 2, 0, 0, 0, 0, 0], Some(2));
        let second = column(&[0, 0, 0, 1, 1, 1, MISSING, MISSING, MISSING, MISSING, MISSING], None);
        assert_eq!(weighted, join(&[first, second], &[1; 11]));
        assert_eq!(weighted[0], [1, 2]);
    }
}
