//! The exceptions that the library's errors become, in the library's words, with Python's names for what the command line calls options.

use std::fmt::Display;

use pyo3::exceptions::PyValueError;
use pyo3::{PyErr, create_exception};

create_exception!(kinfolk, KinfolkError, PyValueError, "Something that kinfolk was given is wrong.");
create_exception!(kinfolk, DataError, KinfolkError, "Data cannot be read as asked.");
create_exception!(kinfolk, StructureError, KinfolkError, "A structure or a constraint on it is wrong.");
create_exception!(
    kinfolk,
    SettingsError,
    KinfolkError,
    "A setting is impossible, or belongs to another choice."
);
create_exception!(kinfolk, NetworkError, KinfolkError, "A network cannot be made, read or asked as wished.");

pub(crate) fn data(error: impl Display) -> PyErr {
    DataError::new_err(in_python(&error.to_string()))
}

pub(crate) fn structure(error: impl Display) -> PyErr {
    StructureError::new_err(in_python(&error.to_string()))
}

pub(crate) fn settings(error: impl Display) -> PyErr {
    SettingsError::new_err(in_python(&error.to_string()))
}

pub(crate) fn network(error: impl Display) -> PyErr {
    NetworkError::new_err(in_python(&error.to_string()))
}

/// What the library's messages say of the command line, and what it is called here.
const PHRASES: [(&str, &str); 6] = [
    (
        "`kinfolk learn … --out FILE` and `kinfolk fit … --out FILE` write them",
        "the save of what kinfolk.fit gives, or kinfolk.learn(…).fit(), writes them",
    ),
    ("-R 1000", "replicates=1000"),
    ("`kinfolk fit … --structure FILE --out NETWORK`", "kinfolk.fit"),
    ("`kinfolk describe`", "kinfolk.describe"),
    ("-R 200", "replicates=200"),
    ("give at least one file, or - for standard input", "give at least one table or file"),
];

/// Options whose names differ by more than their dashes.
const RENAMED: [(&str, &str); 3] = [("group", "groups"), ("weight", "weights"), ("from", "format")];

/// A message with keywords in place of options: `--missing drop-rows` is `missing="drop-rows"`.
pub(crate) fn in_python(message: &str) -> String {
    let mut text = message.to_owned();
    for (phrase, own) in PHRASES {
        text = text.replace(phrase, own);
    }
    let mut rest = text.as_str();
    let mut translated = String::with_capacity(text.len());
    while let Some(at) = rest.find("--") {
        let (before, option) = rest.split_at(at);
        translated.push_str(before);
        // A name in backticks is the user's own.
        let begins = before.chars().next_back().is_none_or(|c| c.is_whitespace() || c == '(');
        let name = &option[2..];
        let name = &name[..name.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(name.len())];
        if begins && !name.is_empty() && !name.starts_with('-') {
            let after = &option[2 + name.len()..];
            let (keyword, taken) = keyword(name, after);
            translated.push_str(&keyword);
            rest = &after[taken..];
        } else {
            let dashes = option.len() - option.trim_start_matches('-').len();
            translated.push_str(&option[..dashes]);
            rest = &option[dashes..];
        }
    }
    translated + rest
}

/// An option as a keyword, with its value if one follows, and how many bytes of it were taken.
fn keyword(option: &str, after: &str) -> (String, usize) {
    /// Values that messages give to options.
    const WORDS: [&str; 6] = ["drop-rows", "level", "missing", "rows", "data-sets", "folds"];
    let renamed = RENAMED.iter().find(|(name, _)| *name == option).map(|(_, own)| (*own).to_owned());
    let name = renamed.unwrap_or_else(|| option.replace('-', "_"));
    let Some((value, taken)) = after.strip_prefix(' ').and_then(argument) else { return (name, 0) };
    let (taken, ends) = (taken + 1, after[taken + 1..].is_empty() || after[taken + 1..].starts_with('\n'));
    let quoted = after.starts_with(" '");
    let word = value.trim_end_matches([',', ';', ')', ':']);
    match option {
        "missing" | "unseen" | "scheme" | "by" if WORDS.contains(&word) => {
            (format!("{name}={word:?}"), taken - (value.len() - word.len()))
        }
        "ignore" if quoted || ends => (format!("{name}=[{value:?}]"), taken),
        "discretize" if !value.starts_with('`') => match value.rsplit_once('=') {
            Some((column, rule)) => (format!("{name}={{{column:?}: {rule:?}}}"), taken),
            None => (name, 0),
        },
        _ => (name, 0),
    }
}

/// The first word of a text as a shell would read it, and how many bytes it takes.
fn argument(text: &str) -> Option<(String, usize)> {
    let mut word = String::new();
    let mut quoted = false;
    let mut bytes = 0;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\'' => quoted = !quoted,
            '\\' if !quoted => {
                let escaped = characters.next()?;
                word.push(escaped);
                bytes += escaped.len_utf8();
            }
            c if c.is_whitespace() && !quoted => break,
            c => word.push(c),
        }
        bytes += c.len_utf8();
    }
    (!word.is_empty()).then_some((word, bytes))
}
