//! Parameters as anybody may see them.

use serde_json::{Value, json};

use super::schema::{ParameterSchema, View};
use crate::canonical;
use crate::json::Object;
use crate::sensitivity::REDACTED;

/// The parameters of a call with every sensitive value hidden and keys sorted: the only form records
/// and events may hold.
#[derive(Clone, Debug, PartialEq)]
pub struct RedactedParameters(Object);

impl RedactedParameters {
    pub(super) fn of(schema: &ParameterSchema, parameters: &Object) -> Self {
        let root = schema.root();
        let hides_all = root.hides_all();
        let shown = |(name, value): (&String, &Value)| {
            let value = if hides_all { REDACTED.into() } else { schema.shown_member(&root, name, value) };
            (name.clone(), value)
        };
        Self(sorted(parameters).into_iter().map(shown).collect())
    }

    /// What a host put in place of the parameters before they are hashed.
    pub fn replaced_by_host(parameters: Object) -> Self {
        Self(parameters)
    }

    /// The parameters.
    pub fn as_object(&self) -> &Object {
        &self.0
    }

    /// The parameters, for whoever keeps them.
    pub fn into_object(self) -> Object {
        self.0
    }

    /// The hash that is the same for the same call whatever its secrets are.
    pub fn sha256(&self) -> String {
        canonical::object_hash(&self.0)
    }

    /// The parameters as JSON.
    pub fn to_value(&self) -> Value {
        Value::Object(self.0.clone())
    }

    /// The envelope observers get.
    pub fn exposure(&self) -> Value {
        json!({ "parameters": self.0, "parameters_sha256": self.sha256(), "parameters_redacted": true })
    }
}

impl ParameterSchema {
    /// The value of a top-level parameter as it may be shown.
    pub(super) fn shown(&self, parameter: &str, value: &Value) -> Value {
        let root = self.root();
        if root.hides_all() { REDACTED.into() } else { self.shown_member(&root, parameter, value) }
    }

    fn shown_member(&self, view: &View<'_>, name: &str, value: &Value) -> Value {
        let step = self.member(view, name);
        if step.is_hidden() { REDACTED.into() } else { self.shown_value(&step.view, value) }
    }

    fn shown_value(&self, view: &View<'_>, value: &Value) -> Value {
        match value {
            Value::Object(map) => sorted(map)
                .into_iter()
                .map(|(name, value)| (name.clone(), self.shown_member(view, name, value)))
                .collect(),
            Value::Array(items) => {
                let items = items.iter().enumerate();
                items.map(|(index, item)| self.shown_item(view, index, item)).collect()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
        }
    }

    fn shown_item(&self, view: &View<'_>, index: usize, item: &Value) -> Value {
        let step = self.item(view, &index.to_string());
        if step.is_hidden() { REDACTED.into() } else { self.shown_value(&step.view, item) }
    }
}

fn sorted(map: &Object) -> Vec<(&String, &Value)> {
    let mut members: Vec<_> = map.iter().collect();
    members.sort_unstable_by_key(|(name, _)| name.as_bytes());
    members
}
