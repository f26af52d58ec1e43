//! Removes private information from a page to be shared: the folders of local paths.

use kinfolk::data::Description;
use kinfolk::formats::Provenance;
use kinfolk::remedy::{Actionable, Neutral};
use serde_json::{Map, Value};

/// A description with base names instead of paths.
pub(crate) fn without_folders(mut description: Description) -> Description {
    for source in description.data_sets.iter_mut().flat_map(|data_set| &mut data_set.sources) {
        *source = base_name(source).to_owned();
    }
    description
}

/// The notes on the data, with base names instead of paths.
pub(crate) fn notes(description: Option<&Description>) -> Vec<String> {
    let Some(description) = description else { return Vec::new() };
    let sources = || description.data_sets.iter().flat_map(|data_set| &data_set.sources);
    let shortened =
        |text: String| sources().fold(text, |text, source| text.replace(source.as_str(), base_name(source)));
    description.notes.iter().map(|note| shortened(note.message(&Neutral))).collect()
}

/// The provenance, with base names instead of paths in the command.
pub fn command_without_folders(mut made: Provenance) -> Provenance {
    for word in &mut made.command {
        *word = without_folder(word);
    }
    made
}

/// Settings with base names instead of paths.
pub(crate) fn settings_without_folders(settings: Map<String, Value>) -> Map<String, Value> {
    settings.into_iter().map(|(key, value)| (key, value_without_folders(value))).collect()
}

fn value_without_folders(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(without_folder(&text)),
        Value::Array(values) => values.into_iter().map(value_without_folders).collect(),
        Value::Object(settings) => Value::Object(settings_without_folders(settings)),
        other => other,
    }
}

/// A word of a command: a path, also after `--option=`, is replaced by its base name; other words are unchanged.
fn without_folder(word: &str) -> String {
    let (option, value) = match word.split_once('=') {
        Some((option, value)) if option.starts_with("--") => (&word[..=option.len()], value),
        _ => ("", word),
    };
    let value = if is_path(value) { base_name(value) } else { value };
    format!("{option}{value}")
}

/// Whether a word is a path: it is absolute, begins with a dot or a tilde, or ends in a file name with an extension
/// after a folder. A value such as `N/A` is not a path.
fn is_path(word: &str) -> bool {
    let drive = |word: &str| {
        word.len() > 2 && word.as_bytes()[1] == b':' && is_separator(char::from(word.as_bytes()[2]))
    };
    let rooted = word.starts_with(is_separator) || drive(word);
    let relative = [".", "..", "~"]
        .iter()
        .any(|start| word.strip_prefix(start).is_some_and(|rest| rest.starts_with(is_separator)));
    let file = word.contains(is_separator) && base_name(word).contains('.');
    rooted || relative || file
}

fn is_separator(letter: char) -> bool {
    letter == '/' || letter == '\\'
}

fn base_name(path: &str) -> &str {
    let path = path.trim_end_matches(is_separator);
    path.rsplit(is_separator).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::without_folder;

    #[test]
    fn paths_become_base_names_and_other_words_stay() {
        let words = [
            ("/home/me/one.csv", "one.csv"),
            ("../me/one.csv", "one.csv"),
            ("me/one.csv", "one.csv"),
            ("C:\\Users\\me\\one.csv", "one.csv"),
            ("--out=/tmp/page.html", "--out=page.html"),
            ("~/figures/", "figures"),
            ("one.csv", "one.csv"),
            ("N/A", "N/A"),
            ("--na=N/A,-9", "--na=N/A,-9"),
            ("age=cuts:0,1.5", "age=cuts:0,1.5"),
            ("[A][B|A]", "[A][B|A]"),
        ];
        for (word, expected) in words {
            assert_eq!(without_folder(word), expected);
        }
    }
}
