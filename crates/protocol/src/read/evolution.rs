//! Fields of minor versions that version 1 does not know.
//!
//! A declaration of version `1.<number>` is read as version 1. Its unknown fields are set aside and listed as
//! violations, or refused where `schema_evolution` says so. The schema of the full form says which fields
//! are known.

use std::sync::LazyLock;

use provost_contract::json::Object;
use provost_contract::policies::{Merged, Policies, SchemaEvolution};
use serde_json::Value;

use crate::read::notes::{Fault, Notes, Spot};
use crate::read::policies::merge;
use crate::read::schemas::full_schema;
use crate::{Code, Turn, Violation};

/// Returns the known part of a declaration, and its unknown fields by JSON pointer.
pub(crate) fn split_unknown_fields(
    raw: &Object,
    version: &str,
    turn: &Turn<'_>,
    notes: &mut Notes,
) -> (Object, Object) {
    static SCHEMA: LazyLock<Value> = LazyLock::new(full_schema);
    let mut known = Value::Object(raw.clone());
    let mut unknown = Object::new();
    take_unknown(&mut known, &branches(&SCHEMA, &SCHEMA), &SCHEMA, "", &mut unknown);
    let mut rules = Rules { known: &known, turn, last: None };
    for pointer in unknown.keys() {
        let policies = rules.of(pointer);
        match policies.effective().schema_evolution {
            SchemaEvolution::KeepUnknownFields => {
                notes.violation(Violation::UnknownField(pointer.clone()));
            }
            SchemaEvolution::RefuseUnknownFields => notes.fault(refusal(pointer, version, policies)),
        }
    }
    let Value::Object(known) = known else { return (Object::new(), unknown) };
    (known, unknown)
}

/// Returns the fault of a field that a policy refuses.
pub(crate) fn refusal(pointer: &str, version: &str, policies: &Merged) -> Fault {
    let layer = policies.decided_by("schema_evolution").map_or("runtime", |layer| layer.into());
    let field = pointer.rsplit('/').next().unwrap_or(pointer);
    let message = format!(
        "unknown field {field} in version {version}: schema_evolution of the {layer} refuses unknown fields"
    );
    let spot = Spot::Pointer(pointer.to_owned());
    Fault::new(Code::InvalidSchema, spot, message).hint("leave the field out")
}

/// The policies that hold at a place of a declaration.
struct Rules<'a> {
    known: &'a Value,
    turn: &'a Turn<'a>,
    /// The last answer, by the place of the action: fields of one action follow each other.
    last: Option<(Option<String>, Merged)>,
}

impl Rules<'_> {
    fn of(&mut self, pointer: &str) -> &Merged {
        let action = action_of(pointer);
        let last = self.last.take().filter(|(place, _)| *place == action);
        let (_, merged) = self.last.insert(last.unwrap_or_else(|| {
            let envelope = policies_at(self.known, "");
            let own = action.as_ref().and_then(|place| policies_at(self.known, place));
            let merged = merge(self.turn, envelope.as_ref(), own.as_ref());
            (action, merged)
        }));
        merged
    }
}

/// Returns the pointer of the action that a pointer leads into.
fn action_of(pointer: &str) -> Option<String> {
    let (index, _) = pointer.strip_prefix("/payload/actions/")?.split_once('/')?;
    Some(format!("/payload/actions/{index}"))
}

/// Returns the policies of the envelope or of an action; invalid ones are reported when they are parsed.
fn policies_at(known: &Value, place: &str) -> Option<Policies> {
    Policies::parse(known.pointer(&format!("{place}/policies"))?).ok()
}

/// Moves the fields that no schema knows from a value to `unknown`.
fn take_unknown(value: &mut Value, schemas: &[&Value], root: &Value, pointer: &str, unknown: &mut Object) {
    match value {
        Value::Object(object) => {
            let shapes = shapes(object, schemas);
            if shapes.is_empty() {
                return;
            }
            for (key, mut member) in std::mem::take(object) {
                let below = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
                let known: Vec<&Value> =
                    shapes.iter().filter_map(|properties| properties.get(&key)).collect();
                if known.is_empty() {
                    unknown.insert(below, member);
                    continue;
                }
                let inner: Vec<&Value> =
                    known.into_iter().flat_map(|schema| branches(schema, root)).collect();
                take_unknown(&mut member, &inner, root, &below, unknown);
                object.insert(key, member);
            }
        }
        Value::Array(items) => {
            let inner = schemas.iter().filter_map(|schema| schema.get("items"));
            let inner: Vec<&Value> = inner.flat_map(|schema| branches(schema, root)).collect();
            for (index, item) in items.iter_mut().enumerate() {
                take_unknown(item, &inner, root, &format!("{pointer}/{index}"), unknown);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the properties of the closed objects among the schemas that do not contradict the object's fixed
/// words; an object that no schema closes may have any field.
fn shapes<'s>(object: &Object, schemas: &[&'s Value]) -> Vec<&'s Object> {
    let closed =
        schemas.iter().filter(|schema| schema.get("additionalProperties") == Some(&Value::Bool(false)));
    let properties = closed.filter_map(|schema| schema.get("properties").and_then(Value::as_object));
    let agrees = |properties: &&Object| {
        let mut fixed = properties.iter().filter_map(|(name, schema)| Some((name, schema.get("const")?)));
        fixed.all(|(name, word)| object.get(name).is_none_or(|given| given == word))
    };
    properties.filter(agrees).collect()
}

/// Returns the schemas that a value may follow: the branches of alternatives, with references resolved.
fn branches<'s>(schema: &'s Value, root: &'s Value) -> Vec<&'s Value> {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(reference.trim_start_matches('#'));
        return target.map(|schema| branches(schema, root)).unwrap_or_default();
    }
    let alternatives = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
    match alternatives {
        Some(alternatives) => alternatives.iter().flat_map(|schema| branches(schema, root)).collect(),
        None => vec![schema],
    }
}
