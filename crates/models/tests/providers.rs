//! Each provider in its own format: what it is sent, what it streams, and what goes back to it.

use provost_contract::Message;
use provost_models::{ApiKind, Delivery, PromptCache};
use provost_runtime::port::TurnCache;
use serde_json::{Value, json};

use crate::asking::{Asking, Desk, KEY};
use crate::server::{Reply, Server};

const KINDS: [(ApiKind, &str); 5] = [
    (ApiKind::Anthropic, include_str!("streams/anthropic.sse")),
    (ApiKind::OpenaiChat, include_str!("streams/openai_chat.sse")),
    (ApiKind::OpenaiCompatible, include_str!("streams/openai_chat.sse")),
    (ApiKind::OpenaiResponses, include_str!("streams/openai_responses.sse")),
    (ApiKind::Gemini, include_str!("streams/gemini.sse")),
];

/// Two calls at once with reasoning before them, and blocks, deltas and events nobody knows in between.
#[tokio::test]
async fn a_turn_of_two_calls_is_streamed_read_and_sent_back() {
    for (kind, stream) in KINDS {
        let server = Server::with([Reply::stream(stream), Reply::stream(stream)]).await;
        let desk = Desk::at(&server, kind);
        let mut first = Asking::beds().heard_at(&desk);
        let turn = first.of(&desk.model).await.unwrap();
        first.after(&turn).of(&desk.model).await.unwrap();
        let [asked, again] = &server.asked()[..] else { panic!("two requests") };
        insta::assert_json_snapshot!(format!("{kind}_request"), asked.body);
        insta::assert_json_snapshot!(format!("{kind}_turn"), turn.to_value());
        insta::assert_json_snapshot!(format!("{kind}_request_with_results"), again.body);
        let heard = desk.heard.lines();
        let half = heard.len() / 2;
        assert_eq!(heard[..half], heard[half + 1..], "the same stream sounds the same");
        insta::assert_snapshot!(format!("{kind}_deltas"), &heard[..half]);
    }
}

/// A request of a long run is made of the one before it; a restart makes it of the transcript alone.
#[tokio::test]
async fn what_the_last_request_left_changes_no_request() {
    for (kind, stream) in KINDS {
        let server = Server::with((0..16).map(|_| Reply::stream(stream))).await;
        let desk = Desk::at(&server, kind);
        let mut asking = Asking::beds();
        for turn in 1..=8 {
            let warm = asking.cache.clone();
            let answer = asking.of(&desk.model).await.unwrap();
            asking.cache = TurnCache::default();
            asking.of(&desk.model).await.unwrap();
            asking.cache = warm;
            let asked = server.asked();
            let [.., warm, cold] = &asked[..] else { panic!("two requests a turn") };
            assert_eq!(warm.body, cold.body, "{kind}, turn {turn}");
            asking = asking.after(&answer);
            if turn == 4 {
                asking.messages.push(Message::text("user", "And the roses?"));
            }
        }
    }
}

#[tokio::test]
async fn every_setting_has_its_place() {
    for (kind, stream) in KINDS {
        let server = Server::with([Reply::stream(stream)]).await;
        let desk = Desk::at(&server, kind);
        let mut asking = Asking::beds().wanting(json!({
            "model": "model-2",
            "max_tokens": 300,
            "temperature": 0.5,
            "tool_choice": { "tool": "kb/find" },
            "parallel_calls": "one_at_a_time",
            "reasoning": { "effort": "low" },
            "prompt_cache": "off",
            "extra": { "seed": 7 },
        }));
        asking.structured_output = Some(json!({ "schema": { "type": "object" }, "name": "beds" }));
        asking.of(&desk.model).await.unwrap();
        let body = without_transcript(&server.asked()[0].body);
        insta::assert_json_snapshot!(format!("{kind}_settings"), body);
    }
}

fn without_transcript(body: &Value) -> Value {
    let mut body = body.clone();
    let transcript =
        ["messages", "system", "input", "instructions", "contents", "systemInstruction", "tools"];
    body.as_object_mut().unwrap().retain(|key, _| !transcript.contains(&key.as_str()));
    body
}

#[tokio::test]
async fn requests_go_where_the_provider_listens_and_the_key_into_its_header() {
    let places = [
        (ApiKind::Anthropic, "POST /v1/messages HTTP/1.1", "x-api-key", ""),
        (ApiKind::OpenaiChat, "POST /v1/chat/completions HTTP/1.1", "authorization", "Bearer "),
        (ApiKind::OpenaiCompatible, "POST /v1/chat/completions HTTP/1.1", "authorization", "Bearer "),
        (ApiKind::OpenaiResponses, "POST /v1/responses HTTP/1.1", "authorization", "Bearer "),
        (
            ApiKind::Gemini,
            "POST /v1/models/model-1:streamGenerateContent?alt=sse HTTP/1.1",
            "x-goog-api-key",
            "",
        ),
    ];
    for ((kind, stream), (_, line, header, before)) in KINDS.into_iter().zip(places) {
        let server = Server::with([Reply::stream(stream)]).await;
        Asking::beds().of(&Desk::at(&server, kind).model).await.unwrap();
        let asked = &server.asked()[0];
        assert_eq!(asked.line, line);
        assert_eq!(asked.header(header), Some(format!("{before}{KEY}").as_str()));
        assert_eq!(asked.header("content-type"), Some("application/json"));
    }
}

/// Streamed or not, the same answer is the same turn.
#[tokio::test]
async fn an_answer_that_comes_at_once_is_the_same_turn() {
    for (kind, stream) in KINDS {
        let whole: Value = serde_json::from_str(whole(kind)).unwrap();
        let server = Server::with([Reply::stream(stream), Reply::json(200, &whole)]).await;
        let streamed = Asking::beds().of(&Desk::at(&server, kind).model).await.unwrap();
        let desk = Desk::configured(&server, kind, |config| config.delivery = Delivery::Whole);
        let at_once = Asking::beds().of(&desk.model).await.unwrap();
        assert_eq!(streamed.to_value(), at_once.to_value(), "{kind}");
        let asked = &server.asked()[1];
        assert!(asked.body.get("stream").is_none() && !asked.line.contains("stream"), "{kind}: {asked:?}");
    }
}

fn whole(kind: ApiKind) -> &'static str {
    match kind {
        ApiKind::Anthropic => include_str!("streams/anthropic.json"),
        ApiKind::OpenaiChat | ApiKind::OpenaiCompatible => include_str!("streams/openai_chat.json"),
        ApiKind::OpenaiResponses => include_str!("streams/openai_responses.json"),
        ApiKind::Gemini => include_str!("streams/gemini.json"),
    }
}

/// The last answer of a run is plain text, whatever was thought before it.
#[tokio::test]
async fn thinking_before_a_last_answer_is_left_behind() {
    let stream = concat!(
        "data: {\"type\":\"message_start\",\"message\":{\"role\":\"assistant\",\"content\":[],\"usage\":{\"input_tokens\":1}}}\n\n",
        "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"c2ln\"}}\n\n",
        "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"Behind the shed.\"}}\n\n",
        "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n\n",
        "data: {\"type\":\"message_stop\"}\n\n",
    );
    let server = Server::with([Reply::stream(stream)]).await;
    let turn = Asking::beds().of(&Desk::at(&server, ApiKind::Anthropic).model).await.unwrap();
    let message = turn.message.unwrap();
    assert_eq!(message.content.as_text(), Some("Behind the shed."));
    assert_eq!(
        Value::Object(turn.usage),
        json!({ "prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3 })
    );
}

/// Words in several blocks, with sources and what a server tool found between them, are one text to
/// everybody but their provider, which gets its blocks back.
#[tokio::test]
async fn an_answer_of_many_blocks_reads_as_text_and_goes_back_as_blocks() {
    let blocks = json!([
        { "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": { "query": "beds" } },
        { "type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [] },
        { "type": "text", "text": "Behind " },
        { "type": "text", "text": "the shed.", "citations": [{ "type": "web_search_result_location", "url": "https://beds.example" }] },
    ]);
    let body = json!({ "role": "assistant", "content": blocks, "stop_reason": "end_turn" });
    let server = Server::with([Reply::json(200, &body), Reply::json(200, &body)]).await;
    let desk = Desk::configured(&server, ApiKind::Anthropic, |config| {
        config.settings.prompt_cache = PromptCache::Off;
    });
    let turn = Asking::beds().of(&desk.model).await.unwrap();
    let mut next = Asking::beds().after(&turn);
    assert_eq!(turn.message.unwrap().content.as_text(), Some("Behind the shed."));
    next.messages.push(Message::text("user", "Thanks. And the rake?"));
    next.of(&desk.model).await.unwrap();
    assert_eq!(server.asked()[1].body.pointer("/messages/1/content"), Some(&blocks));
}

/// What a turn wants is asked for in the provider's own words, beside tools too; what comes back is text.
#[tokio::test]
async fn wanted_json_is_asked_for_beside_tools() {
    let schema = json!({ "type": "object", "properties": { "beds": { "type": "integer" } } });
    let natively = [
        (ApiKind::Anthropic, "/output_config/format/schema"),
        (ApiKind::OpenaiChat, "/response_format/json_schema/schema"),
        (ApiKind::OpenaiResponses, "/text/format/schema"),
        (ApiKind::Gemini, "/generationConfig/responseJsonSchema"),
    ];
    for (kind, pointer) in natively {
        for with_tools in [true, false] {
            let server = Server::with([Reply::json(200, &answer(kind))]).await;
            let mut asking = Asking::beds();
            asking.structured_output = Some(json!({ "schema": schema }));
            if !with_tools {
                asking.tools = asking.tools.clone().only(|_| false);
            }
            let turn = asking.of(&Desk::at(&server, kind).model).await.unwrap();
            assert_eq!((turn.content.as_str(), turn.structured_output), ("{\"beds\":3}", None), "{kind}");
            let body = &server.asked()[0].body;
            // Gemini takes no schema beside tools: it reads it.
            let in_words = kind == ApiKind::Gemini && with_tools;
            assert_eq!(body.pointer(pointer).is_some(), !in_words, "{kind} {body}");
            let system = body["systemInstruction"]["parts"].to_string();
            assert_eq!(system.contains("one JSON document"), in_words, "{kind} {body}");
        }
    }
}

/// An answer that is JSON, in the format of a provider.
fn answer(kind: ApiKind) -> Value {
    let text = "{\"beds\":3}";
    match kind {
        ApiKind::Anthropic => {
            json!({ "role": "assistant", "content": [{ "type": "text", "text": text }], "stop_reason": "end_turn" })
        }
        ApiKind::OpenaiResponses => {
            let content = json!([{ "type": "output_text", "text": text }]);
            json!({ "status": "completed", "output": [{ "type": "message", "role": "assistant", "content": content }] })
        }
        ApiKind::Gemini => {
            let content = json!({ "role": "model", "parts": [{ "text": text }] });
            json!({ "candidates": [{ "content": content, "finishReason": "STOP" }] })
        }
        _ => {
            let message = json!({ "role": "assistant", "content": text });
            json!({ "choices": [{ "message": message, "finish_reason": "stop" }] })
        }
    }
}

/// Some servers give every call the same index, or none.
#[tokio::test]
async fn calls_of_careless_servers_are_told_apart_by_their_ids() {
    let piece =
        |call: Value| format!("data: {}\n\n", json!({ "choices": [{ "delta": { "tool_calls": [call] } }] }));
    let call = |index: Option<u64>, id: &str, name: &str| {
        let function = json!({ "name": name, "arguments": "{}" });
        piece(json!({ "index": index, "id": id, "function": function }))
    };
    let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    for index in [Some(0), None] {
        let stream = [call(index, "a", "kb__find"), call(index, "b", "clock__now"), end.to_owned()].concat();
        let server = Server::with([Reply::stream(&stream)]).await;
        let turn = Asking::beds().of(&Desk::at(&server, ApiKind::OpenaiCompatible).model).await.unwrap();
        let calls: Vec<_> = turn.tool_calls.iter().map(|call| (call.name(), call.id.as_deref())).collect();
        assert_eq!(calls, [("kb/find", Some("a")), ("clock/now", Some("b"))], "{index:?}");
    }
}
