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

/// The first block of JSON in a text.
fn block(text: &str) -> &str {
    let (_, rest) = text.split_once("```json\n").unwrap();
    rest.split("\n```\n").next().unwrap()
}

#[test]
fn the_examples_are_accepted() {
    let tools = ["fs/list", "fs/read", "fs/search", "fs/write"].map(
        |name| json!({ "name": name, "capabilities": ["search"], "input_schema": { "type": "object" } }),
    );
    let agents = [json!({ "name": "reviewer", "capabilities": ["review"] })];
    let operations = ["wait", "merge", "checkpoint", "summarize", "expand_ref"]
        .map(|name| json!({ "type": "runtime", "name": name }));
    let catalog = Catalog::parse(&tools, &agents, &operations).unwrap();
    let turn = Turn::new(Speaking::Protocol, &catalog);
    let page = page();
    let read = |example: &str| {
        accept(&AssistantMessage::of_carrier_call(Value::String(example.to_owned())), &turn).unwrap()
    };
    let flat = read(block(page.split_once("## The flat form").unwrap().1));
    assert_eq!((flat.content.actions().len(), flat.violations), (3, vec![]));
    for (mark, count) in [("<!-- runs -->\n", 9), ("<!-- plans -->\n", 3)] {
        let examples: Vec<&str> = page.split(mark).skip(1).collect();
        assert_eq!(examples.len(), count, "{mark}");
        for example in examples {
            assert!(example.starts_with("```json\n"), "{mark} stands above a block: {example:.60}");
            assert_eq!(read(block(example)).violations, vec![], "{example:.400}");
        }
    }
    let full = page.split("````markdown\n").nth(1).unwrap().split("````").next().unwrap();
    let full = accept(&AssistantMessage::of_text(full), &turn).unwrap();
    assert_eq!((full.content.actions().len(), full.violations), (2, vec![]));
    assert_eq!(full.user_visible.as_deref(), Some("I am reviewing the toolbar."));
}
