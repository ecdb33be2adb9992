//! `{instructions, input}`, a list of items or `{output}` to our messages.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::items::{item_speaker, item_type};
use super::media;
use crate::json::{self, Object};
use crate::provider::body::{arguments, entries, object_at, refused, text_at, text_or_blocks, type_of};
use crate::provider::fields::rest;
use crate::provider::item::{Answer, Call, Item, Speaker};
use crate::provider::write::{Cut, write};
use crate::provider::{Part, Provider, ProviderFields, ToolNames};
use crate::{Message, Result};

/// Reads a request body, a list of items, or the output of a response.
pub fn decode(body: &Value, names: &dyn ToolNames, first_turn: u64) -> Result<Vec<Message>> {
    let mut items = Vec::new();
    if let Some(instructions) = body.get("instructions").and_then(Value::as_str) {
        items.push(Item::say(0, Speaker::System, Part::text(instructions)));
    }
    for (place, item) in input(body)?.iter().enumerate() {
        let index = place + 1;
        let object = object_at(item, || format!("input.{place}"))?;
        match item_type(item) {
            "message" => items.extend(said(index, item, object)?),
            "function_call" => items.push(Item::call(index, call(object))),
            "function_call_output" => items.push(Item::answer(index, answer(place, object)?)),
            kind => {
                items.push(Item::say(index, item_speaker(kind), opaque(item)));
            }
        }
    }
    Ok(write(items, Cut::Messages, names, first_turn))
}

fn input(body: &Value) -> Result<Cow<'_, [Value]>> {
    if let Some(text) = body.get("input").and_then(Value::as_str) {
        return Ok(Cow::Owned(vec![json!({ "role": "user", "content": text })]));
    }
    let items = entries(body, "input").or_else(|| entries(body, "output"));
    items
        .map(|items| Cow::Borrowed(items.as_slice()))
        .ok_or_else(|| refused("input", "must be text or a list of items"))
}

fn said(index: usize, item: &Value, object: &Object) -> Result<Vec<Item>> {
    let place = index - 1;
    let speaker = json::text(object, "role").and_then(Speaker::of_role);
    let speaker = speaker.ok_or_else(|| {
        refused(format!("input.{place}.role"), "must be system, developer, user or assistant")
    })?;
    let content = object.get("content").unwrap_or(&Value::Null);
    let parts = text_or_blocks(content, "input_text")
        .ok_or_else(|| refused(format!("input.{place}.content"), "must be text or a list of parts"))?;
    let message = rest(object, &["type", "role", "content"]);
    let mut items: Vec<Item> = parts.iter().map(|value| Item::say(index, speaker, part(value))).collect();
    match items.iter_mut().find_map(|item| item.fields_mut()) {
        Some(holder) => {
            let block = holder.take().map(|fields| fields.block).unwrap_or_default();
            *holder = ProviderFields::of(Provider::OpenaiResponses.word(), block, message);
            Ok(items)
        }
        // Nothing of it has a word of ours: it is kept whole.
        None => Ok(vec![Item::say(index, speaker, opaque(item))]),
    }
}

fn opaque(block: &Value) -> Part {
    Part::Opaque { provider: Provider::OpenaiResponses.word().to_owned(), block: block.clone() }
}

fn part(value: &Value) -> Part {
    match (type_of(value), value.get("text").and_then(Value::as_str)) {
        ("input_text" | "output_text" | "text", Some(text)) => {
            let block = value.as_object().map(|part| rest(part, &["type", "text"])).unwrap_or_default();
            let fields = ProviderFields::of(Provider::OpenaiResponses.word(), block, Object::new());
            Part::Text { text: text.to_owned(), fields }
        }
        _ => media::from_part(value).unwrap_or_else(|| opaque(value)),
    }
}

fn call(item: &Object) -> Call {
    let (parameters, unread) = arguments(item.get("arguments"));
    let text = |key| json::text(item, key).unwrap_or_default().to_owned();
    let block = rest(item, &["type", "call_id", "name", "arguments"]);
    Call {
        id: text("call_id"),
        name: text("name"),
        parameters,
        unread,
        turn: None,
        fields: ProviderFields::of(Provider::OpenaiResponses.word(), block, Object::new()),
    }
}

fn answer(place: usize, item: &Object) -> Result<Answer> {
    let output = item.get("output").unwrap_or(&Value::Null);
    let parts = text_or_blocks(output, "input_text")
        .ok_or_else(|| refused(format!("input.{place}.output"), "must be text or a list of parts"))?;
    let block = rest(item, &["type", "call_id", "output"]);
    Ok(Answer {
        id: text_at(&Value::Object(item.clone()), "call_id").to_owned(),
        name: String::new(),
        content: parts.iter().map(part).filter(|part| *part != Part::text("")).collect(),
        success: None,
        fields: ProviderFields::of(Provider::OpenaiResponses.word(), block, Object::new()),
    })
}
