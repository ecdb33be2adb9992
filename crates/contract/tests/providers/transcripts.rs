//! Transcripts as the world makes them: whole ones, and ones that were cut, shuffled and mixed.

use proptest::prelude::*;
use proptest::sample::select;
use provost_contract::Message;
use provost_contract::json::Object;
use provost_contract::message::{Content, MessageType, coalesce};
use serde_json::{Value, json};

pub(super) const TOOLS: [&str; 3] = ["kb/find", "kb/get", "files/delete"];

/// Any transcript: dangling, duplicate, reordered and cross-named calls, blocks of every provider.
pub(super) fn any_transcript() -> impl Strategy<Value = Vec<Message>> {
    let run = prop_oneof![
        8 => any_message().prop_map(|message| vec![message]),
        // A model's step as it should be, so that long runs of it occur at all.
        4 => step(),
        1 => proptest::collection::vec(any_message(), 1..4)
            .prop_map(|messages| coalesce(&messages).expect("messages merge")),
    ];
    proptest::collection::vec(run, 0..10).prop_map(|runs| runs.concat())
}

/// Transcripts that every format can carry whole.
pub(super) fn plain_transcript() -> impl Strategy<Value = Vec<Message>> {
    let system =
        proptest::option::of("[a-z]{1,8}").prop_map(|text| text.map(|text| Message::text("system", text)));
    let exchange = (
        "[a-z]{1,8}",
        proptest::collection::vec("[a-z ]{0,8}[a-z]", 1..3),
        proptest::option::of("[a-z]{1,8}"),
    );
    let exchanges = proptest::collection::vec(exchange, 1..4);
    (system, exchanges).prop_map(|(system, exchanges)| {
        let mut messages: Vec<Message> = system.into_iter().collect();
        for (turn, (asked, results, said)) in (1_u64..).zip(exchanges) {
            messages.push(Message::text("user", asked));
            messages.extend(said.map(|said| Message::text("assistant", said)));
            let ids: Vec<String> = (0..results.len()).map(|number| format!("call_{turn}_{number}")).collect();
            messages.extend(ids.iter().map(|id| call(id, "kb/find", json!({ "q": turn }), Some(turn))));
            messages
                .extend(results.iter().zip(&ids).map(|(text, id)| result(id, "kb/find", json!(text), true)));
            messages.push(Message::text("assistant", "done"));
        }
        messages
    })
}

pub(super) fn call(id: &str, tool: &str, parameters: Value, turn: Option<u64>) -> Message {
    let parameters = parameters.as_object().cloned().unwrap_or_default();
    let mut message = Message::tool_call("", tool, parameters, turn.unwrap_or_default(), metadata(id));
    if turn.is_none() {
        message.payload.remove("turn");
    }
    message
}

pub(super) fn result(id: &str, tool: &str, content: Value, success: bool) -> Message {
    let payload = Object::from_iter([("success".to_owned(), json!(success))]);
    let mut message = Message::tool_result("", tool, payload, metadata(id));
    message.content = match content {
        Value::String(text) => Content::Text(text),
        other => Content::Structured(other),
    };
    message
}

fn metadata(id: &str) -> Object {
    let id = Some(id).filter(|id| !id.is_empty());
    id.map(|id| ("tool_call_id".to_owned(), json!(id))).into_iter().collect()
}

fn step() -> impl Strategy<Value = Vec<Message>> {
    let calls = proptest::collection::vec((any_id(), select(&TOOLS[..]), any_text()), 1..4);
    (calls, any::<bool>(), opaque(), 0_u64..3).prop_map(|(calls, together, thinks, turn)| {
        let mut messages = vec![said("assistant", json!([thinks]))];
        let answer = |(id, tool, text): &(String, &str, String)| result(id, tool, json!(text), true);
        let ask = |(id, tool, _): &(String, &str, String)| call(id, tool, json!({ "a": 1 }), Some(turn));
        if together {
            messages.extend(calls.iter().map(ask));
            messages.extend(calls.iter().map(answer));
        } else {
            messages.extend(calls.iter().flat_map(|entry| [ask(entry), answer(entry)]));
        }
        messages
    })
}

fn any_message() -> impl Strategy<Value = Message> {
    let role = select(vec!["system", "developer", "user", "assistant", "assistant", "tool", "narrator"]);
    let tool = select(vec!["kb/find", "kb/get", "", "weird name/ü", "plain"]);
    let turn = proptest::option::of(0_u64..3);
    prop_oneof![
        3 => (role.clone(), any_text()).prop_map(|(role, text)| said(role, json!(text))),
        3 => (role.clone(), proptest::collection::vec(any_part(), 0..4)).prop_map(|(role, parts)| said(role, json!(parts))),
        1 => (role, odd_kind(), any_text()).prop_map(|(role, kind, text)| with_kind(said(role, json!(text)), kind)),
        4 => (any_id(), tool.clone(), turn, any_text(), proptest::option::of(any_fields())).prop_map(
            |(id, tool, turn, text, fields)| {
                let mut message = call(&id, tool, json!({ "q": text }), turn);
                message.metadata.extend(fields.map(|fields| ("provider_fields".to_owned(), fields)));
                message
            }
        ),
        4 => (any_id(), tool, any_result(), any::<bool>())
            .prop_map(|(id, tool, content, success)| result(&id, tool, content, success)),
    ]
}

fn said(role: &str, content: Value) -> Message {
    Message::new(role, &content, Object::new()).expect("a role and a content")
}

fn with_kind(mut message: Message, kind: MessageType) -> Message {
    message.kind = kind;
    message
}

fn odd_kind() -> impl Strategy<Value = MessageType> {
    select(vec![
        MessageType::ApprovalRequired,
        MessageType::InputRequired,
        MessageType::Delta,
        MessageType::Error,
        MessageType::FinalResult,
    ])
}

fn any_id() -> impl Strategy<Value = String> {
    let long = "x".repeat(70);
    let middle = "y".repeat(50);
    prop_oneof![
        6 => select(vec!["a", "b", "c", "d"]).prop_map(str::to_owned),
        1 => select(vec![String::new(), "functions.find:0".to_owned(), "a-2".to_owned(), long, middle]),
    ]
}

fn any_text() -> impl Strategy<Value = String> {
    let odd = ["", " ", "ends blank \n", "{\"free\":true}", "{\"output\":\"x\"}", "{\"a\": 1}", "\u{0}"];
    prop_oneof![3 => "[a-z]{1,6}", 1 => select(odd.to_vec()).prop_map(str::to_owned), 1 => ".{0,6}"]
}

fn any_result() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => any_text().prop_map(Value::String),
        1 => proptest::collection::vec(any_part(), 0..3).prop_map(Value::Array),
        1 => Just(json!({ "free": true })),
    ]
}

fn any_part() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => (any_text(), proptest::option::of(any_fields())).prop_map(|(text, fields)| {
            let mut part = json!({ "type": "text", "text": text });
            if let Some(fields) = fields {
                part["provider_fields"] = fields;
            }
            part
        }),
        3 => media(),
        4 => opaque(),
        1 => select(vec![json!({ "type": "hologram" }), json!("bare text"), json!(7), json!({ "type": "text" })]),
    ]
}

fn media() -> impl Strategy<Value = Value> {
    select(vec![
        json!({ "type": "image", "media_type": "image/png", "data": "aGk=" }),
        json!({ "type": "image", "url": "https://example.org/a.png" }),
        json!({ "type": "image", "url": "https://example.org/a.png", "media_type": "image/png" }),
        json!({ "type": "image", "media_type": "image/tiff", "data": "aGk=", "name": "scan" }),
        json!({ "type": "file", "media_type": "application/pdf", "data": "aGk=", "name": "a.pdf" }),
        json!({ "type": "file", "media_type": "application/pdf", "data": "aGk=" }),
        json!({ "type": "file", "url": "https://example.org/a.pdf" }),
        json!({ "type": "audio", "media_type": "audio/wav", "data": "aGk=" }),
        json!({ "type": "video", "media_type": "video/mp4", "url": "https://example.org/a.mp4" }),
        json!({ "type": "image" }),
    ])
}

fn opaque() -> impl Strategy<Value = Value> {
    select(opaque_blocks())
        .prop_map(|(provider, block)| json!({ "type": "opaque", "provider": provider, "block": block }))
}

fn opaque_blocks() -> Vec<(&'static str, Value)> {
    vec![
        ("anthropic", json!({ "type": "thinking", "thinking": "hm", "signature": "c2ln" })),
        ("anthropic", json!({ "type": "thinking", "thinking": "cut", "signature": "" })),
        ("anthropic", json!({ "type": "redacted_thinking", "data": "eA==" })),
        (
            "anthropic",
            json!({ "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {} }),
        ),
        (
            "anthropic",
            json!({ "type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [] }),
        ),
        ("anthropic", json!({ "type": "tool_use", "id": "hidden", "name": "t", "input": {} })),
        ("anthropic", json!({ "type": "image", "source": { "type": "file", "file_id": "file_1" } })),
        ("openai_chat", json!({ "role": "assistant", "content": null, "refusal": "no" })),
        ("openai_chat", json!({ "role": "user", "content": "hidden" })),
        ("openai_chat", json!({ "type": "refusal", "refusal": "no" })),
        (
            "openai_responses",
            json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "eA==" }),
        ),
        ("openai_responses", json!({ "type": "reasoning", "summary": [], "encrypted_content": "eQ==" })),
        ("openai_responses", json!({ "type": "reasoning", "id": "wrong", "summary": [] })),
        ("openai_responses", json!({ "type": "web_search_call", "id": "ws_1", "status": "completed" })),
        (
            "openai_responses",
            json!({ "type": "custom_tool_call", "call_id": "cc", "name": "sh", "input": "ls" }),
        ),
        ("openai_responses", json!({ "type": "custom_tool_call_output", "call_id": "cc", "output": "a" })),
        ("openai_responses", json!({ "type": "input_file", "file_id": "file_1" })),
        ("gemini", json!({ "text": "hm", "thought": true, "thoughtSignature": "c2ln" })),
        ("gemini", json!({ "executableCode": { "language": "PYTHON", "code": "1" } })),
        ("gemini", json!({ "functionCall": { "name": "hidden", "args": {} } })),
        ("gemini", json!({})),
        ("elsewhere", json!({ "type": "mystery" })),
        ("anthropic", json!("no block")),
    ]
}

fn any_fields() -> impl Strategy<Value = Value> {
    select(vec![
        json!({ "provider": "gemini", "block": { "thoughtSignature": "c2ln" } }),
        json!({ "provider": "anthropic", "block": { "cache_control": { "type": "ephemeral" } } }),
        json!({ "provider": "openai_responses", "block": { "id": "fc_1", "status": "completed" } }),
        json!({ "provider": "openai_responses", "message": { "id": "msg_1", "status": "completed" } }),
        json!({ "provider": "openai_responses", "message": { "id": "wrong one" } }),
        json!({ "provider": "openai_chat", "message": { "name": "ann" } }),
        json!({ "provider": "openai_chat", "message": { "tool_calls": [] } }),
        json!({ "provider": "" }),
    ])
}
