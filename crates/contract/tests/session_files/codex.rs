//! Session files of Codex CLI.

use insta::assert_snapshot;
use provost_contract::session_file::Format;
use serde_json::{Value, json};

use super::{read, told};

const EXAMPLE: &str = include_str!("../../../../examples/transcripts/session.codex.jsonl");

#[test]
fn the_conversation_is_what_stands_after_the_last_line() {
    assert_eq!(Format::detect(EXAMPLE), Some(Format::Codex));
    let session = read(Format::Codex, EXAMPLE);
    assert_eq!(session.id.as_deref(), Some("5e551000-0000-7000-8000-000000000002"));
    assert_snapshot!(told(&session), @r#"
    system: You keep the harbour.
    user: Which berths were free last week?
    user: Before this: berth 2 was free.
    user: And today? This is the map:
    user: (image)
    assistant: (reasoning)
      calls "call_north" "exec_command" {"cmd":"cat north.txt"}
      calls "call_south" "exec_command" {"cmd":"cat south.txt"}
      answers "call_north" "berth 4: free"
      answers "call_south" "cat: south.txt: No such file"
      calls "call_patch" "apply_patch" {"input":"*** Begin Patch\n*** Add File: free.txt\n+4\n*** End Patch"}
      answers "call_patch" "{\"output\":\"Success\",\"metadata\":{\"exit_code\":0}}"
    assistant: Berth 4 is free.
    user: Tell the crew.
      calls "call_tell" "local_shell" {"type":"exec","command":["mail","crew"]}
    left out:
      1 session_meta from line 1: bookkeeping
      1 event_msg/task_started from line 2: bookkeeping
      2 response_item/message from line 3: summarised
      1 response_item/function_call from line 5: summarised
      1 response_item/function_call_output from line 6: summarised
      1 event_msg/context_compacted from line 8: bookkeeping
      1 turn_context from line 9: bookkeeping
      1 event_msg/user_message from line 11: bookkeeping
      1 event_msg/agent_reasoning from line 12: bookkeeping
      1 event_msg/token_count from line 18: bookkeeping
      1 response_item/ghost_snapshot from line 21: bookkeeping
      2 response_item/message from line 23: taken_back
      1 event_msg/thread_rolled_back from line 25: bookkeeping
      1 event_msg/turn_aborted from line 28: bookkeeping
      1 tide_table from line 29: unknown_kind
    "#);
}

fn session(lines: &[Value]) -> String {
    let text = super::lines::text(lines);
    assert_eq!(Format::detect(&text), Some(Format::Codex));
    told(&read(Format::Codex, &text))
}

fn item(payload: Value) -> Value {
    json!({ "timestamp": "2026-01-05T08:00:00Z", "type": "response_item", "payload": payload })
}

fn said(role: &str, text: &str) -> Value {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    json!({ "type": "message", "role": role, "content": [{ "type": kind, "text": text }] })
}

#[test]
fn early_files_hold_bare_items() {
    let lines = [
        json!({ "id": "s", "timestamp": "2025-08-01T08:00:00Z", "instructions": null, "git": {} }),
        json!({ "record_type": "state" }),
        said("user", "Which berths are free?"),
        json!({ "type": "local_shell_call", "id": "lsh_1", "call_id": null, "status": "completed",
                "action": { "type": "exec", "command": ["cat", "north.txt"] } }),
        json!({ "type": "function_call_output", "call_id": "lsh_1", "output": { "content": "berth 4", "success": true } }),
        json!({ "record_type": "state" }),
        said("assistant", "Berth 4."),
    ];
    assert_snapshot!(session(&lines), @r#"
    user: Which berths are free?
      calls "lsh_1" "local_shell" {"type":"exec","command":["cat","north.txt"]}
      answers "lsh_1" "berth 4"
    assistant: Berth 4.
    left out:
      1 header from line 1: bookkeeping
      2 state from line 2: bookkeeping
    "#);
}

/// Early versions tell only the summary of a compaction.
#[test]
fn a_summary_stands_behind_what_the_assistant_was_told() {
    let lines = [
        item(said("user", "one")),
        item(said("assistant", "two")),
        json!({ "type": "compacted", "payload": { "message": "the summary" } }),
        item(said("assistant", "three")),
    ];
    assert_snapshot!(session(&lines), @"
    user: one
    user: the summary
    assistant: three
    left out:
      1 response_item/message from line 2: summarised
    ");
}

/// What Codex says in the user's name is no turn of the user; taking back nothing changes nothing.
#[test]
fn turns_are_taken_back_from_the_end() {
    let back = |turns: u64| {
        let event =
            json!({ "type": "event_msg", "payload": { "type": "thread_rolled_back", "num_turns": turns } });
        let lines = [
            item(said("user", "<environment_context>here</environment_context>")),
            item(said("user", "one")),
            item(said("assistant", "two")),
            item(said("user", "three")),
            event,
        ];
        read(Format::Codex, &super::lines::text(&lines)).body["input"].as_array().map_or(0, Vec::len)
    };
    assert_eq!([back(0), back(1), back(2), back(9)], [4, 3, 1, 1]);
}

#[test]
fn tools_of_its_own_are_plain_calls() {
    let lines = [
        item(said("user", "find a tool")),
        item(
            json!({ "type": "tool_search_call", "call_id": "c", "execution": "client", "arguments": { "query": "tide" } }),
        ),
        item(
            json!({ "type": "tool_search_output", "call_id": "c", "status": "completed", "tools": [{ "name": "tide" }] }),
        ),
        item(
            json!({ "type": "web_search_call", "status": "completed", "action": { "type": "search", "query": "tide" } }),
        ),
    ];
    assert_snapshot!(session(&lines), @r#"
    user: find a tool
      calls "c" "tool_search" {"query":"tide"}
      answers "c" "[{\"name\":\"tide\"}]"
    assistant: (web_search_call)
    left out:
    "#);
}
