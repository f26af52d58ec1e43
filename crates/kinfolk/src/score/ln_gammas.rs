//! The sums of lnΓ in Eq. (bd): those of the cells of a table less those of its configurations.
//!
//! Counts are small numbers that come again and again, so that what they contribute is looked up as far as tables go; how far they go
//! changes no bit of any sum. (What `dirichlet` remembers of rising factorials is worked out one by one, for few s; here every size of
//! family has a prior of its own, and many counts are large, so that many are worked out at a time.)

use crate::counts::Counts;
use crate::dirichlet::{LANES, LARGE_FROM, large_ln_gammas, ln_gammas};

/// lnΓ(prior + n) − lnΓ(prior) at small counts n.
#[derive(Debug)]
struct Rises {
    prior: f64,
    /// lnΓ(prior).
    none: f64,
    /// One more than there are counts with an entry, and zero there.
    table: Vec<f64>,
    /// How many terms were asked for.
    asked: usize,
}

impl Rises {
    /// The entries of a table at first: from here on all arguments are large.
    const FEW: usize = 8;

    /// The most entries of a table, 32 kB.
    const MOST: usize = 4096;

    /// A table becomes larger when so many terms were asked for in all for each of its entries, so that to make it takes little beside
    /// what would have been worked out without.
    const ASKED: usize = 4;

    /// Those of no prior: it equals none.
    const NONE: Self = Self { prior: f64::NAN, none: 0.0, table: Vec::new(), asked: 0 };

    /// Begins with another prior.
    #[cold]
    fn renew(&mut self, prior: f64) {
        let mut few = [0.0; Self::FEW];
        ln_gammas(&std::array::from_fn::<_, { Self::FEW }, _>(|count| prior + count as f64), &mut few);
        (self.prior, self.none, self.asked) = (prior, few[0], 0);
        self.table.clear();
        self.table.extend(few.map(|value| value - self.none));
        self.table.push(0.0);
    }

    /// Makes the table twice as large.
    #[cold]
    fn grow(&mut self) {
        let counts = self.table.len() - 1;
        let arguments: Vec<f64> = (counts..2 * counts).map(|count| self.prior + count as f64).collect();
        let mut values = vec![0.0; counts];
        large_ln_gammas(&arguments, &mut values);
        self.table.pop();
        self.table.extend(values.iter().map(|value| value - self.none));
        self.table.push(0.0);
    }
}

const _: () = assert!(Rises::FEW as f64 == LARGE_FROM, "the smallest argument of a count without an entry");

/// What a thread uses again for every family.
pub(super) struct LnGammas {
    rises: [Rises; Self::PRIORS],
    /// What some counts contribute, in their order.
    values: [f64; Self::AT_ONCE],
    /// Those of them that are to be worked out.
    places: [usize; Self::AT_ONCE],
    arguments: [f64; Self::AT_ONCE],
    worked_out: [f64; Self::AT_ONCE],
    /// What each cell and each configuration contributes.
    cells: Vec<f64>,
    configurations: Vec<f64>,
    /// The rows of each configuration.
    rows: Vec<u32>,
    /// The same of several data sets together, and those of each cell.
    rows_of_all: Vec<u64>,
    cells_of_all: Vec<u64>,
}

impl LnGammas {
    /// How many priors have tables.
    const PRIORS: usize = 32;

    /// Counts that are looked at together.
    const AT_ONCE: usize = 128;

    pub(super) const NONE: Self = Self {
        rises: [Rises::NONE; Self::PRIORS],
        values: [0.0; Self::AT_ONCE],
        places: [0; Self::AT_ONCE],
        arguments: [0.0; Self::AT_ONCE],
        worked_out: [0.0; Self::AT_ONCE],
        cells: Vec::new(),
        configurations: Vec::new(),
        rows: Vec::new(),
        rows_of_all: Vec::new(),
        cells_of_all: Vec::new(),
    };

    /// The sums of one data set's table, by configuration, then state, with α in every cell and β in every configuration.
    ///
    /// What a configuration contributes is small beside what its cells do, so that each is worked out before it joins the others. Terms are
    /// added one after the other, so that a count of zero changes nothing.
    pub(super) fn of_table(&mut self, alpha: f64, beta: f64, states: usize, table: &[u32]) -> f64 {
        let mut rows = std::mem::take(&mut self.rows);
        rows.clear();
        if states == 2 {
            rows.extend(table.as_chunks::<2>().0.iter().map(|[first, second]| first + second));
        } else {
            rows.extend(table.chunks_exact(states).map(|cells| cells.iter().sum::<u32>()));
        }
        self.look_up(alpha, table, beta, &rows);
        self.rows = rows;
        if states == 2 {
            let pairs = self.cells.as_chunks::<2>().0.iter().zip(&self.configurations);
            return pairs.fold(0.0, |total, ([first, second], rows)| total + (first + second - rows));
        }
        let cells = self.cells.chunks_exact(states).zip(&self.configurations);
        cells.fold(0.0, |total, (cells, rows)| total + (cells.iter().sum::<f64>() - rows))
    }

    /// The sums of what was observed in all data sets together, to the bit those of [`Self::of_table`].
    pub(super) fn of_observed(&mut self, alpha: f64, beta: f64, counts: &Counts) -> f64 {
        let (mut cells, mut rows) =
            (std::mem::take(&mut self.cells_of_all), std::mem::take(&mut self.rows_of_all));
        cells.clear();
        rows.clear();
        for observed in counts.configurations() {
            let first = cells.len();
            cells.extend(observed.cells().map(|cell| cell.total()));
            rows.push(cells[first..].iter().sum());
        }
        self.look_up(alpha, &cells, beta, &rows);
        (self.cells_of_all, self.rows_of_all) = (cells, rows);
        let observed = counts.configurations().zip(&self.configurations);
        observed.fold(0.0, |total, (observed, rows)| {
            total + (self.cells[observed.cell_range()].iter().sum::<f64>() - rows)
        })
    }

    /// What all cells and configurations contribute.
    fn look_up<T: Copy + Into<u64>>(&mut self, alpha: f64, cells: &[T], beta: f64, rows: &[T]) {
        let mut values = std::mem::take(&mut self.cells);
        self.rises(alpha, cells, &mut values);
        self.cells = values;
        let mut values = std::mem::take(&mut self.configurations);
        self.rises(beta, rows, &mut values);
        self.configurations = values;
    }

    /// lnΓ(prior + n) − lnΓ(prior) of some counts n.
    fn rises<T: Copy + Into<u64>>(&mut self, prior: f64, counts: &[T], values: &mut Vec<f64>) {
        let bits = prior.to_bits();
        // Priors of binary families differ in their exponents only, and those of up to so many sizes do not meet.
        #[expect(clippy::cast_possible_truncation, reason = "only the last bits count")]
        let slot = ((bits >> 52) ^ (bits >> 46)) as usize % Self::PRIORS;
        if self.rises[slot].prior != prior {
            self.rises[slot].renew(prior);
        }
        values.clear();
        for counts in counts.chunks(Self::AT_ONCE) {
            let rises = &mut self.rises[slot];
            rises.asked += counts.len();
            if rises.asked > Rises::ASKED * rises.table.len() && rises.table.len() <= Rises::MOST {
                rises.grow();
            }
            let last = rises.table.len() - 1;
            let largest = counts.iter().map(|&count| count.into()).max().unwrap_or_default();
            if largest < last as u64 {
                values.extend(counts.iter().map(|&count| rises.table[index(count)]));
            } else {
                values.extend_from_slice(self.work_out(slot, counts));
            }
        }
    }

    /// What some counts contribute, of which some have no entry in their table.
    fn work_out<T: Copy + Into<u64>>(&mut self, slot: usize, counts: &[T]) -> &[f64] {
        let Rises { prior, none, ref table, .. } = self.rises[slot];
        let last = table.len() - 1;
        let mut large = 0;
        for (place, (value, &count)) in self.values.iter_mut().zip(counts).enumerate() {
            *value = table[index(count).min(last)];
            // Every count is written where the next large one belongs, and stays only if it is large: a branch could not be foreseen.
            (self.places[large], self.arguments[large]) = (place, prior + count.into().cast_signed() as f64);
            large += usize::from(index(count) >= last);
        }
        // What does not fill wide registers would be worked out one by one.
        let filled = large.next_multiple_of(LANES);
        self.arguments[large..filled].fill(LARGE_FROM);
        large_ln_gammas(&self.arguments[..filled], &mut self.worked_out);
        for (&place, value) in self.places[..large].iter().zip(&self.worked_out) {
            self.values[place] = value - none;
        }
        &self.values[..counts.len()]
    }
}

/// A count as a place in a table; if it is no place anywhere, the last one there can be.
fn index(count: impl Into<u64>) -> usize {
    usize::try_from(count.into()).unwrap_or(usize::MAX)
}
