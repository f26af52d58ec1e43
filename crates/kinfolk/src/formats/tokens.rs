//! Tokenizer for BIF, NET, DSC and DOT: words, quoted strings and symbols.

use super::FormatError;

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name, number or keyword: characters up to whitespace or a symbol.
    Word(String),
    /// The content of a quoted string.
    Quoted(String),
    /// A bracket or separator.
    Symbol(char),
}

/// The lexical rules of a format.
pub(super) struct Lexicon {
    /// Single-character tokens; each also ends a word.
    pub(super) symbols: &'static str,
    /// Prefixes of line comments.
    pub(super) remarks: &'static [&'static str],
    /// Whether `/* … */` is a comment.
    pub(super) blocks: bool,
    /// Whether a backslash in a quoted string escapes the next character. The token keeps both characters.
    pub(super) escapes: bool,
}

/// A token stream with a cursor.
pub(super) struct Tokens {
    pieces: Vec<(Token, usize)>,
    at: usize,
    last_line: usize,
}

impl Tokens {
    /// Tokenizes a text.
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

    /// The line of the next token.
    pub(super) fn line(&self) -> usize {
        self.pieces.get(self.at).map_or(self.last_line, |(_, line)| *line)
    }

    /// Returns the next token without consuming it.
    pub(super) fn peek(&self) -> Option<&Token> {
        self.pieces.get(self.at).map(|(token, _)| token)
    }

    /// Consumes the next token.
    pub(super) fn next(&mut self) -> Option<Token> {
        let token = self.peek().cloned();
        self.at += usize::from(token.is_some());
        token
    }

    /// Consumes a symbol if it is the next token.
    pub(super) fn accept(&mut self, symbol: char) -> bool {
        let found = self.peek() == Some(&Token::Symbol(symbol));
        self.at += usize::from(found);
        found
    }

    /// Consumes a keyword, ignoring case, if it is the next token.
    pub(super) fn accept_word(&mut self, keyword: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(word)) if word.eq_ignore_ascii_case(keyword));
        self.at += usize::from(found);
        found
    }

    /// Consumes a required symbol.
    pub(super) fn expect(&mut self, symbol: char) -> Result<(), FormatError> {
        if self.accept(symbol) { Ok(()) } else { Err(self.unexpected(&format!("`{symbol}`"))) }
    }

    /// Consumes a required name, quoted or not.
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

    /// Consumes a required number.
    pub(super) fn number(&mut self) -> Result<f64, FormatError> {
        let number = match self.peek() {
            Some(Token::Word(word)) => word.parse().ok(),
            _ => None,
        };
        self.at += usize::from(number.is_some());
        number.ok_or_else(|| self.unexpected("a number"))
    }

    /// Consumes a required integer.
    pub(super) fn count(&mut self, what: &str) -> Result<usize, FormatError> {
        let number = match self.peek() {
            Some(Token::Word(word)) => word.parse().ok(),
            _ => None,
        };
        self.at += usize::from(number.is_some());
        number.ok_or_else(|| self.unexpected(what))
    }

    /// Consumes numbers, optionally separated by commas, up to and including a symbol.
    pub(super) fn numbers_until(&mut self, end: char) -> Result<Vec<f64>, FormatError> {
        let mut numbers = Vec::new();
        while !self.accept(end) {
            numbers.push(self.number()?);
            self.accept(',');
        }
        Ok(numbers)
    }

    /// Consumes all tokens up to and including a symbol.
    pub(super) fn take_until(&mut self, end: char) -> Result<Vec<Token>, FormatError> {
        let mut taken = Vec::new();
        while !self.accept(end) {
            taken.push(self.next().ok_or_else(|| self.unexpected(&format!("`{end}`")))?);
        }
        Ok(taken)
    }

    /// Skips a block in braces whose opening brace is already consumed.
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

    /// The position of the cursor, for [`Self::reset`].
    pub(super) fn mark(&self) -> usize {
        self.at
    }

    /// Moves the cursor back to a saved position.
    pub(super) fn reset(&mut self, mark: usize) {
        self.at = mark;
    }

    /// A syntax error at the next token.
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

/// Truncates a text for an error message.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 40;
    let short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() { short + "…" } else { short }
}

/// The length in bytes up to the closing quotation mark.
fn quoted_length(text: &str, escapes: bool) -> Option<usize> {
    let mut protected = false;
    text.char_indices().find_map(|(index, letter)| {
        let ends = letter == '"' && !protected;
        protected = escapes && letter == '\\' && !protected;
        ends.then_some(index)
    })
}

/// The length in bytes of the word at the start of a text.
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
