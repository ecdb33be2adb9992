//! The input of an action: values, and the `$ref` and `$literal` objects between them.
//!
//! `{"$ref": "<reference>"}` stands for a value that is known when the action starts; `{"$literal": <value>}`
//! stands for its content, in which nothing is replaced. Substituted values are data: they are never
//! searched for references again, because they may come from a tool or a web page.

use std::borrow::Cow;

use serde_json::Value;

use super::input_walk::{LITERAL, Path, REF, Special, rebuild_object, visit_object};
use super::{InputRef, InputSource};
use crate::Result;
use crate::json::Object;

/// A `$ref` of an input, or an object that is neither a valid `$ref` nor a valid `$literal`.
#[derive(Clone, Debug, PartialEq)]
pub struct InputSlot {
    /// Its JSON pointer in the input; empty for the input itself.
    pub pointer: String,
    /// The reference, or why it is none.
    pub reference: Result<InputRef>,
}

/// Returns the references of an input, in order.
pub fn input_slots(input: &Object) -> Vec<InputSlot> {
    let mut slots = Vec::new();
    visit_object(input, &mut Path::default(), &mut |path, special| {
        let reference = match special {
            Special::Reference(read) => read,
            Special::Literal(Ok(_)) => return,
            Special::Literal(Err(error)) => Err(error),
        };
        slots.push(InputSlot { pointer: path.pointer(), reference });
    });
    slots
}

/// Whether an object is a `$ref` or a `$literal`, valid or not.
pub fn is_replaced(object: &Object) -> bool {
    Special::of(object).is_some()
}

/// Why an input has no arguments yet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reference} at {pointer:?} {why}")]
pub struct Unresolved {
    /// The JSON pointer of the `$ref` in the input.
    pub pointer: String,
    /// The text of the reference.
    pub reference: String,
    /// What is wrong with it, as the end of a sentence.
    pub why: String,
}

/// Returns the arguments: the input with the value of every `$ref` and the content of every `$literal`.
///
/// `lookup` returns the whole value of a source, or why there is none, as the end of a sentence. The result
/// must not be resolved again: a `$ref` in it is data.
///
/// # Errors
/// The first reference that is invalid, has no value, or has none at its pointer.
pub fn resolve_input<'v>(
    input: &Object,
    mut lookup: impl FnMut(&InputSource) -> std::result::Result<Cow<'v, Value>, String>,
) -> std::result::Result<Object, Unresolved> {
    let whole = input.get(REF).and_then(Value::as_str).unwrap_or(LITERAL);
    let resolved = rebuild_object(input, &mut Path::default(), &mut |path, special| {
        let unresolved =
            |reference: String, why: String| Unresolved { pointer: path.pointer(), reference, why };
        match special {
            Special::Literal(content) => {
                content.cloned().map_err(|error| unresolved(LITERAL.to_owned(), error.message().to_owned()))
            }
            Special::Reference(Err(error)) => Err(unresolved(REF.to_owned(), error.message().to_owned())),
            Special::Reference(Ok(reference)) => {
                value_of(&reference, &mut lookup).map_err(|why| unresolved(reference.to_string(), why))
            }
        }
    })?;
    match resolved {
        Value::Object(arguments) => Ok(arguments),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            let why = "is the whole input and must be an object".to_owned();
            Err(Unresolved { pointer: String::new(), reference: whole.to_owned(), why })
        }
    }
}

fn value_of<'v>(
    reference: &InputRef,
    lookup: &mut impl FnMut(&InputSource) -> std::result::Result<Cow<'v, Value>, String>,
) -> std::result::Result<Value, String> {
    let value = lookup(&reference.reference)?;
    match reference.pointer() {
        None => Ok(value.into_owned()),
        Some(pointer) => {
            let missing = || format!("has no value at {pointer:?}");
            reference.select(&value).cloned().ok_or_else(missing)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::KnownInput;
    use super::*;

    fn object(value: Value) -> Object {
        crate::json::into_object(value)
    }

    fn resolve(input: Value) -> std::result::Result<Value, Unresolved> {
        let output = json!({ "files": ["a", { "b/c": 7 }], "$ref": "data" });
        let lookup = |source: &InputSource| match source.to_string().as_str() {
            "action:look.output" => Ok(Cow::Borrowed(&output)),
            "item" => Ok(Cow::Owned(json!(3))),
            _ => Err("is not there".to_owned()),
        };
        resolve_input(&object(input), lookup).map(Value::Object)
    }

    #[test]
    fn a_reference_becomes_its_value_with_its_type() {
        for (input, arguments) in [
            (json!({ "a": { "$ref": "item" } }), json!({ "a": 3 })),
            (json!({ "a": [1, { "$ref": "action:look.output#/files/1/b~1c" }] }), json!({ "a": [1, 7] })),
            (
                json!({ "$ref": "action:look.output" }),
                json!({ "files": ["a", { "b/c": 7 }], "$ref": "data" }),
            ),
            (json!({ "a": { "$literal": { "$ref": 1 } } }), json!({ "a": { "$ref": 1 } })),
            (
                json!({ "a": { "$literal": { "$literal": { "$ref": "item" } } } }),
                json!({ "a": { "$literal": { "$ref": "item" } } }),
            ),
            (json!({ "$literal": { "b": 1 } }), json!({ "b": 1 })),
            (json!({ "a": "$ref", "b": ["$literal"] }), json!({ "a": "$ref", "b": ["$literal"] })),
        ] {
            assert_eq!(resolve(input.clone()).as_ref(), Ok(&arguments), "{input}");
        }
    }

    #[test]
    fn what_has_no_value_says_where_and_why() {
        for (input, pointer, reference, why) in [
            (json!({ "a": { "$ref": "input:user.goal" } }), "/a", "input:user.goal", "is not there"),
            (
                json!({ "a/b": [{ "$ref": "action:look.output#/files/9" }] }),
                "/a~1b/0",
                "action:look.output#/files/9",
                "has no value at \"/files/9\"",
            ),
            (json!({ "$ref": "item" }), "", "item", "is the whole input and must be an object"),
            (json!({ "$literal": 1 }), "", "$literal", "is the whole input and must be an object"),
        ] {
            let unresolved = resolve(input).unwrap_err();
            assert_eq!(
                (unresolved.pointer.as_str(), unresolved.reference.as_str(), unresolved.why.as_str()),
                (pointer, reference, why)
            );
        }
        assert!(resolve(json!({ "a": { "$ref": 1 } })).is_err());
    }

    #[test]
    fn every_reference_is_listed_with_its_place_and_a_literal_hides_its_own() {
        let input = object(json!({
            "a": { "$ref": "item#/x" },
            "b": [{ "$literal": { "$ref": "item" } }, { "c~d": { "$ref": "nowhere" } }],
            "e": { "$ref": "item", "more": 1 },
            "f": { "$ref": 1 },
            "g": { "$literal": 1, "more": 1 },
        }));
        let slots: Vec<String> = input_slots(&input)
            .into_iter()
            .map(|slot| match slot.reference {
                Ok(reference) => format!("{} {reference}", slot.pointer),
                Err(error) => format!("{} {}", slot.pointer, error.code()),
            })
            .collect();
        assert_eq!(
            slots,
            [
                "/a item#/x",
                "/b/1/c~0d unresolved_reference",
                "/e invalid_schema",
                "/f invalid_schema",
                "/g invalid_schema",
            ]
        );
    }

    #[test]
    fn what_is_known_has_the_content_of_literals_and_nothing_for_references() {
        assert_eq!(KnownInput::of(&object(json!({ "a": { "ref": "item" } }))), None);
        let input = object(json!({ "a": { "$literal": { "b": [1] } }, "c": [{ "$ref": "item" }] }));
        let known = KnownInput::of(&input).unwrap();
        assert_eq!(known.value, json!({ "a": { "b": [1] }, "c": [null] }));
        assert_eq!(known.unknown(), ["/c/0"]);
        assert!(known.is_unknown("/c/0/x") && known.is_unknown("/c/0") && !known.is_unknown("/c"));
        assert!(known.is_partly_known("/c") && known.is_partly_known("") && !known.is_partly_known("/c/0"));
        for (pointer, source) in
            [("/a/b/0", "/a/$literal/b/0"), ("/a", "/a/$literal"), ("/c", "/c"), ("", "")]
        {
            assert_eq!(known.source_pointer(pointer), source);
        }
    }
}
