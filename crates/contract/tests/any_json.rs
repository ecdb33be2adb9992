//! Arbitrary JSON.

use proptest::prelude::*;
use serde_json::{Map, Value};

/// Any JSON value: a few levels deep, keys and texts of every kind.
pub(crate) fn any_json() -> impl Strategy<Value = Value> {
    json_of(any_key().boxed(), any_text().boxed())
}

/// Any JSON value made of these keys and texts.
pub(crate) fn json_of(
    keys: BoxedStrategy<String>,
    texts: BoxedStrategy<String>,
) -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2_i64..20).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e9..1e9_f64).prop_map(Value::from),
        texts.prop_map(Value::from),
    ];
    scalar.prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((keys.clone(), inner), 0..5)
                .prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// Any JSON object.
pub(crate) fn any_object() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec((any_key(), any_json()), 0..6).prop_map(|members| members.into_iter().collect())
}

fn any_text() -> impl Strategy<Value = String> {
    let odd = vec!["", " ", "[redacted]", "0", "1.5", "a.b", "#/$defs/a", "é🌱", "\u{0}\"\\/\n", "kb/find"];
    prop_oneof!["[a-z_./*A-Z -]{0,8}", prop::sample::select(odd).prop_map(str::to_owned)]
}

/// Any key; words the contract knows are more likely than chance would have them.
fn any_key() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "name",
        "source",
        "description",
        "parameters",
        "executor",
        "scope",
        "runtime",
        "properties",
        "items",
        "$ref",
        "allOf",
        "default",
        "examples",
        "required",
        "parameter_bindings",
        "parameter_defaults",
        "client_context_bindings",
        "sensitive_parameters",
        "parameter_sensitivity",
        "path",
        "sensitive",
        "tool_name",
        "tool_call_id",
        "id",
        "metadata",
        "citations",
        "score",
        "success",
        "result",
        "error",
        "error_type",
        "status",
        "request_id",
        "run_id",
        "password",
        "api_key",
        "max_tokens",
        "secret",
    ]);
    prop_oneof![known.prop_map(str::to_owned), any_text()]
}
