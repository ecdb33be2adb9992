//! Messages to `{instructions, input}`.

use serde_json::{Value, json};

use super::clean::{clean, waits_for_output};
use super::items::{CALL_IDS, item_speaker, message_refusals, part_refusal};
use super::media;
use crate::Message;
use crate::json::Object;
use crate::provider::body::{text_or_list, type_of};
use crate::provider::encoded::Losses;
use crate::provider::fields::{merge_missing, restored};
use crate::provider::item::{Answer, Call, Item, Speaker, What};
use crate::provider::prepare::{Prepared, prepare};
use crate::provider::segment::{Fit, Prior, Segment};
use crate::provider::{Encoded, Part, Provider, ToolNames};

/// An item of the input and the message it comes from.
pub(super) struct Line {
    pub(super) index: usize,
    pub(super) value: Value,
    /// Whether the item goes out word for word, or is written by us.
    pub(super) verbatim: bool,
}

/// Writes a transcript as `{instructions?, input}`.
pub fn encode(messages: &[Message], names: &dyn ToolNames) -> Encoded {
    segment(messages, names, &Prior::default()).into()
}

/// Writes messages that follow others.
pub(in crate::provider) fn segment(messages: &[Message], names: &dyn ToolNames, prior: &Prior) -> Segment {
    let prepared = prepare(messages, Provider::OpenaiResponses, CALL_IDS, names, prior);
    let Prepared { items, losses, reported } = prepared;
    let mut writer = Writer { lines: Vec::new(), open: None, losses };
    for item in items {
        writer.add(item);
    }
    let Writer { mut lines, mut losses, .. } = writer;
    let fit = if lines.iter().any(waits_for_output) { Fit::Open } else { Fit::Closed };
    let item_ids = clean(&mut lines, &prior.item_ids, &mut losses);
    let mut body = Object::new();
    if !prior.begun
        && let Some(instructions) = take_instructions(&mut lines)
    {
        body.insert("instructions".into(), instructions);
    }
    body.insert("input".into(), lines.into_iter().map(|line| line.value).collect());
    let mut segment = Segment { fit, ..Segment::new(body, losses, reported) };
    segment.settled.item_ids = item_ids;
    segment
}

/// The first item, when it is one plain text of the system.
fn take_instructions(lines: &mut Vec<Line>) -> Option<Value> {
    let first = lines.first()?.value.as_object().filter(|first| first.len() == 3)?;
    let [part] = first.get("content")?.as_array()?.as_slice() else { return None };
    let plain = part.as_object().filter(|part| part.len() == 2)?;
    let text = plain.get("text").filter(|_| first.get("role") == Some(&json!("system")))?.clone();
    lines.remove(0);
    Some(text)
}

/// A message that still takes parts.
struct Open {
    of: (usize, Speaker),
    /// How many parts it has that can hold the fields of the message.
    holders: usize,
}

struct Writer {
    lines: Vec<Line>,
    open: Option<Open>,
    losses: Losses,
}

impl Writer {
    fn add(&mut self, item: Item) {
        let Item { index, speaker, what } = item;
        match what {
            What::Say(Part::Opaque { block, .. }) if !is_part(&block) => {
                self.add_verbatim(index, speaker, block);
            }
            What::Say(part) => self.add_part(index, speaker, part),
            What::Call(call) => self.close_with(index, call_item(call), false),
            What::Answer(answer) => {
                let item = answer_item(index, answer, &mut self.losses);
                self.close_with(index, item, false);
            }
        }
    }

    fn close_with(&mut self, index: usize, value: Value, verbatim: bool) {
        self.open = None;
        self.lines.push(Line { index, value, verbatim });
    }

    /// An item we have no words for.
    fn add_verbatim(&mut self, index: usize, speaker: Speaker, item: Value) {
        let kind = type_of(&item);
        let (expected, refused) = match kind {
            "message" => (item.get("role").and_then(Value::as_str), !message_refusals(&item).is_empty()),
            "" | "function_call" | "function_call_output" => (None, true),
            _ => (Some(item_speaker(kind).word()), false),
        };
        if refused {
            self.losses.note(index, format!("opaque {kind} item"), "Responses would refuse it");
            return;
        }
        if expected != Some(speaker.word()) {
            self.losses.note(index, format!("role {}", speaker.word()), "such an item has another");
        }
        self.close_with(index, item, true);
    }

    fn add_part(&mut self, index: usize, speaker: Speaker, part: Part) {
        let (holds, fields) = match &part {
            Part::Text { fields, .. } | Part::Media { fields, .. } => (1, fields.clone()),
            Part::Opaque { .. } => (0, None),
        };
        let Some(value) = said_part(index, speaker, part, &mut self.losses) else { return };
        if self.open.as_ref().is_none_or(|open| open.of != (index, speaker)) {
            let message = json!({ "type": "message", "role": speaker.word(), "content": [] });
            self.close_with(index, message, false);
            self.open = Some(Open { of: (index, speaker), holders: 0 });
        }
        let (Some(open), Some(line)) = (&mut self.open, self.lines.last_mut()) else { return };
        let Some(message) = line.value.as_object_mut() else { return };
        if let Some(content) = message.get_mut("content").and_then(Value::as_array_mut) {
            content.push(value);
        }
        open.holders += holds;
        match fields.filter(|fields| !fields.message.is_empty()) {
            Some(fields) if open.holders == 1 => merge_missing(message, &fields.message),
            Some(fields) => {
                self.losses.note(index, fields.names(), "only the first part of a message brings them");
            }
            None => {}
        }
    }
}

/// Whether an opaque block is a content part rather than an item.
fn is_part(block: &Value) -> bool {
    let kind = type_of(block);
    kind.starts_with("input_") || kind.starts_with("output_") || kind == "refusal"
}

fn said_part(index: usize, speaker: Speaker, part: Part, losses: &mut Losses) -> Option<Value> {
    let value = match part {
        Part::Text { text, fields } => {
            let kind = if speaker == Speaker::Assistant { "output_text" } else { "input_text" };
            restored(json!({ "type": kind, "text": text }), fields.as_ref())
        }
        Part::Media { media, fields } => media::to_part(index, &media, fields.as_ref(), losses)?,
        Part::Opaque { block, .. } if matches!(type_of(&block), "input_text" | "output_text") => {
            losses.note(index, format!("{} part", type_of(&block)), "it is not opaque");
            return None;
        }
        Part::Opaque { block, .. } => block,
    };
    if let Some((_, why)) = part_refusal(&value, speaker.word()) {
        losses.note(index, format!("{} part", type_of(&value)), why);
        return None;
    }
    Some(value)
}

fn call_item(call: Call) -> Value {
    let arguments = Value::Object(call.parameters).to_string();
    let item =
        json!({ "type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments });
    restored(item, call.fields.as_ref())
}

fn answer_item(index: usize, answer: Answer, losses: &mut Losses) -> Value {
    if answer.failed() {
        losses.note(index, "failure of a result", "Responses have no mark for it; its text is sent");
    }
    let parts = answer.content.into_iter();
    let parts = parts.filter_map(|part| said_part(index, Speaker::User, part, losses)).collect();
    let output = text_or_list(parts).unwrap_or_else(|| json!(""));
    let item = json!({ "type": "function_call_output", "call_id": answer.id, "output": output });
    restored(item, answer.fields.as_ref())
}
