//! A secret planted anywhere that says it is one is in no output.

use proptest::prelude::*;
use provost_contract::sensitivity::is_sensitive_name;
use provost_contract::tool::{ParameterRules, RuntimeMetadata, ToolDeclaration, ToolResult};
use serde_json::{Map, Value, json};

use crate::any_json::any_object;

const SECRET: &str = "hunter2-3c1f";

/// A sensitive name in one of the spellings programs use.
fn sensitive_name() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        vec!["api", "key"],
        vec!["private", "key"],
        vec!["access", "key"],
        vec!["session", "id"],
        vec!["token"],
        vec!["tokens"],
        vec!["secret"],
        vec!["secrets"],
        vec!["password"],
        vec!["authorization"],
        vec!["cookie"],
        vec!["credentials"],
        vec!["nonce"],
        vec!["bearer"],
        vec!["passphrase"],
    ]);
    let around = prop::sample::select(vec!["", "x", "my", "client", "old", "db"]);
    (around.clone(), words, around, 0..5_usize).prop_map(|(before, middle, after, style)| {
        let all = [before].into_iter().chain(middle).chain([after]);
        spelt(&all.filter(|word| !word.is_empty()).collect::<Vec<_>>(), style)
    })
}

fn spelt(words: &[&str], style: usize) -> String {
    match style {
        0 => words.join("_"),
        1 => words.join("-"),
        2 => words.join(".").to_uppercase(),
        3 => words.iter().map(|word| capital(word)).collect(),
        _ => words.join("_").to_uppercase(),
    }
}

fn capital(word: &str) -> String {
    word.get(..1).unwrap_or_default().to_uppercase() + word.get(1..).unwrap_or_default()
}

/// The keys down to a place; a path in a declaration is trimmed, so they have no spaces.
fn place() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[a-zA-Z0-9_.*é-]{1,6}", 1..5)
}

/// Sets the value at a place, whatever stood in the way.
fn planted(mut base: Map<String, Value>, place: &[String], leaf: Value) -> Map<String, Value> {
    if let Some((first, rest)) = place.split_first() {
        let below = base.get(first).and_then(Value::as_object).cloned().unwrap_or_default();
        let value = if rest.is_empty() { leaf } else { Value::Object(planted(below, rest, leaf)) };
        base.insert(first.clone(), value);
    }
    base
}

/// A schema in which the value at a place is marked; at each step it may hide behind a reference or a branch.
fn marked_schema(place: &[String], mark: &Value, detours: &[u8]) -> Value {
    let Some((first, rest)) = place.split_first() else { return mark.clone() };
    let below = marked_schema(rest, mark, detours.get(1..).unwrap_or_default());
    match detours.first() {
        Some(1) => json!({"properties": {first: {"allOf": [{"type": "object"}, below]}}}),
        Some(2) => json!({"anyOf": [{"properties": {first: below}}]}),
        Some(3) => json!({"additionalProperties": below}),
        _ => json!({"properties": {first: below}}),
    }
}

fn holds_secret(value: &Value) -> bool {
    value.to_string().contains(SECRET)
}

fn leaves() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![json!(SECRET), json!([SECRET]), json!({"a": [{"b": SECRET}]})])
}

proptest! {
    #[test]
    fn parameters_under_a_sensitive_name(
        base in any_object(), mut place in place(), name in sensitive_name(), leaf in leaves(), nested in any::<bool>(), in_list in any::<bool>(),
    ) {
        prop_assert!(is_sensitive_name(&name), "{name}");
        place.push(name);
        if nested {
            place.push("inside".to_owned());
        }
        let mut parameters = planted(base, &place, leaf);
        if in_list {
            parameters = Map::from_iter([("list".to_owned(), json!([1, [parameters]]))]);
        }
        prop_assert!(holds_secret(&Value::Object(parameters.clone())));
        let redacted = ParameterRules::default().redact(&parameters);
        prop_assert!(!holds_secret(&redacted.exposure()), "{place:?}");
    }

    #[test]
    fn parameters_at_a_declared_path(
        base in any_object(), place in place(), leaf in leaves(), form in 0..4_usize, star in any::<prop::sample::Index>(),
    ) {
        let parameters = planted(base, &place, leaf);
        let mut segments = place.clone();
        *segments.get_mut(star.index(place.len())).expect("in range") = "*".to_owned();
        let (exact, starred) = (place.join("."), segments.join("."));
        let declaration = match form {
            0 => json!({"sensitive_parameters": [exact]}),
            1 => json!({"sensitive_parameters": starred}),
            2 => json!({"parameter_sensitivity": {starred: "high"}}),
            _ => json!({"parameter_sensitivity": {exact: true}, "parameter_bindings": "malformed"}),
        };
        let rules = ParameterRules::read(declaration.as_object().expect("an object"));
        prop_assert!(!holds_secret(&rules.redact(&parameters).to_value()), "{place:?} {declaration}");
    }

    #[test]
    fn parameters_marked_in_the_schema(
        base in any_object(), place in place(), leaf in leaves(), mark in 0..5_usize,
        detours in prop::collection::vec(0..4_u8, 4), by_reference in any::<bool>(),
    ) {
        let marks = [
            json!({"sensitive": true}), json!({"x-sensitive": "high"}), json!({"secret": true}),
            json!({"writeOnly": true}), json!({"format": "password"}),
        ];
        let mark = marks.get(mark).cloned().unwrap_or_default();
        let node = if by_reference { json!({"$ref": "#/$defs/hidden"}) } else { mark.clone() };
        let mut schema = marked_schema(&place, &node, &detours);
        schema["$defs"] = json!({"hidden": mark});
        let declaration = json!({"parameters": schema});
        let rules = ParameterRules::read(declaration.as_object().expect("an object"));
        let parameters = planted(base, &place, leaf);
        prop_assert!(!holds_secret(&rules.redact(&parameters).to_value()), "{place:?} {declaration}");
    }

    #[test]
    fn declarations_and_what_is_built_from_them(
        more in any_object(), mut place in place(), name in sensitive_name(), leaf in leaves(), field in 0..6_usize,
    ) {
        place.push(name.clone());
        let below = Value::Object(planted(Map::new(), &place, leaf.clone()));
        let binding = json!({"source": "context", "path": "p", "default": leaf});
        let (field, value) = match field {
            0 => ("runtime", below),
            1 => ("parameter_defaults", below),
            2 => ("parameter_bindings", json!({name: binding, "opts": {"source": "context", "path": "p", "default": below}})),
            3 => ("ui", below),
            4 => ("parameters", json!({"properties": {name: {"default": leaf, "examples": [leaf]}, "opts": {"default": below}}})),
            _ => (name.as_str(), leaf),
        };
        let mut raw: Map<String, Value> = more.into_iter().map(|(key, value)| (format!("ext {key}"), value)).collect();
        raw.insert("name".into(), "kb/find".into());
        raw.insert("description".into(), "Find.".into());
        raw.insert(field.to_owned(), value);
        let declaration = ToolDeclaration::parse_server(&raw).expect("a valid declaration");
        prop_assert!(!holds_secret(&declaration.to_value()), "{}", declaration.to_value());
        prop_assert!(!holds_secret(&declaration.rules().model_schema().into()));
        let built = Value::Object(declaration.rules().build(&Map::new(), &Map::new()));
        prop_assert!(!holds_secret(&built) && !built.to_string().contains("[redacted]"), "{built}");
    }

    #[test]
    fn runtime_metadata_of_results(mut place in place(), name in sensitive_name(), leaf in leaves()) {
        place.push(name);
        let runtime = Value::Object(planted(Map::new(), &place, leaf));
        prop_assert!(!holds_secret(&RuntimeMetadata::parse(&runtime).to_value()));
        let result = ToolResult::parse(&json!({"tool_name": "kb/find", "runtime": runtime})).expect("a result");
        prop_assert!(!holds_secret(&result.to_value()));
    }

    #[test]
    fn what_is_not_sensitive_stays(key in "[a-z]{1,8}", value in "[a-z]{1,8}") {
        prop_assume!(!is_sensitive_name(&key));
        let parameters = json!({key: {"nested": [value]}});
        let redacted = ParameterRules::default().redact(parameters.as_object().expect("an object"));
        prop_assert_eq!(redacted.to_value(), parameters);
    }
}
