//! The inbox of a run: what came for it from outside, in order, until it is read.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Boxed, Fault};
use crate::RunId;

/// Something for a run that came from outside while it works or waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "body", rename_all = "snake_case")]
pub enum Signal {
    /// A message for the model.
    Message(Value),
    /// The run is asked to stop.
    Cancel { reason: String },
}

/// A signal as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Posted {
    /// Its place among the signals of its run; the first is 1.
    pub place: u64,
    pub at_ms: i64,
    /// Who sent it.
    pub by: String,
    pub signal: Signal,
}

/// Signals by run. They are kept in the order they came, without a gap, and nothing is taken out: a
/// reader remembers how far it has read, so that after a crash it reads the same again.
pub trait Inbox: Send + Sync {
    /// Keeps a signal, durably when the future resolves, and gives its place. An id that the run has
    /// seen is a repetition: nothing is kept, and the place is that of the first.
    fn post<'a>(
        &'a self,
        run: &'a RunId,
        id: &'a str,
        by: &'a str,
        signal: Signal,
        now_ms: i64,
    ) -> Boxed<'a, Result<u64, Fault>>;

    /// At most `limit` signals after a place, in order.
    fn read<'a>(&'a self, run: &'a RunId, after: u64, limit: usize) -> Boxed<'a, Result<Vec<Posted>, Fault>>;

    /// Resolves once there is a signal after a place, whoever posted it.
    ///
    /// # Cancel safety
    /// Dropping it loses nothing.
    fn arrived<'a>(&'a self, run: &'a RunId, after: u64) -> Boxed<'a, Result<(), Fault>>;
}
