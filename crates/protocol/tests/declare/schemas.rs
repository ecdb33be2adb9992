//! The committed schemas are the generated ones, and agree with what is read.

use std::fs;
use std::path::PathBuf;

use fastrand::Rng;
use provost_protocol::schemas::{flat_schema, full_schema};
use provost_protocol::{
    ArgumentSchema, AssistantMessage, Speaking, Turn, Written, accept, write_declaration,
};
use serde_json::{Value, json};

use super::generate::{flat, message};
use super::world::{catalog, graph, read, say};

#[test]
fn the_committed_schemas_are_up_to_date() {
    for (name, schema) in [("flat", flat_schema()), ("full", full_schema())] {
        let path = format!("../../docs/schemas/agent-protocol.{name}.schema.json");
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path);
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == format!("{schema:#}\n"), "{} is old: run cargo xtask generate", path.display());
    }
}

fn block_of(text: &str) -> Value {
    let block = text.split("agent-protocol\n").nth(1).unwrap().split("\n```").next().unwrap();
    serde_json::from_str(block).unwrap()
}

#[test]
fn whatever_is_accepted_without_a_violation_fits_the_schema() {
    let (flat_form, full_form) =
        (ArgumentSchema::compile(&flat_schema()).unwrap(), ArgumentSchema::compile(&full_schema()).unwrap());
    let turn = Turn::new(Speaking::Protocol, catalog());
    for seed in 0..300 {
        let text = message(&mut Rng::with_seed(seed));
        if say(&text).is_ok_and(|accepted| accepted.violations.is_empty()) {
            assert_eq!(full_form.faults(&block_of(&text)), [], "{text}");
        }
        let arguments = flat(&mut Rng::with_seed(seed));
        let Ok(accepted) = accept(&AssistantMessage::of_carrier_call(arguments.clone()), &turn) else {
            continue;
        };
        if accepted.violations.is_empty() {
            assert_eq!(flat_form.faults(&arguments), [], "{arguments}");
        }
        if let Some(Written::Arguments(written)) = write_declaration(&accepted) {
            assert_eq!(flat_form.faults(&written), [], "{written}");
        }
    }
}

#[test]
fn what_has_another_shape_does_not_fit() {
    let full_form = ArgumentSchema::compile(&full_schema()).unwrap();
    assert_eq!(full_form.faults(&graph(json!([read("a", json!({}))]))), []);
    for wrong in [
        json!({ "depend_on": [] }),
        json!({ "repeat": { "max": 21 } }),
        json!({ "failure_policy": "pray" }),
        json!({ "policies": { "mood": "good" } }),
        json!({ "prompt_ref": "action:a.summary" }),
        json!({ "id": "a b" }),
    ] {
        assert_ne!(full_form.faults(&graph(json!([read("a", wrong.clone())]))), [], "{wrong}");
    }
}
