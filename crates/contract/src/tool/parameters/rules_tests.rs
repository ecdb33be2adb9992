use serde_json::{Value, json};

use super::ParameterRules;
use crate::json::Object;

fn object(value: Value) -> Object {
    value.as_object().cloned().unwrap()
}

fn rules(declaration: Value) -> ParameterRules {
    ParameterRules::read(&object(declaration))
}

fn redacted(declaration: Value, parameters: Value) -> Value {
    rules(declaration).redact(&object(parameters)).to_value()
}

fn built(declaration: Value) -> Value {
    rules(declaration).build(&Object::new(), &Object::new()).into()
}

fn missing(declaration: Value) -> Vec<String> {
    rules(declaration).check_required(&Object::new()).missing
}

#[test]
fn a_list_of_required_members_does_not_require_their_object() {
    let nested = |required: Value| json!({"parameters": {"properties": {"opts": {"required": required}}}});
    assert!(missing(nested(json!(["depth"]))).is_empty());
    assert_eq!(missing(nested(json!(true))), ["opts"]);
}

#[test]
fn a_hidden_default_is_missing_however_it_was_hidden() {
    let parameters = json!({"properties": {"pin": {}}, "required": ["pin"]});
    let with = |field: &str, value: Value| {
        let mut declaration =
            object(json!({"parameters": parameters, "parameter_defaults": {"pin": "1234"}}));
        declaration.insert(field.to_owned(), value);
        Value::Object(declaration)
    };
    let hidden = [
        with("sensitive_parameters", json!(["pin"])),
        with("parameter_sensitivity", json!({"pin": "high"})),
        with("parameter_bindings", json!({"pin": {"source": "context", "path": "pin", "sensitive": true}})),
        with("parameters", json!({"properties": {"pin": {"writeOnly": true}}, "required": ["pin"]})),
    ];
    for declaration in hidden {
        assert_eq!(built(declaration.clone()), json!({}), "{declaration}");
        assert_eq!(missing(declaration), ["pin"]);
    }
    assert_eq!(built(with("note", json!("nothing is sensitive here"))), json!({"pin": "1234"}));
}

#[test]
fn a_default_loses_only_the_members_that_are_hidden() {
    let declaration = json!({
        "parameter_defaults": {"opts": {"password": "p", "depth": 2}, "codes": ["a", "b"], "tags": ["a"]},
        "sensitive_parameters": ["codes.1"],
    });
    assert_eq!(built(declaration), json!({"opts": {"depth": 2}, "tags": ["a"]}));
}

#[test]
fn the_default_of_a_binding_is_hidden_like_any_other() {
    let binding = |sensitive: bool| json!({"parameter_bindings": {"pin": {"source": "context", "path": "pin", "sensitive": sensitive, "default": "1234"}}});
    assert_eq!(
        rules(binding(true)).bindings().to_value(),
        json!({"pin": {"source": "context", "path": "pin", "sensitive": true, "default": "[redacted]"}})
    );
    assert_eq!(built(binding(true)), json!({}));
    assert_eq!(built(binding(false)), json!({"pin": "1234"}));
}

#[test]
fn without_a_value_of_its_own_the_host_removes_the_callers() {
    let declaration = json!({
        "parameter_bindings": {"token": {"source": "context", "path": "token", "authoritative": true, "default": "t"}},
    });
    let caller = object(json!({"token": "mine"}));
    assert!(rules(declaration.clone()).build(&caller, &Object::new()).is_empty());
    assert_eq!(
        rules(declaration).build(&caller, &object(json!({"token": "host's"}))),
        object(json!({"token": "host's"}))
    );
}

#[test]
fn every_level_but_a_harmless_one_is_sensitive() {
    let show = |level: Value| redacted(json!({"parameter_sensitivity": {"pin": level}}), json!({"pin": 1}));
    for level in [json!("high"), json!("low"), json!(2), json!({"level": "x"}), json!(true)] {
        assert_eq!(show(level.clone()), json!({"pin": "[redacted]"}), "{level}");
    }
    for level in [json!(false), json!(null), json!(" None "), json!("public")] {
        assert_eq!(show(level.clone()), json!({"pin": 1}), "{level}");
    }
}

#[test]
fn marks_are_found_behind_references_at_any_depth() {
    let declaration = json!({"parameters": {
        "properties": {"tree": {"$ref": "#/$defs/tree"}},
        "$defs": {
            "tree": {"properties": {"leaf": {"anyOf": [{"$ref": "#/$defs/leaf"}]}, "next": {"$ref": "#/$defs/tree"}}},
            "leaf": {"type": "string", "format": "password"},
        },
    }});
    assert_eq!(
        redacted(
            declaration.clone(),
            json!({"tree": {"leaf": "a", "next": {"next": {"leaf": "b", "size": 1}}}})
        ),
        json!({"tree": {"leaf": "[redacted]", "next": {"next": {"leaf": "[redacted]", "size": 1}}}})
    );
    assert_eq!(rules(declaration).sensitive_paths(), ["tree.leaf", "tree.next.leaf"]);
}

#[test]
fn every_mark_is_listed_also_inside_a_marked_value() {
    let declaration = json!({"parameters": {"properties": {"card": {
        "secret": true,
        "properties": {"pin": {"writeOnly": true}, "name": {"type": "string"}},
    }}}});
    assert_eq!(rules(declaration).sensitive_paths(), ["card", "card.pin"]);
}

#[test]
fn marks_count_in_a_plain_map_in_patterns_and_on_the_whole() {
    let map = json!({"parameters": {"pin": {"secret": true}, "who": {"type": "string"}}});
    assert_eq!(redacted(map, json!({"pin": 1, "who": 2})), json!({"pin": "[redacted]", "who": 2}));
    let patterns = json!({"parameters": {
        "properties": {"env": {"patternProperties": {"^X": {"writeOnly": true}}}},
        "additionalProperties": {"x-sensitive": "high"},
    }});
    assert_eq!(
        redacted(patterns, json!({"env": {"X1": 1}, "else": 2})),
        json!({"env": {"X1": "[redacted]"}, "else": "[redacted]"})
    );
    let whole = json!({"parameters": {"writeOnly": true, "properties": {}}});
    assert_eq!(redacted(whole, json!({"a": 1, "b": {}})), json!({"a": "[redacted]", "b": "[redacted]"}));
}

#[test]
fn a_path_may_name_an_index_and_a_name_with_dots() {
    let declaration = json!({"sensitive_parameters": ["people.1", "a.b.c"]});
    assert_eq!(
        redacted(declaration, json!({"people": ["x", "y"], "a.b": {"c": 1, "d": 2}})),
        json!({"people": ["x", "[redacted]"], "a.b": {"c": "[redacted]", "d": 2}})
    );
}

#[test]
fn a_malformed_binding_fills_nothing_and_still_hides() {
    let declaration = json!({"parameter_bindings": {"pin": {"sensitive": true}, "who": "context.who"}});
    let context = object(json!({"who": "w"}));
    assert!(rules(declaration.clone()).build(&Object::new(), &context).is_empty());
    assert_eq!(redacted(declaration, json!({"pin": 1, "who": 2})), json!({"pin": "[redacted]", "who": 2}));
}

#[test]
fn the_schema_keeps_no_example_of_a_hidden_value() {
    let schema = |name: &str| {
        rules(json!({"parameters": {
            "properties": {
                name: {"$ref": "#/$defs/text"},
                "opts": {"default": {"password": "p", "depth": 2}, "examples": [{"cookie": "c"}]},
                "default": {"type": "string", "default": "shown"},
            },
            "$defs": {"text": {"type": "string", "enum": ["a"], "default": "a"}},
        }}))
        .schema()
    };
    assert_eq!(
        Value::Object(schema("api_key")),
        json!({
            "properties": {
                "api_key": {"$ref": "#/$defs/text"},
                "opts": {"default": {"depth": 2}, "examples": [{}]},
                "default": {"type": "string", "default": "shown"},
            },
            "$defs": {"text": {"type": "string", "enum": ["a"]}},
        })
    );
    assert_eq!(schema("title")["$defs"]["text"]["default"], json!("a"));
}

#[test]
fn a_schema_that_unfolds_without_end_is_walked_for_a_while_only() {
    // Each level refers twice to the next, so the places to visit double with every level.
    let mut definitions = Object::new();
    for level in 0..40 {
        let next = json!({"$ref": format!("#/$defs/{}", level + 1)});
        definitions.insert(level.to_string(), json!({"properties": {"a": next, "b": next}, "default": "x"}));
    }
    definitions.insert("40".into(), json!({"writeOnly": true}));
    let declaration =
        json!({"parameters": {"properties": {"root": {"$ref": "#/$defs/0"}}, "$defs": definitions}});
    let schema = rules(declaration).schema();
    assert_eq!(schema["$defs"]["7"].get("default"), None);
}

#[test]
fn a_path_of_stars_does_not_multiply() {
    let nested = |leaf: &str| (0..60).fold(json!(leaf), |inner, _| json!({ "*": inner }));
    let path = vec!["*"; 60].join(".");
    let declaration = json!({ "sensitive_parameters": [path] });
    assert_eq!(redacted(declaration, nested("leaf")), nested("[redacted]"));
}
