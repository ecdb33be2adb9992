//! Messages to `{messages}`.

use serde_json::{Value, json};

use super::media;
use super::parts::{CALL_IDS, content_refusal, refusal};
use crate::Message;
use crate::json::Object;
use crate::provider::body::{text_or_list, type_of};
use crate::provider::encoded::Losses;
use crate::provider::fields::{merge_missing, restored};
use crate::provider::item::{Answer, Call, Item, Speaker, What};
use crate::provider::prepare::{Prepared, prepare};
use crate::provider::segment::{Prior, Segment};
use crate::provider::{Encoded, Part, Provider, ProviderFields, ToolNames};

/// Writes a transcript as `{messages}`.
pub fn encode(messages: &[Message], names: &dyn ToolNames) -> Encoded {
    segment(messages, names, &Prior::default()).into()
}

/// Writes messages that follow others.
pub(in crate::provider) fn segment(messages: &[Message], names: &dyn ToolNames, prior: &Prior) -> Segment {
    let prepared = prepare(messages, Provider::OpenaiChat, CALL_IDS, names, prior);
    let Prepared { items, losses, reported } = prepared;
    let mut writer = Writer { draft: Draft::default(), messages: Vec::new(), losses };
    for item in items {
        writer.add(item);
    }
    writer.flush();
    let body = Object::from_iter([("messages".to_owned(), Value::Array(writer.messages))]);
    Segment::new(body, writer.losses, reported)
}

/// A message that is still growing.
#[derive(Default)]
struct Draft {
    of: Option<(Speaker, usize)>,
    parts: Vec<Value>,
    calls: Vec<Value>,
    fields: Object,
    /// How many parts and calls it has that can hold the fields of the message.
    holders: usize,
}

struct Writer {
    draft: Draft,
    messages: Vec<Value>,
    losses: Losses,
}

impl Writer {
    fn add(&mut self, item: Item) {
        let Item { index, speaker, what } = item;
        match what {
            What::Say(part) => self.add_part(index, speaker, part),
            What::Call(call) => self.add_call(index, call),
            What::Answer(answer) => {
                self.flush();
                let message = self.answer_message(index, answer);
                self.messages.push(message);
            }
        }
    }

    /// Each message of ours is one of theirs, except that a turn with calls is one message to its end.
    fn begin(&mut self, index: usize, speaker: Speaker) {
        let goes_on = match self.draft.of {
            Some((Speaker::Assistant, _)) if !self.draft.calls.is_empty() => speaker == Speaker::Assistant,
            of => of == Some((speaker, index)),
        };
        if !goes_on {
            self.flush();
            self.draft.of = Some((speaker, index));
        }
    }

    fn add_part(&mut self, index: usize, speaker: Speaker, part: Part) {
        if let Part::Opaque { block, .. } = &part
            && block.get("role").is_some()
        {
            return self.add_verbatim(index, speaker, block);
        }
        let holder = match &part {
            Part::Text { fields, .. } | Part::Media { fields, .. } => Some(fields.clone()),
            Part::Opaque { .. } => None,
        };
        let Some(value) = said_part(index, speaker, part, &mut self.losses) else { return };
        self.begin(index, speaker);
        if !self.draft.calls.is_empty() {
            self.losses.note(
                index,
                "place of a text",
                "Chat Completions put all text before the calls of a turn",
            );
        }
        self.draft.parts.push(value);
        if let Some(fields) = holder {
            self.keep_message_fields(index, fields.as_ref());
        }
    }

    fn add_call(&mut self, index: usize, call: Call) {
        // Calls belong to what was said just before them in the same turn.
        if !matches!(self.draft.of, Some((Speaker::Assistant, _))) {
            self.begin(index, Speaker::Assistant);
        }
        self.draft.calls.push(call_value(&call));
        self.keep_message_fields(index, call.fields.as_ref());
    }

    /// A whole message we have no words for, such as a refusal.
    fn add_verbatim(&mut self, index: usize, speaker: Speaker, message: &Value) {
        let in_step = speaker == Speaker::Assistant && !self.draft.calls.is_empty();
        let fits = message.get("role") == Some(&json!(speaker.word()))
            && message.get("tool_calls").is_none()
            && content_refusal(message).is_none();
        if in_step || !fits {
            self.losses.note(index, "opaque message", "Chat Completions would refuse it here");
            return;
        }
        self.flush();
        self.messages.push(message.clone());
    }

    /// The fields of a message are kept on the first part or call of it that can hold them.
    fn keep_message_fields(&mut self, index: usize, fields: Option<&ProviderFields>) {
        self.draft.holders += 1;
        let Some(fields) = fields.filter(|fields| !fields.message.is_empty()) else { return };
        if self.draft.holders == 1 {
            merge_missing(&mut self.draft.fields, &fields.message);
        } else {
            let why = "it became a later part of a message, and only the first brings such fields";
            self.losses.note(index, fields.names(), why);
        }
    }

    fn answer_message(&mut self, index: usize, answer: Answer) -> Value {
        if answer.failed() {
            self.losses.note(
                index,
                "failure of a result",
                "Chat Completions have no mark for it; its text is sent",
            );
        }
        let parts: Vec<Value> = answer
            .content
            .into_iter()
            .filter_map(|part| match part {
                Part::Text { .. } => said_part(index, Speaker::User, part, &mut self.losses),
                Part::Media { .. } | Part::Opaque { .. } => {
                    self.losses.note(index, "medium of a result", "a tool message takes only text");
                    None
                }
            })
            .collect();
        let content = text_or_list(parts).unwrap_or_else(|| json!(""));
        let mut message = json!({ "role": "tool", "tool_call_id": answer.id, "content": content });
        if let (Some(message), Some(fields)) = (message.as_object_mut(), &answer.fields) {
            merge_missing(message, &fields.message);
        }
        message
    }

    fn flush(&mut self) {
        let Draft { of, parts, calls, fields, .. } = std::mem::take(&mut self.draft);
        let Some((speaker, _)) = of else { return };
        if parts.is_empty() && calls.is_empty() {
            return;
        }
        let content = text_or_list(parts).unwrap_or_default();
        let mut message = json!({ "role": speaker.word(), "content": content });
        if let Some(message) = message.as_object_mut() {
            if !calls.is_empty() {
                message.insert("tool_calls".into(), Value::Array(calls));
            }
            merge_missing(message, &fields);
        }
        self.messages.push(message);
    }
}

fn said_part(index: usize, speaker: Speaker, part: Part, losses: &mut Losses) -> Option<Value> {
    let value = match part {
        Part::Text { text, fields } => restored(json!({ "type": "text", "text": text }), fields.as_ref()),
        Part::Media { media, fields } => media::to_part(index, &media, fields.as_ref(), losses)?,
        Part::Opaque { block, .. } if type_of(&block) == "text" => {
            losses.note(index, "text part", "it is not opaque");
            return None;
        }
        Part::Opaque { block, .. } => block,
    };
    if let Some((_, why)) = refusal(&value, speaker.word()) {
        losses.note(index, format!("{} part", type_of(&value)), why);
        return None;
    }
    Some(value)
}

fn call_value(call: &Call) -> Value {
    let custom =
        call.fields.as_ref().is_some_and(|fields| fields.block.get("type") == Some(&json!("custom")));
    let value = match call.parameters.get("input").and_then(Value::as_str) {
        Some(input) if custom && call.parameters.len() == 1 => {
            json!({ "id": call.id, "type": "custom", "custom": { "name": call.name, "input": input } })
        }
        _ => {
            let arguments = Value::Object(call.parameters.clone()).to_string();
            let function = json!({ "name": call.name, "arguments": arguments });
            json!({ "id": call.id, "type": "function", "function": function })
        }
    };
    restored(value, call.fields.as_ref())
}
