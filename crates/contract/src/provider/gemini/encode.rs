//! Messages to `{systemInstruction, contents}`.

use serde_json::{Value, json};

use super::media;
use super::parts::{CALL_IDS, SIGNATURE, UNSIGNED, is_call, is_response, is_signed, refusal};
use crate::Message;
use crate::json::{self, Object};
use crate::provider::body::OPENING;
use crate::provider::encoded::Losses;
use crate::provider::fields::restored;
use crate::provider::item::{Answer, Call, Item, Speaker, What};
use crate::provider::prepare::{Prepared, prepare};
use crate::provider::segment::{Fit, Prior, Segment, Signatures};
use crate::provider::write::GIVEN_ID;
use crate::provider::{Encoded, Part, Provider, ToolNames, system};

/// A part, who says it, and the message it comes from.
struct Piece {
    index: usize,
    role: &'static str,
    value: Value,
}

/// Writes a transcript as `{systemInstruction?, contents}`.
pub fn encode(messages: &[Message], names: &dyn ToolNames) -> Encoded {
    segment(messages, names, &Prior::default()).into()
}

/// Writes messages that follow others.
pub(in crate::provider) fn segment(messages: &[Message], names: &dyn ToolNames, prior: &Prior) -> Segment {
    let prepared = prepare(messages, Provider::Gemini, CALL_IDS, names, prior);
    let Prepared { items, mut losses, reported } = prepared;
    let (system, talk) = system::split(items, Provider::Gemini, prior, &mut losses);
    let mut pieces: Vec<Piece> = talk.into_iter().filter_map(|item| piece(item, &mut losses)).collect();
    let (fit, signatures) = sign_calls(&mut pieces, prior.signatures, &mut losses);
    let mut body = Object::new();
    if !system.is_empty() {
        body.insert("systemInstruction".into(), json!({ "parts": system }));
    }
    body.insert("contents".into(), contents(pieces, prior, &mut losses));
    let mut segment = Segment { fit, ..Segment::new(body, losses, reported) };
    segment.settled.signatures = signatures;
    segment
}

fn piece(item: Item, losses: &mut Losses) -> Option<Piece> {
    let Item { index, speaker, what } = item;
    let role = if speaker == Speaker::Assistant { "model" } else { "user" };
    let value = match what {
        What::Say(part) => said_part(index, role, part, losses)?,
        What::Call(call) => call_part(call),
        What::Answer(answer) => answer_part(index, answer, losses),
    };
    Some(Piece { index, role, value })
}

fn said_part(index: usize, role: &str, part: Part, losses: &mut Losses) -> Option<Value> {
    let value = match part {
        Part::Text { text, fields } => restored(json!({ "text": text }), fields.as_ref()),
        Part::Media { media, fields } => media::to_part(index, &media, fields.as_ref(), losses)?,
        Part::Opaque { block, .. } if is_call(&block) || is_response(&block) => {
            losses.note(index, "function part", "it is not opaque");
            return None;
        }
        Part::Opaque { block, .. } => block,
    };
    if let Some((_, why)) = refusal(&value, role) {
        losses.note(index, "part", why);
        return None;
    }
    Some(value)
}

fn call_part(call: Call) -> Value {
    let mut function = json!({ "name": call.name, "args": call.parameters });
    put_id(&mut function, &call.id);
    restored(json!({ "functionCall": function }), call.fields.as_ref())
}

fn answer_part(index: usize, answer: Answer, losses: &mut Losses) -> Value {
    let failed = answer.failed();
    let (mut texts, mut parts) = (Vec::new(), Vec::new());
    for part in answer.content {
        match part {
            Part::Text { text, fields } => {
                if fields.is_some() || !texts.is_empty() || !parts.is_empty() {
                    losses.note(index, "text of a result", "Gemini takes one text, and media behind it");
                }
                texts.push(text);
            }
            Part::Media { media, fields } => {
                parts.extend(media::to_part(index, &media, fields.as_ref(), losses));
            }
            Part::Opaque { .. } => {
                losses.note(index, "opaque part of a result", "Gemini has no place for it");
            }
        }
    }
    let mut function = json!({ "name": answer.name, "response": response(&texts.join("\n"), failed) });
    put_id(&mut function, &answer.id);
    if let (Some(function), false) = (function.as_object_mut(), parts.is_empty()) {
        function.insert("parts".into(), Value::Array(parts));
    }
    restored(json!({ "functionResponse": function }), answer.fields.as_ref())
}

/// Data goes as the object it is, where that says the same; other text as `output` or `error`.
fn response(text: &str, failed: bool) -> Value {
    if failed {
        return json!({ "error": text });
    }
    let data = json::parse_text(text).ok().filter(|data| data.is_object() && !is_wrapped(data));
    let same = |data: &Value| {
        let written = data.to_string();
        written.as_str() == text
    };
    data.filter(same).unwrap_or_else(|| json!({ "output": text }))
}

/// Whether an object would be read as a wrapped text.
pub(super) fn is_wrapped(data: &Value) -> bool {
    let only = data.as_object().filter(|data| data.len() == 1).and_then(|data| data.iter().next());
    only.is_some_and(|(key, value)| matches!(key.as_str(), "output" | "error") && value.is_string())
}

/// Ids we gave ourselves are none of Gemini's business.
fn put_id(function: &mut Value, id: &str) {
    if let (Some(function), false) = (function.as_object_mut(), id.is_empty() || id.starts_with(GIVEN_ID)) {
        function.insert("id".into(), id.into());
    }
}

/// Where some steps of the current turn are signed, the first call of each other one must be too. A turn begins
/// behind what the user said; `prior` describes its calls before these pieces.
fn sign_calls(pieces: &mut [Piece], prior: Signatures, losses: &mut Losses) -> (Fit, Signatures) {
    let said = |piece: &Piece| piece.role == "user" && !is_response(&piece.value);
    let last_said = pieces.iter().rposition(said);
    let start = last_said.map_or(0, |last| last + 1);
    let before = if last_said.is_some() { Signatures::NoCalls } else { prior };
    let current = pieces.get_mut(start..).unwrap_or_default();
    let calls = current.iter().filter(|piece| is_call(&piece.value));
    let signed = calls.clone().any(|piece| is_signed(&piece.value));
    let called = calls.count() > 0;
    // Only the calls of the current turn have the documented value, and they have it if one call is signed.
    let fit = match (prior, last_said) {
        (Signatures::Signed { filled: true }, Some(_)) => Fit::Restart,
        (Signatures::Unsigned, None) if signed => Fit::Restart,
        (Signatures::NoCalls | Signatures::Unsigned | Signatures::Signed { .. }, _) => Fit::Closed,
    };
    let mut filled = before == Signatures::Signed { filled: true };
    if signed || matches!(before, Signatures::Signed { .. }) {
        filled |= fill_signatures(current, losses);
        return (fit, Signatures::Signed { filled });
    }
    let unsigned = called || before == Signatures::Unsigned;
    (fit, if unsigned { Signatures::Unsigned } else { Signatures::NoCalls })
}

/// Gives the first call of each unsigned step the documented value; returns whether there was one.
fn fill_signatures(current: &mut [Piece], losses: &mut Losses) -> bool {
    let mut filled = false;
    for step in current.chunk_by_mut(|left, right| left.role == right.role) {
        let Some(first) = step.iter_mut().find(|piece| is_call(&piece.value)) else { continue };
        if is_signed(&first.value) {
            continue;
        }
        if let Some(part) = first.value.as_object_mut() {
            part.insert(SIGNATURE.into(), UNSIGNED.into());
        }
        filled = true;
        let why = "Gemini wants each step signed; its documented value for calls of others is sent";
        losses.note(first.index, "missing signature of a call", why);
    }
    filled
}

/// One content for each step of the model, for its results, and for each message of the user.
fn contents(pieces: Vec<Piece>, prior: &Prior, losses: &mut Losses) -> Value {
    let mut contents = Vec::new();
    if !prior.begun && pieces.first().is_some_and(|piece| piece.role == "model") {
        losses.note(0, "beginning", "Gemini wants the user to speak first; a placeholder is sent");
        contents.push(json!({ "role": "user", "parts": [{ "text": OPENING }] }));
    }
    let together = |left: &Piece, right: &Piece| {
        let responses = (is_response(&left.value), is_response(&right.value));
        left.role == right.role
            && (left.role == "model"
                || responses == (true, true)
                || (responses == (false, false) && left.index == right.index))
    };
    for content in pieces.chunk_by(together) {
        let Some(first) = content.first() else { continue };
        let parts: Vec<&Value> = content.iter().map(|piece| &piece.value).collect();
        contents.push(json!({ "role": first.role, "parts": parts }));
    }
    Value::Array(contents)
}
