//! Taking secrets out of a recording.

use provost_contract::sensitivity;
use serde_json::Value;

use super::entry::{Entry, Recorded};
use crate::Secret;

/// An entry that may be shown to anybody: known keys are cut out wherever they stand, and arguments of
/// calls are hidden where their name says that they are credentials.
pub(super) fn scrubbed(entry: Entry, secrets: &[Secret]) -> Entry {
    let answer = match entry.answer {
        Recorded::Turn(mut turn) => {
            turn.get_mut("tool_calls").into_iter().for_each(hide_credentials);
            let scrubbed = turn.into_iter().map(|(key, value)| (key, without(value, secrets)));
            Recorded::Turn(scrubbed.collect())
        }
        Recorded::Host(turn) => Recorded::Host(without(turn, secrets)),
        Recorded::Error { kind, message, code } => {
            Recorded::Error { kind, message: hidden(message, secrets), code }
        }
    };
    Entry { request: without(entry.request, secrets), answer }
}

fn hide_credentials(calls: &mut Value) {
    let calls = calls.as_array_mut().into_iter().flatten();
    for parameters in calls.filter_map(|call| call.get_mut("parameters")) {
        *parameters = sensitivity::redact_names(parameters);
    }
}

/// A value without the secrets, in texts and in names.
pub(super) fn without(value: Value, secrets: &[Secret]) -> Value {
    match value {
        Value::String(text) => Value::String(hidden(text, secrets)),
        Value::Array(items) => items.into_iter().map(|item| without(item, secrets)).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter();
            fields.map(|(key, value)| (hidden(key, secrets), without(value, secrets))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

fn hidden(text: String, secrets: &[Secret]) -> String {
    secrets.iter().fold(text, |text, secret| secret.hide_in(&text))
}
