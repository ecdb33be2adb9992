//! Texts made to keep a parser busy. Each is long enough that anything but linear work would never end.

use provost_protocol::{AssistantMessage, Code, Speaking, Turn, accept, check};
use serde_json::{Value, json};

use super::world::{call, catalog, fenced, graph, read, refused, say};

const BYTES: usize = 1 << 16;

fn repeated(piece: &str) -> String {
    piece.repeat(BYTES / piece.len())
}

#[test]
fn repeated_pieces_are_read_in_passing() {
    for piece in [
        "`",
        "```\n",
        "````json agent-protocol\n",
        "~~~\n```\n",
        "#",
        "# a\n",
        "###### a\n# b\n",
        "> ",
        "> > ```json agent-protocol\n",
        "- ",
        "- a\n  ",
        "[",
        "[a](",
        "*a **a ",
        "_",
        "<",
        "<a ",
        "<!--",
        "&",
        "\\",
        "<think>",
        "</think>",
        "<think></think>",
        "<invoke ",
        "<invoke name=\"fs_read\">",
        "<invoke name=\"fs_read\"></invoke>",
        "tool fs_read <<'JSON'\n",
        "JSON\n",
        "```shell\ntool fs_read <<'JSON'\nJSON\n```\n",
        "AgentProtocolOutput(",
        "[TOOL_CALL]",
        "`<invoke `",
        "{\"a\":",
        "\u{301}",
        "\u{0}",
        "\r",
    ] {
        let text = repeated(piece);
        let _ = say(&text);
        let _ = check(&text, catalog());
        let _ = call(Value::String(text));
    }
}

#[test]
fn many_dependencies_are_counted_once() {
    let ids: Vec<String> = (0..900).map(|index| format!("n{index}")).collect();
    let chain: Vec<Value> = (0..ids.len())
        .map(|at| {
            let before = &ids[at.saturating_sub(200)..at];
            let context: Vec<String> = before.iter().map(|id| format!("action:{id}.output")).collect();
            read(&ids[at], json!({ "depends_on": before, "context_refs": context }))
        })
        .collect();
    let mut turn = Turn::new(Speaking::Protocol, catalog());
    turn.limits.declaration_bytes_max = usize::MAX;
    turn.limits.depth_max = 1_000;
    let message = AssistantMessage::of_carrier_call(graph(chain.into()));
    assert!(accept(&message, &turn).is_ok());
    turn.limits.depth_max = 899;
    refused(accept(&message, &turn), Code::LimitExceeded);
}

#[test]
fn many_references_are_checked_in_passing() {
    let many = |reference: &str| -> Value { (0..20_000).map(|_| json!({ "$ref": reference })).collect() };
    let second = |input: Value| {
        let action = read("b", json!({ "depends_on": ["a"], "input": input }));
        call(graph(json!([read("a", json!({})), action])))
    };
    refused(second(json!({ "path": many("action:a.output") })), Code::InvalidArguments);
    refused(second(json!({ "path": "x", "more": many("action:b.output") })), Code::InvalidArguments);
    assert!(second(json!({ "path": { "$literal": "x" }, "count": { "$ref": "item" } })).is_err());
    let clock = json!({ "type": "tool", "target": "clock" });
    let open = |reference: &str| {
        let action =
            read("b", json!({ "depends_on": ["a"], "executor": clock, "input": { "all": many(reference) } }));
        call(graph(json!([read("a", json!({})), action])))
    };
    assert!(open("action:a.output").is_ok());
    refused(open("item"), Code::UnresolvedReference);
}

#[test]
fn unknown_fields_and_shared_resources_are_counted_once() {
    let fields: serde_json::Map<String, Value> =
        (0..40_000).map(|at| (format!("x{at}"), json!(at))).collect();
    let mut declaration = graph(json!([read("a", Value::Object(fields))]));
    declaration["version"] = json!("1.1");
    assert_eq!(call(declaration).unwrap().violations.len(), 40_000);
    let names: Vec<String> = (0..40).map(|at| format!("file:{at}")).collect();
    let action = |at: usize| {
        let before: Vec<String> = (0..at).rev().take(1).map(|at| format!("n{at}")).collect();
        let policies = json!({ "conflict_resolution": "refuse" });
        read(&format!("n{at}"), json!({ "depends_on": before, "resources": names, "policies": policies }))
    };
    assert!(call(graph((0..400).map(action).collect())).is_ok());
}

#[test]
fn everything_that_can_grow_has_a_limit() {
    let many = |count: usize| (0..count).map(|at| read(&format!("n{at}"), json!({}))).collect::<Value>();
    assert!(call(graph(many(1_000))).is_ok());
    refused(call(graph(many(1_001))), Code::LimitExceeded);

    let long = |bytes: usize| call(json!({ "kind": "answer", "message": "x".repeat(bytes) }));
    assert!(long(1_000_000).is_ok());
    refused(long(1 << 20), Code::LimitExceeded);

    // One section, referenced again and again, must not become as many copies.
    let section = "x".repeat(100_000);
    let referenced = |times: usize| {
        let actions = (0..times).map(|at| read(&format!("n{at}"), json!({ "prompt_ref": "md:big" })));
        say(&format!("{}\n# big\n\n{section}", fenced(&graph(actions.collect()))))
    };
    assert!(referenced(40).is_ok());
    refused(referenced(50), Code::LimitExceeded);
}

#[test]
fn a_refusal_stays_short_however_much_is_wrong() {
    let bad: Value = (0..500)
        .map(|at| json!({ "type": "action", "id": format!("n{at}"), "x": "y".repeat(500) }))
        .collect();
    let refused = call(graph(bad)).unwrap_err();
    assert_eq!(refused.findings.len(), 50);
    assert!(refused.message.len() < 10_000, "{}", refused.message.len());
}
