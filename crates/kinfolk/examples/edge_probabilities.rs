//! Prints the posterior probability of every edge and of its two directions. Run it with
//! `cargo run --example edge_probabilities`.

#![expect(clippy::print_stdout, reason = "a program whose result is what it prints")]

use std::error::Error;

use kinfolk::{LearnOptions, ReadOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let clinics = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/clinics");
    let files = ["s1", "s2", "s3"].map(|name| format!("{clinics}/{name}.csv"));
    let data = kinfolk::read_csv(files, &ReadOptions::default())?.data;
    let posterior = kinfolk::arc_posterior(&data, &LearnOptions::default())?;
    let schema = data.schema();
    for a in schema.ids() {
        for b in schema.ids().filter(|&b| a < b && posterior.edge(a, b) >= 0.01) {
            let [from, to] = [a, b].map(|id| &schema.variable(id).name);
            let (edge, forward, back) = (posterior.edge(a, b), posterior.arc(a, b), posterior.arc(b, a));
            println!("{from} – {to}  {edge:.3}  → {forward:.3}  ← {back:.3}");
        }
    }
    Ok(())
}
