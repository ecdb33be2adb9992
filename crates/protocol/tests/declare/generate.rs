//! Messages that are right, almost right, and not right at all.

use fastrand::Rng;
use serde_json::{Value, json};

use super::world::{fenced, graph};

/// Pieces a model's text is made of, good and bad.
const PIECES: [&str; 46] = [
    "```json agent-protocol\n",
    "```\n",
    "````\n",
    "~~~ agent-protocol\n",
    "~~~\n",
    "```shell\n",
    "## a.prompt\n",
    "# b\n\n",
    "### `A.Prompt` ###\n",
    "## user.visible\n\n",
    "title\n=====\n",
    "---\n",
    "<think>",
    "</think>",
    "<invoke name=\"fs_read\">",
    "<invoke name='fs_write'>",
    "<invoke name=\"AgentProtocolOutput\">",
    "<parameter name=\"path\">",
    "<parameter name=\"count\">7",
    "</parameter>",
    "</invoke>",
    "<function_calls>\n",
    "</function_calls>",
    "tool fs_read <<'JSON'\n",
    "tool shell <<'JSON'\n",
    "agent reader <<'JSON'\n",
    "JSON\n",
    "{\"path\":\"a\"}\n",
    "{\"name\":\"fs_read\",\"arguments\":{\"path\":\"a\"}}",
    "{\"kind\":\"act\",\"calls\":[]}",
    "[TOOL_CALL]",
    "AgentProtocolOutput({\"kind\":\"done\"})",
    "> ",
    "    ",
    "- ",
    "1. ",
    "`",
    "<!--",
    "-->",
    "<pre>\n",
    "words and more words ",
    "é漢🙂",
    "\u{0}",
    "\r\n",
    "\n",
    "\n\n",
];

/// A text of random pieces.
pub(super) fn soup(rng: &mut Rng) -> String {
    (0..rng.usize(0..24)).map(|_| PIECES[rng.usize(0..PIECES.len())]).collect()
}

/// A text with a few pieces thrown in and a few bytes taken out.
pub(super) fn disturbed(text: &str, rng: &mut Rng) -> String {
    let mut text = text.to_owned();
    for _ in 0..rng.usize(0..4) {
        let at = text.floor_char_boundary(rng.usize(0..=text.len()));
        match rng.u8(0..3) {
            0 => text.insert_str(at, PIECES[rng.usize(0..PIECES.len())]),
            1 => text.truncate(at),
            _ => {
                let end = text.ceil_char_boundary((at + rng.usize(0..12)).min(text.len()));
                text.replace_range(at..end, "");
            }
        }
    }
    text
}

/// A message with one full declaration, right in nearly all cases.
pub(super) fn message(rng: &mut Rng) -> String {
    let count = rng.usize(1..6);
    let actions: Vec<Value> = (0..count).map(|index| action(index, rng)).collect();
    let mut declaration = graph(actions.into());
    match rng.u8(0..12) {
        0 => declaration["intent"] = json!("plan"),
        1 => {
            declaration["intent"] = json!("revise");
            declaration["payload"]["run_id"] = json!("run_7");
        }
        2 => {
            declaration["intent"] = json!("expand_ref");
            declaration["payload"] = json!({ "refs": [
                { "ref": "runtime://runs/7", "reason": "more", "range": { "context_lines": 3 } },
                { "ref": "artifact:log" },
            ] });
        }
        3 => {
            declaration["intent"] = json!("decide");
            declaration["payload"] =
                json!({ "type": "decision", "run_id": "run_7", "choice": "skip", "action_id": "a0" });
        }
        4 => {
            declaration["intent"] = json!("cancel");
            declaration["payload"] = json!({ "run_id": "run_7", "reason": "no longer needed" });
        }
        5 => {
            declaration["intent"] = json!("report");
            declaration["payload"] = report(rng);
        }
        _ => {}
    }
    if rng.u8(0..6) == 0 {
        declaration["version"] = json!("1.3");
    }
    if rng.bool() {
        declaration["persist"] = json!(rng.bool());
    }
    if rng.bool() {
        declaration["title"] = json!("A title\nof two lines");
        declaration["execution"] = json!({ "strategy": "sequential" });
        declaration["response_policy"] = json!({ "style": "short" });
        declaration["policies"] = json!({ "permission_policy": "ask" });
    }
    let prose = ["", "I will look.\n\n", "<think>hm</think>"][rng.usize(0..3)];
    format!("{prose}{}{}", fenced(&declaration), sections(rng))
}

fn action(index: usize, rng: &mut Rng) -> Value {
    let executor = [
        json!({ "type": "tool", "target": "fs_read" }),
        json!({ "type": "tool", "target": "auto", "capabilities": ["filesystem"] }),
        json!({ "type": "agent", "target": "reader", "capabilities": ["review", "x"] }),
        json!({ "type": "human", "target": "ask_user" }),
        json!({ "type": "runtime" }),
        Value::Null,
    ][rng.usize(0..6)]
    .clone();
    let mut action = json!({ "type": "action", "id": format!("a{index}"), "executor": executor });
    if executor["target"] == "fs_read" {
        action["input"] = json!({ "path": "x", "count": 3 });
        if rng.u8(0..6) == 0 {
            action["input"]["path"] = json!({ "$ref": "md:b" });
        }
    }
    for key in ["title", "description", "reason", "operation"] {
        if rng.u8(0..3) == 0 {
            action[key] = json!(["words", " ", "two\nlines"][rng.usize(0..3)]);
        }
    }
    if index > 0 && rng.bool() {
        let before = format!("a{}", rng.usize(0..index));
        action["depends_on"] = if rng.bool() { json!([before, before]) } else { json!(before) };
        if rng.bool() {
            action["when"] = json!({ "action": before, "status": "failed" });
        }
        if rng.bool() {
            action["context_refs"] = json!([format!("action:{before}.output"), "input:user.goal"]);
        }
        let read_more = rng.u8(0..3) == 0;
        if read_more && action["input"].is_object() {
            action["input"]["path"] = json!({ "$ref": format!("action:{before}.output#/a~1b/0") });
        }
        if read_more && rng.bool() {
            action["for_each"] = json!({ "in": format!("artifact:{before}"), "max": 64 });
            action["input"]["count"] = json!({ "$ref": "item#/n" });
            action["input"]["path"] = json!({ "$literal": "$ref" });
        }
    }
    optional_fields(&mut action, rng);
    if !action["for_each"].is_null() {
        action["repeat"] = Value::Null;
    }
    action
}

fn optional_fields(action: &mut Value, rng: &mut Rng) {
    let choices = [
        ("prompt_ref", json!("md:a.prompt")),
        ("prompt_ref", json!("md: B ")),
        ("context_refs", json!(["md:b", "md:inner", "artifact://r/x", "runtime://r"])),
        ("result_policy", json!({ "return_to_model": "adaptive", "max_tokens": 9, "priority": ["errors"] })),
        ("result_policy", json!("none")),
        ("failure_policy", json!("retry")),
        ("failure_policy", json!({ "on_failure": "abort", "max_attempts": 3 })),
        ("persist", json!(true)),
        ("repeat", json!({ "max": 3, "until": { "field": "/done", "equals": true } })),
        ("resources", json!(["file:a", { "ref": "repo://b", "access": "read" }])),
        ("policies", json!({ "side_effects": ["read"] })),
    ];
    for (key, value) in choices {
        if rng.u8(0..4) == 0 {
            action[key] = value;
        }
    }
}

fn report(rng: &mut Rng) -> Value {
    let format = ["markdown", "json"][rng.usize(0..2)];
    json!({
        "type": "final_report_spec",
        "title": "Report",
        "audience": "everyone",
        "format": format,
        "sections": [
            { "id": "intro", "title": "Intro", "refs": ["md:b", "input:user.goal"], "required": rng.bool() },
            { "id": "body", "prompt_ref": "md:a.prompt" },
        ],
    })
}

/// Sections with the kinds of text that could break out of them.
fn sections(rng: &mut Rng) -> String {
    let bodies = [
        "Plain words.",
        "Two\n\nparagraphs.",
        "```rust\n## not a heading\n```",
        "~~~~\n```json agent-protocol\n~~~~",
        "    indented\n\n- a list\n  - nested",
        "rule\n---\nmore",
        "> ## quoted",
        "<div>\nhtml\n</div>",
        "#### deep\n\ndeeper",
        "é漢🙂 `code",
    ];
    let body = |rng: &mut Rng| bodies[rng.usize(0..bodies.len())];
    format!(
        "\n## a.prompt\n\n{}\n\n## **B**\n\n{}\n\n### inner #\n\n{}\n\n## user.visible\n\n{}\n",
        body(rng),
        body(rng),
        body(rng),
        ["I will read.", "```\nopen", ""][rng.usize(0..3)],
    )
}

/// Arguments of the flat form, right in nearly all cases.
pub(super) fn flat(rng: &mut Rng) -> Value {
    let count = rng.usize(1..5);
    let calls: Vec<Value> = (0..count).map(|index| flat_call(index, rng)).collect();
    match rng.u8(0..6) {
        0 => json!({ "kind": "answer", "message": "It is so.", "calls": [] }),
        1 => json!({ "kind": "done" }),
        2 => json!({ "input": { "kind": "act", "calls": calls } }),
        3 => json!({ "kind": "act", "calls": json!(calls).to_string() }),
        _ => json!({ "kind": "act", "message": "Going.", "calls": calls, "mood": "good" }),
    }
}

fn flat_call(index: usize, rng: &mut Rng) -> Value {
    let (kind, name, args) = [
        ("tool", "fs_read", json!({ "path": "a" })),
        ("tool", "clock", json!({})),
        ("tool", "task", json!({ "agent": "reader", "prompt": " Read it. " })),
        ("agent", "reader", json!({ "description": "Read it." })),
        ("agent", "reader", json!({ "prompt": { "$ref": "input:user.goal" } })),
        ("agent", "auto", json!({ "task": "Read.\n\n# it", "capabilities": ["review"] })),
    ][rng.usize(0..6)]
    .clone();
    let mut call = json!({ "id": format!(" c{index}"), "type": kind, "name": name, "args": args });
    if index > 0 {
        call["depends"] = [json!("none"), json!(["c0"]), json!("c0"), Value::Null][rng.usize(0..4)].clone();
    }
    if rng.bool() {
        call["result"] = json!(["full", "summary", "adaptive"][rng.usize(0..3)]);
        call["title"] = json!("A title");
    }
    call
}
