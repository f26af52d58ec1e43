//! What the formats in XML share: escaping when written, and looking things up when read.

use roxmltree::{Document, Node, ParsingOptions};

use super::FormatError;
use super::names::is_xml;

/// The first line of every file in XML.
pub(super) const DECLARATION: &str = r#"<?xml version="1.0" encoding="UTF-8"?>"#;

/// A text as XML writes it, in elements and attributes alike. Characters that XML does not have are left out: names with them
/// have been mapped before.
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

/// Reads a document, with or without a document type. Entity declarations are refused: a few of them can expand to gigabytes.
pub(super) fn parse(text: &str) -> Result<Document<'_>, FormatError> {
    if let Some(place) = text.find("<!ENTITY") {
        return Err(FormatError::Entity { line: 1 + text[..place].matches('\n').count() });
    }
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(text, options)
        .map_err(|error| FormatError::Xml { reason: error.to_string() })
}

/// The line on which an element begins.
pub(super) fn line(node: Node) -> usize {
    node.document().text_pos_at(node.range().start).row as usize
}

/// The child elements of that name.
pub(super) fn children<'a, 'i: 'a>(
    node: Node<'a, 'i>,
    name: &'a str,
) -> impl Iterator<Item = Node<'a, 'i>> + 'a {
    node.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

/// The child element of that name. There must be exactly one.
pub(super) fn child<'a, 'i: 'a>(node: Node<'a, 'i>, name: &'a str) -> Result<Node<'a, 'i>, FormatError> {
    only_child(node, name)?.ok_or_else(|| missing(node, &format!("an element `{name}`")))
}

/// The child element of that name, if there is one. There may not be two.
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

/// The value of an attribute.
pub(super) fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Result<&'a str, FormatError> {
    node.attribute(name).ok_or_else(|| missing(node, &format!("an attribute `{name}`")))
}

/// All text of an element, also around comments, trimmed.
pub(super) fn content(node: Node) -> String {
    let texts = node.children().filter(Node::is_text).filter_map(|text| text.text());
    texts.collect::<String>().trim().to_owned()
}

/// The numbers in an element.
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
