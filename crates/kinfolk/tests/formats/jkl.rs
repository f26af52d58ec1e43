//! Local scores as `.jkl` files: read back to the bit, solved like the data, and refused with the line.

use std::ops::ControlFlow;

use crate::random::{id, random_data};
use kinfolk::counts::MemoryTally;
use kinfolk::formats::{read_jkl, write_jkl};
use kinfolk::score::{Bdeu, Bhd, Kin, Score, Scorer};
use kinfolk::search::{Constraints, ExactError, ParentSetFilter, ParentSets, Rules, optimum, optimum_of};

#[test]
fn local_scores_are_read_back_to_the_bit_and_give_the_optimum_of_the_data() {
    for seed in 0..4 {
        let data = random_data(&[2, 3, 2, 2, 3], &[30, 40], false, seed);
        let rules = Rules { max_parents: Some(3), ..Rules::default() };
        let constraints = Constraints::new(data.schema(), &rules).unwrap();
        for score in [&Kin::default() as &dyn Score, &Bhd::default(), &Bdeu::default()] {
            let tally = MemoryTally::new(&data);
            let mut scorer = Scorer::new(&tally, score);
            let sets = ParentSets::score(&mut scorer, &constraints, ParentSetFilter::OPTIMAL, &mut |_| {
                ControlFlow::Continue(())
            })
            .unwrap();
            let text = write_jkl(&sets);
            let read = read_jkl(&text).unwrap();
            assert_eq!(read.names, ["0", "1", "2", "3", "4"]);
            assert_eq!(write_jkl(&read.sets), text);
            for child in (0..5).map(id) {
                assert_eq!(read.sets.of(child), sets.of(child));
            }
            let best = optimum(&mut scorer, &constraints, &mut |_| ControlFlow::Continue(())).unwrap();
            let solved = optimum_of(&read.sets, &mut |_| ControlFlow::Continue(())).unwrap();
            assert_eq!((solved.dag, solved.score), (best.dag, best.score));
        }
    }
}

#[test]
fn files_of_other_programs_may_have_names_numbers_in_any_order_and_empty_lines() {
    let named = "2\nrain 2\n-3.5 0\n-2.25 1 wet\n\nwet 1\n-4 0\n";
    let read = read_jkl(named).unwrap();
    assert_eq!(read.names, ["rain", "wet"]);
    let solved = optimum_of(&read.sets, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((solved.score, solved.dag.arc_count()), (-6.25, 1));
    let swapped = "2\r\n1 1\r\n-4 0\r\n0 2\r\n-3.5 0\r\n-2.25 1 1\r\n";
    assert_eq!(read_jkl(swapped).unwrap().sets, read.sets);
}

#[test]
fn broken_files_are_refused_with_the_line() {
    for (text, parts) in [
        ("", ["line 1", "number of variables"]),
        ("two\n", ["line 1", "`two`"]),
        ("0\n", ["line 1", "1 to 128"]),
        ("99999999999999\n", ["line 1", "1 to 128"]),
        ("1\na\n", ["line 2", "number of its parent sets"]),
        ("1\na 99999999999\n-1 0\n", ["line 4", "the end of the file"]),
        ("2\na 1\n-1 0\na 1\n-1 0\n", ["line 4", "`a` is given twice"]),
        ("1\na 1\nNaN 0\n", ["line 3", "finite"]),
        ("1\na 1\n-1 2 b\n", ["line 3", "parents: 1 instead of 2"]),
        ("2\na 1\n-1 1 c\nb 1\n-1 0\n", ["line 3", "no variable `c`"]),
        ("2\na 1\n-1 1 a\nb 1\n-1 0\n", ["line 3", "other than itself"]),
        ("3\na 1\n-1 2 b b\nb 1\n-1 0\nc 1\n-1 0\n", ["line 3", "`b` is given twice"]),
        ("1\na 2\n-1 0\n-2 0\n", ["line 4", "given twice"]),
        ("1\na 1\n-1 0\nmore\n", ["line 4", "the end of the file after 1 variables"]),
    ] {
        let error = read_jkl(text).unwrap_err().to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{text:?}: {error}");
    }
    let cyclic = read_jkl("2\na 1\n-1 1 b\nb 1\n-1 1 a\n").unwrap();
    let refused = optimum_of(&cyclic.sets, &mut |_| ControlFlow::Continue(()));
    assert_eq!(refused.unwrap_err(), ExactError::NoNetwork);
}
