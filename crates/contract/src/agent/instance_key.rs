//! Which of several instances of an agent is meant.

/// The instance of an agent that has only one.
pub(super) const DEFAULT: &str = "default";

/// The instance key of an identity: lower case, only `a-z 0-9 _ . : / -`, no `-` or `/` at the ends.
pub(super) fn of_identity(text: &str) -> String {
    let mut key = String::new();
    let mut after_other = false;
    for character in without_spaces_at_slashes(&text.to_ascii_lowercase()).chars() {
        let is_allowed =
            character.is_ascii_lowercase() || character.is_ascii_digit() || "_.:/-".contains(character);
        if is_allowed {
            key.push(character);
        } else if !after_other {
            key.push('-');
        }
        after_other = !is_allowed;
    }
    key.trim_matches(['-', '/']).to_owned()
}

/// The instance key of an installed agent: lower case, `/` between its parts, never twice in a row.
pub(super) fn of_installed(text: &str) -> String {
    let key = without_spaces_at_slashes(&text.replace('\\', "/").to_lowercase());
    let mut collapsed = String::with_capacity(key.len());
    for character in key.chars() {
        if character != '/' || !collapsed.ends_with('/') {
            collapsed.push(character);
        }
    }
    if collapsed.is_empty() { DEFAULT.to_owned() } else { collapsed }
}

fn without_spaces_at_slashes(text: &str) -> String {
    let parts: Vec<&str> = text.split('/').map(str::trim).collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_replaces_what_it_cannot_hold() {
        assert_eq!(of_identity(" Blog / EN "), "blog/en");
        assert_eq!(of_identity("a  & b-!c"), "a-b--c");
        assert_eq!(of_identity("//--"), "");
    }

    #[test]
    fn an_installed_key_only_tidies_its_slashes() {
        assert_eq!(of_installed(" Blog \\ EN//x "), "blog/en/x");
        assert_eq!(of_installed("a & B"), "a & b");
        assert_eq!(of_installed("  "), DEFAULT);
    }
}
