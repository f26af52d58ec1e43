//! `kinfolk compare`: the structural Hamming distance between two structures.

use kinfolk::graph::{Comparison, Hits, compare, modelstring};

use crate::args::{CommonArgs, CompareArgs};
use crate::failure::Failure;
use crate::inputs::structure_text;
use crate::output;

pub(crate) fn run(args: &CompareArgs, common: &CommonArgs) -> Result<(), Failure> {
    let (learned, learned_place) = structure_text(&args.learned, "LEARNED")?;
    let (truth, truth_place) = structure_text(&args.truth, "TRUE")?;
    let (names, learned) = modelstring::parse_free(&learned)
        .map_err(|error| Failure::Structure { place: learned_place, error })?;
    let truth = modelstring::parse_second(&truth, &names)
        .map_err(|error| Failure::Structure { place: truth_place, error })?;
    let comparison = compare(&learned, &truth);
    if common.json { output::print_json(&comparison) } else { output::print(&text(&comparison)) }
}

fn text(comparison: &Comparison) -> String {
    let row = |name: &str, shd: usize, hits: &Hits| {
        vec![name.to_owned(), shd.to_string(), hits.tp.to_string(), hits.fp.to_string(), hits.fn_.to_string()]
    };
    let header = ["compared on", "SHD", "TP", "FP", "FN"].map(str::to_owned).to_vec();
    let rows = vec![
        row("CPDAGs (equivalence classes)", comparison.shd.cpdag, &comparison.cpdag),
        row("DAGs (arcs as directed)", comparison.shd.dag, &comparison.dag),
        row("skeletons (adjacencies)", comparison.shd.skeleton, &comparison.skeleton),
    ];
    output::table(header, rows, 1)
}
