//! Counting: the tally against a plain count, tables too large to be dense, and the guard on memory.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::random::{id, random_data};
use kinfolk::counts::{Batch, Change, Counts, Family, MemoryTally, Tally, TallyError};
use kinfolk::data::{Column, DataSetId, RelatedData, Schema, Variable, VariableId};
use kinfolk::remedy::{Actionable, Remedy};
use kinfolk::score::{Bdeu, Bhd, Bic, Score};
use kinfolk::variational::{Prior, fit};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// (parents' states, child's state) → counts by data set, row by row.
fn plain_count(data: &RelatedData, family: &Family) -> BTreeMap<(Vec<u32>, u32), Vec<u64>> {
    let data_sets = data.schema().data_sets().len();
    let mut counts = BTreeMap::new();
    for data_set in 0..data_sets {
        for row in data.rows_of(DataSetId::new(data_set)) {
            let state = |variable: VariableId| data.column(variable).get(row);
            let key = (family.parents().iter().map(|&parent| state(parent)).collect(), state(family.child()));
            let weight = data.weights().map_or(1, |weights| weights[row]);
            counts.entry(key).or_insert_with(|| vec![0; data_sets])[data_set] += weight;
        }
    }
    counts
}

/// The same map out of a table; configurations are decoded from their numbers.
fn read_back(data: &RelatedData, family: &Family, counts: &Counts) -> BTreeMap<(Vec<u32>, u32), Vec<u64>> {
    let mut map = BTreeMap::new();
    for configuration in counts.configurations() {
        let mut number = configuration.number().expect("few enough to be numbered");
        let mut states: Vec<u32> = Vec::new();
        for &parent in family.parents().iter().rev() {
            let radix = data.schema().states(parent) as u64;
            states.push(u32::try_from(number % radix).unwrap());
            number /= radix;
        }
        states.reverse();
        for cell in configuration.cells() {
            let mut by_data_set = vec![0; counts.data_sets()];
            for entry in cell.entries {
                by_data_set[entry.data_set] = entry.count;
            }
            map.insert((states.clone(), u32::try_from(cell.state).unwrap()), by_data_set);
        }
    }
    map
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60, failure_persistence: None, rng_seed: RngSeed::Fixed(2), ..ProptestConfig::default()
    })]

    #[test]
    fn the_tally_equals_a_plain_count(
        states in prop::collection::vec(prop_oneof![4 => 1_usize..5, 1 => Just(300_usize)], 2..6),
        rows in prop::collection::vec(prop_oneof![0_usize..60, 100_usize..400], 1..5),
        weighted in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let data = random_data(&states, &rows, weighted, seed);
        let tally = MemoryTally::new(&data);
        // Every child with every set of parents of up to three: groups that share columns, in any place of the order.
        let size = states.len();
        let sets = (0..1_usize << size).filter(|set| set.count_ones() <= 3);
        let families: Vec<Family> = (0..size)
            .flat_map(|child| sets.clone().filter(move |set| set >> child & 1 == 0).map(move |set| (child, set)))
            .map(|(child, set)| Family::new(id(child), (0..size).filter(|parent| set >> parent & 1 == 1).map(id)))
            .collect();
        let rows: Vec<u64> = (0..rows.len()).map(|f| data.rows(DataSetId::new(f))).collect();
        for (family, counts) in families.iter().zip(tally.tally_many(&families).unwrap()) {
            prop_assert_eq!(plain_count(&data, family), read_back(&data, family, &counts));
            prop_assert_eq!(counts.rows(), &rows);
        }
    }

    #[test]
    fn tables_derived_from_the_shared_columns_equal_a_plain_count(
        states in prop::collection::vec(prop_oneof![4 => 1_usize..5, 1 => Just(30_usize)], 4..7),
        rows in prop::collection::vec(prop_oneof![0_usize..60, 100_usize..2000], 1..4),
        weighted in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let data = random_data(&states, &rows, weighted, seed);
        let tally = MemoryTally::new(&data);
        // As in a search: a family with one more parent, unchanged, with one parent fewer, and alone.
        let parents = states.len() - 3;
        let here = Family::new(id(parents), (0..parents).map(id));
        let more = (parents + 1..states.len()).map(|parent| here.with(id(parent)));
        let fewer = (0..parents).map(|parent| here.without(id(parent)));
        let alone = Family::new(id(parents), []);
        let families: Vec<Family> = more.chain([here.clone()]).chain(fewer).chain([alone]).collect();
        for (family, counts) in families.iter().zip(tally.tally_many(&families).unwrap()) {
            prop_assert_eq!(plain_count(&data, family), read_back(&data, family, &counts));
            prop_assert_eq!(counts, tally.tally(family).unwrap());
        }
        // Around a family, in any order and any of them, with none that has more parents, and nothing at all.
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let more = (parents + 1..states.len()).map(|parent| Change::With(id(parent)));
        let fewer = (0..parents).map(|parent| Change::Without(id(parent)));
        let mut changes: Vec<Change> = more.chain(fewer).chain([Change::Keep]).collect();
        let mut batch = Batch::default();
        for _ in 0..4 {
            changes.shuffle(&mut random);
            let few = random.random_range(0..=changes.len());
            batch.around(&here, changes[..few].iter().copied());
            let fewer = changes.iter().filter(|change| !matches!(change, Change::With(_)));
            batch.around(&here, fewer.take(few).copied());
        }
        let tables: Vec<OnceLock<Counts>> = (0..batch.len()).map(|_| OnceLock::new()).collect();
        tally.visit_many(&batch, &|index, counts| tables[index].set(counts.clone()).unwrap()).unwrap();
        for (family, counts) in batch.families().zip(tables) {
            prop_assert_eq!(counts.into_inner().unwrap(), tally.tally(&family).unwrap());
        }
    }
}

#[test]
fn extensions_at_every_position_equal_a_plain_count_for_all_sizes() {
    // The states of the child and of two shared parents, those of most added columns, and the rows of each data set.
    let cases: [(usize, usize, &[usize]); 14] = [
        // Bitmaps: data sets of one to five words each, of different lengths, and so long that the first configuration is not counted.
        (2, 2, &[50; 10]),
        (2, 2, &[100; 10]),
        (2, 3, &[150; 7]),
        (3, 2, &[256; 5]),
        (2, 3, &[300; 3]),
        (2, 3, &[60, 0, 130, 200, 2500]),
        (2, 2, &[3000; 2]),
        // Histograms: small tables, and large ones with few rows.
        (3, 4, &[100; 10]),
        (5, 9, &[400; 5]),
        (7, 9, &[1000; 5]),
        // Large tables with many rows, which are reordered, and small ones of one data set.
        (7, 9, &[8000; 4]),
        (4, 9, &[6000]),
        // Row indices of 16 and of 32 bits.
        (7, 9, &[3000]),
        (20, 9, &[20_000]),
    ];
    for (seed, (shared, states, rows)) in (0..).zip(cases) {
        for weighted in [false, true] {
            let columns = [states, shared, states, shared, states, shared, states, 3];
            let data = random_data(&columns, rows, weighted, seed);
            let here = Family::new(id(5), [id(1), id(3)]);
            let families = [0, 2, 4, 6, 7].map(|added| here.with(id(added)));
            let families = [&families[..], &[here]].concat();
            let tables = MemoryTally::new(&data).tally_many(&families).unwrap();
            for (family, counts) in families.iter().zip(tables) {
                let read = read_back(&data, family, &counts);
                assert!(plain_count(&data, family) == read, "{shared}, {states}, {rows:?}: {family:?}");
            }
        }
    }
}

#[test]
fn remembered_counts_of_smaller_families_change_no_table() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for (rows, threads, fifth) in [(700, 1, 3), (1500, 2, 2), (4000, 1, 2), (40_000, 2, 3), (70_000, 4, 2)] {
        let data = random_data(&[2, 2, 2, 2, fifth, 2, 2, 2, 2], &[rows], false, rows as u64);
        let size = data.schema().variables().len();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let tally = MemoryTally::new(&data);
        let mut parents: Vec<Vec<usize>> = vec![Vec::new(); size];
        for _ in 0..60 {
            // Add or remove a parent, as a search does; then count most extensions, and families with one parent fewer.
            let (child, other) = (random.random_range(0..size), random.random_range(0..size));
            if let Some(place) = parents[child].iter().position(|&parent| parent == other) {
                parents[child].remove(place);
            } else if other != child && parents[child].len() < 5 {
                parents[child].push(other);
            }
            let mut families = Vec::new();
            for child in [child, random.random_range(0..size)] {
                let family = Family::new(id(child), parents[child].iter().copied().map(id));
                let others = (0..size).filter(|other| *other != child && !parents[child].contains(other));
                let asked: Vec<usize> = others.filter(|_| random.random_range(0..4) > 0).collect();
                families.extend(asked.iter().map(|&other| family.with(id(other))));
                // Sometimes also extensions of the smaller family in the same call: cached counts may be incomplete when they are read.
                if let (Some(&parent), true) = (parents[child].last(), random.random_range(0..2) == 0) {
                    let smaller = family.without(id(parent));
                    families.extend(asked.iter().map(|&other| smaller.with(id(other))));
                }
                families.extend(parents[child].iter().map(|&parent| family.without(id(parent))));
            }
            let tables = pool.install(|| tally.tally_many(&families)).unwrap();
            for (family, counts) in families.iter().zip(tables) {
                assert_eq!(plain_count(&data, family), read_back(&data, family, &counts), "{family:?}");
            }
        }
    }
}

#[test]
fn sixteen_parents_of_five_states_take_memory_bounded_by_the_rows() {
    let data = random_data(&[5; 17], &[1000, 1000], false, 3);
    let family = Family::new(id(16), (0..16).map(id));
    let counts = MemoryTally::new(&data).with_memory(1 << 20).tally(&family).unwrap();
    assert_eq!(counts.possible_cells(), 5.0_f64.powi(17));
    assert!(counts.observed_cells() <= 2000);
    assert_eq!(plain_count(&data, &family), read_back(&data, &family, &counts));
    let score = Bhd::default().family_score(&counts);
    assert!(score.converged() && score.total.is_finite() && score.total < 0.0);
}

#[test]
fn more_configurations_than_64_bits_can_number_are_counted_too() {
    let data = random_data(&[3; 90], &[40, 60], true, 4);
    let wide = Family::new(id(89), (0..89).map(id));
    let counts = MemoryTally::new(&data).tally(&wide).unwrap();
    assert_eq!(counts.possible_configurations(), 3.0_f64.powi(89));
    assert!(counts.configurations().all(|configuration| configuration.number().is_none()));
    // With this many parents every row is its own configuration, as with thirty of them, which can be numbered.
    let narrow = MemoryTally::new(&data).tally(&Family::new(id(89), (0..30).map(id))).unwrap();
    assert_eq!(counts.observed_cells(), narrow.observed_cells());
    assert_eq!(counts.rows(), narrow.rows());
    assert!(Bdeu::default().family_score(&counts).total.is_finite());
    assert!(Bic.family_score(&counts).total < -1e40);
    assert!(Bhd::default().family_score(&counts).total.is_finite());
}

#[test]
fn a_fit_of_a_million_cells_with_ten_thousand_observed_converges() {
    let data = random_data(&[10; 6], &[1000; 10], false, 5);
    let counts = MemoryTally::new(&data).tally(&Family::new(id(5), (0..5).map(id))).unwrap();
    assert_eq!(counts.possible_cells(), 1e6);
    assert!(counts.observed_cells() > 9_000);
    let fitted = fit(&counts, Prior::default());
    assert!(fitted.converged(), "{:?} after {}", fitted.outcome, fitted.iterations);
    let unseen = counts.possible_cells() - counts.observed_cells() as f64;
    let total = fitted.kappa.iter().sum::<f64>() + unseen * fitted.kappa_unseen;
    assert!((total - 1.0).abs() < 1e-9);
}

#[test]
fn tables_of_many_cells_equal_a_plain_count() {
    // Large enough for bytes, in the order of counting and in another; by data set and pooled.
    for rows in [vec![25_000], vec![21_000, 24_000]] {
        let data = random_data(&[190, 185, 3, 180], &rows, false, 6);
        for tally in [MemoryTally::new(&data), MemoryTally::pooled(&data)] {
            for family in
                [Family::new(id(1), [id(0)]), Family::new(id(0), [id(1)]), Family::new(id(0), [id(3)])]
            {
                let counted = read_back(&data, &family, &tally.tally(&family).unwrap());
                let mut expected = plain_count(&data, &family);
                if counted.values().next().unwrap().len() == 1 {
                    expected.values_mut().for_each(|counts| *counts = vec![counts.iter().sum()]);
                }
                assert_eq!(counted, expected, "{family:?}");
            }
        }
    }
}

#[test]
fn large_tables_leave_no_counts_in_reused_memory() {
    // A batch counts all of them in the same memory: tables of bytes with and without overflows, and smaller ones of numbers.
    let rows = 60_000_u32;
    let columns = [(400, 1), (401, 1), (400, 3), (90, 1), (200, 2), (400, 1), (402, 1)];
    let column = |(index, (states, power)): (usize, (u32, u32))| {
        let mut column = Column::for_states(states as usize, rows as usize);
        let mut random = ChaCha8Rng::seed_from_u64(index as u64);
        for _ in 0..rows {
            let number = random.random_range(0..1_u64 << 16);
            // The higher the power, the more rows have one of the first states.
            let part = (0..power).fold(u64::from(states), |part, _| (part * number) >> 16);
            column.push(u32::try_from(part).unwrap());
        }
        column
    };
    let variable = |(index, &(states, _)): (usize, &(u32, u32))| Variable {
        name: format!("V{index}"),
        states: (0..states).map(|state| state.to_string()).collect(),
        constant: false,
    };
    let schema = Schema::new(columns.iter().enumerate().map(variable).collect(), vec!["all".to_owned()]);
    let data = RelatedData::new(
        schema,
        columns.into_iter().enumerate().map(column).collect(),
        vec![0, rows as usize],
        None,
    );
    let mut batch = Batch::default();
    batch.around(&Family::new(id(0), []), (1..7).map(|added| Change::With(id(added))));
    let tally = MemoryTally::new(&data);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let tables = std::sync::Mutex::new(Vec::new());
    pool.install(|| {
        tally
            .visit_many(&batch, &|index, counts| tables.lock().unwrap().push((index, counts.clone())))
            .unwrap();
    });
    let tables = tables.into_inner().unwrap();
    assert_eq!(tables.len(), 6);
    for (index, counts) in tables {
        let family = batch.family(index);
        assert_eq!(read_back(&data, &family, &counts), plain_count(&data, &family), "{family:?}");
    }
}

#[test]
fn every_calling_thread_gets_the_same_tables() {
    let data = random_data(&[2; 60], &[3000, 4000], false, 7);
    let tally = MemoryTally::new(&data);
    let mut batch = Batch::default();
    for child in 0..10 {
        let others = (0..60).filter(|&other| other != child && other != 20).map(id);
        batch.around(&Family::new(id(child), [id(20)]), others.map(Change::With));
    }
    let scores = || {
        let scores: Vec<OnceLock<u64>> = (0..batch.len()).map(|_| OnceLock::new()).collect();
        let note = |index: usize, counts: &Counts| {
            let score = Bhd::default().family_score(counts).total;
            scores[index].set(score.to_bits()).expect("every table is visited once");
        };
        tally.visit_many(&batch, &note).unwrap();
        scores.into_iter().map(|score| score.into_inner().unwrap()).collect::<Vec<u64>>()
    };
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let alone = pool(1).install(scores);
    // From outside of any pool, on a thread of a pool, and on several threads at once, some of which wait for each other.
    assert_eq!(scores(), alone);
    for threads in [2, 5] {
        let pool = pool(threads);
        assert_eq!(pool.install(scores), alone);
        let several = pool.install(|| (0..4).into_par_iter().map(|_| scores()).collect::<Vec<_>>());
        assert!(several.iter().all(|scores| *scores == alone));
    }
}

#[test]
fn families_above_the_memory_limit_are_refused_with_a_remedy() {
    let data = random_data(&[5; 17], &[1000, 1000], false, 3);
    let family = Family::new(id(16), (0..16).map(id));
    let error = MemoryTally::new(&data).with_memory(1000).tally(&family).unwrap_err();
    assert!(matches!(error, TallyError::TooLarge { parents: 16, rows: 2000, .. }));
    assert_eq!(error.remedies(), [Remedy::RaiseMemoryLimit, Remedy::LowerMaxParents]);
    // A dense table is there twice, as counted and in order: 2 data sets × 25 cells × 16 bytes.
    let small = Family::new(id(1), [id(0)]);
    assert!(MemoryTally::new(&data).with_memory(800).tally(&small).is_ok());
    let error = MemoryTally::new(&data).with_memory(799).tally(&small).unwrap_err();
    assert!(matches!(error, TallyError::TooLarge { parents: 1, needed: 1, .. }));
    // Without an added column, counts are summed in an intermediate table: 2 data sets × 5 cells × 24 bytes.
    let alone = Family::new(id(1), []);
    assert!(MemoryTally::new(&data).with_memory(240).tally(&alone).is_ok());
    let error = MemoryTally::new(&data).with_memory(239).tally(&alone).unwrap_err();
    assert_eq!(error.remedies(), [Remedy::RaiseMemoryLimit]);
    // A table of 2 data sets × 3,125 cells is sorted where a dense one, 100,000 bytes, has no room, and then needs 24 bytes a row.
    let large = Family::new(id(4), (0..4).map(id));
    for (memory, fits) in [(100_000, true), (99_999, true), (48_000, true), (47_999, false)] {
        let counted = MemoryTally::new(&data).with_memory(memory).tally(&large);
        match counted {
            Ok(counts) => {
                assert!(fits && counts == MemoryTally::new(&data).tally(&large).unwrap(), "{memory}");
            }
            Err(error) => {
                assert!(!fits && error.to_string().contains("needs about 1 MB"), "{memory}: {error}");
            }
        }
    }
    // A base of five columns is too large for a table in 90,000 bytes, but families with a parent fewer or more fit
    // when sorted.
    let tally = MemoryTally::new(&data).with_memory(90_000);
    let mut around = Batch::default();
    around.around(&large, [Change::With(id(9)), Change::Without(id(2)), Change::Keep]);
    let tables = std::sync::Mutex::new(Vec::new());
    tally.visit_many(&around, &|index, counts| tables.lock().unwrap().push((index, counts.clone()))).unwrap();
    for (index, counts) in tables.into_inner().unwrap() {
        assert_eq!(counts, MemoryTally::new(&data).tally(&around.family(index)).unwrap());
    }
}
