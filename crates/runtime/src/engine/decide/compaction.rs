//! Shortening the transcript before a turn.

use std::borrow::{Borrow, Cow};
use std::sync::Arc;

use provost_contract::Message;
use provost_contract::compaction::{self, Compaction, Event, Plan, Transcript};
use provost_contract::json::Object;
use serde_json::{Value, json};

use super::frontier::frontier;
use crate::engine::{HistoryCompacted, Kind, RunState};

/// The word for what a summary cost.
pub(in crate::engine) const COMPACTION_USAGE: &str = "compaction_usage";
/// What marks a summary.
const SUMMARY: &str = "agents_api_compaction";

/// What the transcript needs; none when no policy shortens it. What the agent was told at the beginning is
/// not part of the conversation: no summary takes its place.
pub fn plan(state: &RunState) -> Option<Plan> {
    let policy = state.rules.compaction.as_ref()?;
    let mut messages = state.history.to_messages();
    if instructions(state).is_some() {
        messages.remove(0);
    }
    Some(compaction::plan(Transcript::from(messages), policy))
}

/// The agent's instructions, when the transcript begins with them. A summary speaks as the system too.
fn instructions(state: &RunState) -> Option<Cow<'_, Message>> {
    let first = state.history.iter().next()?;
    (first.role() == "system" && !first.metadata.contains_key(SUMMARY)).then_some(first)
}

/// What a compaction did: the oldest messages that gave way, and what stands in their place. What is not
/// smaller than before is not taken: it would be due again at once, and cost a summary every turn.
///
/// What the summary cost is recorded whether it is taken or not.
pub fn compacted(state: &RunState, compaction: Option<Compaction>, usage: Object) -> Kind {
    let Some(compaction) = compaction else {
        return unchanged(Vec::new());
    };
    let mut events: Vec<Value> = compaction.events.iter().map(Event::to_value).collect();
    if !usage.is_empty() {
        events.push(json!({ "type": COMPACTION_USAGE, "metadata": { "usage": usage } }));
    }
    let mut replacement: Vec<Message> = instructions(state).map(Cow::into_owned).into_iter().collect();
    replacement.extend(compaction.messages);
    let kept = common_end(state, &replacement);
    replacement.truncate(replacement.len() - kept);
    let replaced = state.history.len() - kept;
    let (before, after) = (bytes(state.history.iter().take(replaced)), bytes(&replacement));
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

fn bytes(messages: impl IntoIterator<Item = impl Borrow<Message>>) -> usize {
    messages.into_iter().map(|message| message.borrow().to_value().to_string().len()).sum()
}

/// How many of the newest messages are the same before and after.
fn common_end(state: &RunState, after: &[Message]) -> usize {
    state
        .history
        .iter()
        .rev()
        .zip(after.iter().rev())
        .take_while(|(before, after)| **before == **after)
        .count()
}
