//! Normalisation of section names.

use unicode_normalization::UnicodeNormalization as _;

/// Returns the normal form of a name: composed, without surrounding backticks or asterisks, single
/// spaces, lower case.
pub(crate) fn section_name(text: &str) -> String {
    let lower = text.nfc().collect::<String>().to_lowercase();
    let bare = lower.trim_matches(|c: char| c.is_whitespace() || c == '`' || c == '*');
    bare.split_whitespace().collect::<Vec<_>>().join(" ").nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_does_not_matter_and_letters_do() {
        for name in ["look.prompt", " Look.Prompt ", "`look.prompt`", "**look.prompt**", "* look.prompt *"] {
            assert_eq!(section_name(name), "look.prompt");
        }
        assert_eq!(section_name("re\u{301}sume\u{301}  b"), "résumé b");
        assert_ne!(section_name("look_prompt"), section_name("look.prompt"));
    }
}
