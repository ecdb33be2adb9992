//! The schema a model may see: without the parameters the host alone decides.

use serde_json::Value;

use super::Bindings;
use crate::json::{self, Object};

const BRANCHES: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Removes the authoritative parameters from the schema and its branches. Without any, it stays untouched.
pub(super) fn model_schema(schema: &Object, bindings: &Bindings) -> Object {
    if bindings.iter().any(|(_, binding)| binding.is_authoritative()) {
        without_authoritative(schema, bindings)
    } else {
        schema.clone()
    }
}

fn without_authoritative(schema: &Object, bindings: &Bindings) -> Object {
    let mut visible = schema.clone();
    let is_ours = |name: &String| bindings.is_authoritative(name);
    match visible.get_mut("properties") {
        Some(Value::Object(properties)) => properties.retain(|name, _| !is_ours(name)),
        _ => visible.retain(|name, node| !(node.is_object() && is_ours(name))),
    }
    if let Some(Value::Array(required)) = visible.get_mut("required") {
        required.retain(|name| !name.as_str().is_some_and(|name| bindings.is_authoritative(name)));
    }
    for keyword in BRANCHES {
        let Some(branches) = json::list(schema, keyword) else { continue };
        let hide = |branch: &Value| match branch {
            Value::Object(branch) => Value::Object(without_authoritative(branch, bindings)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                branch.clone()
            }
        };
        visible.insert(keyword.into(), branches.iter().map(hide).collect());
    }
    visible
}
