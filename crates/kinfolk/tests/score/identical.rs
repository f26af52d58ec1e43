//! Calibration of the probability that the data sets have the same table in a family.

use kinfolk::counts::{Counts, Family, MemoryTally, Tally};
use kinfolk::score::{Kin, p_identical};
use kinfolk::simulate::{Design, Level, Parameters, Scenario, simulate};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::dirichlet::dirichlet;

/// A random family of related or identical data sets: 2 to 10 data sets of 20 to 400 rows, 2 to 4 states, 1 to 8 configurations, a
/// centre with one imaginary row per cell or per table. Related tables have one s in the family, uniform in ln s from 0.1 to `most`.
fn family(identical: bool, most: f64, random: &mut ChaCha8Rng) -> Counts {
    let (data_sets, states) = (random.random_range(2..=10), random.random_range(2..=4));
    let configurations = [1, 2, 4, 8][random.random_range(0..4)];
    let rows = 20.0 * 20.0_f64.powf(random.random());
    let s = 0.1 * (most / 0.1).powf(random.random());
    let alpha0 = if random.random() { 1.0 } else { 1.0 / (states * configurations) as f64 };
    let mut table = vec![vec![vec![0; states]; configurations]; data_sets];
    let parents = dirichlet(&vec![1.0; configurations], random);
    let centres: Vec<Vec<f64>> =
        (0..configurations).map(|_| dirichlet(&vec![alpha0; states], random)).collect();
    for counts in &mut table {
        let own: Vec<Vec<f64>> = centres
            .iter()
            .map(|centre| {
                let weights: Vec<f64> = centre.iter().map(|share| (s * share).max(1e-12)).collect();
                if identical { centre.clone() } else { dirichlet(&weights, random) }
            })
            .collect();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 400 rows")]
        for _ in 0..rows as usize {
            let configuration = choose(&parents, random);
            counts[configuration][choose(&own[configuration], random)] += 1;
        }
    }
    Counts::from_table(&table)
}

fn choose(weights: &[f64], random: &mut ChaCha8Rng) -> usize {
    let mut left = random.random::<f64>() * weights.iter().sum::<f64>();
    let place = weights.iter().position(|weight| {
        left -= weight;
        left < 0.0
    });
    place.unwrap_or(weights.len() - 1)
}

/// The families with a probability in one tenth: how many there are, how many are identical, and the sum of the probabilities.
type Tenth = (f64, f64, f64);

fn add(bins: &mut [Tenth; 10], counts: &Counts, identical: bool) {
    let probability = p_identical(counts, &Kin::default());
    assert!((0.0..=1.0).contains(&probability));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 9")]
    let bin = &mut bins[((probability * 10.0) as usize).min(9)];
    bin.0 += 1.0;
    bin.1 += f64::from(u8::from(identical));
    bin.2 += probability;
}

/// In every tenth with enough families the share of identical ones is close to their mean probability.
fn assert_calibrated(bins: [Tenth; 10], within: f64) {
    for (tenth, &(all, identical, sum)) in bins.iter().enumerate().filter(|(_, bin)| bin.0 >= 100.0) {
        let (share, mean) = (identical / all, sum / all);
        assert!((share - mean).abs() <= within, "{tenth}: {share} of {all} with P = {mean}; {bins:?}");
    }
}

#[test]
fn the_probability_of_identical_data_sets_is_calibrated() {
    for most in [50.0, 200.0] {
        let random = &mut ChaCha8Rng::seed_from_u64(1);
        let mut bins = [(0.0, 0.0, 0.0); 10];
        for index in 0..10_000 {
            let identical = index % 2 == 0;
            add(&mut bins, &family(identical, most, random), identical);
        }
        assert!(bins.iter().all(|bin| bin.0 >= 100.0), "{bins:?}");
        assert_calibrated(bins, 0.1);
    }
}

#[test]
fn in_simulated_networks_it_is_cautious() {
    // Not the model's own prior: one s of 10 per joint table in all families. Then more families are identical than P says, by up to 13
    // points in a tenth with many families.
    let mut bins = [(0.0, 0.0, 0.0); 10];
    for (seed, &rows) in (0..150).zip([20, 50, 100, 200, 500].iter().cycle()) {
        for parameters in [Parameters::Id, Parameters::Hier] {
            let design = Design {
                nodes: 8,
                arcs: 9,
                max_parents: Some(3),
                states: vec![2, 3],
                rows: vec![rows; 5],
                parameters,
                level: Level::Joint,
                s: 10.0,
                alpha0: 1.0,
                scenario: Scenario::A,
            };
            let made = simulate(&design, seed, 0).unwrap();
            let dag = made.truth.dag();
            let families: Vec<Family> = dag.nodes().map(|node| Family::of(dag, node)).collect();
            for counts in MemoryTally::new(&made.data).tally_many(&families).unwrap() {
                add(&mut bins, &counts, parameters == Parameters::Id);
            }
        }
    }
    assert_calibrated(bins, 0.13);
}
