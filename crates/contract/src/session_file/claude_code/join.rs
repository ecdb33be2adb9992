//! Putting the pieces of an answer together again.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::entry::{Entry, Role};

/// The messages of the entries on the road.
pub(super) fn join<'a>(entries: impl Iterator<Item = &'a Entry<'a>>) -> Vec<Value> {
    let mut messages: Vec<Message<'a>> = Vec::new();
    let mut begun: HashMap<&str, usize> = HashMap::new();
    for entry in entries {
        let before = entry.message_id.and_then(|id| begun.get(id)).and_then(|place| messages.get_mut(*place));
        match before {
            Some(message) => message.add(entry),
            None => {
                if let (Some(id), Role::Assistant) = (entry.message_id, entry.role) {
                    begun.insert(id, messages.len());
                }
                messages.push(Message::begin(entry));
            }
        }
    }
    messages.into_iter().map(Message::into_value).collect()
}

struct Message<'a> {
    role: Role,
    content: Content<'a>,
}

enum Content<'a> {
    Whole(&'a Value),
    Blocks(Vec<&'a Value>),
}

impl<'a> Message<'a> {
    fn begin(entry: &Entry<'a>) -> Self {
        let content = match (entry.content, entry.role) {
            (Value::Array(blocks), Role::Assistant) => Content::Blocks(blocks.iter().collect()),
            (content, _) => Content::Whole(content),
        };
        Self { role: entry.role, content }
    }

    /// Adds a later piece. A block that is there already is not said twice; a call that is there already is
    /// the same call, and its last form is the whole one.
    fn add(&mut self, entry: &Entry<'a>) {
        let Content::Blocks(blocks) = &mut self.content else { return };
        for block in entry.blocks() {
            let same = |known: &&mut &'a Value| {
                **known == block || (call_id(known).is_some() && call_id(known) == call_id(block))
            };
            match blocks.iter_mut().find(same) {
                Some(known) => *known = block,
                None => blocks.push(block),
            }
        }
    }

    fn into_value(self) -> Value {
        let content = match self.content {
            Content::Whole(content) => content.clone(),
            Content::Blocks(blocks) => blocks.into_iter().cloned().collect(),
        };
        json!({ "role": self.role.word(), "content": content })
    }
}

fn call_id(block: &Value) -> Option<&str> {
    let is_call = block.get("type").and_then(Value::as_str) == Some("tool_use");
    block.get("id").and_then(Value::as_str).filter(|_| is_call)
}
