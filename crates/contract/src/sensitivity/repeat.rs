//! Hidden values that come back in other texts.

use serde_json::Value;

use super::REDACTED;

/// A shorter text occurs in ordinary words too.
const CHARS_MIN: usize = 4;

/// The values that a redaction hid. What an executor returns may repeat them: in an echo, or in an error such as
/// "invalid key …". A value in another form (base64, reversed, cut in two) is not recognised.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct HiddenValues(Vec<String>);

impl HiddenValues {
    /// Returns the texts and long numbers of a value that its redacted form does not have.
    pub fn of(raw: &Value, redacted: &Value) -> Self {
        let mut hidden = Vec::new();
        collect(raw, Some(redacted), &mut hidden);
        // A value that begins like another one must not leave the rest of that one behind.
        hidden.sort_by_key(|text| std::cmp::Reverse(text.len()));
        hidden.dedup();
        Self(hidden)
    }

    /// Returns whether nothing was hidden.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes the hidden values out of the texts and keys of another value.
    pub fn hide_in(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.hide_in_text(text)),
            Value::Number(number) if self.0.iter().any(|hidden| *hidden == number.to_string()) => {
                REDACTED.into()
            }
            Value::Array(items) => items.into_iter().map(|item| self.hide_in(item)).collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(name, value)| (self.hide_in_text(name), self.hide_in(value)))
                .collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }

    fn hide_in_text(&self, text: String) -> String {
        self.0.iter().fold(text, |text, hidden| {
            if text.contains(hidden.as_str()) { text.replace(hidden.as_str(), REDACTED) } else { text }
        })
    }
}

impl std::fmt::Debug for HiddenValues {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "HiddenValues({})", self.0.len())
    }
}

fn collect(raw: &Value, redacted: Option<&Value>, hidden: &mut Vec<String>) {
    match raw {
        _ if redacted == Some(raw) => {}
        Value::Object(fields) => {
            for (name, value) in fields {
                collect(value, redacted.and_then(|redacted| redacted.get(name)), hidden);
            }
        }
        Value::Array(items) => {
            for (at, value) in items.iter().enumerate() {
                collect(value, redacted.and_then(|redacted| redacted.get(at)), hidden);
            }
        }
        Value::String(text) => hide(text, hidden),
        Value::Number(number) => hide(&number.to_string(), hidden),
        Value::Null | Value::Bool(_) => {}
    }
}

/// A program may print a text as it is, as JSON writes it, or line by line.
fn hide(text: &str, hidden: &mut Vec<String>) {
    let escaped = Value::from(text).to_string();
    let escaped = escaped.get(1..escaped.len() - 1).unwrap_or_default();
    let forms = [text.trim(), escaped].into_iter().chain(text.lines().map(str::trim));
    hidden.extend(forms.filter(|form| form.chars().count() >= CHARS_MIN).map(str::to_owned));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::redact_names;
    use super::*;

    #[test]
    fn hidden_values_are_taken_out_wherever_they_come_back() {
        let raw = json!({
            "user": "ada", "password": "hunter2-hunter2", "opts": { "api_key": "line one\nline \"two\"" },
            "pin_token": 483_920, "token": "abc",
        });
        let hidden = HiddenValues::of(&raw, &redact_names(&raw));
        let shown = hidden.hide_in(json!({
            "echo": "ada used hunter2-hunter2, 483920 and abc",
            "hunter2-hunter2": 483_920,
            "json": json!({ "k": "line one\nline \"two\"" }).to_string(),
            "lines": ["line one", "line \"two\""],
        }));
        assert_eq!(
            shown,
            json!({
                "echo": "ada used [redacted], [redacted] and abc",
                "[redacted]": "[redacted]",
                "json": "{\"k\":\"[redacted]\"}",
                "lines": ["[redacted]", "[redacted]"],
            })
        );
    }

    #[test]
    fn what_was_not_hidden_stays() {
        let raw = json!({ "path": "notes.txt", "password": "[redacted]" });
        let hidden = HiddenValues::of(&raw, &redact_names(&raw));
        assert!(hidden.is_empty());
        assert_eq!(hidden.hide_in(json!("notes.txt")), json!("notes.txt"));
    }
}
