//! Comparing an answer with an expectation, and saying where they differ.
//!
//! Key order is insignificant, numbers compare by value, `<any>`, `<uuid>`, `<iso8601>` and `<int>` match
//! anything of their kind, and text that is JSON on both sides compares as JSON.

use provost_contract::{canonical, json};
use serde_json::Value;

use super::areas::Answer;

/// Whether an answer may say more than was expected.
#[derive(Clone, Copy, PartialEq, Eq)]
enum More {
    Refused,
    Allowed,
}

/// Compares with all of the expectation: nothing missing, nothing more.
pub(super) fn exact(_op: &str, expect: &Value, answer: &Answer) -> Vec<String> {
    compared(expect, answer, More::Refused)
}

/// Compares with the keys of the expectation alone, at every depth; lists still have equal length.
pub(super) fn subset(_op: &str, expect: &Value, answer: &Answer) -> Vec<String> {
    compared(expect, answer, More::Allowed)
}

fn compared(expect: &Value, answer: &Answer, more: More) -> Vec<String> {
    let mut found = Vec::new();
    match (expect.get("ok"), expect.get("error"), answer) {
        (Some(expected), _, Ok(actual)) => differences("", expected, actual, more, &mut found),
        (None, Some(expected), Err(actual)) => error_differences(expected, actual, &mut found),
        (Some(_), _, Err(error)) => found.push(format!("expected a value, was refused: {error}")),
        (None, Some(expected), Ok(actual)) => {
            found.push(format!("expected the error {expected}, got {actual}"));
        }
        (None, None, _) => found.push("the case expects neither `ok` nor `error`".to_owned()),
    }
    found
}

/// The message of an error is advice; `message_contains` names what must stand in it, in any case.
fn error_differences(expected: &Value, actual: &Value, found: &mut Vec<String>) {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_lowercase();
    for (key, value) in expected.as_object().into_iter().flatten() {
        match key.as_str() {
            "message" if text(actual.get("message")).is_empty() => {
                found.push("the message is empty".to_owned());
            }
            "message" => {}
            "message_contains" if text(actual.get("message")).contains(&text(Some(value))) => {}
            "message_contains" => found.push(format!("the message lacks {value}: {actual}")),
            _ => {
                differences(key, value, actual.get(key).unwrap_or(&Value::Null), More::Refused, found);
            }
        }
    }
}

fn differences(path: &str, expected: &Value, actual: &Value, more: More, found: &mut Vec<String>) {
    match (expected, actual) {
        (Value::String(pattern), _) if matches_placeholder(pattern, actual) => {}
        (Value::Object(left), Value::Object(right)) => {
            for (key, value) in left {
                match right.get(key) {
                    Some(other) => differences(&format!("{path}/{key}"), value, other, more, found),
                    None => found.push(format!("{path}/{key}: expected {value}, is missing")),
                }
            }
            let unexpected =
                right.iter().filter(|(key, _)| more == More::Refused && !left.contains_key(*key));
            found.extend(unexpected.map(|(key, value)| format!("{path}/{key}: not expected, got {value}")));
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (index, (value, other)) in left.iter().zip(right).enumerate() {
                differences(&format!("{path}/{index}"), value, other, more, found);
            }
        }
        _ if same_scalar(expected, actual) => {}
        _ => found.push(format!("{path}: expected {expected}, got {actual}")),
    }
}

fn matches_placeholder(pattern: &str, actual: &Value) -> bool {
    match pattern {
        "<any>" => true,
        "<int>" => actual.is_i64() || actual.is_u64(),
        "<uuid>" => actual.as_str().is_some_and(is_uuid),
        "<iso8601>" => actual.as_str().is_some_and(is_iso8601),
        _ => false,
    }
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn is_iso8601(text: &str) -> bool {
    let shape: String = text.chars().take(19).map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    shape == "0000-00-00T00:00:00" || shape == "0000-00-00 00:00:00"
}

fn same_scalar(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        (Value::String(left), Value::String(right)) => left == right || same_json_text(left, right),
        _ => expected == actual,
    }
}

fn same_json_text(left: &str, right: &str) -> bool {
    let looks_like_json = |text: &str| text.starts_with(['{', '[', '"']);
    if !looks_like_json(left) || !looks_like_json(right) {
        return false;
    }
    let (Ok(left), Ok(right)) = (json::parse_text(left), json::parse_text(right)) else { return false };
    // The recorded texts write an empty object as `[]`, as the canonical form does.
    if canonical::canonical(&left) == canonical::canonical(&right) {
        return true;
    }
    let mut found = Vec::new();
    differences("", &left, &right, More::Refused, &mut found);
    found.is_empty()
}
