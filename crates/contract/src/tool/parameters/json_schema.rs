//! Reading JSON Schema: the nodes that describe a value, its members and its items.
//!
//! Only what governs parameters is read here. Schemas come from outside, so references may point
//! nowhere or in circles; every walk here ends.

use std::collections::HashSet;

use serde_json::Value;

use crate::json::{self, Object};

/// Keywords whose schemas describe the very same value.
const BRANCHES: [&str; 6] = ["allOf", "anyOf", "oneOf", "if", "then", "else"];
/// Keywords that describe members by something other than their name.
const OTHER_MEMBERS: [&str; 2] = ["additionalProperties", "unevaluatedProperties"];
const ITEMS: [&str; 5] = ["items", "prefixItems", "additionalItems", "unevaluatedItems", "contains"];

/// The properties of a schema; a schema without an object of them is itself read as a map of properties.
pub(super) fn property_map(schema: &Object) -> &Object {
    json::object(schema, "properties").unwrap_or(schema)
}

/// All nodes that describe the same value as these: they themselves, what they refer to, and their branches.
pub(super) fn facets<'a>(root: &'a Object, nodes: Vec<&'a Object>) -> Vec<&'a Object> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let mut waiting = nodes;
    while let Some(node) = waiting.pop() {
        if !seen.insert(std::ptr::from_ref(node)) {
            continue;
        }
        found.push(node);
        waiting.extend(json::text(node, "$ref").and_then(|pointer| referred(root, pointer)));
        waiting.extend(BRANCHES.into_iter().filter_map(|keyword| node.get(keyword)).flat_map(schemas_in));
    }
    found
}

/// What a reference within the same schema points at.
fn referred<'a>(root: &'a Object, pointer: &str) -> Option<&'a Object> {
    let path = pointer.strip_prefix('#')?;
    let Some(path) = path.strip_prefix('/') else { return path.is_empty().then_some(root) };
    let mut segments = path.split('/').map(|segment| segment.replace("~1", "/").replace("~0", "~"));
    let first = root.get(&segments.next()?)?;
    let step = |place: &'a Value, segment: String| match place {
        Value::Array(items) => items.get(segment.parse::<usize>().ok()?),
        Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            place.get(&segment)
        }
    };
    segments.try_fold(first, step)?.as_object()
}

/// The schemas under a keyword that holds one or a list of them.
fn schemas_in(value: &Value) -> Vec<&Object> {
    match value {
        Value::Array(items) => items.iter().filter_map(Value::as_object).collect(),
        Value::Object(schema) => vec![schema],
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// What a node says about the member of this name. Patterns are not evaluated: each may match.
pub(super) fn member_nodes<'a>(node: &'a Object, name: &str) -> Vec<&'a Object> {
    let named = json::object(node, "properties").and_then(|properties| properties.get(name));
    let others =
        OTHER_MEMBERS.into_iter().filter(|_| named.is_none()).filter_map(|keyword| node.get(keyword));
    let patterns = json::object(node, "patternProperties").into_iter().flat_map(|map| map.values());
    named.into_iter().chain(patterns).chain(others).filter_map(Value::as_object).collect()
}

/// What a node says about the items of a list.
pub(super) fn item_nodes(node: &Object) -> Vec<&Object> {
    ITEMS.into_iter().filter_map(|keyword| node.get(keyword)).flat_map(schemas_in).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_are_followed_once_and_may_run_in_circles() {
        let schema = json!({
            "$ref": "#/$defs/a~1b",
            "$defs": {"a/b": {"allOf": [{"$ref": "#"}, {"$ref": "#/$defs/gone"}, {"type": "object"}]}},
        });
        let root = schema.as_object().unwrap();
        assert_eq!(facets(root, vec![root]).len(), 5);
    }
}
