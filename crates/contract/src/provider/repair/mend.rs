//! The repair itself: pair, name, order.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde_json::json;

use super::ids::{IdsAfter, PairIds};
use super::{Change, Mend, Repaired};
use crate::Message;
use crate::json::Object;
use crate::message::MessageType;
use crate::provider::flatten::{Flat, flatten, flatten_owned};
use crate::provider::order::arrange;
use crate::tool_pair::partners;

/// What a call that never came back answers.
const INTERRUPTED: &str = "the call was interrupted; whether it took effect is unknown";

/// What becomes of calls without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepairMode {
    /// They are dropped: the model never learns that it made them.
    Prune,
    /// They are given a result that says honestly that they were interrupted.
    Synthesise,
}

/// A call, and the result it has, by their positions.
struct Pair {
    call: usize,
    result: usize,
}

/// Makes a transcript sendable: drops results without a call, drops or answers calls without a result,
/// moves results directly behind the calls of their step, and gives each pair an id of its own.
///
/// Deterministic; repairing what is repaired changes nothing.
pub fn repair(messages: &[Message], mode: RepairMode) -> Repaired {
    mend(flatten(messages), mode, &PairIds::default()).0
}

/// Does the same to messages that are the caller's to give: none is copied.
pub fn repair_owned(messages: Vec<Message>, mode: RepairMode) -> Repaired {
    mend(flatten_owned(messages), mode, &PairIds::default()).0
}

/// Does the same to messages that follow others whose pairs have the ids `before`. Returns the ids of their own.
pub(in crate::provider) fn repair_after(
    messages: &[Message],
    mode: RepairMode,
    before: &PairIds,
) -> (Repaired, PairIds) {
    mend(flatten(messages), mode, before)
}

fn mend(flat: Vec<Flat<'_>>, mode: RepairMode, before: &PairIds) -> (Repaired, PairIds) {
    let mut work = Work { flat: Vec::new(), written: HashSet::new(), changes: Vec::new() };
    let pairs = work.pair_up(flat, mode);
    let ids = work.name(&pairs, before);
    let order = arrange(&work.flat, &partners_of(&pairs, work.flat.len()));
    work.tell_moves(&order);
    let Work { flat, mut changes, .. } = work;
    let mut flat: Vec<Option<Flat<'_>>> = flat.into_iter().map(Some).collect();
    let messages = order.into_iter().filter_map(|position| flat.get_mut(position)?.take());
    let messages = messages.map(|entry| entry.message.into_owned()).collect();
    changes.sort_by_key(|change| change.index);
    (Repaired { messages, changes }, ids)
}

struct Work<'a> {
    flat: Vec<Flat<'a>>,
    /// The positions of the results this repair wrote.
    written: HashSet<usize>,
    changes: Vec<Change>,
}

impl<'a> Work<'a> {
    fn tell(&mut self, index: usize, mend: Mend, explanation: String) {
        self.changes.push(Change { index, mend, explanation });
    }

    /// Leaves no half alone: orphans go, or calls get their result. Who was paired stays paired.
    fn pair_up(&mut self, flat: Vec<Flat<'a>>, mode: RepairMode) -> Vec<Pair> {
        let Ok(partners) = partners(&flat);
        let mut pairs = Vec::new();
        let mut calls: HashMap<usize, usize> = HashMap::new();
        for (before, (entry, partner)) in flat.into_iter().zip(partners).enumerate() {
            let now = self.flat.len();
            match (entry.message.kind, partner) {
                (MessageType::ToolCall, Some(_)) => {
                    calls.insert(before, now);
                }
                (MessageType::ToolResult, Some(call)) => {
                    pairs.extend(calls.get(&call).map(|call| Pair { call: *call, result: now }));
                }
                (MessageType::ToolCall, None) if mode == RepairMode::Synthesise => {
                    pairs.push(Pair { call: now, result: now + 1 });
                    self.written.insert(now + 1);
                    self.answer(entry);
                    continue;
                }
                (MessageType::ToolCall | MessageType::ToolResult, None) => {
                    self.drop_half(&entry);
                    continue;
                }
                _ => {}
            }
            self.flat.push(entry);
        }
        pairs.sort_by_key(|pair| pair.call);
        pairs
    }

    fn answer(&mut self, call: Flat<'a>) {
        let why = format!("call {} never got a result: answered as interrupted", label(&call.message));
        self.tell(call.index, Mend::WroteResult, why);
        let result = Flat { index: call.index, message: Cow::Owned(interrupted(&call.message)) };
        self.flat.extend([call, result]);
    }

    fn drop_half(&mut self, half: &Flat<'_>) {
        let label = label(&half.message);
        let (mend, why) = if half.message.kind == MessageType::ToolCall {
            (Mend::DroppedCall, format!("call {label} never got a result: dropped"))
        } else {
            (Mend::DroppedResult, format!("result of {label} answers no call before it: dropped"))
        };
        self.tell(half.index, mend, why);
    }

    /// Gives each pair an id that no other has, and its result the name of the tool that was called.
    fn name(&mut self, pairs: &[Pair], before: &PairIds) -> PairIds {
        let id_of = |position: &Pair| {
            self.flat.get(position.call).map(|entry| entry.message.tool_call_id().to_owned())
        };
        let known: Vec<String> = pairs.iter().filter_map(id_of).collect();
        let known: HashSet<&str> = known.iter().map(String::as_str).collect();
        let mut ids = IdsAfter::new(before);
        for pair in pairs {
            let Some(call) = self.flat.get(pair.call) else { continue };
            let (index, tool) = (call.index, call.message.tool_name().to_owned());
            let old = call.message.tool_call_id().to_owned();
            let new = ids.take(&old, &known);
            if new != old {
                let why = match old.as_str() {
                    "" => format!("call {} had no id: it is {new} now", label(&call.message)),
                    old => format!("the id {old} was used before: this pair is {new} now"),
                };
                self.tell(index, Mend::GaveId, why);
                for position in [pair.call, pair.result] {
                    if let Some(entry) = self.flat.get_mut(position) {
                        entry.message.to_mut().metadata.insert("tool_call_id".into(), json!(new));
                    }
                }
            }
            self.name_result(pair.result, &tool);
        }
        ids.into_ids()
    }

    fn name_result(&mut self, position: usize, tool: &str) {
        let Some(result) = self.flat.get_mut(position) else { return };
        let (index, said) = (result.index, result.message.tool_name().to_owned());
        if said != tool {
            result.message.to_mut().payload.insert("tool_name".into(), json!(tool));
            let why = format!("a result said it came from {said:?}, its call asked {tool:?}");
            self.tell(index, Mend::NamedTool, why);
        }
    }

    /// Tells of each result that was there and now stands elsewhere.
    fn tell_moves(&mut self, order: &[usize]) {
        for (now, before) in order.iter().enumerate() {
            let moved = now != *before && !self.written.contains(before);
            let Some(entry) = self.flat.get(*before).filter(|_| moved) else { continue };
            if entry.message.kind == MessageType::ToolResult {
                let label = label(&entry.message);
                let why = format!("result of {label} moved directly behind the calls of its step");
                self.tell(entry.index, Mend::MovedResult, why);
            }
        }
    }
}

fn partners_of(pairs: &[Pair], length: usize) -> Vec<Option<usize>> {
    let mut partners = vec![None; length];
    for pair in pairs {
        for (of, is) in [(pair.call, pair.result), (pair.result, pair.call)] {
            if let Some(slot) = partners.get_mut(of) {
                *slot = Some(is);
            }
        }
    }
    partners
}

fn label(message: &Message) -> String {
    match (message.tool_name(), message.tool_call_id()) {
        (tool, "") => tool.to_owned(),
        ("", id) => id.to_owned(),
        (tool, id) => format!("{tool} ({id})"),
    }
}

/// The honest answer to a call whose result never came.
fn interrupted(call: &Message) -> Message {
    let mut payload = Object::new();
    payload.insert("success".into(), json!(false));
    payload.insert("error".into(), json!(INTERRUPTED));
    payload.insert("metadata".into(), json!({ "error_type": "interrupted" }));
    let mut metadata = Object::new();
    if let Some(id) = call.metadata.get("tool_call_id") {
        metadata.insert("tool_call_id".into(), id.clone());
    }
    Message::tool_result(INTERRUPTED, call.tool_name(), payload, metadata)
}
