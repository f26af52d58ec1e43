//! Fits the tables of every data set and queries each for probabilities given evidence. Run it with
//! `cargo run --example tables_and_queries`.

#![expect(clippy::print_stdout, reason = "a program whose result is what it prints")]

use std::error::Error;

use kinfolk::{LearnOptions, ReadOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let clinics = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/clinics");
    let files = ["s1", "s2", "s3"].map(|name| format!("{clinics}/{name}.csv"));
    let data = kinfolk::read_csv(files, &ReadOptions::default())?.data;
    let options = LearnOptions::default();
    let learned = kinfolk::learn(&data, &options)?;
    let network = kinfolk::fit_tables(&data, &learned.dag, &options)?;
    let answer = kinfolk::query(&network, "V05", &[("V03", "a"), ("V06", "d")])?;
    println!("P(V05 | V03 = a, V06 = d)");
    for (data_set, probabilities) in &answer.data_sets.0 {
        let states = probabilities.0.iter().map(|(state, probability)| format!("{state} {probability:.3}"));
        println!("{data_set:7} {}", states.collect::<Vec<_>>().join("  "));
    }
    Ok(())
}
