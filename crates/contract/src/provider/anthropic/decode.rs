//! `{system, messages}`, a list of messages or a response to our messages.

use serde_json::Value;

use super::media;
use crate::json::{self, Object};
use crate::provider::body::{arguments, object_at, refused, text_at, text_or_blocks, type_of};
use crate::provider::fields::rest;
use crate::provider::item::{Answer, Call, Item, Speaker, What};
use crate::provider::write::{Cut, write};
use crate::provider::{Part, Provider, ProviderFields, ToolNames};
use crate::{Message, Result};

/// Reads a request body, a list of messages, or the message a response holds.
pub fn decode(body: &Value, names: &dyn ToolNames, first_turn: u64) -> Result<Vec<Message>> {
    let mut items = Vec::new();
    let mut index = 0;
    if let Some(system) = body.get("system") {
        let blocks =
            text_or_blocks(system, "text").ok_or_else(|| refused("system", "must be text or blocks"))?;
        for block in blocks.iter() {
            // Each block of instructions is a message of its own.
            items.push(said(index, Speaker::System, block));
            index += 1;
        }
    }
    for (place, message) in messages(body)?.iter().enumerate() {
        let message = object_at(message, || format!("messages.{place}"))?;
        let speaker = json::text(message, "role").and_then(Speaker::of_role);
        let speaker =
            speaker.ok_or_else(|| refused(format!("messages.{place}.role"), "must be user or assistant"))?;
        let content = message.get("content").unwrap_or(&Value::Null);
        let blocks = text_or_blocks(content, "text")
            .ok_or_else(|| refused(format!("messages.{place}.content"), "must be text or blocks"))?;
        items.extend(blocks.iter().map(|block| item(index + place, speaker, block)));
    }
    Ok(write(items, Cut::Turns, names, first_turn))
}

fn messages(body: &Value) -> Result<&[Value]> {
    if let Some(messages) = crate::provider::body::entries(body, "messages") {
        return Ok(messages);
    }
    if body.get("role").is_some() {
        return Ok(std::slice::from_ref(body));
    }
    Err(refused("messages", "must be a list"))
}

fn item(index: usize, speaker: Speaker, block: &Value) -> Item {
    match type_of(block) {
        "tool_use" => Item::call(index, call(block)),
        "tool_result" => Item::answer(index, answer(block)),
        _ => said(index, speaker, block),
    }
}

fn said(index: usize, speaker: Speaker, block: &Value) -> Item {
    Item { index, speaker, what: What::Say(part(block)) }
}

fn part(block: &Value) -> Part {
    let opaque = || Part::Opaque { provider: Provider::Anthropic.word().to_owned(), block: block.clone() };
    match (type_of(block), block.get("text").and_then(Value::as_str)) {
        ("text", Some(text)) => {
            Part::Text { text: text.to_owned(), fields: fields(block, &["type", "text"]) }
        }
        ("image" | "document", _) => media::from_block(block).unwrap_or_else(opaque),
        _ => opaque(),
    }
}

fn fields(block: &Value, known: &[&str]) -> Option<ProviderFields> {
    let rest = block.as_object().map(|block| rest(block, known)).unwrap_or_default();
    ProviderFields::of(Provider::Anthropic.word(), rest, Object::new())
}

fn call(block: &Value) -> Call {
    let (parameters, unread) = arguments(block.get("input"));
    Call {
        id: text_at(block, "id").to_owned(),
        name: text_at(block, "name").to_owned(),
        parameters,
        unread,
        turn: None,
        fields: fields(block, &["type", "id", "name", "input"]),
    }
}

fn answer(block: &Value) -> Answer {
    let content = block.get("content").unwrap_or(&Value::Null);
    let blocks = text_or_blocks(content, "text").unwrap_or_default();
    Answer {
        id: text_at(block, "tool_use_id").to_owned(),
        name: String::new(),
        content: blocks.iter().map(part).filter(|part| *part != Part::text("")).collect(),
        success: Some(block.get("is_error") != Some(&Value::Bool(true))),
        fields: fields(block, &["type", "tool_use_id", "content", "is_error"]),
    }
}
