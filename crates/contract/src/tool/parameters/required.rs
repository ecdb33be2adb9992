//! Which parameters must be there.

use serde_json::{Value, json};

use super::json_schema::property_map;
use crate::json::{self, Object};

/// The required parameters of a tool, and which of them a call lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequiredCheck {
    /// In declared order.
    pub required: Vec<String>,
    /// Absent, null or an empty text; zero, false and empty containers are there.
    pub missing: Vec<String>,
}

impl RequiredCheck {
    /// Checks the parameters of a call against the names a tool requires.
    pub(super) fn of(required: &[String], parameters: &Object) -> Self {
        let missing = missing(required, parameters).map(str::to_owned).collect();
        Self { required: required.to_vec(), missing }
    }

    /// Whether nothing is missing.
    pub fn is_valid(&self) -> bool {
        self.missing.is_empty()
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({ "valid": self.is_valid(), "required": self.required, "missing": self.missing })
    }
}

/// The required names that are not there.
pub(super) fn missing<'a>(required: &'a [String], parameters: &Object) -> impl Iterator<Item = &'a str> {
    let is_there =
        |name: &str| json::present(parameters, name).is_some_and(|value| value.as_str() != Some(""));
    required.iter().map(String::as_str).filter(move |name| !is_there(name))
}

/// The names in the list `required`, then the properties with the older mark `required: true`. A list
/// there belongs to the property's own members and does not make the property required.
pub(super) fn required_names(schema: &Object) -> Vec<String> {
    let listed = json::list(schema, "required").into_iter().flatten().filter_map(Value::as_str);
    let marked = property_map(schema).iter().filter_map(|(name, property)| {
        (property.get("required") == Some(&Value::Bool(true))).then_some(name.as_str())
    });
    let mut names: Vec<String> = Vec::new();
    for name in listed.filter(|name| !name.trim().is_empty()).chain(marked) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}
