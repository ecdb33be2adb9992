//! Runtime metadata: what a declaration or a result says about where and how a tool runs.

use serde_json::Value;

use crate::json::{self, Object};
use crate::sensitivity;

/// Product-neutral execution hints such as `environment`, `capability_scope`, `duplicate_policy` and
/// `executor_target`. Holds no nulls and no values under sensitive names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuntimeMetadata(Object);

impl RuntimeMetadata {
    /// Reads any value; what is not an object says nothing.
    pub fn parse(value: &Value) -> Self {
        // Redacted before nulls are dropped: that a sensitive key was there at all stays visible.
        let redacted = sensitivity::redact_names(value);
        let Value::Object(mut members) = json::without_nulls(&redacted) else { return Self::default() };
        members.retain(|key, _| !key.is_empty());
        Self(members)
    }

    /// Reads the member `runtime` of a declaration or result.
    pub fn of(holder: &Object) -> Self {
        json::get(holder, "runtime").map(Self::parse).unwrap_or_default()
    }

    /// The target whose executor must run the tool; none means the default executor.
    pub fn executor_target(&self) -> Option<&str> {
        json::trimmed_text(&self.0, "executor_target")
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The members.
    pub fn as_object(&self) -> &Object {
        &self.0
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        self.clone().into_value()
    }

    pub(super) fn into_value(self) -> Value {
        Value::Object(self.0)
    }
}
