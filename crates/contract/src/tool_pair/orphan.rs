//! Finding the halves that have no partner.

use serde_json::{Value, json};

use super::partner::walk;
use super::{Entry, Half, Side};

/// A call without a result after it, or a result without a call before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orphan {
    /// Its position in the transcript.
    pub index: usize,
    /// Which half it is.
    pub side: Side,
    /// The tool; empty when the message does not say.
    pub tool_name: String,
    /// The id of the pair; empty when there is none.
    pub tool_call_id: String,
}

impl Orphan {
    /// The wire form `{index, kind, type, tool_name, tool_call_id?}`.
    pub fn to_value(&self) -> Value {
        let kind = match self.side {
            Side::Call => "orphan_tool_call",
            Side::Result => "orphan_tool_result",
        };
        let mut wire =
            json!({ "index": self.index, "kind": kind, "type": self.side, "tool_name": self.tool_name });
        if let (Some(map), false) = (wire.as_object_mut(), self.tool_call_id.is_empty()) {
            map.insert("tool_call_id".into(), self.tool_call_id.as_str().into());
        }
        wire
    }

    fn new(index: usize, half: Half<'_>) -> Self {
        let (tool_name, tool_call_id) = (half.tool_name().to_owned(), half.tool_call_id().to_owned());
        Self { index, side: half.side(), tool_name, tool_call_id }
    }
}

/// Finds every orphan of a transcript, in order of position.
///
/// A result with an id answers a waiting call of that id, whatever the tool; a result without one answers a
/// waiting call of the same tool that has no id either. Of several it answers one of the nearest step before
/// it, and there the first. Calls wait only for what comes after them.
pub fn validate<E: Entry>(transcript: &[E]) -> Result<Vec<Orphan>, E::Refusal> {
    let mut orphans = Vec::new();
    for index in alone(transcript)? {
        // The walk has read this entry as a half before; only what is reported is read again and copied.
        if let Some(half) = transcript.get(index).map(E::half).transpose()?.flatten() {
            orphans.push(Orphan::new(index, half));
        }
    }
    Ok(orphans)
}

/// Whether no half lacks its partner.
pub fn is_paired<E: Entry>(transcript: &[E]) -> Result<bool, E::Refusal> {
    Ok(alone(transcript)?.next().is_none())
}

/// The positions of all halves without a partner.
fn alone<E: Entry>(transcript: &[E]) -> Result<impl Iterator<Item = usize> + use<E>, E::Refusal> {
    let mut alone = vec![false; transcript.len()];
    walk(transcript, |index, call| {
        let (position, lacks_partner) = call.map_or((index, true), |call| (call, false));
        if let Some(mark) = alone.get_mut(position) {
            *mark = lacks_partner;
        }
    })?;
    Ok(alone.into_iter().enumerate().filter_map(|(index, alone)| alone.then_some(index)))
}
