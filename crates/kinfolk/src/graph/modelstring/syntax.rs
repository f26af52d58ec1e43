//! The notation of modelstrings: brackets, bars, colons and backslashes.

use std::str::Chars;

use super::ModelstringError;

/// One bracket: a node and its parents.
pub(super) struct Entry {
    pub(super) node: Word,
    pub(super) parents: Vec<Word>,
}

/// A name with its escapes undone, and where it starts (characters from 1).
pub(super) struct Word {
    pub(super) name: String,
    pub(super) position: usize,
}

fn is_special(character: char) -> bool {
    matches!(character, '[' | ']' | '|' | ':' | '\\')
}

/// Appends a name with its special characters escaped.
pub(super) fn escape(name: &str, text: &mut String) {
    for character in name.chars() {
        if is_special(character) {
            text.push('\\');
        }
        text.push(character);
    }
}

/// Reads all brackets of a text. Complexity: linear in its length.
pub(super) fn read(text: &str) -> Result<Vec<Entry>, ModelstringError> {
    let mut reader = Reader { characters: text.chars(), position: 1 };
    let mut entries = Vec::new();
    loop {
        match reader.next() {
            (_, None) => return Ok(entries),
            (_, Some(space)) if space.is_whitespace() => {}
            (_, Some('[')) => entries.push(reader.entry()?),
            (position, found) => {
                return Err(unexpected(position, "`[` to open a node".to_string(), found));
            }
        }
    }
}

fn unexpected(position: usize, expected: String, found: Option<char>) -> ModelstringError {
    ModelstringError::Syntax { position, expected, found }
}

struct Reader<'a> {
    characters: Chars<'a>,
    /// The position of the next character.
    position: usize,
}

impl Reader<'_> {
    /// The next character and its position; the position after the last at the end.
    fn next(&mut self) -> (usize, Option<char>) {
        let position = self.position;
        let character = self.characters.next();
        self.position += usize::from(character.is_some());
        (position, character)
    }

    /// What follows an opening bracket, up to and with the closing one.
    fn entry(&mut self) -> Result<Entry, ModelstringError> {
        let (node, position, end) = self.word("the name of a node")?;
        let mut entry = Entry { node, parents: Vec::new() };
        match end {
            Some(']') => return Ok(entry),
            Some('|') => {}
            found => {
                let expected = format!("`]` or `|` after node `{}`", entry.node.name);
                return Err(unexpected(position, expected, found));
            }
        }
        loop {
            let (parent, position, end) =
                self.word(&format!("the name of a parent of node `{}`", entry.node.name))?;
            match end {
                Some(']' | ':') => entry.parents.push(parent),
                found => {
                    let expected =
                        format!("`]` or `:` after parent `{}` of node `{}`", parent.name, entry.node.name);
                    return Err(unexpected(position, expected, found));
                }
            }
            if end == Some(']') {
                return Ok(entry);
            }
        }
    }

    /// A name up to the next special character, which comes back with its position.
    fn word(&mut self, what: &str) -> Result<(Word, usize, Option<char>), ModelstringError> {
        let mut word = Word { name: String::new(), position: self.position };
        loop {
            match self.next() {
                (_, Some('\\')) => match self.next() {
                    (_, Some(escaped)) if is_special(escaped) => word.name.push(escaped),
                    (position, found) => {
                        let expected = r"one of `[`, `]`, `|`, `:` and `\` after the backslash".to_string();
                        return Err(unexpected(position, expected, found));
                    }
                },
                (_, Some(plain)) if !is_special(plain) => word.name.push(plain),
                (position, end) if word.name.is_empty() => {
                    return Err(unexpected(position, what.to_string(), end));
                }
                (position, end) => return Ok((word, position, end)),
            }
        }
    }
}
