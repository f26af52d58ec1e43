//! Maps texts to states of a known variable: by spelling, by numeric value, or by interval.

use rustc_hash::FxHashMap;

use super::discretize::Bins;
use super::levels::{normal_form, number, state_code};
use super::missing::MISSING_LABEL;

/// The states of a known variable, indexed for lookup.
#[derive(Debug, Clone, PartialEq)]
pub struct Coding {
    exact: FxHashMap<String, u32>,
    /// States by the normal form of their number, if all are numbers.
    by_value: FxHashMap<String, u32>,
    intervals: Option<Intervals>,
    missing: Option<u32>,
}

/// States that are bins of a numeric variable.
#[derive(Debug, Clone, PartialEq)]
struct Intervals {
    bins: Bins,
    /// The smallest and the largest value in the bins.
    range: (f64, f64),
}

impl Coding {
    /// Builds the index; `states` are in the order of their codes.
    pub fn new(states: &[String]) -> Self {
        let coded = || states.iter().enumerate().map(|(index, state)| (state, state_code(index)));
        // The state of missing values is not a number, at any position.
        let values: Vec<&String> = states.iter().filter(|state| *state != MISSING_LABEL).collect();
        let mut by_value = FxHashMap::default();
        if values.iter().all(|state| number(state).is_some()) {
            for (state, code) in coded() {
                if let Some(form) = normal_form(state) {
                    by_value.entry(form).or_insert(code);
                }
            }
        }
        let missing = coded().find(|(state, _)| *state == MISSING_LABEL).map(|(_, code)| code);
        let last = missing.is_none_or(|code| code as usize + 1 == states.len());
        Self {
            exact: coded().map(|(state, code)| (state.clone(), code)).collect(),
            by_value,
            intervals: if last { Intervals::parse(&values) } else { None },
            missing,
        }
    }

    /// The code of the state that a text denotes, if any.
    pub fn find(&self, text: &str) -> Option<u32> {
        if let Some(&code) = self.exact.get(text) {
            return Some(code);
        }
        if let Some(intervals) = &self.intervals {
            return intervals.find(number(text)?);
        }
        self.by_value.get(&normal_form(text)?).copied()
    }

    /// The code of the state with exactly this spelling.
    pub(super) fn find_exactly(&self, text: &str) -> Option<u32> {
        self.exact.get(text).copied()
    }

    /// The code of the state of missing values, if the variable has one.
    pub fn missing(&self) -> Option<u32> {
        self.missing
    }
}

impl Intervals {
    /// Parses the bin labels of discretisation: `<=0`, `(0,1.5]`, `>1.5`, or `[0,1.5]` for a single bin.
    /// Labels hold all digits of the cut points.
    fn parse(states: &[&String]) -> Option<Self> {
        if let [only] = states {
            let (low, high) = only.strip_prefix('[')?.strip_suffix(']')?.split_once(',')?;
            let bins = Bins { cuts: Vec::new(), labels: vec![(*only).clone()] };
            return Some(Self { bins, range: (number(low)?, number(high)?) });
        }
        let (last, before) = states.split_last()?;
        let mut cuts = vec![number(before.first()?.strip_prefix("<=")?)?];
        for state in &before[1..] {
            let (low, high) = state.strip_prefix('(')?.strip_suffix(']')?.split_once(',')?;
            if number(low)? != *cuts.last()? {
                return None;
            }
            cuts.push(number(high)?);
        }
        let fits = number(last.strip_prefix('>')?)? == *cuts.last()? && cuts.is_sorted_by(|a, b| a < b);
        let labels = states.iter().map(|state| (*state).clone()).collect();
        fits.then_some(Self { bins: Bins { cuts, labels }, range: (f64::NEG_INFINITY, f64::INFINITY) })
    }

    fn find(&self, value: f64) -> Option<u32> {
        let (low, high) = self.range;
        (low..=high).contains(&value).then(|| state_code(self.bins.of(value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coding(states: &[&str]) -> Coding {
        Coding::new(&states.iter().map(|&state| state.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn numbers_map_to_the_bins_in_their_labels() {
        let bins = coding(&["<=-1.5", "(-1.5,0.1]", ">0.1", MISSING_LABEL]);
        for (text, code) in [("-1.5", 0), ("-1.4999", 1), ("0.1", 1), ("1e-1", 1), ("7", 2), (">0.1", 2)] {
            assert_eq!(bins.find(text), Some(code), "{text}");
        }
        assert_eq!((bins.find("many"), bins.missing()), (None, Some(3)));
        let one = coding(&["[1,2]"]);
        assert_eq!((one.find("1.5"), one.find("2.5")), (Some(0), None));
    }

    #[test]
    fn labels_that_are_not_consecutive_are_not_bins() {
        for states in [&["<=0", "(1,2]", ">2"][..], &["<=2", "(2,1]", ">1"], &["<=a", ">a"], &["(0,1]", ">1"]]
        {
            assert_eq!(coding(states).find("1"), None, "{states:?}");
        }
    }

    #[test]
    fn numbers_are_recognised_in_any_spelling_if_all_states_are_numbers() {
        assert_eq!(coding(&["1", "2.50", MISSING_LABEL]).find("2.5"), Some(1));
        assert_eq!(coding(&["1", "two"]).find("1.0"), None);
        assert_eq!(coding(&["1", "1.0"]).find("1.0"), Some(1));
    }
}
