//! Cutting a name into its words.

/// The words of a name, lower case, in order.
///
/// A word ends at every character that is no letter or digit, between letters and digits, and where
/// the case says so: `x-api-key`, `xApiKey` and `X_API_KEY` all give `x`, `api`, `key`.
pub(super) fn words(name: &str) -> Vec<String> {
    let characters: Vec<char> = name.chars().collect();
    let mut words = Vec::new();
    let mut word = String::new();
    for (index, character) in characters.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| characters.get(index));
        if before.is_some_and(|before| starts_word(*before, *character, characters.get(index + 1))) {
            words.push(std::mem::take(&mut word));
        }
        if character.is_alphanumeric() {
            word.extend(character.to_lowercase());
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// Whether `character` begins a word after `before`. In a run of capitals the last one belongs to the
/// word that follows: `APIKey` is `API` and `Key`.
fn starts_word(before: char, character: char, after: Option<&char>) -> bool {
    if !before.is_alphanumeric() || !character.is_alphanumeric() {
        return true;
    }
    if before.is_numeric() != character.is_numeric() {
        return true;
    }
    character.is_uppercase() && (before.is_lowercase() || after.is_some_and(|after| after.is_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_end_at_separators_at_capitals_and_at_digits() {
        assert_eq!(words("X-API_key.id"), ["x", "api", "key", "id"]);
        assert_eq!(words("myAPIKey"), ["my", "api", "key"]);
        assert_eq!(words("OAuth2Token"), ["o", "auth", "2", "token"]);
        assert_eq!(words("tokenizer"), ["tokenizer"]);
        assert_eq!(words("ÉtatSecret"), ["état", "secret"]);
        assert!(words("--").is_empty());
    }
}
