//! The readable specification names every word a reader may meet, and its examples are accepted.

use std::fs;
use std::path::PathBuf;

use provost_protocol::{AssistantMessage, Catalog, Code, Intent, Speaking, Turn, Violation, accept};
use serde_json::{Value, json};
use strum::VariantArray as _;

fn page() -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/protocol.md");
    fs::read_to_string(path).unwrap()
}

#[test]
fn every_code_violation_and_intent_is_documented() {
    let page = page();
    let violations = [
        Violation::ProtocolNotEnabled,
        Violation::ExtraFencedBlockIgnored,
        Violation::WrappedArguments,
        Violation::StringifiedCalls,
        Violation::FieldAlias("x"),
        Violation::UnknownField(String::new()),
        Violation::UnusedCalls,
        Violation::NoneDependencySentinel,
        Violation::TaskToolAsDelegation,
        Violation::DependsOnString,
        Violation::DirectToolCall,
        Violation::DirectDelegation,
        Violation::TextToolCall,
    ];
    let codes = Code::VARIANTS.iter().map(|code| <&str>::from(*code));
    let intents = Intent::VARIANTS.iter().map(|intent| <&str>::from(*intent));
    for word in codes.chain(intents).chain(violations.iter().map(Violation::kind)) {
        assert!(page.contains(&format!("`{word}")), "docs/protocol.md does not speak of {word}");
    }
}

#[test]
fn the_examples_are_accepted() {
    let tools = ["fs/find", "fs/read"].map(
        |name| json!({ "name": name, "capabilities": ["search"], "input_schema": { "type": "object" } }),
    );
    let agents = [json!({ "name": "reviewer", "capabilities": ["review"] })];
    let catalog = Catalog::parse(&tools, &agents, &[]).unwrap();
    let turn = Turn::new(Speaking::Protocol, &catalog);
    let page = page();
    let flat = page.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    let flat = accept(&AssistantMessage::of_carrier_call(Value::String(flat.to_owned())), &turn).unwrap();
    assert_eq!((flat.content.actions().len(), flat.violations), (3, vec![]));
    let examples: Vec<&str> = page.split("```json\n").skip(2).collect();
    assert_eq!(examples.len(), 2);
    for example in examples {
        let example = example.split("```").next().unwrap();
        let read =
            accept(&AssistantMessage::of_carrier_call(Value::String(example.to_owned())), &turn).unwrap();
        assert_eq!((read.content.actions().len(), read.violations), (2, vec![]));
    }
    let full = page.split("````markdown\n").nth(1).unwrap().split("````").next().unwrap();
    let full = accept(&AssistantMessage::of_text(full), &turn).unwrap();
    assert_eq!((full.content.actions().len(), full.violations), (2, vec![]));
    assert_eq!(full.user_visible.as_deref(), Some("I am reviewing the toolbar."));
}
