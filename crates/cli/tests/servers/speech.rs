//! What a model says in these runs, in the words of each provider.

use provost_contract::provider::Provider;
use serde_json::{Value, json};

use super::server::Reply;

/// The last word of each run.
pub(super) const LAST_WORD: &str = "Two beds, both free.";

/// A stream of two calls at once: the recorded one, about tools this program has.
pub(super) fn calls_stream(provider: Provider) -> String {
    let recorded = match provider {
        Provider::Anthropic => include_str!("../../../models/tests/streams/anthropic.sse"),
        Provider::OpenaiChat => include_str!("../../../models/tests/streams/openai_chat.sse"),
        Provider::OpenaiResponses => include_str!("../../../models/tests/streams/openai_responses.sse"),
        Provider::Gemini => include_str!("../../../models/tests/streams/gemini.sse"),
    };
    let read = recorded.replace("kb__find", "fs__read").replace("clock__now", "fs__list");
    read.replace(r#"\"q\""#, r#"\"path\""#).replace(r#"{"q":"#, r#"{"path":"#)
}

/// Two calls at once.
pub(super) fn calls(provider: Provider) -> Reply {
    Reply::stream(&calls_stream(provider))
}

/// The last word, not streamed.
pub(super) fn last_word(provider: Provider) -> Reply {
    let body = match provider {
        Provider::Anthropic => {
            let text = json!([{ "type": "text", "text": LAST_WORD }]);
            json!({ "type": "message", "role": "assistant", "content": text, "stop_reason": "end_turn",
                    "usage": { "input_tokens": 9, "output_tokens": 5 } })
        }
        Provider::OpenaiChat => {
            let message = json!({ "role": "assistant", "content": LAST_WORD });
            json!({ "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }] })
        }
        Provider::OpenaiResponses => {
            let text = json!([{ "type": "output_text", "text": LAST_WORD, "annotations": [] }]);
            let message = json!({ "type": "message", "id": "msg_9", "role": "assistant", "content": text });
            json!({ "status": "completed", "output": [message] })
        }
        Provider::Gemini => {
            let content = json!({ "role": "model", "parts": [{ "text": LAST_WORD }] });
            json!({ "candidates": [{ "content": content, "finishReason": "STOP" }] })
        }
    };
    Reply::json(200, &body)
}

/// A refusal, as the provider writes it.
pub(super) fn refusal(provider: Provider, status: u16, code: &str, message: &str) -> Reply {
    let body: Value = match provider {
        Provider::Anthropic => json!({ "type": "error", "error": { "type": code, "message": message } }),
        Provider::OpenaiChat | Provider::OpenaiResponses => {
            json!({ "error": { "message": message, "type": "error", "code": code } })
        }
        Provider::Gemini => json!({ "error": { "code": status, "message": message, "status": code } }),
    };
    Reply::json(status, &body)
}
