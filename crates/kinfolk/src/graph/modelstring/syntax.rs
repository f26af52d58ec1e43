//! Parser and escaping for the modelstring notation.

use std::str::Chars;

use super::ModelstringError;

/// One bracket: a node and its parents.
pub(super) struct Bracket {
    pub(super) node: NameToken,
    pub(super) parents: Vec<NameToken>,
}

/// An unescaped name and its start position (characters from 1).
pub(super) struct NameToken {
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

/// Parses all brackets of a text. Complexity: linear in its length.
pub(super) fn read(text: &str) -> Result<Vec<Bracket>, ModelstringError> {
    let mut parser = Parser { characters: text.chars(), position: 1 };
    let mut brackets = Vec::new();
    loop {
        match parser.next() {
            (_, None) => return Ok(brackets),
            (_, Some(space)) if space.is_whitespace() => {}
            (_, Some('[')) => brackets.push(parser.bracket()?),
            (position, found) => {
                return Err(unexpected(position, "`[` to open a node".to_string(), found));
            }
        }
    }
}

fn unexpected(position: usize, expected: String, found: Option<char>) -> ModelstringError {
    ModelstringError::Syntax { position, expected, found }
}

struct Parser<'a> {
    characters: Chars<'a>,
    /// The position of the next character.
    position: usize,
}

impl Parser<'_> {
    /// The next character and its position; at the end, the position after the last character.
    fn next(&mut self) -> (usize, Option<char>) {
        let position = self.position;
        let character = self.characters.next();
        self.position += usize::from(character.is_some());
        (position, character)
    }

    /// Parses the content of a bracket after `[`, up to and including `]`.
    fn bracket(&mut self) -> Result<Bracket, ModelstringError> {
        let (node, position, end) = self.name("the name of a node")?;
        let mut bracket = Bracket { node, parents: Vec::new() };
        match end {
            Some(']') => return Ok(bracket),
            Some('|') => {}
            found => {
                let expected = format!("`]` or `|` after node `{}`", bracket.node.name);
                return Err(unexpected(position, expected, found));
            }
        }
        loop {
            let (parent, position, end) =
                self.name(&format!("the name of a parent of node `{}`", bracket.node.name))?;
            match end {
                Some(']' | ':') => bracket.parents.push(parent),
                found => {
                    let expected =
                        format!("`]` or `:` after parent `{}` of node `{}`", parent.name, bracket.node.name);
                    return Err(unexpected(position, expected, found));
                }
            }
            if end == Some(']') {
                return Ok(bracket);
            }
        }
    }

    /// Parses a name up to the next special character, and returns this character with its position.
    fn name(&mut self, what: &str) -> Result<(NameToken, usize, Option<char>), ModelstringError> {
        let mut token = NameToken { name: String::new(), position: self.position };
        loop {
            match self.next() {
                (_, Some('\\')) => match self.next() {
                    (_, Some(escaped)) if is_special(escaped) => token.name.push(escaped),
                    (position, found) => {
                        let expected = r"one of `[`, `]`, `|`, `:` and `\` after the backslash".to_string();
                        return Err(unexpected(position, expected, found));
                    }
                },
                (_, Some(plain)) if !is_special(plain) => token.name.push(plain),
                (position, end) if token.name.is_empty() => {
                    return Err(unexpected(position, what.to_string(), end));
                }
                (position, end) => return Ok((token, position, end)),
            }
        }
    }
}
