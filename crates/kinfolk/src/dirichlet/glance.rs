//! A glance at the evidence of a family: whether its sum over a grid of s is certain to be below some number, for a small part of the work
//! that the evidence takes (docs/THEORY.md, E55).
//!
//! Families that are of no use to a search are many times more than others. What counts contribute is looked up at places near the centres,
//! from where an expansion of fourth order leads to them; what is then known at one s bounds what other values of s can have. Four
//! configurations are worked on at a time.

#![expect(
    clippy::inline_always,
    reason = "kernels must be compiled for the processor their caller is compiled for"
)]

mod centres;

use std::cell::RefCell;

use self::centres::{Counted, Expanded, Four, Seen, Sums, expand, foresee, longest_left};
use super::columns::{LANES, dispatched, ln};
use super::evidence::{Floor, LIGHTEST, SAFELY, nearest};
use super::gamma::ln_gamma;
use super::known::{Known, remembering};
use super::levels::{Levels, SPACING, with_levels};
use super::outlook::Outlook;
use super::tables::Extent;
use crate::counts::Counts;

/// Values of s looked at, one after the other, until there is a verdict. Families that need more are mostly of use.
const MOST_LOOKS: usize = 5;

/// How many times larger than the s that is about the likeliest the first one to be looked at is: less is known of what is above than of what
/// is below.
const ABOVE: f64 = 2.0;

/// The first s to be looked at is not above this: from there on nothing changes much.
const LARGEST_FIRST: f64 = 200.0;

/// Places looked up for the centres of four configurations at one s: the first are near a guess.
const MOST_PLACES: usize = 5;

/// A centre may be so far from the place that was looked up: no more than a step to the next one, since another would not be much closer.
const CLOSE: f64 = 0.8 * SPACING;

/// What may be missed at an s that was looked at, in nats, once and for every direction in which the centres can vary, beside what the
/// expansions of values leave out: centres are only nearly found, and how φ bends there is known to first order.
const NEARLY: (f64, f64) = (0.05, 0.02);

/// More cells than this, times data sets, are not worth listing.
const MOST_LISTED: usize = 1 << 16;

/// What a thread uses again for every family.
#[derive(Default)]
struct Room {
    states: usize,
    /// What the evidence of a configuration has, whatever its counts are: lnΓ of the number of states.
    constant: f64,
    data_sets: usize,
    /// The counts by configuration, state and data set, if they were not counted so.
    listed: Vec<u32>,
    /// Where the counts of each configuration begin that was observed.
    starts: Vec<usize>,
    /// The rows of every data set in it.
    rows: Vec<u32>,
    /// All cells of each four of them in turn, and where expansions lead.
    cells: Vec<Four>,
    expanded: Vec<Expanded>,
    /// What each data set's rows are weighed with.
    inverses: Vec<f64>,
    /// The largest count.
    largest: u32,
    extent: Extent,
    /// The rows' share of the evidence at every s, which is taken off.
    of_rows: Vec<f64>,
    /// What the evidence is at most at every s.
    most: Vec<f64>,
    looked_at: Vec<bool>,
}

thread_local! {
    static ROOM: RefCell<Room> = RefCell::default();
}

/// What the logarithm of a sum of the evidence over an ascending grid is at most, if a glance is enough to tell that it is below a floor.
pub(super) fn most_if_below(counts: &Counts, grid: &[f64], floor: Floor<'_>) -> Option<f64> {
    if counts.states() < 2 {
        return None;
    }
    ROOM.with_borrow_mut(|room| {
        if room.states != counts.states() {
            (room.states, room.constant) = (counts.states(), ln_gamma(counts.states() as f64));
        }
        room.data_sets = counts.data_sets();
        if let Some(table) = counts.dense_by_data_set() {
            return room.judge(table, grid, floor);
        }
        let listed = room.list(counts)?;
        let verdict = room.judge(&listed, grid, floor);
        room.listed = listed;
        verdict
    })
}

impl Room {
    /// The counts of all cells of the observed configurations, if they are not too many.
    fn list(&mut self, counts: &Counts) -> Option<Vec<u32>> {
        let size = self.states * self.data_sets;
        let length =
            counts.observed_configurations().checked_mul(size).filter(|&length| length <= MOST_LISTED)?;
        let mut listed = std::mem::take(&mut self.listed);
        listed.clear();
        listed.resize(length, 0);
        for (configuration, listed) in counts.configurations().zip(listed.chunks_exact_mut(size)) {
            for cell in configuration.cells() {
                for entry in cell.entries {
                    // What is too large for any glance is seen to be so.
                    listed[cell.state * self.data_sets + entry.data_set] =
                        u32::try_from(entry.count).unwrap_or(u32::MAX);
                }
            }
        }
        Some(listed)
    }

    /// Looks at some values of s, until there is a verdict.
    fn judge(&mut self, table: &[u32], grid: &[f64], floor: Floor<'_>) -> Option<f64> {
        survey(self, table);
        // The rows of a configuration are added up in 32 bits.
        let are_rows_exact = u32::try_from(u64::from(self.largest) * self.states as u64).is_ok();
        if !are_rows_exact || self.starts.is_empty() {
            return None;
        }
        self.add_rows(grid);
        let mut here = nearest(grid, (ABOVE * likely(self, table)).min(LARGEST_FIRST));
        guess(self, table, grid[here]);
        let mut ln_s = grid[here].ln();
        self.most.clear();
        self.most.resize(grid.len(), f64::INFINITY);
        self.looked_at.clear();
        self.looked_at.resize(grid.len(), false);
        for _ in 0..MOST_LOOKS {
            let step = grid[here].ln() - ln_s;
            ln_s += step;
            let seen = with_levels(|levels| look_at(self, levels, table, grid[here], step))?;
            let value = seen.found.value - self.of_rows[here];
            if value.is_nan() || value >= floor.least + LIGHTEST {
                return None;
            }
            self.note(grid, here, value, &seen);
            let most = floor.sum(&self.most);
            if most < floor.least {
                return Some(most);
            }
            here = self.next(here)?;
        }
        None
    }

    /// Where to look next: half way to where least is known, since what is seen there bounds what is on either side.
    fn next(&self, here: usize) -> Option<usize> {
        let unseen = (0..self.most.len()).filter(|&place| !self.looked_at[place]);
        let highest = unseen.max_by(|&one, &other| self.most[one].total_cmp(&self.most[other]))?;
        let between = here.min(highest)..=here.max(highest);
        let nearest =
            between.filter(|&place| self.looked_at[place]).min_by_key(|place| place.abs_diff(highest));
        let middle = nearest.map_or(highest, |nearest| usize::midpoint(nearest, highest));
        Some(if self.looked_at[middle] { highest } else { middle })
    }

    /// The rows' share at every s.
    fn add_rows(&mut self, grid: &[f64]) {
        let Self { of_rows, rows, .. } = self;
        of_rows.clear();
        of_rows.resize(grid.len(), 0.0);
        remembering(grid, |known| add_risings(known, rows, of_rows));
    }

    /// Notes what was seen at one s, and what it says of those that were not looked at.
    fn note(&mut self, grid: &[f64], here: usize, value: f64, Seen { found, doubt }: &Seen) {
        let outlook = Outlook::new(grid[here], value, found, self.extent);
        let slopes = remembering(grid, |known| sum_of_slopes(known, &self.rows, here));
        self.looked_at[here] = true;
        self.most[here] = value + found.error + NEARLY.0 + NEARLY.1 * self.extent.directions;
        for other in (0..grid.len()).filter(|&other| !self.looked_at[other]) {
            let bound = if other < here {
                outlook.below_by_three(grid[other], self.of_rows[here] - self.of_rows[other])
            } else {
                outlook.above(grid[other], slopes)
            };
            // What is no number says nothing.
            self.most[other] = self.most[other].min(bound + doubt + SAFELY);
        }
    }
}

impl Floor<'_> {
    /// The logarithm of the sum over a grid.
    fn sum(&self, values: &[f64]) -> f64 {
        let top = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if top >= self.least + LIGHTEST {
            return top;
        }
        let terms = self.weights.iter().zip(values).map(|(weight, value)| weight * (value - top).exp());
        top + terms.sum::<f64>().ln()
    }
}

dispatched! {
    /// Adds up lnΓ(s + n) − lnΓ(s) at every s.
    add_risings, add_risings_body, add_risings_avx2, (known: &mut Known, rows: &[u32], sums: &mut [f64])
}

#[inline(always)]
fn add_risings_body(known: &mut Known, rows: &[u32], sums: &mut [f64]) {
    for &rows in rows {
        let risings = known.ln_risings(rows.into());
        sums.iter_mut().zip(risings).for_each(|(sum, rise)| *sum += rise);
    }
}

dispatched! {
    /// The first three derivatives in ln s of the same at one s.
    sum_of_slopes, sum_of_slopes_body, sum_of_slopes_avx2, (known: &mut Known, rows: &[u32], grid_point: usize) -> [f64; 3]
}

#[inline(always)]
fn sum_of_slopes_body(known: &mut Known, rows: &[u32], grid_point: usize) -> [f64; 3] {
    known.sum_of_slopes(rows, grid_point)
}

dispatched! {
    /// Finds the configurations that were observed, and adds up what is the same at every s.
    survey, survey_body, survey_avx2, (room: &mut Room, table: &[u32])
}

#[inline(always)]
fn survey_body(room: &mut Room, table: &[u32]) {
    let (states, data_sets) = (room.states, room.data_sets);
    room.starts.clear();
    room.rows.clear();
    room.cells.clear();
    (room.largest, room.extent) = (0, Extent::default());
    let (mut in_cells, mut in_tables, mut most_rows) = (0, 0, 0);
    for (index, configuration) in table.chunks_exact(states * data_sets).enumerate() {
        let first = room.rows.len();
        room.rows.resize(first + data_sets, 0);
        let rows = &mut room.rows[first..];
        for cell in configuration.chunks_exact(data_sets) {
            for (rows, &count) in rows.iter_mut().zip(cell) {
                *rows = rows.wrapping_add(count);
                room.largest = room.largest.max(count);
            }
        }
        let saw: u32 = rows.iter().map(|&rows| u32::from(rows > 0)).sum();
        if saw == 0 {
            room.rows.truncate(first);
            continue;
        }
        in_tables += saw;
        most_rows = rows.iter().copied().fold(most_rows, u32::max);
        let lane = room.starts.len() % LANES;
        if lane == 0 {
            // What stands for no configuration has a centre, too.
            room.cells.resize(room.cells.len() + states, Four { ln_centre: [1.0; LANES], ..Four::default() });
        }
        room.starts.push(index * states * data_sets);
        let first = room.cells.len() - states;
        for (four, cell) in room.cells[first..].iter_mut().zip(configuration.chunks_exact(data_sets)) {
            in_cells += cell.iter().map(|&count| u32::from(count > 0)).sum::<u32>();
            four.above_eight[lane] = f64::from(cell.iter().map(|&count| u32::from(count > 8)).sum::<u32>());
        }
    }
    room.extent = Extent {
        in_cells: f64::from(in_cells),
        in_tables: f64::from(in_tables),
        most_rows: f64::from(most_rows),
        directions: (room.starts.len() * (states - 1)) as f64,
    };
}

dispatched! {
    /// About which s is likely: the one with which the data sets' shares vary as much as they do, by their second moments.
    likely, likely_body, likely_avx2, (room: &mut Room, table: &[u32]) -> f64
}

#[inline(always)]
fn likely_body(room: &mut Room, table: &[u32]) -> f64 {
    let (states, data_sets) = (room.states, room.data_sets);
    let (mut excess, mut by_more_rows) = (0.0, 0.0);
    for (&start, rows) in room.starts.iter().zip(room.rows.chunks_exact(data_sets)) {
        room.inverses.clear();
        // A data set that saw nothing has nothing to be divided.
        room.inverses.extend(rows.iter().map(|&rows| 1.0 / f64::from(rows.max(1))));
        let (mut squares, mut all, mut seen) = (0.0, 0.0, 0.0);
        for cell in table[start..][..states * data_sets].chunks_exact(data_sets) {
            let (mut sum, mut square) = (0.0, 0.0);
            for (&count, inverse) in cell.iter().zip(&room.inverses) {
                let count = f64::from(count);
                sum += count;
                square += count * count * inverse;
            }
            squares += if sum > 0.0 { square / sum } else { 0.0 };
            all += sum;
            seen += if sum > 0.0 { 1.0 } else { 0.0 };
        }
        let saw = rows.iter().map(|&rows| u32::from(rows > 0)).sum::<u32>();
        // Pearson's statistic is about its degrees of freedom, and more by the share of rows that are alike within a data set.
        let free = (seen - 1.0) * f64::from(saw - 1);
        excess += all * (squares - 1.0) - free;
        by_more_rows += free * (all / f64::from(saw) - 1.0);
    }
    if excess > 0.0 { (by_more_rows - excess) / excess } else { f64::INFINITY }
}

dispatched! {
    /// Guesses where the centres are: a row weighs the less the more others of its data set there are, since what they have in common they
    /// say together.
    guess, guess_body, guess_avx2, (room: &mut Room, table: &[u32], s: f64)
}

#[inline(always)]
fn guess_body(room: &mut Room, table: &[u32], s: f64) {
    let (states, data_sets) = (room.states, room.data_sets);
    for (index, (&start, rows)) in room.starts.iter().zip(room.rows.chunks_exact(data_sets)).enumerate() {
        room.inverses.clear();
        room.inverses.extend(rows.iter().map(|&rows| s / (s + f64::from(rows))));
        let cells = &mut room.cells[index / LANES * states..][..states];
        let (lane, mut total) = (index % LANES, 0.0);
        let counts = table[start..][..states * data_sets].chunks_exact(data_sets);
        for (cell, counts) in cells.iter_mut().zip(counts) {
            let weighed = counts.iter().zip(&room.inverses).map(|(&count, weight)| f64::from(count) * weight);
            let weight = 1.0 + weighed.sum::<f64>();
            cell.ln_centre[lane] = weight;
            total += weight;
        }
        let inverse = 1.0 / total;
        cells.iter_mut().for_each(|cell| cell.ln_centre[lane] *= inverse);
    }
    for cell in &mut room.cells {
        for lane in 0..LANES {
            cell.ln_centre[lane] = ln(cell.ln_centre[lane]);
        }
    }
}

dispatched! {
    /// The evidence at an s, so far from the last one in its logarithm; nothing if a centre is not found.
    look_at, look_at_body, look_at_avx2, (room: &mut Room, levels: &mut Levels, table: &[u32], s: f64, step: f64) -> Option<Seen>
}

#[inline(always)]
fn look_at_body(room: &mut Room, levels: &mut Levels, table: &[u32], s: f64, step: f64) -> Option<Seen> {
    let ln_s = ln(s);
    let (states, data_sets, largest) = (room.states, room.data_sets, room.largest);
    let counted = Counted { table, data_sets, largest };
    let mut sums = Sums::with(room.constant);
    room.expanded.resize(states, Expanded::default());
    for (cells, starts) in room.cells.chunks_exact_mut(states).zip(room.starts.chunks(LANES)) {
        foresee(cells, step);
        if starts.len() < LANES {
            // What stands for no configuration is even.
            let even = [-ln(states as f64); LANES];
            room.expanded.fill(Expanded { ln_place: even, ..Expanded::default() });
        }
        let mut found = false;
        for _ in 0..MOST_PLACES {
            for (state, both) in cells.iter().zip(&mut room.expanded).enumerate() {
                counted.look_up(levels, both, (starts, state), ln_s)?;
            }
            expand(&mut room.expanded);
            for (cell, expanded) in cells.iter_mut().zip(&room.expanded) {
                for lane in 0..LANES {
                    cell.ln_centre[lane] = expanded.ln_place[lane] + expanded.left[lane];
                }
            }
            if longest_left(&room.expanded) <= CLOSE {
                found = true;
                break;
            }
        }
        if !found {
            return None;
        }
        sums.add(cells, &mut room.expanded, starts.len(), s);
    }
    Some(sums.seen())
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::outlook::tests::random_counts;
    use super::super::tables::Cells;
    use super::*;
    use crate::dirichlet::evidence;

    const GRID: [f64; 12] = [0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 200.0, 1000.0, 10_000.0];

    /// A room that was filled with a family, and its counts.
    fn filled(counts: &Counts) -> (Room, Vec<u32>) {
        let mut room = Room { states: counts.states(), data_sets: counts.data_sets(), ..Room::default() };
        room.constant = ln_gamma(counts.states() as f64);
        let table = room.list(counts).expect("it is small");
        survey(&mut room, &table);
        room.add_rows(&GRID);
        (room, table)
    }

    #[test]
    fn what_is_seen_is_near_the_evidence() {
        let mut random = ChaCha8Rng::seed_from_u64(8);
        for _ in 0..1000 {
            let counts = random_counts(&mut random);
            let (mut room, table) = filled(&counts);
            let first = random.random_range(0..GRID.len());
            guess(&mut room, &table, GRID[first]);
            let mut before = first;
            // From any s to any other.
            for here in [first, random.random_range(0..GRID.len()), random.random_range(0..GRID.len())] {
                let step = GRID[here].ln() - GRID[before].ln();
                before = here;
                let found = with_levels(|levels| look_at(&mut room, levels, &table, GRID[here], step));
                let Some(Seen { found, .. }) = found else { break };
                let (value, exact) =
                    (found.value - room.of_rows[here], evidence(&counts, Cells::Row, GRID[here]));
                assert!(
                    (value - exact).abs() < found.error + NEARLY.0 + NEARLY.1 * room.extent.directions,
                    "s = {}: {value} not {exact}, {counts:?}",
                    GRID[here]
                );
                assert!(found.error < 0.5 || room.extent.most_rows > 2000.0, "{}", found.error);
            }
        }
    }

    #[test]
    fn what_is_judged_too_low_at_a_glance_is_too_low() {
        let mut random = ChaCha8Rng::seed_from_u64(9);
        let weights = [1.0 / GRID.len() as f64; GRID.len()];
        let mut judged = 0;
        for _ in 0..3000 {
            let counts = random_counts(&mut random);
            let values = GRID.map(|s| evidence(&counts, Cells::Row, s));
            let exact = Floor { weights: &weights, least: f64::MAX }.sum(&values);
            let floor = Floor { weights: &weights, least: exact + random.random_range(-1.0..30.0) };
            if let Some(most) = most_if_below(&counts, &GRID, floor) {
                assert!(exact <= most && most < floor.least, "{exact}, {most}, {floor:?}, {counts:?}");
                judged += 1;
            }
        }
        // Most of those for which that can be said are found.
        assert!(judged > 2000, "{judged}");
    }

    #[test]
    fn rows_that_cannot_be_added_up_are_not_judged() {
        let weights = [1.0 / GRID.len() as f64; GRID.len()];
        // Any evidence is below this.
        let floor = Floor { weights: &weights, least: 1e15 };
        let of = |count: u64| Counts::from_table(&[vec![vec![count, count]], vec![vec![count / 2, count]]]);
        assert!(most_if_below(&of(100_000), &GRID, floor).is_some());
        assert_eq!(most_if_below(&of(3_000_000_000), &GRID, floor), None);
    }

    #[test]
    fn wide_registers_give_the_same_bits() {
        let mut random = ChaCha8Rng::seed_from_u64(10);
        for _ in 0..100 {
            let counts = random_counts(&mut random);
            let ((mut wide, table), (mut plain, _)) = (filled(&counts), filled(&counts));
            survey_body(&mut plain, &table);
            assert_eq!(likely(&mut wide, &table).to_bits(), likely_body(&mut plain, &table).to_bits());
            guess(&mut wide, &table, 5.0);
            guess_body(&mut plain, &table, 5.0);
            for (s, step) in [(5.0, 0.0), (10.0, 2.0_f64.ln())] {
                let a = with_levels(|levels| look_at(&mut wide, levels, &table, s, step));
                let b = with_levels(|levels| look_at_body(&mut plain, levels, &table, s, step));
                let bits = |seen: &Option<Seen>| seen.as_ref().map(|seen| seen.found.value.to_bits());
                assert_eq!(bits(&a), bits(&b));
            }
        }
    }
}
