//! The benchmark's data: random networks and rows drawn from them, the same on every machine.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use kinfolk::data::{Column, RelatedData, Schema, Variable, VariableId};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Every data set is drawn from this seed and its own name.
const SEED: u64 = 20_220_101;

/// The largest number of parents in a simulated network.
const MOST_PARENTS: usize = 4;

/// The concentration of each data set's joint table around the common one.
const RELATED_CONCENTRATION: f64 = 10.0;

/// The concentration of the rows of an unrelated table: below one, so that parents matter.
const TABLE_CONCENTRATION: f64 = 0.5;

/// The parameters of a simulated problem.
#[derive(Debug, Clone)]
pub(crate) struct Recipe {
    pub(crate) variables: usize,
    /// The fewest and the most states of a variable.
    pub(crate) states: (usize, usize),
    pub(crate) arcs: usize,
    pub(crate) data_sets: usize,
    pub(crate) rows_per_data_set: usize,
    /// The number of the draw with these parameters.
    pub(crate) draw: usize,
}

/// A variable of a simulated network; its parents precede it.
struct SimulatedNode {
    states: usize,
    parents: Vec<usize>,
    /// By data set: cumulated probabilities, `states` for each configuration of the parents.
    tables: Vec<Vec<f64>>,
}

impl Recipe {
    /// Binary variables with 1.2 arcs each.
    pub(crate) fn binary(variables: usize, data_sets: usize, rows_per_data_set: usize) -> Self {
        Self { variables, states: (2, 2), arcs: variables * 6 / 5, data_sets, rows_per_data_set, draw: 0 }
    }

    /// Data like those of the network "alarm": 37 variables of two to four states.
    pub(crate) fn mixed() -> Self {
        Self { variables: 37, states: (2, 4), arcs: 46, data_sets: 1, rows_per_data_set: 20_000, draw: 0 }
    }

    pub(crate) fn rows(&self) -> usize {
        self.data_sets * self.rows_per_data_set
    }

    /// Draws the rows. States that do not occur are dropped, because a reader of the file would not find them.
    pub(crate) fn make(&self) -> RelatedData {
        let nodes = self.network();
        let mut random = self.stream(3, &[self.variables, self.states.1, self.data_sets]);
        let rows = self.rows();
        let mut codes: Vec<Vec<u8>> = Vec::with_capacity(self.variables);
        for node in &nodes {
            let draw = |row: usize| {
                let parents = node.parents.iter();
                let configuration =
                    parents.fold(0, |number, &p| number * nodes[p].states + usize::from(codes[p][row]));
                let first = configuration * node.states;
                let table = &node.tables[row / self.rows_per_data_set][first..first + node.states];
                let draw: f64 = random.random();
                let code = table.iter().take(node.states - 1).filter(|&&up_to| draw >= up_to).count();
                u8::try_from(code).expect("few states")
            };
            let column = (0..rows).map(draw).collect();
            codes.push(column);
        }
        // The column order must not reveal the order of the network.
        let mut order: Vec<usize> = (0..self.variables).collect();
        shuffle(&mut order, &mut self.stream(4, &[self.variables]));
        let columns = order.iter().map(|&node| std::mem::take(&mut codes[node]));
        self.encode(columns.map(observed_states).collect())
    }

    fn encode(&self, columns: Vec<(Vec<u8>, usize)>) -> RelatedData {
        let variables = columns.iter().enumerate().map(|(index, &(_, states))| Variable {
            name: format!("V{index:04}"),
            states: (0..states).map(label).collect(),
            constant: states == 1,
        });
        let names = (0..self.data_sets).map(|data_set| format!("set{data_set:02}")).collect();
        let schema = Schema::new(variables.collect(), names);
        let starts = (0..=self.data_sets).map(|data_set| data_set * self.rows_per_data_set).collect();
        RelatedData::new(
            schema,
            columns.into_iter().map(|(codes, _)| Column::U8(codes)).collect(),
            starts,
            None,
        )
    }

    fn network(&self) -> Vec<SimulatedNode> {
        let random = &mut self.stream(1, &[self.variables]);
        let mut parents: Vec<Vec<usize>> = vec![Vec::new(); self.variables];
        let mut arcs = 0;
        while arcs < self.arcs {
            let (a, b) = (random.random_range(0..self.variables), random.random_range(0..self.variables));
            let (from, to) = (a.min(b), a.max(b));
            if from != to && parents[to].len() < MOST_PARENTS && !parents[to].contains(&from) {
                parents[to].push(from);
                arcs += 1;
            }
        }
        let states: Vec<usize> =
            (0..self.variables).map(|_| random.random_range(self.states.0..=self.states.1)).collect();
        let random = &mut self.stream(2, &[self.variables, self.states.1, self.data_sets]);
        let mut nodes = Vec::with_capacity(self.variables);
        for (index, parents) in parents.into_iter().enumerate() {
            let configurations: usize = parents.iter().map(|&parent| states[parent]).product();
            let tables = self.tables(configurations, states[index], random);
            nodes.push(SimulatedNode { states: states[index], parents, tables });
        }
        nodes
    }

    /// Cumulative probabilities by data set: around one joint table if there are several data sets, otherwise
    /// independent.
    fn tables(&self, configurations: usize, states: usize, random: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        let joint: Vec<Vec<f64>> = if self.data_sets == 1 {
            let rows =
                (0..configurations).flat_map(|_| dirichlet(&vec![TABLE_CONCENTRATION; states], random));
            vec![rows.collect()]
        } else {
            related_tables(configurations * states, self.data_sets, RELATED_CONCENTRATION, random)
        };
        joint.into_iter().map(|table| cumulated(&table, states)).collect()
    }

    /// A random stream for a purpose: recipes of one draw with the same variables share their graph, those with the
    /// same data sets their tables, and recipes with different numbers of rows the network.
    fn stream(&self, purpose: usize, depends_on: &[usize]) -> ChaCha8Rng {
        let mut random = ChaCha8Rng::seed_from_u64(SEED);
        let draw = Some(&self.draw).filter(|draw| **draw > 0);
        let parts = depends_on.iter().chain(draw);
        random.set_stream(parts.fold(purpose, |stream, part| stream * 10_007 + part) as u64);
        random
    }
}

/// Joint tables of related data sets: a ~ Dir(1, …), then each one ~ Dir(concentration · a).
pub(crate) fn related_tables(
    cells: usize,
    data_sets: usize,
    concentration: f64,
    random: &mut impl Rng,
) -> Vec<Vec<f64>> {
    let centre = dirichlet(&vec![1.0; cells], random);
    let weights: Vec<f64> = centre.iter().map(|share| concentration * share).collect();
    (0..data_sets).map(|_| dirichlet(&weights, random)).collect()
}

/// The cumulated conditional probabilities of a joint table, `states` per configuration.
fn cumulated(table: &[f64], states: usize) -> Vec<f64> {
    let mut cumulated = Vec::with_capacity(table.len());
    for row in table.chunks_exact(states) {
        let total: f64 = row.iter().sum();
        let mut so_far = 0.0;
        for probability in row {
            so_far += if total > 0.0 { probability / total } else { 1.0 / states as f64 };
            cumulated.push(so_far);
        }
    }
    cumulated
}

/// A draw from a Dirichlet distribution.
fn dirichlet(weights: &[f64], random: &mut impl Rng) -> Vec<f64> {
    let draws: Vec<f64> = weights.iter().map(|&weight| gamma(weight, random)).collect();
    let total: f64 = draws.iter().sum();
    let even = 1.0 / weights.len() as f64;
    draws.into_iter().map(|draw| if total > 0.0 { draw / total } else { even }).collect()
}

/// A draw from a gamma distribution of scale one: Marsaglia and Tsang (2000), <https://doi.org/10.1145/358407.358414>.
fn gamma(shape: f64, random: &mut impl Rng) -> f64 {
    if shape < 1.0 {
        let power: f64 = positive(random).powf(1.0 / shape);
        return gamma(shape + 1.0, random) * power;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let normal = (-2.0 * positive(random).ln()).sqrt() * (std::f64::consts::TAU * positive(random)).cos();
        let cube = (1.0 + c * normal).powi(3);
        if cube > 0.0 && positive(random).ln() < 0.5 * normal * normal + d - d * cube + d * cube.ln() {
            return d * cube;
        }
    }
}

/// A number above zero and at most one.
fn positive(random: &mut impl Rng) -> f64 {
    1.0 - random.random::<f64>()
}

fn shuffle(order: &mut [usize], random: &mut impl Rng) {
    for last in (1..order.len()).rev() {
        order.swap(last, random.random_range(0..=last));
    }
}

/// The codes renumbered so that every state occurs, and their number.
fn observed_states(mut codes: Vec<u8>) -> (Vec<u8>, usize) {
    let mut seen = [false; 256];
    codes.iter().for_each(|&code| seen[usize::from(code)] = true);
    let mut number = [0_u8; 256];
    let mut states = 0_u8;
    for (code, _) in seen.iter().enumerate().filter(|(_, seen)| **seen) {
        number[code] = states;
        states += 1;
    }
    codes.iter_mut().for_each(|code| *code = number[usize::from(*code)]);
    (codes, usize::from(states))
}

/// The text of a state: a, b, c, …
fn label(state: usize) -> String {
    char::from(b'a' + u8::try_from(state % 26).unwrap_or(0)).to_string() + &"x".repeat(state / 26)
}

/// A folder name that depends on this source file, so that cached files are not reused after it changes.
pub(crate) fn folder_name() -> String {
    let mut hasher = DefaultHasher::new();
    include_str!("data.rs").hash(&mut hasher);
    format!("data-{:016x}", hasher.finish())
}

/// The text of states in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Labels {
    /// The schema's own names, letters.
    Letters,
    /// The codes.
    Digits,
}

/// Writes the rows as CSV, with a column `set` if there are several data sets. An existing file is kept: its name
/// determines its content.
pub(crate) fn write_csv(data: &RelatedData, labels: Labels, file: &Path) -> io::Result<()> {
    if file.exists() {
        return Ok(());
    }
    let unfinished = file.with_extension("unfinished");
    let mut out = BufWriter::new(File::create(&unfinished)?);
    let several = data.schema().data_sets().len() > 1;
    let mut names = data.schema().names();
    if several {
        names.push("set".to_owned());
    }
    writeln!(out, "{}", names.join(","))?;
    let mut line = String::new();
    for (index, data_set) in data.schema().data_sets().iter().enumerate() {
        for row in data.rows_of(kinfolk::data::DataSetId::new(index)) {
            line.clear();
            for id in (0..data.schema().variables().len()).map(VariableId::new) {
                let code = data.column(id).get(row);
                match labels {
                    Labels::Letters => line += &data.schema().variable(id).states[code as usize],
                    Labels::Digits => line += &code.to_string(),
                }
                line.push(',');
            }
            if several {
                line += data_set;
            } else {
                line.pop();
            }
            line.push('\n');
            out.write_all(line.as_bytes())?;
        }
    }
    out.flush()?;
    fs::rename(unfinished, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_recipe_gives_the_same_rows() {
        let recipe = Recipe::binary(8, 3, 50);
        assert_eq!(recipe.make(), recipe.make());
        assert_ne!(recipe.make(), Recipe { draw: 1, ..recipe.clone() }.make());
        assert_eq!(recipe.make().stored_rows(), 150);
    }

    #[test]
    fn gamma_draws_have_the_mean_of_their_shape() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for shape in [0.3, 1.0, 4.5] {
            let mean = (0..20_000).map(|_| gamma(shape, &mut random)).sum::<f64>() / 20_000.0;
            assert!((mean - shape).abs() < 0.05 * shape.max(1.0), "shape {shape}, mean {mean}");
        }
    }
}
