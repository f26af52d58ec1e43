//! Learns the structure that several CSV files share and prints every arc with the evidence for it. Run it with
//! `cargo run --example learn_from_csv [FILE…]`; without files it reads `examples/clinics`.

#![expect(clippy::print_stdout, reason = "a program whose result is what it prints")]

use std::error::Error;
use std::path::PathBuf;

use kinfolk::{LearnOptions, ReadOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let mut files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if files.is_empty() {
        let clinics = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/clinics");
        files = ["s1.csv", "s2.csv", "s3.csv"].map(|name| PathBuf::from(clinics).join(name)).to_vec();
    }
    let data = kinfolk::read_csv(files, &ReadOptions::default())?.data;
    let learned = kinfolk::learn(&data, &LearnOptions::default())?;
    println!("{} {:.3}", learned.score_name, learned.score);
    println!("{}", learned.structure);
    for arc in &learned.arcs {
        println!("{} → {}  {:.3}", arc.from, arc.to, arc.gain.unwrap_or(f64::NAN));
    }
    Ok(())
}
