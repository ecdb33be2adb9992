//! `{messages}`, a list of messages or `{choices}` to our messages.

use serde_json::{Value, json};

use super::media;
use crate::json::{self, Object};
use crate::provider::body::{arguments, entries, object_at, refused, text_at, text_or_blocks, type_of};
use crate::provider::fields::rest;
use crate::provider::item::{Answer, Call, Item, Speaker};
use crate::provider::write::{Cut, write};
use crate::provider::{Part, Provider, ProviderFields, ToolNames};
use crate::{Message, Result};

const KNOWN: [&str; 4] = ["role", "content", "tool_calls", "tool_call_id"];

/// Reads a request body, a list of messages, or the first choice of a response.
pub fn decode(body: &Value, names: &dyn ToolNames, first_turn: u64) -> Result<Vec<Message>> {
    let mut items = Vec::new();
    for (index, message) in messages(body)?.iter().enumerate() {
        let object = object_at(message, || format!("messages.{index}"))?;
        if json::text(object, "role") == Some("tool") {
            items.push(Item::answer(index, answer(index, object)?));
        } else {
            items.extend(said(index, message, object)?);
        }
    }
    Ok(write(items, Cut::Messages, names, first_turn))
}

fn messages(body: &Value) -> Result<&[Value]> {
    if let Some(message) = body.pointer("/choices/0/message") {
        return Ok(std::slice::from_ref(message));
    }
    if let Some(messages) = entries(body, "messages") {
        return Ok(messages);
    }
    if body.get("role").is_some() {
        return Ok(std::slice::from_ref(body));
    }
    Err(refused("messages", "must be a list"))
}

fn said(index: usize, message: &Value, object: &Object) -> Result<Vec<Item>> {
    let speaker = json::text(object, "role").and_then(Speaker::of_role);
    let speaker = speaker.ok_or_else(|| {
        refused(format!("messages.{index}.role"), "must be system, developer, user, assistant or tool")
    })?;
    let content = object.get("content").unwrap_or(&Value::Null);
    let parts = text_or_blocks(content, "text")
        .ok_or_else(|| refused(format!("messages.{index}.content"), "must be text or a list of parts"))?;
    let calls: &[Value] = json::list(object, "tool_calls").map(Vec::as_slice).unwrap_or_default();
    let spoken = parts.iter().map(part).filter(|part| calls.is_empty() || *part != Part::text(""));
    let mut items: Vec<Item> = spoken.map(|part| Item::say(index, speaker, part)).collect();
    items.extend(calls.iter().map(|value| Item::call(index, call(value))));
    let fields = rest(object, &KNOWN);
    match items.iter_mut().find_map(|item| item.fields_mut()) {
        Some(holder) => {
            let block = holder.take().map(|fields| fields.block).unwrap_or_default();
            *holder = ProviderFields::of(Provider::OpenaiChat.word(), block, fields);
            Ok(items)
        }
        // Nothing of it has a word of ours: it is kept whole.
        None => Ok(vec![Item::say(index, speaker, opaque(message))]),
    }
}

fn opaque(block: &Value) -> Part {
    Part::Opaque { provider: Provider::OpenaiChat.word().to_owned(), block: block.clone() }
}

fn part(value: &Value) -> Part {
    if let ("text", Some(text)) = (type_of(value), value.get("text").and_then(Value::as_str)) {
        let block = value.as_object().map(|part| rest(part, &["type", "text"])).unwrap_or_default();
        let fields = ProviderFields::of(Provider::OpenaiChat.word(), block, Object::new());
        return Part::Text { text: text.to_owned(), fields };
    }
    media::from_part(value).unwrap_or_else(|| opaque(value))
}

fn call(value: &Value) -> Call {
    let key = if type_of(value) == "custom" { "custom" } else { "function" };
    let mut block = value.as_object().map(|call| rest(call, &["id", "type", key])).unwrap_or_default();
    let function = value.get(key).cloned().unwrap_or_default();
    let (parameters, unread) = if key == "custom" {
        block.insert("type".into(), json!("custom"));
        let input = Object::from_iter([("input".to_owned(), json!(text_at(&function, "input")))]);
        (input, None)
    } else {
        arguments(function.get("arguments"))
    };
    Call {
        id: text_at(value, "id").to_owned(),
        name: text_at(&function, "name").to_owned(),
        parameters,
        unread,
        turn: None,
        fields: ProviderFields::of(Provider::OpenaiChat.word(), block, Object::new()),
    }
}

fn answer(index: usize, message: &Object) -> Result<Answer> {
    let content = message.get("content").unwrap_or(&Value::Null);
    let parts = text_or_blocks(content, "text")
        .ok_or_else(|| refused(format!("messages.{index}.content"), "must be text or a list of parts"))?;
    Ok(Answer {
        id: json::text(message, "tool_call_id").unwrap_or_default().to_owned(),
        name: String::new(),
        content: parts.iter().map(part).filter(|part| *part != Part::text("")).collect(),
        success: None,
        fields: ProviderFields::of(Provider::OpenaiChat.word(), Object::new(), rest(message, &KNOWN)),
    })
}
