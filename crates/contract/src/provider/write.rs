//! Putting items together to messages: the last step of every `decode`.
//!
//! What a message says stays one message; a call and a result each are a message of their own.

use std::collections::{HashMap, VecDeque};

use super::fields;
use super::item::{Answer, Call, Item, Speaker, What};
use super::read::UNREAD_ARGUMENTS;
use super::{Part, ProviderFields, ToolNames};
use crate::Message;
use crate::json::Object;
use crate::message::{Content, MessageType};

/// Begins every id we give a call that came without one.
pub(super) const GIVEN_ID: &str = "call-without-id-";

/// How a format cuts what the assistant says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Into messages as we know them: each stays one.
    Messages,
    /// Into whole turns: an opaque block becomes a message of its own, so that the text beside it can
    /// be read without knowing of it.
    Turns,
}

/// The messages of decoded items. Turns are counted from `first_turn`.
pub(super) fn write(mut items: Vec<Item>, cut: Cut, names: &dyn ToolNames, first_turn: u64) -> Vec<Message> {
    number_turns(&mut items, first_turn);
    give_ids(&mut items);
    name_answers(&mut items);
    let same_message = |left: &Item, right: &Item| {
        (left.index, left.speaker) == (right.index, right.speaker) && joins(left, cut) && joins(right, cut)
    };
    items.chunk_by(same_message).filter_map(|run| message(run, names)).collect()
}

/// Whether this stays with its neighbours in one message.
fn joins(item: &Item, cut: Cut) -> bool {
    match &item.what {
        What::Say(Part::Opaque { .. }) => cut == Cut::Messages || item.speaker != Speaker::Assistant,
        What::Say(Part::Text { .. } | Part::Media { .. }) => true,
        What::Call(_) | What::Answer(_) => false,
    }
}

/// Each call learns the turn it was made in: a turn ends where somebody else than the assistant speaks.
fn number_turns(items: &mut [Item], first_turn: u64) {
    let (mut turn, mut speaks) = (first_turn, false);
    for item in items {
        let assistant = item.speaker == Speaker::Assistant;
        if speaks && !assistant {
            turn = turn.saturating_add(1);
        }
        speaks = assistant;
        if let What::Call(call) = &mut item.what {
            call.turn = Some(turn);
        }
    }
}

/// Calls without an id get one from their turn and place; their answers, by name, the same: those of the nearest
/// turn before them that still waits, in order.
fn give_ids(items: &mut [Item]) {
    let mut waiting: HashMap<String, Vec<(u64, VecDeque<String>)>> = HashMap::new();
    let mut given: HashMap<u64, usize> = HashMap::new();
    for item in items {
        match &mut item.what {
            What::Call(call) if call.id.is_empty() => {
                let turn = call.turn.unwrap_or_default();
                let number = given.entry(turn).or_default();
                *number += 1;
                call.id = format!("{GIVEN_ID}{turn}-{number}");
                let turns = waiting.entry(call.name.clone()).or_default();
                match turns.last_mut().filter(|(of, _)| *of == turn) {
                    Some((_, ids)) => ids.push_back(call.id.clone()),
                    None => turns.push((turn, VecDeque::from([call.id.clone()]))),
                }
            }
            What::Answer(answer) if answer.id.is_empty() => {
                let Some(turns) = waiting.get_mut(&answer.name) else { continue };
                answer.id = turns.last_mut().and_then(|(_, ids)| ids.pop_front()).unwrap_or_default();
                turns.pop_if(|(_, ids)| ids.is_empty());
            }
            What::Call(_) | What::Answer(_) | What::Say(_) => {}
        }
    }
}

/// Answers of formats that name only the call learn the name of its tool.
fn name_answers(items: &mut [Item]) {
    let mut names: HashMap<String, String> = HashMap::new();
    for item in items {
        match &mut item.what {
            What::Call(call) => {
                names.insert(call.id.clone(), call.name.clone());
            }
            What::Answer(answer) if answer.name.is_empty() => {
                answer.name = names.get(&answer.id).cloned().unwrap_or_default();
            }
            What::Answer(_) | What::Say(_) => {}
        }
    }
}

fn message(run: &[Item], names: &dyn ToolNames) -> Option<Message> {
    let first = run.first()?;
    Some(match &first.what {
        What::Call(call) => call_message(call, names),
        What::Answer(answer) => answer_message(answer, names),
        What::Say(_) => said_message(first.speaker, run),
    })
}

fn said_message(speaker: Speaker, run: &[Item]) -> Message {
    let mut message = Message::text(speaker.word(), "");
    let parts: Vec<&Part> = run
        .iter()
        .filter_map(|item| match &item.what {
            What::Say(part) => Some(part),
            What::Call(_) | What::Answer(_) => None,
        })
        .collect();
    if let [Part::Text { text, fields }] = parts.as_slice() {
        message.content = Content::Text(text.clone());
        put_fields(&mut message.metadata, fields.as_ref());
    } else {
        message.kind = MessageType::MultimodalPart;
        message.content = Content::Structured(parts.into_iter().map(Part::to_value).collect());
    }
    message
}

fn call_message(call: &Call, names: &dyn ToolNames) -> Message {
    let mut metadata = id_metadata(&call.id);
    put_fields(&mut metadata, call.fields.as_ref());
    let turn = call.turn.unwrap_or_default();
    let name = names.canonical(&call.name);
    let mut message = Message::tool_call("", &name, call.parameters.clone(), turn, metadata);
    if let Some(unread) = &call.unread {
        message.payload.insert(UNREAD_ARGUMENTS.into(), unread.clone());
    }
    message
}

fn answer_message(answer: &Answer, names: &dyn ToolNames) -> Message {
    let mut metadata = id_metadata(&answer.id);
    put_fields(&mut metadata, answer.fields.as_ref());
    let mut payload = Object::new();
    if let Some(success) = answer.success {
        payload.insert("success".into(), success.into());
    }
    let mut message = Message::tool_result("", &names.canonical(&answer.name), payload, metadata);
    message.content = match answer.content.as_slice() {
        [] => Content::Text(String::new()),
        [Part::Text { text, fields: None }] => Content::Text(text.clone()),
        parts => Content::Structured(parts.iter().map(Part::to_value).collect()),
    };
    message
}

fn id_metadata(id: &str) -> Object {
    let mut metadata = Object::new();
    if !id.is_empty() {
        metadata.insert("tool_call_id".into(), id.into());
    }
    metadata
}

fn put_fields(metadata: &mut Object, fields: Option<&ProviderFields>) {
    if let Some(fields) = fields {
        metadata.insert(fields::KEY.into(), fields.to_value());
    }
}
