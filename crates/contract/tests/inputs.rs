//! What holds of every input of an action and of its arguments.

use std::borrow::Cow;

use proptest::prelude::*;
use proptest::sample::select;
use provost_contract::action::{InputRef, InputSource, KnownInput, input_slots, resolve_input};
use serde_json::{Map, Value};

use crate::any_json::{any_object, json_of};

/// An input with many references and literals, right and wrong.
fn any_input() -> impl Strategy<Value = Map<String, Value>> {
    let keys = select(vec!["$ref", "$literal", "a", "b/c", "~"]).prop_map(str::to_owned);
    let texts = select(vec!["item", "item#/a", "action:a.output#/0", "item#a", "md:x", "nowhere", "x"])
        .prop_map(str::to_owned);
    let value = json_of(keys.clone().boxed(), texts.boxed());
    prop::collection::vec((keys, value), 0..4).prop_map(|members| members.into_iter().collect())
}

/// Whether a key occurs at any depth.
fn holds(value: &Value, wanted: &str) -> bool {
    match value {
        Value::Object(map) => map.iter().any(|(key, value)| key == wanted || holds(value, wanted)),
        Value::Array(items) => items.iter().any(|item| holds(item, wanted)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn is_plain(value: &Value) -> bool {
    !holds(value, "$ref") && !holds(value, "$literal")
}

proptest! {
    #[test]
    fn an_input_without_references_is_its_arguments(input in any_object()) {
        let whole = Value::Object(input.clone());
        if is_plain(&whole) {
            let arguments = resolve_input(&input, |_| Err("is never asked for".to_owned()));
            prop_assert_eq!(arguments.map(Value::Object), Ok(whole));
            prop_assert_eq!(input_slots(&input), vec![]);
            prop_assert_eq!(KnownInput::of(&input), None);
        }
    }

    #[test]
    fn a_literal_is_its_content_whatever_that_is(content in any_input()) {
        let input: Map<String, Value> =
            [("a".to_owned(), serde_json::json!({ "$literal": content }))].into_iter().collect();
        let arguments = resolve_input(&input, |_| Err("is never asked for".to_owned())).unwrap();
        prop_assert_eq!(&arguments["a"], &Value::Object(content));
        prop_assert_eq!(input_slots(&input), vec![]);
    }

    #[test]
    fn no_reference_remains(input in any_input()) {
        let resolved = resolve_input(&input, |_| Ok(Cow::Owned(serde_json::json!({ "a": [1], "0": 2 }))));
        if let Ok(arguments) = resolved {
            let arguments = Value::Object(arguments);
            prop_assert!(holds(&Value::Object(input.clone()), "$literal") || is_plain(&arguments));
        }
    }

    #[test]
    fn every_reference_stands_at_its_pointer(input in any_input()) {
        let slots = input_slots(&input);
        let whole = Value::Object(input.clone());
        for slot in &slots {
            let object = whole.pointer(&slot.pointer).and_then(Value::as_object).unwrap();
            if let Ok(reference) = &slot.reference {
                prop_assert_eq!(object.get("$ref"), Some(&Value::from(reference.to_string())));
            }
        }
        // The first slot without a value is the one that is named.
        if let Err(unresolved) = resolve_input(&input, |_| Err("is not there".to_owned()))
            && let Some(first) = slots.first()
        {
            prop_assert_eq!(&unresolved.pointer, &first.pointer);
        }
        if let Some(known) = KnownInput::of(&input) {
            let mut pointers: Vec<&String> = slots.iter().map(|slot| &slot.pointer).collect();
            pointers.sort();
            prop_assert!(known.unknown().iter().eq(pointers));
            for slot in &slots {
                prop_assert!(known.is_unknown(&slot.pointer) && !known.is_partly_known(&slot.pointer));
                prop_assert!(slot.pointer.is_empty() || known.is_partly_known(""));
            }
        }
    }

    #[test]
    fn a_reference_reads_back_as_itself(text in "(item|action:a.output|artifact:b|md:c d|runtime://x)?(#(/[a~01/]{0,4})?)?") {
        if let Ok(reference) = InputRef::parse(&text) {
            prop_assert_eq!(reference.to_string(), text);
            prop_assert_eq!(reference.reference == InputSource::Item, reference.to_string().starts_with("item"));
        }
    }
}
