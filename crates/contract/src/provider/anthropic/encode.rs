//! Messages to `{system, messages}`.

use serde_json::{Value, json};

use super::blocks::{CALL_IDS, is_thinking, refusal};
use super::{media, server_tools};
use crate::Message;
use crate::json::Object;
use crate::provider::body::{OPENING, text_or_list, type_of};
use crate::provider::encoded::Losses;
use crate::provider::fields::restored;
use crate::provider::item::{Answer, Call, Item, Speaker, What};
use crate::provider::prepare::{Prepared, prepare};
use crate::provider::segment::{Fit, Prior, Segment};
use crate::provider::{Encoded, Part, Provider, ToolNames, system};

/// A block, who says it, and the message it comes from.
struct Block {
    index: usize,
    speaker: Speaker,
    value: Value,
}

/// Writes a transcript as `{system?, messages}`.
pub fn encode(messages: &[Message], names: &dyn ToolNames) -> Encoded {
    segment(messages, names, &Prior::default()).into()
}

/// Writes messages that follow others.
pub(in crate::provider) fn segment(messages: &[Message], names: &dyn ToolNames, prior: &Prior) -> Segment {
    let prepared = prepare(messages, Provider::Anthropic, CALL_IDS, names, prior);
    let Prepared { items, mut losses, reported } = prepared;
    let (system, talk) = system::split(items, Provider::Anthropic, prior, &mut losses);
    let blocks: Vec<Block> = talk.into_iter().filter_map(|item| block(item, &mut losses)).collect();
    // A server tool's result may follow in a later turn, so its use cannot be judged yet.
    let fit =
        if blocks.iter().any(|block| server_tools::is_part(&block.value)) { Fit::Open } else { Fit::Closed };
    let blocks = paired_server_tools(blocks, &mut losses);
    let blocks = without_last_thinking(blocks, &mut losses);
    let mut body = Object::new();
    if !system.is_empty() {
        body.insert("system".into(), Value::Array(system));
    }
    body.insert("messages".into(), turns(blocks, prior, &mut losses));
    Segment { fit, ..Segment::new(body, losses, reported) }
}

fn block(item: Item, losses: &mut Losses) -> Option<Block> {
    let Item { index, speaker, what } = item;
    let value = match what {
        What::Say(part) => said_block(index, speaker, part, losses)?,
        What::Call(call) => call_block(call),
        What::Answer(answer) => answer_block(index, answer, losses),
    };
    Some(Block { index, speaker, value })
}

fn said_block(index: usize, speaker: Speaker, part: Part, losses: &mut Losses) -> Option<Value> {
    let value = match part {
        Part::Text { text, fields } => restored(json!({ "type": "text", "text": text }), fields.as_ref()),
        Part::Media { media, fields } => media::to_block(index, &media, fields.as_ref(), losses)?,
        Part::Opaque { block, .. } => {
            if matches!(type_of(&block), "text" | "tool_use" | "tool_result") {
                losses.note(index, format!("{} block", type_of(&block)), "it is not opaque");
                return None;
            }
            block
        }
    };
    if let Some((_, why)) = refusal(&value, speaker) {
        losses.note(index, format!("{} block", type_of(&value)), why);
        return None;
    }
    Some(value)
}

fn call_block(call: Call) -> Value {
    let block = json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": call.parameters });
    restored(block, call.fields.as_ref())
}

fn answer_block(index: usize, answer: Answer, losses: &mut Losses) -> Value {
    let mut block = json!({ "type": "tool_result", "tool_use_id": answer.id });
    let failed = answer.failed();
    let parts = answer.content.into_iter();
    let content = parts.filter_map(|part| said_block(index, Speaker::User, part, losses)).collect();
    if let Some(map) = block.as_object_mut() {
        if let Some(content) = text_or_list(content) {
            map.insert("content".into(), content);
        }
        if failed {
            map.insert("is_error".into(), true.into());
        }
    }
    restored(block, answer.fields.as_ref())
}

/// Drops server tool blocks without their partner.
fn paired_server_tools(blocks: Vec<Block>, losses: &mut Losses) -> Vec<Block> {
    let last_turn =
        blocks.iter().rposition(|block| block.speaker == Speaker::User).map_or(0, |last| last + 1);
    let lonely =
        server_tools::lonely(blocks.iter().map(|block| &block.value), |position| position >= last_turn);
    let mut kept: Vec<Option<Block>> = blocks.into_iter().map(Some).collect();
    for misplaced in lonely {
        if let Some(block) = kept.get_mut(misplaced.position).and_then(Option::take) {
            losses.note(block.index, format!("{} block", type_of(&block.value)), misplaced.why);
        }
    }
    kept.into_iter().flatten().collect()
}

/// Drops thinking that led to nothing: Anthropic refuses it at the end of a turn.
fn without_last_thinking(blocks: Vec<Block>, losses: &mut Losses) -> Vec<Block> {
    let mut kept = Vec::with_capacity(blocks.len());
    let mut next_speaker = None;
    for block in blocks.into_iter().rev() {
        let last_of_turn = next_speaker != Some(block.speaker);
        if last_of_turn && is_thinking(&block.value) {
            let why = "nothing follows it in its turn, and Anthropic refuses that";
            losses.note(block.index, format!("{} block", type_of(&block.value)), why);
            continue;
        }
        next_speaker = Some(block.speaker);
        kept.push(block);
    }
    kept.reverse();
    kept
}

/// One message a turn, the user first.
fn turns(blocks: Vec<Block>, prior: &Prior, losses: &mut Losses) -> Value {
    let mut messages = Vec::new();
    if !prior.begun && blocks.first().is_some_and(|block| block.speaker == Speaker::Assistant) {
        losses.note(0, "beginning", "Anthropic wants the user to speak first; a placeholder is sent");
        messages.push(json!({ "role": "user", "content": [{ "type": "text", "text": OPENING }] }));
    }
    let last = blocks.last().map(|block| (block.index, block.speaker));
    for turn in blocks.chunk_by(|left, right| left.speaker == right.speaker) {
        let Some(first) = turn.first() else { continue };
        messages.push(json!({ "role": first.speaker.word(), "content": content(turn, losses) }));
    }
    if let Some((index, Speaker::Assistant)) = last {
        trim_end(messages.last_mut(), index, losses);
    }
    Value::Array(messages)
}

/// The blocks of a turn; calls go behind what server tools did, where Anthropic looks for them.
fn content(turn: &[Block], losses: &mut Losses) -> Vec<Value> {
    let behind = server_tools::behind_calls(turn.iter().map(|block| &block.value));
    let mut blocks: Vec<&Block> = turn.iter().collect();
    if let Some(last) = behind.last() {
        let (mut front, back): (Vec<&Block>, Vec<&Block>) =
            (turn.iter().take(last + 1).collect(), turn.iter().skip(last + 1).collect());
        // The sort is stable: calls keep their order, and so does everything else.
        front.sort_by_key(|block| type_of(&block.value) == "tool_use");
        for block in front.iter().filter(|block| type_of(&block.value) == "tool_use") {
            losses.note(block.index, "place of a call", "Anthropic wants calls behind its server tools");
        }
        front.extend(back);
        blocks = front;
    }
    blocks.into_iter().map(|block| block.value.clone()).collect()
}

/// A last message of the assistant is a beginning for the model to go on with, and must not end blank.
fn trim_end(message: Option<&mut Value>, index: usize, losses: &mut Losses) {
    let blocks = message.and_then(|message| message.get_mut("content")).and_then(Value::as_array_mut);
    let Some(Value::String(text)) = blocks.and_then(|blocks| blocks.last_mut()?.get_mut("text")) else {
        return;
    };
    if text.ends_with(char::is_whitespace) {
        text.truncate(text.trim_end().len());
        losses.note(index, "trailing whitespace", "Anthropic refuses it at the end of the last message");
    }
}
