//! `{systemInstruction, contents}`, a list of contents or `{candidates}` to our messages.

use serde_json::{Value, json};

use super::encode::is_wrapped;
use super::media;
use crate::json::{self, Object};
use crate::provider::body::{arguments, entries, object_at, refused, text_at};
use crate::provider::fields::rest;
use crate::provider::item::{Answer, Call, Item, Speaker};
use crate::provider::write::{Cut, write};
use crate::provider::{Part, Provider, ProviderFields, ToolNames};
use crate::{Message, Result};

/// Reads a request body, a list of contents, or the first candidate of a response.
pub fn decode(body: &Value, names: &dyn ToolNames, first_turn: u64) -> Result<Vec<Message>> {
    let mut items = Vec::new();
    let mut index = 0;
    let system = body.get("systemInstruction").or_else(|| body.get("system_instruction"));
    for part in system.and_then(|system| system.get("parts")?.as_array()).into_iter().flatten() {
        // Each part of the instructions is a message of its own.
        items.push(Item::say(index, Speaker::System, said(part)));
        index += 1;
    }
    for (place, content) in contents(body)?.iter().enumerate() {
        let content = object_at(content, || format!("contents.{place}"))?;
        let speaker = match json::text(content, "role") {
            None | Some("user" | "function") => Speaker::User,
            Some("model") => Speaker::Assistant,
            Some(_) => return Err(refused(format!("contents.{place}.role"), "must be user or model")),
        };
        let parts = match content.get("parts") {
            None | Some(Value::Null) => &[],
            Some(Value::Array(parts)) => parts.as_slice(),
            Some(_) => return Err(refused(format!("contents.{place}.parts"), "must be a list")),
        };
        items.extend(parts.iter().map(|part| item(index + place, speaker, part)));
    }
    Ok(write(items, Cut::Turns, names, first_turn))
}

fn contents(body: &Value) -> Result<&[Value]> {
    if let Some(content) = body.pointer("/candidates/0/content") {
        return Ok(std::slice::from_ref(content));
    }
    if let Some(contents) = entries(body, "contents") {
        return Ok(contents);
    }
    Err(refused("contents", "must be a list"))
}

fn item(index: usize, speaker: Speaker, part: &Value) -> Item {
    let object = part.as_object();
    let function = |key| object.and_then(|part| json::object(part, key));
    if let (Some(part), Some(call)) = (object, function("functionCall")) {
        return Item::call(index, read_call(part, call));
    }
    if let (Some(part), Some(response)) = (object, function("functionResponse")) {
        return Item::answer(index, read_answer(part, response));
    }
    Item::say(index, speaker, said(part))
}

fn opaque(part: &Value) -> Part {
    Part::Opaque { provider: Provider::Gemini.word().to_owned(), block: part.clone() }
}

/// Thoughts are shown to people but are not what the model says: they stay opaque.
fn said(part: &Value) -> Part {
    let thought = part.get("thought") == Some(&Value::Bool(true));
    match (part.as_object(), part.get("text").and_then(Value::as_str)) {
        (Some(object), Some(text)) if !thought => {
            Part::Text { text: text.to_owned(), fields: fields(rest(object, &["text"])) }
        }
        (Some(_), None) if !thought => media::from_part(part).unwrap_or_else(|| opaque(part)),
        _ => opaque(part),
    }
}

fn fields(block: Object) -> Option<ProviderFields> {
    ProviderFields::of(Provider::Gemini.word(), block, Object::new())
}

/// What stands beside a function and inside it that we have no word for.
fn beside(part: &Object, key: &str, function: &Object, known: &[&str]) -> Option<ProviderFields> {
    let mut block = rest(part, &[key]);
    let inner = rest(function, known);
    if !inner.is_empty() {
        block.insert(key.to_owned(), Value::Object(inner));
    }
    fields(block)
}

fn read_call(part: &Object, call: &Object) -> Call {
    let (parameters, unread) = arguments(call.get("args"));
    let text = |key| json::text(call, key).unwrap_or_default().to_owned();
    Call {
        id: text("id"),
        name: text("name"),
        parameters,
        unread,
        turn: None,
        fields: beside(part, "functionCall", call, &["id", "name", "args"]),
    }
}

fn read_answer(part: &Object, function: &Object) -> Answer {
    let response = function.get("response").cloned().unwrap_or_else(|| json!({}));
    let failed = is_wrapped(&response) && response.get("error").is_some();
    let text = match is_wrapped(&response) {
        true => format!("{}{}", text_at(&response, "output"), text_at(&response, "error")),
        false => response.to_string(),
    };
    let parts = json::list(function, "parts").into_iter().flatten();
    let mut content: Vec<Part> = if text.is_empty() { Vec::new() } else { vec![Part::text(text)] };
    content.extend(parts.map(said));
    let name = |key| json::text(function, key).unwrap_or_default().to_owned();
    Answer {
        id: name("id"),
        name: name("name"),
        content,
        success: Some(!failed),
        fields: beside(part, "functionResponse", function, &["id", "name", "response", "parts"]),
    }
}
