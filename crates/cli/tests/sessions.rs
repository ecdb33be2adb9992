//! Sessions of other programs, brought in by `provost import`.

use std::fs;

use super::world::World;

const EXAMPLES: [(&str, &str); 2] = [
    (
        "claude_code",
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/transcripts/session.claude-code.jsonl"),
    ),
    ("codex", concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/transcripts/session.codex.jsonl")),
];

const REQUEST: (&str, &str) = (
    "anthropic",
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/transcripts/interrupted.anthropic.json"),
);

/// Each example was interrupted, and says so; repaired, every provider takes it.
#[test]
fn an_interrupted_session_goes_on_anywhere() {
    let world = World::new();
    for (format, file) in EXAMPLES.into_iter().chain([REQUEST]) {
        let check = world.provost(&["import", file, "--check"]);
        assert_eq!(check.code, 1, "{format}");
        insta::assert_snapshot!(
            format!("session_{format}_check"),
            format!("{}{}", check.stdout, check.stderr)
        );
        for provider in ["anthropic", "openai_chat", "openai_responses", "gemini"] {
            let repaired = world.provost(&["import", file, "--repair", "--to", provider]);
            assert_eq!(repaired.code, 0, "{format} to {provider}: {}", repaired.stderr);
            assert!(repaired.stderr.contains("repaired: wrote_result"), "{}", repaired.stderr);
            fs::write(world.path("repaired.json"), &repaired.stdout).unwrap();
            let check = world.provost(&["import", "repaired.json", "--from", provider, "--check"]);
            assert_eq!(check.code, 0, "{format} to {provider}: {}", check.stdout);
        }
    }
}

/// What is left out is told also where a machine reads the rest.
#[test]
fn nothing_is_left_out_in_silence() {
    let world = World::new();
    for (format, file) in EXAMPLES {
        let printed = world.provost(&["import", file, "--from", format, "--json"]);
        assert_eq!(printed.code, 0, "{}", printed.stderr);
        let messages: Vec<serde_json::Value> = serde_json::from_str(&printed.stdout).unwrap();
        assert!(!messages.is_empty());
        assert!(printed.stderr.contains("a kind of line this version does not know"), "{}", printed.stderr);
    }
}

/// What a terminal would obey comes through whole, and is never written as such.
#[test]
fn a_transcript_comes_out_letter_by_letter() {
    let world = World::new();
    let said = "gone\u{202e}\u{9b}2J\u{1b}[0m";
    let line =
        serde_json::json!({ "type": "user", "uuid": "a", "message": { "role": "user", "content": said } });
    fs::write(world.path("odd.jsonl"), line.to_string()).unwrap();
    for words in [&["import", "odd.jsonl", "--repair"][..], &["import", "odd.jsonl", "--repair", "--json"]] {
        let printed = world.provost(words);
        let body: serde_json::Value = serde_json::from_str(&printed.stdout).unwrap();
        assert_eq!(body["messages"][0]["content"][0]["text"], said, "{}", printed.stdout);
        assert!(!printed.stdout.contains(['\u{202e}', '\u{9b}', '\u{1b}']), "{}", printed.stdout);
    }
}

/// A line that was cut is refused by its number; `--repair` goes on without it; whole, nothing is said.
#[test]
fn a_cut_line_is_named() {
    let world = World::new();
    let good = r#"{"type":"user","uuid":"a","parentUuid":null,"message":{"role":"user","content":"hello"}}"#;
    fs::write(world.path("cut.jsonl"), format!("{good}\n{}\n", &good[..40])).unwrap();
    fs::write(world.path("whole.jsonl"), format!("{good}\n")).unwrap();
    let refused = world.provost(&["import", "cut.jsonl"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
    insta::assert_snapshot!(refused.stderr, @"
    error[PV0012]: cut.jsonl: invalid_session_line: lines.2 must be one JSON object: invalid_json: EOF while parsing a value at line 1 column 40
    try: --repair leaves such lines out, and says so
    more: provost explain PV0012
    ");
    let repaired = world.provost(&["import", "cut.jsonl", "--repair"]);
    assert_eq!(repaired.code, 0);
    insta::assert_snapshot!(repaired.stderr, @"left out: 1 (no kind) line, first in line 2: the line cannot be read");
    let whole = world.provost(&["import", "whole.jsonl", "--repair"]);
    assert_eq!((whole.code, whole.stderr.as_str()), (0, ""));
    assert_eq!(whole.stdout, repaired.stdout);
}

#[test]
fn what_is_no_session_is_refused() {
    let world = World::new();
    let cases = [
        ("strange.jsonl", "{\"tide\":1}\n{\"tide\":2}\n", "unknown transcript format"),
        ("silent.jsonl", "{\"type\":\"session_meta\",\"payload\":{\"id\":\"s\"}}\n", "it has no messages"),
        ("torn.json", "{\"messages\": [", "invalid_json"),
    ];
    for (file, text, why) in cases {
        fs::write(world.path(file), text).unwrap();
        let printed = world.provost(&["import", file]);
        assert_eq!(printed.code, 2, "{file}");
        assert!(printed.stderr.contains(why), "{file}: {}", printed.stderr);
    }
    let printed = world.provost(&["import", "silent.jsonl", "--from", "claude"]);
    assert!(printed.stderr.contains("there is no format `claude`"), "{}", printed.stderr);
}

/// A call that was never answered, and after it another of the same tool with its result. Without ids, or with
/// the same id, the result is the second call's.
#[test]
fn a_result_stays_with_the_step_before_it() {
    let world = World::new();
    let call =
        |path: &str| serde_json::json!({ "functionCall": { "name": "read_file", "args": { "path": path } } });
    let gemini = serde_json::json!({ "contents": [
        { "role": "user", "parts": [{ "text": "read a.txt" }] },
        { "role": "model", "parts": [call("a.txt")] },
        { "role": "user", "parts": [{ "text": "no, stop. read b.txt instead" }] },
        { "role": "model", "parts": [call("b.txt")] },
        { "role": "user", "parts": [{ "functionResponse": { "name": "read_file", "response": { "output": "CONTENT OF B" } } }] },
    ] });
    let call = |path: &str| {
        let function =
            serde_json::json!({ "name": "read_file", "arguments": format!("{{\"path\":\"{path}\"}}") });
        serde_json::json!({ "role": "assistant", "tool_calls": [{ "id": "call_1", "type": "function", "function": function }] })
    };
    let chat = serde_json::json!({ "messages": [
        { "role": "user", "content": "read a.txt" },
        call("a.txt"),
        { "role": "user", "content": "no, stop. read b.txt instead" },
        call("b.txt"),
        { "role": "tool", "tool_call_id": "call_1", "content": "CONTENT OF B" },
    ] });
    for (format, body) in [("gemini", gemini), ("openai_chat", chat)] {
        fs::write(world.path("t.json"), body.to_string()).unwrap();
        let repaired =
            world.provost(&["import", "t.json", "--from", format, "--repair", "--to", "openai_chat"]);
        assert_eq!(repaired.code, 0, "{format}: {}", repaired.stderr);
        let body: serde_json::Value = serde_json::from_str(&repaired.stdout).unwrap();
        let messages = body["messages"].as_array().unwrap();
        let result_of = |path: &str| {
            let called =
                messages.iter().find(|message| message["tool_calls"].to_string().contains(path)).unwrap();
            let id = &called["tool_calls"][0]["id"];
            let result = messages.iter().find(|message| message["tool_call_id"] == *id).unwrap();
            result["content"].to_string()
        };
        assert!(result_of("b.txt").contains("CONTENT OF B"), "{format}: {body}");
        assert!(result_of("a.txt").contains("interrupted"), "{format}: {body}");
    }
}
