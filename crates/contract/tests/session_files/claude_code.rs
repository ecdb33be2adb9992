//! Session files of Claude Code.

use insta::assert_snapshot;
use provost_contract::session_file::Format;
use serde_json::{Value, json};

use super::{read, told};

const EXAMPLE: &str = include_str!("../../../../examples/transcripts/session.claude-code.jsonl");

#[test]
fn the_conversation_is_the_road_to_the_last_message() {
    assert_eq!(Format::detect(EXAMPLE), Some(Format::ClaudeCode));
    let session = read(Format::ClaudeCode, EXAMPLE);
    assert_eq!(session.id.as_deref(), Some("5e551000-0000-4000-8000-000000000001"));
    assert_snapshot!(told(&session), @r#"
    user: Before this: the user asked for free berths, and the old list was read.
    user: Look at both lists. This is the map:
    user: (image)
    assistant: (thinking)
    assistant: I read both.
      calls "toolu_north" "Read" {"file_path":"/srv/harbour/north.txt"}
      calls "toolu_south" "Read" {"file_path":"/srv/harbour/south.txt"}
      answers "toolu_north" "berth 4: free"
      answers "toolu_south" failed "no such file"
    assistant: Berth 4 is free. I note it down.
      calls "toolu_note" "Bash" {"command":"echo 4 >> free.txt"}
    user: [Request interrupted by user]
    left out:
      1 summary from line 1: bookkeeping
      1 file-history-snapshot from line 2: bookkeeping
      1 user from line 3: summarised
      1 assistant from line 4: summarised
      1 system/compact_boundary from line 5: bookkeeping
      1 assistant from line 8: other_branch
      1 progress from line 13: bookkeeping
      1 user from line 16: sub_agent
      1 assistant from line 17: sub_agent
      1 assistant from line 18: service_error
      1 attachment from line 19: attached
      1 tide-table from line 23: unknown_kind
    "#);
}

/// A line of somebody who says a text.
fn said(kind: &str, uuid: &str, parent: Option<&str>, text: &str) -> Value {
    json!({ "type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s",
            "message": { "role": kind, "content": text } })
}

fn with(mut line: Value, key: &str, value: Value) -> Value {
    line[key] = value;
    line
}

fn session(lines: &[Value]) -> String {
    told(&read(Format::ClaudeCode, &super::lines::text(lines)))
}

#[test]
fn a_file_without_parents_is_read_as_it_stands() {
    let lines = [said("user", "a", None, "one"), said("assistant", "b", None, "two")];
    assert_snapshot!(session(&lines), @"
    user: one
    assistant: two
    left out:
    ");
    let line =
        json!({ "type": "user", "session_id": "s", "message": { "role": "user", "content": "streamed" } });
    assert_snapshot!(session(&[line]), @"
    user: streamed
    left out:
    ");
}

/// Lines were lost, and the file still is one conversation; a parent that is there decides.
#[test]
fn a_missing_parent_is_the_message_before() {
    let (one, two) = (said("user", "a", None, "one"), said("assistant", "b", Some("a"), "two"));
    let lost = [one.clone(), two.clone(), said("user", "c", Some("gone"), "three")];
    assert_snapshot!(session(&lost), @"
    user: one
    assistant: two
    user: three
    left out:
    ");
    let branched = [one, two, said("user", "c", Some("a"), "three")];
    assert_snapshot!(session(&branched), @"
    user: one
    user: three
    left out:
      1 assistant from line 2: other_branch
    ");
}

/// The file of a sub-agent is its own conversation; beside another one it is none.
#[test]
fn a_sub_agent_counts_only_when_alone() {
    let side = |line: Value| with(line, "isSidechain", json!(true));
    let (one, two) = (side(said("user", "a", None, "one")), side(said("assistant", "b", Some("a"), "two")));
    assert_snapshot!(session(&[one.clone(), two.clone()]), @"
    user: one
    assistant: two
    left out:
    ");
    let beside = [said("user", "m", None, "main"), one, two, said("assistant", "n", Some("m"), "end")];
    assert_snapshot!(session(&beside), @"
    user: main
    assistant: end
    left out:
      1 user from line 2: sub_agent
      1 assistant from line 3: sub_agent
    ");
}

#[test]
fn what_a_compaction_kept_stands_behind_the_summary() {
    let boundary = json!({ "type": "system", "subtype": "compact_boundary", "uuid": "x", "parentUuid": null,
        "compactMetadata": { "preservedSegment": { "headUuid": "c", "anchorUuid": "y", "tailUuid": "c" } } });
    let lines = [
        said("user", "a", None, "one"),
        said("assistant", "b", Some("a"), "two"),
        said("user", "c", Some("b"), "three"),
        boundary,
        said("user", "y", Some("x"), "summary"),
        said("assistant", "d", Some("c"), "four"),
    ];
    assert_snapshot!(session(&lines), @"
    user: summary
    user: three
    assistant: four
    left out:
      1 user from line 1: summarised
      1 assistant from line 2: summarised
      1 system/compact_boundary from line 4: bookkeeping
    ");
}

#[test]
fn an_answer_is_put_together_and_says_nothing_twice() {
    let piece = |uuid: &str, parent: &str, block: Value| {
        json!({ "type": "assistant", "uuid": uuid, "parentUuid": parent,
                "message": { "id": "msg", "role": "assistant", "content": [block] } })
    };
    let call = |input: Value| json!({ "type": "tool_use", "id": "t", "name": "Read", "input": input });
    let text = json!({ "type": "text", "text": "I look." });
    let lines = [
        said("user", "a", None, "look"),
        piece("b", "a", text.clone()),
        piece("c", "b", text),
        piece("d", "c", call(json!({}))),
        piece("e", "d", call(json!({ "path": "x" }))),
        said("user", "a", None, "look"),
    ];
    assert_snapshot!(session(&lines), @r#"
    user: look
    assistant: I look.
      calls "t" "Read" {"path":"x"}
    left out:
      1 user from line 6: repeated
    "#);
}

#[test]
fn a_circle_ends() {
    let lines = [said("user", "a", Some("b"), "one"), said("assistant", "b", Some("a"), "two")];
    assert_snapshot!(session(&lines), @"
    user: one
    assistant: two
    left out:
    ");
}
