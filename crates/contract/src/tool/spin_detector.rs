//! Recognising an agent that makes the same call again and again.

use serde_json::{Value, json};

use super::repeats::Repeats;
use crate::canonical;
use crate::json::Object;

/// What makes two calls the same: the tool and its raw parameters, as hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSignature {
    /// The trimmed name of the tool.
    pub tool_name: String,
    /// The hash of the parameters, secrets included: another secret is another call.
    pub parameters_hash: String,
}

impl CallSignature {
    /// The signature of a call.
    pub fn of(tool_name: &str, parameters: &Object) -> Self {
        let parameters_hash = canonical::hash(&Value::Object(parameters.clone()));
        Self { tool_name: tool_name.trim().to_owned(), parameters_hash }
    }

    /// One hash of it all.
    pub fn hash(&self) -> String {
        canonical::hash(&json!({ "parameters_hash": self.parameters_hash, "tool_name": self.tool_name }))
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({
            "tool_name": self.tool_name,
            "parameters_hash": self.parameters_hash,
            "signature_hash": self.hash(),
        })
    }
}

/// What a call means for the detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spin {
    /// Whether the agent is stuck on this call.
    pub stalled: bool,
    /// How often it was made in a row.
    pub repeat_count: u64,
}

/// Fires when the same call is made in a row as often as its threshold says, and goes on firing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpinDetector(Repeats);

impl SpinDetector {
    /// A detector; the threshold is at least 2.
    pub fn new(threshold: i64) -> Self {
        Self(Repeats::new(threshold))
    }

    /// How many calls in a row are too many.
    pub fn threshold(&self) -> u64 {
        self.0.threshold()
    }

    /// Takes notice of a call.
    pub fn observe(&mut self, tool_name: &str, parameters: &Object) -> Spin {
        self.observe_signature(&CallSignature::of(tool_name, parameters))
    }

    /// Takes notice of a call of which only the signature is left.
    pub fn observe_signature(&mut self, call: &CallSignature) -> Spin {
        let repeat_count = self.0.add(&call.hash());
        Spin { stalled: repeat_count >= self.threshold(), repeat_count }
    }
}

impl Default for SpinDetector {
    fn default() -> Self {
        Self::new(3)
    }
}
