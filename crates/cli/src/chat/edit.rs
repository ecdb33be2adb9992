//! Arguments that a person changes while allowing a call.

use provost_contract::json::{self, Object};
use serde_json::Value;

/// Returns the changed arguments: a JSON object replaces all, `key=value` replaces some.
pub(super) fn edited(arguments: &Object, text: &str) -> Result<Option<Object>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    if text.starts_with('{') {
        let read = json::parse_text(text).map_err(|error| format!("no JSON object: {}", error.message()))?;
        return Ok(Some(json::into_object(read)));
    }
    let mut changed = arguments.clone();
    for word in words(text)? {
        let Some((key, value)) = word.split_once('=').filter(|(key, _)| !key.is_empty()) else {
            return Err(format!("`{word}` is neither KEY=VALUE nor something that waits"));
        };
        changed.insert(key.to_owned(), value_like(arguments.get(key), value));
    }
    Ok(Some(changed))
}

/// Parses a value like the one it replaces: text stays text, anything else is JSON if it parses.
fn value_like(before: Option<&Value>, text: &str) -> Value {
    match before {
        Some(Value::String(_)) => text.into(),
        Some(_) | None => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
    }
}

/// Cuts at spaces outside quotes, and takes the quotes away.
fn words(text: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None::<char>);
    for letter in text.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            None if letter == '"' || letter == '\'' => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            None if letter.is_whitespace() => words.extend(word.take()),
            Some(_) | None => word.get_or_insert_default().push(letter),
        }
    }
    match quote {
        Some(open) => Err(format!("the quote {open} is not closed")),
        None => {
            words.extend(word);
            Ok(words)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(text: &str) -> Result<Option<Value>, String> {
        let before = json::into_object(json!({ "path": "a", "depth": 2 }));
        Ok(edited(&before, text)?.map(Value::Object))
    }

    #[test]
    fn some_or_all_arguments_are_changed() {
        assert_eq!(check(" "), Ok(None));
        assert_eq!(check("path=7 depth=3"), Ok(Some(json!({ "path": "7", "depth": 3 }))));
        assert_eq!(
            check(r#"path="my file" all=true"#),
            Ok(Some(json!({ "path": "my file", "depth": 2, "all": true })))
        );
        assert_eq!(check(r#"{"path":"b"}"#), Ok(Some(json!({ "path": "b" }))));
    }

    #[test]
    fn what_is_no_change_is_refused() {
        assert!(check("act_9").unwrap_err().contains("act_9"));
        assert!(check("=b").is_err());
        assert!(check("path='a").unwrap_err().contains("not closed"));
        assert!(check("{\"a\":").is_err());
    }
}
