//! One rich transcript in each of the four shapes, for a reader to see.

use insta::assert_snapshot;
use provost_contract::Message;
use provost_contract::json::Object;
use provost_contract::provider::{Provider, substance};
use serde_json::{Value, json};

use super::names;
use super::transcripts::{call, result};

/// A question with a picture, a step that thinks and makes two calls, and an answer. The thinking is in
/// the words of all three providers that have some, as if the run had moved between them.
fn rich() -> Vec<Message> {
    let opaque = |provider: &str, block: Value| {
        let part = json!([{ "type": "opaque", "provider": provider, "block": block }]);
        Message::new("assistant", &part, Object::new()).expect("a part")
    };
    let mut find = call("call_1", "kb/find", json!({ "q": "berth 4" }), Some(1));
    find.metadata.insert(
        "provider_fields".into(),
        json!({ "provider": "gemini", "block": { "thoughtSignature": "R2Vt" } }),
    );
    let question = json!([
        { "type": "text", "text": "Is this berth free?" },
        { "type": "image", "media_type": "image/png", "data": "aGk=" },
    ]);
    vec![
        Message::text("system", "You keep the harbour."),
        Message::new("user", &question, Object::new()).expect("parts"),
        opaque("anthropic", json!({ "type": "thinking", "thinking": "Two look-ups.", "signature": "QW50" })),
        opaque(
            "openai_responses",
            json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "T3Bl" }),
        ),
        Message::text("assistant", "I look."),
        find,
        call("call_2", "kb/get", json!({ "id": 4 }), Some(1)),
        result("call_1", "kb/find", json!("{\"free\":true}"), true),
        result("call_2", "kb/get", json!("no such berth"), false),
        Message::text("assistant", "It is free."),
    ]
}

/// The body, one message and one block a line, and what it lost.
fn encoded(provider: Provider) -> String {
    let encoded = provider.encode(&rich(), &names());
    assert_eq!(provider.validate(&encoded.body), []);
    let mut lines = Vec::new();
    for (key, value) in encoded.body.as_object().expect("a body is an object") {
        lines.push(format!("{key}:"));
        push_entries(&mut lines, 1, value);
    }
    lines.push("lost:".to_owned());
    lines.extend(encoded.losses.iter().map(|loss| format!("  {}: {}: {}", loss.index, loss.what, loss.why)));
    lines.join("\n")
}

fn push_entries(lines: &mut Vec<String>, depth: usize, value: &Value) {
    let indent = "  ".repeat(depth);
    for entry in value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice) {
        let mut entry = entry.clone();
        let inner = ["content", "parts"].iter().find_map(|key| {
            let list = entry.get_mut(key).filter(|value| value.is_array())?;
            Some(std::mem::replace(list, json!("…")))
        });
        lines.push(format!("{indent}{entry}"));
        if let Some(inner) = inner {
            push_entries(lines, depth + 1, &inner);
        }
    }
}

#[test]
fn as_anthropic_messages() {
    assert_snapshot!(encoded(Provider::Anthropic), @r#"
    system:
      {"type":"text","text":"You keep the harbour."}
    messages:
      {"role":"user","content":"…"}
        {"type":"text","text":"Is this berth free?"}
        {"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}
      {"role":"assistant","content":"…"}
        {"type":"thinking","thinking":"Two look-ups.","signature":"QW50"}
        {"type":"text","text":"I look."}
        {"type":"tool_use","id":"call_1","name":"kb__find","input":{"q":"berth 4"}}
        {"type":"tool_use","id":"call_2","name":"kb__get","input":{"id":4}}
      {"role":"user","content":"…"}
        {"type":"tool_result","tool_use_id":"call_1","content":"{\"free\":true}"}
        {"type":"tool_result","tool_use_id":"call_2","content":"no such berth","is_error":true}
      {"role":"assistant","content":"…"}
        {"type":"text","text":"It is free."}
    lost:
      3: reasoning block of openai_responses: only openai_responses can read it
      5: thoughtSignature of gemini: only gemini can read it
    "#);
}

#[test]
fn as_openai_chat_completions() {
    assert_snapshot!(encoded(Provider::OpenaiChat), @r#"
    messages:
      {"role":"system","content":"You keep the harbour."}
      {"role":"user","content":"…"}
        {"type":"text","text":"Is this berth free?"}
        {"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}
      {"role":"assistant","content":"I look.","tool_calls":[{"id":"call_1","type":"function","function":{"name":"kb__find","arguments":"{\"q\":\"berth 4\"}"}},{"id":"call_2","type":"function","function":{"name":"kb__get","arguments":"{\"id\":4}"}}]}
      {"role":"tool","tool_call_id":"call_1","content":"{\"free\":true}"}
      {"role":"tool","tool_call_id":"call_2","content":"no such berth"}
      {"role":"assistant","content":"It is free."}
    lost:
      2: thinking block of anthropic: only anthropic can read it
      3: reasoning block of openai_responses: only openai_responses can read it
      5: thoughtSignature of gemini: only gemini can read it
      8: failure of a result: Chat Completions have no mark for it; its text is sent
    "#);
}

#[test]
fn as_openai_responses() {
    assert_snapshot!(encoded(Provider::OpenaiResponses), @r#"
    instructions:
      "You keep the harbour."
    input:
      {"type":"message","role":"user","content":"…"}
        {"type":"input_text","text":"Is this berth free?"}
        {"type":"input_image","image_url":"data:image/png;base64,aGk="}
      {"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"T3Bl"}
      {"type":"message","role":"assistant","content":"…"}
        {"type":"output_text","text":"I look."}
      {"type":"function_call","call_id":"call_1","name":"kb__find","arguments":"{\"q\":\"berth 4\"}"}
      {"type":"function_call","call_id":"call_2","name":"kb__get","arguments":"{\"id\":4}"}
      {"type":"function_call_output","call_id":"call_1","output":"{\"free\":true}"}
      {"type":"function_call_output","call_id":"call_2","output":"no such berth"}
      {"type":"message","role":"assistant","content":"…"}
        {"type":"output_text","text":"It is free."}
    lost:
      2: thinking block of anthropic: only anthropic can read it
      5: thoughtSignature of gemini: only gemini can read it
      8: failure of a result: Responses have no mark for it; its text is sent
    "#);
}

#[test]
fn as_gemini_contents() {
    assert_snapshot!(encoded(Provider::Gemini), @r#"
    systemInstruction:
      {"parts":"…"}
        {"text":"You keep the harbour."}
    contents:
      {"role":"user","parts":"…"}
        {"text":"Is this berth free?"}
        {"inlineData":{"mimeType":"image/png","data":"aGk="}}
      {"role":"model","parts":"…"}
        {"text":"I look."}
        {"functionCall":{"name":"kb__find","args":{"q":"berth 4"},"id":"call_1"},"thoughtSignature":"R2Vt"}
        {"functionCall":{"name":"kb__get","args":{"id":4},"id":"call_2"}}
      {"role":"user","parts":"…"}
        {"functionResponse":{"name":"kb__find","response":{"free":true},"id":"call_1"}}
        {"functionResponse":{"name":"kb__get","response":{"error":"no such berth"},"id":"call_2"}}
      {"role":"model","parts":"…"}
        {"text":"It is free."}
    lost:
      2: thinking block of anthropic: only anthropic can read it
      3: reasoning block of openai_responses: only openai_responses can read it
    "#);
}

#[test]
fn each_response_becomes_messages() {
    let cases = [
        (
            Provider::Anthropic,
            json!({
                "id": "msg_1", "type": "message", "role": "assistant", "stop_reason": "tool_use",
                "content": [
                    { "type": "thinking", "thinking": "hm", "signature": "QW50" },
                    { "type": "text", "text": "I look.", "citations": null },
                    { "type": "tool_use", "id": "toolu_1", "name": "kb__find", "input": { "q": 1 } },
                ],
            }),
        ),
        (
            Provider::OpenaiChat,
            json!({ "choices": [{ "index": 0, "finish_reason": "tool_calls", "message": {
                "role": "assistant", "content": "I look.", "refusal": null,
                "tool_calls": [{
                    "id": "toolu_1", "type": "function",
                    "function": { "name": "kb__find", "arguments": "{\"q\": 1}" },
                }],
            } }] }),
        ),
        (
            Provider::OpenaiResponses,
            json!({ "id": "resp_1", "object": "response", "output": [
                { "type": "reasoning", "id": "rs_1", "summary": [] },
                { "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                  "content": [{ "type": "output_text", "text": "I look." }] },
                { "type": "function_call", "id": "fc_1", "call_id": "toolu_1", "name": "kb__find",
                  "arguments": "{\"q\":1}", "status": "completed" },
            ] }),
        ),
        (
            Provider::Gemini,
            json!({ "candidates": [{ "content": { "role": "model", "parts": [
                { "text": "hm", "thought": true },
                { "text": "I look." },
                { "functionCall": { "id": "toolu_1", "name": "kb__find", "args": { "q": 1 } }, "thoughtSignature": "R2Vt" },
            ] } }] }),
        ),
    ];
    for (provider, response) in cases {
        let messages = provider.decode(&response, &names(), 7).unwrap();
        let last: Vec<&Message> = messages.iter().rev().take(2).collect();
        assert_eq!(last[1].content.as_text(), Some("I look."), "{provider}");
        assert_eq!((last[0].tool_name(), last[0].tool_call_id()), ("kb/find", "toolu_1"), "{provider}");
        assert_eq!(last[0].payload["parameters"], json!({ "q": 1 }), "{provider}");
        assert_eq!(last[0].payload["turn"], json!(7), "{provider}");
        assert_eq!(substance(&messages).len(), messages.len(), "{provider}");
    }
}
