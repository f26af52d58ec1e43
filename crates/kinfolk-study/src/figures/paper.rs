//! The figures of the paper's four simulation studies.

use std::collections::BTreeMap;

use super::spec::{Boxes, Group, Panel, Plot, SeriesColour, StudyFigure};
use crate::methods::bhd_name;
use crate::paired::{PairedReplicate, pairs};
use crate::rows::ReplicateRow;

const GAIN: &str = "SHD: BDeu − BHD";
const KINDS: [&str; 3] = ["hier", "iid", "id"];

/// The grouping of a panel's boxes: a sort key and a label.
type Key = fn(&ReplicateRow) -> (usize, String);

fn number(value: usize) -> (usize, String) {
    (value, value.to_string())
}

fn kind(row: &ReplicateRow) -> (usize, String) {
    let place = KINDS.iter().position(|kind| *kind == row.parameters).unwrap_or(KINDS.len());
    (place, row.parameters.clone())
}

/// One panel of differences between two methods.
fn panel(
    pairs: &[PairedReplicate<'_>],
    (title, x, y): (&str, &str, &str),
    key: Key,
    quantity: impl Fn(&PairedReplicate<'_>) -> f64,
    chosen: impl Fn(&ReplicateRow) -> bool,
) -> Panel {
    let mut groups: BTreeMap<(usize, String), (Vec<f64>, SeriesColour)> = BTreeMap::new();
    for pair in pairs.iter().filter(|pair| chosen(pair.first)) {
        let entry = groups
            .entry(key(pair.first))
            .or_insert_with(|| (Vec::new(), SeriesColour::of(&pair.first.parameters)));
        entry.0.push(quantity(pair));
    }
    let groups =
        groups.into_iter().map(|((_, label), (values, colour))| Group::new(label, values, colour)).collect();
    let boxes = Boxes { x: x.to_owned(), y: y.to_owned(), groups, log10: false };
    Panel { title: title.to_owned(), plot: Plot::Boxes(boxes) }
}

fn gain(pair: &PairedReplicate<'_>) -> f64 {
    pair.first.shd_cpdag as f64 - pair.second.shd_cpdag as f64
}

/// The differences of a study on joint cells, as in the paper.
fn gains(rows: &[ReplicateRow]) -> Vec<PairedReplicate<'_>> {
    let mut pairs = pairs(rows, "bdeu_1", "bhd_paper");
    pairs.retain(|pair| pair.first.level == "joint");
    pairs
}

/// The figures of a study by name; empty for other names.
pub(super) fn figures(study: &str, rows: &[ReplicateRow]) -> Vec<StudyFigure> {
    match study {
        "study1" => study_1(rows),
        "study2" => study_2(rows),
        "study3" => study_3(rows),
        "study4" => study_4(rows),
        _ => Vec::new(),
    }
}

fn study_1(rows: &[ReplicateRow]) -> Vec<StudyFigure> {
    let pairs = gains(rows);
    let by_kind = |scenario: &'static str, title: &str| {
        panel(&pairs, (title, "parameters", GAIN), kind, gain, |row| row.scenario == scenario)
    };
    let mut figures = vec![StudyFigure::boxes(
        "shd",
        "Study 1: SHD (CPDAG) of pooled BDeu minus that of BHD; positive favours BHD",
        vec![vec![by_kind("a", "(a) equal structures"), by_kind("b", "(b) some structures differ")]],
    )];
    let settings: [(&str, &str, Key); 4] = [
        ("nodes", "variables N", |row| number(row.nodes)),
        ("data_sets", "data sets F", |row| number(row.data_sets)),
        ("states", "states", |row| number(row.states.parse().unwrap_or(0))),
        ("rows", "rows per data set", |row| number(row.rows)),
    ];
    for (scenario, words) in [("a", "equal structures"), ("b", "some structures differ")] {
        for (name, x, key) in settings {
            let panels = KINDS.map(|kind| {
                let chosen = |row: &ReplicateRow| row.scenario == scenario && row.parameters == kind;
                panel(&pairs, (kind, x, GAIN), key, gain, chosen)
            });
            figures.push(StudyFigure::boxes(
                &format!("shd_by_{name}_{scenario}"),
                &format!("Study 1 ({scenario}), {words}: gain in SHD by {x}; positive favours BHD"),
                vec![panels.into()],
            ));
        }
    }
    figures.push(StudyFigure::boxes(
        "hits_b",
        "Study 1 (b): arcs of BHD against pooled BDeu; positive always favours BHD",
        vec![hits(&pairs, ("parameters", kind), |row| row.scenario == "b")],
    ));
    figures.extend([methods(rows), sample_sizes(rows), readings(rows)]);
    figures
}

/// True positives, false positives and false negatives, signed so that positive favours BHD.
fn hits(
    pairs: &[PairedReplicate<'_>],
    (x, key): (&str, Key),
    chosen: impl Fn(&ReplicateRow) -> bool + Copy,
) -> Vec<Panel> {
    let of = |title, y, quantity: fn(&PairedReplicate<'_>) -> f64| {
        panel(pairs, (title, x, y), key, quantity, chosen)
    };
    vec![
        of("true positives", "TP (DAG): BHD − BDeu", |pair| {
            pair.second.tp_dag as f64 - pair.first.tp_dag as f64
        }),
        of("false positives", "FP (DAG): BDeu − BHD", |pair| {
            pair.first.fp_dag as f64 - pair.second.fp_dag as f64
        }),
        of("false negatives", "FN (DAG): BDeu − BHD", |pair| {
            pair.first.fn_dag as f64 - pair.second.fn_dag as f64
        }),
    ]
}

/// SHD of every method that was run on all replicates.
fn methods(rows: &[ReplicateRow]) -> StudyFigure {
    let methods = [
        ("bhd_paper", "BHD 1/F"),
        ("bhd_s1", "BHD 1"),
        ("bdeu_1", "BDeu"),
        ("bic", "BIC"),
        ("separate_1", "separate"),
        ("kin", "kin"),
    ];
    let panels = KINDS.map(|kind| {
        let groups = methods.map(|(method, label)| {
            let chosen = rows
                .iter()
                .filter(|row| row.method == method && row.parameters == kind && row.level == "joint");
            Group::new(label, chosen.map(|row| row.shd_cpdag as f64).collect(), SeriesColour::of(kind))
        });
        let boxes = Boxes {
            x: "method".to_owned(),
            y: "SHD (CPDAG)".to_owned(),
            groups: groups.into(),
            log10: false,
        };
        Panel { title: kind.to_owned(), plot: Plot::Boxes(boxes) }
    });
    StudyFigure::boxes("methods", "Study 1: SHD of every method; less is better", vec![panels.into()])
}

/// BHD with other s, and compared with BDeu with the same s.
fn sample_sizes(rows: &[ReplicateRow]) -> StudyFigure {
    let readings = [("split", "split over the data sets"), ("s", "in every data set")];
    let panels = readings.map(|(reading, words)| sizes_of_a_reading(rows, reading, words));
    StudyFigure::boxes("sample_sizes", "Study 1 (a): other imaginary sample sizes", panels.into())
}

fn sizes_of_a_reading(rows: &[ReplicateRow], reading: &str, words: &str) -> Vec<Panel> {
    let sizes = ["1", "2", "5", "10"];
    let bhd = |size: &str| bhd_name(reading, size);
    let most = bhd("10");
    let mut chosen: Vec<u64> =
        rows.iter().filter(|row| row.method == most).map(|row| row.replicate).collect();
    chosen.sort_unstable();
    let own = sizes.map(|size| {
        let method = bhd(size);
        let of = |row: &&ReplicateRow| row.method == method && chosen.binary_search(&row.replicate).is_ok();
        let values = rows.iter().filter(of).map(|row| row.shd_cpdag as f64).collect();
        Group::new(size, values, SeriesColour::Blue)
    });
    let versus = sizes.map(|size| {
        let mut pairs = pairs(rows, &format!("bdeu_{size}"), &bhd(size));
        pairs.retain(|pair| chosen.binary_search(&pair.first.replicate).is_ok());
        Group::new(size, pairs.iter().map(gain).collect(), SeriesColour::Orange)
    });
    let panel = |title: String, y: &str, groups: [Group; 4]| Panel {
        title,
        plot: Plot::Boxes(Boxes { x: "s".to_owned(), y: y.to_owned(), groups: groups.into(), log10: false }),
    };
    vec![
        panel(format!("BHD, s {words}"), "SHD (CPDAG)", own),
        panel("against pooled BDeu with the same s".to_owned(), GAIN, versus),
    ]
}

/// The two ambiguities of the paper's text: s split over the data sets or not, parameters drawn per joint cell or per
/// configuration.
fn readings(rows: &[ReplicateRow]) -> StudyFigure {
    let lines = [("bhd_paper", "s = 1 split over the data sets"), ("bhd_s1", "s = 1 in every data set")];
    let rows_of_panels = lines.map(|(method, words)| {
        let pairs = pairs(rows, "bdeu_1", method);
        let of = |level: &'static str, title: &str| {
            let title = format!("{words}; {title}");
            let chosen = |row: &ReplicateRow| {
                row.level == level && row.scenario == "a" && row.structure == 0 && row.parameter_set < 2
            };
            panel(&pairs, (&title, "parameters", GAIN), kind, gain, chosen)
        };
        vec![of("joint", "tables per joint cell"), of("configuration", "tables per configuration")]
    });
    let title = "Study 1 (a): the gain in SHD under both readings of both ambiguous passages";
    StudyFigure::boxes("readings", title, rows_of_panels.into())
}

fn two_kinds(pairs: &[PairedReplicate<'_>], x: &str, key: Key) -> [Panel; 2] {
    ["hier", "iid"].map(|kind| panel(pairs, (kind, x, GAIN), key, gain, |row| row.parameters == kind))
}

fn study_2(rows: &[ReplicateRow]) -> Vec<StudyFigure> {
    let pairs = gains(rows);
    let by_rows = two_kinds(&pairs, "rows per data set", |row| number(row.rows));
    vec![
        StudyFigure::boxes(
            "shd_by_data_sets",
            "Study 2: gain in SHD by the number of data sets; positive favours BHD",
            vec![two_kinds(&pairs, "data sets F", |row| number(row.data_sets)).into()],
        ),
        StudyFigure::boxes(
            "shd_by_rows",
            "Study 2: gain in SHD by the rows of each data set; positive favours BHD",
            by_rows.map(|panel| vec![panel]).into(),
        ),
        StudyFigure::boxes(
            "hits",
            "Study 2: arcs of BHD against pooled BDeu; positive always favours BHD",
            vec![hits(&pairs, ("parameters", kind), |_| true)],
        ),
        StudyFigure::boxes(
            "hits_by_rows",
            "Study 2: arcs of BHD against pooled BDeu by the rows of each data set; positive always favours BHD",
            vec![hits(&pairs, ("rows per data set", |row| number(row.rows)), |_| true)],
        ),
    ]
}

fn study_3(rows: &[ReplicateRow]) -> Vec<StudyFigure> {
    let pairs = gains(rows);
    vec![
        StudyFigure::boxes(
            "shd_by_nodes",
            "Study 3: gain in SHD by the number of variables; positive favours BHD",
            vec![two_kinds(&pairs, "variables N", |row| number(row.nodes)).into()],
        ),
        StudyFigure::boxes(
            "hits",
            "Study 3: arcs of BHD against pooled BDeu; positive always favours BHD",
            vec![hits(&pairs, ("parameters", kind), |_| true)],
        ),
        StudyFigure::boxes(
            "hits_by_nodes",
            "Study 3: arcs of BHD against pooled BDeu by the number of variables; positive always favours BHD",
            vec![hits(&pairs, ("variables N", |row| number(row.nodes)), |_| true)],
        ),
    ]
}

fn study_4(rows: &[ReplicateRow]) -> Vec<StudyFigure> {
    let pairs = gains(rows);
    // 0 is the case of equal sizes, 10 the composite one; the others encode the number of shortened data sets and their
    // share.
    let key: Key = |row| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a per cent")]
        let share = (100.0 * row.by).round() as usize;
        let label = match row.altered {
            0 => "none".to_owned(),
            10 => "composite".to_owned(),
            altered => format!("{altered} to {share}%"),
        };
        (row.altered * 1000 + share, label)
    };
    let panels = two_kinds(&pairs, "data sets with fewer rows, and the share that they keep", key);
    vec![StudyFigure::boxes(
        "shd_by_shortened",
        "Study 4: gain in SHD when some data sets have fewer rows; positive favours BHD",
        panels.map(|panel| vec![panel]).into(),
    )]
}
