//! A transcript in a provider's format that grows at its end.
//!
//! A run sends its whole transcript with every request, and only the end of it is new. [`Growing`] holds the
//! finished steps as the text that is sent, so that a request costs what is new in it. What it writes is what
//! [`repair_owned`](super::repair_owned) and [`Provider::encode`] give for the whole transcript.

use std::collections::HashSet;

use serde_json::Value;

use super::encoded::Loss;
use super::flatten::merged_parts;
use super::order::turn_of;
use super::repair::{PairIds, repair_after};
use super::segment::{Fit, Prior, Segment};
use super::{Change, Provider, RepairMode, ToolNames};
use crate::Message;
use crate::json::Object;
use crate::message::MessageType;
use crate::tool_pair::partners;

/// The finished steps of a transcript, as one provider reads them.
#[derive(Debug)]
pub struct Growing {
    provider: Provider,
    mode: RepairMode,
    /// Whether more steps may be finished; not after one that depends on what follows it.
    closes: bool,
    /// How many messages are finished, as they came and as they were repaired.
    given: usize,
    repaired: usize,
    ids: PairIds,
    prior: Prior,
    /// The keys of the request beside the list of messages.
    head: Object,
    /// The items of that list, separated by commas.
    items: String,
    losses: Vec<Loss>,
    changes: Vec<Change>,
}

/// A transcript as it is sent: the finished steps as text, the rest as values.
#[derive(Debug)]
pub struct Grown<'a> {
    /// The finished items of the list [`Provider::messages_key`], as JSON separated by commas.
    pub items: &'a str,
    /// The keys of the request; the list holds the items behind the finished ones.
    pub body: Object,
    closed: &'a Growing,
    losses: Vec<Loss>,
    changes: Vec<Change>,
}

impl Growing {
    /// An empty transcript. Calls without a result are treated as `mode` says.
    pub fn new(provider: Provider, mode: RepairMode) -> Self {
        Self {
            provider,
            mode,
            closes: true,
            given: 0,
            repaired: 0,
            ids: PairIds::default(),
            prior: Prior::default(),
            head: Object::new(),
            items: String::new(),
            losses: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// The provider.
    pub fn provider(&self) -> Provider {
        self.provider
    }

    /// The finished items of the list [`Provider::messages_key`], as JSON separated by commas.
    pub fn items(&self) -> &str {
        &self.items
    }

    /// How many messages are finished. They are not given again.
    pub fn len(&self) -> usize {
        self.given
    }

    /// Whether no message is finished.
    pub fn is_empty(&self) -> bool {
        self.given == 0
    }

    /// Finishes as many of the messages behind the finished ones as possible. Returns false if they change how
    /// the finished ones are written: then the transcript must be written anew.
    #[must_use]
    pub fn close(&mut self, messages: &[Message], names: &dyn ToolNames) -> bool {
        let finished = messages.get(..closable(messages)).filter(|finished| !finished.is_empty());
        let Some(finished) = finished.filter(|_| self.closes) else { return true };
        let written = self.written(finished, names);
        match written.segment.fit {
            Fit::Closed => self.keep(finished.len(), written),
            Fit::Open => self.closes = false,
            Fit::Restart => return false,
        }
        true
    }

    /// Writes the transcript with these messages behind the finished ones; none if they change how the finished
    /// ones are written.
    pub fn write(&self, messages: &[Message], names: &dyn ToolNames) -> Option<Grown<'_>> {
        let Written { segment, changes, .. } = self.written(messages, names);
        if segment.fit == Fit::Restart {
            return None;
        }
        let mut body = self.head.clone();
        append(&mut body, segment.body);
        Some(Grown { items: &self.items, body, closed: self, losses: segment.losses, changes })
    }

    fn written(&self, messages: &[Message], names: &dyn ToolNames) -> Written {
        let (repaired, ids) = repair_after(messages, self.mode, &self.ids);
        let mut segment = self.provider.segment(&repaired.messages, names, &self.prior);
        // The repair of the whole transcript would not have made an id that a call of the model has.
        if messages.iter().any(|message| self.ids.made(message.tool_call_id())) {
            segment.fit = Fit::Restart;
        }
        segment.losses.iter_mut().for_each(|loss| loss.index += self.repaired);
        let mut changes = repaired.changes;
        changes.iter_mut().for_each(|change| change.index += self.given);
        Written { segment, ids, count: repaired.messages.len(), changes }
    }

    fn keep(&mut self, given: usize, written: Written) {
        let Written { segment: Segment { mut body, losses, settled, .. }, ids, count, changes } = written;
        if let Some(Value::Array(items)) = body.shift_remove(self.provider.messages_key()) {
            for item in items {
                if !self.items.is_empty() {
                    self.items.push(',');
                }
                self.items.push_str(&item.to_string());
            }
        }
        append(&mut self.head, body);
        self.given += given;
        self.repaired += count;
        self.ids.extend(ids);
        self.prior.extend(settled);
        self.losses.extend(losses);
        self.changes.extend(changes);
    }
}

/// A segment, and what its repair did.
struct Written {
    segment: Segment,
    ids: PairIds,
    count: usize,
    changes: Vec<Change>,
}

impl Grown<'_> {
    /// What the format cannot carry, in the order of the messages.
    pub fn losses(&self) -> impl Iterator<Item = &Loss> {
        self.closed.losses.iter().chain(&self.losses)
    }

    /// What the repair did, in the order of the messages.
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        self.closed.changes.iter().chain(&self.changes)
    }
}

/// The text of a request whose list `key` begins with `items`, written already.
pub fn request_text(request: &Object, key: &str, items: &str) -> String {
    let mut text = String::with_capacity(items.len() + 4096);
    for (name, value) in request {
        text.push(if text.is_empty() { '{' } else { ',' });
        text.push_str(&Value::from(name.as_str()).to_string());
        text.push(':');
        let value = value.to_string();
        match value.strip_prefix('[').filter(|_| name == key && !items.is_empty()) {
            Some("]") => text.extend(["[", items, "]"]),
            Some(rest) => text.extend(["[", items, ",", rest]),
            None => text.push_str(&value),
        }
    }
    text.push_str(if text.is_empty() { "{}" } else { "}" });
    text
}

/// Adds the keys of one request to those of another: lists grow.
fn append(body: &mut Object, more: Object) {
    for (key, value) in more {
        match (body.get_mut(&key), value) {
            (Some(Value::Array(list)), Value::Array(more)) => list.extend(more),
            (Some(Value::Object(inner)), Value::Object(more)) => append(inner, more),
            (_, value) => {
                body.insert(key, value);
            }
        }
    }
}

/// How many of these messages are finished: they end with a result, each call among them has its result and each
/// result its call, and the assistant goes on behind them with the calls of another step.
fn closable(messages: &[Message]) -> usize {
    let Ok(partners) = partners(messages);
    let mut turns = HashSet::new();
    // Where the messages before could end, and how many of them are finished for sure.
    let (mut end, mut count) = (None, 0);
    let mut furthest = 0;
    for (position, (message, partner)) in messages.iter().zip(partners).enumerate() {
        match (message.kind, partner) {
            (MessageType::ToolCall, Some(result)) => {
                let turn = turn_of(message);
                let is_new = turn.is_none_or(|turn| !turns.contains(&turn));
                count = end.filter(|_| is_new).unwrap_or(count);
                turns.extend(turn);
                furthest = furthest.max(result);
                end = None;
            }
            (MessageType::ToolResult, Some(_)) => end = (furthest <= position).then_some(position + 1),
            (MessageType::Text | MessageType::MultimodalPart, _) if merged_parts(message).is_none() => {
                // What the user says joins the results before it in some formats.
                end = end.filter(|_| message.role() == "assistant");
            }
            // Anything else is rare, and its place can depend on what follows.
            _ => break,
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::provider::IdentityNames;
    use strum::VariantArray as _;

    fn step(turn: u64, id: &str) -> [Message; 2] {
        let metadata = || Object::from_iter([("tool_call_id".to_owned(), json!(id))]);
        let call = Message::tool_call("", "find", Object::new(), turn, metadata());
        [call, Message::tool_result("found", "find", Object::new(), metadata())]
    }

    #[test]
    fn every_step_but_the_last_is_finished() {
        for id in ["unique", "repeated"] {
            for provider in Provider::VARIANTS {
                let mut growing = Growing::new(*provider, RepairMode::Synthesise);
                let mut messages = vec![Message::text("user", "go")];
                for turn in 1..=20 {
                    let id = if id == "unique" { format!("call_{turn}") } else { "call".to_owned() };
                    messages.extend(step(turn, &id));
                    let new = messages.get(growing.len()..).unwrap();
                    assert!(new.len() <= 5, "{provider}, turn {turn}: {} messages to write", new.len());
                    assert!(growing.close(new, &IdentityNames));
                }
                assert_eq!(growing.len(), messages.len() - 2, "{provider}");
            }
        }
    }
}
