//! The arguments of a call, as a line shows them.

use provost_contract::json::Object;
use serde_json::Value;

/// How much of a call's arguments a line shows.
const ARGUMENTS_CHARS_MAX: usize = 64;

/// Arguments in one line: `path=src depth=2`.
pub(crate) fn shown(arguments: &Object) -> String {
    let word = |value: &Value| match value {
        Value::String(text) => text.lines().next().unwrap_or_default().to_owned(),
        Value::Array(items) => items
            .iter()
            .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned))
            .collect::<Vec<_>>()
            .join(" "),
        other => other.to_string(),
    };
    // What a call is about comes before what it does to it.
    let (about, rest): (Vec<_>, Vec<_>) = arguments.iter().partition(|(key, _)| *key == "path");
    let pairs = about.into_iter().chain(rest).map(|(key, value)| format!("{key}={}", word(value)));
    let pairs: Vec<String> = pairs.collect();
    let line = pairs.join(" ");
    if line.chars().count() <= ARGUMENTS_CHARS_MAX {
        return line;
    }
    line.chars().take(ARGUMENTS_CHARS_MAX - 1).chain(['…']).collect()
}
