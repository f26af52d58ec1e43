//! Names in figures: cleaned, isolated, shortened, and how wide they are drawn.

/// Longer names are abbreviated in the middle, because their ends usually differ.
const NAME_SHOWN: usize = 26;

/// The width of a text of this size, from above for the fonts that the figures name: DejaVu Sans, the widest of them, is what Linux
/// shows as system font.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    size * text.chars().map(letter_width).sum::<f64>()
}

/// The width of a character as a share of the size.
fn letter_width(letter: char) -> f64 {
    match letter {
        '\u{2066}'..='\u{2069}'
        | '\u{0300}'..='\u{036f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{fe00}'..='\u{fe0f}' => 0.0,
        'i' | 'j' | 'l' | 'I' | '|' | '!' | '.' | ',' | ':' | ';' | '\'' | ' ' => 0.35,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '\\' | '-' => 0.42,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '—' | '…' | '\u{fffd}' => 1.0,
        '0'..='9' | 'a'..='z' => 0.64,
        '\u{2e80}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' => 1.05,
        '\u{1f000}'.. => 1.4,
        _ => 0.84,
    }
}

/// A name abbreviated to fit into a figure.
pub(crate) fn shortened(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= NAME_SHOWN {
        return name.to_owned();
    }
    let (start, end) = (&letters[..NAME_SHOWN / 2], &letters[letters.len() - NAME_SHOWN / 2 + 1..]);
    start.iter().chain(&['…']).chain(end).collect()
}

/// Replaces characters that XML does not allow and marks that reorder the surrounding text by the replacement
/// character.
pub(crate) fn clean(text: &str) -> String {
    let hidden = |letter: char| {
        letter.is_control()
            || ('\u{202a}'..='\u{202e}').contains(&letter)
            || ('\u{2066}'..='\u{2069}').contains(&letter)
    };
    text.chars().map(|letter| if hidden(letter) { '\u{fffd}' } else { letter }).collect()
}

/// A cleaned name that does not reorder the surrounding text: names in right-to-left scripts are isolated.
pub(crate) fn isolated(text: &str) -> String {
    let text = clean(text);
    let right_to_left = |letter: char| matches!(letter, '\u{0590}'..='\u{08ff}' | '\u{200f}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}');
    if text.chars().any(right_to_left) { format!("\u{2068}{text}\u{2069}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::width;

    /// Texts with their widths in DejaVu Sans of 100 pixels, measured by the canvas of Chromium.
    const MEASURED: [(&str, f64); 8] = [
        ("exang → trestbps", 864.5),
        ("MMMMWWWW", 740.6),
        ("data_060", 466.1),
        ("HEART RATE", 612.2),
        ("(126,151.7]", 587.0),
        ("Illinois", 317.3),
        ("Größe", 302.1),
        ("возраст", 411.3),
    ];

    #[test]
    fn widths_are_above_those_of_the_widest_font() {
        for (text, measured) in MEASURED {
            let estimated = width(text, 100.0);
            let right = (measured..1.6 * measured).contains(&estimated);
            assert!(right, "{text}: {estimated}, measured {measured}");
        }
    }
}
