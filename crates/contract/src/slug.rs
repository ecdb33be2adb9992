//! Slugs: the names people and files can share.

/// Turns text into a slug: ASCII lower case, each run of other characters one `-`, none at the ends.
pub fn slug(text: &str) -> String {
    let words = text.split(|character: char| !character.is_ascii_alphanumeric());
    let words: Vec<String> = words.filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect();
    words.join("-")
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn a_slug_has_no_dash_at_its_ends_and_none_twice() {
        assert_eq!(slug("  Fact__Checker 2! "), "fact-checker-2");
        assert_eq!(slug("É-cole"), "cole");
        assert_eq!(slug("--"), "");
    }
}
