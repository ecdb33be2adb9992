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
    /// Checks the parameters of a call against the schema of a tool.
    pub(super) fn of(schema: &Object, parameters: &Object) -> Self {
        let required = required_names(schema);
        let is_there =
            |name: &&String| json::present(parameters, name).is_some_and(|value| value.as_str() != Some(""));
        let missing = required.iter().filter(|name| !is_there(name)).cloned().collect();
        Self { required, missing }
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

/// The names in the list `required`, then the properties with the older mark `required: true`. A list
/// there belongs to the property's own members and does not make the property required.
fn required_names(schema: &Object) -> Vec<String> {
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
