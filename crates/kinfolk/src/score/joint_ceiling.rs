//! What the joint Dirichlet priors of BHD can give the rows at most (docs/THEORY.md, E50).
//!
//! Four configurations are worked on at a time.

#![expect(
    clippy::inline_always,
    reason = "kernels must be compiled for the processor their caller is compiled for"
)]

use std::cell::RefCell;

use super::ceiling::XLnX;
use super::tangents::{Below, Even, Sum, Tangents, with_even};
use crate::counts::Counts;
use crate::special::lanes::{LANES, Lanes, dispatched, ln};

/// Newton steps towards the multiplier of a constraint. Any multiplier gives a ceiling; with six steps one family in a thousand fewer was
/// scored by the searches that were tried.
const STEPS: usize = 1;

/// Cells of four configurations each whose memory is kept between two tables: half a megabyte.
const MOST_CELLS: usize = 1 << 13;

/// The slope of what has no weight, below any multiplier by so much that it takes nothing.
const OF_NO_WEIGHT: f64 = -1e300;

/// What is known of four configurations, or of some and others that stand for none, where all is zero.
#[derive(Debug, Clone, Copy, Default)]
struct Four {
    /// How many cells are kept of each: as many as the one with most has. Those that were not seen change nothing, and need not be among them.
    cells: usize,
    /// How many data sets saw each cell, added up, and that number times its logarithm.
    seen: Lanes,
    seen_ln_seen: Lanes,
    /// How many data sets saw the configuration.
    saw: Lanes,
    /// The sum of the slopes of its rows.
    slope: Lanes,
}

/// The same of one cell of each.
#[derive(Debug, Clone, Copy, Default)]
struct FourCells {
    seen: Lanes,
    slope: Lanes,
}

/// w ln a + c·a for four of several that have a common sum of the a.
#[derive(Debug, Clone, Copy)]
struct Shares {
    weight: Lanes,
    slope: Lanes,
}

/// What is added for every data set that saw a configuration to make up for what its product is below its tangent: to c, to what does not
/// depend on α, and to be taken off w.
#[derive(Clone, Copy)]
struct MadeUp {
    weight: f64,
    slope: f64,
    sum: f64,
}

/// What a thread uses again for every table.
#[derive(Default)]
struct Room {
    /// What is known of the cells of one configuration, if not of those that were not seen, and its rows in each data set.
    own: Vec<Sum>,
    rows: Vec<u64>,
    kept: Kept,
}

/// What is kept of a table's configurations in which more than one cell was seen.
#[derive(Default)]
struct Kept {
    /// Four of them at a time, and the cells of each four in turn.
    fours: Vec<Four>,
    cells: Vec<FourCells>,
    /// How many they are.
    added: usize,
    /// What does not depend on α.
    sum: f64,
    shares: Vec<Shares>,
    x_ln_x: Option<XLnX>,
}

thread_local! {
    static ROOM: RefCell<Room> = RefCell::default();
}

/// The largest Σ_f ln p(rows of data set f | α) over all Dirichlet parameters α of the joint cells that sum to s, or somewhat more.
///
/// What the products of 1 + α/i contribute is taken from their tangents at the even prior, where it is looked up. They are concave: those
/// of the cells are not above their tangents, those of the configurations, by which is divided, below theirs by no more than is added. What is
/// left is a sum of w ln α + c·α over the cells of every configuration and then over the configurations, whose maximum is known but for a
/// multiplier.
pub(super) fn joint_dirichlet(counts: &Counts, s: f64) -> f64 {
    let (states, data_sets) = (counts.states(), counts.data_sets());
    let dense = counts.dense_by_data_set();
    // Where only what was observed is stored there may be many numbers of configurations, each with an even prior of its own.
    let shown = dense.map_or_else(
        || counts.observed_configurations().next_power_of_two(),
        |table| table.len() / (states * data_sets),
    );
    let possible = counts.possible_configurations();
    let configurations = if possible == 1.0 { 1 } else { shown.max(2) };
    let largest = counts.rows().iter().copied().max().unwrap_or_default();
    ROOM.with_borrow_mut(|room| {
        room.clear(states, data_sets);
        with_even(s, (configurations, states), largest, |even| {
            if let Some(table) = dense {
                add_dense(room, even, states, data_sets, table);
            } else {
                room.add_observed(even, counts);
            }
            let kept = &mut room.kept;
            // With one cell it is certain what is seen in a configuration, which may have any part of s.
            let all = kept.added as f64 == possible;
            let ceiling = if kept.added == 0 { 0.0 } else { kept.sum + most(kept, even, s, all) };
            kept.give_up_what_is_large();
            ceiling
        })
    })
}

dispatched! {
    /// Adds the configurations of a dense table.
    add_dense, add_dense_body, add_dense_avx2, (room: &mut Room, even: &Even, states: usize, data_sets: usize, table: &[u32])
}

dispatched! {
    /// What is left if the best α are chosen, or somewhat more; whether all of s is divided among the configurations that were added must be said.
    most, most_body, most_avx2, (kept: &mut Kept, even: &Even, s: f64, all: bool) -> f64
}

#[inline(always)]
fn add_dense_body(room: &mut Room, even: &Even, states: usize, data_sets: usize, table: &[u32]) {
    if states == 2 && even.cell.has_all() && even.configuration.has_all() {
        return add_binary(&mut room.kept, even, data_sets, table);
    }
    let Room { own, rows, kept } = room;
    for configuration in table.chunks_exact(states * data_sets) {
        for (own, cell) in own.iter_mut().zip(configuration.chunks_exact(data_sets)) {
            *own = even.cell.sum(cell.iter().map(|&count| u64::from(count)));
        }
        if is_certain(own) {
            continue;
        }
        rows.fill(0);
        for cell in configuration.chunks_exact(data_sets) {
            rows.iter_mut().zip(cell).for_each(|(rows, &count)| *rows += u64::from(count));
        }
        kept.add(even, own, even.configuration.sum(rows.iter().copied()));
    }
}

/// Adds the configurations of a table of two states, whose cells and rows are looked up in one go: none of the sums waits for another.
#[inline(always)]
fn add_binary(kept: &mut Kept, even: &Even, data_sets: usize, table: &[u32]) {
    for configuration in table.chunks_exact(2 * data_sets) {
        let ([mut one, mut other], mut rows) = ([Sum::default(); 2], Sum::default());
        let (ones, others) = configuration.split_at(data_sets);
        for (&in_one, &in_other) in ones.iter().zip(others) {
            let (in_one, in_other) = (u64::from(in_one), u64::from(in_other));
            even.cell.add(in_one, &mut one);
            even.cell.add(in_other, &mut other);
            even.configuration.add(in_one + in_other, &mut rows);
        }
        if !is_certain(&[one, other]) {
            kept.add(even, &[one, other], rows);
        }
    }
}

/// Whether no more than one of a configuration's cells was seen.
#[inline(always)]
fn is_certain(cells: &[Sum]) -> bool {
    cells.iter().filter(|cell| cell.seen > 0).count() < 2
}

impl Room {
    fn clear(&mut self, states: usize, data_sets: usize) {
        self.own.resize(states, Sum::default());
        self.rows.resize(data_sets, 0);
        self.kept.clear();
    }

    /// Adds the configurations that were observed.
    fn add_observed(&mut self, even: &Even, counts: &Counts) {
        let Self { own, rows, kept } = self;
        for configuration in counts.configurations() {
            own.clear();
            let cells = configuration.cells();
            own.extend(cells.map(|cell| even.cell.sum(cell.entries.iter().map(|entry| entry.count))));
            if is_certain(own) {
                continue;
            }
            rows.fill(0);
            for entry in configuration.cells().flat_map(|cell| cell.entries) {
                rows[entry.data_set] += entry.count;
            }
            kept.add(even, own, even.configuration.sum(rows.iter().copied()));
        }
    }
}

impl Kept {
    fn clear(&mut self) {
        self.fours.clear();
        self.cells.clear();
        (self.added, self.sum) = (0, 0.0);
    }

    /// Gives up memory that only few tables need.
    fn give_up_what_is_large(&mut self) {
        if self.cells.capacity() > MOST_CELLS {
            (self.fours, self.cells, self.shares) = (Vec::new(), Vec::new(), Vec::new());
        }
    }

    /// Adds a configuration with what is known of its cells and of its rows.
    #[inline(always)]
    fn add(&mut self, even: &Even, own: &[Sum], rows: Sum) {
        let lane = self.added % LANES;
        if lane == 0 {
            self.fours.push(Four::default());
        }
        self.added += 1;
        let four = self.fours.last_mut().expect("it was just made");
        let first = self.cells.len() - four.cells;
        if own.len() > four.cells {
            four.cells = own.len();
            self.cells.resize(first + own.len(), FourCells::default());
        }
        let x_ln_x = self.x_ln_x.get_or_insert_with(XLnX::new);
        let (mut value, mut slopes, mut seen, mut split) = (0.0, 0.0, 0, 0.0);
        for (cell, own) in self.cells[first..].iter_mut().zip(own) {
            (cell.seen[lane], cell.slope[lane]) = (f64::from(own.seen), own.slope());
            value += own.value();
            slopes += own.slope();
            seen += u64::from(own.seen);
            split += x_ln_x.of(u64::from(own.seen));
        }
        let (seen_ln_seen, seen, saw) = (x_ln_x.of(seen), seen as f64, f64::from(rows.seen));
        let (cell, configuration) = (&even.cell, &even.configuration);
        self.sum += value - rows.value() + (split - seen_ln_seen);
        self.sum += saw * configuration.ln_alpha - seen * cell.ln_alpha;
        self.sum += configuration.alpha * rows.slope() - cell.alpha * slopes;
        (four.seen[lane], four.seen_ln_seen[lane]) = (seen, seen_ln_seen);
        (four.saw[lane], four.slope[lane]) = (saw, rows.slope());
    }
}

#[inline(always)]
fn most_body(kept: &mut Kept, even: &Even, s: f64, all: bool) -> f64 {
    let Kept { fours, cells, shares, .. } = kept;
    let Below { by_logarithm: weight, at_none, slope } = even.below;
    let Tangents { alpha, ln_alpha, .. } = *even.configuration;
    let by_logarithm = MadeUp { weight, slope: weight / alpha, sum: weight * (ln_alpha - 1.0) };
    let by_line = MadeUp { weight: 0.0, slope, sum: at_none };
    let mut sums = Lanes::default();
    let mut highest = [if all { f64::MIN } else { 0.0 }; LANES];
    let over_s = 1.0 / s;
    shares.clear();
    let mut left = &cells[..];
    for four in &*fours {
        let (cells, others) = left.split_at(four.cells);
        left = others;
        let (four, gains) = (*four, gains_from_splits(four, cells, s));
        let slopes: Lanes = std::array::from_fn(|lane| gains[lane] * over_s - four.slope[lane]);
        let mut own = Shares { weight: Lanes::default(), slope: Lanes::default() };
        for lane in 0..LANES {
            let saw = four.saw[lane];
            let (weight, slope) = (four.seen[lane] - saw, slopes[lane]);
            // What the rows' products are below their tangents: by a logarithm, if that leaves something of the weight.
            let is_enough = weight > by_logarithm.weight * saw;
            let chosen = |of_logarithm, of_line| if is_enough { of_logarithm } else { of_line };
            sums[lane] += saw * chosen(by_logarithm.sum, by_line.sum);
            let weight = weight - saw * chosen(by_logarithm.weight, by_line.weight);
            let more = saw * chosen(by_logarithm.slope, by_line.slope);
            // What stands for no configuration is never chosen.
            let slope = if saw > 0.0 { slope + more } else { f64::MIN };
            let alone = slope + weight * over_s;
            highest[lane] = larger(highest[lane], alone);
            (own.weight[lane], own.slope[lane]) = (weight, if weight > 0.0 { slope } else { OF_NO_WEIGHT });
        }
        shares.push(own);
    }
    total(sums) + most_of(shares, s, highest)
}

/// What the best split over the cells of four configurations gains if they have all of s, against that if they have nothing; between it is
/// convex.
///
/// It is the largest Σ m ln π + sA·π with Σ π = 1, less Σ m ln(m/Σm); for the multiplier see [`most_of`].
#[inline(always)]
fn gains_from_splits(four: &Four, cells: &[FourCells], s: f64) -> Lanes {
    // Every cell that was seen has a weight of at least one.
    let (mut multiplier, mut weighted) = ([1.0; LANES], Lanes::default());
    for cell in cells {
        for lane in 0..LANES {
            let slope = s * cell.slope[lane];
            weighted[lane] += cell.seen[lane] * slope;
            multiplier[lane] = larger(multiplier[lane], cell.seen[lane] + slope);
        }
    }
    for lane in 0..LANES {
        let even = four.seen[lane] + weighted[lane] / larger(four.seen[lane], 1.0);
        multiplier[lane] = larger(multiplier[lane], even);
    }
    for _ in 0..STEPS {
        let (mut taken, mut bend) = (Lanes::default(), Lanes::default());
        for cell in cells {
            for lane in 0..LANES {
                let inverse = 1.0 / (multiplier[lane] - s * cell.slope[lane]);
                let share = cell.seen[lane] * inverse;
                taken[lane] += share;
                bend[lane] += share * inverse;
            }
        }
        for lane in 0..LANES {
            // No step where too little is taken, nor where there is nothing to take.
            let excess = larger(taken[lane] - 1.0, 0.0);
            multiplier[lane] += taken[lane] * excess / larger(bend[lane], f64::MIN_POSITIVE);
        }
    }
    let mut gains = Lanes::default();
    for lane in 0..LANES {
        gains[lane] = multiplier[lane] - four.seen[lane] + four.seen_ln_seen[lane];
    }
    for cell in cells {
        for lane in 0..LANES {
            gains[lane] -= cell.seen[lane] * ln(multiplier[lane] - s * cell.slope[lane]);
        }
    }
    gains
}

/// The largest Σ w ln a + c·a for positive a that sum to s, or somewhat more, given the highest c + w/s or something higher; for a smaller
/// sum, too, if that is at least zero.
///
/// For any λ above all c it is at most λs + Σ w (ln (w/(λ − c)) − 1), and no more than the largest where Σ w/(λ − c) is s. That place is not
/// left of where it would be for one of them alone, nor of where it would be if all had the mean c. The reciprocal of the sum is concave
/// in λ, so that Newton's steps from the left do not pass it.
#[inline(always)]
fn most_of(shares: &[Shares], s: f64, highest: Lanes) -> f64 {
    let (mut weights, mut weighted) = (Lanes::default(), Lanes::default());
    for Shares { weight, slope } in shares {
        for lane in 0..LANES {
            weights[lane] += weight[lane];
            weighted[lane] += weight[lane] * slope[lane];
        }
    }
    let (weights, weighted) = (total(weights), total(weighted));
    let even = weights / s + weighted / larger(weights, f64::MIN_POSITIVE);
    let [a, b, c, d] = highest;
    let mut multiplier = larger(larger(larger(a, b), larger(c, d)), even);
    for _ in 0..STEPS {
        let (mut taken, mut bend) = (Lanes::default(), Lanes::default());
        for shares in shares {
            let Shares { weight, slope } = *shares;
            for lane in 0..LANES {
                let inverse = 1.0 / (multiplier - slope[lane]);
                let share = weight[lane] * inverse;
                taken[lane] += share;
                bend[lane] += share * inverse;
            }
        }
        let (taken, bend) = (total(taken), total(bend));
        if taken > s {
            multiplier += taken * (taken / s - 1.0) / bend;
        }
    }
    let mut sums = Lanes::default();
    for shares in shares {
        let Shares { weight, slope } = *shares;
        for lane in 0..LANES {
            let of = if weight[lane] > 0.0 { weight[lane] } else { 1.0 };
            sums[lane] += weight[lane] * (ln(of / (multiplier - slope[lane])) - 1.0);
        }
    }
    multiplier * s + total(sums)
}

/// The larger of two numbers, in one instruction.
#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The sum of four numbers.
#[inline(always)]
fn total([a, b, c, d]: Lanes) -> f64 {
    (a + c) + (b + d)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{Bhd, Score};
    use crate::variational::{Centre, Prior};

    /// A dense table of three data sets; in the last configurations some cells were never seen.
    fn table(configurations: usize, states: usize) -> Vec<u32> {
        let mut number = 7_u32;
        let mut next = || {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            number >> 26
        };
        let mut table: Vec<u32> = (0..3 * states * configurations).map(|_| next()).collect();
        let seen_often = table.len() - 9;
        table[seen_often..].iter_mut().for_each(|count| *count = count.saturating_sub(50));
        table
    }

    #[test]
    fn wide_registers_give_the_same_bits() {
        // Two states have a way of their own, and counts without an entry have another.
        for (s, configurations, states, largest) in
            [(1.0, 2, 2, 200), (0.1, 7, 2, 200), (5.0, 33, 2, 200), (1.0, 9, 3, 200), (1.0, 3, 2, 1 << 20)]
        {
            let mut table = table(configurations, states);
            table.iter_mut().for_each(|count| *count *= if largest > 200 { 5000 } else { 1 });
            with_even(s, (configurations, states), largest, |even| {
                assert_eq!(even.cell.has_all(), largest == 200);
                let (mut wide, mut plain) = (Room::default(), Room::default());
                wide.clear(states, 3);
                plain.clear(states, 3);
                add_dense(&mut wide, even, states, 3, &table);
                add_dense_body(&mut plain, even, states, 3, &table);
                let (mut wide, mut plain) = (wide.kept, plain.kept);
                assert!(wide.added > 0 && wide.added == plain.added);
                assert_eq!(wide.sum.to_bits(), plain.sum.to_bits(), "s = {s}");
                for all in [false, true] {
                    let (wide, plain) = (most(&mut wide, even, s, all), most_body(&mut plain, even, s, all));
                    assert_eq!(wide.to_bits(), plain.to_bits(), "s = {s}");
                }
            });
        }
    }

    #[test]
    fn cells_that_were_not_seen_take_no_room() {
        // Nine configurations of a thousand states, in which two, three or four of them were seen.
        let mut counts = Counts::default();
        let mut builder = counts.rebuild(1000, 1e6, 2);
        for configuration in 0..9_u64 {
            let seen = (0..2 + configuration % 3).zip((0..).step_by(100));
            seen.for_each(|(_, state)| builder.push(configuration, state, 0, 3));
        }
        builder.finish();
        let mut room = Room::default();
        room.clear(1000, 2);
        with_even(1.0, (16, 1000), 100, |even| room.add_observed(even, &counts));
        assert_eq!((room.kept.added, room.kept.cells.len()), (9, 4 + 4 + 4));
    }

    #[test]
    fn a_dense_table_has_the_ceiling_of_what_was_observed() {
        for (configurations, states) in [(2, 2), (8, 2), (32, 2), (4, 3), (16, 5)] {
            let table = table(configurations, states);
            let wide: Vec<u64> = table.iter().map(|&count| u64::from(count)).collect();
            let rows: Vec<u64> = (0..3).map(|data_set| wide.iter().skip(data_set).step_by(3).sum()).collect();
            let (mut dense, mut observed) = (Counts::default(), Counts::default());
            dense.dense_mut(states, configurations as f64, &rows).clone_from(&table);
            observed.refill(states, configurations as f64, &rows, &wide);
            for s in [1e-6, 0.1, 1.0, 20.0] {
                let (one, other) = (joint_dirichlet(&dense, s), joint_dirichlet(&observed, s));
                assert!((one - other).abs() < 1e-9, "{s}: {one} {other}");
                let score = Bhd { prior: Prior::new(s, Centre::PerCell(1.0)).unwrap() };
                assert!(score.family_score(&dense).total <= score.ceiling(&dense), "{s}");
            }
        }
    }

    #[test]
    fn the_ceiling_is_near_the_score_where_every_cell_was_seen_often() {
        let data_set = |shift: u64| vec![vec![40 + shift, 20], vec![15, 35 - shift]];
        let counts = Counts::from_table(&(0..10).map(data_set).collect::<Vec<_>>());
        let bhd = Bhd::default();
        let above = bhd.ceiling(&counts) - bhd.family_score(&counts).total;
        assert!(above > 0.0 && above < 1.0, "{above}");
    }
}
