//! The states of a column: number parsing, natural order, union of observed values, and declared levels.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;

use rustc_hash::FxHashMap;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::error::DataError;

/// Declared states by column, in order.
pub type DeclaredLevels = Vec<(String, Vec<String>)>;

/// The states of a column, and the state of each dictionary code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Levels {
    /// The states in order.
    pub(super) states: Vec<String>,
    /// The state of each code; `None` for a code that is missing, unseen or unknown.
    pub(super) of_code: Vec<Option<u32>>,
    /// A replaced spelling of a number, with its shorter replacement.
    pub(super) respelt: Option<(String, String)>,
}

impl Levels {
    /// Whether every dictionary code equals the code of its state.
    pub(super) fn are_codes(&self) -> bool {
        self.of_code.iter().zip(0..).all(|(state, code)| state.unwrap_or(0) == code)
    }
}

/// Parses levels from JSON text: an object that maps columns to lists of states.
///
/// States may be strings, numbers or booleans; their order is kept. Errors name `file`.
pub fn parse_levels(text: &str, file: &str) -> Result<DeclaredLevels, DataError> {
    let refuse = |reason: String| DataError::LevelsFile { file: file.to_owned(), reason };
    let Pairs(pairs) = serde_json::from_str(text).map_err(|error| {
        // A data error means valid JSON of another shape; every other error means invalid JSON.
        let shape = error.is_data();
        refuse(if shape {
            "not an object from column to list of states".to_owned()
        } else {
            error.to_string()
        })
    })?;
    let mut declared = DeclaredLevels::new();
    for (column, list) in pairs {
        let Value::Array(list) = list else {
            return Err(refuse(format!("column `{column}` has no list of states")));
        };
        let mut levels = Vec::with_capacity(list.len());
        for level in list {
            levels.push(match level {
                Value::String(level) => level.trim_ascii().to_owned(),
                Value::Number(level) => level.to_string(),
                Value::Bool(level) => level.to_string(),
                _ => return Err(refuse(format!("column `{column}`: {level} is not a state"))),
            });
        }
        declared.push((column.trim().to_owned(), levels));
    }
    check_declared(&declared)?;
    Ok(declared)
}

/// The pairs of a JSON object in file order, including repeated keys.
struct Pairs(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor;
        impl<'de> Visitor<'de> for PairsVisitor {
            type Value = Pairs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object from column to list of states")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(PairsVisitor)
    }
}

/// Refuses empty lists, duplicate states and columns listed twice.
pub(super) fn check_declared(declared: &DeclaredLevels) -> Result<(), DataError> {
    let mut columns = BTreeSet::new();
    for (column, levels) in declared {
        let refuse = |reason: String| Err(DataError::Levels { column: column.clone(), reason });
        if !columns.insert(column) {
            return refuse("the column is listed twice".to_owned());
        }
        if levels.is_empty() {
            return refuse("the list of states is empty; name at least one".to_owned());
        }
        let mut seen = BTreeSet::new();
        if let Some(level) = levels.iter().find(|level| !seen.insert(level.as_str())) {
            return refuse(format!("the state `{level}` is listed twice"));
        }
        if levels.iter().any(String::is_empty) {
            return refuse("an empty state would always mean missing; give it a name".to_owned());
        }
    }
    Ok(())
}

/// The finite number that a cell spells, if any.
pub(super) fn number(text: &str) -> Option<f64> {
    let numeric = |byte: u8| matches!(byte, b'0'..=b'9' | b'.' | b'+' | b'-' | b'e' | b'E');
    if !text.bytes().all(numeric) {
        return None;
    }
    // Adding zero turns -0 into 0.
    text.parse::<f64>().ok().filter(|value| value.is_finite()).map(|value| value + 0.0)
}

/// The shortest spelling of a number that parses to the same number.
pub(super) fn spell(value: f64) -> String {
    let value = value + 0.0;
    let (plain, scientific) = (format!("{value}"), format!("{value:e}"));
    // Scientific notation only if it is much shorter: 1e300, but not 1e3.
    if plain.len() > scientific.len() + 8 { scientific } else { plain }
}

/// Whether a cell is a plain decimal number: no exponent, no plus sign, no superfluous leading zero.
fn is_plain(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    !(whole.is_empty() && fraction.is_empty())
        && all_digits(whole)
        && all_digits(fraction)
        && (whole.len() < 2 || !whole.starts_with('0'))
}

/// One normal form for all spellings of a number. It is exact for decimals of any length, unlike a comparison
/// of floats.
pub(super) fn normal_form(text: &str) -> Option<String> {
    let value = number(text)?;
    let expanded;
    let decimal = if text.contains(['e', 'E']) {
        expanded = format!("{value}");
        &expanded
    } else {
        text
    };
    let (sign, digits) = match decimal.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", decimal.strip_prefix('+').unwrap_or(decimal)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    let whole = if whole.is_empty() { "0" } else { whole };
    Some(match (whole, fraction) {
        ("0", "") => "0".to_owned(),
        (whole, "") => format!("{sign}{whole}"),
        (whole, fraction) => format!("{sign}{whole}.{fraction}"),
    })
}

/// Natural order: runs of digits compare as numbers, so that `a2` precedes `a10`. It is a total order.
pub(super) fn natural_order(left: &str, right: &str) -> Ordering {
    let (mut a, mut b) = (left, right);
    loop {
        let (run_a, run_b) = (digit_run(a), digit_run(b));
        let order = if run_a.is_empty() || run_b.is_empty() {
            let (mut chars_a, mut chars_b) = (a.chars(), b.chars());
            let (first_a, first_b) = (chars_a.next(), chars_b.next());
            if first_a.is_none() && first_b.is_none() {
                return left.cmp(right);
            }
            (a, b) = (chars_a.as_str(), chars_b.as_str());
            first_a.cmp(&first_b)
        } else {
            (a, b) = (&a[run_a.len()..], &b[run_b.len()..]);
            let (run_a, run_b) = (run_a.trim_start_matches('0'), run_b.trim_start_matches('0'));
            run_a.len().cmp(&run_b.len()).then_with(|| run_a.cmp(run_b))
        };
        if order.is_ne() {
            return order;
        }
    }
}

fn digit_run(text: &str) -> &str {
    &text[..text.bytes().take_while(u8::is_ascii_digit).count()]
}

/// The states among the seen entries of a dictionary: numbers by value, then other texts in natural order.
///
/// If every entry is a plain decimal number, entries of equal value are one state, and in that case the whole
/// column uses the shortest spelling. Complexity: O(r log r) for r entries.
pub(super) fn union(dictionary: &[String], seen: &[bool]) -> Levels {
    let codes: Vec<usize> = (0..dictionary.len()).filter(|&code| seen[code]).collect();
    let mut labels: Vec<(usize, String)> =
        codes.iter().map(|&code| (code, dictionary[code].clone())).collect();
    let mut respelt = None;
    if codes.iter().all(|&code| is_plain(&dictionary[code])) {
        let normal: Vec<(usize, String)> =
            codes.iter().filter_map(|&code| Some((code, normal_form(&dictionary[code])?))).collect();
        let distinct: BTreeSet<&str> = normal.iter().map(|(_, label)| label.as_str()).collect();
        if normal.len() == codes.len() && distinct.len() < codes.len() {
            respelt = normal
                .iter()
                .find(|(code, label)| dictionary[*code] != *label)
                .map(|(code, label)| (dictionary[*code].clone(), label.clone()));
            labels = normal;
        }
    }
    let values: Vec<Option<f64>> = labels.iter().map(|(_, label)| number(label)).collect();
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_by(|&a, &b| {
        let by_value = match (values[a], values[b]) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        };
        by_value.then_with(|| natural_order(&labels[a].1, &labels[b].1))
    });
    let mut levels = Levels { states: Vec::new(), of_code: vec![None; dictionary.len()], respelt };
    for index in order {
        let (code, label) = &labels[index];
        if levels.states.last() != Some(label) {
            levels.states.push(label.clone());
        }
        levels.of_code[*code] = Some(state_code(levels.states.len() - 1));
    }
    levels
}

/// The declared states, and the state of each seen dictionary entry.
///
/// Entries match by exact spelling first; then, if all declared states are numbers, by value.
pub(super) fn declared(dictionary: &[String], seen: &[bool], states: &[String]) -> Levels {
    let exact: FxHashMap<&str, usize> =
        states.iter().enumerate().map(|(index, state)| (state.as_str(), index)).collect();
    let normal: Option<Vec<String>> = states.iter().map(|state| normal_form(state)).collect();
    let mut by_value: FxHashMap<&str, usize> = FxHashMap::default();
    for (index, form) in normal.iter().flatten().enumerate() {
        by_value.entry(form).or_insert(index);
    }
    let find = |text: &str| {
        let found = exact.get(text).or_else(|| by_value.get(normal_form(text)?.as_str()));
        found.copied().map(state_code)
    };
    let of_code =
        dictionary.iter().zip(seen).map(|(text, &seen)| if seen { find(text) } else { None }).collect();
    Levels { states: states.to_vec(), of_code, respelt: None }
}

/// A position among the states as a code.
pub(super) fn state_code(index: usize) -> u32 {
    u32::try_from(index)
        .expect("a column has fewer than 2^32 distinct values: their text would not fit in memory")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_finite_decimal_spellings_are_numbers() {
        for (text, value) in
            [("1", 1.0), ("-0.50", -0.5), (".7", 0.7), ("2.", 2.0), ("+3", 3.0), ("1e3", 1000.0)]
        {
            assert_eq!(number(text), Some(value), "{text}");
        }
        for text in ["", "-", ".", "e5", "inf", "-Infinity", "NaN", "0x1", "1,5", "1e999", "1 2"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn plain_numbers_have_no_superfluous_zeros_in_front() {
        assert!(["0", "-0", "10", "0.5", ".5", "1.", "-1.50"].into_iter().all(is_plain));
        assert!(!["", "-", ".", "007", "01", "-00.5", "1e3", "+1", "1.2.3"].into_iter().any(is_plain));
    }

    #[test]
    fn a_number_has_one_normal_form() {
        for (text, form) in [
            ("1.0", "1"),
            ("-0.0", "0"),
            (".50", "0.5"),
            ("+007", "7"),
            ("1e3", "1000"),
            ("-2.50", "-2.5"),
            ("100", "100"),
        ] {
            assert_eq!(normal_form(text).as_deref(), Some(form), "{text}");
        }
    }

    #[test]
    fn numbers_are_spelt_short() {
        let spelt: Vec<String> = [0.1, -0.0, 1000.0, 1e300, 1e-300, 2.5].map(spell).into();
        assert_eq!(spelt, ["0.1", "0", "1000", "1e300", "1e-300", "2.5"]);
    }

    proptest! {
        #[test]
        fn natural_order_is_a_total_order(a in "[a01 2é]{0,4}", b in "[a01 2é]{0,4}", c in "[a01 2é]{0,4}") {
            prop_assert_eq!(natural_order(&a, &b), natural_order(&b, &a).reverse());
            prop_assert_eq!(natural_order(&a, &b).is_eq(), a == b);
            if natural_order(&a, &b).is_le() && natural_order(&b, &c).is_le() {
                prop_assert!(natural_order(&a, &c).is_le());
            }
        }

        #[test]
        fn the_union_does_not_depend_on_the_order_of_appearance(
            texts in prop::collection::btree_set("[ab]?[0-2]{1,2}(\\.0)?", 1..8),
        ) {
            let forward: Vec<String> = texts.iter().cloned().collect();
            let backward: Vec<String> = texts.iter().rev().cloned().collect();
            let seen = vec![true; forward.len()];
            let (forward, backward) = (union(&forward, &seen), union(&backward, &seen));
            prop_assert_eq!(forward.states, backward.states);
            prop_assert!(forward.of_code.iter().eq(backward.of_code.iter().rev()));
        }
    }
}
