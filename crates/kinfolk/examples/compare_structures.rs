//! Scores two structures with three scores, and prints the structural Hamming distance between their equivalence classes. Run it with
//! `cargo run --example compare_structures`.

#![expect(clippy::print_stdout, reason = "a program whose result is what it prints")]

use std::error::Error;

use kinfolk::graph::{compare, modelstring};
use kinfolk::score::{NamedChoice, ScoreName};
use kinfolk::{LearnOptions, ReadOptions, ScoreSpec};

fn main() -> Result<(), Box<dyn Error>> {
    let clinics = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/clinics");
    let files = ["s1", "s2", "s3"].map(|name| format!("{clinics}/{name}.csv"));
    let data = kinfolk::read_csv(files, &ReadOptions::default())?.data;
    let names = data.schema().names();
    let chain = modelstring::parse("[V06][V03|V06][V01|V03][V02|V01][V04|V02][V05|V04]", &names)?;
    let full = modelstring::parse("[V02][V06][V03|V06][V04|V02:V06][V01|V02:V03][V05|V03:V04]", &names)?;
    for name in ["kin", "bhd", "bdeu"] {
        let score = ScoreName::from_name(name).ok_or("there is no such score")?;
        let options = LearnOptions::new().with_score(ScoreSpec::named(score));
        let [chain, full] = [&chain, &full].map(|dag| kinfolk::score_structure(&data, dag, &options));
        println!("{name:5} chain {:.3}, full {:.3}", chain?.score, full?.score);
    }
    println!("structural Hamming distance: {}", compare(&chain, &full).shd.cpdag);
    Ok(())
}
