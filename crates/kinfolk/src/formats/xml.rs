//! Helpers for the XML formats: escaping for the writers, element lookup for the readers.

use roxmltree::{Document, Node, ParsingOptions};

use super::FormatError;
use super::names::is_xml;

/// The XML declaration at the start of every file.
pub(super) const DECLARATION: &str = r#"<?xml version="1.0" encoding="UTF-8"?>"#;

/// Escapes text for elements and attributes. Characters that XML does not allow are dropped: the name mapping has already
/// replaced names that contain them.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars().filter(|&letter| is_xml(letter)) {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' => escaped.push_str("&#9;"),
            '\n' => escaped.push_str("&#10;"),
            '\r' => escaped.push_str("&#13;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Parses a document, with or without a DOCTYPE. Entity declarations are rejected: a few of them can expand to gigabytes.
pub(super) fn parse(text: &str) -> Result<Document<'_>, FormatError> {
    if let Some(place) = text.find("<!ENTITY") {
        return Err(FormatError::Entity { line: 1 + text[..place].matches('\n').count() });
    }
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(text, options)
        .map_err(|error| FormatError::Xml { reason: error.to_string() })
}

/// The line on which an element starts.
pub(super) fn line(node: Node) -> usize {
    node.document().text_pos_at(node.range().start).row as usize
}

/// All child elements with this tag name.
pub(super) fn children<'a, 'i: 'a>(
    node: Node<'a, 'i>,
    name: &'a str,
) -> impl Iterator<Item = Node<'a, 'i>> + 'a {
    node.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

/// The only child element with this tag name; an error if there is none or more than one.
pub(super) fn child<'a, 'i: 'a>(node: Node<'a, 'i>, name: &'a str) -> Result<Node<'a, 'i>, FormatError> {
    only_child(node, name)?.ok_or_else(|| missing(node, &format!("an element `{name}`")))
}

/// The child element with this tag name, if any; an error if there is more than one.
pub(super) fn only_child<'a, 'i: 'a>(
    node: Node<'a, 'i>,
    name: &'a str,
) -> Result<Option<Node<'a, 'i>>, FormatError> {
    let mut found = children(node, name);
    let first = found.next();
    match found.next() {
        None => Ok(first),
        Some(second) => Err(FormatError::Duplicate {
            line: line(second),
            what: format!("in `{}` the element", node.tag_name().name()),
            name: name.to_owned(),
        }),
    }
}

/// The value of a required attribute.
pub(super) fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Result<&'a str, FormatError> {
    node.attribute(name).ok_or_else(|| missing(node, &format!("an attribute `{name}`")))
}

/// The concatenated text of an element without its comments, trimmed.
pub(super) fn content(node: Node) -> String {
    let texts = node.children().filter(Node::is_text).filter_map(|text| text.text());
    texts.collect::<String>().trim().to_owned()
}

/// Parses the whitespace-separated numbers of an element.
pub(super) fn numbers(node: Node) -> Result<Vec<f64>, FormatError> {
    let text = content(node);
    let words = text.split_whitespace();
    words
        .map(|word| {
            word.parse().map_err(|_| FormatError::Syntax {
                line: line(node),
                expected: format!("numbers in `{}`", node.tag_name().name()),
                found: format!("`{}`", word.chars().take(40).collect::<String>()),
            })
        })
        .collect()
}

fn missing(node: Node, expected: &str) -> FormatError {
    let found = "none".to_owned();
    let expected = format!("{expected} in `{}`", node.tag_name().name());
    FormatError::Syntax { line: line(node), expected, found }
}
