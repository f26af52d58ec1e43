//! Printing: results to standard output, everything else to standard error.

use kinfolk::data::Missing;
use kinfolk::estimate::CredibleMass;
use kinfolk::learned::{FilledIn, WEAK_BELOW};
use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use kinfolk::remedy::shorten_lines;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::failure::Failure;

/// Prints a result as text on standard output; control characters in names are escaped.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    print_unchanged(&without_controls(text))
}

/// Prints the content of a file on standard output unchanged, because a program may read it.
pub(crate) fn print_unchanged(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

/// Prints a result as JSON on standard output.
pub(crate) fn print_json(result: &impl Serialize) -> Result<(), Failure> {
    write_json(io::stdout().lock(), result)
}

/// Writes a result as JSON, streaming: a large one takes no memory for its text.
pub(crate) fn write_json(out: impl Write, result: &impl Serialize) -> Result<(), Failure> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    serde_json::to_writer_pretty(&mut out, result).map_err(|error| match error.io_error_kind() {
        Some(_) => Failure::from(io::Error::from(error)),
        None => Failure::Internal(error.to_string()),
    })?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

/// A result as JSON text, to embed it elsewhere.
pub(crate) fn json_text(result: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(result);
    text.map(|text| text + "\n").map_err(|error| Failure::Internal(error.to_string()))
}

/// Writes a note to standard error. Write errors are ignored: the result does not depend on them.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{}", without_controls(text));
}

/// Writes the error of a command to standard error.
pub(crate) fn print_error(failure: &Failure) {
    let _ = writeln!(io::stderr(), "{}", without_controls(&shorten_lines(&format!("kinfolk: {failure}"))));
}

/// Escapes characters that change how a terminal displays the rest: control characters, such as those that begin an
/// escape sequence, and marks that reverse the direction of writing. Line ends and tabs are kept.
fn without_controls(text: &str) -> Cow<'_, str> {
    let changes_display = |character: char| {
        (character.is_control() && !matches!(character, '\n' | '\t'))
            || matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(changes_display) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if changes_display(character) {
            escaped.extend(character.escape_unicode());
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

/// A table with a header; the columns from `numbers_from` on are aligned to the right.
///
/// A table that is wider than the terminal is folded: the columns that do not fit follow below, beside the labels again. Labels that
/// take more than half of the width are not repeated but for the first.
#[expect(clippy::needless_pass_by_value, reason = "every caller makes the cells for this table only")]
pub(crate) fn table(header: Vec<String>, rows: Vec<Vec<String>>, numbers_from: usize) -> String {
    fold(&header, &rows, numbers_from, width())
}

/// A table that is folded at a width.
fn fold(header: &[String], rows: &[Vec<String>], numbers_from: usize, width: usize) -> String {
    let widths: Vec<usize> = (0..header.len())
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.chain([&header[column]]).map(|cell| cell.chars().count()).max().unwrap_or(0) + PADDING
        })
        .collect();
    let label_width: usize = widths[..numbers_from.min(widths.len())].iter().sum();
    let repeated = if label_width <= width / 2 { numbers_from.max(1) } else { 1 };
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    let mut block: Vec<usize> = Vec::new();
    for column in 0..header.len() {
        let taken: usize = block.iter().map(|&other| widths[other]).sum();
        let labels = if blocks.is_empty() { 0 } else { repeated };
        if block.len() > labels && taken + widths[column] > width + PADDING {
            blocks.push(std::mem::take(&mut block));
            block.extend(0..repeated.min(column));
        }
        block.push(column);
    }
    blocks.push(block);
    let pick = |row: &[String], block: &[usize]| -> Vec<String> {
        block.iter().map(|&column| row.get(column).cloned().unwrap_or_default()).collect()
    };
    let tables = blocks.iter().map(|block| {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        if block.iter().map(|&column| widths[column]).sum::<usize>() > width + PADDING {
            // Long texts: their cells have several lines.
            table.set_content_arrangement(ContentArrangement::Dynamic);
            table.set_width(u16::try_from(width + PADDING).unwrap_or(u16::MAX));
        }
        table.set_header(pick(header, block));
        rows.iter().for_each(|row| {
            table.add_row(pick(row, block));
        });
        for (index, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, 2));
            if block[index] >= numbers_from {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table.trim_fmt()
    });
    tables.collect::<Vec<_>>().join("\n\n")
}

/// The blanks after a column.
const PADDING: usize = 2;

/// The width of the terminal in characters; 80 if the output is not a terminal.
pub(crate) fn width() -> usize {
    Table::new().width().map_or(80, usize::from)
}

/// Whether an arc's gain is weak: odds of less than 3 to 1.
pub(crate) fn is_weak(gain: f64) -> bool {
    gain < WEAK_BELOW
}

/// A score's name with its settings.
pub(crate) fn score_line(name: &str, settings: &Map<String, Value>) -> String {
    let mut parts = vec![name.to_owned()];
    let known = [("s", " per data set"), ("alpha0", " per cell"), ("s0", " in all cells"), ("iss", "")];
    for (key, unit) in known {
        if let Some(value) = settings.get(key).and_then(Value::as_f64) {
            parts.push(format!("{key} = {}{unit}", short_number(value)));
        }
    }
    if settings.get("pooled_half") == Some(&Value::Bool(false)) {
        parts.push("without the pooled half".to_owned());
    }
    if settings.get("kin_cells").and_then(Value::as_str) == Some("joint") {
        parts.push("on joint cells".to_owned());
    }
    if settings.get("structure_prior").and_then(Value::as_str) == Some("size") {
        parts.push("structure prior size".to_owned());
    }
    parts.join(", ")
}

/// A setting with few digits: 0.3333, not 0.3333333333333333; the JSON has all digits.
fn short_number(value: f64) -> String {
    let (exact, rounded) = (format!("{value}"), format!("{value:.4}"));
    if exact.len() <= rounded.len() || value.abs() < 0.1 { exact } else { rounded }
}

/// The number of columns that fit on a screen.
const DATA_SETS_SHOWN: usize = 8;

/// Longer names of data sets are abbreviated in the middle, because their ends usually differ.
const NAME_SHOWN: usize = 20;

/// Whether a table shows one column per data set; with a single one the totals suffice.
pub(crate) fn shows_data_sets(data_sets: usize) -> bool {
    (2..=DATA_SETS_SHOWN).contains(&data_sets)
}

/// The column header of a data set.
pub(crate) fn short_name(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= NAME_SHOWN {
        return name.to_owned();
    }
    let (start, end) = (&letters[..NAME_SHOWN / 2 - 1], &letters[letters.len() - NAME_SHOWN / 2..]);
    start.iter().chain(&['…']).chain(end).collect()
}

/// A score or gain with three decimals.
pub(crate) fn decimals(value: f64) -> String {
    fixed(value, 3)
}

/// A number with this many decimals. Zero has no sign; a non-finite number is `-` (`null` in JSON).
pub(crate) fn fixed(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "-".to_owned();
    }
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        Some(zero) if zero.bytes().all(|byte| matches!(byte, b'0' | b'.')) => zero.to_owned(),
        _ => text,
    }
}

/// A credible interval.
pub(crate) fn interval([low, high]: [f64; 2]) -> String {
    format!("{}–{}", decimals(low), decimals(high))
}

/// What the credible intervals of a table mean.
pub(crate) fn interval_legend(mass: CredibleMass) -> String {
    format!(
        "intervals: contain the true probability with posterior probability {};\n\
         for a new data set they include the spread between data sets",
        mass.get()
    )
}

/// `1 row`, `2 rows`, `2 families`.
pub(crate) fn plural(count: u64, word: &str) -> String {
    match word.strip_suffix('y') {
        _ if count == 1 => format!("1 {word}"),
        Some(stem) => format!("{count} {stem}ies"),
        None => format!("{count} {word}s"),
    }
}

/// `1 more row`, `2 more rows`.
pub(crate) fn plural_more(count: usize, word: &str) -> String {
    plural(count as u64, word).replacen(' ', " more ", 1)
}

/// What was done about missing values.
pub(crate) fn missing_text(filled_in: &FilledIn) -> String {
    let share = format!("{} % of the cells", fixed(100.0 * filled_in.share, 1));
    if filled_in.treatment == Missing::Available {
        return format!("{share}; each family scored on the rows that are complete for it");
    }
    if filled_in.versions == 0 {
        return format!("{share}; filled in wherever a network is learned or its tables are estimated");
    }
    let times = filled_in.versions;
    if filled_in.rounds.is_empty() {
        return format!("{share}, filled in {times} times for this network; numbers are means");
    }
    let rounds = plural(filled_in.rounds.len() as u64, "round");
    let end = if filled_in.settled { "" } else { ", not converged" };
    format!("{share}, filled in {times} times after {rounds}{end}; the score is the mean")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_direction_marks_are_escaped() {
        assert_eq!(without_controls("a\tb\n\u{1b}[31mc\u{202e}d\r"), "a\tb\n\\u{1b}[31mc\\u{202e}d\\u{d}");
        assert!(matches!(without_controls("größe → 木"), Cow::Borrowed(_)));
    }

    #[test]
    fn wide_tables_are_folded_beside_their_labels() {
        let header: Vec<String> = ["name", "first", "second", "third"].map(str::to_owned).to_vec();
        let rows = vec![["a", "1.25", "2.5", "3"].map(str::to_owned).to_vec()];
        assert_eq!(fold(&header, &rows, 1, 80), "name  first  second  third\na      1.25     2.5      3");
        let folded = fold(&header, &rows, 1, 19);
        assert_eq!(folded, "name  first  second\na      1.25     2.5\n\nname  third\na         3");
        let header = [header[..1].to_vec(), vec!["of".to_owned()], header[1..].to_vec()].concat();
        let rows = vec![["a", "b", "1.25", "2.5", "3"].map(str::to_owned).to_vec()];
        let expected = "name  of  first  second\na     b    1.25     2.5\n\nname  of  third\na     b       3";
        assert_eq!(fold(&header, &rows, 2, 23), expected);
        let header: Vec<String> = ["name", "first", "second", "third"].map(str::to_owned).to_vec();
        let long = vec![vec!["a".to_owned(), "word ".repeat(40), "2.5".to_owned(), "3".to_owned()]];
        assert!(fold(&header, &long, 2, 40).lines().all(|line| line.chars().count() <= 40));
    }

    #[test]
    fn zero_has_no_sign_and_what_is_not_finite_is_a_dash() {
        for (value, text) in [
            (-0.000_4, "0.000"),
            (-0.0, "0.000"),
            (-0.000_6, "-0.001"),
            (-10.0, "-10.000"),
            (f64::INFINITY, "-"),
            (f64::NEG_INFINITY, "-"),
            (f64::NAN, "-"),
        ] {
            assert_eq!(decimals(value), text);
            assert_eq!(serde_json::to_string(&value).unwrap() == "null", text == "-", "{value}");
        }
        assert_eq!(fixed(-0.2, 0), "0");
    }
}
