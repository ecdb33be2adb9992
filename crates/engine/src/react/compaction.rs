//! Shortening the transcript before a turn.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::compaction::{self, Compaction, Plan, Summary, Transcript};
use serde_json::{Value, json};

use super::{Done, Reaction};
use crate::Agent;
use crate::event::{HistoryCompacted, Purpose};
use crate::state::{Illegal, Response, RunState, Transcript as Lines};

/// What marks a summary.
const SUMMARY: &str = "agents_api_compaction";

impl RunState {
    /// Returns what the transcript needs; none when no policy shortens it. The agent's instructions are not
    /// part of the conversation: no summary takes their place.
    pub fn compaction_plan(&self) -> Option<Plan> {
        self.agent.compaction_plan(&self.shown())
    }

    /// Returns whether the transcript may be too long. Costs nothing as long as it is not.
    fn is_compaction_due(&self) -> bool {
        self.agent.compaction.as_ref().is_some_and(|policy| {
            let lines = self.shown().len();
            let too_long = policy.enabled && lines > policy.max_messages();
            (policy.overflow.enabled || too_long) && lines >= self.compact_at
        })
    }
}

impl Agent {
    /// Returns what a transcript of the agent needs; none when no policy shortens it.
    pub fn compaction_plan(&self, transcript: &Lines) -> Option<Plan> {
        let policy = self.compaction.as_ref()?;
        let messages: Vec<Message> =
            transcript.messages().skip(instructions(transcript)).map(|message| (**message).clone()).collect();
        Some(compaction::plan(Transcript::from(messages), policy))
    }
}

/// How many lines at the beginning are instructions. A summary speaks as the system too.
fn instructions(transcript: &Lines) -> usize {
    let is_instruction =
        |message: &&Arc<Message>| message.role() == "system" && !message.metadata.contains_key(SUMMARY);
    transcript.messages().take_while(is_instruction).count()
}

impl Reaction<'_> {
    /// Shortens the transcript if it is too long. Returns whether the turn waits for it.
    pub(super) fn compact(&mut self) -> Result<bool, Illegal> {
        if !self.state.is_compaction_due() || !self.state.open.is_empty() {
            return Ok(false);
        }
        match self.state.compaction_plan() {
            None => Ok(false),
            Some(Plan::Finished(compaction)) => {
                if compaction.events.is_empty() {
                    return Ok(false);
                }
                let compacted = compacted(self.state, compaction);
                self.emit(compacted)?;
                Ok(true)
            }
            Some(Plan::Summarize(_)) => {
                if let Some(stop) = self.state.ledger.spending_stop(&self.now.reserve) {
                    self.emit(crate::event::RunStopping { stop })?;
                    return Ok(true);
                }
                let turn = self.state.turn_number();
                self.request(Purpose::Compaction, turn)?;
                Ok(true)
            }
        }
    }

    /// A summary has come.
    pub(super) fn finish_compaction(&mut self, response: &Response) -> Done {
        let text = response.responded.messages.iter().find_map(|message| message.content.as_text());
        let provider = &response.responded.provider;
        let summary = match (provider.get("summary_error"), provider.get("summary")) {
            (Some(error), _) => Err(error.as_str().unwrap_or_default().to_owned()),
            (None, Some(summary)) => Summary::parse(summary).map_err(|error| error.message().to_owned()),
            (None, None) => {
                Summary::new(text.unwrap_or_default()).map_err(|error| error.message().to_owned())
            }
        };
        let compacted = match self.state.compaction_plan() {
            Some(Plan::Summarize(pending)) => {
                let mut events = vec![pending.started().to_value()];
                let compaction = pending.finish(summary);
                let done = compacted(self.state, compaction);
                events.retain(|started| !done.events.contains(started));
                HistoryCompacted { events: events.into_iter().chain(done.events).collect(), ..done }
            }
            Some(Plan::Finished(_)) | None => unchanged(Vec::new()),
        };
        self.emit(compacted)
    }
}

/// What a compaction did: the oldest lines that gave way, and what stands in their place. What is not
/// smaller than before is not taken: it would be due again at once, and cost a summary every turn.
fn compacted(state: &RunState, compaction: Compaction) -> HistoryCompacted {
    let events: Vec<Value> = compaction.events.iter().map(compaction::Event::to_value).collect();
    let shown = state.shown();
    let before: Vec<Arc<Message>> = shown.messages().cloned().collect();
    let first = before.iter().take(instructions(&shown)).cloned();
    let after: Vec<Arc<Message>> = first.chain(compaction.messages.into_iter().map(Arc::new)).collect();
    let same_end =
        before.iter().rev().zip(after.iter().rev()).take_while(|(before, after)| before == after).count();
    let (old, new) = (before.len() - same_end, after.len() - same_end);
    let (bytes_before, bytes_after) = (bytes(before.iter().take(old)), bytes(after.iter().take(new)));
    if old > 0 && bytes_after >= bytes_before {
        let metadata =
            json!({ "reason": "not_smaller", "bytes_before": bytes_before, "bytes_after": bytes_after });
        let refused = json!({ "type": "compaction_refused", "metadata": metadata });
        return unchanged(events.into_iter().chain([refused]).collect());
    }
    let mut replacement: Vec<Arc<Message>> = after.into_iter().take(new).collect();
    if old > 0 {
        replacement.extend(frontier(state).map(Arc::new));
    }
    HistoryCompacted { upto: old as u64, replacement, archive: None, fault: None, events }
}

/// Where the work stands, for a model that no longer sees how it got there.
fn frontier(state: &RunState) -> Option<Message> {
    let text = state.frontier.text(state.turn_number());
    let mut message = Message::text("user", &text);
    message.metadata.insert("type".into(), "compaction_frontier".into());
    (!text.is_empty()).then_some(message)
}

fn unchanged(events: Vec<Value>) -> HistoryCompacted {
    HistoryCompacted { upto: 0, replacement: Vec::new(), archive: None, fault: None, events }
}

fn bytes<'a>(messages: impl Iterator<Item = &'a Arc<Message>>) -> usize {
    messages.map(|message| message.to_value().to_string().len()).sum()
}
