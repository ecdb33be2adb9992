//! Merging neighbours of one role into a single message that lists them as parts.

use super::{Content, Message, MessageType};
use crate::Result;
use crate::json;

/// Merges runs of neighbouring messages of one role. A run of one stays as it is; applying this twice
/// changes nothing.
pub fn coalesce(messages: &[Message]) -> Result<Vec<Message>> {
    let runs = messages.chunk_by(|left, right| left.role() == right.role());
    runs.filter_map(|run| Some(merge_run(run.first()?.clone(), run))).collect()
}

/// Merges a run into its first message, which keeps its role and metadata.
fn merge_run(mut first: Message, run: &[Message]) -> Result<Message> {
    if run.len() == 1 {
        return Ok(first);
    }
    let mut parts = Vec::new();
    for message in run {
        push_parts(&mut parts, message)?;
    }
    first.kind = MessageType::MultimodalPart;
    first.content = Content::Text(joined_text(&parts));
    first.payload = json::Object::new();
    first.payload.insert("parts".into(), parts.iter().map(Message::to_value).collect());
    (first.id, first.created_at, first.updated_at) = (None, None, None);
    Ok(first)
}

/// The parts of an already merged message join one by one; any other message is a part itself.
fn push_parts(parts: &mut Vec<Message>, message: &Message) -> Result<()> {
    let merged = Some(message).filter(|message| message.kind == MessageType::MultimodalPart);
    let Some(inner) = merged.and_then(|message| json::list(&message.payload, "parts")) else {
        parts.push(message.clone());
        return Ok(());
    };
    for part in inner.iter().filter(|part| part.is_object()) {
        parts.push(Message::parse(part)?);
    }
    Ok(())
}

fn joined_text(parts: &[Message]) -> String {
    let texts: Vec<&str> = parts
        .iter()
        .filter(|part| part.kind == MessageType::Text)
        .filter_map(|part| part.content.as_text())
        .filter(|text| !text.is_empty())
        .collect();
    texts.join("\n\n")
}
