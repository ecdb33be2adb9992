//! One conversation, written as each source writes it, whatever is wrong with it.

use provost_contract::Message;
use provost_contract::provider::{IdentityNames, Provider, Refusal};
use provost_contract::session_file::{BrokenLines, Format};
use serde_json::{Value, json};

/// What somebody says or does.
#[derive(Clone, Debug)]
pub(super) enum Step {
    User(&'static str),
    Assistant(&'static str),
    Call { id: &'static str, tool: &'static str },
    Result { id: &'static str, tool: &'static str },
}

/// Everything a transcript can come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Body(Provider),
    File(Format),
}

pub(super) const SOURCES: [Source; 6] = [
    Source::Body(Provider::Anthropic),
    Source::Body(Provider::OpenaiChat),
    Source::Body(Provider::OpenaiResponses),
    Source::Body(Provider::Gemini),
    Source::File(Format::ClaudeCode),
    Source::File(Format::Codex),
];

impl Source {
    /// What is read of the steps, and what the source's own provider would refuse in them.
    pub(super) fn read(self, steps: &[Step]) -> (Vec<Message>, Vec<Refusal>) {
        let (provider, body) = match self {
            Self::Body(provider) => (provider, body(provider, steps)),
            Self::File(format) => {
                let text = super::lines::text(&file(format, steps));
                let session = format.read(&text, BrokenLines::Refuse).expect("every line can be read");
                (format.provider(), session.body)
            }
        };
        let messages = provider.decode(&body, &IdentityNames, 1).expect("a transcript");
        (messages, provider.validate(&body))
    }
}

fn body(provider: Provider, steps: &[Step]) -> Value {
    let key = match provider {
        Provider::Anthropic | Provider::OpenaiChat => "messages",
        Provider::OpenaiResponses => "input",
        Provider::Gemini => "contents",
    };
    let write = match provider {
        Provider::Anthropic => anthropic,
        Provider::OpenaiChat => openai_chat,
        Provider::OpenaiResponses => openai_responses,
        Provider::Gemini => gemini,
    };
    json!({ key: steps.iter().map(write).collect::<Vec<Value>>() })
}

fn file(format: Format, steps: &[Step]) -> Vec<Value> {
    let line = |(place, step): (usize, &Step)| match format {
        Format::ClaudeCode => {
            let message = anthropic(step);
            let parent = place.checked_sub(1).map(|before| before.to_string());
            json!({ "type": message["role"], "uuid": place.to_string(), "parentUuid": parent, "message": message })
        }
        Format::Codex => json!({ "type": "response_item", "payload": openai_responses(step) }),
    };
    steps.iter().enumerate().map(line).collect()
}

/// An id that is not there is left out.
fn identified(mut value: Value, key: &str, id: &str) -> Value {
    if !id.is_empty() {
        value[key] = json!(id);
    }
    value
}

fn anthropic(step: &Step) -> Value {
    match step {
        Step::User(text) => json!({ "role": "user", "content": text }),
        Step::Assistant(text) => {
            json!({ "role": "assistant", "content": [{ "type": "text", "text": text }] })
        }
        Step::Call { id, tool } => {
            let call = json!({ "type": "tool_use", "name": tool, "input": {} });
            json!({ "role": "assistant", "content": [identified(call, "id", id)] })
        }
        Step::Result { id, .. } => {
            let result = json!({ "type": "tool_result", "content": "done" });
            json!({ "role": "user", "content": [identified(result, "tool_use_id", id)] })
        }
    }
}

fn openai_chat(step: &Step) -> Value {
    match step {
        Step::User(text) => json!({ "role": "user", "content": text }),
        Step::Assistant(text) => json!({ "role": "assistant", "content": text }),
        Step::Call { id, tool } => {
            let call = json!({ "type": "function", "function": { "name": tool, "arguments": "{}" } });
            json!({ "role": "assistant", "content": null, "tool_calls": [identified(call, "id", id)] })
        }
        Step::Result { id, tool } => {
            identified(json!({ "role": "tool", "name": tool, "content": "done" }), "tool_call_id", id)
        }
    }
}

fn openai_responses(step: &Step) -> Value {
    let said = |role: &str, kind: &str, text: &str| json!({ "type": "message", "role": role, "content": [{ "type": kind, "text": text }] });
    match step {
        Step::User(text) => said("user", "input_text", text),
        Step::Assistant(text) => said("assistant", "output_text", text),
        Step::Call { id, tool } => {
            identified(json!({ "type": "function_call", "name": tool, "arguments": "{}" }), "call_id", id)
        }
        Step::Result { id, .. } => {
            identified(json!({ "type": "function_call_output", "output": "done" }), "call_id", id)
        }
    }
}

fn gemini(step: &Step) -> Value {
    let part = |role: &str, part: Value| json!({ "role": role, "parts": [part] });
    match step {
        Step::User(text) => part("user", json!({ "text": text })),
        Step::Assistant(text) => part("model", json!({ "text": text })),
        Step::Call { id, tool } => part(
            "model",
            json!({ "functionCall": identified(json!({ "name": tool, "args": {} }), "id", id) }),
        ),
        Step::Result { id, tool } => {
            let response = json!({ "name": tool, "response": { "result": "done" } });
            part("user", json!({ "functionResponse": identified(response, "id", id) }))
        }
    }
}
