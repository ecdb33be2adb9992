//! Taking messages apart into items, and telling what of them no provider can be told.

use serde_json::Value;

use super::encoded::Losses;
use super::fields;
use super::flatten::{Flat, merged_parts};
use super::item::{Answer, Call, Item, Speaker};
use super::order::turn_of;
use super::{Part, ProviderFields};
use crate::Message;
use crate::json;
use crate::message::{Content, MessageType};

/// The payload key of a call that keeps arguments which are no JSON object.
pub(super) const UNREAD_ARGUMENTS: &str = "unread_arguments";

/// The items of some messages, in the order given.
pub(super) fn read<'a, 'm: 'a>(
    messages: impl Iterator<Item = &'a Flat<'m>>,
    losses: &mut Losses,
) -> Vec<Item> {
    let mut items = Vec::new();
    for flat in messages {
        Reader { index: flat.index, message: &flat.message, items: &mut items, losses }.read();
    }
    items
}

struct Reader<'a> {
    index: usize,
    message: &'a Message,
    items: &'a mut Vec<Item>,
    losses: &'a mut Losses,
}

impl Reader<'_> {
    fn read(&mut self) {
        if merged_parts(self.message).is_some() {
            self.lose("merged parts", "one of them is no message; only their joined text is sent");
        }
        let kind: &'static str = self.message.kind.into();
        match self.message.kind {
            MessageType::Text | MessageType::MultimodalPart => self.read_says(),
            MessageType::FinalResult | MessageType::Error => {
                self.lose(format!("type {kind}"), "providers know no such type; sent as what its role says");
                self.read_says();
            }
            MessageType::ToolCall => self.read_call(),
            MessageType::ToolResult => self.read_answer(),
            MessageType::InputRequired | MessageType::ApprovalRequired | MessageType::Delta => {
                self.lose(
                    format!("{kind} message"),
                    "it is a state of the run, and providers have no message for it",
                );
            }
        }
    }

    fn lose(&mut self, what: impl Into<String>, why: &str) {
        self.losses.note(self.index, what, why);
    }

    fn read_says(&mut self) {
        let speaker = Speaker::of_role(self.message.role()).unwrap_or_else(|| {
            let role = format!("role {}", self.message.role());
            self.lose(role, "providers know no such role; sent as the user's");
            Speaker::User
        });
        self.push_parts(speaker);
    }

    fn read_call(&mut self) {
        self.push_parts(Speaker::Assistant);
        let unread = self.message.payload.get(UNREAD_ARGUMENTS).cloned();
        if unread.is_some() {
            self.lose("arguments", "they are no JSON object, as a cut stream leaves them; none are sent");
        } else if json::present(&self.message.payload, "parameters").is_some_and(|value| !value.is_object()) {
            // An empty list is how some languages write an empty object.
            let empty_list = json::list(&self.message.payload, "parameters").is_some_and(Vec::is_empty);
            if !empty_list {
                self.lose("parameters", "they are no JSON object; none are sent");
            }
        }
        let call = Call {
            id: self.message.tool_call_id().to_owned(),
            name: self.message.tool_name().to_owned(),
            parameters: json::object_or_empty(&self.message.payload, "parameters"),
            unread,
            turn: turn_of(self.message),
            fields: self.message_fields(),
        };
        self.items.push(Item::call(self.index, call));
    }

    fn read_answer(&mut self) {
        let answer = Answer {
            id: self.message.tool_call_id().to_owned(),
            name: self.message.tool_name().to_owned(),
            content: self.answer_parts(),
            success: self.message.payload.get("success").and_then(Value::as_bool),
            fields: self.message_fields(),
        };
        self.items.push(Item::answer(self.index, answer));
    }

    /// A result is text, a list of parts, or data that a model reads as JSON.
    fn answer_parts(&mut self) -> Vec<Part> {
        let data = match &self.message.content {
            Content::Text(text) if text.is_empty() => return Vec::new(),
            Content::Text(text) => return vec![Part::text(text)],
            Content::Structured(data) => data,
        };
        let parts = data.as_array().map(|parts| parts.iter().map(Part::parse).collect());
        if let Some(Ok(parts)) = parts {
            return parts;
        }
        self.lose("structured content", "it is no list of parts; sent as JSON text");
        vec![Part::text(data.to_string())]
    }

    fn push_parts(&mut self, speaker: Speaker) {
        match &self.message.content {
            // Most calls have no text, and the fields of a call's message belong to the call.
            Content::Text(text) if self.message.kind == MessageType::ToolCall => {
                if !text.is_empty() {
                    self.push_say(speaker, Part::text(text));
                }
            }
            Content::Text(text) => {
                let fields = self.message_fields();
                self.push_say(speaker, Part::Text { text: text.clone(), fields });
            }
            Content::Structured(Value::Array(parts)) => {
                for (number, part) in parts.iter().enumerate() {
                    self.push_part(speaker, number, part);
                }
            }
            Content::Structured(part) => self.push_part(speaker, 0, part),
        }
    }

    fn push_part(&mut self, speaker: Speaker, number: usize, value: &Value) {
        match Part::parse(value) {
            Ok(part) => {
                for key in Part::unknown_keys(value) {
                    self.lose(format!("field {key} of part {number}"), "parts have no such field");
                }
                self.push_say(speaker, part);
            }
            Err(error) => self.lose(format!("part {number}"), error.message()),
        }
    }

    fn push_say(&mut self, speaker: Speaker, part: Part) {
        if matches!(&part, Part::Text { text, fields: None } if text.is_empty()) {
            self.lose("empty text", "it says nothing, and providers refuse it");
            return;
        }
        self.items.push(Item::say(self.index, speaker, part));
    }

    fn message_fields(&mut self) -> Option<ProviderFields> {
        let raw = json::present(&self.message.metadata, fields::KEY)?;
        match ProviderFields::parse(raw) {
            Ok(fields) => Some(fields),
            Err(error) => {
                self.lose("provider fields", error.message());
                None
            }
        }
    }
}
