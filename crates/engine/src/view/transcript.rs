//! The messages of a run with their turns.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::Message;

use super::shown::Reader;
use crate::event::{Event, EventKind, Purpose};
use crate::state::Illegal;
use crate::{Agent, Seq};

/// One message of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The event that it comes from; 0 for instructions and for what the session had before.
    pub seq: Seq,
    /// The turn that it belongs to; 0 before the first.
    pub turn: u32,
    /// The message.
    pub message: Arc<Message>,
}

/// Returns the messages of a run in order, open calls and what they ask included.
///
/// # Errors
/// If an event cannot follow from the ones before it.
pub fn transcript(
    agent: &Arc<Agent>,
    history: &[Arc<Message>],
    events: &[Event],
) -> Result<Vec<Entry>, Illegal> {
    let Some((first, others)) = events.split_first() else { return Ok(Vec::new()) };
    let mut reader = Reader::begin(agent, history, first)?;
    let mut turns: BTreeMap<Seq, u32> = BTreeMap::new();
    for event in others {
        reader.take(event)?;
        if let EventKind::ModelRequested(requested) = &event.kind
            && requested.purpose == Purpose::Turn
        {
            turns.insert(event.seq, requested.turn);
        }
    }
    let lines = reader.transcript();
    let entries = lines.iter().map(|line| Entry {
        seq: line.seq,
        turn: turns.range(..=line.seq).next_back().map_or(0, |(_, turn)| *turn),
        message: line.message.clone(),
    });
    Ok(entries.collect())
}
