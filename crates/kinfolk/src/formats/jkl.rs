//! Reader and writer for `.jkl`, the local scores of GOBNILP and blip: each variable's candidate parent sets with their
//! scores.
//!
//! The first line has the number of variables. Then follow, for each variable, a line with its identifier and the
//! number of its sets, and one line per set: the score, the number of parents, and the parents. Identifiers are column
//! numbers from 0, which both programs read; the reader also accepts names without white space. Scores are written with
//! enough digits to restore the same bits.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use crate::data::VariableId;
use crate::search::parent_sets::PARENT_SET_BITS;
use crate::search::{ParentSet, ParentSets};

use super::FormatError;

/// Candidate parent sets read from a file.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalScores {
    /// The identifiers of the variables: column numbers from 0 in order, or names in the order of the file.
    pub names: Vec<String>,
    /// The sets, best first.
    pub sets: ParentSets,
}

/// Formats the sets as text.
pub fn write_jkl(sets: &ParentSets) -> String {
    let mut text = format!("{}\n", sets.variables());
    for child in (0..sets.variables()).map(VariableId::new) {
        let own = sets.of(child);
        let _ = writeln!(text, "{} {}", child.index(), own.len());
        for set in own {
            let _ = write!(text, "{} {}", set.score, set.parents.count_ones());
            for parent in set.members() {
                let _ = write!(text, " {}", parent.index());
            }
            text.push('\n');
        }
    }
    text
}

/// Reads the sets of a file. Empty lines are skipped; nothing may follow the last set.
///
/// Identifiers that are exactly the numbers from 0 to N − 1, in any order, are column numbers. Otherwise they are
/// names, and the first one is variable 0.
pub fn read_jkl(text: &str) -> Result<LocalScores, FormatError> {
    let mut lines = Lines::new(text);
    let (line, first) = lines.next("the number of variables")?;
    let [number] = first[..] else { return Err(syntax(line, "the number of variables alone", &first)) };
    let variables: usize =
        number.parse().map_err(|_| syntax(line, "the number of variables, such as 5", &[number]))?;
    if !(1..=PARENT_SET_BITS).contains(&variables) {
        let expected = format!("1 to {PARENT_SET_BITS}");
        return Err(FormatError::Number { line, what: "variables".to_owned(), expected, found: variables });
    }
    let mut children: Vec<Child<'_>> = Vec::new();
    for _ in 0..variables {
        let child = lines.child()?;
        if children.iter().any(|other| other.name == child.name) {
            let what = "variable".to_owned();
            return Err(FormatError::Duplicate { line: child.line, what, name: child.name.to_owned() });
        }
        children.push(child);
    }
    if let Ok((line, tokens)) = lines.next("") {
        return Err(syntax(line, &format!("the end of the file after {variables} variables"), &tokens));
    }
    let places = places(&children);
    let mut names = vec![String::new(); variables];
    let mut by_child = vec![Vec::new(); variables];
    for child in &children {
        let place = places[child.name];
        child.name.clone_into(&mut names[place]);
        by_child[place] = child.sets(&places)?;
    }
    Ok(LocalScores { names, sets: ParentSets::from_scored(by_child) })
}

/// The position of every identifier: its number if all are numbers below N, otherwise its place in the file.
fn places<'a>(children: &[Child<'a>]) -> HashMap<&'a str, usize> {
    let number =
        |child: &Child<'_>| child.name.parse::<usize>().ok().filter(|&number| number < children.len());
    // Identifiers are distinct texts, but `0` and `00` are the same number.
    let mut numbers: Vec<usize> = children.iter().filter_map(number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let numbered = numbers.len() == children.len();
    let place =
        |(order, child): (usize, &Child<'_>)| if numbered { number(child).unwrap_or(order) } else { order };
    children.iter().enumerate().map(|(order, child)| (child.name, place((order, child)))).collect()
}

/// A variable with the lines of its sets.
struct Child<'a> {
    line: usize,
    name: &'a str,
    sets: Vec<(usize, Vec<&'a str>)>,
}

impl Child<'_> {
    /// The sets of the child, validated against the known variables.
    fn sets(&self, places: &HashMap<&str, usize>) -> Result<Vec<ParentSet>, FormatError> {
        let own = places[self.name];
        let mut sets: Vec<ParentSet> = Vec::new();
        let mut seen: HashSet<u128> = HashSet::new();
        for (line, tokens) in &self.sets {
            let line = *line;
            let [score, count, parents @ ..] = &tokens[..] else {
                return Err(syntax(line, "a score and a number of parents", tokens));
            };
            let value: f64 = score
                .parse()
                .ok()
                .filter(|value: &f64| value.is_finite())
                .ok_or_else(|| syntax(line, "a score, a finite number", &[score]))?;
            let expected: usize =
                count.parse().map_err(|_| syntax(line, "a number of parents, such as 2", &[count]))?;
            if expected != parents.len() {
                let what = "parents".to_owned();
                return Err(FormatError::Number {
                    line,
                    what,
                    expected: expected.to_string(),
                    found: parents.len(),
                });
            }
            let mut bits = 0_u128;
            for name in parents {
                let Some(&parent) = places.get(name) else {
                    let mut known: Vec<(usize, String)> =
                        places.iter().map(|(name, place)| (*place, (*name).to_owned())).collect();
                    known.sort_unstable();
                    let known = known.into_iter().map(|(_, name)| name).collect();
                    return Err(FormatError::Unknown {
                        line,
                        what: "variable".to_owned(),
                        name: (*name).to_owned(),
                        known,
                    });
                };
                if parent == own {
                    return Err(syntax(
                        line,
                        &format!("parents of `{}` other than itself", self.name),
                        &[name],
                    ));
                }
                if bits & (1 << parent) != 0 {
                    return Err(FormatError::Duplicate {
                        line,
                        what: "parent".to_owned(),
                        name: (*name).to_owned(),
                    });
                }
                bits |= 1 << parent;
            }
            if !seen.insert(bits) {
                let what = format!("a parent set of `{}`:", self.name);
                return Err(FormatError::Duplicate { line, what, name: parents.join(" ") });
            }
            sets.push(ParentSet { parents: bits, score: value });
        }
        Ok(sets)
    }
}

/// The nonblank lines as tokens, with their numbers.
struct Lines<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    last: usize,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        Self { lines: text.lines().enumerate(), last: 0 }
    }

    /// The next line; an error at the end of the file.
    fn next(&mut self, expected: &str) -> Result<(usize, Vec<&'a str>), FormatError> {
        for (index, line) in self.lines.by_ref() {
            self.last = index + 1;
            let tokens: Vec<&str> = line.split_whitespace().collect();
            if !tokens.is_empty() {
                return Ok((index + 1, tokens));
            }
        }
        Err(FormatError::Syntax {
            line: self.last + 1,
            expected: expected.to_owned(),
            found: "the end of the file".to_owned(),
        })
    }

    /// Reads a variable and the declared number of lines of sets.
    fn child(&mut self) -> Result<Child<'a>, FormatError> {
        let (line, tokens) = self.next("a variable and the number of its parent sets")?;
        let [name, number] = tokens[..] else {
            return Err(syntax(line, "a variable and the number of its parent sets", &tokens));
        };
        let number: usize =
            number.parse().map_err(|_| syntax(line, "the number of parent sets, such as 12", &[number]))?;
        // The list grows with the lines actually read, whatever number is declared.
        let mut sets = Vec::new();
        for place in 0..number {
            sets.push(self.next(&format!("parent set {} of the {number} of `{name}`", place + 1))?);
        }
        Ok(Child { line, name, sets })
    }
}

fn syntax(line: usize, expected: &str, found: &[&str]) -> FormatError {
    FormatError::Syntax { line, expected: expected.to_owned(), found: format!("`{}`", found.join(" ")) }
}
