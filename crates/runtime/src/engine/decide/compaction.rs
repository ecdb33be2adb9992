//! Shortening the transcript before a turn.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::compaction::{self, Compaction, Event, Plan, Transcript};
use serde_json::{Value, json};

use super::frontier::frontier;
use crate::engine::{HistoryCompacted, Kind, RunState};

/// What the transcript needs; none when no policy shortens it.
pub fn plan(state: &RunState) -> Option<Plan> {
    let policy = state.rules.compaction.as_ref()?;
    Some(compaction::plan(Transcript::from(state.history.to_messages()), policy))
}

/// What a compaction did: the oldest messages that gave way, and what stands in their place. What is not
/// smaller than before is not taken: it would be due again at once, and cost a summary every turn.
pub fn compacted(state: &RunState, compaction: Option<Compaction>) -> Kind {
    let Some(compaction) = compaction else {
        return unchanged(Vec::new());
    };
    let events: Vec<Value> = compaction.events.iter().map(Event::to_value).collect();
    let kept = common_end(state, &compaction.messages);
    let mut replacement = compaction.messages;
    replacement.truncate(replacement.len() - kept);
    let replaced = state.history.len() - kept;
    let (before, after) = (bytes(state.history.iter().take(replaced)), bytes(replacement.iter()));
    if replaced > 0 && after >= before {
        let metadata = json!({ "reason": "not_smaller", "bytes_before": before, "bytes_after": after });
        let refused = json!({ "type": "compaction_refused", "metadata": metadata });
        return unchanged(events.into_iter().chain([refused]).collect());
    }
    if replaced > 0 {
        replacement.extend(standing(state));
    }
    HistoryCompacted { replaced, replacement: replacement.into_iter().map(Arc::new).collect(), events }.into()
}

/// Where the work stands, for a model that no longer sees how it got there.
fn standing(state: &RunState) -> Option<Message> {
    let text = frontier(state);
    let mut message = Message::text("user", &text);
    message.metadata.insert("type".into(), "compaction_frontier".into());
    (!text.is_empty()).then_some(message)
}

fn unchanged(events: Vec<Value>) -> Kind {
    HistoryCompacted { replaced: 0, replacement: Vec::new(), events }.into()
}

fn bytes<'m>(messages: impl Iterator<Item = &'m Message>) -> usize {
    messages.map(|message| message.to_value().to_string().len()).sum()
}

/// How many of the newest messages are the same before and after.
fn common_end(state: &RunState, after: &[Message]) -> usize {
    state.history.iter().rev().zip(after.iter().rev()).take_while(|(before, after)| before == after).count()
}
