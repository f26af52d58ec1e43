//! Row multiplicities.

use kinfolk::data::ReadOptions;

use crate::{cells, plain, reading, refusal, rows, states, texts};

#[test]
fn weights_are_multiplicities_and_all_ones_are_not_stored() {
    let options = ReadOptions { weight: Some("n".to_owned()), ..plain() };
    let weighted = reading(&["n,p\n3,x\n2.0,y\n1,x\n"], &options);
    assert_eq!(weighted.data.weights(), Some(&[3, 2, 1][..]));
    assert_eq!(rows(&weighted), [6]);
    assert_eq!(weighted.description.data_sets[0].stored_rows, 3);
    assert_eq!(reading(&["n,p\n1,x\n1.0,y\n0,x\n"], &options).data.weights(), None);
}

#[test]
fn a_row_of_weight_zero_only_declares_its_states() {
    let options = ReadOptions { weight: Some("n".to_owned()), ..plain() };
    let reading = reading(&["n,p,q\n1,x,1\n0,y,NA\n", "n,p,q\n0,z,2\n"], &options);
    assert_eq!(states(&reading, "p"), ["x", "y", "z"]);
    assert_eq!(cells(&reading, "p"), [texts(&["x"]), texts(&[])]);
    let p = &reading.description.variables[0];
    assert!(p.constant);
    assert_eq!(p.absent, [texts(&["y", "z"]), texts(&["x", "y", "z"])]);
    assert_eq!(reading.description.variables[1].missing, [0, 0]);
}

#[test]
fn weights_that_are_not_counts_are_refused() {
    let options = ReadOptions { weight: Some("n".to_owned()), ..plain() };
    for weight in ["-1", "1.5", "1e300", "x", "18446744073709551616", "inf", "9007199254740993"] {
        let text = refusal(&[&format!("n,p\n1,x\n{weight},x\n")], &options);
        let start = format!("a, row 3, column `n`: the weight `{weight}` is not a whole number");
        assert!(text.starts_with(&start), "{text}");
    }
    let text = refusal(&["n,p\n9007199254740992,x\n1,x\n"], &options);
    assert!(text.starts_with("the weights in column `n` add up to more than 2^53 rows"), "{text}");
}

#[test]
fn weights_that_are_all_zero_are_refused() {
    let options = ReadOptions { weight: Some("n".to_owned()), ..plain() };
    let text = refusal(&["n,p\n0,x\n0,y\n"], &options);
    assert!(text.starts_with("weight: column `n` is 0 in every row"), "{text}");
}
