//! Texts that must never be shown.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

const MASKS: [&str; 3] = ["[redacted]", "***", ""];
/// Masking can join pieces to a new secret; after this many rounds the whole text is dropped.
const ROUNDS_MAX: usize = 8;

/// Secret texts; they cannot be printed.
#[derive(Clone, Default)]
pub struct Secrets {
    /// Longest first, so that a secret inside another does not leave the rest of it.
    texts: Vec<String>,
    mask: &'static str,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.texts.len())
    }
}

impl Secrets {
    /// Creates a set from texts; empty ones are ignored.
    pub fn new(texts: impl IntoIterator<Item = String>) -> Self {
        let mut texts: Vec<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
        texts.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        texts.dedup();
        // The mask itself must not contain a secret.
        let clean = |mask: &&str| !texts.iter().any(|secret| mask.contains(secret.as_str()));
        let mask = MASKS.into_iter().find(clean).unwrap_or_default();
        Self { texts, mask }
    }

    /// Returns the text without any secret.
    pub(super) fn redacted<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for _ in 0..ROUNDS_MAX {
            let found: Vec<&String> =
                self.texts.iter().filter(|secret| text.contains(secret.as_str())).collect();
            if found.is_empty() {
                return text;
            }
            for secret in found {
                text = Cow::Owned(text.replace(secret.as_str(), self.mask));
            }
        }
        Cow::Borrowed("")
    }

    /// Returns the value without any secret, in texts and in keys, before quoting could hide one.
    pub(super) fn redacted_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.redacted(text).into_owned().into(),
            Value::Array(items) => items.iter().map(|item| self.redacted_value(item)).collect(),
            Value::Object(map) => {
                let entry = |(key, value): (&String, &Value)| {
                    (self.redacted(key).into_owned(), self.redacted_value(value))
                };
                Value::Object(map.iter().map(entry).collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redacted(secrets: &[&str], text: &str) -> String {
        Secrets::new(secrets.iter().map(ToString::to_string)).redacted(text).into_owned()
    }

    #[test]
    fn secrets_inside_secrets_across_masks_and_inside_the_mask_itself_are_gone() {
        for (secrets, text, shown) in [
            (vec!["tk_1"], "a tk_1 b", "a [redacted] b"),
            (vec!["ab", "abcd"], "abcd ab", "[redacted] [redacted]"),
            (vec!["red"], "a red b", "a *** b"),
            (vec!["red", "*"], "a*red*b", "ab"),
            (vec!["xy", "*", "red"], "xredy", ""),
            (vec![""], "as it was", "as it was"),
        ] {
            let result = redacted(&secrets, text);
            assert_eq!(result, shown, "{secrets:?}");
            assert!(secrets.iter().all(|secret| secret.is_empty() || !result.contains(secret)));
        }
    }

    #[test]
    fn a_secret_that_quoting_would_change_is_found_in_a_value() {
        let secrets = Secrets::new(["a\"b".to_owned()]);
        let value = serde_json::json!({ "k": ["xa\"by"], "a\"b": 1 });
        assert_eq!(
            secrets.redacted_value(&value),
            serde_json::json!({ "k": ["x[redacted]y"], "[redacted]": 1 })
        );
    }

    #[test]
    fn secrets_do_not_print() {
        assert_eq!(format!("{:?}", Secrets::new(["tk_1".to_owned()])), "Secrets(1)");
    }
}
