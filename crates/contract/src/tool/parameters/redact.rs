//! Parameters as anybody may see them.

use serde_json::{Value, json};

use super::schema::{ParameterSchema, Sight, Step, View};
use crate::canonical;
use crate::json::{self, Object};
use crate::sensitivity::REDACTED;

/// The parameters of a call with every sensitive value hidden and keys sorted: the only form records
/// and events may hold.
#[derive(Clone, Debug, PartialEq)]
pub struct RedactedParameters {
    shown: Object,
    shows_all: bool,
}

impl RedactedParameters {
    pub(super) fn of(schema: &ParameterSchema, parameters: &Object) -> Self {
        let mut shown = parameters.clone();
        let mut redaction = Redaction { schema, hid: false };
        redaction.redact(&mut shown);
        Self { shown, shows_all: !redaction.hid }
    }

    /// What a host put in place of the parameters before they are hashed.
    pub fn replaced_by_host(parameters: Object) -> Self {
        Self { shown: parameters, shows_all: false }
    }

    /// Whether these are the very parameters of the call, for nothing in them had to be hidden.
    pub fn shows_all(&self) -> bool {
        self.shows_all
    }

    /// The parameters.
    pub fn as_object(&self) -> &Object {
        &self.shown
    }

    /// The parameters, for whoever keeps them.
    pub fn into_object(self) -> Object {
        self.shown
    }

    /// The hash that is the same for the same call whatever its secrets are.
    pub fn sha256(&self) -> String {
        canonical::object_hash(&self.shown)
    }

    /// The parameters as JSON.
    pub fn to_value(&self) -> Value {
        Value::Object(self.shown.clone())
    }

    /// The envelope observers get.
    pub fn exposure(&self) -> Value {
        json!({ "parameters": self.shown, "parameters_sha256": self.sha256(), "parameters_redacted": true })
    }
}

impl ParameterSchema {
    /// The value of a top-level parameter as it may be shown.
    pub(super) fn shown(&self, parameter: &str, value: &Value) -> Value {
        let mut shown = Object::from_iter([(parameter.to_owned(), value.clone())]);
        Redaction { schema: self, hid: false }.redact(&mut shown);
        shown.remove(parameter).unwrap_or_default()
    }
}

/// Hides what must not be shown, in place: most parameters hold nothing of the kind.
struct Redaction<'a> {
    schema: &'a ParameterSchema,
    hid: bool,
}

impl<'a> Redaction<'a> {
    fn redact(&mut self, parameters: &mut Object) {
        sort(parameters);
        let schema = self.schema;
        let mut root = None;
        for (name, value) in parameters {
            match schema.sight_of(name) {
                Sight::Hidden => self.hide(value),
                Sight::Shown if !json::is_container(value) => {}
                Sight::Shown | Sight::Unknown => {
                    self.member(root.get_or_insert_with(|| schema.root()), name, value);
                }
            }
        }
    }

    fn hide(&mut self, value: &mut Value) {
        self.hid = true;
        *value = REDACTED.into();
    }

    fn member(&mut self, view: &View<'a>, name: &str, value: &mut Value) {
        self.step(&self.schema.member(view, name), value);
    }

    fn step(&mut self, step: &Step<'a>, value: &mut Value) {
        if step.is_hidden() {
            return self.hide(value);
        }
        match value {
            Value::Object(map) => {
                sort(map);
                map.iter_mut().for_each(|(name, value)| self.member(&step.view, name, value));
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.step(&self.schema.item(&step.view, &index.to_string()), item);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

fn sort(map: &mut Object) {
    if !map.keys().is_sorted() {
        map.sort_keys();
    }
}
