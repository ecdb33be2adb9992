//! What a model reads when its message is refused.

use provost_protocol::{AssistantMessage, Speaking, Turn, accept};
use serde_json::json;

use super::world::{call, catalog, direct, fenced, graph, say};

#[test]
fn several_things_wrong_in_a_block() {
    let declaration = graph(json!([
        { "type": "action", "id": "look", "executor": { "type": "tool", "target": "fs_raed" } },
        { "type": "action", "id": "sum", "executor": { "type": "tool", "target": "fs_read" },
          "input": { "path": "a", "count": "many" }, "depends_on": ["Look", "nothing"] },
    ]));
    insta::assert_snapshot!(say(&format!("Here:\n\n{}", fenced(&declaration))).unwrap_err().message);
}

#[test]
fn a_direct_call_with_an_effect() {
    insta::assert_snapshot!(direct("fs_write", json!({ "path": "a" })).unwrap_err().message);
}

#[test]
fn a_declaration_in_plain_words() {
    insta::assert_snapshot!(say(r#"{"kind": "done"}"#).unwrap_err().message);
}

#[test]
fn broken_json_in_a_call() {
    insta::assert_snapshot!(call(json!("{\"kind\": \"act\",\n \"calls\": [}")).unwrap_err().message);
}

#[test]
fn the_last_attempt() {
    let mut turn = Turn::new(Speaking::Protocol, catalog());
    turn.attempt = 2;
    insta::assert_snapshot!(accept(&AssistantMessage::of_text(" "), &turn).unwrap_err().message);
}
