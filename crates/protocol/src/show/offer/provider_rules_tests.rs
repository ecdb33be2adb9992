//! The carrier schema under the rules of each provider, and the prompt as a model reads it.

use serde_json::{Value, json};

use super::*;
use crate::{ArgumentSchema, AssistantMessage, Catalog, Speaking, Turn, accept};

fn catalog() -> Catalog {
    let tools = [
        json!({
            "name": "fs_read",
            "description": "Reads a file\nof the workspace. </turn>",
            "side_effects": ["read"],
            "capabilities": ["filesystem", "read"],
            "input_schema": {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "properties": {
                    "path": { "type": "string", "description": "Where.", "minLength": 1 },
                    "start": { "type": "integer", "minimum": 1 },
                    "mode": { "type": "string", "enum": ["text", "bytes"], "default": "text" },
                    "ranges": { "type": "array", "items": {
                        "type": "object",
                        "properties": { "from": { "type": "integer" }, "to": { "type": ["integer", "null"] } },
                        "required": ["from"],
                    } },
                    "only": { "oneOf": [{ "type": "string" }, { "type": "boolean" }] },
                },
                "required": ["path"],
                "additionalProperties": false,
            },
        }),
        json!({ "name": "clock", "side_effects": ["none"], "input_schema": {
            "type": "object", "properties": {}, "additionalProperties": false,
        } }),
    ];
    let agents = [json!({ "name": "reader", "description": "Reads code.", "capabilities": ["review"] })];
    Catalog::parse(&tools, &agents, &[json!({ "name": "ask_user", "type": "human" })]).unwrap()
}

fn open_catalog() -> Catalog {
    let tool = json!({ "name": "query", "input_schema": { "type": "object" } });
    Catalog::parse(&[tool], &[], &[]).unwrap()
}

/// Every node of a schema, with the keywords it stands under.
fn nodes<'a>(schema: &'a Value, depth: usize, found: &mut Vec<(&'a Value, usize)>) {
    found.push((schema, depth));
    for child in schema.get("properties").and_then(Value::as_object).into_iter().flat_map(|map| map.values())
    {
        nodes(child, depth + 1, found);
    }
    schema.get("items").into_iter().for_each(|child| nodes(child, depth + 1, found));
    for branch in schema.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
        nodes(branch, depth + 1, found);
    }
}

fn every_node(schema: &Value, check: impl Fn(&serde_json::Map<String, Value>, usize)) {
    let mut found = Vec::new();
    nodes(schema, 0, &mut found);
    for (node, depth) in found {
        check(node.as_object().unwrap(), depth);
    }
}

fn keys(node: &serde_json::Map<String, Value>, key: &str) -> Vec<String> {
    node.get(key).and_then(Value::as_object).map(|map| map.keys().cloned().collect()).unwrap_or_default()
}

#[test]
fn openai_strict_closes_every_object_and_requires_every_property() {
    let schema = carrier_schema(&catalog(), Dialect::OpenAiStrict).unwrap();
    assert_eq!(schema["type"], "object");
    assert!(schema.get("anyOf").is_none());
    let allowed = [
        "type",
        "description",
        "enum",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "anyOf",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "pattern",
        "minItems",
        "maxItems",
        "format",
    ];
    every_node(&schema, |node, depth| {
        assert!(depth <= 10);
        assert!(node.keys().all(|key| allowed.contains(&key.as_str())), "{node:?}");
        if node.contains_key("properties") {
            assert_eq!(node["additionalProperties"], false, "{node:?}");
            assert_eq!(node["required"], json!(keys(node, "properties")), "{node:?}");
        }
    });
    assert_eq!(
        carrier_schema(&open_catalog(), Dialect::OpenAiStrict),
        None,
        "an open object cannot be closed"
    );
}

#[test]
fn anthropic_takes_a_plain_object_without_references() {
    let schema = carrier_schema(&catalog(), Dialect::Plain).unwrap();
    assert_eq!(schema["type"], "object");
    every_node(&schema, |node, depth| {
        assert!(!node.contains_key("$ref"));
        let combined = ["anyOf", "oneOf", "allOf"].iter().any(|key| node.contains_key(*key));
        assert!(depth > 0 || !combined);
        for name in keys(node, "properties") {
            let fits = name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c));
            assert!(fits && (1..=64).contains(&name.len()), "{name}");
        }
    });
}

#[test]
fn gemini_takes_one_type_a_node_and_no_empty_objects() {
    let schema = carrier_schema(&catalog(), Dialect::Gemini).unwrap();
    let allowed = [
        "type",
        "nullable",
        "description",
        "enum",
        "properties",
        "required",
        "items",
        "anyOf",
        "minimum",
        "maximum",
        "minItems",
        "maxItems",
        "format",
        "pattern",
    ];
    every_node(&schema, |node, _| {
        assert!(node.keys().all(|key| allowed.contains(&key.as_str())), "{node:?}");
        if node.contains_key("anyOf") {
            assert_eq!(node.len(), 1, "{node:?}");
            return;
        }
        let kind = node["type"].as_str().unwrap();
        assert_eq!(kind == "object", !keys(node, "properties").is_empty(), "{node:?}");
        assert_eq!(kind == "array", node.contains_key("items"), "{node:?}");
        assert!(kind == "string" || !node.contains_key("enum"), "{node:?}");
        let known = keys(node, "properties");
        let required = node.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        assert!(required.iter().all(|name| known.iter().any(|known| name == known)), "{node:?}");
    });
    let referenced = json!({ "name": "q", "input_schema": { "$ref": "#/$defs/a", "$defs": { "a": { "type": "object" } } } });
    let referenced = Catalog::parse(&[referenced], &[], &[]).unwrap();
    assert_eq!(carrier_schema(&referenced, Dialect::Gemini), None, "a reference has no form there");
    assert_eq!(carrier_schema(&open_catalog(), Dialect::Gemini), None, "an open object has no form there");
}

#[test]
fn llama_grammars_know_every_keyword_of_the_plain_schema() {
    let schema = carrier_schema(&catalog(), Dialect::Plain).unwrap();
    let known = ["type", "description", "enum", "properties", "required", "additionalProperties", "items"];
    every_node(&schema, |node, _| {
        assert!(node.keys().all(|key| known.contains(&key.as_str())), "{node:?}");
        assert!(node["type"].is_string(), "{node:?}");
    });
}

#[test]
fn what_the_schema_asks_for_is_what_is_accepted() {
    let catalog = catalog();
    let turn = Turn::new(Speaking::Protocol, &catalog);
    let call = |more: Value| json!({ "kind": "act", "message": null, "calls": [more] });
    let strict = call(json!({
        "id": "a", "type": "tool", "name": "fs_read",
        "args": { "path": "x", "start": null, "mode": null, "only": null, "ranges": [{ "from": 1, "to": null }] },
        "depends": null, "result": null, "title": null,
    }));
    let schema = carrier_schema(&catalog, Dialect::OpenAiStrict).unwrap();
    assert_eq!(ArgumentSchema::compile(&schema).unwrap().faults(&strict), []);
    assert!(
        accept(&AssistantMessage::of_carrier_call(strict.clone()), &turn).is_err(),
        "nulls are not arguments"
    );
    let mut cleaned = strict;
    without_strict_nulls(&catalog, &mut cleaned);
    let accepted = accept(&AssistantMessage::of_carrier_call(cleaned), &turn).unwrap();
    let input = Value::Object(accepted.content.actions()[0].input.clone());
    assert_eq!(input, json!({ "path": "x", "ranges": [{ "from": 1, "to": null }] }));

    let plain = ArgumentSchema::compile(&carrier_schema(&catalog, Dialect::Plain).unwrap()).unwrap();
    let good = json!({ "kind": "act", "calls": [{ "id": "a", "type": "agent", "name": "auto", "args": { "prompt": "x" } }] });
    assert_eq!(plain.faults(&good), []);
    assert!(
        !plain
            .faults(&json!({ "kind": "act", "calls": [{ "id": "a", "type": "tool", "name": "rm" }] }))
            .is_empty()
    );
}

#[test]
fn without_anybody_to_ask_a_model_can_only_answer() {
    let schema = carrier_schema(&Catalog::default(), Dialect::Plain).unwrap();
    assert_eq!(schema["properties"]["kind"]["enum"], json!(["answer", "done"]));
    assert!(schema["properties"].get("calls").is_none());
}

#[test]
fn the_prompt_of_a_model_with_tools() {
    insta::assert_snapshot!(protocol_prompt(&catalog(), OfferedCarrier::ToolCall));
}

#[test]
fn the_prompt_of_a_model_without_tools() {
    insta::assert_snapshot!(protocol_prompt(&catalog(), OfferedCarrier::FencedBlock));
}

#[test]
fn the_example_in_a_prompt_is_accepted() {
    let catalog = catalog();
    let prompt = protocol_prompt(&catalog, OfferedCarrier::FencedBlock);
    let example = prompt.split("## Example\n\n").nth(1).unwrap();
    assert!(
        accept(&AssistantMessage::of_text(example), &Turn::new(Speaking::Protocol, &catalog)).is_ok(),
        "{example}"
    );
    let prompt = protocol_prompt(&catalog, OfferedCarrier::ToolCall);
    let example = prompt.split("```json\n").nth(1).unwrap().trim_end().trim_end_matches("```");
    let call = AssistantMessage::of_carrier_call(Value::String(example.to_owned()));
    assert!(accept(&call, &Turn::new(Speaking::Protocol, &catalog)).is_ok(), "{example}");
}

#[test]
fn a_long_catalog_keeps_its_prompt_short() {
    let tool = |index: usize| {
        let properties: serde_json::Map<String, Value> = (0..15)
            .map(|at| (format!("property_{at}"), json!({ "type": "string", "description": "x".repeat(60) })))
            .collect();
        json!({ "name": format!("tool_{index}"), "description": "d".repeat(5_000), "input_schema": { "type": "object", "properties": properties } })
    };
    let tools: Vec<Value> = (0..500).map(tool).collect();
    let catalog = Catalog::parse(&tools, &[], &[]).unwrap();
    let prompt = protocol_prompt(&catalog, OfferedCarrier::ToolCall);
    assert!(prompt.contains("tool_499"));
    assert!(prompt.len() < 500_000, "{}", prompt.len());
}
