//! Escapes turn tags in untrusted text.

use std::borrow::Cow;

/// Returns the text with every turn tag written `&lt;turn`.
pub(crate) fn neutral(text: &str) -> Cow<'_, str> {
    replaced(text, "&lt;")
}

/// Returns the JSON with every turn tag written `\u003cturn`: it parses to the same value.
pub(crate) fn neutral_json(text: &str) -> Cow<'_, str> {
    replaced(text, "\\u003c")
}

fn replaced<'a>(text: &'a str, bracket: &str) -> Cow<'a, str> {
    let mut out = String::new();
    let mut kept = 0;
    for (at, _) in text.match_indices('<') {
        let (before, rest) = (text.get(kept..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default());
        if opens_turn(rest) {
            out.push_str(before);
            out.push_str(bracket);
            kept = at + 1;
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(out)
}

/// Returns whether the text after a bracket makes it a turn tag, opening or closing, with any spacing.
fn opens_turn(rest: &str) -> bool {
    let mut letters = rest.chars().filter(|c| !is_blank(*c)).skip_while(|c| *c == '/');
    let word = ['t', 'u', 'r', 'n']
        .into_iter()
        .all(|wanted| letters.next().is_some_and(|letter| letter.to_ascii_lowercase() == wanted));
    // `<turnstile>` is not a turn; `<turn>`, `<turn index=…`, `<turn/>` and a truncated `<turn` are.
    word && rest_of_word(rest).is_none_or(|next| !next.is_alphanumeric() && next != '-' && next != '_')
}

/// Returns the character after the word.
fn rest_of_word(rest: &str) -> Option<char> {
    let mut letters = rest.chars().skip_while(|c| is_blank(*c) || *c == '/');
    let mut seen = 0;
    while seen < 4 {
        if !is_blank(letters.next()?) {
            seen += 1;
        }
    }
    letters.next()
}

/// White space, and zero-width characters.
fn is_blank(character: char) -> bool {
    character.is_whitespace()
        || matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_turn_tag_is_neutralised() {
        for tag in [
            "<turn>",
            "</turn>",
            "<turn index=\"9\">",
            "< / Turn >",
            "<\u{200b}TURN\n",
            "<turn",
            "<t\u{ad}urn/>",
        ] {
            let text = format!("a{tag} b < c");
            assert_eq!(neutral(&text), format!("a&lt;{} b < c", tag.get(1..).unwrap()), "{tag:?}");
            assert_eq!(neutral(&neutral(&text)), neutral(&text), "{tag:?}");
        }
    }

    #[test]
    fn other_brackets_stay_and_nothing_is_copied() {
        for text in ["<turnstile>", "<turn-left>", "a < b", "<tuern>", "Vec<turn_id>", "", "<"] {
            assert!(matches!(neutral(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn neutral_json_is_the_same_value() {
        let value = serde_json::json!({ "</turn>": "a<turn>b<c" });
        let text = neutral_json(&value.to_string()).into_owned();
        assert!(!text.contains("<turn") && !text.contains("</turn"), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
