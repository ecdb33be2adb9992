//! Shortening the transcript before a turn.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::compaction::{self, Compaction, Event, Plan, Transcript};

use crate::engine::{HistoryCompacted, Kind, RunState};

/// What the transcript needs; none when no policy shortens it.
pub fn plan(state: &RunState) -> Option<Plan> {
    let policy = state.rules.compaction.as_ref()?;
    Some(compaction::plan(Transcript::from(state.history.to_messages()), policy))
}

/// What a compaction did: the oldest messages that gave way, and what stands in their place.
pub fn compacted(state: &RunState, compaction: Option<Compaction>) -> Kind {
    let Some(compaction) = compaction else {
        return HistoryCompacted { replaced: 0, replacement: Vec::new(), events: Vec::new() }.into();
    };
    let kept = common_end(state, &compaction.messages);
    let mut replacement = compaction.messages;
    replacement.truncate(replacement.len() - kept);
    HistoryCompacted {
        replaced: state.history.len() - kept,
        replacement: replacement.into_iter().map(Arc::new).collect(),
        events: compaction.events.iter().map(Event::to_value).collect(),
    }
    .into()
}

/// How many of the newest messages are the same before and after.
fn common_end(state: &RunState, after: &[Message]) -> usize {
    state.history.iter().rev().zip(after.iter().rev()).take_while(|(before, after)| before == after).count()
}
