//! Words, quoted texts and symbols: what files of BIF, NET, DSC and DOT consist of.

use super::FormatError;

/// One piece of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// Letters up to a blank or a symbol: a name, a number, a keyword.
    Word(String),
    /// A text in quotation marks, without them.
    Quoted(String),
    /// A bracket or separator.
    Symbol(char),
}

/// How a format divides a file into pieces.
pub(super) struct Lexicon {
    /// Characters that stand for themselves and end a word.
    pub(super) symbols: &'static str,
    /// What begins a comment up to the end of the line.
    pub(super) remarks: &'static [&'static str],
    /// Whether `/* … */` is a comment.
    pub(super) blocks: bool,
    /// Whether a backslash in a quoted text protects the next character, which is then kept with it.
    pub(super) escapes: bool,
}

/// The pieces of a file, read one after the other.
pub(super) struct Tokens {
    pieces: Vec<(Token, usize)>,
    at: usize,
    last_line: usize,
}

impl Tokens {
    /// Divides a text into pieces.
    pub(super) fn new(text: &str, lexicon: &Lexicon) -> Result<Self, FormatError> {
        let mut pieces = Vec::new();
        let mut line = 1;
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = if first.is_whitespace() {
                first.len_utf8()
            } else if lexicon.remarks.iter().any(|remark| rest.starts_with(remark)) {
                rest.find('\n').unwrap_or(rest.len())
            } else if lexicon.blocks && rest.starts_with("/*") {
                let unclosed = || unclosed(line, "`*/` to end the comment");
                rest[2..].find("*/").ok_or_else(unclosed)? + 4
            } else if first == '"' {
                let inside = quoted_length(&rest[1..], lexicon.escapes);
                let inside = inside.ok_or_else(|| unclosed(line, "`\"` to end the quoted text"))?;
                pieces.push((Token::Quoted(rest[1..=inside].to_owned()), line));
                inside + 2
            } else if lexicon.symbols.contains(first) {
                pieces.push((Token::Symbol(first), line));
                first.len_utf8()
            } else {
                let length = word_length(rest, lexicon);
                pieces.push((Token::Word(rest[..length].to_owned()), line));
                length
            };
            line += rest[..length].matches('\n').count();
            rest = &rest[length..];
        }
        Ok(Self { pieces, at: 0, last_line: line })
    }

    /// The line of the next piece.
    pub(super) fn line(&self) -> usize {
        self.pieces.get(self.at).map_or(self.last_line, |(_, line)| *line)
    }

    /// The next piece, left where it is.
    pub(super) fn peek(&self) -> Option<&Token> {
        self.pieces.get(self.at).map(|(token, _)| token)
    }

    /// The next piece.
    pub(super) fn next(&mut self) -> Option<Token> {
        let token = self.peek().cloned();
        self.at += usize::from(token.is_some());
        token
    }

    /// Takes a symbol if it is next.
    pub(super) fn accept(&mut self, symbol: char) -> bool {
        let found = self.peek() == Some(&Token::Symbol(symbol));
        self.at += usize::from(found);
        found
    }

    /// Takes a keyword, in whatever case, if it is next.
    pub(super) fn accept_word(&mut self, keyword: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(word)) if word.eq_ignore_ascii_case(keyword));
        self.at += usize::from(found);
        found
    }

    /// Takes a symbol that must be next.
    pub(super) fn expect(&mut self, symbol: char) -> Result<(), FormatError> {
        if self.accept(symbol) { Ok(()) } else { Err(self.unexpected(&format!("`{symbol}`"))) }
    }

    /// Takes a name, quoted or not, that must be next.
    pub(super) fn name(&mut self, what: &str) -> Result<String, FormatError> {
        match self.peek() {
            Some(Token::Word(name) | Token::Quoted(name)) => {
                let name = name.clone();
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.unexpected(what)),
        }
    }

    /// Takes a number that must be next.
    pub(super) fn number(&mut self) -> Result<f64, FormatError> {
        let number = match self.peek() {
            Some(Token::Word(word)) => word.parse().ok(),
            _ => None,
        };
        self.at += usize::from(number.is_some());
        number.ok_or_else(|| self.unexpected("a number"))
    }

    /// Takes a whole number that must be next.
    pub(super) fn count(&mut self, what: &str) -> Result<usize, FormatError> {
        let number = match self.peek() {
            Some(Token::Word(word)) => word.parse().ok(),
            _ => None,
        };
        self.at += usize::from(number.is_some());
        number.ok_or_else(|| self.unexpected(what))
    }

    /// Takes numbers, with or without commas between them, up to a symbol, which is taken as well.
    pub(super) fn numbers_until(&mut self, end: char) -> Result<Vec<f64>, FormatError> {
        let mut numbers = Vec::new();
        while !self.accept(end) {
            numbers.push(self.number()?);
            self.accept(',');
        }
        Ok(numbers)
    }

    /// Takes everything up to a symbol, which is taken as well.
    pub(super) fn take_until(&mut self, end: char) -> Result<Vec<Token>, FormatError> {
        let mut taken = Vec::new();
        while !self.accept(end) {
            taken.push(self.next().ok_or_else(|| self.unexpected(&format!("`{end}`")))?);
        }
        Ok(taken)
    }

    /// Passes over a block in braces, the opening one of which has been taken.
    pub(super) fn skip_block(&mut self) -> Result<(), FormatError> {
        let mut depth = 1;
        while depth > 0 {
            match self.next() {
                Some(Token::Symbol('{')) => depth += 1,
                Some(Token::Symbol('}')) => depth -= 1,
                Some(_) => {}
                None => return Err(self.unexpected("`}`")),
            }
        }
        Ok(())
    }

    /// The place, to come back to.
    pub(super) fn mark(&self) -> usize {
        self.at
    }

    /// Comes back to a place.
    pub(super) fn go_back(&mut self, mark: usize) {
        self.at = mark;
    }

    /// The complaint that something else was expected here.
    pub(super) fn unexpected(&self, expected: &str) -> FormatError {
        let found = match self.peek() {
            None => "the end of the file".to_owned(),
            Some(Token::Word(word)) => format!("`{}`", shortened(word)),
            Some(Token::Quoted(text)) => format!("\"{}\"", shortened(text)),
            Some(Token::Symbol(symbol)) => format!("`{symbol}`"),
        };
        FormatError::Syntax { line: self.line(), expected: expected.to_owned(), found }
    }
}

fn unclosed(line: usize, expected: &str) -> FormatError {
    FormatError::Syntax { line, expected: expected.to_owned(), found: "the end of the file".to_owned() }
}

/// As much of a text as an error message should repeat.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 40;
    let short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() { short + "…" } else { short }
}

/// The bytes up to the closing quotation mark.
fn quoted_length(text: &str, escapes: bool) -> Option<usize> {
    let mut protected = false;
    text.char_indices().find_map(|(index, letter)| {
        let ends = letter == '"' && !protected;
        protected = escapes && letter == '\\' && !protected;
        ends.then_some(index)
    })
}

/// The bytes of the word that a text begins with.
fn word_length(text: &str, lexicon: &Lexicon) -> usize {
    let ends = |index: usize, letter: char| {
        letter.is_whitespace()
            || letter == '"'
            || lexicon.symbols.contains(letter)
            || lexicon.remarks.iter().any(|remark| text[index..].starts_with(remark))
            || lexicon.blocks && text[index..].starts_with("/*")
    };
    let end = text.char_indices().skip(1).find(|&(index, letter)| ends(index, letter));
    end.map_or(text.len(), |(index, _)| index)
}
