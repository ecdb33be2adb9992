//! Bodies that were a provider's once, and then something happened to them.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use provost_contract::provider::Provider;
use serde_json::{Value, json};
use strum::VariantArray as _;

use super::transcripts::any_transcript;

/// A body of some provider with some places overwritten, dropped or doubled.
pub(super) fn broken_body() -> impl Strategy<Value = Value> {
    let accidents = proptest::collection::vec((any::<Index>(), accident()), 0..5);
    (any_transcript(), select(Provider::VARIANTS), accidents).prop_map(|(transcript, provider, accidents)| {
        let mut body = provider.encode(&transcript, &super::names()).body;
        for (place, accident) in accidents {
            let mut places = place.index(size(&body));
            strike(&mut body, &mut places, &accident);
        }
        body
    })
}

#[derive(Clone, Debug)]
enum Accident {
    Overwrite(Value),
    /// Takes away the first entry of a list or object.
    Drop,
    /// Doubles the first entry of a list.
    Double,
    /// Turns a list round.
    Reverse,
}

fn accident() -> impl Strategy<Value = Accident> {
    let words = [
        "",
        " ",
        "user",
        "assistant",
        "model",
        "tool",
        "a",
        "b",
        "tool_use",
        "tool_result",
        "reasoning",
        "{\"cut",
    ];
    let odd =
        [json!(null), json!(true), json!(7), json!([]), json!({}), json!([[]]), json!([{ "type": "text" }])];
    prop_oneof![
        3 => select(words.to_vec()).prop_map(|word| Accident::Overwrite(json!(word))),
        2 => select(odd.to_vec()).prop_map(Accident::Overwrite),
        2 => Just(Accident::Drop),
        2 => Just(Accident::Double),
        1 => Just(Accident::Reverse),
    ]
}

/// How many values a value holds, itself included.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(map) => map.values().map(size).sum::<usize>(),
        _ => 0,
    }
}

/// Lets the accident happen to the value that comes after so many others.
fn strike(value: &mut Value, before: &mut usize, accident: &Accident) {
    if *before == 0 {
        happen(value, accident);
    }
    // Wraps when it has happened, so that it happens once.
    *before = before.wrapping_sub(1);
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| strike(item, before, accident)),
        Value::Object(map) => map.values_mut().for_each(|item| strike(item, before, accident)),
        _ => {}
    }
}

fn happen(value: &mut Value, accident: &Accident) {
    match (accident, &mut *value) {
        (Accident::Overwrite(new), _) => *value = new.clone(),
        (Accident::Drop, Value::Array(items)) if !items.is_empty() => drop(items.remove(0)),
        (Accident::Drop, Value::Object(map)) => {
            drop(map.keys().next().cloned().and_then(|key| map.remove(&key)));
        }
        (Accident::Double, Value::Array(items)) => items.extend(items.first().cloned()),
        (Accident::Reverse, Value::Array(items)) => items.reverse(),
        (Accident::Drop | Accident::Double | Accident::Reverse, _) => {}
    }
}
