//! Noticing a call that fails the same way again and again, and telling the model so.

use serde_json::{Value, json};

use super::CallSignature;
use super::repeats::Repeats;
use crate::json::{self, Object};
use crate::{canonical, loose};

/// Where the machine code of a failure may stand, in a result and in its metadata.
const RESULT_CODES: [&str; 2] = ["error_code", "code"];
const METADATA_CODES: [&str; 3] = ["error_type", "error_code", "code"];
/// How many hex digits stand for an error that has only a text.
const HASH_DIGITS: usize = 12;

/// What makes two failures the same: the call, and the code of the error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureSignature {
    /// The call that failed.
    pub call: CallSignature,
    /// The machine code of the error, or a short hash of its text.
    pub error_code: String,
}

impl FailureSignature {
    /// The signature of a failed call.
    pub fn of(tool_name: &str, parameters: &Object, result: &Object) -> Self {
        Self::of_call(CallSignature::of(tool_name, parameters), result)
    }

    /// The signature of a failed call of which only the signature is left.
    pub fn of_call(call: CallSignature, result: &Object) -> Self {
        Self { call, error_code: error_code(result) }
    }

    /// One hash of it all.
    pub fn hash(&self) -> String {
        canonical::hash(&json!({
            "error_code": self.error_code,
            "parameters_hash": self.call.parameters_hash,
            "tool_name": self.call.tool_name,
        }))
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({
            "tool_name": self.call.tool_name,
            "parameters_hash": self.call.parameters_hash,
            "error_code": self.error_code,
            "signature_hash": self.hash(),
        })
    }
}

fn error_code(result: &Object) -> String {
    let metadata = json::object(result, "metadata");
    let in_metadata = METADATA_CODES.into_iter().filter_map(|key| metadata?.get(key));
    let mut codes = RESULT_CODES.into_iter().filter_map(|key| result.get(key)).chain(in_metadata);
    if let Some(code) = codes.find_map(loose::text) {
        return cleaned(&code);
    }
    let error = json::text(result, "error").unwrap_or("tool_execution_failed");
    let hash = canonical::sha256_hex(canonical::canonical(&error.into()).as_bytes());
    format!("error_{}", hash.get(..HASH_DIGITS).unwrap_or(&hash))
}

/// Lower case, with one `_` for each run of other characters.
fn cleaned(code: &str) -> String {
    let mut clean = String::new();
    let mut in_run = false;
    for character in code.to_ascii_lowercase().chars() {
        let is_kept = matches!(character, 'a'..='z' | '0'..='9' | '_' | '-');
        if is_kept {
            clean.push(character);
        } else if !in_run {
            clean.push('_');
        }
        in_run = !is_kept;
    }
    clean
}

/// What a failure means for the tracker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedFailure {
    /// What to tell the model, from the threshold on.
    pub nudge: Option<String>,
    /// How often it failed so in a row.
    pub repeat_count: u64,
}

/// Nudges the model when the same call failed the same way as often as its threshold says. It sees
/// failures only, so a success in between does not start the count again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdenticalFailureTracker(Repeats);

impl IdenticalFailureTracker {
    /// A tracker; the threshold is at least 2.
    pub fn new(threshold: i64) -> Self {
        Self(Repeats::new(threshold))
    }

    /// How many failures in a row are too many.
    pub fn threshold(&self) -> u64 {
        self.0.threshold()
    }

    /// Takes notice of a failure.
    pub fn observe(&mut self, failure: &FailureSignature) -> RepeatedFailure {
        let repeat_count = self.0.add(&failure.hash());
        let nudge = (repeat_count >= self.threshold()).then(|| {
            format!(
                "The tool call `{}` has failed {repeat_count} times with the same arguments and error `{}`. \
                 Try a different approach before repeating it.",
                failure.call.tool_name, failure.error_code
            )
        });
        RepeatedFailure { nudge, repeat_count }
    }
}

impl Default for IdenticalFailureTracker {
    fn default() -> Self {
        Self::new(2)
    }
}
