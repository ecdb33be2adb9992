//! A whole run over the wire: the engine asks, two calls are carried out, and the model answers.

use std::sync::Arc;

use provost_models::{ApiKind, Cassette, ModelConfig, Player, Remote};
use provost_runtime::host::{Executors, Host};
use provost_runtime::port::{Boxed, ExecutorError, Model, ToolAction, ToolExecutor};
use provost_runtime::system::ManualClock;
use provost_runtime::testing::HostRun;
use serde_json::{Value, json};

use crate::asking::{KEY, tools};
use crate::keys::secret;
use crate::server::{Reply, Server};

struct Gardener;

impl ToolExecutor for Gardener {
    fn execute<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Value, ExecutorError>> {
        let result = json!({ "success": true, "result": { "done": action.call.tool_name() } });
        Box::pin(async move { Ok(result) })
    }
}

async fn run(model: Arc<dyn Model>) -> Value {
    let mut host = Host::new(Arc::new(ManualClock::at(1_000)), model);
    host.executors = Some(Executors::new(Arc::new(Gardener)));
    let options = json!({ "max_turns": 5, "tool_declarations": tools() });
    let asked = [json!({ "role": "user", "content": "Where are the beds, and what time is it?" })];
    HostRun::new(host, &asked, &options).await.result
}

fn remote(server: &Server, kind: ApiKind) -> Remote {
    let config = ModelConfig { base_url: Some(server.url.clone()), ..ModelConfig::new(kind, "model-1") };
    config.build_with(Some(secret(KEY)), Arc::new(ManualClock::at(1_000))).unwrap()
}

/// A first answer of two calls, a last one of words, and what of the first must come back word for word.
fn scenes() -> [(ApiKind, Reply, Value, &'static str); 4] {
    let words = "Behind the shed.";
    let text = json!({ "type": "text", "text": words });
    let part = json!({ "type": "output_text", "text": words, "annotations": [] });
    let message = json!({ "type": "message", "id": "msg_1", "role": "assistant", "content": [part] });
    let content = json!({ "role": "model", "parts": [{ "text": words }] });
    [
        (
            ApiKind::Anthropic,
            Reply::stream(include_str!("streams/anthropic.sse")),
            json!({ "role": "assistant", "content": [text], "stop_reason": "end_turn" }),
            r#""signature":"c2lnbmVk""#,
        ),
        (
            ApiKind::OpenaiChat,
            Reply::stream(include_str!("streams/openai_chat.sse")),
            json!({ "choices": [{ "message": { "role": "assistant", "content": words }, "finish_reason": "stop" }] }),
            r#""reasoning_content":"Two tools.""#,
        ),
        (
            ApiKind::OpenaiResponses,
            Reply::stream(include_str!("streams/openai_responses.sse")),
            json!({ "status": "completed", "output": [message] }),
            r#""encrypted_content":"c2VhbGVk""#,
        ),
        (
            ApiKind::Gemini,
            Reply::stream(include_str!("streams/gemini.sse")),
            json!({ "candidates": [{ "content": content, "finishReason": "STOP" }] }),
            r#""thoughtSignature":"c2lnbmVk""#,
        ),
    ]
}

#[tokio::test]
async fn a_run_with_each_provider_ends_with_its_answer() {
    for (kind, first, last, verbatim) in scenes() {
        let server = Server::with([first, Reply::json(200, &last)]).await;
        let result = run(Arc::new(remote(&server, kind))).await;
        assert_eq!(result["completed"], json!(true), "{kind}: {result}");
        assert_eq!(result["final_content"], json!("Behind the shed."), "{kind}");
        let [_, second] = &server.asked()[..] else { panic!("two requests of {kind}") };
        let sent = second.body.to_string();
        assert!(sent.contains(verbatim), "{kind}: {verbatim} is not in {sent}");
        for tool in ["kb__find", "clock__now"] {
            assert!(sent.contains(tool), "{kind}: {sent}");
        }
    }
}

/// What a provider read once it may keep: a later request says the same and goes on.
#[tokio::test]
async fn a_prompt_grows_at_its_end_only() {
    for (kind, first, last, _) in scenes() {
        let server = Server::with([first, Reply::json(200, &last)]).await;
        run(Arc::new(remote(&server, kind))).await;
        let [first, second] = &server.asked()[..] else { panic!("two requests of {kind}") };
        for (key, before) in first.body.as_object().unwrap() {
            let (before, now) = (without_marks(before), without_marks(&second.body[key]));
            match (&before, &now) {
                (Value::Array(before), Value::Array(now)) => {
                    assert!(now.starts_with(before), "{kind}: {key}");
                }
                _ => assert_eq!(before, now, "{kind}: {key}"),
            }
        }
    }
}

/// Marks say where to cut the cache, and are no part of what is read.
fn without_marks(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(without_marks).collect(),
        Value::Object(fields) => {
            let said = fields.iter().filter(|(key, _)| *key != "cache_control");
            said.map(|(key, value)| (key.clone(), without_marks(value))).collect()
        }
        other => other.clone(),
    }
}

/// What was recorded once is played again without a server, to the same end.
#[tokio::test]
async fn a_recorded_run_can_be_played_without_a_provider() {
    let folder = tempfile::tempdir().unwrap();
    for (kind, first, last, _) in scenes() {
        let path = folder.path().join(format!("{kind}.json"));
        let server = Server::with([first, Reply::json(200, &last)]).await;
        let recorder = remote(&server, kind).recorded(path.clone());
        let recorded = run(Arc::new(recorder)).await;
        assert!(!std::fs::read_to_string(&path).unwrap().contains(KEY), "{kind}");
        let player = Arc::new(Player::new(Cassette::read(&path).unwrap(), Vec::new()));
        let played = run(player.clone()).await;
        assert_eq!((played, player.left()), (recorded, 0), "{kind}");
    }
}
