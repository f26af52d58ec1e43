//! Draws the missing cells of rows from their joint distribution given the observed ones.

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::data::{Column, DataSetId, RelatedData, VariableId};
use crate::estimate::{Network, Relative};
use crate::simulate::random::{Purpose, RandomNumbers};

/// The most combinations of missing cells that are drawn at once, exactly.
const MOST_COMBINATIONS: usize = 128;

/// The most cells of a block of Gibbs sampling.
const MOST_BLOCK: usize = 4;

/// The sweeps of Gibbs sampling over the blocks of a row.
const SWEEPS: usize = 3;

/// The rows that are drawn before their cells are written to the columns.
const CHUNK: usize = 8192;

/// The keys of the random numbers of incomplete rows.
///
/// A key is a hash of the data set's name, the row's cells and its number among equal rows of the data set: the numbers do not depend on
/// the order of rows or data sets.
pub(super) struct IncompleteRows {
    /// The incomplete rows, in order.
    rows: Vec<IncompleteRow>,
}

/// An incomplete row, without its missing cells, which the masks have: there may be as many of these as rows.
struct IncompleteRow {
    row: usize,
    key: u64,
}

impl IncompleteRows {
    pub(super) fn new(data: &RelatedData) -> Self {
        let schema = data.schema();
        let mut rows = Vec::new();
        for (index, name) in schema.data_sets().iter().enumerate() {
            let data_set = DataSetId::new(index);
            let first = rows.len();
            for row in data.rows_of(data_set) {
                if schema.ids().all(|id| !data.is_missing(id, row)) {
                    continue;
                }
                let mut hash = Sha256::new();
                hash.update(name.as_bytes());
                for id in schema.ids() {
                    let code = if data.is_missing(id, row) { u32::MAX } else { data.column(id).get(row) };
                    hash.update(code.to_le_bytes());
                }
                let bytes: [u8; 32] = hash.finalize().into();
                let key = u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes"));
                rows.push(IncompleteRow { row, key });
            }
            number_equal_rows(&mut rows[first..]);
        }
        rows.shrink_to_fit();
        Self { rows }
    }

    /// Fills in all missing cells by the tables of a network, in place: those of each data set, or the pooled ones. `start` is the place of
    /// the first row in the columns, and `stream` numbers the draw. If it `continues` an earlier one, Gibbs sampling starts from the cells
    /// in the columns.
    pub(super) fn draw(
        &self,
        data: &RelatedData,
        (network, pooled): (&Network, bool),
        (seed, stream): (u64, u64),
        continues: bool,
        columns: &mut [Column],
        start: usize,
    ) {
        let sampler = RowSampler::new(network);
        let schema = data.schema();
        let columns = &mut columns[..schema.variables().len()];
        let starts: Vec<usize> =
            (0..schema.data_sets().len()).map(|index| data.rows_of(DataSetId::new(index)).start).collect();
        for rows in self.rows.chunks(CHUNK) {
            let one = |IncompleteRow { row, key }: &IncompleteRow| -> Vec<(VariableId, u32)> {
                let mut cells: Vec<u32> = columns.iter().map(|column| column.get(start + row)).collect();
                let missing: Vec<VariableId> = schema.ids().filter(|&id| data.is_missing(id, *row)).collect();
                let data_set = DataSetId::new(starts.partition_point(|start| start <= row) - 1);
                let relative = if pooled { Relative::Pooled } else { Relative::DataSet(data_set) };
                let mut numbers = RandomNumbers::keyed(seed, stream, Purpose::Missing, [*key, 0]);
                sampler.draw(&mut cells, &missing, relative, continues, &mut || numbers.unit());
                missing.into_iter().map(|id| (id, cells[id.index()])).collect()
            };
            let drawn: Vec<Vec<(VariableId, u32)>> = rows.par_iter().map(one).collect();
            for (row, cells) in rows.iter().zip(drawn) {
                cells.into_iter().for_each(|(id, code)| columns[id.index()].set(start + row.row, code));
            }
        }
    }
}

/// Makes the keys of equal rows different: each also depends on the number of the row among those equal to it.
fn number_equal_rows(rows: &mut [IncompleteRow]) {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|&at| (rows[at].key, at));
    let (mut last, mut number) = (None, 0_u64);
    for at in order {
        let key = rows[at].key;
        number = if last == Some(key) { number + 1 } else { 0 };
        last = Some(key);
        // An odd multiplier is a permutation: rows that were equal get different keys.
        rows[at].key = key.wrapping_add(number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    }
}

/// Draws the missing cells of one row at a time.
pub(super) struct RowSampler<'a> {
    network: &'a Network,
    /// The nodes, parents before children.
    order: Vec<VariableId>,
    states: Vec<usize>,
}

impl<'a> RowSampler<'a> {
    pub(super) fn new(network: &'a Network) -> Self {
        let dag = network.dag();
        let states = network.schema().ids().map(|id| network.schema().states(id)).collect();
        Self { network, order: dag.topological_order(), states }
    }

    /// Draws all missing cells: from their joint distribution if they have few combinations, otherwise by Gibbs sampling in blocks, which
    /// continues from `cells` or starts from a draw given the parents alone.
    pub(super) fn draw(
        &self,
        cells: &mut [u32],
        missing: &[VariableId],
        relative: Relative,
        continues: bool,
        unit: &mut dyn FnMut() -> f64,
    ) {
        let combinations = |block: &[VariableId]| {
            block.iter().fold(1_usize, |all, id| all.saturating_mul(self.states[id.index()]))
        };
        if combinations(missing) <= MOST_COMBINATIONS {
            return self.draw_block(cells, missing, relative, true, unit);
        }
        if !continues {
            for id in self.order.iter().filter(|id| missing.contains(id)) {
                self.draw_block(cells, &[*id], relative, false, unit);
            }
        }
        let mut blocks: Vec<Vec<VariableId>> = Vec::new();
        for &id in missing {
            let fits = |block: &Vec<VariableId>| {
                block.len() < MOST_BLOCK && combinations(block) * self.states[id.index()] <= MOST_COMBINATIONS
            };
            match blocks.last_mut() {
                Some(block) if fits(block) => block.push(id),
                _ => blocks.push(vec![id]),
            }
        }
        for _ in 0..SWEEPS {
            for block in &blocks {
                self.draw_block(cells, block, relative, true, unit);
            }
        }
    }

    /// Draws some cells given all others; without `children`, given their parents alone.
    fn draw_block(
        &self,
        cells: &mut [u32],
        block: &[VariableId],
        relative: Relative,
        children: bool,
        unit: &mut dyn FnMut() -> f64,
    ) {
        let mut families: Vec<VariableId> = block.to_vec();
        if children {
            families.extend(block.iter().flat_map(|&id| self.network.dag().children(id)));
            families.sort_unstable();
            families.dedup();
        }
        block.iter().for_each(|id| cells[id.index()] = 0);
        let mut cumulated = Vec::new();
        let mut sum = 0.0;
        loop {
            sum += families.iter().map(|&id| self.probability(cells, id, relative)).product::<f64>();
            cumulated.push(sum);
            if !self.advance(cells, block) {
                break;
            }
        }
        // Without a possible combination, all are equally likely.
        let total = cumulated.len();
        let at = if sum > 0.0 {
            let threshold = unit() * sum;
            cumulated.partition_point(|&below| below < threshold).min(total - 1)
        } else {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a place in a short list"
            )]
            let place = (unit() * total as f64) as usize;
            place.min(total - 1)
        };
        let mut rest = at;
        for id in block {
            let states = self.states[id.index()];
            cells[id.index()] = u32::try_from(rest % states).expect("states are coded in 32 bits");
            rest /= states;
        }
    }

    /// The next combination of the block's states, the first cell varying fastest; false after the last.
    fn advance(&self, cells: &mut [u32], block: &[VariableId]) -> bool {
        for id in block {
            let cell = &mut cells[id.index()];
            *cell += 1;
            if (*cell as usize) < self.states[id.index()] {
                return true;
            }
            *cell = 0;
        }
        false
    }

    fn probability(&self, cells: &[u32], id: VariableId, relative: Relative) -> f64 {
        let parents = self.network.dag().parents(id).iter();
        let row =
            parents.fold(0, |row, parent| row * self.states[parent.index()] + cells[parent.index()] as usize);
        let states = self.states[id.index()];
        self.network.table_of(id, relative).values()[row * states + cells[id.index()] as usize]
    }
}
